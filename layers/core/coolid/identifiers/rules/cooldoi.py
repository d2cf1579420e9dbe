"""Rules of scheme `cooldoi`: random integers in Crockford's base32, eight symbols, without check digits.

>>> CoolDoiRules().validate("TWOT-YWDJ"), CoolDoiRules().display("tw0tywdj")
('tw0tywdj', 'tw0t-ywdj')
"""

from typing import ClassVar

from coolid.identifiers.rules.base import RandomRules, RulesDescription, Syntax
from coolid.identifiers.rules.lui import READ_AS, READ_CHARACTERS, SPELLING
from coolid.identifiers.schemes import cooldoi, crockford
from coolid.ports import Clock, Entropy


class CoolDoiRules(RandomRules, frozen=True):
    """The rules of Cool DOIs, which have no options."""

    scheme: ClassVar[str] = "cooldoi"
    syntax: ClassVar[Syntax] = cooldoi

    def display(self, key: str) -> str:
        return crockford.group(key)

    def draw(self, entropy: Entropy, clock: Clock) -> str:
        return cooldoi.generate(entropy)

    def describe(self) -> RulesDescription:
        return RulesDescription(
            alphabet=cooldoi.ALPHABET,
            length=(cooldoi.SYMBOLS, cooldoi.SYMBOLS),
            pattern=f"^-*({SPELLING}-*){{{cooldoi.SYMBOLS}}}$",
            example="tw0t-ywdj",
            reads=(READ_CHARACTERS, READ_AS),
        )
