"""The `Link` header of a record, its page and its redirect (RFC 8288), by the FAIR Signposting Profile, level 1.

It has at most 7,000 bytes, so that a `Location` of 2,048 bytes and all other headers fit into the 10,240 bytes that API
Gateway passes. Other links are in the link sets, which the header names (level 2).

The context of a link is the requested resource: the PID, or its page. A form of the metadata is another resource: it
`describes` the PID (2.1.2), a link set has its `alternate` form (RFC 9264, section 7.1), and the links of the PID have
the PID as their `anchor`.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
>>> for link in link_header(record, canonical="https://id.example.org/mp:x5").split(", ")[:3]:
...     print(link)
<https://id.example.org/mp:x5>; rel="canonical"
<https://id.example.org/mp:x5>; rel="cite-as"
<https://id.example.org/mp:x5?format=linkset>; rel="linkset"; type="application/linkset+json"
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from msgspec.structs import replace

from coolid.http.formats import metadata_terms
from coolid.http.formats.catalog import REPRESENTATIONS, Forms, for_media_type, forms
from coolid.http.formats.links import LINK_SETS, TypedLink, fact_links, form_links, profile_links, type_links
from coolid.http.formats.representation import Representation
from coolid.http.formats.uris import escape
from coolid.model.records import Record

MAX_BYTES: Final = 7_000
TIMEMAP: Final = "/timemap/"

_SEPARATOR: Final = ", "
_PID: Final = "\0"
"""A placeholder for the PID that no URI contains."""
_MIN_LINK_BYTES: Final = 40
"""The least bytes of a useful link with its relation and separator."""
MAX_SKIPPED: Final = 20
"""The number of links that do not fit after which the rest is skipped: a record can have thousands."""


def link_header(record: Record, *, canonical: str, form: str | None = None, version: str | None = None) -> str:
    """Return the value of the header; `canonical` is the canonical link of the record.

    `form` is the requested media type, if it is a form of the metadata with its own address. `version` is the requested
    number; the links then lead to its forms and to its original.
    """
    if form is not None:
        return _dated(_signposts_of_form(record, form, canonical, version), record, version)
    if version is not None:
        return _dated(signposts(record, canonical=canonical, version=version), record, version)
    uri = escape(canonical)
    first = str(TypedLink("canonical", uri))
    form_links = _form_links(forms(record), metadata_terms.schema_type(record))
    head = _SEPARATOR.join((first, form_links.replace(_PID, escape(record.pid)), dated_links(record, uri)))
    if len(head) <= MAX_BYTES:
        fitting = _fitting(fact_links(record), MAX_BYTES - len(head))
        return _SEPARATOR.join([head, *[value for value, _ in fitting]])
    # The PID is so long that not all forms fit.
    return _joined(signposts(record, canonical=canonical))


def dated_links(record: Record, original: str, query: str = "") -> str:
    """Return the links to its versions (RFC 7089, section 2.2); the URI `original` is its own TimeGate."""
    return (
        f'<{original}{query}>; rel="original timegate", '
        f'<{timemap_of(record, original)}>; rel="timemap"; type="application/link-format"'
    )


def timemap_of(record: Record, original: str) -> str:
    """Return the address of the list of all its versions."""
    base_url = _base_url(record.issuer)
    return f"{base_url}{TIMEMAP}{original.removeprefix(base_url + '/')}"


def signposts(record: Record, *, canonical: str, version: str | None = None) -> list[TypedLink]:
    """Return the links of the header, for other syntaxes."""
    links = profile_links(record, _announced(REPRESENTATIONS), version)
    return _bounded([TypedLink("canonical", escape(canonical))], links, record, version)


def _signposts_of_form(record: Record, form: str, canonical: str, version: str | None) -> list[TypedLink]:
    pid = escape(record.pid)
    links = list(profile_links(record, _announced(REPRESENTATIONS), version))
    own = [link for link in links if link.rel == "linkset"]
    if form in LINK_SETS:
        own = [replace(link, rel="alternate") for link in own if link.type != form]
    elif for_media_type(form) is not None:  # not a picture of the PID
        own.insert(0, TypedLink("describes", pid))
    others = (replace(link, anchor=pid) for link in links if link not in own)
    return _bounded([TypedLink("canonical", escape(canonical)), *own], others, record, version)


def _bounded(
    first: list[TypedLink], links: Iterable[TypedLink], record: Record, version: str | None
) -> list[TypedLink]:
    """Return the first links and those others that fit, leaving room for the links of a version to its original."""
    remaining = MAX_BYTES - len(_joined(first))
    if version is not None:
        remaining -= len(dated_links(record, escape(record.pid))) + len(_SEPARATOR)
    return [*first, *[link for _, link in _fitting(links, remaining)]]


def _dated(links: Iterable[TypedLink], record: Record, version: str | None) -> str:
    """Return the header of these links, with those of a version to its original if they fit."""
    header = _joined(links)
    longer = _SEPARATOR.join((header, dated_links(record, escape(record.pid))))
    return header if version is None or len(longer) > MAX_BYTES else longer


def _fitting(links: Iterable[TypedLink], remaining: int) -> list[tuple[str, TypedLink]]:
    """Return the links that fit into `remaining` bytes after others, with their values."""
    fitting: list[tuple[str, TypedLink]] = []
    skipped = 0
    for link in links if remaining >= _MIN_LINK_BYTES else ():
        value = str(link)
        length = len(value) + len(_SEPARATOR)
        if length <= remaining:
            fitting.append((value, link))
            remaining -= length
        else:
            skipped += 1
        if remaining < _MIN_LINK_BYTES or skipped > MAX_SKIPPED:
            break
    return fitting


def _joined(links: Iterable[TypedLink]) -> str:
    return _SEPARATOR.join(map(str, links))


@lru_cache(maxsize=8)
def _base_url(issuer: str) -> str:
    """Return the issuer as a URI; it hardly ever varies."""
    return escape(issuer)


@cache
def _form_links(available: Forms, schema_type: str | None) -> str:
    """Return the links to the forms and the type; their number is bounded by the types of schema.org."""
    links = (*form_links(_PID, _announced(available.representations)), *type_links(schema_type))
    return _joined(links)


def _announced(representations: Iterable[Representation]) -> list[Representation]:
    return [each for each in representations if each.announced]
