"""Rules of scheme `uuid`: 32 hexadecimal digits, of a UUID of version 7 (with the time in it) or 4 (all random).

The version of new identifiers can change. Those of the former version stay valid, because the rules then accept both.

>>> UuidRules().validate("017F22E2-79B0-7CC3-98C4-DC0C0C07398F")
'017f22e279b07cc398c4dc0c0c07398f'
>>> UuidRules(version=7).changed_to(UuidRules(version=4))
UuidRules(version=4, accepts=(7,))
"""

from typing import TYPE_CHECKING, ClassVar, Final, Literal

from coolid.identifiers.rules.base import Assertion, RandomRules, Rules, RulesDescription, Syntax
from coolid.identifiers.schemes import uuid
from coolid.ports import Clock, Entropy

if TYPE_CHECKING:
    from coolid.identifiers.rules.chosen import ChosenRules

Version = Literal[1, 2, 3, 4, 5, 6, 7, 8]
"""The versions of RFC 9562."""

_EXAMPLES: Final = {7: "017f22e279b07cc398c4dc0c0c07398f", 4: "919108f752d143209bacf847db4148a8"}


class UuidRules(RandomRules, frozen=True):
    """UUIDs: new ones of `version` 7 or 4, valid ones also of the versions that it `accepts`."""

    scheme: ClassVar[str] = "uuid"
    syntax: ClassVar[Syntax] = uuid
    version: Literal[4, 7] = 7
    accepts: tuple[Version, ...] | None = None  # None is not stored, for the previous release

    @property
    def _versions(self) -> tuple[Version, ...]:
        return tuple(sorted({self.version, *(self.accepts or ())}))

    def validate(self, text: str) -> str:
        return uuid.validate(text, self._versions)

    def fallback(self) -> "ChosenRules | None":
        """See `Rules`. The previous release has UUIDs of one version only, but patterns for all."""
        if not self.accepts:
            return None
        from coolid.identifiers.rules.chosen import ChosenRules  # with re2, which most redirects do not need

        pattern = f"[0-9a-f]{{12}}{self._digit()}[0-9a-f]{{3}}[89ab][0-9a-f]{{15}}"
        example = _EXAMPLES[self.version]
        return ChosenRules(pattern=pattern, folds_case=True, example=example, ignores_hyphens=True)

    def changed_to(self, new: Rules) -> Rules:
        """See `Rules`."""
        assert isinstance(new, UuidRules)  # rules of a scheme become rules of the same scheme
        accepts = {*self._versions, *new._versions} - {new.version}
        return UuidRules(version=new.version, accepts=tuple(sorted(accepts)) or None)

    def draw(self, entropy: Entropy, clock: Clock) -> str:
        return uuid.generate(entropy, clock.milliseconds() if self.version == 7 else None)

    def describe(self) -> RulesDescription:
        digit = "[0-9A-Fa-f]"
        groups = (
            f"{digit}{{8}}",
            f"{digit}{{4}}",
            f"{self._digit()}{digit}{{3}}",
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
        versions = "".join(map(str, self._versions))
        version = f"contains('{versions}', substring($key, 13, 1)) and contains('89ab', substring($key, 17, 1))"
        if not self.accepts:
            version = f"substring($key, 13, 1) = '{self.version}' and contains('89ab', substring($key, 17, 1))"
        named = " or ".join(versions)
        return (*RandomRules.assertions(self), Assertion(version, f"It is a UUID of version {named}."))

    def _digit(self) -> str:
        """Return the pattern of the digit with the version."""
        return f"[{''.join(map(str, self._versions))}]" if self.accepts else str(self.version)
