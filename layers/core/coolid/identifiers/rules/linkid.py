"""The public description of the identifiers under the prefix `linkid`, whatever the rules of its repository are.

No repository has these rules: its own say which identifiers it has and how they are drawn. They are only the syntax
that the schemas and descriptions of the prefix publish (draft-linkgenetic-linkid-uri-01, section 3).

>>> LinkidRules().validate("00C538EA-846B-47A6-A3D4-70A9EBD29D7C")
'00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
"""

from typing import ClassVar, Final

from coolid.identifiers.rules.base import Assertion, Rules, RulesDescription, Syntax
from coolid.identifiers.schemes import linkid, spelling, uuid

LENGTH: Final = 36
_EXAMPLE: Final = "00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
"""The example of the draft, section 3.2."""
_HEX: Final = "0123456789abcdef"


class LinkidRules(Rules, frozen=True):
    """UUIDs of any version with their hyphens, in either case, and nothing else."""

    scheme: ClassVar[str] = linkid.NAME
    syntax: ClassVar[Syntax] = uuid

    def validate(self, text: str) -> str:
        return uuid.format(linkid.validate_uuid(text))

    def compact(self, text: str) -> str:
        return spelling.lower(text)

    def describe(self) -> RulesDescription:
        digit = "[0-9A-Fa-f]"
        return RulesDescription(
            alphabet=f"{_HEX}-",
            length=(LENGTH, LENGTH),
            pattern=f"^{digit}{{8}}(-{digit}{{4}}){{3}}-{digit}{{12}}$",
            example=_EXAMPLE,
            reads=("ABCDEF", "abcdef"),
        )

    def assertions(self) -> tuple[Assertion, ...]:
        """See `Rules`. Adds the places of the hyphens."""
        shape = f"translate($key, '{_HEX}', '{'0' * len(_HEX)}') = '{_hidden(_EXAMPLE)}'"
        return (*Rules.assertions(self), Assertion(shape, "Its hyphens divide it into 8-4-4-4-12 digits."))


def _hidden(text: str) -> str:
    """Return the text with 0 for each digit."""
    return "".join("-" if symbol == "-" else "0" for symbol in text)
