"""The fifteen elements of Dublin Core (DCMES 1.1, ISO 15836-1), and `oai_dc`, their XML in OAI-PMH 2.0.

An element may occur several times, and its values are plain texts. Identifiers and relations are URIs where they have
one. `contributor` contains funders, and `relation` their awards; `rights` contains licences and conditions of access;
`format` contains sizes.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, tzinfo=UTC)
>>> record = Record("x5", "https://id.example/mp:x5", "r4k2", 1, when, when, "https://id.example", "active",
...     metadata={"what": "Tea", "who": "Lee, Ann", "when": "2024"})
>>> [each for each in dublin_core(record) if each.name != "type"]
[Term(name='title', value='Tea', lang=''), Term(name='creator', value='Lee, Ann', lang=''), \
Term(name='date', value='2024', lang=''), Term(name='identifier', value='https://id.example/mp:x5', lang='')]
"""

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from msgspec import Struct

from coolid.http.formats.citations.notes import award, thing
from coolid.http.formats.description.files import size_in_bytes
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import ISSUED, Description
from coolid.http.formats.description.places import position_of
from coolid.http.formats.description.rights import COAR_ACCESS, COAR_LABELS
from coolid.http.formats.xml_elements import LANG, add_element
from coolid.model.prefixes import as_path
from coolid.model.records import Record

OAI_DC: Final = "http://www.openarchives.org/OAI/2.0/oai_dc/"
_DC: Final = "http://purl.org/dc/elements/1.1/"
_XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
_SOURCES: Final = ("IsDerivedFrom", "IsPublishedIn")


class Term(Struct, frozen=True):
    """One value of an element, such as `title`, with its language if that is known."""

    name: str
    value: str
    lang: str = ""


def dublin_core(record: Record) -> tuple[Term, ...]:
    """Return the values of the elements, each once, grouped by element."""
    return tuple(dict.fromkeys(each for each in _terms(describe(record)) if each.value))


def oai_dc(record: Record) -> Element:
    """Return the element `oai_dc:dc`, with a namespace declaration of its own."""
    root = Element(
        "oai_dc:dc",
        {
            "xmlns:oai_dc": OAI_DC,
            "xmlns:dc": _DC,
            "xmlns:xsi": _XSI,
            "xsi:schemaLocation": f"{OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd",
        },
    )
    for each in dublin_core(record):
        add_element(root, f"dc:{each.name}", each.value, {LANG: each.lang})
    return root


def _terms(about: Description) -> Iterator[Term]:
    yield from (Term("title", each.text, each.lang) for each in about.titles)
    yield from (Term("creator", each.name) for each in about.creators)
    yield from (Term("subject", each.text, each.lang) for each in about.subjects)
    yield from (Term("description", each.text, each.lang) for each in about.descriptions)
    yield Term("description", about.withdrawal)
    yield from (Term("publisher", each.name, each.lang) for each in about.publishers)
    yield from (Term("contributor", each.name) for each in about.contributors)
    yield from (Term("contributor", each.name) for each in about.funding)
    yield Term("date", about.when)
    yield from (Term("date", each.date) for each in about.dates if each.type not in (ISSUED, "Coverage"))
    general = about.kind.general
    yield from (Term("type", each) for each in (general if general != "Other" else "", about.resource_type))
    yield from (Term("format", each) for each in _formats(about))
    yield from (Term("identifier", each) for each in _identifiers(about))
    yield from (Term("source", each) for each in _related(about, are_sources=True))
    yield from (Term("language", each) for each in about.languages)
    yield from (Term("relation", each) for each in _related(about, are_sources=False))
    yield from (Term("relation", text) for each in about.funding for text in (award(each), each.award_uri))
    yield from (Term("coverage", each) for place in about.geo_locations for each in position_of(place))
    yield from (Term("coverage", each.date) for each in about.dates if each.type == "Coverage")
    yield from _rights(about)


def _formats(about: Description) -> Iterator[str]:
    """Yield the media types, other formats, and sizes (the element covers both)."""
    yield from about.formats
    yield from (each.media_type or "" for each in about.files)
    yield from about.sizes
    yield from (size_in_bytes(each.size) for each in about.files if each.size is not None)


def _identifiers(about: Description) -> Iterator[str]:
    yield about.pid
    if about.doi:
        yield "https://doi.org/" + as_path(about.doi)
    yield from (each.uri or f"{each.scheme}:{each.identifier}" for each in about.alternates)


def _related(about: Description, *, are_sources: bool) -> Iterator[str]:
    """Yield the related things that are sources, or the others: each by its URI, and by all that is said of it."""
    for each in about.related:
        if (each.relation in _SOURCES) == are_sources:
            yield each.uri or ""
            yield thing(each) if each.titles or not each.uri else ""


def _rights(about: Description) -> Iterator[Term]:
    for each in about.rights:
        yield Term("rights", each.name, each.lang)
        yield Term("rights", each.uri)
        yield Term("rights", each.identifier if not each.uri and not each.name else "")
    access = about.access
    yield from (Term("rights", each) for each in access.conditions)
    if access.level:
        yield Term("rights", COAR_LABELS[access.level])
        yield Term("rights", COAR_ACCESS[access.level])
