"""The dates of a thing: DataCite's typed dates, and the members of the kernel, schema.org, Dublin Core and CSL.

>>> list(dates({"when": "2024", "dates": [{"date": "2023-05", "dateType": "Collected"}]}))
[TypedDate(date='2024', type='Issued', information=''), TypedDate(date='2023-05', type='Collected', information='')]
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from coolid.http.formats.description.datacite_terms import DATE_TYPES, OTHER, canonical
from coolid.http.formats.description.json_values import Members, each_of, member, term, text_of
from coolid.http.formats.description.model import ISSUED, TypedDate
from coolid.http.formats.metadata_terms import NAMES
from coolid.http.formats.metadata_text import iso_date, line

AVAILABLE: Final = "Available"

# The members with the date of publication, by rank, then those with other dates.
_PUBLISHED: Final = ("when", "datePublished", "publication_date", "issued")
_OTHERS: Final = {
    "dateCreated": "Created",
    "created": "Created",
    "dateModified": "Updated",
    "modified": "Updated",
    "dateAccepted": "Accepted",
    "dateSubmitted": "Submitted",
    "dateAvailable": AVAILABLE,
    "available": AVAILABLE,
    "copyrightYear": "Copyrighted",
    "dateCopyrighted": "Copyrighted",
    "temporalCoverage": "Coverage",
    "temporal": "Coverage",
    "expires": "Valid",
    "valid": "Valid",
}

MEMBERS: Final = frozenset((*_PUBLISHED, *_OTHERS, "dates", "date"))
"""The members that this module reads."""


def dates(metadata: Members) -> Iterator[TypedDate]:
    """Yield all dates with their types: first those of publication, in order of rank."""
    for name in _PUBLISHED:
        yield from (TypedDate(text, ISSUED) for text in _texts(metadata.get(name)))
    for item in each_of([metadata.get("dates"), metadata.get("date")]):
        if isinstance(item, Mapping) and (text := text_of(item, "date", *NAMES)):
            written = term(item, "dateType", "type")
            kind = (canonical(written, DATE_TYPES) or OTHER) if written else ""
            note = member(item, "dateInformation", "description") or ("" if kind != OTHER else written)
            yield TypedDate(text, kind, "" if note == OTHER else note)
    for name, kind in _OTHERS.items():
        yield from (TypedDate(text, kind) for text in _texts(metadata.get(name)))
    for item in each_of([metadata.get("date"), metadata.get("dates")]):
        if not isinstance(item, Mapping):
            yield from (TypedDate(text, "") for text in _texts(item))


def publication_date(typed: list[TypedDate], year: str) -> str:
    """Return the date of publication: the first valid one of `typed`, else the year, else the first text.

    A date without a type counts if there is no other.
    """
    issued = [each.date for each in typed if each.type == ISSUED]
    untyped = [each.date for each in typed if not each.type] or [each.date for each in typed]
    candidates = [text for text in (*issued, year, *untyped) if text]
    return next(filter(iso_date, candidates), next(iter(candidates), ""))


def _texts(value: Any) -> Iterator[str]:
    """Yield the dates of a value as texts; CSL's `date-parts` become ISO 8601."""
    for item in each_of(value):
        parts = item.get("date-parts") if isinstance(item, Mapping) else None
        if isinstance(parts, list) and parts and isinstance(parts[0], list):
            yield "-".join(f"{part:02}" if isinstance(part, int) else str(part) for part in parts[0][:3])
        elif text := line(text_of(item, "date", *NAMES, "literal", "raw")):
            yield text
