"""`application/vnd.datacite.datacite+json`: the description in the properties of DataCite, in the JSON of its REST API.

Specification: DataCite Metadata Schema 4.6 (properties; appendix 3: `:unav` for a mandatory but unknown value, except
the year, which has no such code: it is that of the registration). A term that a controlled list lacks becomes the
list's `Other`, or the closest one. The level of access is a statement of rights, by the terms of COAR. Further
publishers are contributors of the type `Distributor`.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, tzinfo=UTC)
>>> record = Record("x5", "https://id.example/mp:x5", "r4k2", 1, when, when, "https://id.example", "active")
>>> properties(record)["creators"], properties(record)["publicationYear"]
([{'name': ':unav'}], 2025)
"""

from collections.abc import Iterator
from typing import Any, Final

from coolid.http.formats.citations.datacite_parts import (
    agent_properties,
    contributor_properties,
    text_properties,
    without_empty,
)
from coolid.http.formats.citations.datacite_relations import related_identifiers, related_items
from coolid.http.formats.description.datacite_terms import DATE_TYPES, DESCRIPTION_TYPES, OTHER, TITLE_TYPES, canonical
from coolid.http.formats.description.files import size_in_bytes
from coolid.http.formats.description.geography import Box, Coordinates
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import (
    ABSTRACT,
    ISSUED,
    Agent,
    Description,
    TypedDate,
)
from coolid.http.formats.description.rights import COAR_ACCESS, COAR_LABELS, FREE_LABELS
from coolid.http.formats.metadata_terms import ANY, successor_uri
from coolid.http.formats.metadata_text import iso_date, year_of
from coolid.http.formats.uris import uri_of
from coolid.model.prefixes import as_path
from coolid.model.records import WITHDRAWN, Record, format_time
from coolid.strict_json import dump

SCHEMA: Final = "http://datacite.org/schema/kernel-4"
UNKNOWN: Final = ":unav"

_SUCCESSOR: Final = "IsObsoletedBy"

Properties = dict[str, Any]


def write(record: Record) -> str:
    """Return the properties as JSON."""
    return dump(properties(record))


def properties(record: Record) -> Properties:
    """Return the properties that have a value, in the shape of the REST API."""
    about = describe(record)
    media_types = dict.fromkeys(each.media_type for each in about.files if each.media_type)
    document = {
        "id": about.pid,
        "doi": about.doi,
        "url": about.files[0].uri if about.files else about.pid,
        "creators": [agent_properties(each) for each in about.creators] or [{"name": UNKNOWN}],
        "titles": [text_properties(each, "title", TITLE_TYPES) for each in about.titles] or [{"title": UNKNOWN}],
        "publisher": _publisher(about.publishers[0]) if about.publishers else {"name": UNKNOWN},
        "publicationYear": int(about.year or 0) or record.created.year,
        "types": _types(about),
        "container": _container(about),
        "subjects": list(_subjects(about)),
        "contributors": list(_contributors(about)),
        "dates": list(_dates(record, about)),
        "language": about.language,
        "identifiers": _identifiers(about),
        "alternateIdentifiers": [
            {"alternateIdentifier": each.identifier, "alternateIdentifierType": each.scheme}
            for each in about.alternates
        ],
        "relatedIdentifiers": list(_related(record, about)),
        "relatedItems": list(related_items(about.related)),
        "formats": list(dict.fromkeys((*about.formats, *media_types))),
        "sizes": [*about.sizes, *(size_in_bytes(each.size) for each in about.files if each.size is not None)],
        "version": about.version,
        "rightsList": list(_rights(about)),
        "descriptions": [
            {"descriptionType": ABSTRACT} | text_properties(each, "description", DESCRIPTION_TYPES)
            for each in about.descriptions
        ],
        "geoLocations": list(_geo_locations(about)),
        "fundingReferences": list(_funding(about)),
        "schemaVersion": SCHEMA,
    }
    return without_empty(document)


def _publisher(agent: Agent) -> Properties:
    identifier = agent.identifiers[0] if agent.identifiers else None
    members = {
        "name": agent.name,
        "publisherIdentifier": identifier and identifier.identifier,
        "publisherIdentifierScheme": identifier and identifier.scheme,
        "schemeUri": identifier and identifier.scheme_uri,
        "lang": agent.lang,
    }
    return without_empty(members)


def _contributors(about: Description) -> Iterator[Properties]:
    yield from map(contributor_properties, about.contributors)
    for each in about.publishers[1:]:
        yield {**agent_properties(each), "contributorType": "Distributor"}


def _types(about: Description) -> Properties:
    """Return the general type, the free one, and the types of other formats that DataCite's API derives."""
    kind = about.kind
    types = {
        "resourceTypeGeneral": kind.general,
        "resourceType": about.resource_type,
        "schemaOrg": about.schema_type or ANY,
        "citeproc": kind.csl,
        "bibtex": kind.bibtex,
        "ris": kind.ris,
    }
    return without_empty(types)


