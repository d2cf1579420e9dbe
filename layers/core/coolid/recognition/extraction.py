"""Extraction of identifiers from the text around them.

Print adds text that does not belong to an identifier: a label (`PubMed ID:`), the full stop of a sentence, markup, a
line break, a whole citation. A text that is an identifier itself is not changed, except DOIs and Handles that end with
punctuation, because it is allowed but never meant.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from msgspec import Struct

from coolid.errors import CoolidError, InvalidIdentifier, Unavailable
from coolid.identifiers.typography import spellings
from coolid.model.prefixes import BOUNDARIES, HANDLES, Namespace, ProviderPrefix, fold, is_date_qualified, join
from coolid.recognition.detection import SCHEME_PREFIXES, SchemeMatch, detect, judge, plain_identifier
from coolid.recognition.line_breaks import rejoin
from coolid.recognition.markup import remove_markup
from coolid.recognition.places import Place, has_words_beside, places, strip_punctuation
from coolid.recognition.unwrap import strip_wrapping, unwrap, url_of
from coolid.recognition.url_identification import identify
from coolid.registry.prefix_lookup import PrefixMatch, find_prefix, prefix_by_name, roots
from coolid.registry.references import Reference, decode, is_encoded_whole, require_sendable
from coolid.resolution.resolver import Decision, ProviderRedirect, decide, foreign_identifier, matches, resolve
from coolid.store.reader import Reader

MAX_IDENTIFIERS: Final = 5
MAX_CANDIDATES: Final = 20
"""Readings of a text that are looked up."""

_ROOTED: Final = re.compile(r"^/(?=[^\s/\\])")
_WHOLE_NUMBER: Final = re.compile("[0-9][0-9 -]{7,21}[0-9Xx]")
_NUMBERED: Final = {prefix: scheme for scheme, prefix in SCHEME_PREFIXES.items() if scheme not in ("doi", "handle")}
"""The schemes with check digits, by their prefix."""
_NEVER_MEANT: Final = re.compile(r"\s|</[A-Za-z]")
"""What identifiers of other organizations do not contain: spaces and markup."""
_TAIL: Final = re.compile(r"(?<=.)[\[({<].*", re.DOTALL)
_LETTERS: Final = re.compile("([A-Za-z]{1,12})[:_ -]?(?=[0-9])")
_CATALOG_LETTERS: Final = frozenset({"ocn", "ocm", "on", "txid", "id", "no"})
"""Letters before a number that are not part of it, besides the names of its prefix."""

Reverse = Callable[[str], Sequence[str]]
"""Returns the CURIEs of a URL, the most specific first (`coolid.resolution.reverse_lookup`)."""
_Value = TypeVar("_Value")


class Interpretation(Struct, frozen=True):
    """The identifiers in a text, in their order, and whether they are all that it says.

    There are none if the text is an identifier itself. `is_whole` is false for prose, and for identifiers that do not
    have the form of their prefix.
    """

    identifiers: tuple[str, ...] = ()
    is_whole: bool = False


def extract(text: str, base_url: str, reader: Reader) -> tuple[str, ...]:
    """Return the identifiers of `interpret`: at most `MAX_IDENTIFIERS`, none if the text is an identifier itself."""
    return interpret(text, base_url, reader).identifiers


def interpret(text: str, base_url: str, reader: Reader, reverse: Reverse | None = None) -> Interpretation:
    """Return the identifiers that a text probably means; `reverse` returns the CURIEs of a URL.

    Raises `StoreUnavailable` and `LineNotTried`.
    """
    bare = strip_wrapping(text)
    rooted = _ROOTED.sub("", bare)
    exact = _decision(rooted, base_url, reader)
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


def _decision(text: str, base_url: str, reader: Reader) -> Decision | None:
    """Return the decision on a text, or None if it is refused."""
    return _unless_refused(
        lambda: resolve(Reference.of(require_sendable(unwrap(text, base_url).text)), reader, suggestion_keys=0)
    )


def _is_doubtful(decision: Decision) -> bool:
    """Return whether the text is hardly meant as it is: a provider's identifier without its form, or any Handle."""
    if not isinstance(decision, ProviderRedirect):
        return False
    prefix, identifier = decision.prefix, decision.identifier
    if prefix.name in HANDLES or _NEVER_MEANT.search(identifier):
        return True
    return prefix.pattern is not None and not matches(prefix.pattern, identifier)


def _is_url_of_page(text: str, base_url: str) -> bool:
    """Return whether a text is a URL, but not at a resolver; `coolid.recognition.url_identification` is for these."""
    if len(text.split(None, 1)) != 1 or url_of(text, base_url) is None:
        return False
    unwrapped = _unless_refused(lambda: unwrap(text, base_url))
    return unwrapped is None or unwrapped.text == unwrapped.bare


def _leads_to(identifier: str, exact: Decision, reader: Reader) -> bool:
    decision = _decision(identifier, "", reader)
    ends = [each.location for each in (decision, exact) if isinstance(each, ProviderRedirect)]
    return len(ends) == 2 and ends[0] == ends[1]


def _respelled(text: str, base_url: str, reader: Reader) -> str | None:
    """Return an own identifier with its hyphens and without spaces, if that is registered."""
    inner = _unless_refused(lambda: unwrap(text, base_url).text)
    match = _match(inner, reader) if inner is not None else None
    if (
        inner is None
        or match is None
        or not isinstance(match.prefix, Namespace)
        or not inner.endswith(match.identifier)
    ):
        return None
    head = inner[: len(inner) - len(match.identifier)]
    texts = (head + each for each in spellings(match.identifier))
    return next((each for each in texts if _decision(each, base_url, reader) is not None), None)


