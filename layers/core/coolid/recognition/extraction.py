"""Extraction of identifiers from the prose around them.

Prose adds text that does not belong to an identifier: the space after `PMID:`, the full stop of a sentence, a whole
citation. A text that is an identifier itself is not changed, except DOIs and Handles that end with punctuation, because
it is allowed but never meant.

>>> collapse_spaces("PMID: 12345"), collapse_spaces(" ISBN 978 3 16 148410 0 ")
('PMID:12345', 'ISBN:9783161484100')
>>> strip_punctuation("(10.5281/zenodo.31780).")
'10.5281/zenodo.31780'
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from coolid.errors import CoolidError, Unavailable
from coolid.model.prefixes import BOUNDARIES, HANDLES, Namespace, ProviderPrefix, fold, is_date_qualified, join
from coolid.recognition.detection import SchemeMatch, detect
from coolid.recognition.unwrap import strip_wrapping, unwrap, unwrap_any_url, url_of
from coolid.registry.prefix_lookup import PrefixMatch, find_prefix, prefix_by_name, roots
from coolid.registry.references import Reference, require_sendable
from coolid.resolution.resolver import Decision, ProviderRedirect, foreign_identifier, matches, resolve
from coolid.store.reader import Reader

MAX_IDENTIFIERS: Final = 5
MAX_CANDIDATES: Final = 20
"""Words of a text that are looked up."""

_LABELLED: Final = re.compile(
    r"(?i)(?:(ark|doi|hdl|isbn(?:-1[03])?|isni|issn|orcid|ror)|([a-z0-9][a-z0-9._+-]{0,127}):)\s+(\S+)"
)
_ISBN: Final = re.compile(r"(?i)((?:isbn(?:-1[03])?(?::\s*|\s+))?)((?:97[89][ -]?)?(?:[0-9][ -]?){9}[0-9x])")
_ROOTED: Final = re.compile(r"^/(?=[^\s/\\])")
_NAME: Final = re.compile("(?i)[a-z0-9][a-z0-9._+-]{0,127}:")
_DOI: Final = re.compile(r"10\.[0-9]{2,9}(?:\.[0-9]+)*/.+")
_CLOSING: Final = {")": "(", "]": "[", "}": "{", ">": "<", "”": "“", "»": "«"}
_MAX_ENDS: Final = 16

SCHEME_PREFIXES: Final = {each: each for each in ("doi", "isbn", "isni", "issn", "orcid", "ror")} | {"handle": "hdl"}
"""The prefix of each scheme whose bare identifiers are recognised."""

_Value = TypeVar("_Value")


def collapse_spaces(pasted: str) -> str:
    """Return the text without outer spaces, the space after a prefix and the spaces in an ISBN.

    A leading slash, as in a copied path, is removed too.

    >>> [collapse_spaces(text) for text in ("DOI: 10.5281/zenodo.31780", "ISBN 0-14-029161-X", "mp: x", "a: b c")]
    ['DOI:10.5281/zenodo.31780', 'ISBN:0-14-029161-X', 'mp:x', 'a: b c']
    """
    text = _ROOTED.sub("", pasted.strip())
    number = _ISBN.fullmatch(text)
    if number:
        text = number[1] + number[2].replace(" ", "")
    labelled = _LABELLED.fullmatch(text)
    return f"{labelled[1] or labelled[2]}:{labelled[3]}" if labelled else text


def strip_punctuation(text: str) -> str:
    """Return the text without its wrapping and the sentence's punctuation at its end.

    >>> [strip_punctuation(text) for text in ("10.1016/S0140-6736(05)67889-4", "GO:0006915;", "“mp:x”),")]
    ['10.1016/S0140-6736(05)67889-4', 'GO:0006915', 'mp:x']
    """
    text = strip_wrapping(text)
    for _ in range(_MAX_ENDS):
        last = text[-1:]
        if last not in (".", ",", ";") and text.count(last) <= text.count(_CLOSING.get(last, last)):
            break
        text = strip_wrapping(text[:-1])
    return text


def extract(text: str, base_url: str, reader: Reader) -> tuple[str, ...]:
    """Return at most `MAX_IDENTIFIERS` more likely meanings of a text; none if the text is an identifier itself.

    For a text without spaces, this is the text without punctuation. Raises `StoreUnavailable` and `LineNotTried`.
    """
    bare = strip_wrapping(text)
    is_prose = len(bare.split(None, 1)) > 1
    trimmed = strip_punctuation(collapse_spaces(bare) if is_prose else bare)
    if not is_prose and trimmed == bare:
        return ()
    exact = _decision(bare, base_url, reader)
    if exact is not None and not (isinstance(exact, ProviderRedirect) and _is_doubtful(exact, is_prose=is_prose)):
        return ()
    if trimmed[-1:] in BOUNDARIES or (is_prose and _is_own(bare, base_url, reader)):
        return ()
    if is_prose and (len(trimmed.split(None, 1)) > 1 or trimmed == strip_punctuation(bare)):
        return _identifiers_among(bare.split(), base_url, reader)
    inner = _decision(trimmed, base_url, reader)
    if inner is not None and (exact is None or _is_better(inner)):
        return (trimmed,)
    return (trimmed,) if exact is None and registered_prefix(detect(trimmed), reader) else ()


def registered_prefix(scheme_matches: Sequence[SchemeMatch], reader: Reader) -> tuple[str, str] | None:
    """Return the registered prefix of the first valid match with one, and the identifier to put after it."""
    for scheme_match in scheme_matches:
        if scheme_match.valid and scheme_match.scheme in SCHEME_PREFIXES:
            prefix = prefix_by_name(SCHEME_PREFIXES[scheme_match.scheme], reader)
            if prefix is not None:
                return prefix.name, _bare(scheme_match)
    return None


def _decision(text: str, base_url: str, reader: Reader) -> Decision | None:
    """Return the decision on a text, or None if it is refused."""
    return _unless_refused(
        lambda: resolve(Reference.of(require_sendable(unwrap(text, base_url).text)), reader, suggestion_keys=0)
    )


def _is_own(text: str, base_url: str, reader: Reader) -> bool:
    """Return whether the text is under an own namespace, whose refusal says more: it may have spaces for hyphens."""
    match = _match(_unwrapped(text, base_url), reader)
    return match is not None and isinstance(match.prefix, Namespace) and not match.identifier[:1].isspace()


def _is_doubtful(redirect: ProviderRedirect, *, is_prose: bool) -> bool:
    """Return whether a provider's identifier does not have the form of its prefix."""
    pattern = redirect.prefix.pattern
    if not is_prose and redirect.prefix.name in HANDLES:
        return True
    return pattern is not None and not matches(pattern, redirect.identifier)


