"""Explanations: what a text is and where it leads, step by step, by the rules of `coolid.resolution.resolver`.

The steps include the one that fails. Raises only `StoreUnavailable`, and `LineNotTried` without budget.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from coolid.errors import (
    BadReference,
    CoolidError,
    InvalidIdentifier,
    Unavailable,
    UnknownPrefix,
    UnregisteredIdentifier,
)
from coolid.recognition.detection import SchemeMatch, detect
from coolid.recognition.explanation_steps import Explanation, add_resolution
from coolid.recognition.extraction import interpret
from coolid.recognition.guesses import guess, guess_by_title, suggest_prefixes
from coolid.recognition.mentions import strip_punctuation
from coolid.recognition.parsed_text import matches_within
from coolid.recognition.registered_identifiers import Reverse, fits, identify_url
from coolid.recognition.unwrap import path_below_base, strip_wrapping, unwrap, url_of
from coolid.registry.directory import Directory
from coolid.registry.references import MAX_PASTED_CHARACTERS, Reference, require_sendable
from coolid.resolution.request_budget import MAX_SUGGESTION_KEYS
from coolid.resolution.reverse_lookup import url_index
from coolid.store.reader import Reader

MAX_CHARACTERS: Final = MAX_PASTED_CHARACTERS
"""Longer texts are refused without a search for identifiers."""


def explain(
    text: str,
    reader: Reader,
    base_url: str,
    now: datetime,
    directory: Directory | None = None,
    *,
    suggestion_keys: int = MAX_SUGGESTION_KEYS,
) -> Explanation:
    """Explain a text at the time `now`; few keys are read to suggest.

    The `directory` of all prefixes finds the CURIEs of URLs, guesses, and mistyped prefixes.
    """
    result = Explanation(text)
    if len(text) > MAX_CHARACTERS:
        result.add_step("refused", f"a text of {len(text)} characters is too long for an identifier")
        return result
    reverse = url_index(directory, reader) if directory is not None else None
    _find(result, base_url, reader, reverse, directory)
    if len(result.found) > 1:
        result.add_step("found", f"the text contains {len(result.found)} identifiers")
        result.candidates = _schemes_of(result.found)
        return result
    if result.found:
        result.add_step("found", f"the text contains the identifier {result.found[0]}")
    try:
        inner = _unwrap(result, result.found[0] if result.found else text, base_url, reader, reverse)
        result.candidates = detect(inner) if len(result.found) < 2 else _schemes_of(result.found)
        add_resolution(result, Reference.of(inner), reader, now, suggestion_keys)
        _compare_candidates(result)
    except Unavailable:
        raise
    except CoolidError as error:
        if directory is not None and isinstance(error, UnknownPrefix) and not (result.curies or result.found):
            _add_guesses(result, directory, reader)
        result.add_step("refused", str(error))
        if isinstance(error, InvalidIdentifier | UnregisteredIdentifier):
            result.refused = True
            result.suggestions = error.suggestions or result.suggestions
    return result


def _compare_candidates(result: Explanation) -> None:
    """Replace candidates that are invalid only as they are written, and remove the location of invalid ones in a text.

    A text with other text around an invalid identifier is not redirected either.
    """
    if not result.candidates or result.candidates[0].valid or result.canonical is None:
        return
    candidates = detect(result.canonical)
    if candidates and candidates[0].valid:
        result.candidates = candidates
    elif result.found:
        result.add_step("refused", "text with an identifier that is not valid is not redirected")
        result.location = None


def _find(
    result: Explanation, base_url: str, reader: Reader, reverse: Reverse | None, directory: Directory | None
) -> None:
    """Add the identifiers in the text, and whether they are all that it says."""
    interpretation = interpret(result.text, base_url, reader, reverse)
    result.found, result.is_whole = interpretation.identifiers, interpretation.is_whole
    if directory is not None and not result.found and " " in result.text.strip():
        curie = guess_by_title(result.text, directory, reader)
        result.found, result.is_whole = ((curie,), True) if curie is not None else ((), False)


def _schemes_of(identifiers: Sequence[str]) -> tuple[SchemeMatch, ...]:
    return tuple(match for each in identifiers for match in detect(each)[:1])


def _add_guesses(result: Explanation, directory: Directory, reader: Reader) -> None:
    """Add the identifiers that a text could be under the prefixes whose patterns it matches, or by a similar name."""
    text = strip_punctuation(result.text)
    if any(each.valid and not each.guess and each.scheme != "curie" for each in result.candidates):
        return
    labelled = tuple(each for each in matches_within(text) if each.scheme != "curie")
    if labelled:
        result.candidates = (*labelled, *result.candidates)
        return
    curies = guess(text, directory, reader)
    added = [SchemeMatch("curie", True, each, guess=True) for each in curies]
    first = [each for each in result.candidates if each.scheme == "curie" and each.guess]
    canonical = {each.canonical for each in first}
    rest = [each for each in result.candidates if each not in first]
    result.candidates = (*first, *(each for each in added if each.canonical not in canonical), *rest)
    result.suggestions = suggest_prefixes(text, directory, reader)


def _unwrap(result: Explanation, text: str, base_url: str, reader: Reader, reverse: Reverse | None) -> str:
    bare = strip_wrapping(text)
    if bare != text:
        result.add_step("unwrapped", f"without the characters around it: {bare}")
    url = url_of(bare, base_url)
    try:
        inner = unwrap(text, base_url).text
    except BadReference:
        _add_curies(result, reverse(url) if url is not None and reverse is not None else ())
        raise
    if path_below_base(bare, base_url) is not None:
        url = url_of(inner, base_url)  # a page's URL behind an own one
    if url is not None and (inner in (bare, url) or not fits(inner, reader)):
        inner = _identify(result, url, reader, reverse) or inner
    if inner != bare:
        result.add_step("unwrapped", f"the URL contains the identifier {inner}")
        if "%" in bare:
            result.add_step("decoded", "the percent escapes of the URL were decoded once")
    return require_sendable(inner)


def _identify(result: Explanation, url: str, reader: Reader, reverse: Reverse | None) -> str | None:
    """Return the identifier in the URL of a page, and add what else it can be."""
    identification = identify_url(strip_punctuation(url), reader, reverse)
    if not identification.candidates and identification.identifier is None:
        identification = identify_url(url, reader, reverse)
    _add_curies(result, identification.curies)
    if identification.identifier is None and identification.candidates:
        result.found = identification.candidates
        result.add_step("ambiguous", f"the URL can contain {' or '.join(result.found)}")
    return identification.identifier


def _add_curies(result: Explanation, curies: Sequence[str]) -> None:
    result.curies = tuple(curies)
    for curie in curies:
        result.add_step("curie", f"the URL pattern of its prefix gives this URL for {curie}")
