"""The comparison of a resolution result with its verified record: status, targets, withdrawal, version and authority.

Members that no signature covers grant nothing: a target must be a location of the record that is usable now. Clocks may
differ by `CLOCK_TOLERANCE`. A result that says `inactive` may be as old as a cache may return it.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from coolid.linkid.results import ResolutionResult
from coolid.linkid.states import ACTIVE, INACTIVE, withdrawn_state
from coolid.model import custody, records
from coolid.model.locations import is_valid_at
from coolid.proofs.verdicts import CheckOutcome, FailedCheck, quoted

STATUS: Final = "status"
TARGET: Final = "target"
AUTHORITY: Final = "authority"
CLOCK_TOLERANCE: Final = timedelta(minutes=5)
MAX_STALENESS: Final = timedelta(days=1)
"""The age of a cached result that a resolver may return while the authority cannot be reached."""


def compare(
    result: ResolutionResult, record: Mapping[str, Any], authority: str, now: datetime
) -> Iterator[CheckOutcome]:
    """Yield the passed checks. Raises `FailedCheck` for what contradicts the record.

    `authority` is the issuer who has the record after this version.
    """
    state = state_of(record)
    locations = list(_locations(record))
    if result.status != state and (result.status, state) != (INACTIVE, ACTIVE):
        raise FailedCheck(STATUS, f"the status is {result.status}, by the record it is {state}")
    if result.status == INACTIVE and any(_is_surely_usable(location, now) for location in locations):
        raise FailedCheck(STATUS, f"the status is {INACTIVE}, but the record has a usable location")
    for name, expected in _repeated(record).items():
        if getattr(result, name) not in (None, expected):
            raise FailedCheck(
                STATUS, f"the {name} is {quoted(getattr(result, name))}, by the record {quoted(expected)}"
            )
    yield CheckOutcome(STATUS, True, f"the status, {result.status}, is that of the record")
    usable = {location.uri for location in locations if result.status == ACTIVE and _is_usable(location, now)}
    named: list[str | None] = [target.url for target in result.targets]
    named += [result.target_url] if result.target_url is not None or result.status == ACTIVE else []
    if unusable := [url for url in named if url not in usable]:
        raise FailedCheck(TARGET, f"the target {quoted(unusable[0])} is no usable location of the record")
    yield CheckOutcome(TARGET, True, "the target is a usable location of the record" if named else "it has no target")
    if result.authority not in (None, authority):
        raise FailedCheck(AUTHORITY, f"the authority is {quoted(result.authority)}, by the record {quoted(authority)}")
    yield CheckOutcome(AUTHORITY, True, f"by the record, the authority is {quoted(authority)}")


def state_of(document: Mapping[str, Any]) -> str:
    """Return the state of a verified document; active also without a usable location. Raises `FailedCheck`."""
    status = document["status"]
    if status == records.ACTIVE:
        return ACTIVE
    if status != records.WITHDRAWN:
        raise FailedCheck(STATUS, f"the record is {quoted(status)}, so it is not public")
    is_revoked = custody.stated_custody(document).state == custody.REVOKED
    return withdrawn_state(_mapping(document.get("withdrawn")).get("successor"), revoked=is_revoked)


def _repeated(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a result that repeat what the record says."""
    withdrawn = _mapping(record.get("withdrawn"))
    return {
        "version": record["version"],
        "withdrawn_at": withdrawn.get("at"),
        "reason": withdrawn.get("reason"),
        "successor": withdrawn.get("successor"),
    }


def _locations(record: Mapping[str, Any]) -> Iterator[records.Location]:
    """Yield the locations of a document that can be understood."""
    listed = record.get("records")
    for member in listed if isinstance(listed, list) else ():
        with suppress(TypeError, KeyError, ValueError, AttributeError):
            location = records.Location.from_document(member)
            if isinstance(location.uri, str):
                yield location


def _is_usable(location: records.Location, now: datetime) -> bool:
    """Return whether a location is valid now, by a clock that may be wrong."""
    return any(_is_valid_at(location, now + offset) for offset in (-CLOCK_TOLERANCE, timedelta(0), CLOCK_TOLERANCE))


def _is_surely_usable(location: records.Location, now: datetime) -> bool:
    """Return whether a location is valid now, and was when the oldest result was made that may still be cached."""
    return all(_is_valid_at(location, now + offset) for offset in (-MAX_STALENESS, -CLOCK_TOLERANCE, CLOCK_TOLERANCE))


def _is_valid_at(location: records.Location, moment: datetime) -> bool:
    try:
        return is_valid_at(location, moment)
    except (TypeError, ValueError):  # a time in a form that no service of coolid writes
        return False


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