def _interpret_word(
    trimmed: str, written: str, exact: Decision | None, base_url: str, reader: Reader
) -> Interpretation:
    """Return the interpretation of one word that ends with punctuation."""
    inner = None if trimmed[-1:] in BOUNDARIES else _decision(trimmed, base_url, reader)
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
    plain = rejoin(remove_markup(text))
    if is_encoded_whole(plain):
        plain = _unless_refused(lambda: decode(plain)) or plain
    return _interpret_whole(plain, reader) or _interpret_places(plain, base_url, reader, reverse)


def _interpret_whole(plain: str, reader: Reader) -> Interpretation | None:
    """Return the interpretation of a text that is an identifier without a label, or None."""
    text = strip_punctuation(plain)
    if _WHOLE_NUMBER.fullmatch(text):
        compact = text.replace(" ", "")
        certain = [each for each in (*detect(compact), *detect(text)) if each.scheme in _NUMBERED.values()]
    else:
        certain = list(detect(text)) if ":" not in text and " " not in text else []
    prefixed = registered_prefix(certain, reader)
    if prefixed is None:
        return None
    name, identifier = prefixed
    return Interpretation((join(name, text if name in HANDLES else identifier),), is_whole=True)


def _interpret_places(plain: str, base_url: str, reader: Reader, reverse: Reverse | None) -> Interpretation:
    """Return the identifiers among the words of a text, in their order."""
    candidates: list[Place] = []
    total = 0
    for place in places(plain, base_url):
        total += max(1, len(place.readings))
        if total > MAX_CANDIDATES:
            break
        candidates.append(place)
    # One batch caches the shortest prefixes; nothing else is read for a reading whose shortest is not registered.
    names = dict.fromkeys(name for place in candidates for text in place.readings for name in _shortest_prefixes(text))
    if names:
        reader.prefixes(tuple(names))
    found: dict[tuple[str, str], str] = {}
    used: list[Place] = []
    is_certain = True
    for place in candidates:
        if len(found) == MAX_IDENTIFIERS:
            break
        identifier = next(filter(None, (_identifier(each, reader) for each in place.readings)), None)
        if identifier is None and place.url is not None and reverse is not None:
            identifier = identify(place.url, reader, reverse).identifier
        if identifier is None and place.is_labelled and not has_words_beside(plain, [place]):
            identifier = next((each for each in place.readings if _match(each, reader)), None)
            is_certain = False
        if identifier is not None:
            used.append(place)
            found.setdefault(_key(identifier, reader), identifier)
    return Interpretation(tuple(found.values()), is_certain and not has_words_beside(plain, used))


def _key(identifier: str, reader: Reader) -> tuple[str, str]:
    """Return the prefix and the folded identifier, the same for all names of a prefix."""
    match = _match(identifier, reader)
    return (match.prefix.name, fold(match.identifier)) if match is not None else ("", fold(identifier))


def _shortest_prefixes(text: str) -> tuple[str, ...]:
    return _unless_refused(lambda: roots(Reference.of(require_sendable(text)))) or ()


def _match(text: str, reader: Reader) -> PrefixMatch | None:
    return _unless_refused(lambda: find_prefix(Reference.of(require_sendable(text)), reader))


def _unless_refused(function: Callable[[], _Value]) -> _Value | None:
    """Return the function's result, or None if it refuses its input."""
    try:
        return function()
    except Unavailable:
        raise
    except CoolidError:
        return None


def _identifier(text: str, reader: Reader) -> str | None:
    """Return the identifier that a reading is, in the form of its prefix; None if it has another form."""
    match = _match(text, reader)
    if match is None or not match.identifier:
        return None
    if isinstance(match.prefix, Namespace):
        return text if is_date_qualified(text) or _is_valid(match, reader) else None
    head, end, value = text.partition(match.identifier) if text.endswith(match.identifier) else (text, "", "")
    if not end or value:
        return text if _fits(match.prefix, match.identifier) else None
    if " " in head:
        head = f"{match.prefix.name}:"
    scheme = _NUMBERED.get(match.prefix.name)
    if scheme is not None:
        judged = judge(scheme, foreign_identifier(match.prefix, match.identifier))
        return head + plain_identifier(judged) if judged.valid else None
    return next((head + each for each in _variants(match) if _fits(match.prefix, each)), None)


def _is_valid(match: PrefixMatch, reader: Reader) -> bool:
    """Return whether an own identifier conforms to its rules, registered or not."""
    try:
        decide(match, reader, suggestion_keys=0)
    except InvalidIdentifier:
        return False
    except Unavailable:
        raise
    except CoolidError:
        return True
    return True


def _fits(prefix: Namespace | ProviderPrefix, identifier: str) -> bool:
    if not isinstance(prefix, ProviderPrefix) or not prefix.pattern:
        return True
    if prefix.name in HANDLES and judge("doi" if prefix.name == "doi" else "handle", identifier).valid:
        return True  # the registered patterns exclude many Handles
    return matches(prefix.pattern, foreign_identifier(prefix, identifier))


def _variants(match: PrefixMatch) -> Iterator[str]:
    """Yield the spellings of a provider's identifier: as written, in other case, with and without its letters."""
    written = match.identifier
    yield written
    yield written.upper()
    yield written.lower()
    for name in dict.fromkeys((match.name, match.prefix.name)):
        yield name.upper() + written
    letters = _LETTERS.match(written)
    synonyms = match.prefix.synonyms if isinstance(match.prefix, ProviderPrefix) else ()
    if letters and letters[1].lower() in _CATALOG_LETTERS.union((match.prefix.name, *synonyms)):
        yield _TAIL.sub("", written[letters.end() :])
    yield _TAIL.sub("", written)
    if written.replace("-", "").isdigit():
        yield written.replace("-", "")
