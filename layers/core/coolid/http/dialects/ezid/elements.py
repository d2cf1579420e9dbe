"""The metadata elements of a record as EZID's API shows them, and the content that changed elements lead to.

Specification: EZID API, version 2, "Internal metadata", "Identifier status" and "Metadata profiles". Elements that
begin with an underscore are internal. Most come from the record itself. `_profile`, `_export` and `_crossref` are
stored in the metadata member `ezid` unless they have their default.

>>> parse_status("unavailable | withdrawn by author")
Status(status='withdrawn', reason='withdrawn by author')
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.http.dialects.ezid import blocks
from coolid.http.dialects.ezid.citation import MEMBER, citation_elements, is_foreign, metadata_with, stored_elements
from coolid.http.dialects.ezid.identifiers import identifier_of
from coolid.http.dialects.ezid.profiles import BLOCKS, default_profile
from coolid.model.locations import default_target
from coolid.model.records import ACTIVE, EMPTY_METADATA, INACTIVE, RESERVED, WITHDRAWN, Content, Location, Record
from coolid.model.repositories import Repository

OWNER: Final = "_owner"
OWNER_GROUP: Final = "_ownergroup"
CREATED: Final = "_created"
UPDATED: Final = "_updated"
TARGET: Final = "_target"
PROFILE: Final = "_profile"
STATUS: Final = "_status"
EXPORT: Final = "_export"
CROSSREF: Final = "_crossref"
STORED: Final = (PROFILE, EXPORT, CROSSREF)
"""The internal elements that the member `ezid` contains."""
SETTABLE: Final = frozenset({OWNER, TARGET, STATUS, *STORED})

PUBLIC: Final = "public"
UNAVAILABLE: Final = "unavailable"
NO_REASON: Final = "unavailable"
"""The reason of a withdrawal for which EZID's client gave none."""
CROSSREF_RESERVED: Final = "yes | awaiting status change to public"
CROSSREF_FAILURE: Final = "yes | registration failure | this service registers nothing with Crossref"

_STATUS: Final = re.compile(r"unavailable(?: *\|(.*))?", re.DOTALL)
_PROFILE_NAME: Final = re.compile("[a-z0-9]+(?:[-_.][a-z0-9]+)*")


class Status(Struct, frozen=True):
    """A status of records (`active`, `reserved`, `withdrawn`), and the reason of a withdrawal."""

    status: str
    reason: str = ""


def parse_status(text: str) -> Status:
    """Return the status in the element `_status`; empty means public. Raises `InvalidInput`."""
    if text in ("", PUBLIC):
        return Status(ACTIVE)
    if text == RESERVED:
        return Status(RESERVED)
    found = _STATUS.fullmatch(text)
    if found is None:
        raise InvalidInput.at("_status", "it must be public, reserved, or unavailable with an optional reason")
    return Status(WITHDRAWN, (found[1] or "").strip())


def status_text(record: Record) -> str:
    """Return the value of the element `_status`."""
    if record.status == RESERVED:
        return RESERVED
    if record.status != WITHDRAWN:
        return PUBLIC
    reason = record.withdrawn.reason if record.withdrawn else NO_REASON
    return UNAVAILABLE if reason == NO_REASON else f"{UNAVAILABLE} | {reason}"


def profile_of(metadata: Mapping[str, Any], identifier: str) -> str:
    """Return the preferred profile of a record."""
    return stored_elements(metadata).get(PROFILE) or default_profile(identifier)


def elements_of(record: Record, repository: Repository, owner: str | None = None) -> dict[str, str]:
    """Return all elements of a record. `owner` is the id of the key that owns it, by default the repository."""
    identifier = identifier_of(record)
    profile = profile_of(record.metadata, identifier)
    stored = stored_elements(record.metadata)
    elements = {
        OWNER: owner or record.repository,
        OWNER_GROUP: record.repository,
        CREATED: str(int(record.created.timestamp())),
        UPDATED: str(int(record.updated.timestamp())),
        TARGET: target_of(record, repository),
        PROFILE: profile,
        STATUS: status_text(record),
        EXPORT: stored.get(EXPORT, "yes"),
    }
    if stored.get(CROSSREF):
        elements[CROSSREF] = CROSSREF_RESERVED if record.status == RESERVED else CROSSREF_FAILURE
    citation = citation_elements(record.metadata, profile)
    for name in BLOCKS:
        if name in citation:
            citation[name] = blocks.with_identifier(name, citation[name], identifier)
    return elements | citation


