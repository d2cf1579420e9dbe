"""Rules of scheme `pilin`: a timestamp in base 31, reversed; one suffix a millisecond, whatever the number of writers.

A counter row gives out runs of milliseconds; a suffix is never older than the moment when it was asked for, and never
ahead of the clock by more than one run.

>>> PilinRules().validate("y35xys0qh")
'Y35XYS0QH'
"""

from typing import ClassVar, Final

from coolid.errors import Exhausted
from coolid.identifiers.rules.base import RulesDescription, SequentialRules
from coolid.identifiers.schemes import pilin

RUN: Final = 250
_UNIX_EPOCH: Final = 12_219_292_800_000
"""Milliseconds from 1582-10-15 to 1970-01-01."""


class PilinRules(SequentialRules, frozen=True):
    """Nothing to choose: the policy fixes everything."""

    scheme: ClassVar[str] = "pilin"

    def compact(self, text: str) -> str:
        """As of `Rules`."""
        return pilin.compact(text)

    def validate(self, text: str) -> str:
        """As of `Rules`."""
        return pilin.validate(text)

    def display(self, key: str) -> str:
        """As of `Rules`."""
        return pilin.format(key)

    def floor(self, milliseconds: int) -> int:
        """The present millisecond of the policy's count."""
        return _UNIX_EPOCH + milliseconds

    def key(self, number: int) -> str:
        """As of `SequentialRules`."""
        if number >= pilin.CAPACITY:
            raise Exhausted(pilin.CAPACITY)
        return pilin.encode(number)

    def run(self) -> int:
        """A quarter of a second's milliseconds at the most."""
        return RUN

    def ahead(self) -> int:
        """One run."""
        return RUN

    def leap(self) -> int:
        """None: the milliseconds of yesterday are over."""
        return 0

    def describe(self) -> RulesDescription:
        """As of `Rules`."""
        lower = pilin.ALPHABET[10:].lower()
        return RulesDescription(
            alphabet=pilin.ALPHABET,
            length=(pilin.SYMBOLS, pilin.SYMBOLS),
            pattern=f"^[{pilin.ALPHABET}{lower}]{{{pilin.SYMBOLS}}}$",
            check=None,
            zone=None,
            folds_case=True,
            example="Y35XYS0QH",
            reads=(lower, lower.upper()),
        )
