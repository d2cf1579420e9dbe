"""The prefixes that an import lacks, with the rules that admit the names of the dump, and their creation.

>>> missing = MissingPrefixes()
>>> for each in ("ark:/99999/fk4gt78tq", "ark:/99999/fk4-b4"):
...     _ = missing.add(each)
>>> [plan] = missing.plans()
>>> plan.name, plan.count, plan.rules.pattern
('ark:99999/fk4', 2, '[0-9a-z]+')
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from shlex import quote
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.schemes import ark
from coolid.migration.identifier_namespaces import possible_prefix
from coolid.migration.minter_states.minter_state import MinterState
from coolid.model.prefixes import Namespace, has_handles
from coolid.model.repositories import Repository
from coolid.ports import Clock, Entropy
from coolid.registry.registration import create_repository, register_namespace
from coolid.store.store import Store

MAX_PREFIXES: Final = 10_000
_CLASSES: Final = {"0-9": re.compile("[0-9]"), "a-z": re.compile("[a-z]"), "A-Z": re.compile("[A-Z]")}
_MAX_SYMBOLS: Final = 200
_MANY_DIGITS: Final = 5
"""So many shoulders that differ only in their digit are probably the beginnings of names, not shoulders."""
_ANYTHING: Final = r"[^\x00-\x20\x7f]"
_NO_HYPHENS: Final = str.maketrans("", "", ark.HYPHENS)
_NO_STATES: Final[Mapping[str, MinterState]] = MappingProxyType({})


class PrefixPlan(Struct, frozen=True):
    """A prefix to create: its folded name, the number of identifiers that need it, and the rules of its repository.

    `state` is the minter that the rules continue, if there is one.
    """

    name: str
    count: int
    rules: Rules
    state: MinterState | None = None

    def commands(self) -> tuple[str, ...]:
        """Return the commands that create the repository and the prefix; the second needs the id from the first."""
        rules = quote(json.dumps(self.rules.request_document(), ensure_ascii=False))
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
        """Create the repository and the prefix. Raises `InvalidInput`, `PrefixTaken`, `Contended`, store errors."""
        draft = replace(self.namespace(clock).repository, canonical=None)
        owner = create_repository(draft, store.repositories, entropy)
        return register_namespace(
            self.name, owner.id, "", prefixes=store.prefixes, repositories=store.repositories, clock=clock
        )


class _Names(Struct):
    """What the names under a prefix have in common."""

    first: str
    count: int = 0
    shortest: int = 1_000
    symbols: frozenset[str] = frozenset()

    def add(self, name: str) -> None:
        self.count += 1
        self.shortest = min(self.shortest, len(name))
        if len(self.symbols) < _MAX_SYMBOLS:
            self.symbols |= frozenset(name)

    def merge(self, other: "_Names", prefix: str) -> None:
        """Add other names, to which a prefix is added."""
        self.count += other.count
        self.shortest = min(self.shortest, len(prefix) + other.shortest)
        self.symbols |= other.symbols | frozenset(prefix)


class MissingPrefixes:
    """Collects identifiers without a namespace by the prefix that each needs; `states` are the minters by prefix."""

    def __init__(self, states: Mapping[str, MinterState] = _NO_STATES) -> None:
        self._names: dict[str, _Names] = {}
        self._states = states

    def add(self, identifier: str) -> str | None:
        """Add an identifier and return the prefix that it needs, or None if there is no such prefix."""
        found = self._continued(identifier) or possible_prefix(identifier)
        if found is None or (found[0] not in self._names and len(self._names) >= MAX_PREFIXES):
            return None
        prefix, name = found
        if prefix.startswith(ark.LABEL):
            name = name.translate(_NO_HYPHENS)
        if not name:
            return None
        self._names.setdefault(prefix, _Names(name)).add(name)
        return prefix

    def _continued(self, identifier: str) -> tuple[str, str] | None:
        """Return the prefix of a continued minter and the name under it, also of an ARK with a slash between both."""
        divisions = ark.divisions(identifier) if identifier[:4].lower() == ark.LABEL else ()
        return next((each for each in divisions if each[0] in self._states and each[1]), None)

    def plans(self) -> list[PrefixPlan]:
        """Return the prefixes to create: those of continued minters first, in the order of their names.

        A NAAN that has names without a shoulder gets one repository for all its names but those of continued minters.
        Rules that admit these names would also admit the names under its shoulders. A NAAN also gets one repository if
        its names are alike up to their first digit, as under EZID's oldest shoulders (`ark:/13030/tf`).
        """
        names = {name: replace(each) for name, each in self._names.items()}
        own = [name for name in names if name.startswith(ark.LABEL) and "/" in name and name not in self._states]
        naans = [name for name in names if name.startswith(ark.LABEL) and "/" not in name]
        for naan in dict.fromkeys((*naans, *_naans_without_shoulders(own))):
            for name in [each for each in own if each.startswith(f"{naan}/")]:
                shoulder = name.removeprefix(f"{naan}/")
                merged = names.setdefault(naan, _Names(shoulder + names[name].first))
                merged.merge(names.pop(name), shoulder)
        ordered = sorted(names, key=lambda name: (name not in self._states, name))
        return [_plan(name, names[name], self._states.get(name)) for name in ordered]


def _naans_without_shoulders(prefixes: Iterable[str]) -> list[str]:
    """Return the NAANs under which many of these shoulders differ only in their digit.

    >>> _naans_without_shoulders(["ark:13030/m5", *(f"ark:13030/tf{digit}" for digit in range(5)), "ark:99999/fk4"])
    ['ark:13030']
    """
    stems = Counter(prefix[:-1] for prefix in prefixes)
    return [stem.partition("/")[0] for stem, count in stems.items() if count >= _MANY_DIGITS]


def _plan(name: str, names: _Names, state: MinterState | None) -> PrefixPlan:
    is_naan = name.startswith(ark.LABEL) and "/" not in name  # which must not admit a shoulder alone as a name
    pattern = _symbol_class(names.symbols) + (f"{{{names.shortest},}}" if is_naan else "+")
    if state is not None:
        return PrefixPlan(name, names.count, replace(state.rules, also=state.rules.also or pattern), state)
    is_ark, folds_case = name.startswith(ark.LABEL), has_handles(name)
    rules = ChosenRules(pattern, folds_case, names.first, ignores_hyphens=is_ark or None)
    return PrefixPlan(name, names.count, rules)


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
