"""The `TypedLink` header of a record, its page and its redirect (RFC 8288), by the FAIR Signposting Profile, level 1.

It is at most 7,000 bytes long, so that a `Location` of 2,048 bytes and all other headers find room in the 10,240 bytes
that API Gateway lets pass. What finds none here is in the link sets, which the header names (level 2).

The context of a link is what was asked for: the PID, or its page. A form of the metadata is something else, and says
so: it `describes` the PID (2.1.2), a link set has its `alternate` form (RFC 9264, section 7.1), and the links of the
PID have the PID as their `anchor`.

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
from coolid.http.formats.links import LINK_SETS, TypedLink, facts_of, forms_of, profile_of, types_of
from coolid.http.formats.representation import Representation
from coolid.http.formats.uris import escape
from coolid.model.records import Record

MOST_BYTES: Final = 7_000
TIMEMAP: Final = "/timemap/"

_SEPARATOR: Final = ", "
_PID: Final = "\0"
"""Stands for the PID; no URI has it."""
_LEAST: Final = 40
"""No link worth having is shorter, with its relation and separator."""
MOST_PASSED: Final = 20
"""How many links there may be no room for before no more are looked at: a record can have thousands."""


def link_header(record: Record, *, canonical: str, form: str | None = None, version: str | None = None) -> str:
    """The value of the header; `canonical` is the link that the record is to be known by.

    `form` is the media type of what was asked for, where that is a form of the metadata with an address of its own;
    `version` the number that was asked for, whose forms the links then lead to, and to what it is a version of.
    """
    if form is not None:
        return _dated(_signposts_of_form(record, form, canonical, version), record, version)
    if version is not None:
        return _dated(signposts(record, canonical=canonical, version=version), record, version)
    whole = escape(canonical)
    first = str(TypedLink("canonical", whole))
    told = _told(forms(record), metadata_terms.schema_type(record))
    head = _SEPARATOR.join((first, told.replace(_PID, escape(record.pid)), dated_links(record, whole)))
    if len(head) <= MOST_BYTES:
        fitting = _fitting(facts_of(record), MOST_BYTES - len(head))
        return _SEPARATOR.join([head, *[value for value, _ in fitting]])
    # So long a PID that there is no room for all forms.
    return _joined(signposts(record, canonical=canonical))


def dated_links(record: Record, original: str, query: str = "") -> str:
    """Where its versions are (RFC 7089, section 2.2): `original`, a URI, is its own TimeGate and has a TimeMap."""
    return (
        f'<{original}{query}>; rel="original timegate", '
        f'<{timemap_of(record, original)}>; rel="timemap"; type="application/link-format"'
    )


def timemap_of(record: Record, original: str) -> str:
    """The address of the list of all its versions."""
    base_url = _base_url(record.issuer)
    return f"{base_url}{TIMEMAP}{original.removeprefix(base_url + '/')}"


def signposts(record: Record, *, canonical: str, version: str | None = None) -> list[TypedLink]:
    """The links of the header, for whoever writes them otherwise."""
    links = profile_of(record, _announced(REPRESENTATIONS), version)
    return _bounded([TypedLink("canonical", escape(canonical))], links, record, version)


def _signposts_of_form(record: Record, form: str, canonical: str, version: str | None) -> list[TypedLink]:
    pid = escape(record.pid)
    links = list(profile_of(record, _announced(REPRESENTATIONS), version))
    own = [link for link in links if link.rel == "linkset"]
    if form in LINK_SETS:
        own = [replace(link, rel="alternate") for link in own if link.type != form]
    elif for_media_type(form) is not None:  # and no picture of the PID
        own.insert(0, TypedLink("describes", pid))
    others = (replace(link, anchor=pid) for link in links if link not in own)
    return _bounded([TypedLink("canonical", escape(canonical)), *own], others, record, version)


def _bounded(
    first: list[TypedLink], links: Iterable[TypedLink], record: Record, version: str | None
) -> list[TypedLink]:
    """The first links and those of the others that there is room for, beside what a version says of its original."""
    room = MOST_BYTES - len(_joined(first))
    if version is not None:
        room -= len(dated_links(record, escape(record.pid))) + len(_SEPARATOR)
    return [*first, *[link for _, link in _fitting(links, room)]]


def _dated(links: Iterable[TypedLink], record: Record, version: str | None) -> str:
    """The header of these links, which for a version says of what it is one, if there is room for that."""
    header = _joined(links)
    longer = _SEPARATOR.join((header, dated_links(record, escape(record.pid))))
    return header if version is None or len(longer) > MOST_BYTES else longer


def _fitting(links: Iterable[TypedLink], room: int) -> list[tuple[str, TypedLink]]:
    """Those of the links that there is room for behind others, with their values."""
    fitting: list[tuple[str, TypedLink]] = []
    passed = 0
    for link in links if room >= _LEAST else ():
        value = str(link)
        length = len(value) + len(_SEPARATOR)
        if length <= room:
            fitting.append((value, link))
            room -= length
        else:
            passed += 1
        if room < _LEAST or passed > MOST_PASSED:
            break
    return fitting


def _joined(links: Iterable[TypedLink]) -> str:
    return _SEPARATOR.join(map(str, links))


@lru_cache(maxsize=8)
def _base_url(issuer: str) -> str:
    """The issuer as a URI: hardly ever another one."""
    return escape(issuer)


@cache
def _told(those: Forms, kind: str | None) -> str:
    """The part of the header that tells of the forms and of the type, of which there are as many as in schema.org."""
    links = (*forms_of(_PID, _announced(those.representations)), *types_of(kind))
    return _joined(links)


def _announced(representations: Iterable[Representation]) -> list[Representation]:
    return [each for each in representations if each.announced]
