"""Link sets: all links of a record in one document (RFC 9264), as JSON (section 4.2) or text (section 4.1).

The JSON has a context object for each anchor, the PID's first, which lists the targets of each relation. `hreflang` is
a list (section 4.2.4.1). `profile` is omitted, because section 4.2.4.3 requires a list, but programs for the FAIR
Signposting Profile expect a text and fail on a list. The text form has it: each line is a value of a `Link` header with
its context as `anchor`, so that the document is valid at any URL.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from coolid.http.formats.representation import LINKS, LINKSET, Representation
from coolid.http.formats.signposting import TypedLink, profile_links
from coolid.http.formats.uris import alternate_uri, escape
from coolid.model.records import Record
from coolid.strict_json import dump

MAX_LINKSET_BYTES: Final = 4_000_000
"""The maximum size of a link set, because Lambda limits a response to 6 MB with all escapes."""

_LINK_OVERHEAD_BYTES: Final = 20
"""The maximum size of a link in a link set beyond its link value."""
_INVERSES: Final = {"item": "collection", "describedby": "describes"}


def write_json(record: Record, representations: Sequence[Representation]) -> str:
    """Return the link set as JSON (`application/linkset+json`), with links to the other `representations`."""
    contexts: dict[str | None, dict[str, Any]] = {}
    for link in _linkset_links(record, representations, LINKSET):
        target: dict[str, Any] = {"href": link.href}
        if link.type:
            target["type"] = link.type
        if link.hreflang:
            target["hreflang"] = [link.hreflang]
        contexts.setdefault(link.anchor, {"anchor": link.anchor}).setdefault(link.rel, []).append(target)
    return dump({"linkset": list(contexts.values())})


def write_text(record: Record, representations: Sequence[Representation]) -> str:
    """Return the link set as text (`application/linkset`), with links to the other `representations`."""
    return ",\n".join(map(str, _linkset_links(record, representations, LINKS))) + "\n"


def _linkset_links(record: Record, representations: Sequence[Representation], media_type: str) -> Iterator[TypedLink]:
    """Return the links of a link set: those of the record, its items and its metadata, each with its context.

    An item has no `cite-as`, because the profile reserves the PID for the whole. The links of the record come first,
    and the set ends at 4,000,000 bytes.
    """
    remaining = MAX_LINKSET_BYTES
    for link in _anchored(record, representations, media_type):
        remaining -= len(str(link)) + _LINK_OVERHEAD_BYTES
        if remaining < 0:
            return
        yield link


def _anchored(record: Record, representations: Sequence[Representation], media_type: str) -> Iterator[TypedLink]:
    pid = escape(record.pid)
    inverse: dict[TypedLink, None] = {}
    for link in links_of(record, representations):
        if link.rel == "linkset" and link.type == media_type:
            continue
        yield replace(link, anchor=pid)
        if link.rel in _INVERSES and link.href != pid:
            inverse[TypedLink(_INVERSES[link.rel], pid, anchor=link.href)] = None
    yield from inverse


def links_of(record: Record, representations: Sequence[Representation]) -> Iterator[TypedLink]:
    """Return all links of a record, the most important first, with links to its `representations`."""
    yield from profile_links(record, representations)
    for alternate in record.alternates:
        uri = alternate_uri(alternate["scheme"], alternate["identifier"])
        if uri:
            yield TypedLink("alternate", uri)
