"""The pages of a mirror, from Jinja templates with autoescape. They need no scripts, and load nothing."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from coolid.http.pages.marked_text import printable
from coolid.log.checkpoints import Checkpoint
from coolid.mirror.layout import PAGE, record_file
from coolid.mirror.records import MirroredRecord, MirroredSite

KERNEL: Final = ("what", "who", "when", "where", "how", "type", "license")


class MirrorState(MirroredSite, frozen=True):
    """What the pages say about the mirror.

    `service` is the base URL of its service, and `made_from` the kind of its source: `service`, `store`, `export` or
    `log`. `newest` is the time of the newest change in it, as in records, or empty.
    """

    made_from: str
    checkpoint: Checkpoint | None = None
    newest: str = ""
    records: int = 0

    @property
    def root(self) -> str:
        """The root hash of the checkpoint, in base64."""
        return b64encode(self.checkpoint.root).decode() if self.checkpoint else ""


def record_page(
    record: MirroredRecord, document: Mapping[str, Any], state: MirrorState, *, has_proof: bool, has_record: bool = True
) -> bytes:
    """Return the page of a record. Without `has_record`, only its entries in the log are known."""
    metadata = document.get("metadata") or {}
    withdrawn = document.get("withdrawn")
    values: dict[str, Any] = {
        "record": record,
        "title": str(metadata.get("what") or record.path),
        "elements": list(_elements(metadata)),
        "withdrawn": withdrawn if isinstance(withdrawn, dict) else None,
        "updated": document.get("updated"),
        "files": f"/{record_file(record.name, '')}",
        "has_proof": has_proof,
        "has_record": has_record,
    }
    return _rendered("record.html", state, **values)


def redirect_page(record: MirroredRecord) -> bytes:
    """Return the page that leads to the target of a record, for servers without redirects."""
    page = f"/{record_file(record.name, PAGE)}"
    return _templates().get_template("redirect.html").render(record=record, page=page).encode()


def about_page(state: MirrorState) -> bytes:
    """Return the page about the mirror."""
    return _rendered("about.html", state)


def not_found_page(state: MirrorState) -> bytes:
    """Return the page of paths that are no identifiers here."""
    return _rendered("not-found.html", state)


def _elements(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the kernel's elements with their texts."""
    for name in KERNEL:
        value = metadata.get(name)
        texts = value if isinstance(value, list) else [value]
        shown = [str(each) for each in texts if isinstance(each, str | int | float) and str(each)]
        if shown:
            yield name, "; ".join(shown)


def _rendered(template: str, state: MirrorState, **values: Any) -> bytes:
    page = _templates().get_template(template).render(about=state, **values)
    return page.encode()


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("coolid.mirror", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["printable"] = printable
    return made
