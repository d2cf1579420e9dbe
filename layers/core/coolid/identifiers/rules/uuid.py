"""Rules of scheme `uuid`: 32 hexadecimal digits, of a UUID of version 7 (with the time in it) or 4 (all random).

>>> UuidRules().validate("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")
'017f22e279b07cc398c4dc0c0c07398f'
"""

from typing import ClassVar, Final, Literal

from coolid.identifiers.rules.base import Assertion, RandomRules, RulesDescription, Syntax
from coolid.identifiers.schemes import uuid
from coolid.ports import Clock, Entropy

_EXAMPLES: Final = {7: "017f22e279b07cc398c4dc0c0c07398f", 4: "919108f752d143209bacf847db4148a8"}


class UuidRules(RandomRules, frozen=True):
    """UUIDs of `version` 7 or 4; other versions are invalid."""

    scheme: ClassVar[str] = "uuid"
    syntax: ClassVar[Syntax] = uuid
    version: Literal[4, 7] = 7

    def validate(self, text: str) -> str:
        return uuid.validate(text, (self.version,))

    def draw(self, entropy: Entropy, clock: Clock) -> str:
        return uuid.generate(entropy, clock.milliseconds() if self.version == 7 else None)

    def describe(self) -> RulesDescription:
        digit = "[0-9A-Fa-f]"
        groups = (
            f"{digit}{{8}}",
            f"{digit}{{4}}",
            f"{self.version}{digit}{{3}}",
            f"[89ABab]{digit}{{3}}",
            f"{digit}{{12}}",
        )
        label = "(([Uu][Rr][Nn]:)?[Uu][Uu][Ii][Dd]:)?"
        return RulesDescription(
            alphabet="0123456789abcdef",
            length=(uuid.DIGITS, uuid.DIGITS),
            pattern=f"^{label}({'-'.join(groups)}|{''.join(groups)})$",
            example=_EXAMPLES[self.version],
            labels=2,
            reads=("ABCDEF-", "abcdef"),
        )

    def assertions(self) -> tuple[Assertion, ...]:
        """See `Rules`. Adds the version and variant."""
        version = f"substring($key, 13, 1) = '{self.version}' and contains('89ab', substring($key, 17, 1))"
        return (*RandomRules.assertions(self), Assertion(version, f"It is a UUID of version {self.version}."))
