"""The source `ezid`: a batch download of EZID as ANVL, CSV or XML, whose beginning shows which it is.

Specification: EZID API, version 2, "Batch download", "Internal metadata" and "Metadata profiles". A CSV file needs the
column `_id`; its other columns are elements. Owners, groups and data centers are not kept.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from coolid.errors import InvalidInput, UsageError
from coolid.http.dialects.ezid.citation import MEMBER, metadata_with
from coolid.http.dialects.ezid.elements import CREATED, CROSSREF, EXPORT, PROFILE, STATUS, TARGET, UPDATED, parse_status
from coolid.http.dialects.ezid.profiles import MAPPED_COLUMNS, default_profile
from coolid.migration.dumps.dump_files import open_dump, refusing_damage
from coolid.migration.dumps.dump_rows import moment_of
from coolid.migration.source_identifiers import (
    Entry,
    Loss,
    SourceIdentifier,
    SourceVersion,
    UnreadableEntry,
    drop_largest,
)
from coolid.migration.sources.ezid import anvl_blocks, csv_blocks, xml_blocks
from coolid.migration.sources.ezid.element_blocks import ElementBlock
from coolid.model.records import Location
from coolid.transfer.bounded_lines import BYTE_ORDER_MARK

_READERS: Final[Mapping[bytes, Callable[[BinaryIO], Iterator[ElementBlock]]]] = {
    b"::": anvl_blocks.read_blocks,
    b"<": xml_blocks.read_blocks,
    b"": csv_blocks.read_blocks,
}
"""The readers by the beginning of the file."""
_SAMPLE_BYTES: Final = 1_000
MAX_ELEMENT_BYTES: Final = 300_000
"""The most bytes of an identifier's elements. The rest of a record is for their escapes in JSON and other members."""
_TOO_MANY_BYTES: Final = f"with it, the elements would have more than {MAX_ELEMENT_BYTES:,} bytes"
_OWN_PAGE: Final = re.compile(r"https?://[a-z0-9.-]*ezid[a-z0-9.-]*/id/(.*)", re.IGNORECASE)
"""The address of an identifier's page at EZID, which is the target of an identifier without one."""
_NOT_KEPT: Final = frozenset({"_owner", "_ownergroup", "_coowners", "_datacenter", "_shadows", "_shadowedby"})
_USED: Final = frozenset({CREATED, UPDATED, TARGET, PROFILE, STATUS, EXPORT, CROSSREF})


@refusing_damage
def read(path: Path) -> Iterator[Entry]:
    """See `Source`."""
    with open_dump(path) as file:
        sample = file.read(_SAMPLE_BYTES).removeprefix(BYTE_ORDER_MARK).lstrip()
        file.seek(0)
        if not sample:
            raise UsageError(f"{path} is empty")
        reader = next(reader for beginning, reader in _READERS.items() if sample.startswith(beginning))
        for block in reader(file):
            yield block if isinstance(block, UnreadableEntry) else _entry(*block)


def _entry(position: int, identifier: str, elements: Mapping[str, str]) -> Entry:
    """Return the entry of an identifier with these elements."""
    try:
        status = parse_status(elements.get(STATUS, ""))
    except InvalidInput as error:
        return UnreadableEntry(position, f"{STATUS}: {error.violations[0].reason}", identifier)
    losses: list[Loss] = []
    version = SourceVersion(
        locations=_locations(elements.get(TARGET, ""), identifier),
        metadata=_metadata(_fitting(elements, losses), identifier),
        status=status.status,
        since=_moment(UPDATED, elements, losses),
        reason=status.reason or None,
    )
    created = _moment(CREATED, elements, losses)
    for name, value in elements.items():
        if name.startswith("_") and value and name not in _USED | _NOT_KEPT | MAPPED_COLUMNS.keys():
            losses.append(Loss(name, "no element of this name is kept", value))
    return SourceIdentifier(position, identifier, (version,), tuple(losses), created)


def _locations(target: str, identifier: str) -> tuple[Location, ...]:
    """Return the target, without the page at EZID that stands for none."""
    own_page = _OWN_PAGE.fullmatch(target)
    if not target or (own_page and own_page[1].lower() == identifier.lower()):
        return ()
    return (Location(target),)


def _fitting(elements: Mapping[str, str], losses: list[Loss]) -> dict[str, str]:
    """Return the elements without the largest ones that no record has room for. They are added to the losses."""
    fitting = dict(elements)
    sizes = {name: len(value.encode()) for name, value in fitting.items()}
    losses += drop_largest(fitting, sizes, MAX_ELEMENT_BYTES, _TOO_MANY_BYTES)
    return fitting


def _metadata(elements: Mapping[str, str], identifier: str) -> dict[str, Any]:
    """Return the metadata of the citation elements, and the internal elements that the API of EZID shows again."""
    profile = elements.get(PROFILE) or default_profile(identifier)
    citation = {name: value for name, value in elements.items() if name and value and not name.startswith("_")}
    metadata = metadata_with(citation, profile)
    derived = {member: elements[name] for name, member in MAPPED_COLUMNS.items() if elements.get(name)}
    stored = {EXPORT: "no"} if elements.get(EXPORT, "").lower() == "no" else {}
    if profile != default_profile(identifier):
        stored[PROFILE] = profile
    if elements.get(CROSSREF, "").lower().startswith("yes"):
        stored[CROSSREF] = "yes"
    member = stored | metadata.pop(MEMBER, {})
    return ({MEMBER: member} if member else {}) | derived | metadata


def _moment(name: str, elements: Mapping[str, str], losses: list[Loss]) -> datetime | None:
    """Return a time in seconds since 1970 or in the form of ISO 8601; a text that is neither is a loss."""
    text = elements.get(name, "")
    if not text:
        return None
    moment = moment_of(text)
    if moment is None:
        losses.append(Loss(name, "it is no time", text))
    return moment
