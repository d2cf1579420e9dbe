"""Rules of scheme `chosen`: the caller supplies the identifier, which must match the repository's pattern.

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

MAX_BYTES: Final = 512
_NO_HYPHENS: Final = str.maketrans("", "", HYPHENS)
_ASCII_LOWER: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


class ChosenRules(SuppliedRules, frozen=True):
    """Identifiers that match `pattern` (RE2) as a whole; with `folds_case`, in any ASCII case.

    With `ignores_hyphens`, for ARKs, hyphens are removed before the match and from the key.
    """

    scheme: ClassVar[str] = "chosen"
    pattern: str = r"[!-~]+"
    folds_case: bool = False
    example: str = ""
    ignores_hyphens: bool | None = None  # None is not stored, for the previous release

    def __post_init__(self) -> None:
        if not is_supported(self.pattern):
            raise ValueError("the pattern is not a regular expression in RE2's syntax")
        if self.example and not matches(self._pattern(), self._without_hyphens(self.example)):
            raise ValueError("the example does not match the pattern")

    @property
    def hyphens_matter(self) -> bool:
        return not self.ignores_hyphens

    @property
    def case_matters(self) -> bool:
        return not self.folds_case

    def compact(self, text: str) -> str:
        bare = self._without_hyphens(text)
        return bare.translate(_ASCII_LOWER) if self.folds_case else bare

    def validate(self, text: str) -> str:
        key = self.compact(text)
        if len(key.encode(errors="surrogatepass")) > MAX_BYTES:
            raise InvalidIdentifier(text, f"it is longer than {MAX_BYTES} bytes")
        if not {".", ".."}.isdisjoint(key.split("/")):
            raise InvalidIdentifier(text, "a part of it is '.' or '..', which every client takes for a step in a path")
        if not key or not matches(self._pattern(), self._without_hyphens(text)):
            raise InvalidPattern(text, self.pattern)
        return key

    def build_key(self, parts: Mapping[str, Any], entropy: Entropy) -> str:
        """Raise `InvalidInput`, because the identifier is the caller's `id`, not built from parts."""
        raise InvalidInput.at("/id", "identifiers of this repository are chosen: give one as id")

    def describe(self) -> RulesDescription:
        return RulesDescription(
            alphabet="",
            length=(1, MAX_BYTES),
            pattern=f"^{self._pattern()}$",
            folds_case=self.folds_case,
            example=self.example,
            reads=(HYPHENS, "") if self.ignores_hyphens else ("", ""),
        )

    def _without_hyphens(self, text: str) -> str:
        return text.translate(_NO_HYPHENS) if self.ignores_hyphens else text

    def _pattern(self) -> str:
        return f"(?i)({self.pattern})" if self.folds_case else f"({self.pattern})"

    def assertions(self) -> tuple[Assertion, ...]:
        """Return only the length, because XPath 1.0 has no patterns."""
        return (Assertion(f"string-length($key) <= {MAX_BYTES} and $key != ''", "It has the right length."),)
