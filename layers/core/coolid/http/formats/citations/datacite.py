"""`application/vnd.datacite.datacite+json`: the work in the properties of DataCite, in the JSON of its REST API.

Specification: DataCite Metadata Schema 4.6 (properties; appendix 3: `:unav` for a mandatory but unknown value, except
the year, which has no such code). Properties that the client wrote in DataCite's shape are copied without control
characters and without members that DataCite does not define.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> print(write(Record("x5", "https://id.example.org/10.5072/x5", "r4k2", 1, when, when, "https://id.example.org",
...     "active", metadata={"what": "Tea", "who": "Lee, Ann", "when": "2024-05"}))[:176])
{"id":"https://id.example.org/10.5072/x5","doi":"10.5072/x5","url":"https://id.example.org/10.5072/x5",\
"creators":[{"name":"Lee, Ann","nameType":"Personal","givenName":"Ann","f
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from coolid.http.formats import metadata_terms, metadata_text
from coolid.http.formats.citations.agents import Agent, agents
from coolid.http.formats.citations.works import Work, work_of
from coolid.http.formats.schemaorg_types import ANY
from coolid.http.formats.uris import escape
from coolid.model.prefixes import as_path
from coolid.model.records import WITHDRAWN, Record, format_time
from coolid.strict_json import dump

SCHEMA: Final = "http://datacite.org/schema/kernel-4"
UNKNOWN: Final = ":unav"

_SCHEMES: Final = {"https://orcid.org": "ORCID", "https://ror.org": "ROR", "https://isni.org": "ISNI"}
# Properties that are lists of objects: the mandatory and the optional members of each object.
_TITLES: Final = ("title",), ("titleType", "lang")
_SUBJECTS: Final = ("subject",), ("subjectScheme", "schemeUri", "valueUri", "classificationCode", "lang")
_DATES: Final = ("date", "dateType"), ("dateInformation",)
_RIGHTS: Final = (), ("rights", "rightsUri", "rightsIdentifier", "rightsIdentifierScheme", "schemeUri", "lang")
_RELATED: Final = (
    ("relatedIdentifier", "relatedIdentifierType", "relationType"),
    ("relatedMetadataScheme", "schemeUri", "schemeType", "resourceTypeGeneral"),
)
_FUNDING: Final = (
    ("funderName",),
    ("funderIdentifier", "funderIdentifierType", "schemeUri", "awardNumber", "awardUri", "awardTitle"),
)


def write(record: Record) -> str:
    """Return the properties as JSON."""
    work = work_of(record)
    items = metadata_terms.items(record)
    document = {
        "id": work.pid,
        "doi": work.doi,
        "url": escape(items[0].uri) if items else work.pid,
        "creators": [_agent(each) for each in work.creators] or [{"name": UNKNOWN}],
        "titles": [*_copied(record, "titles", *_TITLES)]
        or [{"title": title} for title in work.titles]
        or [{"title": UNKNOWN}],
        "publisher": {"name": work.publisher or UNKNOWN},
        "publicationYear": int(work.year) if work.year else None,
        "types": _types(record, work),
        "container": _container(work),
        "subjects": [*_copied(record, "subjects", *_SUBJECTS)] or [{"subject": each} for each in work.subjects],
        "contributors": list(_contributors(record)),
        "dates": _dates(record, work),
        "language": work.language,
        "identifiers": _identifiers(work),
        "alternateIdentifiers": [
            {
                "alternateIdentifier": metadata_terms.without_controls(each["identifier"]),
                "alternateIdentifierType": metadata_terms.without_controls(each["scheme"]),
            }
            for each in record.alternates
        ],
        "relatedIdentifiers": [*_copied(record, "relatedIdentifiers", *_RELATED), *_successor(record)],
        "formats": list(
            dict.fromkeys(metadata_terms.without_controls(each.media_type) for each in items if each.media_type)
        ),
        "sizes": [f"{each.size} bytes" for each in items if each.size is not None],
        "version": work.version,
        "rightsList": [*_copied(record, "rightsList", *_RIGHTS)] or [_rights(each) for each in work.licenses],
        "descriptions": _descriptions(record, work),
        "fundingReferences": list(_copied(record, "fundingReferences", *_FUNDING)),
        "schemaVersion": SCHEMA,
    }
    return dump({name: value for name, value in document.items() if value})


def _identifiers(work: Work) -> list[dict[str, str]]:
    addressed = {"identifier": work.pid, "identifierType": "URL"}
    if not work.doi:
        return [addressed]
    return [{"identifier": "https://doi.org/" + as_path(work.doi), "identifierType": "DOI"}, addressed]


def _agent(agent: Agent) -> dict[str, Any]:
    members: dict[str, Any] = {"name": agent.name}
    if agent.is_organization or agent.family:
        members["nameType"] = "Organizational" if agent.is_organization else "Personal"
    members |= {"givenName": agent.given} if agent.given else {}
    members |= {"familyName": agent.family} if agent.family else {}
    if agent.uri:
        home = "/".join(agent.uri.split("/")[:3])
        scheme = {"schemeUri": home} if home in _SCHEMES else {}
        members["nameIdentifiers"] = [
            {"nameIdentifier": agent.uri, "nameIdentifierScheme": _SCHEMES.get(home, "URL"), **scheme}
        ]
    return members | ({"affiliation": [{"name": each} for each in agent.affiliations]} if agent.affiliations else {})


def _types(record: Record, work: Work) -> dict[str, str]:
    """Return the general type, the free one, and the types of other formats that DataCite's API derives."""
    kind = work.kind
    free = next(
        (
            text
            for value in metadata_terms.objects(record, "types")
            for text in metadata_terms.texts(value, "resourceType")
        ),
        "",
    )
    types = {
        "resourceTypeGeneral": kind.general,
        "resourceType": free,
        "schemaOrg": metadata_terms.schema_type(record) or ANY,
    }
    derived = {"citeproc": kind.csl, "bibtex": kind.bibtex, "ris": kind.ris}
    return {name: word for name, word in {**types, **derived}.items() if word}


