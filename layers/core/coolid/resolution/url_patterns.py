"""The providers' URL patterns as an index from URLs to identifiers, the inverse of `Provider.location`.

The identifier is the part of a URL at `{$id}` of the pattern. It must match the prefix's own pattern; without one it
must contain neither `?` nor `#`. Escapes are decoded. These make no difference: `http` or `https`, a final slash, the
case of the host, `www.`, the default port, and the escape of a colon or of a character that URLs exclude.

A URL may continue after the pattern with a tail: further parts of the path, a file extension, a query, or a fragment.
Further parameters may surround the identifier's parameter. The identifier without the tail must match the prefix's
pattern. It must contain a digit if the rest of a path was removed. Without a pattern, it must be similar to the
prefix's example.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from msgspec import Struct

from coolid.identifiers import percent_encoding
from coolid.identifiers.patterns import matches
from coolid.model.prefixes import PLACEHOLDER, Provider, ProviderPrefix, as_uri, join
from coolid.registry.references import MAX_BYTES
from coolid.resolution.identifier_spellings import foreign_identifier
from coolid.store.prefixes import Prefixes

MAX_CURIES: Final = 20
"""The most CURIEs of one URL in an answer."""
MAX_ENDS: Final = 12
"""The most places at which a URL is cut to find the end of the identifier, per pattern."""

_URL: Final = re.compile(r"(?P<scheme>https?)://(?P<host>[^/?#]+)(?P<rest>.*)", re.DOTALL | re.IGNORECASE)
_PORTS: Final = {"http": ":80", "https": ":443"}
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")
_ESCAPED_PLACEHOLDER: Final = as_uri(PLACEHOLDER)
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9._~:-]")  # characters whose escape has no other meaning
_END: Final = re.compile(r"[/.;&?#]")
_TRACKING: Final = re.compile(r"(?:[?&](?:utm_[a-z]+|fbclid|gclid|ref|source|via)=[^&#]*)*(?:#.*)?", re.DOTALL)


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

    @property
    def page(self) -> str | None:
        """The part before the query, if the placeholder is in the query, else None."""
        head = self.parts[0]
        return head.partition("?")[0] if len(self.parts) == 2 and "?" in head and "#" not in head else None

    def identifier(self, url: str) -> str | None:
        """Return the identifier for which the pattern produces the URL without its scheme, or None."""
        written = self._written(url)
        return self._read(written) if written is not None and not self._has_tail(written) else None

    def beginning_identifier(self, url: str) -> str | None:
        """Return the longest identifier for which the pattern produces a beginning of the URL, or None."""
        head, *others = self.parts
        if len(others) != 1 or not url.startswith(head):
            return None
        rest = url[len(head) :]
        for end in islice(self._ends(rest), MAX_ENDS):
            written, tail = rest[:end], rest[end + len(others[0]) :]
            if not written or self._has_tail(written) or not self._accepts_tail(written, tail):
                continue
            identifier = self._read(written)
            if identifier is not None:
                return identifier
        return None

    def parameter_identifier(self, parameters: frozenset[str]) -> str | None:
        """Return the identifier in a parameter of a URL that has all parameters of the pattern, or None."""
        before, tail = self.parts[0].partition("?")[2], self.parts[1].partition("#")[0]
        *fixed, beginning = before.split("&")
        ending, *more = tail.split("&")
        if not beginning or not parameters.issuperset(filter(None, (*fixed, *more))):
            return None
        for parameter in parameters:
            if parameter.startswith(beginning) and parameter.endswith(ending):
                written = parameter[len(beginning) : len(parameter) - len(ending)]
                identifier = self._read(written) if written else None
                if identifier is not None:
                    return identifier
        return None

    def _has_tail(self, written: str) -> bool:
        """Return whether the text contains what separates a tail, and the prefix's example does not."""
        separators = set(written).intersection("?#&" if self.page is not None else "?#")
        return bool(separators.difference(self.prefix.example or "" if self.prefix.pattern is not None else ""))

    def _accepts_tail(self, written: str, tail: str) -> bool:
        """Return whether the text can be an identifier with this tail, before its pattern is considered."""
        is_page = tail[:1] in ("/", ".") and tail != "/"
        has_digit = re.search("[0-9]", written) is not None  # words such as `about` are pages of the provider
        if self.prefix.pattern is not None:
            return has_digit or not is_page
        return _TRACKING.fullmatch(tail) is not None or (
            has_digit and not is_page and _is_like(written, self.prefix.example or "")
        )

    def _written(self, url: str) -> str | None:
        """Return the encoded text at the placeholders, which must be the same at each."""
        places = len(self.parts) - 1
        size, left = divmod(len(url) - self.length, places)
        start = len(self.parts[0])
        written = url[start : start + size]
        return written if size > 0 and not left and written.join(self.parts) == url else None

    def _ends(self, rest: str) -> Iterator[int]:
        """Yield where the identifier can end in the rest of a URL after the pattern's beginning, the last first."""
        after = self.parts[1]
        limit = re.search("[?#]", rest)
        end = limit.start() if limit and not re.search("[?#]", after) else len(rest)
        places = [match.start() for match in _END.finditer(rest, 0, end)] + [end]
        for place in reversed(places):
            start = place - len(after)
            if start > 0 and rest.startswith(after, start):
                yield start

    def _read(self, written: str) -> str | None:
        """Return the identifier that is written so in a URL, if the prefix's pattern accepts it, else None."""
        url, decoded = written.join(self.parts), _decoded(written)
        # In a pasted CURIE a decoded percent sign would begin an escape.
        for each in dict.fromkeys((written, decoded) if "%" in decoded else (decoded, written)):
            fits = each and (self.prefix.pattern is None or matches(self.prefix.pattern, each))
            if fits and _indexed(self.provider.location(each, self.prefix.encoding)) == url:
                return each
            plain = foreign_identifier(self.prefix, each) if self.prefix.pattern is not None else each
            if plain != each and matches(str(self.prefix.pattern), plain):
                return plain
        return None


