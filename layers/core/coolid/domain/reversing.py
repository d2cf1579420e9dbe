"""Reversing: from the URL of a thing to the CURIEs that lead there, by the URL patterns of the prefixes of others.

The inverse of `Provider.location`: an identifier is what stands in a URL where the pattern has `{$id}`, if it fits the
prefix's own pattern, where that has one; without one it has neither `?` nor `#`. `http` and `https` are the same, as
are a URL with a slash at its end and without, hosts in any case, and `%3A` and a colon. Escapes are decoded. The
pattern that says most of the URL comes first, since it is the narrowest (as the trie of the `curies` package has it);
among equals the preferred provider.

>>> from datetime import UTC, datetime
>>> moment = datetime(2026, 1, 1, tzinfo=UTC)
>>> go = ProviderPrefix(name="go", pattern="^[0-9]{7}$", created=moment, updated=moment,
...     providers=(Provider("obo", "http://purl.example/obo/GO_{$id}"), Provider("x", "https://x.example/go/{$id}/tree")))
>>> index = Index((go,))
>>> index.curies("https://purl.example/obo/GO_0006915"), index.curies("http://x.example/go/0006915/tree/")
(('go:0006915',), ('go:0006915',))
>>> index.curies("https://purl.example/obo/GO_apoptosis")
()
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from coolid.domain import percent
from coolid.domain.patterns import matches
from coolid.domain.prefixes import PLACEHOLDER, Namespace, Provider, ProviderPrefix, join
from coolid.domain.references import MOST_BYTES

MOST_CURIES: Final = 20
"""How many CURIEs are told of one URL."""

_URL: Final = re.compile(r"https?://(?P<host>[^/?#]+)(?P<rest>.*)", re.DOTALL | re.IGNORECASE)
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")
_NEEDLESS: Final = re.compile(r"[A-Za-z0-9._~:-]")  # what needs no escape, nor does anybody mean another thing by one


class Shape(Struct, frozen=True):
    """A provider's URL pattern, to be held against URLs.

    `parts` are the texts round the places of the identifier; `rank` orders equally long ones.
    """

    prefix: ProviderPrefix
    provider: Provider
    parts: tuple[str, ...]
    rank: tuple[bool, int, str]

    @property
    def length(self) -> int:
        """How many characters of a URL it tells."""
        return sum(map(len, self.parts))

    def identifier(self, url: str) -> str | None:
        """The identifier for which the pattern makes the URL, which is without its scheme; None if there is none."""
        written = self._written(url)
        if written is None or (self.prefix.pattern is None and re.search("[?#]", written)):
            return None
        decoded = _decoded(written)
        for each in dict.fromkeys((decoded, written)):
            if each and self._fits(each) and self._makes(url, each):
                return each
        return decoded if decoded and decoded.isprintable() and self._fits(decoded) else None

    def _written(self, url: str) -> str | None:
        """What stands in all the places of the identifier, which have to have the same; still encoded."""
        places = len(self.parts) - 1
        size, left = divmod(len(url) - self.length, places)
        start = len(self.parts[0])
        written = url[start : start + size]
        return written if size > 0 and not left and written.join(self.parts) == url else None

    def _fits(self, identifier: str) -> bool:
        return self.prefix.pattern is None or matches(self.prefix.pattern, identifier)

    def _makes(self, url: str, identifier: str) -> bool:
        return _bare(self.provider.location(identifier, self.prefix.encoding)) == url


class Index:
    """The URL patterns of many prefixes, by how they begin. Never changes, and so is safe between threads."""

    def __init__(self, prefixes: Sequence[Namespace | ProviderPrefix]) -> None:
        self._shapes: dict[str, list[Shape]] = {}
        for prefix in prefixes:
            if isinstance(prefix, ProviderPrefix):
                for shape in _shapes(prefix):
                    self._shapes.setdefault(shape.parts[0], []).append(shape)
        self._lengths = sorted({len(beginning) for beginning in self._shapes}, reverse=True)

    def matches(self, url: str) -> list[tuple[Shape, str]]:
        """The patterns that make the URL, the longest first, each with the identifier."""
        bare = _bare(url) if len(url) <= MOST_BYTES else None
        if bare is None:
            return []
        # A pattern may end in a slash that the URL lacks, or lack one that the URL ends in.
        spellings = (bare, bare.rstrip("/") if bare.endswith("/") else f"{bare}/")
        found: dict[tuple[str, str], tuple[Shape, str]] = {}
        for at, spelling in enumerate(spellings):
            for shape in self._beginning(spelling):
                # What only lacks its slash: the slash is part of the pattern, or else of no identifier.
                if at and not (shape.parts[-1].endswith("/") or bare.endswith("/")):
                    continue
                identifier = shape.identifier(spelling)
                if identifier is not None:
                    found.setdefault((shape.prefix.name, identifier), (shape, identifier))
        return sorted(found.values(), key=lambda each: (-each[0].length, each[0].rank))

    def curies(self, url: str) -> tuple[str, ...]:
        """The CURIEs for which a provider's pattern makes the URL, those of the longest first."""
        told = (join(shape.prefix.name, identifier) for shape, identifier in self.matches(url))
        return tuple(dict.fromkeys(told))[:MOST_CURIES]

    def _beginning(self, url: str) -> Iterator[Shape]:
        for length in self._lengths:
            if length < len(url):
                yield from self._shapes.get(url[:length], ())


def _shapes(prefix: ProviderPrefix) -> Iterator[Shape]:
    for position, provider in enumerate(prefix.providers):
        pattern = _bare(provider.url)
        if pattern is not None and PLACEHOLDER in pattern:
            yield Shape(prefix, provider, tuple(pattern.split(PLACEHOLDER)), (prefix.deprecated, position, prefix.name))


def _bare(url: str) -> str | None:
    """The URL without its scheme, its host in lower case, without needless escapes; None for what is none of `http`.

    >>> _bare("HTTPS://A.example/go%3a1%2fx"), _bare("ftp://a.example/")
    ('a.example/go:1%2Fx', None)
    """
    match = _URL.fullmatch(url)
    if match is None:
        return None
    rest = match["rest"]
    return match["host"].lower() + (_ESCAPE.sub(_plain, rest) if "%" in rest else rest)


def _plain(escape: re.Match[str]) -> str:
    sign = chr(int(escape[0][1:], 16))
    return sign if _NEEDLESS.fullmatch(sign) else escape[0].upper()


def _decoded(text: str) -> str:
    """The text with its escapes decoded, once; as it is where that gives none."""
    if "%" not in text:
        return text
    try:
        return percent.decode(text).decode()
    except (UnicodeError, ValueError):
        return text
