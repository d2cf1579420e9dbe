"""A record with everything that metadata may contain, in the members of DataCite beside those of the kernel.

`METADATA` uses each property of DataCite Metadata Schema 4.6 with all its attributes. `KERNEL` is beside it, and names
one creator who is nowhere else. Tests of formats check that each text in it comes out.
"""

from types import MappingProxyType
from typing import Any, Final

from coolid.model.records import Location, Record
from tests.support.builders.samples import BASE_URL, MOMENT, record

PID: Final = f"{BASE_URL}/10.5555/tw0t-ywdj-94"
ORCID: Final = "https://orcid.org/0000-0001-5109-3700"
ROR: Final = "https://ror.org/01ggx4157"

KERNEL: Final[dict[str, Any]] = {
    "who": "Lee, Ann; Roe, Jo",
    "what": "Tea leaves of Asia",
    "when": "2024-05-06",
    "how": "Collected by hand",
}

METADATA: Final[dict[str, Any]] = {
    **KERNEL,
    "creators": [
        {
            "name": "Lee, Ann",
            "nameType": "Personal",
            "givenName": "Ann",
            "familyName": "Lee",
            "nameIdentifiers": [
                {"nameIdentifier": ORCID, "nameIdentifierScheme": "ORCID", "schemeUri": "https://orcid.org"},
                {"nameIdentifier": "0000 0001 2281 955X", "nameIdentifierScheme": "ISNI"},
            ],
            "affiliation": [
                {
                    "name": "CERN",
                    "affiliationIdentifier": ROR,
                    "affiliationIdentifierScheme": "ROR",
                    "schemeUri": "https://ror.org",
                },
                {"name": "Tea Institute"},
            ],
        },
        {
            "name": "Tea Research Association, Jorhat",
            "nameType": "Organizational",
            "nameIdentifiers": [{"nameIdentifier": "https://ror.org/02nr0ka47", "nameIdentifierScheme": "ROR"}],
        },
    ],
    "titles": [
        {"title": "Tea leaves of Asia", "lang": "en"},
        {"title": "Teeblätter Asiens", "titleType": "TranslatedTitle", "lang": "de"},
        {"title": "A survey", "titleType": "Subtitle", "lang": "en"},
        {"title": "TLA", "titleType": "AlternativeTitle"},
    ],
    "publisher": {
        "name": "Tea Archive",
        "publisherIdentifier": "https://ror.org/04z8jg394",
        "publisherIdentifierScheme": "ROR",
        "schemeUri": "https://ror.org",
        "lang": "en",
    },
    "publicationYear": 2024,
    "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Leaf measurements"},
    "subjects": [
        {
            "subject": "tea plants",
            "subjectScheme": "AGROVOC",
            "schemeUri": "http://aims.fao.org/aos/agrovoc",
            "valueUri": "http://aims.fao.org/aos/agrovoc/c_7601",
            "classificationCode": "7601",
            "lang": "en",
        },
        {"subject": "leaves"},
    ],
    "contributors": [
        {
            "name": "Doe, Jim",
            "nameType": "Personal",
            "givenName": "Jim",
            "familyName": "Doe",
            "contributorType": "Editor",
            "nameIdentifiers": [
                {"nameIdentifier": "0000-0002-1825-0097", "nameIdentifierScheme": "ORCID"},
            ],
            "affiliation": [{"name": "Doe Press"}],
        },
        {"name": "Leaf Collectors", "nameType": "Organizational", "contributorType": "DataCollector"},
        {"name": "Tea Trust", "nameType": "Organizational", "contributorType": "RightsHolder"},
    ],
    "dates": [
        {"date": "2024-05-06", "dateType": "Issued"},
        {"date": "2023-01-01/2023-06-30", "dateType": "Collected", "dateInformation": "Both harvests"},
        {"date": "1900/1950", "dateType": "Coverage"},
    ],
    "language": "en",
    "alternateIdentifiers": [{"alternateIdentifier": "TLA-7", "alternateIdentifierType": "Accession number"}],
    "relatedIdentifiers": [
        {
            "relatedIdentifier": "10.1000/182",
            "relatedIdentifierType": "DOI",
            "relationType": "Cites",
            "resourceTypeGeneral": "JournalArticle",
        },
        {
            "relatedIdentifier": "https://meta.example.org/x.xml",
            "relatedIdentifierType": "URL",
            "relationType": "HasMetadata",
            "relatedMetadataScheme": "DDI-L",
            "schemeUri": "http://www.ddialliance.org/",
            "schemeType": "XSD",
        },
        {
            "relatedIdentifier": "https://c.example.org/all",
            "relatedIdentifierType": "URL",
            "relationType": "IsPartOf",
        },
    ],
    "relatedItems": [
        {
            "relatedItemType": "Journal",
            "relationType": "IsPublishedIn",
            "relatedItemIdentifier": {"relatedItemIdentifier": "1234-5679", "relatedItemIdentifierType": "ISSN"},
            "titles": [{"title": "Annals of Tea", "lang": "en"}],
            "creators": [{"name": "Poe, Eve", "nameType": "Personal", "givenName": "Eve", "familyName": "Poe"}],
            "contributors": [{"name": "Tea Guild", "nameType": "Organizational", "contributorType": "Producer"}],
            "publicationYear": "2024",
            "volume": "7",
            "issue": "2",
            "number": "A12",
            "numberType": "Article",
            "firstPage": "11",
            "lastPage": "19",
            "publisher": "Leaf Press",
            "edition": "3rd",
        }
    ],
    "sizes": ["12 plates"],
    "formats": ["application/x-herbarium"],
    "version": "2.1",
    "rightsList": [
        {
            "rights": "Creative Commons Attribution 4.0",
            "rightsUri": "https://creativecommons.org/licenses/by/4.0/legalcode",
            "rightsIdentifier": "CC-BY-4.0",
            "rightsIdentifierScheme": "SPDX",
            "schemeUri": "https://spdx.org/licenses/",
            "lang": "en",
        }
    ],
    "accessRights": "http://purl.org/coar/access_right/c_f1cf",
    "conditionsOfAccess": "On request after the embargo",
    "isAccessibleForFree": True,
    "embargoEnd": "2027-01-01",
    "descriptions": [
        {"description": "Leaves of tea.\nAll measured.", "descriptionType": "Abstract", "lang": "en"},
        {"description": "Measured with a caliper", "descriptionType": "TechnicalInfo"},
    ],
    "geoLocations": [
        {
            "geoLocationPlace": "Assam",
            "geoLocationPoint": {"pointLatitude": "26.2", "pointLongitude": "92.9"},
            "geoLocationBox": {
                "westBoundLongitude": "89.7",
                "eastBoundLongitude": "96.1",
                "southBoundLatitude": "24.1",
                "northBoundLatitude": "28.2",
            },
            "geoLocationPolygons": [
                {
                    "polygonPoints": [
                        {"pointLatitude": "25.1", "pointLongitude": "90.1"},
                        {"pointLatitude": "25.2", "pointLongitude": "95.3"},
                        {"pointLatitude": "27.3", "pointLongitude": "95.4"},
                        {"pointLatitude": "25.1", "pointLongitude": "90.1"},
                    ],
                    "inPolygonPoint": {"pointLatitude": "26.5", "pointLongitude": "93.5"},
                }
            ],
        }
    ],
    "fundingReferences": [
        {
            "funderName": "European Research Council",
            "funderIdentifier": "https://doi.org/10.13039/501100000781",
            "funderIdentifierType": "Crossref Funder ID",
            "schemeUri": "https://www.crossref.org/services/funder-registry/",
            "awardNumber": "ERC-77",
            "awardUri": "https://cordis.europa.eu/project/id/77",
            "awardTitle": "Leaves in trade",
        }
    ],
}

