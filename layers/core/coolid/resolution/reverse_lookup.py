"""Reverse lookup: from a URL to the CURIEs that redirect there, by the providers' URL patterns.

This is the inverse of `Provider.location`: the identifier is the part of a URL at `{$id}` of the pattern. It must match
the prefix's own pattern; without one it must contain neither `?` nor `#`. These are equal: `http` and `https`, a final
slash or none, hosts in any case, the default port or none, `%3A` and a colon, and a character that URLs exclude and its
escape. Escapes are decoded. The longest pattern comes first, because it is the most specific (like the trie of the
`curies` package), then the preferred provider.

`redirects_to` verifies each result by resolving it, because a longer prefix may be registered, a repeated prefix may be
removed, or an escape in a pasted CURIE may mean another identifier.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from coolid.errors import BadReference, InvalidIdentifier, NotFound
from coolid.identifiers import percent_encoding
from coolid.identifiers.patterns import matches
from coolid.model.prefixes import PATH_SAFE, PLACEHOLDER, Provider, ProviderPrefix, as_path, as_uri, join
from coolid.registry.directory import Directory
from coolid.registry.references import MAX_BYTES, parse_reference
from coolid.resolution.resolver import ProviderRedirect, resolve
from coolid.store.prefixes import Prefixes
from coolid.store.reader import Reader

MAX_CURIES: Final = 20
"""The most CURIEs of one URL in an answer."""

_URL: Final = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#]+)(?P<rest>.*)", re.DOTALL | re.IGNORECASE)
_PORTS: Final = {"http": ":80", "https": ":443"}
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")
_ESCAPED_PLACEHOLDER: Final = as_uri(PLACEHOLDER)
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~:-]")  # characters whose escape has no other meaning


class UrlPattern(Struct, frozen=True):
    """A provider's URL pattern: the texts around the placeholders, and the `rank` among patterns of equal length."""

    prefix: ProviderPrefix
    provider: Provider
    parts: tuple[str, ...]
    rank: tuple[bool, int, str]

    @property
    def length(self) -> int:
        """The number of fixed characters."""
        return sum(map(len, self.parts))

    def identifier(self, url: str) -> str | None:
        """Return the identifier for which the pattern produces the URL without its scheme, or None."""
        written = self._written(url)
        if written is None or (self.prefix.pattern is None and re.search("[?#]", written)):
            return None
        decoded = _decoded(written)
        # In a pasted CURIE a decoded percent sign would begin an escape.
        for each in dict.fromkeys((written, decoded) if "%" in decoded else (decoded, written)):
            fits = each and (self.prefix.pattern is None or matches(self.prefix.pattern, each))
            if fits and _normalized(self.provider.location(each, self.prefix.encoding)) == url:
                return each
        return None

    def _written(self, url: str) -> str | None:
        """Return the encoded text at the placeholders, which must be the same at each."""
        places = len(self.parts) - 1
        size, left = divmod(len(url) - self.length, places)
        start = len(self.parts[0])
        written = url[start : start + size]
        return written if size > 0 and not left and written.join(self.parts) == url else None


class UrlPatternIndex:
    """The URL patterns of many prefixes, indexed by their beginnings. Immutable, so safe between threads."""

    def __init__(self, prefixes: Prefixes) -> None:
        self._patterns: dict[str, list[UrlPattern]] = {}
        for prefix in prefixes:
            if isinstance(prefix, ProviderPrefix):
                for pattern in _url_patterns(prefix):
                    self._patterns.setdefault(pattern.parts[0], []).append(pattern)
        self._lengths = sorted({len(beginning) for beginning in self._patterns}, reverse=True)

    def matches(self, url: str) -> list[tuple[UrlPattern, str]]:
        """Return the patterns that produce the URL, the longest first, each with the identifier."""
        bare = _normalized(url) if len(url) <= MAX_BYTES else None
        if bare is None:
            return []
        # A pattern may end in a slash that the URL lacks, or lack one that the URL ends in.
        spellings = (bare, bare.rstrip("/") if bare.endswith("/") else f"{bare}/")
        found: dict[tuple[str, str], tuple[UrlPattern, str]] = {}
        for at, spelling in enumerate(spellings):
            for pattern in self._beginning(spelling):
                # An added or removed slash must be part of the pattern, not of the identifier.
                if at and not (pattern.parts[-1].endswith("/") or bare.endswith("/")):
                    continue
                identifier = pattern.identifier(spelling)
                if identifier is not None:
                    found.setdefault((pattern.prefix.name, identifier), (pattern, identifier))
        return sorted(found.values(), key=lambda each: (-each[0].length, each[0].rank))

    def curies(self, url: str) -> dict[str, UrlPattern]:
        """Return the same matches as CURIEs with their patterns."""
        found: dict[str, UrlPattern] = {}
        for pattern, identifier in self.matches(url):
            found.setdefault(join(pattern.prefix.name, identifier), pattern)
        return dict(islice(found.items(), MAX_CURIES))

    def _beginning(self, url: str) -> Iterator[UrlPattern]:
        for length in self._lengths:
            if length < len(url):
                yield from self._patterns.get(url[:length], ())


