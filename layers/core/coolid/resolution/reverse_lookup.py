"""Reversing: from the URL of a thing to the CURIEs that lead there, by the URL patterns of the prefixes of others.

The inverse of `Provider.location`: an identifier is what stands in a URL where the pattern has `{$id}`, if it fits the
prefix's own pattern, where that has one; without one it has neither `?` nor `#`. `http` and `https` are the same, as
are a URL with a slash at its end and without, hosts in any case, the scheme's own port and none, `%3A` and a colon, and
what no URL can hold and its escape. Escapes are decoded. The pattern that says most of the URL comes first, since it is
the narrowest (as the trie of the `curies` package has it); among equals the preferred provider.

What the patterns tell is told to nobody before `leads_back` has held it against resolving: a longer prefix may be
registered, a repetition be left out, or a CURIE with an escape in it mean another identifier to who pastes it.

>>> from datetime import UTC, datetime
>>> moment = datetime(2026, 1, 1, tzinfo=UTC)
>>> go = ProviderPrefix(name="go", pattern="^[0-9]{7}$", created=moment, updated=moment,
...     providers=(Provider("obo", "http://purl.example/obo/GO_{$id}"), Provider("x", "https://x.example/go/{$id}/tree")))
>>> index = UrlPatternIndex((go,))
>>> [list(index.shapes(url)) for url in ("https://purl.example/obo/GO_0006915", "http://x.example/go/0006915/tree/")]
[['go:0006915'], ['go:0006915']]
>>> index.shapes("https://purl.example/obo/GO_apoptosis")
{}
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from coolid.errors import BadReference, InvalidIdentifier, NotFound
from coolid.identifiers import percent_encoding
from coolid.identifiers.patterns import matches
from coolid.model.prefixes import PATH_KEEPS, PLACEHOLDER, Provider, ProviderPrefix, as_path, as_uri, join
from coolid.registry.directory import Directory
from coolid.registry.references import MOST_BYTES, read
from coolid.resolution.resolver import ProviderRedirect, resolve
from coolid.store.reader import Prefixes, Reader

MOST_CURIES: Final = 20
"""How many CURIEs are told of one URL."""

_URL: Final = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#]+)(?P<rest>.*)", re.DOTALL | re.IGNORECASE)
_PORTS: Final = {"http": ":80", "https": ":443"}
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")
_PLACE: Final = as_uri(PLACEHOLDER)
_NEEDLESS: Final = re.compile(r"[A-Za-z0-9._~:-]")  # what needs no escape, nor does anybody mean another thing by one


class UrlPattern(Struct, frozen=True):
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
        # A percent sign that is decoded would be none to who pastes it.
        for each in dict.fromkeys((written, decoded) if "%" in decoded else (decoded, written)):
            if each and self._fits(each) and self._makes(url, each):
                return each
        return None

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


class UrlPatternIndex:
    """The URL patterns of many prefixes, by how they begin. Never changes, and so is safe between threads."""

    def __init__(self, prefixes: Prefixes) -> None:
        self._shapes: dict[str, list[UrlPattern]] = {}
        for prefix in prefixes:
            if isinstance(prefix, ProviderPrefix):
                for shape in _shapes(prefix):
                    self._shapes.setdefault(shape.parts[0], []).append(shape)
        self._lengths = sorted({len(beginning) for beginning in self._shapes}, reverse=True)

    def matches(self, url: str) -> list[tuple[UrlPattern, str]]:
        """The patterns that make the URL, the longest first, each with the identifier."""
        bare = _bare(url) if len(url) <= MOST_BYTES else None
        if bare is None:
            return []
        # A pattern may end in a slash that the URL lacks, or lack one that the URL ends in.
        spellings = (bare, bare.rstrip("/") if bare.endswith("/") else f"{bare}/")
        found: dict[tuple[str, str], tuple[UrlPattern, str]] = {}
        for at, spelling in enumerate(spellings):
            for shape in self._beginning(spelling):
                # What only lacks its slash: the slash is part of the pattern, or else of no identifier.
                if at and not (shape.parts[-1].endswith("/") or bare.endswith("/")):
                    continue
                identifier = shape.identifier(spelling)
                if identifier is not None:
                    found.setdefault((shape.prefix.name, identifier), (shape, identifier))
        return sorted(found.values(), key=lambda each: (-each[0].length, each[0].rank))

    def shapes(self, url: str) -> dict[str, UrlPattern]:
        """The same CURIEs with their patterns."""
        found: dict[str, UrlPattern] = {}
        for shape, identifier in self.matches(url):
            found.setdefault(join(shape.prefix.name, identifier), shape)
        return dict(islice(found.items(), MOST_CURIES))

    def _beginning(self, url: str) -> Iterator[UrlPattern]:
        for length in self._lengths:
            if length < len(url):
                yield from self._shapes.get(url[:length], ())


def url_index(directory: Directory, reader: Reader) -> Callable[[str], Sequence[str]]:
    """What tells the CURIEs that are redirected to a URL, the longest pattern's first.

    Raises `StoreUnavailable` and `LineNotTried`.
    """

    def reverse(url: str) -> Sequence[str]:
        shapes = directory.made(UrlPatternIndex, reader).shapes(url)
        names = {shape.prefix.name for shape in shapes.values()}
        if len(names) > 1:
            reader.prefixes(tuple(sorted(names)))  # one batch, whose rows serve every `leads_back`
        return [curie for curie, shape in shapes.items() if leads_back(curie, shape.provider.code, url, reader)]

    return reverse


def leads_back(curie: str, provider: str, url: str, reader: Reader) -> bool:
    """Whether the CURIE is redirected to the URL by this provider, written as a path and as it is pasted into one.

    In a path that is written for it, `%` is `%25`; pasted, it begins an escape, so that few CURIEs have any.
    """
    for path in dict.fromkeys((as_path(curie), percent_encoding.encode(curie, f"{PATH_KEEPS}%"))):
        try:
            decision = resolve(read(path), reader, provider=provider, suggestion_keys=0)
        except (BadReference, InvalidIdentifier, NotFound):
            return False
        if not isinstance(decision, ProviderRedirect) or not is_same(decision.location, url):
            return False
    return True


def is_same(url: str, other: str) -> bool:
    """Whether two URLs differ in nothing but what makes no difference here.

    >>> is_same("http://A.example:80/go%3A1", "https://a.example/go:1/"), is_same("http://a.example/A", "http://a.example/a")
    (True, False)
    """
    bare, bare_other = _bare(url), _bare(other)
    return bare is not None and bare_other is not None and bare.rstrip("/") == bare_other.rstrip("/")


def _shapes(prefix: ProviderPrefix) -> Iterator[UrlPattern]:
    for position, provider in enumerate(prefix.providers):
        pattern = _bare(provider.url)
        if pattern is not None and _PLACE in pattern:
            yield UrlPattern(prefix, provider, tuple(pattern.split(_PLACE)), (prefix.deprecated, position, prefix.name))


def _bare(url: str) -> str | None:
    """The URL without its scheme and the scheme's port, its host in lower case, with the escapes that it needs.

    None for what is none of `http`.

    >>> _bare("HTTPS://A.example:443/go%3a1%2fx é"), _bare("ftp://a.example/")
    ('a.example/go:1%2Fx%20%C3%A9', None)
    """
    match = _URL.fullmatch(url)
    if match is None:
        return None
    host = match["host"].lower().removesuffix(_PORTS[match["scheme"].lower()])
    try:
        rest = as_uri(match["rest"])
    except UnicodeEncodeError:  # halves of surrogates
        return None
    return host + (_ESCAPE.sub(_plain, rest) if "%" in rest else rest)


def _plain(escape: re.Match[str]) -> str:
    sign = chr(int(escape[0][1:], 16))
    return sign if _NEEDLESS.fullmatch(sign) else escape[0].upper()


def _decoded(text: str) -> str:
    """The text with its escapes decoded, once; as it is where that gives none."""
    if "%" not in text:
        return text
    try:
        return percent_encoding.decode(text).decode()
    except (UnicodeError, ValueError):
        return text
