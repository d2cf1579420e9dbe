"""Rules of scheme `chosen`: whoever mints names the identifier; the repository's pattern decides.

>>> ChosenRules(pattern="[a-z]+-[0-9]{4}", example="abc-2021").validate("abc-2021")
'abc-2021'
>>> ChosenRules(pattern="[a-z0-9]+", ignores_hyphens=True).validate("x5-4xz")  # as ARKs do
'x54xz'
"""

from collections.abc import Mapping
from string import ascii_lowercase, ascii_uppercase
from typing import Any, ClassVar, Final

from coolid.errors import InvalidIdentifier, InvalidInput, InvalidPattern
from coolid.identifiers.patterns import is_supported, matches
from coolid.identifiers.rules.base import Assertion, RulesDescription, SuppliedRules
from coolid.identifiers.schemes.ark import HYPHENS
from coolid.ports import Entropy

MOST_BYTES: Final = 512
_NO_HYPHENS: Final = str.maketrans("", "", HYPHENS)
_ASCII_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


class ChosenRules(SuppliedRules, frozen=True):
    """`pattern` in RE2's syntax, which the whole identifier matches; with `folds_case` in any case (of ASCII).

    With `ignores_hyphens`, which ARKs need, the identifier is what is left without them, and the pattern is of that.
    """

    scheme: ClassVar[str] = "chosen"
    pattern: str = r"[!-~]+"
    folds_case: bool = False
    example: str = ""
    ignores_hyphens: bool | None = None  # or the release before could not read the rules that do without

    def __post_init__(self) -> None:
        if not is_supported(self.pattern):
            raise ValueError("the pattern is not a regular expression in RE2's syntax")
        if self.example and not matches(self._pattern(), self._without_hyphens(self.example)):
            raise ValueError("the example does not match the pattern")

    @property
    def hyphens_matter(self) -> bool:
        """As of `Rules`."""
        return not self.ignores_hyphens

    @property
    def case_matters(self) -> bool:
        """As of `Rules`."""
        return not self.folds_case

    def compact(self, text: str) -> str:
        """As of `Rules`."""
        bare = self._without_hyphens(text)
        return bare.translate(_ASCII_LOWER) if self.folds_case else bare

    def validate(self, text: str) -> str:
        """As of `Rules`."""
        key = self.compact(text)
        if len(key.encode(errors="surrogatepass")) > MOST_BYTES:
            raise InvalidIdentifier(text, f"it is longer than {MOST_BYTES} bytes")
        if not {".", ".."}.isdisjoint(key.split("/")):
            raise InvalidIdentifier(text, "a part of it is '.' or '..', which every client takes for a step in a path")
        if not key or not matches(self._pattern(), self._without_hyphens(text)):
            raise InvalidPattern(text, self.pattern)
        return key

    def display(self, key: str) -> str:
        """The identifier as it is compared."""
        return key

    def given(self, parts: Mapping[str, Any], entropy: Entropy) -> str:
        """Nothing can be built here: the caller's `id` is the identifier."""
        raise InvalidInput.at("/id", "identifiers of this repository are chosen: give one as id")

    def describe(self) -> RulesDescription:
        """As of `Rules`."""
        return RulesDescription(
            alphabet="",
            length=(1, MOST_BYTES),
            pattern=f"^{self._pattern()}$",
            check=None,
            zone=None,
            folds_case=self.folds_case,
            example=self.example,
            reads=(HYPHENS, "") if self.ignores_hyphens else ("", ""),
        )

    def _without_hyphens(self, text: str) -> str:
        return text.translate(_NO_HYPHENS) if self.ignores_hyphens else text

    def _pattern(self) -> str:
        return f"(?i)({self.pattern})" if self.folds_case else f"({self.pattern})"

    def assertions(self) -> tuple[Assertion, ...]:
        """The length only: XPath 1.0 has no patterns."""
        return (Assertion(f"string-length($key) <= {MOST_BYTES} and $key != ''", "It has the right length."),)
