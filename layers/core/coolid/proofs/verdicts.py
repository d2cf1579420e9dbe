"""Verdicts on records: one sentence for everything that was looked at, whether it held or not.

>>> verdict = Verdict((CheckOutcome("digest", False, "the record was altered"),))
>>> verdict.ok
False
>>> shown("a\\x1b[2J")
"'a\\\\x1b[2J'"
"""

from typing import Any, Final

from msgspec import Struct

_MOST_SHOWN: Final = 120


class CheckOutcome(Struct, frozen=True):
    """One thing that was looked at: `name` for programs, `detail` a sentence for people, fit for any terminal."""

    name: str
    passed: bool
    detail: str


class Verdict(Struct, frozen=True):
    """What came of all checks.

    `complete` says that every version back to the first was there and held; a record whose older versions nobody gave
    may still be `ok`.
    """

    checks: tuple[CheckOutcome, ...]
    complete: bool = False

    @property
    def ok(self) -> bool:
        """Whether there were checks and none failed."""
        return bool(self.checks) and all(check.passed for check in self.checks)


class FailedCheck(Exception):
    """A check that failed and after which the ones that build on it cannot be made."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(detail)
        self.check = CheckOutcome(name, False, detail)


def shown(value: Any) -> str:
    """A foreign value within a sentence: as Python writes it, with nothing unprintable, and cut where it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of thousands of digits; lists within lists within lists
        return f"a {type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
