"""What a URL that is not a resolver's identifies, by the tables of hosts and by the registry's URL patterns."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from coolid.errors import CoolidError, Unavailable
from coolid.model.prefixes import Namespace
from coolid.recognition.url_recognition import curies_in, recognize, urls_in
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import Reference, require_sendable
from coolid.resolution.resolver import foreign_identifier, matches
from coolid.resolution.url_patterns import MAX_CURIES
from coolid.store.reader import Reader

MAX_CANDIDATES: Final = 5


class UrlIdentification(Struct, frozen=True):
    """The certain `identifier`, or several `candidates`; `curies` are those whose URL patterns give the URL."""

    identifier: str | None = None
    candidates: tuple[str, ...] = ()
    curies: tuple[str, ...] = ()


def identify(url: str, reader: Reader, reverse: Callable[[str], Sequence[str]] | None) -> UrlIdentification:
    """Return what a URL identifies; `reverse` returns the CURIEs of a URL, the most specific first.

    A recognised identifier needs a registered prefix whose pattern it matches. Else the URL patterns decide, then a
    CURIE in the URL. Raises `StoreUnavailable` and `LineNotTried`.
    """
    recognized = recognize(url)[:MAX_CANDIDATES]
    fitting = tuple(each for each in recognized if fits(each, reader))
    if fitting:
        return UrlIdentification(fitting[0] if len(fitting) == 1 else None, fitting)
    curies = tuple(dict.fromkeys(curie for each in urls_in(url) for curie in reverse(each))) if reverse else ()
    if curies:
        return UrlIdentification(curies[0], (), curies[:MAX_CURIES])
    candidates = tuple(each for each in curies_in(url)[:MAX_CANDIDATES] if fits(each, reader)) or recognized
    return UrlIdentification(candidates[0] if len(candidates) == 1 else None, candidates)


def fits(identifier: str, reader: Reader) -> bool:
    """Return whether the identifier's prefix is registered and accepts it; an own prefix always does.

    Raises `StoreUnavailable` and `LineNotTried`.
    """
    try:
        match = find_prefix(Reference.of(require_sendable(identifier)), reader)
    except Unavailable:
        raise
    except CoolidError:
        return False
    if isinstance(match.prefix, Namespace) or not match.identifier:
        return isinstance(match.prefix, Namespace)
    pattern = match.prefix.pattern
    return pattern is None or matches(pattern, foreign_identifier(match.prefix, match.identifier))
