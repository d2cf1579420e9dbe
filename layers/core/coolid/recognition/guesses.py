"""Guesses about a text from all registered prefixes: those whose patterns it matches, and those with a similar name.

A pattern is specific if it matches few examples of other prefixes, so each pattern's `share` of them is counted once.
Texts that are words or numbers match too many patterns to be guessed. All patterns are matched together, in linear
time (RE2). Both indexes are derived from the list of prefixes (`coolid.registry.directory`).
"""

from collections.abc import Iterator
from typing import Final

import re2
from msgspec import Struct

from coolid.identifiers.patterns import matches
from coolid.model.prefixes import NUMBERED, ProviderPrefix, Synonym, fold, join
from coolid.recognition.detection import judge
from coolid.recognition.labels import label_key, without_generic
from coolid.recognition.mentions import trim
from coolid.registry.directory import Directory
from coolid.resolution.identifier_spellings import foreign_identifier
from coolid.resolution.near_names import NearNames
from coolid.store.prefixes import Prefixes
from coolid.store.reader import Reader

MAX_GUESSES: Final = 5
MAX_CHARACTERS: Final = 64
MAX_TITLED: Final = 160
"""The characters of a title and an identifier."""
MAX_EXAMPLES: Final = 1000
"""The examples against which patterns are counted."""
MAX_SHARE: Final = 0.03
"""The largest share of examples that a specific pattern matches."""
MIN_NAME: Final = 3
"""The characters of the shortest name for which a similar one is suggested."""
_MAX_RANKED: Final = MAX_GUESSES + len(NUMBERED)
"""The first prefixes of one pattern. All guesses are among them, because only the numbered ones can be dropped."""
MAX_MEMORY: Final = 16 << 20
"""Bytes of the automaton of all patterns."""


class _Pattern(Struct):
    """The prefixes with one pattern, the best first, and the number of examples that it matches."""

    prefixes: list[ProviderPrefix]
    count: int = 0


