"""Conversion of the attributes of a DOI in DataCite's REST API to an entry.

Source: DataCite REST API, `GET /dois` (JSON:API); DataCite Metadata Schema 4.6. The properties of the schema are stored
under their own names, which the descriptions of `coolid.http.formats` read. Identifiers of the same thing that can be
resolved also become alternates.

>>> entry = entry_of(1, {"doi": "10.5072/x", "url": "https://a.example/", "state": "draft", "titles": [{"title": "A"}]})
>>> entry.identifier, entry.current.status, entry.current.metadata
('10.5072/x', 'reserved', {'titles': [{'title': 'A'}]})
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from coolid.http.dialects.ezid.citation import MEMBER as EZID
from coolid.http.dialects.ezid.elements import EXPORT
from coolid.http.formats.uris import alternate_uri
from coolid.migration.dumps.dump_rows import moment_of
from coolid.migration.source_identifiers import Entry, Loss, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.model.records import ACTIVE, RESERVED, Location

_STATUSES: Final = {"draft": RESERVED, "registered": ACTIVE, "findable": ACTIVE}
_HIDDEN: Final = "registered"

PROPERTIES: Final = (
    *("creators", "titles", "publisher", "container", "publicationYear", "types", "subjects", "contributors", "dates"),
    *("language", "alternateIdentifiers", "relatedIdentifiers", "relatedItems", "sizes", "formats", "version"),
    *("rightsList", "descriptions", "geoLocations", "fundingReferences", "schemaVersion"),
)
_DERIVED: Final = frozenset(
    {"doi", "url", "state", "created", "updated", "identifiers", "prefix", "suffix", "xml", "isActive", "source", "id"}
    | {"metadataVersion", "registered", "published", "reason", "agency", "partOfCount", "versionOfCount"}
    | {"viewsOverTime", "downloadsOverTime", "citationsOverTime", "landingPage", "event", "mode"}
    | {"viewCount", "downloadCount", "citationCount", "referenceCount", "partCount", "versionCount", *PROPERTIES}
)
"""The attributes that are stored elsewhere, or that DataCite counts or computes from others."""
_SAME: Final = "isidenticalto"


def entry_of(number: int, attributes: Mapping[str, Any], losses: tuple[Loss, ...] = ()) -> Entry:
    """Return the DOI of these attributes, with other losses before its own."""
    doi = attributes.get("doi")
    if not isinstance(doi, str) or not doi.strip():
        return UnreadableEntry(number, "it has no DOI")
    state = str(attributes.get("state") or "findable")
    if state not in _STATUSES:
        return UnreadableEntry(number, f"its state is none of {', '.join(_STATUSES)}", doi)
    metadata = {name: value for name in PROPERTIES if not _is_empty(value := _without_null(attributes.get(name)))}
    if state == _HIDDEN:
        metadata[EZID] = {EXPORT: "no"}
    url = attributes.get("url")
    version = SourceVersion(
        locations=(Location(url),) if isinstance(url, str) and url else (),
        metadata=metadata,
        alternates=tuple(_alternates(attributes, doi)),
        status=_STATUSES[state],
        since=moment_of(attributes.get("updated")),
    )
    created = moment_of(attributes.get("created"))
    return SourceIdentifier(number, doi.strip(), (version,), (*losses, *_losses(attributes)), created)


def _alternates(attributes: Mapping[str, Any], doi: str) -> Iterator[dict[str, str]]:
    """Yield the identifiers of the same thing that can be resolved, each once."""
    found = dict.fromkeys((*_others(attributes), *_identical(attributes)))
    for scheme, identifier in found:
        if alternate_uri(scheme, identifier) is not None and doi.lower() not in identifier.lower():
            yield {"scheme": scheme, "identifier": identifier}


def _others(attributes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, member in (("identifiers", "identifier"), ("alternateIdentifiers", "alternateIdentifier")):
        for each in _objects(attributes.get(name)):
            identifier, scheme = each.get(member), each.get(f"{member}Type")
            if isinstance(identifier, str) and isinstance(scheme, str):
                yield scheme, identifier


def _identical(attributes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for each in _objects(attributes.get("relatedIdentifiers")):
        identifier, scheme = each.get("relatedIdentifier"), each.get("relatedIdentifierType")
        if str(each.get("relationType")).lower() == _SAME and isinstance(identifier, str) and isinstance(scheme, str):
            yield scheme, identifier


def _losses(attributes: Mapping[str, Any]) -> Iterator[Loss]:
    for name, value in attributes.items():
        if name not in _DERIVED and not _is_empty(value):
            yield Loss(name[:200], "records have no such member")


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    return (each for each in (value if isinstance(value, list) else []) if isinstance(each, dict))


def _without_null(value: Any) -> Any:
    """Return a value without the empty members and elements that the API fills in."""
    if isinstance(value, dict):
        return {name: rest for name, each in value.items() if not _is_empty(rest := _without_null(each))}
    if isinstance(value, list):
        return [rest for each in value if not _is_empty(rest := _without_null(each))]
    return value


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})
