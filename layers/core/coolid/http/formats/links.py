"""The typed links of a record (RFC 8288), by the FAIR Signposting Profile: for the `TypedLink` header and the link sets.

Source: signposting.org/FAIR (2023-10-02), level 1 (2.1): `cite-as` the PID, `describedby` what says more of it, `item`
where it is, `type`, `license` and `author`; level 2 (2.2): `linkset` all of this (RFC 9264), to which `set_of` adds
what has an item or a form of the metadata as its context. Besides, `collection` what it is part of, and `item` what is
part of it, the inverse (RFC 6573); `successor-version` (RFC 5829) where a tombstone names what took its place; and
`alternate` where the same thing has an identifier elsewhere. A target is always an absolute URI in printable ASCII, an
attribute always one that needs no escapes between quotes.

>>> print(TypedLink("item", "https://content.example.org/a.pdf", "application/pdf"))
<https://content.example.org/a.pdf>; rel="item"; type="application/pdf"
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.formats import metadata_terms
from coolid.http.formats.representation import Representation
from coolid.http.formats.schemaorg_types import ANY
from coolid.http.formats.uris import alternate_uri, escape, uri_of
from coolid.http.tokens import LANGUAGE, MEDIA_TYPE, compiled
from coolid.model.records import Record

LINKSET: Final = "application/linkset+json"
LINKS: Final = "application/linkset"
LINK_SETS: Final = (LINKSET, LINKS)
MOST_BYTES: Final = 4_000_000
"""Of a link set, so that Lambda lets it pass, which takes 6 MB of text with all its escapes."""

_WRITTEN: Final = 20
"""What a link may take in one of the sets beyond its link value."""

_TYPE: Final = "https://schema.org/"
_ABOUT_PAGE: Final = "https://schema.org/AboutPage"
_MEDIA_TYPE: Final = rf"\s*({MEDIA_TYPE})\s*"
_INVERSES: Final = {"item": "collection", "describedby": "describes"}
_PROFILE: Final = r""";\s*[Pp][Rr][Oo][Ff][Ii][Ll][Ee]=(?:"([^"]*)"|([^\s;"]+))"""


class TypedLink(Struct, frozen=True):
    """A link: its relation, its target and what is known of the target; `profile` is of URIs between spaces.

    Its context, where that is not what the link came with, is the `anchor`. As a text it is a link value of RFC 8288.
    """

    rel: str
    href: str
    type: str | None = None
    hreflang: str | None = None
    profile: str | None = None
    anchor: str | None = None

    def __str__(self) -> str:
        value = f'<{self.href}>; rel="{self.rel}"'
        if self.type:
            value += f'; type="{self.type}"'
        if self.hreflang:
            value += f'; hreflang="{self.hreflang}"'
        if self.profile:
            value += f'; profile="{self.profile}"'
        return f'{value}; anchor="{self.anchor}"' if self.anchor else value


def set_of(record: Record, representations: Sequence[Representation], media_type: str) -> Iterator[TypedLink]:
    """The link set in this form: all links of a record, its items and its metadata, each with its context.

    An item has no `cite-as`: it would be the PID of the whole, which the profile wants to be told of the whole alone.
    There are as many as 4,000,000 bytes have room for, those of the record itself first.
    """
    room = MOST_BYTES
    for link in _anchored(record, representations, media_type):
        room -= len(str(link)) + _WRITTEN
        if room < 0:
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
    """All links of a record, the most needed first; `representations` are those that it can be had in."""
    yield from profile_of(record, representations)
    for alternate in record.alternates:
        elsewhere = alternate_uri(alternate["scheme"], alternate["identifier"])
        if elsewhere:
            yield TypedLink("alternate", elsewhere)


def profile_of(
    record: Record, representations: Sequence[Representation], version: str | None = None
) -> Iterator[TypedLink]:
    """The links of the profile, so all but those to the same thing elsewhere; to the forms of the `version`, if given.

    >>> from datetime import UTC, datetime
    >>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
    >>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
    >>> for link in profile_of(record, [Representation("ttl", "text/turtle", str)]):
    ...     print(link.rel, link.href)
    cite-as https://id.example.org/mp:x5
    describedby https://id.example.org/mp:x5?format=ttl
    type https://schema.org/CreativeWork
    type https://schema.org/AboutPage
    """
    available = [each for each in representations if each.available(record)]
    yield from forms_of(escape(record.pid), available, f"&version={version}" if version else "")
    yield from types_of(metadata_terms.schema_type(record))
    yield from facts_of(record)


def forms_of(pid: str, representations: Iterable[Representation], more: str = "") -> Iterator[TypedLink]:
    """The PID's own link, and those to the forms that its record can be had in, with `more` in their queries."""
    yield TypedLink("cite-as", pid)
    for each in sorted(representations, key=lambda form: form.media_type not in LINK_SETS):  # these first
        relation = "linkset" if each.media_type in LINK_SETS else "describedby"
        yield TypedLink(relation, f"{pid}?format={each.name}{more}", each.media_type, profile=each.profile)


def types_of(kind: str | None) -> Iterator[TypedLink]:
    """What it is, by a type of schema.org; then that its page is about it."""
    yield TypedLink("type", _TYPE + (kind or ANY))
    yield TypedLink("type", _ABOUT_PAGE)


def facts_of(record: Record) -> Iterator[TypedLink]:
    """What else the record says of the thing: successor, licences, what it is part of, authors, items, parts."""
    successor = metadata_terms.successor_uri(record)
    if successor:
        yield TypedLink("successor-version", successor)
    if record.metadata:
        for uri in metadata_terms.license_uris(record):
            yield TypedLink("license", uri)
        for uri in metadata_terms.collection_uris(record):
            yield TypedLink("collection", uri)
        for uri in metadata_terms.author_uris(record):
            yield TypedLink("author", uri)
    for location in metadata_terms.items(record):
        said = location.media_type
        media_type = _media_type(said)
        profile = _profile(said) if media_type and said and ";" in said else None
        yield TypedLink("item", escape(location.uri), media_type, _language(location.language), profile)
    if record.metadata:
        for uri in metadata_terms.part_uris(record):
            yield TypedLink("item", uri)


def _media_type(text: str | None) -> str | None:
    """A media type without its parameters, which the `type` attribute does not take."""
    found = compiled(_MEDIA_TYPE).fullmatch(text.partition(";")[0]) if text else None
    return found[1] if found else None


def _profile(text: str) -> str | None:
    """The web addresses in the `profile` parameter of a media type (RFC 6906).

    >>> _profile('application/ld+json; profile="https://w3id.org/ro/crate urn:x"')
    'https://w3id.org/ro/crate'
    """
    found = compiled(_PROFILE).search(text)
    said = (found[1] or found[2] or "").split() if found else ()
    return " ".join(filter(None, map(uri_of, said))) or None


def _language(text: str | None) -> str | None:
    return text if text and compiled(LANGUAGE).fullmatch(text) else None
