"""The values of `record.html`, the page of a record, a tombstone or an older version.

>>> date_in_words("2025-07-10T16:22:30+02:00"), date_in_words("2025-07-10T16:22:30+02:00", precise=True)
('10 July 2025', '10 July 2025, 14:22 UTC')
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from shlex import quote
from sys import maxsize
from typing import Any, Final

from msgspec import Struct

from coolid.http.formats import metadata_terms
from coolid.http.formats.citations import bibliography
from coolid.http.formats.description.metadata_reader import describe, heading, is_citable
from coolid.http.formats.description.model import Description
from coolid.http.formats.description.work_types import ANY
from coolid.http.formats.linked_data import schemaorg
from coolid.http.formats.linked_data.nodes import shortened
from coolid.http.formats.representation import Representation
from coolid.http.formats.signposting import timemap_of
from coolid.http.formats.uris import escape
from coolid.http.operator.identity import current
from coolid.http.pages.custody_view import custody_view, has_custody, is_locked
from coolid.http.pages.history_view import HistoryStep, history_of
from coolid.http.pages.import_note import IMPORTED, import_note
from coolid.http.pages.location_view import Surroundings, alternate_rows, location_problems, location_row
from coolid.http.pages.meta_tags import SCHEMAS, meta_tags
from coolid.http.pages.metadata_view import HANDLE, MetadataField, MetadataView, brief, listed_values, title_pointer
from coolid.http.parameters import TARGET
from coolid.identifiers.typography import is_visible
from coolid.model import custody
from coolid.model.locations import is_denied, locations_of
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, WITHDRAWN, Record, parse_time
from coolid.model.repositories import PAGE, Repository
from coolid.strict_json import dump

MAX_METADATA_LENGTH: Final = 24_000
"""The most characters of metadata on a page; the record has the rest."""
MAX_LINKED_DATA_BYTES: Final = 16_000
"""The most bytes of JSON-LD in a page; a longer document is shortened, or only linked."""
MAX_LOCATIONS: Final = 20
MAX_CITATION_LENGTH: Final = 1_500
_MAX_TITLE_LENGTH: Final = 300
_MAX_SUMMARY_LENGTH: Final = 200
_MAX_KIND_LENGTH: Final = 60
_MAX_CREATORS: Final = 5
MAX_QR_LENGTH: Final = 1_500
_MAX_VALUES: Final = 60

CITATION_STYLES: Final = (
    ("apa", "APA"),
    ("mla", "MLA"),
    ("chicago", "Chicago"),
    ("harvard", "Harvard"),
    ("ieee", "IEEE"),
    ("vancouver", "Vancouver"),
)
"""Styles that a page offers, which lead to a page with all of them."""
FORMS: Final = {
    "linkid": "The complete signed record",
    "linkset": "Its links, for programs",
    "links": "The same links as text",
    "jsonld": "A schema.org description, for search engines",
    "dcat": "A description in DCAT, for catalogs of data",
    "ttl": "The schema.org and DCAT descriptions in Turtle, for linked data",
    "erc": "The most important metadata as text",
    "jws": "The signature alone",
    "csl": "The citation for Zotero and other programs",
    "bibtex": "The citation for LaTeX",
    "ris": "The citation for EndNote and other programs",
    "datacite": "The metadata in DataCite's format",
    "datacite-xml": "The same as XML",
    "citation": "The citation as a line of text",
}
"""Descriptions of a record's formats."""


class Versions(Struct, frozen=True):
    """The newest versions, and the number of the `current` one, which is a tombstone if `is_gone`.

    `is_older` if the page shows an earlier version than the current one; `has_more` if `steps` is incomplete.
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
    """Return the template's values but links and archives; `timely` has only the locations that are valid now."""
    view = MetadataView(MAX_METADATA_LENGTH)
    title = brief(heading(record), _MAX_TITLE_LENGTH)
    cited = bibliography.write(record).strip() if is_citable(record) else ""
    about = describe(timely)
    summary = brief(about.abstract or cited or record.pid, _MAX_SUMMARY_LENGTH)
    return {
        "record": record.to_document(),
        "is_former": is_former,
        "title": title,
        "byline": _byline(about),
        "title_pointer": "/id" if title == record.id else title_pointer(record.metadata, title),
        "summary": summary,
        **_machine_values(timely, about, title, summary, prefix.repository),
        **_metadata_values(record, view),
        "is_truncated": view.remaining <= 0,
        **_location_values(record, prefix.repository, now, version, is_former=is_former),
        "alternates": alternate_rows(record, surroundings.registered),
        "citation": brief(cited, MAX_CITATION_LENGTH),
        "citation_styles": CITATION_STYLES,
        "is_citation_truncated": len(cited) > MAX_CITATION_LENGTH,
        **_version_values(record, surroundings, version),
        "formats": [(each.name, FORMS.get(each.name, ""), each.media_type) for each in formats],
        "target": f"{record.pid}?format={TARGET}" if prefix.repository.landing == PAGE else record.pid,
        "has_qr_code": len(record.pid) <= MAX_QR_LENGTH,
        "repository": prefix.repository,
        "date_in_words": date_in_words,
    }


