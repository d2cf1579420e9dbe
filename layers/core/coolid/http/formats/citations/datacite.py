"""`application/vnd.datacite.datacite+json`: the work in the properties of DataCite, in the JSON of its REST API.

Specification: DataCite Metadata Schema 4.6 (properties; appendix 3: `:unav` for a mandatory but unknown value, except
the year, which has no such code). Properties that the client wrote in DataCite's shape are copied without control
characters and without members that DataCite does not define.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from coolid.http.formats import metadata_terms, metadata_text
from coolid.http.formats.citations.agents import Agent, agents
from coolid.http.formats.citations.works import Work, without_empty, work_of
from coolid.http.formats.metadata_terms import ANY, without_controls
from coolid.http.formats.uris import escape
from coolid.model.prefixes import as_path
from coolid.model.records import WITHDRAWN, Record, format_time
from coolid.strict_json import dump

SCHEMA: Final = "http://datacite.org/schema/kernel-4"
UNKNOWN: Final = ":unav"

_SCHEMES: Final = {"https://orcid.org": "ORCID", "https://ror.org": "ROR", "https://isni.org": "ISNI"}
# Properties that are lists of objects: the mandatory and the optional members of each object.
_OBJECTS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "titles": (("title",), ("titleType", "lang")),
    "subjects": (("subject",), ("subjectScheme", "schemeUri", "valueUri", "classificationCode", "lang")),
    "dates": (("date", "dateType"), ("dateInformation",)),
    "rightsList": ((), ("rights", "rightsUri", "rightsIdentifier", "rightsIdentifierScheme", "schemeUri", "lang")),
    "relatedIdentifiers": (
        ("relatedIdentifier", "relatedIdentifierType", "relationType"),
        ("relatedMetadataScheme", "schemeUri", "schemeType", "resourceTypeGeneral"),
    ),
    "fundingReferences": (
        ("funderName",),
        ("funderIdentifier", "funderIdentifierType", "schemeUri", "awardNumber", "awardUri", "awardTitle"),
    ),
    "descriptions": (("description",), ()),
}


def write(record: Record) -> str:
    """Return the properties as JSON."""
    work = work_of(record)
    items = metadata_terms.items(record)
    media_types = dict.fromkeys(without_controls(each.media_type) for each in items if each.media_type)
    document = {
        "id": work.pid,
        "doi": work.doi,
        "url": escape(items[0].uri) if items else work.pid,
        "creators": [_agent(each) for each in work.creators] or [{"name": UNKNOWN}],
        "titles": _copied(record, "titles") or [{"title": each} for each in work.titles] or [{"title": UNKNOWN}],
        "publisher": {"name": work.publisher or UNKNOWN},
        "publicationYear": int(work.year) if work.year else None,
        "types": _types(record, work),
        "container": _container(work),
        "subjects": _copied(record, "subjects") or [{"subject": each} for each in work.subjects],
        "contributors": list(_contributors(record)),
        "dates": _dates(record, work),
        "language": work.language,
        "identifiers": _identifiers(work),
        "alternateIdentifiers": [
            {
                "alternateIdentifier": without_controls(each["identifier"]),
                "alternateIdentifierType": without_controls(each["scheme"]),
            }
            for each in record.alternates
        ],
        "relatedIdentifiers": _related(record),
        "formats": list(media_types),
        "sizes": [f"{each.size} bytes" for each in items if each.size is not None],
        "version": work.version,
        "rightsList": _copied(record, "rightsList")
        or [without_empty({"rights": each.name, "rightsUri": each.uri}) for each in work.licenses],
        "descriptions": _descriptions(record, work),
        "fundingReferences": _copied(record, "fundingReferences"),
        "schemaVersion": SCHEMA,
    }
    return dump(without_empty(document))


def _copied(record: Record, name: str) -> list[dict[str, str]]:
    """Return the client's objects of a property that have all mandatory members, with only the defined texts."""
    return [copy for each in metadata_terms.objects(record, name) if (copy := _copy(each, name))]