FILES: Final = (
    Location(
        "https://content.example.org/leaves.csv",
        media_type="text/csv",
        language="en",
        version="2.1",
        checksum={"algorithm": "sha-256", "value": "ab" * 32},
        size=1234567,
        last_modified="2024-05-06T07:08:09Z",
    ),
)

ALTERNATES: Final = ({"scheme": "ark", "identifier": "ark:12345/x7"},)


def complete_record() -> Record:
    """The record."""
    return record(
        pid=PID,
        metadata=MappingProxyType(METADATA),
        records=FILES,
        alternates=ALTERNATES,
        created=MOMENT,
        updated=MOMENT,
    )


_TERMS = """
    titleType lang nameType nameIdentifierScheme affiliationIdentifierScheme publisherIdentifierScheme schemeUri
    resourceTypeGeneral contributorType dateType alternateIdentifierType relatedIdentifierType relationType schemeType
    relatedItemIdentifierType relatedItemType numberType rightsIdentifierScheme descriptionType funderIdentifierType
    accessRights inPolygonPoint who
"""
TERMS = frozenset(_TERMS.split())
"""Members with terms of DataCite's lists, which other formats write in their own words."""


def texts_in(value: Any) -> set[str]:
    """Return all texts in metadata, without the names of members."""
    if isinstance(value, dict):
        return {text for name, each in value.items() if name not in TERMS for text in texts_in(each)}
    if isinstance(value, list):
        return {text for each in value for text in texts_in(each)}
    return set() if isinstance(value, bool) else {str(value)}
