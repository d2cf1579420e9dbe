"""Rules of scheme `pilin`: a timestamp in base 31, reversed; at most one suffix per millisecond for all writers.

Writers reserve runs of milliseconds from a counter row. A suffix is never earlier than its request, and ahead of the
clock by at most one run.

>>> PilinRules().validate("y35xys0qh")
'Y35XYS0QH'
"""

from typing import ClassVar, Final

from coolid.errors import Exhausted
from coolid.identifiers.rules.base import RulesDescription, SequentialRules, Syntax
from coolid.identifiers.schemes import pilin

RUN: Final = 250
"""The milliseconds of a run: a quarter of a second."""
_UNIX_EPOCH: Final = 12_219_292_800_000
"""Milliseconds from 1582-10-15 to 1970-01-01."""


class PilinRules(SequentialRules, frozen=True):
    """The rules of the PILIN policy, which has no options."""

    scheme: ClassVar[str] = "pilin"
    syntax: ClassVar[Syntax] = pilin

    def floor(self, milliseconds: int) -> int:
        """Return the present millisecond since the policy's epoch."""
        return _UNIX_EPOCH + milliseconds

    def key(self, number: int) -> str:
        if number >= pilin.CAPACITY:
            raise Exhausted(pilin.CAPACITY)
        return pilin.encode(number)

    def max_run(self) -> int:
        return RUN

    def max_lead(self) -> int:
        return RUN

    def describe(self) -> RulesDescription:
        lower = pilin.ALPHABET[10:].lower()
        return RulesDescription(
            alphabet=pilin.ALPHABET,
            length=(pilin.SYMBOLS, pilin.SYMBOLS),
            pattern=f"^[{pilin.ALPHABET}{lower}]{{{pilin.SYMBOLS}}}$",
            example="Y35XYS0QH",
            reads=(lower, lower.upper()),
        )