def _is_better(decision: Decision) -> bool:
    """Return whether an identifier without its punctuation is preferred to a provider's with it."""
    return isinstance(decision, ProviderRedirect) and (
        decision.prefix.name in HANDLES or not _is_doubtful(decision, is_prose=False)
    )


def _identifiers_among(words: Sequence[str], base_url: str, reader: Reader) -> tuple[str, ...]:
    """Return the identifiers among the words of a text, in their order."""
    texts: dict[str, str] = {}
    for text in _candidates(words, base_url):
        texts.setdefault(fold(text), text)
        if len(texts) == MAX_CANDIDATES:
            break
    # One batch caches the shortest prefixes; nothing else is read for a word whose shortest is not registered.
    names = dict.fromkeys(name for text in texts.values() for name in _shortest_prefixes(text))
    if names:
        reader.prefixes(tuple(names))
    found: dict[str, str] = {}
    for text in texts.values():
        if len(found) == MAX_IDENTIFIERS:
            break
        identifier = _identifier(text, reader)
        if identifier is not None:
            found.setdefault(fold(identifier), identifier)
    return tuple(found.values())


def _shortest_prefixes(text: str) -> tuple[str, ...]:
    return _unless_refused(lambda: roots(Reference.of(require_sendable(text)))) or ()


def _candidates(words: Sequence[str], base_url: str) -> Iterator[str]:
    """Yield the texts with the form of a prefixed identifier, or of one that needs no prefix."""
    label = ""
    for written in words:
        word, previous_label = strip_punctuation(written.lstrip("([{<“«\"'")), label
        label = word if _NAME.fullmatch(word) else ""
        if label:
            continue
        if url_of(word, base_url) is not None:
            inner = _unwrapped(word, base_url)
            if inner != word:
                yield inner
        elif _DOI.match(word):
            yield f"doi:{word}"
        elif previous_label and any(map(str.isdigit, word)) and ":" not in word:
            yield previous_label + word
        elif ":" in word or is_date_qualified(word):
            yield _unwrapped(word, base_url)
        elif word[:1].isdigit() and 10 <= len(word) <= 19 and _unmistakable(word):
            yield word


def _match(text: str, reader: Reader) -> PrefixMatch | None:
    return _unless_refused(lambda: find_prefix(Reference.of(require_sendable(text)), reader))


def _unwrapped(word: str, base_url: str) -> str:
    unwrapped = _unless_refused(lambda: unwrap_any_url(word, base_url))
    return word if unwrapped is None else unwrapped.text


def _unless_refused(function: Callable[[], _Value]) -> _Value | None:
    """Return the function's result, or None if it refuses its input."""
    try:
        return function()
    except Unavailable:
        raise
    except CoolidError:
        return None


def _unmistakable(word: str) -> list[SchemeMatch]:
    """Return the matches of schemes whose identifiers are not confused with other numbers of a citation."""
    return [each for each in detect(word) if each.valid and each.scheme in ("isbn", "orcid")]


def _identifier(text: str, reader: Reader) -> str | None:
    """Return the text if its prefix is registered and its pattern fits; a bare number gets its prefix."""
    if ":" not in text and not is_date_qualified(text):
        prefixed = registered_prefix(_unmistakable(text), reader)
        return join(*prefixed) if prefixed is not None else None
    match = _match(text, reader)
    if match is None or not match.identifier:
        return None
    if not isinstance(match.prefix, ProviderPrefix) or not match.prefix.pattern:
        return text
    return text if matches(match.prefix.pattern, foreign_identifier(match.prefix, match.identifier)) else None


def _bare(scheme_match: SchemeMatch) -> str:
    """Return the identifier without the prefix of its scheme."""
    canonical = scheme_match.canonical
    assert canonical is not None  # it is valid
    match scheme_match.scheme:
        case "isbn" | "isni":
            return canonical.replace("-", "").replace(" ", "")
        case "ror":
            return canonical.rpartition("/")[2]
        case "doi" | "handle":
            return canonical.partition(":")[2]
    return canonical
