"""The typed links of a record (RFC 8288) by the FAIR Signposting Profile, for the `Link` header and the link sets.

Source: signposting.org/FAIR (2023-10-02). Level 1 (2.1): `cite-as` the PID, `describedby` its metadata, `item` its
content, `type`, `license` and `author`. Level 2 (2.2): `linkset` for all links (RFC 9264); there `linkset_links` adds
the links whose context is an item or the metadata. Besides: `collection` for the whole and its inverse `item` for parts
(RFC 6573), `successor-version` (RFC 5829) for a tombstone's successor, and `alternate` for the same thing's
identifiers elsewhere. A target is an absolute URI in printable ASCII, and no attribute needs escapes between quotes.

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
MAX_LINKSET_BYTES: Final = 4_000_000
"""The maximum size of a link set, because Lambda limits a response to 6 MB with all escapes."""

_LINK_OVERHEAD_BYTES: Final = 20
"""The maximum size of a link in a link set beyond its link value."""

_TYPE: Final = "https://schema.org/"
_ABOUT_PAGE: Final = "https://schema.org/AboutPage"
_MEDIA_TYPE: Final = rf"\s*({MEDIA_TYPE})\s*"
_INVERSES: Final = {"item": "collection", "describedby": "describes"}
_PROFILE: Final = r""";\s*[Pp][Rr][Oo][Ff][Ii][Ll][Ee]=(?:"([^"]*)"|([^\s;"]+))"""


class TypedLink(Struct, frozen=True):
    """A link with its relation, target and target attributes; `profile` contains URIs separated by spaces.

    `anchor` is its context if that is not the requested resource. Its text is a link value of RFC 8288.
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


def linkset_links(record: Record, representations: Sequence[Representation], media_type: str) -> Iterator[TypedLink]:
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


def profile_links(
    record: Record, representations: Sequence[Representation], version: str | None = None
) -> Iterator[TypedLink]:
    """Return the links of the profile, which excludes `alternate`, to the forms of the `version` if it is not None.

    >>> from datetime import UTC, datetime
    >>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
    >>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
    >>> for link in profile_links(record, [Representation("ttl", "text/turtle", str)]):
    ...     print(link.rel, link.href)
    cite-as https://id.example.org/mp:x5
    describedby https://id.example.org/mp:x5?format=ttl
    type https://schema.org/CreativeWork
    type https://schema.org/AboutPage
    """
    available = [each for each in representations if each.available(record)]
    yield from form_links(escape(record.pid), available, f"&version={version}" if version else "")
    yield from type_links(metadata_terms.schema_type(record))
    yield from fact_links(record)


def form_links(pid: str, representations: Iterable[Representation], more: str = "") -> Iterator[TypedLink]:
    """Return the links to the PID and to its record's representations, with `more` in their queries."""
    yield TypedLink("cite-as", pid)
    for each in sorted(representations, key=lambda form: form.media_type not in LINK_SETS):  # link sets first
        relation = "linkset" if each.media_type in LINK_SETS else "describedby"
        yield TypedLink(relation, f"{pid}?format={each.name}{more}", each.media_type, profile=each.profile)


def type_links(kind: str | None) -> Iterator[TypedLink]:
    """Return the links to its schema.org type and to the type of its page."""
    yield TypedLink("type", _TYPE + (kind or ANY))
    yield TypedLink("type", _ABOUT_PAGE)


def fact_links(record: Record) -> Iterator[TypedLink]:
    """Return the links to its successor, licences, collections, authors, items and parts."""
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
        full_type = location.media_type
        media_type = _media_type(full_type)
        profile = _profile(full_type) if media_type and full_type and ";" in full_type else None
        yield TypedLink("item", escape(location.uri), media_type, _language(location.language), profile)
    if record.metadata:
        for uri in metadata_terms.part_uris(record):
            yield TypedLink("item", uri)


def _media_type(text: str | None) -> str | None:
    """Return a media type without its parameters, which the `type` attribute excludes."""
    found = compiled(_MEDIA_TYPE).fullmatch(text.partition(";")[0]) if text else None
    return found[1] if found else None


def _profile(text: str) -> str | None:
    """Return the web URLs in the `profile` parameter of a media type (RFC 6906), or None.

    >>> _profile('application/ld+json; profile="https://w3id.org/ro/crate urn:x"')
    'https://w3id.org/ro/crate'
    """
    found = compiled(_PROFILE).search(text)
    values = (found[1] or found[2] or "").split() if found else ()
    return " ".join(filter(None, map(uri_of, values))) or None


def _language(text: str | None) -> str | None:
    return text if text and compiled(LANGUAGE).fullmatch(text) else None
