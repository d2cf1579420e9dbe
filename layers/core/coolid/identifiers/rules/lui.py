"""Rules of scheme `lui`: random integers in Crockford's base32 with two check digits.

>>> rules = LuiRules(symbols=6)
>>> rules.validate("079J-XH42"), rules.display("079jxh42")
('079jxh42', '079j-xh42')
"""

from typing import ClassVar, Final

from coolid.identifiers.rules.base import Assertion, RandomRules, RulesDescription, Syntax
from coolid.identifiers.schemes import crockford, lui
from coolid.ports import Clock, Entropy

READ_CHARACTERS: Final = crockford.ALPHABET[10:].upper() + "oOiIlL-"
READ_AS: Final = crockford.ALPHABET[10:] + "001111"
SPELLING: Final = "[0-9A-TV-Za-tv-z]"  # every letter but U; I, L and O are read as digits


class LuiRules(RandomRules, frozen=True):
    """LUIs of `symbols` base32 symbols (1 to 12) and two check digits."""

    scheme: ClassVar[str] = "lui"
    syntax: ClassVar[Syntax] = lui
    symbols: int = lui.DEFAULT_SYMBOLS

    def __post_init__(self) -> None:
        if not 1 <= self.symbols <= crockford.MAX_SYMBOLS:
            raise ValueError(f"symbols must be from 1 to {crockford.MAX_SYMBOLS}")

    def validate(self, text: str) -> str:
        return crockford.validate(text, self.symbols, checked=True)

    def display(self, key: str) -> str:
        return crockford.group(key)

    def draw(self, entropy: Entropy, clock: Clock) -> str:
        return crockford.generate(entropy, self.symbols, checked=True)

    def assertions(self) -> tuple[Assertion, ...]:
        """See `Rules`. MOD 97-10 is computed from the symbols, with the weights of their positions modulo 97."""
        total = " + ".join(
            f"{pow(32, self.symbols - position, 97)} * "
            f"string-length(substring-before('{crockford.ALPHABET}', substring($key, {position}, 1)))"
            for position in range(1, self.symbols + 1)
        )
        check = f"98 - (100 * ({total})) mod 97 = number(substring($key, {self.symbols + 1}))"
        return (*super().assertions(), Assertion(check, "Its check digits fit the other symbols."))

    def describe(self) -> RulesDescription:
        length = self.symbols + crockford.CHECK_DIGITS
        digit = "[0-9OoIiLl]"
        return RulesDescription(
            alphabet=crockford.ALPHABET,
            length=(length, length),
            pattern=f"^-*({SPELLING}-*){{{self.symbols}}}{digit}-*{digit}-*$",
            check="ISO 7064 MOD 97-10",
            zone="the integer that the symbols before the two check digits stand for",
            example=crockford.format(crockford.encode(923446243762 % 32**self.symbols, self.symbols, checked=True)),
            reads=(READ_CHARACTERS, READ_AS),
        )