def _container(work: Work) -> dict[str, str]:
    container = work.container
    members = {"title": container.title, "volume": container.volume, "issue": container.issue}
    members |= {"firstPage": container.first_page, "lastPage": container.last_page}
    return {name: value for name, value in members.items() if value}


def _contributors(record: Record) -> Iterator[dict[str, Any]]:
    for value in metadata_terms.objects(record, "contributors"):
        kind = next(metadata_terms.texts(value.get("contributorType")), "Other")
        yield from ({**_agent(each), "contributorType": kind} for each in agents(value))


def _dates(record: Record, work: Work) -> list[dict[str, str]]:
    """Return the client's typed dates, and those of issue and withdrawal."""
    dates = list(_copied(record, "dates", *_DATES))
    date = metadata_text.iso_date(work.when) or work.year
    if date and not any(each["dateType"] == "Issued" for each in dates):
        dates.append({"date": date, "dateType": "Issued"})
    if record.status == WITHDRAWN:
        at = {"date": format_time(record.withdrawn.at)} if record.withdrawn else {"date": UNKNOWN}
        dates.append({**at, "dateType": "Withdrawn", "dateInformation": work.withdrawal})
    return dates


def _successor(record: Record) -> list[dict[str, str]]:
    successor = metadata_terms.successor_uri(record)
    if not successor:
        return []
    return [{"relatedIdentifier": successor, "relatedIdentifierType": "URL", "relationType": "IsObsoletedBy"}]


def _rights(each: metadata_text.NamedEntity) -> dict[str, str]:
    return ({"rights": each.name} if each.name else {}) | ({"rightsUri": each.uri} if each.uri else {})


def _descriptions(record: Record, work: Work) -> list[dict[str, str]]:
    supplied = [
        {**each, "descriptionType": next(metadata_terms.texts(value.get("descriptionType")), "Abstract")}
        for value in metadata_terms.objects(record, "descriptions")
        for each in _shaped(value, ("description",), ())
    ]
    if supplied or not work.abstract:
        return supplied
    return [{"description": work.abstract, "descriptionType": "Abstract"}]


def _copied(record: Record, name: str, needed: tuple[str, ...], optional: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield the client's objects of a property that have all mandatory members, with only the defined texts."""
    for value in metadata_terms.objects(record, name):
        yield from _shaped(value, needed, optional)


def _shaped(value: Mapping[str, Any], needed: tuple[str, ...], optional: tuple[str, ...]) -> Iterator[dict[str, str]]:
    pairs = ((each, value.get(each)) for each in (*needed, *optional))
    members = {each: metadata_terms.without_controls(text) for each, text in pairs if isinstance(text, str) and text}
    if members and members.keys() >= set(needed):
        yield members
