"""Verdicts on records: one sentence for each check, passed or failed.

>>> verdict = Verdict((CheckOutcome("digest", False, "the record was altered"),))
>>> verdict.ok
False
>>> quoted("a\\x1b[2J")
"'a\\\\x1b[2J'"
"""

from typing import Any, Final

from msgspec import Struct

_MAX_SHOWN_CHARACTERS: Final = 120


class CheckOutcome(Struct, frozen=True):
    """The outcome of one check: `name` for programs, and `detail`, a sentence of printable characters."""

    name: str
    passed: bool
    detail: str


class Verdict(Struct, frozen=True):
    """The outcomes of all checks; `complete` if every version back to the first was supplied and passed.

    `notes` are sentences about what could not be checked, or changed.
    """

    checks: tuple[CheckOutcome, ...]
    complete: bool = False
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there were checks and none failed."""
        return bool(self.checks) and all(check.passed for check in self.checks)


class FailedCheck(Exception):
    """A failed check that prevents the checks after it."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(detail)
        self.check = CheckOutcome(name, False, detail)


def quoted(value: Any) -> str:
    """Return the `repr` of a value, which has only printable characters, cut at 120."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits; lists within lists within lists
        return f"a {type(value).__name__}"
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}…"