def _copy(value: Mapping[str, Any], name: str) -> dict[str, str]:
    mandatory, optional = _OBJECTS[name]
    pairs = ((each, value.get(each)) for each in (*mandatory, *optional))
    members = {each: without_controls(text) for each, text in pairs if isinstance(text, str) and text}
    return members if members.keys() >= set(mandatory) else {}


def _agent(agent: Agent) -> dict[str, Any]:
    home = "/".join((agent.uri or "").split("/")[:3])
    identifier = {
        "nameIdentifier": agent.uri,
        "nameIdentifierScheme": _SCHEMES.get(home, "URL"),
        "schemeUri": home if home in _SCHEMES else None,
    }
    members = {
        "name": agent.name,
        "nameType": "Organizational" if agent.is_organization else "Personal" if agent.family else None,
        "givenName": agent.given,
        "familyName": agent.family,
        "nameIdentifiers": [without_empty(identifier)] if agent.uri else None,
        "affiliation": [{"name": each} for each in agent.affiliations],
    }
    return {"name": agent.name, **without_empty(members)}


def _contributors(record: Record) -> Iterator[dict[str, Any]]:
    for value in metadata_terms.objects(record, "contributors"):
        kind = next(metadata_terms.texts(value.get("contributorType")), "Other")
        yield from ({**_agent(each), "contributorType": kind} for each in agents(value))


def _types(record: Record, work: Work) -> dict[str, str]:
    """Return the general type, the free one, and the types of other formats that DataCite's API derives."""
    free = (metadata_terms.texts(each, "resourceType") for each in metadata_terms.objects(record, "types"))
    types = {
        "resourceTypeGeneral": work.kind.general,
        "resourceType": next(chain.from_iterable(free), ""),
        "schemaOrg": metadata_terms.schema_type(record) or ANY,
        "citeproc": work.kind.csl,
        "bibtex": work.kind.bibtex,
        "ris": work.kind.ris,
    }
    return without_empty(types)


def _container(work: Work) -> dict[str, str]:
    container = work.container
    members = {"title": container.title, "volume": container.volume, "issue": container.issue}
    return without_empty({**members, "firstPage": container.first_page, "lastPage": container.last_page})


def _dates(record: Record, work: Work) -> list[dict[str, str]]:
    """Return the client's typed dates, and those of issue and withdrawal."""
    dates = _copied(record, "dates")
    date = metadata_text.iso_date(work.when) or work.year
    if date and not any(each["dateType"] == "Issued" for each in dates):
        dates.append({"date": date, "dateType": "Issued"})
    if record.status == WITHDRAWN:
        at = format_time(record.withdrawn.at) if record.withdrawn else UNKNOWN
        dates.append({"date": at, "dateType": "Withdrawn", "dateInformation": work.withdrawal})
    return dates


def _identifiers(work: Work) -> list[dict[str, str]]:
    identifiers = [{"identifier": work.pid, "identifierType": "URL"}]
    if work.doi:
        identifiers.insert(0, {"identifier": "https://doi.org/" + as_path(work.doi), "identifierType": "DOI"})
    return identifiers


def _related(record: Record) -> list[dict[str, str]]:
    related = _copied(record, "relatedIdentifiers")
    if successor := metadata_terms.successor_uri(record):
        kinds = {"relatedIdentifierType": "URL", "relationType": "IsObsoletedBy"}
        related.append({"relatedIdentifier": successor, **kinds})
    return related


def _descriptions(record: Record, work: Work) -> list[dict[str, str]]:
    supplied = [
        {**copy, "descriptionType": next(metadata_terms.texts(each.get("descriptionType")), "Abstract")}
        for each in metadata_terms.objects(record, "descriptions")
        if (copy := _copy(each, "descriptions"))
    ]
    if supplied or not work.abstract:
        return supplied
    return [{"description": work.abstract, "descriptionType": "Abstract"}]
