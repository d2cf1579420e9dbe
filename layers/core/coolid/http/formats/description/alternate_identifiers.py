"""The DOI of a thing and its other identifiers: those of the record and those in its metadata.

>>> [each.scheme for each in _in_metadata({"isbn": "978-0-14-029161-3", "sameAs": "https://a.example/x"})]
['URL', 'ISBN']
"""

from collections.abc import Iterator, Mapping
from typing import Final

from coolid.http.formats.description.json_values import Members, each_of, in_members, member, text_of
from coolid.http.formats.description.model import AlternateIdentifier, Description
from coolid.http.formats.description.typed_identifiers import identifier_of
from coolid.http.formats.metadata_text import line
from coolid.http.formats.uris import escape, uri_of
from coolid.identifiers import percent_encoding
from coolid.identifiers.schemes import doi
from coolid.model.records import Location, Record

_DOIS: Final = ("doi", "DOI")
_LISTS: Final = ("alternateIdentifiers", "identifiers", "identifier", "sameAs")
_NAMED: Final = {"isbn": "ISBN", "ISBN": "ISBN", "issn": "ISSN", "ISSN": "ISSN", "PMID": "PMID", "PMCID": "PMCID"}
_ADDRESSES: Final = ("url", "URL", "uri", "where", "@id", "id", "mainEntityOfPage")
_TEXTS: Final = ("alternateIdentifier", "identifier", "value", "@id", "id", "url")
_LOCAL: Final = "Local"
_TYPES: Final = ("alternateIdentifierType", "identifierType", "propertyID", "scheme", "type")

MEMBERS: Final = frozenset((*_DOIS, *_LISTS, *_NAMED, *_ADDRESSES))
"""The members that this module reads."""


def doi_of(record: Record) -> str:
    """Return its DOI: the identifier itself if it is one, else the first alternate DOI, else an empty text."""
    path = percent_encoding.decode(record.pid.removeprefix(f"{record.issuer}/")).decode(errors="replace")
    alternates = (each["identifier"] for each in record.alternates if each["scheme"].lower() == "doi")
    stated = (text_of(each) for each in in_members(record.metadata, _DOIS))
    listed = (each.identifier for each in _in_metadata(record.metadata) if each.scheme == "DOI")
    candidates = (text for group in ((path,), alternates, stated, listed) for text in group)
    return next((doi.validate(text) for text in candidates if doi.is_valid(text)), "")


def alternate_identifiers(record: Record, own_doi: str, files: tuple[Location, ...]) -> Iterator[AlternateIdentifier]:
    """Yield the record's alternates, then other identifiers in its metadata, without the PID, DOI and files."""
    found = [
        AlternateIdentifier(identifier, line(each["scheme"]) or _LOCAL)
        for each in record.alternates
        if (identifier := line(each["identifier"]))
    ]
    yield from found
    pid = escape(record.pid)
    own = {pid, record.id, *(each.uri for each in files), *(each.identifier for each in found)}
    own |= {uri for each in found if (uri := each.uri)}
    for each in dict.fromkeys(_in_metadata(record.metadata)):
        is_own = each.identifier in own or each.uri in own or escape(each.identifier) in own
        if not is_own and not (doi.is_valid(each.identifier) and doi.validate(each.identifier) == own_doi):
            yield each


def serial_and_book_numbers(about: Description) -> tuple[list[str], list[str]]:
    """Return the ISSNs and the ISBNs of the thing and of the publication that contains it."""
    container = about.container
    pairs = [(container.type, container.identifier), *((each.scheme, each.identifier) for each in about.alternates)]
    issns = [number for scheme, number in pairs if scheme.upper() in ("ISSN", "EISSN", "LISSN", "ISSN-L")]
    return issns, [number for scheme, number in pairs if scheme.upper() == "ISBN"]


def _in_metadata(metadata: Members) -> Iterator[AlternateIdentifier]:
    for item in in_members(metadata, _LISTS):
        text, kind = text_of(item, *_TEXTS), member(item, *_TYPES) if isinstance(item, Mapping) else ""
        if text:
            yield _identifier(text, "" if kind == "PropertyValue" else kind)
    for name, scheme in _NAMED.items():
        yield from (_identifier(text, scheme) for each in each_of(metadata.get(name)) if (text := text_of(each)))
    for item in in_members(metadata, _DOIS):
        if text := text_of(item):
            yield _identifier(text, "DOI")
    for item in in_members(metadata, _ADDRESSES):
        if uri := uri_of(text_of(item, "@id", "url")):
            yield _identifier(uri, "")


def _identifier(text: str, kind: str) -> AlternateIdentifier:
    identifier, name = identifier_of(text, kind)
    return AlternateIdentifier(identifier, name or _LOCAL)
