"""Rules of scheme `cooldoi`: random integers in Crockford's base32, eight symbols, without check digits.

>>> CoolDoiRules().validate("TWOT-YWDJ"), CoolDoiRules().display("tw0tywdj")
('tw0tywdj', 'tw0t-ywdj')
"""

from typing import ClassVar

from coolid.identifiers.rules.base import RandomRules, RulesDescription
from coolid.identifiers.rules.lui import READ_AS, READ_CHARACTERS, SPELLING
from coolid.identifiers.schemes import cooldoi, crockford
from coolid.ports import Entropy


class CoolDoiRules(RandomRules, frozen=True):
    """The rules of Cool DOIs, which have no options."""

    scheme: ClassVar[str] = "cooldoi"

    def compact(self, text: str) -> str:
        """See `Rules`."""
        return cooldoi.compact(text)

    def validate(self, text: str) -> str:
        """See `Rules`."""
        return cooldoi.validate(text)

    def display(self, key: str) -> str:
        """See `Rules`."""
        return crockford.group(key)

    def draw(self, entropy: Entropy, milliseconds: int) -> str:
        """See `RandomRules`."""
        return cooldoi.generate(entropy)

    def describe(self) -> RulesDescription:
        """See `Rules`."""
        return RulesDescription(
            alphabet=cooldoi.ALPHABET,
            length=(cooldoi.SYMBOLS, cooldoi.SYMBOLS),
            pattern=f"^-*({SPELLING}-*){{{cooldoi.SYMBOLS}}}$",
            check=None,
            zone=None,
            folds_case=True,
            example="tw0t-ywdj",
            reads=(READ_CHARACTERS, READ_AS),
        )
