"""Outcomes of rows: done, refused with reasons, or to be tried again later."""

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from coolid.errors import (
    AlreadyWithdrawn,
    BadReference,
    Contended,
    CoolidError,
    CustodyElsewhere,
    CustodyOffered,
    DrawsExhausted,
    Forbidden,
    IdempotencyRecordTaken,
    IdentifierTaken,
    InvalidIdentifier,
    InvalidInput,
    NotFound,
    QuotaExceeded,
    Unavailable,
)
from coolid.model.jobs import RowError

UNEXPECTED: Final = "something went wrong here; the error was logged"
_MAX_REASON: Final = 500
"""Characters of a reason, because a job repeats no long input."""
_FOR_PID: Final = (
    AlreadyWithdrawn, BadReference, CustodyElsewhere, CustodyOffered, Forbidden, InvalidIdentifier, NotFound,
)  # fmt: skip


class Postponed(Struct, frozen=True):
    """A row that cannot be carried out now; it is tried again after some `seconds`."""

    seconds: float


Refusal = tuple[RowError, ...]
"""Why a row was refused: one error for each fault."""


def postponement(error: CoolidError) -> Postponed | None:
    """Return when to try a row again after this error, or None if the row is refused."""
    if isinstance(error, QuotaExceeded):
        return Postponed(error.retry_after)
    if isinstance(error, Contended | IdempotencyRecordTaken):
        return Postponed(1)
    if isinstance(error, Unavailable) and not isinstance(error, DrawsExhausted):
        return Postponed(error.retry_after)
    return None


def refusal(number: int, error: Exception, column_of: Callable[[str], str]) -> Refusal:
    """Return why a row was refused; `column_of` returns the column of the member at a JSON pointer."""
    if isinstance(error, InvalidInput):
        found = [(column_of(each.pointer) if each.pointer else "", each.reason) for each in error.violations]
    elif isinstance(error, IdentifierTaken):
        found = [(column_of("/id"), str(error))]
    elif isinstance(error, _FOR_PID):
        found = [(column_of("/pid"), str(error))]
    elif isinstance(error, CoolidError):
        found = [("", str(error))]
    else:
        found = [("", UNEXPECTED)]
    return tuple(RowError(number, column, reason[:_MAX_REASON]) for column, reason in found)


def text_of(errors: Refusal) -> str:
    """Return the errors of a row as one text, for its result.

    >>> text_of((RowError(3, "Link", "it contains a backslash"), RowError(3, "", "it is too long")))
    'Link: it contains a backslash; it is too long'
    """
    return "; ".join(f"{each.column}: {each.reason}" if each.column else each.reason for each in errors)


def given_pid(document: Any) -> str:
    """Return the PID that a row names, or ""."""
    value = document.get("pid") if isinstance(document, dict) else None
    return value if isinstance(value, str) else ""