def target_of(record: Record, repository: Repository) -> str:
    """Return the target: the first active location, the repository's default, or else the PID itself."""
    at = _target_position(record.records, record.status)
    if at is not None:
        return record.records[at].uri
    return record.pid if repository.target is None or record.records else default_target(repository.target, record.id)


def content_with(changes: Mapping[str, str], record: Record | None, repository: Repository, identifier: str) -> Content:
    """Return the content of a record, new if None, after these changes; an empty value deletes an element.

    An element with the value that `elements_of` returns changes nothing, so that clients can send back what they
    received. `_owner` and `_status` are for the caller, but a new record can be reserved. The targets are not validated
    yet. Raises `InvalidInput`.
    """
    metadata = record.metadata if record else EMPTY_METADATA
    if is_foreign(metadata):
        raise InvalidInput.at(MEMBER, "this member of the metadata has other content; remove it by the records API")
    present = elements_of(record, repository) if record else {}
    changed = {name: value for name, value in changes.items() if value != present.get(name, "")}
    _require_settable(changed)
    profile = changed.get(PROFILE, present.get(PROFILE)) or default_profile(identifier)
    citation = {name: value for name, value in ({**present, **changed}).items() if value and not name.startswith("_")}
    for name in BLOCKS:
        if name in citation and name not in changed:
            citation[name] = stored_elements(metadata)[name]
    internal = {name: value for name, value in stored_elements(metadata).items() if name in STORED}
    internal |= {name: changed[name].lower() for name in STORED if name in changed}
    defaults = {EXPORT: "yes", PROFILE: default_profile(identifier)}
    internal = {name: value for name, value in internal.items() if value and value != defaults.get(name)}
    new = metadata_with(citation, profile, metadata, present.get(PROFILE))
    member = {**internal, **new.pop(MEMBER, {})}
    return Content(
        _locations(changed.get(TARGET), record),
        ({MEMBER: member} if member else {}) | new,
        record.alternates if record else (),
        record.status if record else parse_status(changes.get(STATUS, "")).status,
        record.ttl if record else None,
    )


def _require_settable(changed: Mapping[str, str]) -> None:
    """Raise `InvalidInput` for an internal element that clients may not set, or a value that is not allowed."""
    for name, value in changed.items():
        if name.startswith("_") and name not in SETTABLE:
            raise InvalidInput.at(name, "this element is not settable")
        if name in BLOCKS and value and (reason := blocks.objection(name, value)):
            raise InvalidInput.at(name, f"metadata validation error: {reason}")
    if changed.get(EXPORT, "yes").lower() not in ("yes", "no"):
        raise InvalidInput.at(EXPORT, "value must be 'yes' or 'no'")
    if changed.get(CROSSREF, "yes").lower() != "yes":
        raise InvalidInput.at(CROSSREF, "value must be 'yes'")
    if changed.get(PROFILE) and not _PROFILE_NAME.fullmatch(changed[PROFILE]):
        raise InvalidInput.at(PROFILE, "it is not the name of a profile")


def _locations(target: str | None, record: Record | None) -> tuple[Location, ...]:
    """Return the locations after the target changed, was deleted (empty) or stays (None).

    The location keeps its other members, but not the checksum, size and last change of the previous target.
    """
    locations = record.records if record else ()
    if target is None:
        return locations
    at = _target_position(locations, record.status if record else ACTIVE)
    before, previous, after = (
        (locations[:at], locations[at], locations[at + 1 :]) if at is not None else ((), Location(target), locations)
    )
    if not target or (record and target == record.pid):
        return (*before, *after)
    changed = replace(previous, uri=target, status=ACTIVE, checksum=None, size=None, last_modified=None)
    return (*before, changed, *after)


def _target_position(locations: tuple[Location, ...], status: str) -> int | None:
    """Return the position of the location that is the target: the first active one; of a tombstone the first."""
    wanted = INACTIVE if status == WITHDRAWN else ACTIVE
    return next((at for at, each in enumerate(locations) if each.status == wanted), None)
