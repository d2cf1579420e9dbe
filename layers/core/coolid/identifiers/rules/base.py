"""What rules owe, whatever the scheme, and the three ways in which identifiers come to be.

*Drawn* ones are thrown like dice and written if nobody has them; *counted* ones are computed from a number that no
two writers share; *given* ones are named by the caller, wholly or in part.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct, StructMeta
from msgspec.structs import asdict

from coolid.errors import InvalidIdentifier
from coolid.ports import Entropy


class RulesDescription(Struct, frozen=True):
    """The rules in public (FAIR PIDs seed: the custodian's alphabet, length, pattern, check and case).

    `pattern` is a regular expression (RE2, anchored) that every accepted spelling matches; `length` counts the
    symbols of the compact form, the least and the most; `check` names the check algorithm, `zone` what it covers;
    `folds_case` if case does not matter; `example` is a valid identifier.
    """

    alphabet: str
    length: tuple[int, int]
    pattern: str
    check: str | None
    zone: str | None
    folds_case: bool
    example: str
    labels: int = 0
    """How many labels (`urn:`, `uuid:`) may stand before it."""
    reads: tuple[str, str] = ("", "")
    """Which characters are read as which; those of the first that the second is too short for are ignored."""


class Assertion(Struct, frozen=True):
    """What must hold of a valid identifier: an XPath 1.0 `test` of its compact form, `$key`, and a sentence."""

    test: str
    message: str


class _RulesMeta(StructMeta, ABCMeta):
    """Makes values of which the abstract ones cannot be made."""


class Rules(Struct, frozen=True, metaclass=_RulesMeta):
    """Judges spellings of a repository's identifiers. Values: equal rules are interchangeable."""

    scheme: ClassVar[str]

    @property
    def hyphens_matter(self) -> bool:
        """Whether identifiers that differ in hyphens are different."""
        return False

    @property
    def case_matters(self) -> bool:
        """Whether identifiers may differ in case alone."""
        return False

    @abstractmethod
    def validate(self, text: str) -> str:
        """The key of a valid identifier, the same for all its spellings; `InvalidIdentifier` with the reason."""

    @abstractmethod
    def compact(self, text: str) -> str:
        """What `validate` judges: the text without what the scheme ignores; unchecked."""

    @abstractmethod
    def display(self, key: str) -> str:
        """The canonical form for people of a key."""

    @abstractmethod
    def describe(self) -> RulesDescription:
        """The rules in public."""

    def assertions(self) -> tuple[Assertion, ...]:
        """What validation schemas that can compute are to check; alphabet and length where that is all."""
        described = self.describe()
        least, most = described.length
        return (
            Assertion(f"translate($key, '{described.alphabet}', '') = ''", "Its symbols belong to the alphabet."),
            Assertion(f"string-length($key) >= {least} and string-length($key) <= {most}", "It has the right length."),
        )

    def document(self) -> dict[str, Any]:
        """The rules as JSON, those that say something."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def public_document(self) -> dict[str, Any]:
        """The rules as JSON for everybody."""
        return self.document()

    def seeded(self, entropy: Entropy) -> "Rules":
        """The rules for a new repository, with whatever they need to draw once and for all."""
        return self

    @classmethod
    def members(cls) -> frozenset[str]:
        """The names that the rules' JSON may have."""
        return frozenset(cls.__struct_fields__)


class RandomRules(Rules, frozen=True):
    """Identifiers are drawn."""

    @abstractmethod
    def draw(self, entropy: Entropy, milliseconds: int) -> str:
        """A key that perhaps nobody has; the time is since 1970, for schemes that have it in them."""


class SequentialRules(Rules, frozen=True):
    """Identifiers are computed from numbers that a counter row hands out in runs, never twice."""

    @abstractmethod
    def floor(self, milliseconds: int) -> int:
        """The least number that may be taken at this time (since 1970)."""

    @abstractmethod
    def key(self, number: int) -> str:
        """The key of a number; `Exhausted` where the scheme has no more."""

    @abstractmethod
    def run(self) -> int:
        """How many numbers a writer takes at once at the most."""

    @abstractmethod
    def ahead(self) -> int | None:
        """By how much numbers may exceed `floor`; None where it is no matter."""

    @abstractmethod
    def leap(self) -> int:
        """How many numbers to pass over where it is not known which the last one was that somebody took."""


class SuppliedRules(Rules, frozen=True):
    """Identifiers are named by the caller, wholly or in part."""

    @abstractmethod
    def given(self, parts: Mapping[str, Any], entropy: Entropy) -> str:
        """The key of what the caller gives, what may be left out drawn; `InvalidInput` points into `/parts`."""

    def is_whole(self, parts: Mapping[str, Any]) -> bool:
        """Whether nothing is left to be drawn, so that trying again would be in vain."""
        return True


def is_valid(rules: Rules, text: str) -> bool:
    """Whether `validate` would accept it."""
    try:
        rules.validate(text)
    except InvalidIdentifier:
        return False
    return True
