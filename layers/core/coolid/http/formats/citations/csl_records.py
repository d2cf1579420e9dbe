"""A record with the metadata of an item of CSL data, so that the formats of records serve works of other services."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from coolid.http.formats.citations import bibliography
from coolid.model.records import ACTIVE, Record

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TYPES: Final = {
    "article": "Preprint",
    "article-journal": "JournalArticle",
    "article-magazine": "JournalArticle",
    "book": "Book",
    "chapter": "BookChapter",
    "dataset": "Dataset",
    "graphic": "Image",
    "paper-conference": "ConferencePaper",
    "report": "Report",
    "software": "Software",
    "thesis": "Dissertation",
}
"""DataCite's general types of the types of CSL; all others are texts."""


def citation_line(work: Mapping[str, Any]) -> str:
    """Return the citation of a work on one line."""
    return bibliography.write(record_of(work)).strip()


def record_of(work: Mapping[str, Any]) -> Record:
    """Return a record with the metadata of a work, an item of CSL data as `coolid.http.foreign_works` returns it."""
    pages = str(work.get("page", "")).replace("–", "-").partition("-")
    container = {
        "title": work.get("container-title"),
        "volume": work.get("volume"),
        "issue": work.get("issue"),
        "firstPage": pages[0],
        "lastPage": pages[2],
    }
    metadata = {
        "creators": [_agent(each) for each in work.get("author", ())],
        "contributors": [{**_agent(each), "contributorType": "Editor"} for each in work.get("editor", ())],
        "titles": [{"title": work["title"]}],
        "publisher": work.get("publisher"),
        "dates": [{"date": date, "dateType": "Issued"} for date in _dates(work)],
        "types": {"resourceTypeGeneral": _TYPES.get(work["type"], "Text")},
        "container": {name: value for name, value in container.items() if value},
        "version": work.get("version"),
        "language": work.get("language"),
        "descriptions": [{"description": text, "descriptionType": "Abstract"} for text in _texts(work, "abstract")],
    }
    present = {name: value for name, value in metadata.items() if value}
    doi = {"scheme": "doi", "identifier": work["DOI"]}
    return Record(work["DOI"], work["URL"], "", 1, _EPOCH, _EPOCH, "", ACTIVE, metadata=present, alternates=(doi,))


def _texts(work: Mapping[str, Any], name: str) -> list[str]:
    return [work[name]] if work.get(name) else []


def _dates(work: Mapping[str, Any]) -> list[str]:
    """Return the date of publication, year first as far as it is known."""
    issued = work.get("issued", {})
    parts: Sequence[int] = next(iter(issued.get("date-parts", ())), [])
    text = "-".join(f"{part:02}" if at else f"{part:04}" for at, part in enumerate(parts)) or issued.get("literal", "")
    return [text] if text else []


def _agent(name: Mapping[str, str]) -> dict[str, str]:
    if "literal" in name:
        return {"name": name["literal"]}
    family = " ".join(filter(None, (name.get("non-dropping-particle"), name["family"], name.get("suffix"))))
    given = " ".join(filter(None, (name.get("given"), name.get("dropping-particle"))))
    parts = {"familyName": family} | ({"givenName": given} if given else {})
    return {"name": f"{family}, {given}" if given else family, "nameType": "Personal", **parts}