class PatternIndex:
    """The patterns of all provider prefixes, with the share of examples that each matches. Safe between threads.

    A text with wrong check digits matches the pattern of its prefix, but is no guess of it.
    """

    def __init__(self, prefixes: Prefixes) -> None:
        options = re2.Options()
        options.log_errors, options.max_mem = False, MAX_MEMORY
        self._set = re2.Set.FullMatchSet(options)
        self._patterns: list[_Pattern] = []
        by_pattern: dict[str, _Pattern] = {}
        providers = [each for each in prefixes if isinstance(each, ProviderPrefix)]
        for prefix in providers:
            if prefix.pattern and not prefix.deprecated:
                self._add(prefix, prefix.pattern, by_pattern)
        self._set.Compile()
        examples = sorted({prefix.example for prefix in providers if prefix.example})
        counted = examples[:: max(1, len(examples) // MAX_EXAMPLES)]
        for example in counted:
            for pattern in self._matching(example):
                pattern.count += 1
        for pattern in self._patterns:
            ranked = sorted((_rank(each, pattern), at) for at, each in enumerate(pattern.prefixes))
            pattern.prefixes = [pattern.prefixes[at] for _, at in ranked]
        self._most = MAX_SHARE * len(counted)

    def guesses(self, text: str) -> tuple[str, ...]:
        """Return the CURIEs that a text could be without its prefix, the most specific first."""
        if len(text) > MAX_CHARACTERS or not _is_distinctive(text):
            return ()
        specific = [pattern for pattern in self._matching(text) if pattern.count <= self._most]
        candidates = ((pattern, each) for pattern in specific for each in pattern.prefixes[:_MAX_RANKED])
        ranked = sorted((_rank(each, pattern), each.name) for pattern, each in candidates)
        possible = [name for _, name in ranked if name not in NUMBERED or judge(name, text).valid]
        return tuple(join(name, text) for name in possible[:MAX_GUESSES])

    def _add(self, prefix: ProviderPrefix, written: str, by_pattern: dict[str, _Pattern]) -> None:
        if written not in by_pattern:
            try:
                self._set.Add(written)
            except re2.error:
                return
            by_pattern[written] = _Pattern([])
            self._patterns.append(by_pattern[written])
        by_pattern[written].prefixes.append(prefix)

    def _matching(self, text: str) -> Iterator[_Pattern]:
        try:
            return iter([self._patterns[at] for at in self._set.Match(text) or ()])
        except UnicodeEncodeError:  # a lone surrogate
            return iter(())


class NameIndex:
    """The names, synonyms and titles of all prefixes."""

    def __init__(self, prefixes: Prefixes) -> None:
        self._prefixes = {each.name: each for each in prefixes if isinstance(each, ProviderPrefix)}
        self._names = {name: name for name in self._prefixes}
        current = (each for each in self._prefixes.values() if each.title and not each.deprecated)
        self._titles = {label_key((each.title,)): each for each in current}
        self._names |= {each.name: each.target for each in prefixes if isinstance(each, Synonym)}
        for prefix in self._prefixes.values():
            for synonym in prefix.synonyms:
                self._names.setdefault(fold(synonym), prefix.name)
        self._near = NearNames(self._names)

    def titled(self, label: str, identifier: str) -> str | None:
        """Return the CURIE of an identifier with the prefix of this title, or None."""
        words = label.split()
        prefix = self._titles.get(label_key(words)) or self._titles.get(label_key(without_generic(words)))
        if prefix is None or not prefix.pattern or not matches(prefix.pattern, foreign_identifier(prefix, identifier)):
            return None
        return join(prefix.name, foreign_identifier(prefix, identifier))

    def similar(self, text: str) -> tuple[str, ...]:
        """Return the CURIEs with a registered prefix that is one typo away; those that fit its pattern first."""
        written, colon, identifier = text.partition(":")
        name, is_spaced, identifier = fold(written), identifier[:1].isspace(), identifier.strip()
        if not (colon and identifier) or len(name) < MIN_NAME or " " in identifier:
            return ()
        found = sorted(self._near.near(name), key=lambda each: each not in self._prefixes)  # synonyms last
        targets = dict.fromkeys(self._names[each] for each in found)
        near = [self._prefixes[target] for target in targets if target in self._prefixes]
        fitting = [each for each in near if each.pattern and matches(each.pattern, identifier)]
        is_weak = is_spaced or len(name) == MIN_NAME  # text after a colon and a space is often prose
        others = [] if is_weak else near
        return tuple(join(each.name, identifier) for each in (fitting or others)[:MAX_GUESSES])


def guess_by_title(text: str, directory: Directory, reader: Reader) -> str | None:
    """Return the CURIE of an identifier behind the title of its prefix, or None. Raises the errors of `guess`.

    An example is `Mammalian Phenotype Ontology 0000001`. The identifier must match the prefix's pattern.
    """
    label, _, written = text.replace(":", " ").rstrip().rpartition(" ")
    if not label or len(text) > MAX_TITLED or not any(map(str.isdigit, written)):
        return None
    return directory.derive(NameIndex, reader).titled(label, trim(written))


def guess(text: str, directory: Directory, reader: Reader) -> tuple[str, ...]:
    """Return the CURIEs that a bare text could be, best first. Raises `StoreUnavailable` and `LineNotTried`."""
    return directory.derive(PatternIndex, reader).guesses(text) if _is_distinctive(text) else ()


def suggest_prefixes(text: str, directory: Directory, reader: Reader) -> tuple[str, ...]:
    """Return the CURIEs for a mistyped prefix, best first. Raises `StoreUnavailable` and `LineNotTried`."""
    return directory.derive(NameIndex, reader).similar(text) if ":" in text else ()


def _is_distinctive(text: str) -> bool:
    """Return whether a text is neither words nor a number, and has no prefix."""
    has_digits = any(map(str.isdigit, text))
    return has_digits and not text.isdigit() and not any(map(str.isspace, text)) and ":" not in text


def _rank(prefix: ProviderPrefix, pattern: _Pattern) -> float:
    """Return the rank of a guess, the lowest first: specific patterns, and prefixes that many registries have."""
    return pattern.count / (1 + len(prefix.providers) + len(prefix.synonyms))
