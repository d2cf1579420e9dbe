"""What the page of a record shows, a tombstone's and an older version's included: values for `record.html`.

>>> day_of("2025-07-10T16:22:30+02:00")
Moment(written='2025-07-10T16:22:30+02:00', day=10, month='July', year=2025, time='14:22')
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from shlex import quote
from typing import Any, Final

from msgspec import Struct

from coolid.http.formats import jsonld, metadata_terms, metadata_text, schemaorg
from coolid.http.formats.citations import bibliography
from coolid.http.formats.citations.works import is_citable
from coolid.http.formats.representation import Representation
from coolid.http.formats.uris import escape
from coolid.http.pages.field_pointers import marked_metadata, pointer, title_place
from coolid.http.pages.history_view import HistoryStep, history_of
from coolid.http.pages.location_view import Surroundings, ailments_of, alternates_of, place_of
from coolid.http.pages.metadata_view import HANDLE, MetadataField, MetadataView, brief, listed_values
from coolid.http.signposting import timemap_of
from coolid.identifiers.typography import is_visible
from coolid.model.locations import locations_of
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, WITHDRAWN, Record, parse_time
from coolid.strict_json import dump

MOST_METADATA: Final = 24_000
"""Characters of metadata on a page; the rest is in the record."""
MOST_LINKED_DATA: Final = 16_000
"""Bytes of JSON-LD that a page takes with it; more is had by its link."""
MOST_LOCATIONS: Final = 20
MOST_CITED: Final = 1_500
_MOST_TITLE: Final = 300
_MOST_SUMMARY: Final = 200
_MOST_PICTURED: Final = 1_500
_MOST_VALUES: Final = 60

_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)

FORMS: Final = {
    "linkid": "The whole record, as it was signed",
    "linkset": "Its links, for programs",
    "links": "The same links as text",
    "jsonld": "A description by schema.org, for search engines",
    "ttl": "The same in Turtle, for linked data",
    "erc": "The most important facts as text",
    "jws": "The signature alone",
    "csl": "The citation for Zotero and others",
    "bibtex": "The citation for LaTeX",
    "ris": "The citation for EndNote and others",
    "datacite": "The metadata in DataCite's form",
    "citation": "The citation as a line of text",
}
"""What the forms of a record are, in words."""


class Moment(Struct, frozen=True):
    """A moment as it was written, and in parts, in UTC."""

    written: str
    day: int
    month: str
    year: int
    time: str


class Versions(Struct, frozen=True):
    """What is known of the versions: the newest of them, the number of the current one, and whether it is a tombstone.

    `is_older` if the page shows one that is not the current one; `has_more` if there are others than these.
    """

    steps: tuple[HistoryStep, ...]
    current: int
    is_older: bool
    is_gone: bool
    has_more: bool


def values(
    record: Record,
    timely: Record,
    prefix: Namespace,
    surroundings: Surroundings,
    now: datetime,
    *,
    version: str | None,
    formats: Sequence[Representation],
    is_former: bool,
) -> dict[str, Any]:
    """What the template needs besides its links and archives.

    `timely` is the record with those of its locations alone that are good now, `version` the number that was asked for.
    """
    reading = MetadataView(MOST_METADATA)
    shown = marked_metadata(reading.metadata(record.metadata), record.metadata)
    cited = bibliography.write(record).strip() if is_citable(record) else ""
    locations = () if record.status == WITHDRAWN and not record.records else locations_of(record, prefix.repository)
    moment = now if version is None else record.updated
    is_over = is_former or record.status == WITHDRAWN
    said = [pointer("records", number, "uri") if record.records else "" for number in range(len(locations))]
    places = [place_of(each, moment, way, is_former=is_over) for each, way in zip(locations, said, strict=True)]
    title = brief(metadata_text.heading(record), _MOST_TITLE)
    about = next(iter(metadata_text.descriptions(record)), "") or cited or record.pid
    return {
        "record": record.to_document(),
        "version": version,
        "is_former": is_former,
        "title": title,
        "title_said": "/id" if title == record.id else title_place(record.metadata, title),
        "summary": brief(about, _MOST_SUMMARY),
        "shown": shown,
        "handle": _handle_values(record, reading),
        "is_partly": reading.room <= 0,
        "places": [each for each in places if each.href][:MOST_LOCATIONS],
        "awaited": [each for each in places if each.is_awaited][:MOST_LOCATIONS],
        "former": [each for each in places if not each.href and not each.is_awaited][:MOST_LOCATIONS],
        "other_places": max(0, len(places) - MOST_LOCATIONS),
        "ailments": ailments_of(places, record.health, prefix.repository.archive) if version is None else [],
        "is_open": record.status == ACTIVE and version is None and any(each.is_valid_at(now) for each in locations),
        "alternates": alternates_of(record, surroundings.registered),
        "citation": brief(cited, MOST_CITED),
        "is_cited_in_part": len(cited) > MOST_CITED,
        "versions": _versions(record, surroundings, version),
        "verifying": f"coolid verify {quote(record.pid + (f'?version={record.version}' if version else ''))}",
        "timemap": timemap_of(record, escape(record.pid)),
        "has_reason": record.withdrawn is not None and is_visible(record.withdrawn.reason),
        "successor": metadata_terms.successor_uri(record),
        "formats": [(each.name, FORMS.get(each.name, ""), each.media_type) for each in formats],
        "linked_data": _linked_data(timely),
        "is_pictured": len(record.pid) <= _MOST_PICTURED,
        "support": prefix.repository.support,
        "keeper": prefix.repository.title,
        "moment": day_of,
    }


def day_of(written: str) -> Moment | None:
    """A moment in any form of RFC 3339; None if it is something else."""
    try:
        at = parse_time(written).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return Moment(written, at.day, _MONTHS[at.month - 1], at.year, f"{at.hour:02}:{at.minute:02}")


def _versions(record: Record, surroundings: Surroundings, version: str | None) -> Versions | None:
    """None if they cannot be read.

    The record may be remembered, while its history is what the store has: its own page tells of nothing beyond it.
    """
    newest = surroundings.versions
    if newest is None:
        return None
    known = [each for each in newest if version is not None or each.version <= record.version] or [record]
    current = known[-1]
    steps = history_of(known, is_whole=surroundings.is_whole)
    return Versions(
        steps,
        current.version,
        is_older=record.version < current.version,
        is_gone=current.status == WITHDRAWN,
        has_more=not steps[-1].is_first,
    )


def _handle_values(record: Record, reading: MetadataView) -> list[tuple[str, MetadataField]]:
    """The values of a Handle, as the Handle API keeps them; whatever others put in their place is shown as it is."""
    entries = [each for each in listed_values(record.metadata.get(HANDLE)) if isinstance(each, Mapping)]
    pairs = [(str(each.get("type")), each["data"]) for each in entries if isinstance(each.get("data"), Mapping)]
    return [(kind, reading.of(each.get("value"))) for kind, each in pairs[:_MOST_VALUES]]


def _linked_data(record: Record) -> dict[str, Any] | None:
    """The document of `?format=jsonld`; None if it is too long to go with the page."""
    document = {"@context": jsonld.CONTEXT, **schemaorg.describe(record)}
    return document if len(dump(document)) <= MOST_LINKED_DATA else None
