"""The typed links of a record (RFC 8288), by the FAIR Signposting Profile: for the `Link` header and the link set.

Source: signposting.org/FAIR, level 1: `cite-as` the PID, `describedby` what says more of it, `item` where it is,
`type`, `license` and `author`; and `linkset` all of this (RFC 9264). Besides, `successor-version` (RFC 5829) where a
tombstone names what took its place, and `alternate` where the same thing has an identifier elsewhere. A target is
always an absolute URI in printable ASCII, an attribute always one that needs no quoting.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from coolid.domain.records import Record
from coolid.web.representations import facts
from coolid.web.representations.representation import Representation
from coolid.web.representations.uris import alternate_uri, escape
from coolid.web.syntax import LANGUAGE, MEDIA_TYPE, compiled

LINKSET: Final = "application/linkset+json"

_TYPE: Final = "https://schema.org/"
_ABOUT_PAGE: Final = "https://schema.org/AboutPage"
_MEDIA_TYPE: Final = rf"\s*({MEDIA_TYPE})\s*"


class Link(Struct, frozen=True):
    """A link from the record: its relation, its target and what is known of the target."""

    rel: str
    href: str
    type: str | None = None
    hreflang: str | None = None


def links_of(record: Record, representations: Sequence[Representation]) -> Iterator[Link]:
    """All links of a record, the most needed first; `representations` are those that it can be had in."""
    yield from profile_of(record, representations)
    for alternate in record.alternates:
        elsewhere = alternate_uri(alternate["scheme"], alternate["identifier"])
        if elsewhere:
            yield Link("alternate", elsewhere)


def profile_of(record: Record, representations: Sequence[Representation]) -> Iterator[Link]:
    """The links of the profile, so all but those to the same thing elsewhere.

    >>> from datetime import UTC, datetime
    >>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
    >>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
    >>> for link in profile_of(record, [Representation("ttl", "text/turtle", str)]):
    ...     print(link.rel, link.href)
    cite-as https://id.example.org/mp:x5
    describedby https://id.example.org/mp:x5?format=ttl
    type https://schema.org/AboutPage
    """
    yield from forms_of(escape(record.pid), tuple([each for each in representations if each.available(record)]))
    yield from facts_of(record)


def forms_of(pid: str, representations: Sequence[Representation]) -> Iterator[Link]:
    """The PID's own link, and those to the forms that its record can be had in."""
    yield Link("cite-as", pid)
    for each in representations:
        if each.media_type == LINKSET:
            yield Link("linkset", f"{pid}?format={each.name}", LINKSET)
    for each in representations:
        if each.media_type != LINKSET:
            yield Link("describedby", f"{pid}?format={each.name}", each.media_type)


def facts_of(record: Record) -> Iterator[Link]:
    """What the record says of the thing: successor, types, licences, authors, items."""
    successor = facts.successor_uri(record)
    if successor:
        yield Link("successor-version", successor)
    yield Link("type", _ABOUT_PAGE)
    kind = facts.schema_type(record)
    if kind:
        yield Link("type", _TYPE + kind)
    for uri in facts.license_uris(record):
        yield Link("license", uri)
    for uri in facts.author_uris(record):
        yield Link("author", uri)
    for location in facts.items(record):
        yield Link("item", escape(location.uri), _media_type(location.media_type), _language(location.language))


def _media_type(text: str | None) -> str | None:
    """A media type without its parameters, which the `type` attribute does not take."""
    found = compiled(_MEDIA_TYPE).fullmatch(text.partition(";")[0]) if text else None
    return found[1] if found else None


def _language(text: str | None) -> str | None:
    return text if text and compiled(LANGUAGE).fullmatch(text) else None