class CurieMatch(Struct, frozen=True):
    """The names of the `prefix` and `provider` whose URL pattern matched, and the `location` that it produces."""

    prefix: str
    provider: str
    location: str


class UrlPatternIndex:
    """The URL patterns of many prefixes, indexed by their beginnings. Immutable, so safe between threads."""

    def __init__(self, prefixes: Prefixes) -> None:
        self._patterns: dict[str, list[UrlPattern]] = {}
        self._pages: dict[str, list[UrlPattern]] = {}
        for prefix in prefixes:
            if isinstance(prefix, ProviderPrefix):
                for pattern in _url_patterns(prefix):
                    self._patterns.setdefault(pattern.parts[0], []).append(pattern)
                    if pattern.page is not None:
                        self._pages.setdefault(pattern.page.rstrip("/"), []).append(pattern)
        self._lengths = sorted({len(beginning) for beginning in self._patterns}, reverse=True)

    def matches(self, url: str) -> list[tuple[UrlPattern, str]]:
        """Return the patterns that produce the URL or its beginning, the longest first, each with the identifier."""
        bare = _indexed(url) if len(url) <= MAX_BYTES else None
        if bare is None:
            return []
        found: dict[tuple[str, str], tuple[UrlPattern, str]] = {}
        for pattern, identifier in self._whole(bare):
            found.setdefault((pattern.prefix.name, identifier), (pattern, identifier))
        whole = {name for name, _ in found}
        for pattern, identifier in self._with_tail(bare):
            if pattern.prefix.name not in whole:
                found.setdefault((pattern.prefix.name, identifier), (pattern, identifier))
        return sorted(found.values(), key=lambda each: (-each[0].length, each[0].rank))

    def curies(self, url: str) -> dict[str, CurieMatch]:
        """Return the same matches as CURIEs."""
        found: dict[str, CurieMatch] = {}
        for pattern, identifier in self.matches(url):
            location = pattern.provider.location(identifier, pattern.prefix.encoding)
            match = CurieMatch(pattern.prefix.name, pattern.provider.code, location)
            found.setdefault(join(pattern.prefix.name, identifier), match)
        return dict(islice(found.items(), MAX_CURIES))

    def _whole(self, bare: str) -> Iterator[tuple[UrlPattern, str]]:
        # A pattern may end in a slash that the URL lacks, or lack one that the URL ends in.
        spellings = (bare, bare.rstrip("/") if bare.endswith("/") else f"{bare}/")
        for at, spelling in enumerate(spellings):
            for pattern in self._beginning(spelling):
                # An added or removed slash must be part of the pattern, not of the identifier.
                if at and not (pattern.parts[-1].endswith("/") or bare.endswith("/")):
                    continue
                identifier = pattern.identifier(spelling)
                if identifier is not None:
                    yield pattern, identifier

    def _with_tail(self, bare: str) -> Iterator[tuple[UrlPattern, str]]:
        for pattern in self._beginning(bare):
            identifier = pattern.beginning_identifier(bare)
            if identifier is not None:
                yield pattern, identifier
        page, _, query = bare.partition("#")[0].partition("?")
        parameters = frozenset(query.split("&")) if query else frozenset()
        for pattern in self._pages.get(page.rstrip("/"), ()) if query else ():
            identifier = pattern.parameter_identifier(parameters)
            if identifier is not None:
                yield pattern, identifier

    def _beginning(self, url: str) -> Iterator[UrlPattern]:
        for length in self._lengths:
            if length < len(url):
                yield from self._patterns.get(url[:length], ())


def _is_like(identifier: str, example: str) -> bool:
    """Return whether an example has digits, and all punctuation of an identifier.

    >>> _is_like("ab-2", "xy-1"), _is_like("index.php4", "xy-1"), _is_like("page2", "title")
    (True, False, False)
    """
    punctuation = set(re.sub("[0-9A-Za-z]", "", identifier))
    return re.search("[0-9]", example) is not None and punctuation.issubset(example)


def normalize(url: str) -> str | None:
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


def _indexed(url: str) -> str | None:
    """Return the normalised URL without `www.`, because many providers have two hosts for the same pages."""
    normalized = normalize(url)
    return normalized.removeprefix("www.") if normalized is not None else None


def _url_patterns(prefix: ProviderPrefix) -> Iterator[UrlPattern]:
    for position, provider in enumerate(prefix.providers):
        pattern = _indexed(provider.url)
        if pattern is not None and _ESCAPED_PLACEHOLDER in pattern:
            parts = tuple(pattern.split(_ESCAPED_PLACEHOLDER))
            yield UrlPattern(prefix, provider, parts, (prefix.deprecated, position, prefix.name))


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
