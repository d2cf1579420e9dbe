"""The resolution result of a record that is stored here.

Specification: draft-linkgenetic-linkid-uri-01, sections 5.2 and 6; `coolid.linkid.states` has the states. A location is
in the result only if it may be used now: it is active, inside its period, and not on a host that the repository denies.
Only an active record has any. The first one fits the client's preferences best, as for a redirect. A repository's
default target is in no result, because no record states it, so that no client could verify it.
"""

from datetime import datetime
from typing import Final

from msgspec.structs import replace

from coolid.errors import PolicyDenied
from coolid.identifiers.schemes import linkid
from coolid.linkid.results import GONE, ResolutionResult, ResultTarget, ResultTransfer
from coolid.linkid.states import ACTIVE, INACTIVE, withdrawn_state
from coolid.model import custody
from coolid.model.conditions import UP, Health
from coolid.model.locations import is_denied, valid_locations
from coolid.model.records import Location, Record, format_time
from coolid.model.repositories import Repository
from coolid.proofs.key_sets import KEYS_PATH
from coolid.resolution.content_negotiation import ClientPreferences, ranked
from coolid.store.records import RecordReader

UNSIGNED_TARGET: Final = "The record has no location; browsers are redirected to its repository's default target."


def result_of(
    record: Record,
    repository: Repository,
    preferences: ClientPreferences,
    reader: RecordReader,
    now: datetime,
) -> ResolutionResult:
    """Return the result of the current version of a record for a client with these preferences.

    `reader` reads the versions that transferred its custody. Raises `PolicyDenied`.
    """
    result = _withdrawn(record) if record.withdrawn is not None else _located(record, repository, preferences, now)
    return replace(
        result,
        id=linkid.format(record.key),
        version=record.version,
        authoritative=custody.is_authority(record),
        authority=custody.authority_of(record),
        record=record.to_document(),
        keys_url=record.issuer + KEYS_PATH,
        custody=_transfers(record, reader),
    )


def _withdrawn(record: Record) -> ResolutionResult:
    withdrawn = record.withdrawn
    assert withdrawn is not None
    is_revoked = custody.custody_of(record.metadata).state == custody.REVOKED
    return ResolutionResult(
        status=withdrawn_state(withdrawn.successor, revoked=is_revoked),
        error=GONE,
        detail=f"The identifier was withdrawn: {withdrawn.reason}",
        withdrawn_at=format_time(withdrawn.at),
        reason=withdrawn.reason,
        successor=withdrawn.successor,
    )


def _located(record: Record, repository: Repository, preferences: ClientPreferences, now: datetime) -> ResolutionResult:
    usable = valid_locations(record.records, now)
    current = tuple(each for each in usable if not is_denied(each, repository))
    if usable and not current:
        raise PolicyDenied(record.pid)
    if not current:
        is_redirected = not record.records and repository.target is not None
        return ResolutionResult(status=INACTIVE, detail=UNSIGNED_TARGET if is_redirected else None)
    best, others = ranked(current, preferences)
    targets = (*(target_of(each) for each in best), *(target_of(each, fallback=True) for each in others))
    return ResolutionResult(
        status=ACTIVE,
        target_url=targets[0].url,
        last_verified_at=verified_at(record.health, targets[0].url),
        detail=_version_note(record, best[0], preferences.version),
        targets=targets,
    )


def _version_note(record: Record, chosen: Location, requested: str | None) -> str | None:
    """Return a sentence if the client requested a version that the target is not, because results are about now."""
    if requested is None or requested in (chosen.version, str(record.version)):
        return None
    return (
        f"No location is that version, so this is the current version, {record.version}. "
        f"Earlier versions of the record are at {record.pid}?format=linkid&version=NUMBER."
    )


def verified_at(health: Health, uri: str) -> str | None:
    """Return the time of a successful check of a location, None if it was never checked or never passed.

    Only changes are stored beside a record. So for a location that is up it is the time since when all checks passed.
    """
    condition = health.get(uri)
    if condition is None:
        return None
    moment = condition.since if condition.state == UP else condition.good
    return None if moment is None else format_time(moment)


def target_of(location: Location, *, fallback: bool = False) -> ResultTarget:
    """Return the target of a location, which is a `fallback` if another one fits better."""
    return ResultTarget(
        location.uri,
        location.media_type,
        location.language,
        location.quality,
        location.valid_from,
        location.valid_until,
        fallback,
    )


def _transfers(record: Record, reader: RecordReader) -> tuple[ResultTransfer, ...]:
    """Return the transfers of custody with their versions. A version that the store lacks is left out."""
    found = []
    for each in custody.custody_of(record.metadata).transfers:
        version = (
            record if each.version == record.version else reader.superseded(record.repository, record.key, each.version)
        )
        if version is not None:
            found.append(ResultTransfer(each.sender, each.recipient, each.at, version.to_document()))
    return tuple(found)