def url_index(directory: Directory, reader: Reader) -> Callable[[str], Sequence[str]]:
    """Return a function from a URL to its CURIEs, best first; it raises `StoreUnavailable` and `LineNotTried`."""

    def reverse(url: str) -> Sequence[str]:
        patterns = directory.derive(UrlPatternIndex, reader).curies(url)
        names = {pattern.prefix.name for pattern in patterns.values()}
        if len(names) > 1:
            reader.prefixes(tuple(sorted(names)))  # one batch for every `redirects_to`
        return [curie for curie, pattern in patterns.items() if redirects_to(curie, pattern.provider.code, url, reader)]

    return reverse


def redirects_to(curie: str, provider: str, url: str, reader: Reader) -> bool:
    """Return whether this provider redirects the CURIE to the URL, both encoded as a path and pasted.

    An encoded path has `%25` for `%`; in a pasted one `%` begins an escape, so few CURIEs contain `%`.
    """
    for path in dict.fromkeys((as_path(curie), percent_encoding.encode(curie, f"{PATH_SAFE}%"))):
        try:
            decision = resolve(parse_reference(path), reader, provider=provider, suggestion_keys=0)
        except (BadReference, InvalidIdentifier, NotFound):
            return False
        if not isinstance(decision, ProviderRedirect) or not is_same_url(decision.location, url):
            return False
    return True


def is_same_url(url: str, other: str) -> bool:
    """Return whether two URLs are equal, by the equivalences of this module.

    >>> is_same_url("http://A.example:80/go%3A1", "https://a.example/go:1/"), is_same_url("http://a/A", "http://a/a")
    (True, False)
    """
    bare, bare_other = _normalized(url), _normalized(other)
    return bare is not None and bare_other is not None and bare.rstrip("/") == bare_other.rstrip("/")


def _url_patterns(prefix: ProviderPrefix) -> Iterator[UrlPattern]:
    for position, provider in enumerate(prefix.providers):
        pattern = _normalized(provider.url)
        if pattern is not None and _ESCAPED_PLACEHOLDER in pattern:
            parts = tuple(pattern.split(_ESCAPED_PLACEHOLDER))
            yield UrlPattern(prefix, provider, parts, (prefix.deprecated, position, prefix.name))


def _normalized(url: str) -> str | None:
    """Return an HTTP URL without scheme and default port, with host in lower case and minimal escapes; else None."""
    match = _URL.fullmatch(url)
    if match is None:
        return None
    host = match["host"].lower().removesuffix(_PORTS[match["scheme"].lower()])
    try:
        rest = as_uri(match["rest"])
    except UnicodeEncodeError:  # lone surrogates
        return None
    return host + (_ESCAPE.sub(_without_needless_escape, rest) if "%" in rest else rest)


def _without_needless_escape(escape: re.Match[str]) -> str:
    sign = chr(int(escape[0][1:], 16))
    return sign if _UNRESERVED.fullmatch(sign) else escape[0].upper()


def _decoded(text: str) -> str:
    """Return the text with its escapes decoded once, or unchanged if that fails."""
    if "%" not in text:
        return text
    try:
        return percent_encoding.decode(text).decode()
    except (UnicodeError, ValueError):
        return text
