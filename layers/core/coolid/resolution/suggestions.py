"""Suggestions: the identifiers that exist and are one slip of the pen away from one that does not.

A slip is a transposition of neighbours, a doubled or a dropped symbol, or a wrong symbol; look-alikes come first.
Before all comes what a word processor may have been given: hyphens for its dashes, nothing for what cannot be seen.
Where identifiers have check digits few near ones pass; of what passes, at most 25 are looked up, in one batch. A text
whose length is more than one symbol off has no slips, so that it costs neither a read nor a validation.

>>> from coolid.identifiers.rules.lui import LuiRules
>>> near("tw0t-ywjd-94", LuiRules())[0]
'tw0tywdj94'
>>> near("tw0t\u2013ywdj\u201394", LuiRules())
('tw0tywdj94',)
"""

from collections.abc import Iterator
from itertools import chain, islice, zip_longest
from typing import Final

from coolid.errors import InvalidIdentifier, LineNotTried, StoreUnavailable
from coolid.identifiers.rules.base import Rules, is_valid
from coolid.identifiers.typography import spellings
from coolid.model.records import RESERVED
from coolid.model.repositories import Repository
from coolid.resolution.request_budget import MOST_SUGGESTION_KEYS
from coolid.store.reader import Reader

MOST_TRIED: Final = 1_000
"""Texts that are validated in search of those to look up."""
MOST_SUGGESTED: Final = 5
MOST_SYMBOLS: Final = 64
"""A longer text is a mistake of another kind."""

_LOOK_ALIKES: Final = tuple(
    frozenset(group)
    for group in ("0dq", "1t7", "2z", "5s", "6gb", "8b", "9gq", "vwy", "mn", "ce", "hn", "fk", "xk", "aeiou")
)
"""To the eye, and to the ear."""


def suggest(text: str, repository: Repository, reader: Reader, most: int = MOST_SUGGESTION_KEYS) -> tuple[str, ...]:
    """Existing identifiers near `text`, as people write them, best first. At most this many keys are read.

    Empty if the store is unavailable, or if the budget of the request has no room for the keys.
    """
    keys = near(text, repository.rules)[:most]
    if not keys:
        return ()
    try:
        records = reader.records(repository.id, keys)
    except (StoreUnavailable, LineNotTried):
        return ()
    found = (records[key] for key in keys if key in records)
    return tuple(record.id for record in islice((each for each in found if each.status != RESERVED), MOST_SUGGESTED))


def near(text: str, rules: Rules) -> tuple[str, ...]:
    """At most 25 keys that are valid and one slip away from `text`, the likeliest first."""
    written = rules.compact(text)
    readings = tuple(map(rules.compact, spellings(text)))
    described = rules.describe()
    least, most = described.length
    lengths = range(max(least - 1, 1), min(most + 1, MOST_SYMBOLS) + 1)
    readings = tuple(each for each in readings if len(each) in lengths)
    texts = readings
    if len(written) in lengths:  # what cannot be the identifier comes after what may have been meant by it
        texts = (written, *readings) if readings and is_valid(rules, written) else (*readings, written)
    slips = (_slips(each, described.alphabet, range(least, most + 1)) for each in dict.fromkeys(texts))
    keys: dict[str, None] = {}
    for candidate in islice(chain(readings, *slips), MOST_TRIED - 1):
        if candidate == written or candidate in keys:
            continue
        try:
            keys[rules.validate(candidate)] = None
        except InvalidIdentifier:
            continue
        if len(keys) == MOST_SUGGESTION_KEYS:
            break
    return tuple(keys)


def is_slip(written: str, meant: str) -> bool:
    """Whether one slip of the pen makes the one text of the other; in linear time.

    >>> [is_slip(each, "engines") for each in ("engins", "enginess", "engimes", "egnines", "engines", "engin")]
    [True, True, True, True, False, False]
    """
    shorter, longer = sorted((written, meant), key=len)
    if len(longer) - len(shorter) > 1 or shorter == longer:
        return False
    at = next((at for at, symbol in enumerate(shorter) if symbol != longer[at]), len(shorter))
    if len(shorter) < len(longer):
        return shorter[at:] == longer[at + 1 :]
    ends = shorter[at + 1 :] == longer[at + 1 :]
    return ends or (shorter[at : at + 2] == longer[at : at + 2][::-1] and shorter[at + 2 :] == longer[at + 2 :])


def _slips(text: str, alphabet: str, lengths: range) -> Iterator[str]:
    """The texts of these lengths that are one slip away, the likeliest first, some of each kind.

    Of an alphabet that is not known there are no symbols to put in.
    """
    size = len(text)
    likely: list[Iterator[str]] = []
    if size in lengths:
        likely += [_transposed(text), _look_alikes(text, alphabet)]
    if size - 1 in lengths:
        likely.append(_shorter(text))
    if size + 1 in lengths:
        likely.append(_doubled(text))
    for each in zip_longest(*likely):
        yield from (slip for slip in each if slip is not None)
    if size + 1 in lengths:
        yield from _longer(text, alphabet)
    if size in lengths:
        yield from _substituted(text, alphabet)


def _look_alikes(text: str, alphabet: str) -> Iterator[str]:
    for at, symbol in enumerate(text):
        for group in _LOOK_ALIKES:
            if symbol in group:
                yield from (
                    text[:at] + other + text[at + 1 :] for other in sorted(group) if not alphabet or other in alphabet
                )


def _transposed(text: str) -> Iterator[str]:
    for at in range(len(text) - 1):
        yield text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _shorter(text: str) -> Iterator[str]:
    """One symbol too many was written, most likely the same twice."""
    twice = [at for at in range(1, len(text)) if text[at] == text[at - 1]]
    for at in (*twice, *(at for at in range(len(text)) if at not in twice)):
        yield text[:at] + text[at + 1 :]


def _doubled(text: str) -> Iterator[str]:
    """One of two equal symbols was left out."""
    for at, symbol in enumerate(text):
        yield text[:at] + symbol + text[at:]


def _longer(text: str, alphabet: str) -> Iterator[str]:
    """One symbol was left out."""
    for at in range(len(text) + 1):
        for symbol in alphabet:
            yield text[:at] + symbol + text[at:]


def _substituted(text: str, alphabet: str) -> Iterator[str]:
    for at in range(len(text)):
        for symbol in alphabet:
            yield text[:at] + symbol + text[at + 1 :]
