"""Suggestions: existing identifiers that are one typo away from an unknown one.

A typo transposes neighbours, doubles, drops or replaces a symbol; look-alikes come first. Before them come corrections
of typography: hyphens for dashes, and no invisible characters. Check digits exclude most candidates; at most 25 valid
ones are read, in one batch. A text whose length differs by more than one symbol has no candidates, so it costs neither
a read nor a validation.

>>> from coolid.identifiers.rules.lui import LuiRules
>>> near_keys("tw0t-ywjd-94", LuiRules())[0]
'tw0tywdj94'
"""

from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest
from typing import Final

from coolid.errors import InvalidIdentifier, LineNotTried, StoreUnavailable
from coolid.identifiers.rules.base import Rules, is_valid
from coolid.identifiers.typography import spellings
from coolid.model.records import RESERVED
from coolid.model.repositories import Repository
from coolid.resolution.request_budget import MAX_SUGGESTION_KEYS
from coolid.store.reader import Reader

MAX_VALIDATED: Final = 1_000
"""The most candidates that are validated."""
MAX_SUGGESTIONS: Final = 5
MAX_SYMBOLS: Final = 64
"""A longer text gets no suggestions."""

_LOOK_ALIKES: Final = tuple(
    frozenset(group)
    for group in ("0dq", "1t7", "2z", "5s", "6gb", "8b", "9gq", "vwy", "mn", "ce", "hn", "fk", "xk", "aeiou")
)
"""Symbols that look or sound alike."""


def suggest(text: str, repository: Repository, reader: Reader, max_keys: int = MAX_SUGGESTION_KEYS) -> tuple[str, ...]:
    """Return existing identifiers near `text`, best first, from at most `max_keys` keys; none if the store fails."""
    keys = near_keys(text, repository.rules)[:max_keys]
    if not keys:
        return ()
    try:
        records = reader.records(repository.id, keys)
    except (StoreUnavailable, LineNotTried):
        return ()
    found = (records[key] for key in keys if key in records)
    return tuple(record.id for record in islice((each for each in found if each.status != RESERVED), MAX_SUGGESTIONS))


def near_keys(text: str, rules: Rules) -> tuple[str, ...]:
    """Return at most 25 valid keys that are one typo away from `text`, the likeliest first."""
    written = rules.compact(text)
    readings = tuple(map(rules.compact, spellings(text)))
    described = rules.describe()
    minimum, maximum = described.length
    lengths = range(max(minimum - 1, 1), min(maximum + 1, MAX_SYMBOLS) + 1)
    readings = tuple(each for each in readings if len(each) in lengths)
    texts = readings
    if len(written) in lengths:  # an invalid text comes after its corrections
        texts = (written, *readings) if readings and is_valid(rules, written) else (*readings, written)
    typos = (_typos(each, described.alphabet, range(minimum, maximum + 1)) for each in dict.fromkeys(texts))
    keys: dict[str, None] = {}
    for candidate in islice(chain(readings, *typos), MAX_VALIDATED - 1):
        if candidate == written or candidate in keys:
            continue
        try:
            keys[rules.validate(candidate)] = None
        except InvalidIdentifier:
            continue
        if len(keys) == MAX_SUGGESTION_KEYS:
            break
    return tuple(keys)


def _typos(text: str, alphabet: str, lengths: range) -> Iterator[str]:
    """Return the texts of these lengths one typo away, the likeliest first; an alphabet allows other symbols."""
    splits = [(text[:at], text[at:]) for at in range(len(text) + 1)]
    pairs = [(before, rest[0], rest[1:]) for before, rest in splits if rest]
    likely: list[Iterator[str]] = []
    if len(text) in lengths:
        likely.append(before + rest[0] + symbol + rest[1:] for before, symbol, rest in pairs if rest)
        likely.append(_look_alikes(pairs, alphabet))
    if len(text) - 1 in lengths:  # doubled symbols are removed first
        by_likelihood = sorted(pairs, key=lambda pair: not pair[0].endswith(pair[1]))
        likely.append(before + rest for before, _, rest in by_likelihood)
    if len(text) + 1 in lengths:
        likely.append(before + symbol + symbol + rest for before, symbol, rest in pairs)
    for each in zip_longest(*likely):
        yield from (slip for slip in each if slip is not None)
    if len(text) + 1 in lengths:
        yield from (before + symbol + rest for before, rest in splits for symbol in alphabet)
    if len(text) in lengths:
        yield from (before + symbol + rest for before, _, rest in pairs for symbol in alphabet)


def _look_alikes(pairs: Iterable[tuple[str, str, str]], alphabet: str) -> Iterator[str]:
    for before, symbol, rest in pairs:
        for group in _LOOK_ALIKES:
            if symbol in group:
                yield from (before + other + rest for other in sorted(group) if not alphabet or other in alphabet)