def _container(about: Description) -> Properties:
    container = about.container
    members = {
        "type": container.resource_type,
        "identifier": container.identifier,
        "identifierType": container.type,
        "title": container.title,
        "volume": container.volume,
        "issue": container.issue,
        "firstPage": container.first_page,
        "lastPage": container.last_page,
    }
    return without_empty(members) if container.title else {}


def _subjects(about: Description) -> Iterator[Properties]:
    for each in about.subjects:
        members = {
            "subject": each.text,
            "subjectScheme": each.scheme,
            "schemeUri": each.scheme_uri,
            "valueUri": each.uri,
            "classificationCode": each.code,
            "lang": each.lang,
        }
        yield without_empty(members)


def _dates(record: Record, about: Description) -> Iterator[Properties]:
    """Yield the dates, and those of issue and withdrawal."""
    yield from map(_date, about.dates)
    if about.when and not any(each.type == ISSUED for each in about.dates):
        yield _date(TypedDate(iso_date(about.when) or about.when, ISSUED))
    if record.status == WITHDRAWN:
        at = format_time(record.withdrawn.at) if record.withdrawn else UNKNOWN
        yield {"date": at, "dateType": "Withdrawn", "dateInformation": about.withdrawal}


def _date(each: TypedDate) -> Properties:
    """Return a date; the year of a text in the place of the date of issue, with the text beside it."""
    written, note = each.date, each.information
    if each.type == ISSUED and iso_date(written) is None and "/" not in written:
        year = year_of(written)
        written, note = (year, note or written) if year else (written, note)
    kind = canonical(each.type, DATE_TYPES) or OTHER
    return without_empty({"date": iso_date(written) or written, "dateType": kind, "dateInformation": note})


def _identifiers(about: Description) -> list[Properties]:
    identifiers = [{"identifier": about.pid, "identifierType": "URL"}]
    if about.doi:
        identifiers.insert(0, {"identifier": "https://doi.org/" + as_path(about.doi), "identifierType": "DOI"})
    return identifiers


def _related(record: Record, about: Description) -> Iterator[Properties]:
    """Yield the related identifiers, and the successor of a tombstone."""
    yield from related_identifiers(about.related)
    successor = successor_uri(record)
    if successor and successor not in (each.uri for each in about.related if each.relation == _SUCCESSOR):
        kinds = {"relatedIdentifierType": "URL", "relationType": _SUCCESSOR}
        yield {"relatedIdentifier": successor, **kinds}


def _rights(about: Description) -> Iterator[Properties]:
    """Yield the licences, then the conditions of access."""
    for each in about.rights:
        members = {
            "rights": each.name,
            "rightsUri": each.uri,
            "rightsIdentifier": each.identifier,
            "rightsIdentifierScheme": each.scheme,
            "schemeUri": each.scheme_uri,
            "lang": each.lang,
        }
        yield without_empty(members)
    access = about.access
    for condition in access.conditions:
        yield {"rightsUri" if uri_of(condition) else "rights": condition}
    if access.is_free is not None:
        yield {"rights": FREE_LABELS[access.is_free]}
    if access.level:
        yield {"rights": COAR_LABELS[access.level], "rightsUri": COAR_ACCESS[access.level]}


def _geo_locations(about: Description) -> Iterator[Properties]:
    """Yield the places; a further area of a place is a place without name, because the JSON has one area of each."""
    for each in about.geo_locations:
        areas = [_polygon(polygon.points, polygon.inside) for polygon in each.polygons]
        members = {
            "geoLocationPlace": each.place,
            "geoLocationPoint": each.point and _point(each.point),
            "geoLocationBox": each.box and _box(each.box),
            "geoLocationPolygon": areas[0] if areas else None,
        }
        yield without_empty(members)
        yield from ({"geoLocationPolygon": area} for area in areas[1:])


def _point(point: Coordinates) -> Properties:
    return {"pointLongitude": _number(point.longitude), "pointLatitude": _number(point.latitude)}


def _box(box: Box) -> Properties:
    return {
        "westBoundLongitude": _number(box.west),
        "eastBoundLongitude": _number(box.east),
        "southBoundLatitude": _number(box.south),
        "northBoundLatitude": _number(box.north),
    }


def _polygon(points: tuple[Coordinates, ...], inside: Coordinates | None) -> list[Properties]:
    """Return the points of a closed line."""
    closed = points if points[0] == points[-1] else (*points, points[0])
    return [{"polygonPoint": _point(each)} for each in closed] + (
        [{"inPolygonPoint": _point(inside)}] if inside else []
    )


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _funding(about: Description) -> Iterator[Properties]:
    for each in about.funding:
        members = {
            "funderName": each.name or UNKNOWN,
            "funderIdentifier": each.identifier,
            "funderIdentifierType": each.identifier and (each.identifier_type or OTHER),
            "schemeUri": each.scheme_uri,
            "awardNumber": each.award_number,
            "awardUri": each.award_uri,
            "awardTitle": each.award_title,
        }
        yield without_empty(members)
