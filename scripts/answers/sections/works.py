"""Works: records with the metadata of publications, in every form that reference managers and search engines read."""

from itertools import product
from typing import Any, Final

from scripts.answers.sections.foundation import HERE
from scripts.answers.session import Session

WORKS: Final[tuple[dict[str, Any], ...]] = (
    {
        "creators": [
            {
                "name": "Lee, Ann",
                "nameType": "Personal",
                "givenName": "Ann",
                "familyName": "Lee",
                "affiliation": ["CERN"],
                "nameIdentifiers": [{"nameIdentifier": "0000-0001-5109-3700", "nameIdentifierScheme": "ORCID"}],
            },
            {"name": "European Organization for Nuclear Research, Geneva", "nameType": "Organizational"},
            "van der Berg, José",
        ],
        "titles": [{"title": "Rhythm & {blues}: 100% of A_B"}, {"title": "Rhythmus", "lang": "de"}],
        "publisher": {"name": "Zenodo"},
        "publicationYear": 2019,
        "language": "en",
        "version": "2.1",
        "dates": [{"date": "2018-01-02", "dateType": "Created"}, {"date": "2019-03", "dateType": "Issued"}],
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Sound recordings"},
        "subjects": [{"subject": "music"}, {"subject": "rhythm"}],
        "descriptions": [{"description": "All\nof it.", "descriptionType": "Abstract"}],
        "rightsList": [{"rights": "CC BY 4.0", "rightsUri": "https://creativecommons.org/licenses/by/4.0/"}],
        "contributors": [{"name": "Doe, Jo", "contributorType": "Editor"}, {"name": "X", "contributorType": "Sponsor"}],
        "container": {"title": "Annals", "volume": "7", "issue": "2", "firstPage": "1", "lastPage": "9"},
        "relatedIdentifiers": [
            {"relatedIdentifier": "10.1000/182", "relatedIdentifierType": "DOI", "relationType": "IsPartOf"},
            {
                "relatedIdentifier": "https://id.example.org/part",
                "relatedIdentifierType": "URL",
                "relationType": "HasPart",
            },
            {"relatedIdentifier": "lacks its type"},
        ],
        "relatedItems": [
            {
                "relationType": "IsPartOf",
                "relatedItemIdentifier": {"relatedItemIdentifier": "x", "relatedItemIdentifierType": "ARK"},
            },
        ],
        "fundingReferences": [{"funderName": "ERC", "awardNumber": "1", "unknown": "x"}],
        "geoLocations": [{"geoLocationPlace": "Geneva"}],
        "sizes": ["5 MB"],
        "formats": ["audio/wav"],
    },
    {
        "what": "A paper",
        "who": "Lee, Ann; Roe, Jo",
        "when": "2021-06",
        "type": "JournalArticle",
        "publisher": "A press",
    },
    {
        "title": "A book",
        "author": ["Ann Lee", {"name": "Jo Roe"}],
        "date": "spring 1952",
        "type": "Book",
        "isbn": "9783161484100",
    },
    {
        "name": "Software",
        "creator": {"name": "O'Neil, Ann-Mary J."},
        "type": "Software",
        "version": 3,
        "keywords": "a, b",
    },
    {
        "titles": "Thesis",
        "creators": "von der and, x",
        "types": "Dissertation",
        "publicationYear": "2020",
        "how": "PhD thesis",
    },
    {
        "what": "\r\nER  - ",
        "who": "\nTY  - BOOK",
        "when": "(:unav)",
        "description": "@book{x,\u2028AU  - x\x85",
        "type": "Other",
    },
    {
        "what": ["Several", "titles"],
        "who": [],
        "when": 1843,
        "license": ["CC0", "https://spdx.org/licenses/CC-BY-4.0"],
        "type": ["Image"],
    },
    {
        "what": {"en": "Tea", "de": "Tee"},
        "language": ["en", "de"],
        "rights": "https://example.org/rights",
        "isPartOf": "10.1000/182",
    },
    {
        "hasPart": ["https://example.org/a", "gene:0006915"],
        "isPartOf": {"identifier": "https://example.org/whole"},
        "what": "Parts",
    },
    {
        "what": "x" * 3_000,
        "who": "; ".join(f"Author{at}, A." for at in range(80)),
        "subjects": [f"s{at}" for at in range(60)],
    },
    {
        "creators": [{"givenName": "Ann"}, {}, 5, None, "李, 安"],
        "titles": [{}, None, 7],
        "dates": {"date": "2024/2025"},
        "publicationYear": 0,
    },
    {
        "who": "",
        "what": " ",
        "when": "0000",
        "where": "nonsense",
        "empty": {},
        "none": None,
        "list": [[], [1, [2, [3]]]],
        "n": -0.0,
    },
)
FORMATS: Final = (
    "linkid", "linkset", "links", "jsonld", "ttl", "erc", "jws", "csl", "bibtex", "ris", "datacite", "citation",
    "html",
)  # fmt: skip
STYLES: Final = ("text", "bibtex", "ris", "csl")


def run(session: Session) -> None:
    """Mint works and read them in every form."""
    with session.group("works"):
        paths = []
        for number, metadata in enumerate(session.thin(WORKS)):
            alternates = [{"scheme": "doi", "identifier": f"10.1000/{{{number}}}"}] if number % 2 else []
            members: dict[str, Any] = {"metadata": metadata, "alternates": alternates, "uri": f"{HERE}/item/{number}"}
            prefix = "mp" if number % 3 else "10.5072"
            paths.append(session.mint(prefix, f"work {number}", **members, **_choose_id(number)))
        for path, form in session.thin(product(paths, FORMATS)):
            session.get(path, f"format={form}")
        for path, style in session.thin(product(paths, STYLES)):
            session.get(path, f"format=citation&style={style}")
        for path, query in session.thin(product(paths, ("", "info", "noredirect"))):
            session.get(path, query)
            session.get(path, query, "text/html")
        for path in paths[:4]:
            reason = {"reason": "Published by mistake", "successor": "https://new.example.org/x"}
            session.change("DELETE", path, reason)
            for form in session.thin(FORMATS):
                session.get(path, f"format={form}")


def _choose_id(number: int) -> dict[str, str]:
    return {"id": f"work-{number}"} if number % 3 == 0 else {}
