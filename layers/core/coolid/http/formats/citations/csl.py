"""`application/vnd.citationstyles.csl+json`: the description as an item of CSL data.

Specification: Citation Style Language 1.0.2, `csl-data.json` (one item, as in DOI content negotiation by Crossref
and DataCite). Dates are `date-parts` as far as they are known. Names are in parts, or `literal` if these are unknown.
`custom` contains, in the properties of DataCite, what items have no other member for.
"""

from collections.abc import Callable
from typing import Any, Final

from coolid.http.formats.citations.datacite import properties
from coolid.http.formats.citations.datacite_parts import without_empty
from coolid.http.formats.citations.notes import is_detailed
from coolid.http.formats.description.alternate_identifiers import serial_and_book_numbers
from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import ABSTRACT, EDITOR, ISSUED, Agent, Description, Subject
from coolid.http.formats.metadata_text import iso_date, on_one_line
from coolid.model.records import WITHDRAWN, Record
from coolid.strict_json import dump

_TRANSLATOR: Final = "Translator"


def write(record: Record) -> str:
    """Return the item as JSON."""
    return dump(item(record))


def item(record: Record) -> dict[str, Any]:
    """Return the item, for styles of citation."""
    about = describe(record)
    container = about.container
    issns, isbns = serial_and_book_numbers(about)
    members = {
        "type": about.kind.csl,
        "id": about.pid,
        "URL": about.pid,
        "DOI": about.doi,
        "ISSN": ", ".join(issns),
        "ISBN": ", ".join(isbns),
        "title": about.title,
        "title-short": next((each.text for each in about.titles if each.type == "AlternativeTitle"), ""),
        "author": [_name(each) for each in about.creators],
        "editor": [_name(each) for each in about.editors],
        "translator": [_name(each) for each in about.contributors if each.role == _TRANSLATOR],
        "issued": _date(about),
        "available-date": next((_parts(each.date) for each in about.dates if each.type == "Available"), {}),
        "submitted": next((_parts(each.date) for each in about.dates if each.type == "Submitted"), {}),
        "publisher": about.publisher,
        "container-title": container.title,
        "volume": container.volume,
        "issue": container.issue,
        "number": container.number,
        "edition": container.edition,
        "page": container.pages("-"),
        "genre": about.resource_type,
        "medium": ", ".join(each for each in about.formats if "/" not in each),  # styles print it, and no media types
        "dimensions": ", ".join(about.sizes),
        "version": about.version,
        "language": about.language or ", ".join(about.languages),
        "keyword": ", ".join(each.text for each in about.subjects),
        "abstract": on_one_line(about.abstract),
        "status": "withdrawn" if record.status == WITHDRAWN else "",
        "note": about.withdrawal,
        "custom": _custom(record, about),
    }
    return without_empty(members)


def _name(agent: Agent) -> dict[str, str]:
    if not agent.family:
        return {"literal": agent.name}
    return without_empty({"family": agent.family, "given": agent.given})


def _date(about: Description) -> dict[str, Any]:
    if about.issued:
        return {"date-parts": [list(about.issued)]}
    return {"literal": about.when} if about.when else {}


def _parts(text: str) -> dict[str, Any]:
    """Return a date in parts, or as it is written."""
    date = iso_date(text)
    return {"date-parts": [list(map(int, date.partition("T")[0].split("-")))]} if date else {"literal": text}


def _custom(record: Record, about: Description) -> dict[str, Any]:
    """Return the properties of DataCite that say more than the item does."""
    wanted = [name for name, says_more in _MORE.items() if says_more(about)]
    if not wanted:
        return {}
    document = properties(record)
    return {name: document[name] for name in wanted if name in document}


def _is_term(subject: Subject) -> bool:
    return bool(subject.scheme or subject.uri or subject.code or subject.lang)


_MORE: Final[dict[str, Callable[[Description], bool]]] = {
    "creators": lambda about: any(map(is_detailed, about.creators)),
    "titles": lambda about: len(about.titles) > 1 or any(each.lang for each in about.titles),
    "publisher": lambda about: any(map(is_detailed, about.publishers)),
    "contributors": lambda about: (
        bool(about.publishers[1:])
        or any(is_detailed(each) or each.role not in (EDITOR, _TRANSLATOR) for each in about.contributors)
    ),
    "subjects": lambda about: any(map(_is_term, about.subjects)),
    "dates": lambda about: any(each.type != ISSUED or each.information for each in about.dates),
    "alternateIdentifiers": lambda about: bool(about.alternates),
    "relatedIdentifiers": lambda about: bool(about.related),
    "relatedItems": lambda about: bool(about.related),
    "sizes": lambda about: bool(about.files),
    "formats": lambda about: bool(about.files) or any("/" in each for each in about.formats),
    "rightsList": lambda about: (
        bool(about.rights) or bool(about.access.level or about.access.conditions) or about.access.is_free is not None
    ),
    "descriptions": lambda about: any(each.type != ABSTRACT for each in about.descriptions if each.type),
    "geoLocations": lambda about: bool(about.geo_locations),
    "fundingReferences": lambda about: bool(about.funding),
}
