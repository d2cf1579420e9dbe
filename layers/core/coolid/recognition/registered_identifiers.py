"""The registered identifier that a reading of a text is (`coolid.recognition.mentions`), or that the URL of a page has.

An identifier of another organization must match the pattern of its prefix. Its case is changed, and letters are added
or removed, as the pattern requires. Numbers with check digits must be valid.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from msgspec import Struct

from coolid.errors import CoolidError, InvalidCheck, InvalidIdentifier, Unavailable
from coolid.identifiers.patterns import matches
from coolid.model.prefixes import HANDLES, NUMBERED, Namespace, ProviderPrefix, is_date_qualified
from coolid.recognition.detection import judge, plain_identifier
from coolid.recognition.unwrap import unwrap
from coolid.recognition.url_recognition import curies_in, recognize, urls_in
from coolid.registry.prefix_lookup import PrefixMatch, find_prefix
from coolid.registry.references import Reference, require_sendable
from coolid.resolution.identifier_spellings import foreign_identifier
from coolid.resolution.resolver import Decision, decide, resolve
from coolid.resolution.url_patterns import MAX_CURIES
from coolid.store.reader import Reader

MAX_URL_CANDIDATES: Final = 5
"""Identifiers in a URL that are looked up."""
_TAIL: Final = re.compile(r"(?<=.)[\[({<].*", re.DOTALL)
_LETTERS: Final = re.compile("([A-Za-z]{1,12})[:_ -]?(?=[0-9])")
_WIDER: Final = {
    "arxiv": re.compile(r"[a-z-]{2,12}(?:\.[A-Z]{2})?/[0-9]{7}(?:v[0-9]+)?"),
    "lccn": re.compile("[a-z]{1,3}[0-9]{8,10}"),
}
"""Forms of identifiers that the registered patterns exclude."""
_CATALOG_LETTERS: Final = frozenset({"ocn", "ocm", "on", "txid", "id", "no"})
"""Letters before a number that are not part of it, besides the names of its prefix."""
_Value = TypeVar("_Value")

Reverse = Callable[[str], Sequence[str]]
"""Returns the CURIEs of a URL, the most specific first (`coolid.resolution.reverse_lookup`)."""


class UrlIdentification(Struct, frozen=True):
    """The certain `identifier`, or several `candidates`; `curies` are those whose URL patterns give the URL."""

    identifier: str | None = None
    candidates: tuple[str, ...] = ()
    curies: tuple[str, ...] = ()


def match_of(text: str, reader: Reader) -> PrefixMatch | None:
    """Return the longest registered prefix of a text, or None. Raises `StoreUnavailable` and `LineNotTried`."""
    return unless_refused(lambda: find_prefix(Reference.of(require_sendable(text)), reader))


def unless_refused(function: Callable[[], _Value]) -> _Value | None:
    """Return the function's result, or None if it refuses its input. Raises `StoreUnavailable` and `LineNotTried`."""
    try:
        return function()
    except Unavailable:
        raise
    except CoolidError:
        return None


def require_check_digits(text: str, base_url: str, reader: Reader) -> None:
    """Raise `InvalidCheck` if the resolver refuses the text for that reason, or an error of `Unavailable`."""
    try:
        _resolve_text(text, base_url, reader)
    except (InvalidCheck, Unavailable):
        raise
    except CoolidError:
        return


def decision_on(text: str, base_url: str, reader: Reader, provider: str | None = None) -> Decision | None:
    """Return the decision on a text as the resolver makes it, or None if it refuses the text.

    Raises `StoreUnavailable` and `LineNotTried`.
    """
    return unless_refused(lambda: _resolve_text(text, base_url, reader, provider))


def identifier_of(text: str, reader: Reader, *, needs_pattern: bool = False) -> str | None:
    """Return the identifier that a reading is, in the form of its prefix; None if it has another form.

    With `needs_pattern`, prefixes of other organizations that have no pattern accept nothing.
    """
    match = match_of(text, reader)
    if match is None or not match.identifier:
        return None
    if needs_pattern and isinstance(match.prefix, ProviderPrefix) and not match.prefix.pattern:
        return None
    if isinstance(match.prefix, Namespace):
        return text if is_date_qualified(text) or _is_valid(match, reader) else None
    if not text.endswith(match.identifier):
        return text if _fits(match.prefix, match.identifier) else None
    written = text[: -len(match.identifier)]
    head = written if " " not in written else f"{match.prefix.name}:"
    if match.prefix.name in NUMBERED:
        judged = judge(match.prefix.name, foreign_identifier(match.prefix, match.identifier))
        return head + plain_identifier(judged) if judged.valid else None
    return next((head + each for each in _variants(match) if _fits(match.prefix, each)), None)


def identify_url(url: str, reader: Reader, reverse: Reverse | None) -> UrlIdentification:
    """Return what the URL of a page identifies. Raises `StoreUnavailable` and `LineNotTried`.

    A recognised identifier needs a registered prefix that accepts it. Else the URL patterns decide, then a CURIE in the
    URL.
    """
    recognized = recognize(url)[:MAX_URL_CANDIDATES]
    fitting = tuple(each for each in recognized if fits(each, reader))
    if fitting:
        return UrlIdentification(fitting[0] if len(fitting) == 1 else None, fitting)
    curies = tuple(dict.fromkeys(curie for each in urls_in(url) for curie in reverse(each))) if reverse else ()
    if curies:
        return UrlIdentification(curies[0], (), curies[:MAX_CURIES])
    candidates = tuple(each for each in curies_in(url)[:MAX_URL_CANDIDATES] if fits(each, reader)) or recognized
    return UrlIdentification(candidates[0] if len(candidates) == 1 else None, candidates)


def fits(text: str, reader: Reader) -> bool:
    """Return whether a text begins with a registered prefix that accepts the rest; an own prefix accepts anything.

    Raises `StoreUnavailable` and `LineNotTried`.
    """
    match = match_of(text, reader)
    if match is None or isinstance(match.prefix, Namespace):
        return match is not None
    return bool(match.identifier) and _fits(match.prefix, match.identifier)


def _resolve_text(text: str, base_url: str, reader: Reader, provider: str | None = None) -> Decision:
    """Return the decision on a text, or on the identifier in the URL that it is."""
    reference = Reference.of(require_sendable(unwrap(text, base_url).text))
    return resolve(reference, reader, provider=provider, suggestion_keys=0)


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
    if prefix.name == "ark":
        return judge("ark", f"ark:{identifier}").valid
    if prefix.name == "cas":
        from stdnum import casrn  # loads slowly

        return bool(casrn.is_valid(foreign_identifier(prefix, identifier)))
    wider = _WIDER.get(prefix.name)
    if wider is not None and wider.fullmatch(identifier):
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