def _metadata_values(record: Record, view: MetadataView) -> dict[str, Any]:
    """Return the metadata, with custody, the claims of an import and the values of a Handle apart."""
    imported = import_note(record.metadata)
    apart = ({IMPORTED} if imported else set()) | ({custody.MEMBER} if has_custody(record) else set())
    described = {name: value for name, value in record.metadata.items() if name not in apart}
    return {
        "metadata": view.metadata(described),
        "imported": imported,
        "custody": custody_view(record),
        "is_locked": is_locked(record),
        "is_revoked": custody.custody_of(record.metadata).state == custody.REVOKED,
        "handle": _handle_values(record, view),
    }


def _byline(about: Description) -> dict[str, Any]:
    """Return what is shown beside the title: the type, the creators, the publishers and the date."""
    kind, when = about.resource_type or about.kind.general, brief(about.when, _MAX_KIND_LENGTH)
    return {
        "kind": "" if about.kind is ANY and not about.resource_type else brief(kind, _MAX_KIND_LENGTH),
        "creators": about.creators[:_MAX_CREATORS],
        "more": max(0, len(about.creators) - _MAX_CREATORS),
        "publishers": brief([each.name for each in about.publishers], _MAX_SUMMARY_LENGTH),
        "when": date_in_words(about.when) or when,
    }


def _machine_values(
    record: Record, about: Description, title: str, summary: str, repository: Repository
) -> dict[str, Any]:
    """Return the values in the head of the page, for programs."""
    return {
        "linked_data": _linked_data(record, about),
        "meta_schemas": SCHEMAS.items(),
        "meta_tags": meta_tags(about, title, summary, current().name or repository.title),
    }


def _version_values(record: Record, surroundings: Surroundings, version: str | None) -> dict[str, Any]:
    """Return the values about the record's versions and its end."""
    return {
        "version": version,
        "versions": _versions(record, surroundings, version),
        "verify_command": f"coolid verify {quote(record.pid + (f'?version={record.version}' if version else ''))}",
        "timemap": timemap_of(record, escape(record.pid)),
        "has_reason": record.withdrawn is not None and is_visible(record.withdrawn.reason),
        "successor": metadata_terms.successor_uri(record),
    }


def _location_values(
    record: Record, repository: Repository, now: datetime, version: str | None, *, is_former: bool
) -> dict[str, Any]:
    """Return the values about the record's locations."""
    locations = () if record.status == WITHDRAWN and not record.records else locations_of(record, repository)
    moment = now if version is None else record.updated
    is_over = is_former or record.status == WITHDRAWN
    rows = [
        location_row(
            each,
            moment,
            f"/records/{at}/uri" if record.records else "",
            is_former=is_over,
            is_denied=is_denied(each, repository),
        )
        for at, each in enumerate(locations)
    ]
    others = [each for each in rows if not each.is_current and not each.is_awaited]
    return {
        "current": [each for each in rows if each.is_current][:MAX_LOCATIONS],
        "awaited": [each for each in rows if each.is_awaited][:MAX_LOCATIONS],
        "denied": [each for each in others if each.is_denied][:MAX_LOCATIONS],
        "former": [each for each in others if not each.is_denied][:MAX_LOCATIONS],
        "has_more_locations": len(rows) > MAX_LOCATIONS,
        "problems": location_problems(rows, record.health, repository.archive) if version is None else [],
        "is_open": record.status == ACTIVE and version is None and any(each.is_current for each in rows),
    }


def date_in_words(written: str, *, precise: bool = False) -> str | None:
    """Return the date, and the `precise` time, of a text in any form of RFC 3339 in UTC, or None for another text."""
    try:
        at = parse_time(written).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return f"{at.day} {at:%B} {at.year}{f', {at:%H:%M} UTC' if precise else ''}"


def _versions(record: Record, surroundings: Surroundings, version: str | None) -> Versions | None:
    """Return the versions up to the record's, which may be cached; None if they cannot be read."""
    newest = surroundings.versions
    if newest is None:
        return None
    versions = [each for each in newest if version is not None or each.version <= record.version] or [record]
    current = versions[-1]
    steps = history_of(versions, is_whole=surroundings.is_whole)
    return Versions(
        steps,
        current.version,
        is_older=record.version < current.version,
        is_gone=current.status == WITHDRAWN,
        has_more=not steps[-1].is_first,
    )


def _handle_values(record: Record, view: MetadataView) -> list[tuple[str, MetadataField]]:
    """Return the types and values of a Handle by index, in the form that the Handle API stores."""
    entries = [each for each in listed_values(record.metadata.get(HANDLE)) if isinstance(each, Mapping)]
    entries.sort(key=lambda each: each["index"] if isinstance(each.get("index"), int) else maxsize)
    pairs = [(str(each.get("type")), each["data"]) for each in entries if isinstance(each.get("data"), Mapping)]
    return [(kind, view.field(each.get("value"))) for kind, each in pairs[:_MAX_VALUES]]


def _linked_data(record: Record, thing: Description) -> dict[str, Any] | None:
    """Return the document of `?format=jsonld`, shortened if it is too long for the page, or None if it still is."""
    whole = schemaorg.json_ld(record, thing)
    candidates = (whole, shortened(whole))
    return next((each for each in candidates if len(dump(each)) <= MAX_LINKED_DATA_BYTES), None)
