"""The prefixes that an import lacks, with the rules that admit the names of the dump, and their creation.

>>> missing = MissingPrefixes()
>>> for each in ("ark:/99999/fk4gt78tq", "ark:/99999/fk4-b4"):
...     _ = missing.add(each)
>>> [plan] = missing.plans()
>>> plan.name, plan.count, plan.rules.pattern
('ark:99999/fk4', 2, '[0-9a-z]{2,}')
"""

import json
import re
from collections.abc import Iterable, Mapping
from shlex import quote
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.schemes import ark
from coolid.migration.identifier_namespaces import possible_prefix
from coolid.model.prefixes import Namespace, has_handles
from coolid.model.repositories import Repository
from coolid.ports import Clock, Entropy
from coolid.registry.registration import create_repository, register_namespace
from coolid.store.store import Store

MAX_PREFIXES: Final = 10_000
_CLASSES: Final = {"0-9": re.compile("[0-9]"), "a-z": re.compile("[a-z]"), "A-Z": re.compile("[A-Z]")}
_MAX_SYMBOLS: Final = 200
_ANYTHING: Final = r"[^\x00-\x20\x7f]"
_NO_HYPHENS: Final = str.maketrans("", "", ark.HYPHENS)
_NO_PLANS: Final[Mapping[str, Rules]] = MappingProxyType({})


class PrefixPlan(Struct, frozen=True):
    """A prefix to create: its folded name, the number of identifiers that need it, and the rules of its repository.

    `first_number` is that of a continued minter, else 0.
    """

    name: str
    count: int
    rules: Rules
    first_number: int = 0

    def commands(self) -> tuple[str, str]:
        """Return the commands that create the repository and the prefix; the second needs the id from the first."""
        rules = quote(json.dumps(self.rules.document(), ensure_ascii=False))
        name = quote(self.name)
        return (
            f"coolid repositories create --title {name} --scheme {self.rules.scheme} --rules {rules}",
            f"coolid prefixes create {name} --repository ID",
        )

    def namespace(self, clock: Clock) -> Namespace:
        """Return the namespace without storing it, for a preview."""
        now = clock.now()
        owner = Repository("", self.name, now, now, self.rules, canonical=self.name)
        return Namespace(name=self.name, repository=owner, created=now, updated=now)

    def create(self, store: Store, clock: Clock, entropy: Entropy) -> Namespace:
        """Create the repository, its counter and the prefix. Raises `InvalidInput`, `PrefixTaken` and store errors."""
        draft = replace(self.namespace(clock).repository, canonical=None)
        owner = create_repository(draft, store.repositories, entropy)
        if self.first_number:
            store.counters.reserve(owner.id, self.first_number, 0)
        return register_namespace(
            self.name, owner.id, "", prefixes=store.prefixes, repositories=store.repositories, clock=clock
        )


class _Names(Struct):
    """What the names under a prefix have in common."""

    first: str
    count: int = 0
    shortest: int = 1_000
    symbols: set[str] = field(default_factory=set)

    def add(self, name: str) -> None:
        self.count += 1
        self.shortest = min(self.shortest, len(name))
        if len(self.symbols) < _MAX_SYMBOLS:
            self.symbols.update(name)

    def merge(self, other: "_Names", prefix: str) -> None:
        """Add other names, to which a prefix is added."""
        self.count += other.count
        self.shortest = min(self.shortest, len(prefix) + other.shortest)
        self.symbols.update(other.symbols, prefix)


class MissingPrefixes:
    """Collects identifiers without a namespace, by the prefix that each needs."""

    def __init__(self) -> None:
        self._names: dict[str, _Names] = {}

    def add(self, identifier: str) -> str | None:
        """Add an identifier and return the prefix that it needs, or None if there is no such prefix."""
        found = possible_prefix(identifier)
        if found is None or (found[0] not in self._names and len(self._names) >= MAX_PREFIXES):
            return None
        prefix, name = found
        if prefix.startswith(ark.LABEL):
            name = name.translate(_NO_HYPHENS)
        self._names.setdefault(prefix, _Names(name)).add(name)
        return prefix

    def plans(self, continued: Mapping[str, Rules] = _NO_PLANS) -> list[PrefixPlan]:
        """Return the prefixes to create, in the order of their names, without those of `continued` minters.

        A NAAN that has names without a shoulder gets one repository for all its names, because rules that admit those
        would also admit the names under its shoulders.
        """
        names = {name: each for name, each in self._names.items() if name not in continued}
        naans = [name for name in names if name.startswith(ark.LABEL) and "/" not in name]
        for naan in naans:
            for name in [each for each in names if each.startswith(f"{naan}/")]:
                names[naan].merge(names.pop(name), name.removeprefix(f"{naan}/"))
        return [PrefixPlan(name, names[name].count, _rules(name, names[name])) for name in sorted(names)]


def _rules(prefix: str, names: _Names) -> ChosenRules:
    is_ark, folds_case = prefix.startswith(ark.LABEL), has_handles(prefix)
    return ChosenRules(
        pattern=f"{_symbol_class(names.symbols)}{{{names.shortest},}}" if names.shortest else r"[!-~]+",
        folds_case=folds_case,
        example=names.first,
        ignores_hyphens=is_ark or None,
    )


def _symbol_class(symbols: Iterable[str]) -> str:
    """Return a class (RE2) of the symbols, with all digits if one is, and likewise letters."""
    others = set(symbols)
    if len(others) >= _MAX_SYMBOLS:
        return _ANYTHING
    classes = ""
    for name, pattern in _CLASSES.items():
        found = {each for each in others if pattern.fullmatch(each)}
        classes += name if found else ""
        others -= found
    return f"[{classes}{''.join(map(_escaped, sorted(others)))}]"


def _escaped(symbol: str) -> str:
    return re.escape(symbol) if symbol.isascii() else f"\\x{{{ord(symbol):X}}}"
