"""Extraction of identifiers from the text around them.

Such text is a label (`PubMed ID:`), the full stop of a sentence, markup, a line break or a whole citation. A text that
is an identifier itself is not changed. Exceptions are DOIs and Handles that end with punctuation: their syntax allows
it, but it is hardly ever part of them.
"""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.identifiers.patterns import matches
from coolid.identifiers.schemes import linkid
from coolid.identifiers.typography import spellings
from coolid.model.prefixes import BOUNDARIES, HANDLES, NUMBERED, Namespace, fold, join
from coolid.recognition.detection import SCHEME_PREFIXES, SchemeMatch, detect, plain_identifier
from coolid.recognition.mentions import Mention, has_words_beside, mentions, strip_punctuation
from coolid.recognition.plain_text import plain_text
from coolid.recognition.registered_identifiers import (
    Reverse,
    decision_on,
    identifier_of,
    identify_url,
    match_of,
    unless_refused,
)
from coolid.recognition.unwrap import strip_wrapping, unwrap, url_of
from coolid.registry.prefix_lookup import prefix_by_name, roots
from coolid.registry.references import Reference, decode, is_encoded_whole, require_sendable
from coolid.resolution.resolver import Decision, ProviderRedirect
from coolid.store.reader import Reader

MAX_IDENTIFIERS: Final = 5
MAX_CANDIDATES: Final = 20
"""Readings of a text that are looked up."""

_ROOTED: Final = re.compile(r"^/(?=[^\s/\\])")
_WHOLE_NUMBER: Final = re.compile("[0-9][0-9 -]{7,21}[0-9Xx]")
_NEVER_MEANT: Final = re.compile(r"\s|</[A-Za-z]")
"""What identifiers of other organizations do not contain: spaces and markup."""


class Interpretation(Struct, frozen=True):
    """The identifiers in a text, in their order, and whether they are all that it says.

    There are none if the text is an identifier itself. `is_whole` is false for prose, and for identifiers that do not
    have the form of their prefix.
    """

    identifiers: tuple[str, ...] = ()
    is_whole: bool = False


def interpret(text: str, base_url: str, reader: Reader, reverse: Reverse | None = None) -> Interpretation:
    """Return the identifiers that a text probably means; `reverse` returns the CURIEs of a URL.

    Raises `StoreUnavailable` and `LineNotTried`. A LinkID is never found in other text, which could be a field label
    and its value (draft-linkgenetic-linkid-uri-01, section 9.2).
    """
    found = _interpret(text, base_url, reader, reverse)
    if not any(map(linkid.has_label, found.identifiers)):
        return found
    return Interpretation(tuple(each for each in found.identifiers if not linkid.has_label(each)))


def _interpret(text: str, base_url: str, reader: Reader, reverse: Reverse | None) -> Interpretation:
    bare = strip_wrapping(text)
    rooted = _ROOTED.sub("", bare)
    exact = decision_on(rooted, base_url, reader)
    if exact is not None and not _is_doubtful(exact):
        return Interpretation() if rooted == bare else Interpretation((rooted,), is_whole=True)
    respelled = _respelled(rooted, base_url, reader) if exact is None else None
    if respelled is not None:
        return Interpretation((respelled,), is_whole=True)
    trimmed = strip_punctuation(rooted)
    if _is_url_of_page(trimmed, base_url):
        return Interpretation()
    if trimmed != rooted and len(rooted.split(None, 1)) == 1:
        return _interpret_word(trimmed, rooted, exact, base_url, reader)
    found = _interpret_plain(_ROOTED.sub("", text.strip()), base_url, reader, reverse)
    is_same = exact is not None and len(found.identifiers) == 1 and _leads_to(found.identifiers[0], exact, reader)
    return Interpretation() if is_same or [*map(fold, found.identifiers)] == [fold(rooted)] else found


def registered_prefix(scheme_matches: Sequence[SchemeMatch], reader: Reader) -> tuple[str, str] | None:
    """Return the registered prefix of the first certain match with one, and the identifier to put after it."""
    for match in scheme_matches:
        if match.valid and not match.guess and match.scheme in SCHEME_PREFIXES:
            prefix = prefix_by_name(SCHEME_PREFIXES[match.scheme], reader)
            if prefix is not None:
                return prefix.name, plain_identifier(match)
    return None


def _is_doubtful(decision: Decision) -> bool:
    """Return whether the text may mean something else: a provider's identifier without its form, or any Handle."""
    if not isinstance(decision, ProviderRedirect):
        return False
    prefix, identifier = decision.prefix, decision.identifier
    if prefix.name in HANDLES or _NEVER_MEANT.search(identifier):
        return True
    return prefix.pattern is not None and (identifier[-1] in ".,;" or not matches(prefix.pattern, identifier))


def _is_url_of_page(text: str, base_url: str) -> bool:
    """Return whether a text is a URL, but not at a resolver; `identify_url` is for these."""
    if len(text.split(None, 1)) != 1 or url_of(text, base_url) is None:
        return False
    unwrapped = unless_refused(lambda: unwrap(text, base_url))
    return unwrapped is None or unwrapped.text == unwrapped.bare


def _leads_to(identifier: str, exact: Decision, reader: Reader) -> bool:
    decision = decision_on(identifier, "", reader)
    ends = [each.location for each in (decision, exact) if isinstance(each, ProviderRedirect)]
    return len(ends) == 2 and ends[0] == ends[1]


