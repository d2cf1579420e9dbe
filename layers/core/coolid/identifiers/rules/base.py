"""The interface of minting rules, and its three kinds.

Identifiers of *random* rules are drawn and written if they are free. Those of *sequential* rules are computed from a
number that no two writers share. Those of *supplied* rules are named by the caller, wholly or in part.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from msgspec import Struct, StructMeta
from msgspec.structs import asdict

from coolid.errors import InvalidIdentifier
from coolid.ports import Clock, Entropy


class RulesDescription(Struct, frozen=True):
    """The published description of rules (FAIR PIDs seed: the custodian's alphabet, length, pattern, check and case).

    `pattern` is a regular expression (RE2, anchored) that every accepted spelling matches; `length` is the minimum and
    maximum number of symbols of the compact form; `check` is the check algorithm, `zone` what it covers; `folds_case`
    is true if case does not matter; `example` is a valid identifier.
    """

    alphabet: str
    length: tuple[int, int]
    pattern: str
    example: str
    check: str | None = None
    zone: str | None = None
    folds_case: bool = True
    labels: int = 0
    """The maximum number of labels (`urn:`, `uuid:`) before it."""
    reads: tuple[str, str] = ("", "")
    """Characters, and the characters that they are read as; surplus ones of the first string are ignored."""
    lengths: tuple[int, ...] = ()
    """The only lengths from minimum to maximum; empty if all are possible."""


class Assertion(Struct, frozen=True):
    """A condition of valid identifiers: an XPath 1.0 `test` of the compact form, `$key`, and a sentence."""

    test: str
    message: str


class Syntax(Protocol):
    """A module of `coolid.identifiers.schemes`."""

    def compact(self, text: str) -> str: ...

    def validate(self, text: str) -> str: ...


class _RulesMeta(StructMeta, ABCMeta):
    """The metaclass of structs that may be abstract."""


class Rules(Struct, frozen=True, metaclass=_RulesMeta):
    """The rules by which a repository's identifiers are validated; values, compared by their members."""

    scheme: ClassVar[str]
    syntax: ClassVar[Syntax]

    @property
    def hyphens_matter(self) -> bool:
        """Whether hyphens distinguish identifiers."""
        return False

    @property
    def case_matters(self) -> bool:
        """Whether case distinguishes identifiers."""
        return False

    def validate(self, text: str) -> str:
        """Return the key of a valid identifier, the same for all its spellings; else raise `InvalidIdentifier`."""
        return self.syntax.validate(text)

    def compact(self, text: str) -> str:
        """Return the compact form that `validate` checks: the text without ignored characters."""
        return self.syntax.compact(text)

    def display(self, key: str) -> str:
        """Return the canonical display form of a key, by default the key."""
        return key

    @abstractmethod
    def describe(self) -> RulesDescription:
        """Return the published description of the rules."""

    def assertions(self) -> tuple[Assertion, ...]:
        """Return the assertions of the Schematron schema; by default, alphabet and length."""
        described = self.describe()
        minimum, maximum = described.length
        return (
            Assertion(f"translate($key, '{described.alphabet}', '') = ''", "Its symbols belong to the alphabet."),
            Assertion(
                f"string-length($key) >= {minimum} and string-length($key) <= {maximum}", "It has the right length."
            ),
        )

    def document(self) -> dict[str, Any]:
        """Return the rules as JSON, without members that are None."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def request_document(self) -> dict[str, Any]:
        """Return the rules as JSON with which a repository is created, without what the service draws."""
        members = self.members()
        return {name: value for name, value in self.document().items() if name in members}

    def public_document(self) -> dict[str, Any]:
        """Return the rules as JSON without secrets."""
        return self.document()

    def fallback(self) -> "Rules | None":
        """Return rules that accept the same identifiers and that the previous release reads, if it cannot read these.

        They may not draw. The stores write both, and a release reads those that it can (`coolid.store.rows`).
        """
        return None

    def changed_to(self, new: "Rules") -> "Rules":
        """Return the new rules, of the same scheme, with the acceptance of all identifiers that these accept.

        Raises `ValueError` if they cannot change, because identifiers that are assigned could become invalid.
        """
        raise ValueError(f"the rules of scheme {self.scheme} never change")

    def seeded(self, entropy: Entropy) -> "Rules":
        """Return the rules for a new repository, with their random secret if they have one."""
        return self

    @classmethod
    def members(cls) -> frozenset[str]:
        """Return the member names that the rules' JSON may have."""
        return frozenset(cls.__struct_fields__)


class RandomRules(Rules, frozen=True):
    """Rules whose identifiers are drawn at random."""

    @abstractmethod
    def draw(self, entropy: Entropy, clock: Clock) -> str:
        """Return a random key, which may be taken; the clock is for schemes that contain the time."""


class SequentialRules(Rules, frozen=True):
    """Rules whose identifiers are computed from a counter's numbers, which are reserved in runs and never reused."""

    def floor(self, milliseconds: int) -> int:
        """Return the smallest number that may be reserved at this time (milliseconds since 1970), by default 0."""
        return 0

    @abstractmethod
    def key(self, number: int) -> str:
        """Return the key of a number; raise `Exhausted` if the scheme has no more."""

    def max_run(self) -> int:
        """Return the most numbers to reserve at once, by default 1, because unused numbers are lost."""
        return 1

    def max_lead(self) -> int | None:
        """Return by how much numbers may exceed `floor`; None, the default, if there is no limit."""
        return None

    def safety_gap(self) -> int:
        """Return how many numbers to skip if the last reserved number is unknown, by default 0."""
        return 0


class SuppliedRules(Rules, frozen=True):
    """Rules whose identifiers the caller supplies, wholly or in part."""

    @abstractmethod
    def build_key(self, parts: Mapping[str, Any], entropy: Entropy) -> str:
        """Return the key of the supplied parts; optional ones are drawn. Raises `InvalidInput` below `/parts`."""

    def is_whole(self, parts: Mapping[str, Any]) -> bool:
        """Return whether no part is drawn, so that a retry would give the same key."""
        return True


def is_valid(rules: Rules, text: str) -> bool:
    """Return whether `validate` accepts the text."""
    try:
        rules.validate(text)
    except InvalidIdentifier:
        return False
    return True