def _respelled(text: str, base_url: str, reader: Reader) -> str | None:
    """Return an own identifier with its hyphens and without spaces, if that is registered."""
    inner = unless_refused(lambda: unwrap(text, base_url).text)
    match = match_of(inner, reader) if inner is not None else None
    if (
        inner is None
        or match is None
        or not isinstance(match.prefix, Namespace)
        or not inner.endswith(match.identifier)
    ):
        return None
    head = inner[: len(inner) - len(match.identifier)]
    texts = (head + each for each in spellings(match.identifier))
    return next((each for each in texts if decision_on(each, base_url, reader) is not None), None)


def _interpret_word(
    trimmed: str, written: str, exact: Decision | None, base_url: str, reader: Reader
) -> Interpretation:
    """Return the interpretation of one word that ends with punctuation."""
    inner = None if trimmed[-1:] in BOUNDARIES else decision_on(trimmed, base_url, reader)
    if inner is not None and (exact is None or _is_better(inner)):
        return Interpretation((trimmed,), is_whole=True)
    if exact is not None or inner is not None:
        return Interpretation()
    found = _interpret_plain(written, base_url, reader)
    return Interpretation() if [*map(fold, found.identifiers)] == [fold(trimmed)] else found


def _is_better(decision: Decision) -> bool:
    """Return whether an identifier without its punctuation is preferred to a provider's with it."""
    return isinstance(decision, ProviderRedirect) and (decision.prefix.name in HANDLES or not _is_doubtful(decision))


def _interpret_plain(text: str, base_url: str, reader: Reader, reverse: Reverse | None = None) -> Interpretation:
    """Return the interpretation of a text without its markup and line breaks."""
    plain = plain_text(text)
    if is_encoded_whole(plain):
        plain = unless_refused(lambda: decode(plain)) or plain
    return _interpret_whole(plain, reader) or _interpret_mentions(plain, base_url, reader, reverse)


def _interpret_whole(plain: str, reader: Reader) -> Interpretation | None:
    """Return the interpretation of a text that is an identifier without a label, or None."""
    text = strip_punctuation(plain)
    if _WHOLE_NUMBER.fullmatch(text):
        compact = text.replace(" ", "")
        certain = [each for each in (*detect(compact), *detect(text)) if each.scheme in NUMBERED]
    else:
        certain = list(detect(text)) if ":" not in text and " " not in text else []
    prefixed = registered_prefix(certain, reader)
    if prefixed is None:
        return None
    name, identifier = prefixed
    return Interpretation((join(name, text if name in HANDLES else identifier),), is_whole=True)


def _interpret_mentions(plain: str, base_url: str, reader: Reader, reverse: Reverse | None) -> Interpretation:
    """Return the identifiers among the words of a text, in their order."""
    candidates = _read_candidates(plain, base_url, reader)
    found: dict[tuple[str, str], str] = {}
    used: list[Mention] = []
    is_certain = True
    for mention in candidates:
        if len(found) == MAX_IDENTIFIERS:
            break
        identifier = next(filter(None, (identifier_of(each, reader) for each in mention.readings)), None)
        if identifier is None and mention.url is not None and reverse is not None:
            identifier = identify_url(mention.url, reader, reverse).identifier
        start = mention.start
        if identifier is None:
            needs_pattern = not mention.is_separated
            named = (identifier_of(each, reader, needs_pattern=needs_pattern) for each in mention.named)
            identifier = next(filter(None, named), None)
            start = mention.named_start if identifier is not None else start
        if identifier is None and mention.is_labelled and not has_words_beside(plain, [mention]):
            identifier = next((each for each in mention.readings if _is_numbered(each, reader)), None)
            is_certain = False
        if identifier is not None:
            used.append(replace(mention, start=start))
            found.setdefault(_key(identifier, reader), identifier)
    return Interpretation(tuple(found.values()), is_certain and not has_words_beside(plain, used))


def _is_numbered(text: str, reader: Reader) -> bool:
    """Return whether a text is under a prefix whose identifiers have check digits, so that the reason is known."""
    match = match_of(text, reader)
    return match is not None and match.prefix.name in NUMBERED


def _read_candidates(plain: str, base_url: str, reader: Reader) -> list[Mention]:
    """Return the first mentions of a text, after one batch that caches the shortest prefixes of their readings.

    Nothing else is read for a reading whose shortest prefix is not registered.
    """
    candidates: list[Mention] = []
    texts: list[str] = []
    for mention in mentions(plain, base_url):
        texts += (*mention.readings, *mention.named) or ("",)
        if len(texts) > MAX_CANDIDATES:
            break
        candidates.append(mention)
    names = dict.fromkeys(name for text in texts[:MAX_CANDIDATES] for name in _shortest_prefixes(text))
    if names:
        reader.prefixes(tuple(names))
    return candidates


def _key(identifier: str, reader: Reader) -> tuple[str, str]:
    """Return the prefix and the folded identifier, the same for all names of a prefix."""
    match = match_of(identifier, reader)
    return (match.prefix.name, fold(match.identifier)) if match is not None else ("", fold(identifier))


def _shortest_prefixes(text: str) -> tuple[str, ...]:
    return unless_refused(lambda: roots(Reference.of(require_sendable(text)))) or ()
