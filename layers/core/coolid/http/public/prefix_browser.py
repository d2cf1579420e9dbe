"""The prefix browser: the page of all prefixes, `GET /pages/prefixes`.

`?q=` finds prefixes with all its words in their names, synonyms or titles; names that begin with it come first. Without
a match, the page suggests prefixes with similar names. `?page=` counts from 1. Programs get the same list from
`/api/v1/prefixes`, with a key, and from `/api/v1/converter`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import Final

from msgspec import Struct

from coolid.http.caching import VARY, cache_control, refusal_cache_control, with_staleness
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.prefixes import Namespace, ProviderPrefix, fold, join, path_of
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from coolid.resolution.near_names import NearNames
from coolid.store.prefixes import Prefixes

PREFIXES: Final = "/pages/prefixes"
PARAMETERS: Final = ("page", "q")
"""The parameters of this page, besides those of `coolid.http.public.discovery`."""

PAGE_SIZE: Final = 50
"""Prefixes on a page."""
CACHE_SECONDS: Final = 300
STORE_TIMEOUT_SECONDS: Final = 5.0
"""The longest wait for the list of all prefixes."""
MAX_QUERY_LENGTH: Final = 200
"""Characters of `?q=` above which nothing can match, because names and titles of prefixes are shorter."""

MIN_SUGGESTION_LENGTH: Final = 3
"""Characters of `?q=` below which too many names would be similar."""
MAX_SUGGESTIONS: Final = 10

_SEPARATOR: Final = "\0"
"""Between the searched texts of prefixes. No name or title contains it."""
_PAGE: Final = re.compile("[1-9][0-9]{0,8}")


class Entry(Struct, frozen=True):
    """A prefix in the list; `path` is that of its page, `example` a whole identifier and its path.

    `names` are its folded name and synonyms, `words` is the searched text.
    """

    name: str
    title: str
    path: str
    example: tuple[str, str] | None
    is_ours: bool
    deprecated: bool
    names: tuple[str, ...]
    words: str

    def rank(self, query: str) -> int:
        """Return how well it matches the folded query; lower is better."""
        if query in self.names:
            return 0
        return 1 if any(name.startswith(query) for name in self.names) else 2


class PrefixCatalog:
    """All prefixes in order, namespaces first. Immutable, hence thread-safe."""

    def __init__(self, prefixes: Prefixes) -> None:
        self.entries = tuple(_entry(prefix) for prefix in prefixes)
        self.ours = sum(entry.is_ours for entry in self.entries)
        self._positions = {name: at for at, entry in enumerate(self.entries) for name in entry.names}
        self._names = NearNames(self._positions)
        self._text = _SEPARATOR.join(entry.words for entry in self.entries)
        self._starts = list(accumulate((len(entry.words) + 1 for entry in self.entries), initial=0))

    def search(self, text: str) -> tuple[Entry, ...]:
        """Return the prefixes with all words of a text, the best match first; all of them without words."""
        query = fold(text.strip())
        words = query.split()
        if not words:
            return self.entries
        if len(query) > MAX_QUERY_LENGTH:
            return ()
        ranked: tuple[list[Entry], ...] = ([], [], [])
        for entry in self._containing(words):
            ranked[entry.rank(query)].append(entry)
        return tuple(chain(*ranked))

    def near(self, text: str) -> tuple[Entry, ...]:
        """Return some prefixes with a name that is one typing error away from a text."""
        query = fold(text.strip())
        if not MIN_SUGGESTION_LENGTH <= len(query) <= MAX_QUERY_LENGTH:
            return ()
        found = sorted({self._positions[name] for name in self._names.near(query)})
        return tuple(self.entries[at] for at in found[:MAX_SUGGESTIONS])

    def _containing(self, words: Sequence[str]) -> Iterator[Entry]:
        """Yield the prefixes with all words. The longest word is searched in one text of all, which is the fastest."""
        rarest = max(words, key=len)
        found = self._text.find(rarest)
        while found >= 0:
            at = bisect_right(self._starts, found) - 1
            if all(word in self.entries[at].words for word in words):
                yield self.entries[at]
            found = self._text.find(rarest, self._starts[at + 1])


class PrefixBrowser(Struct, frozen=True):
    """Lists the prefixes of `reader`; `base_url` begins every link, `directory` caches all prefixes."""

    reader: CachingReader
    base_url: str
    directory: Directory

    def routes(self) -> tuple[Route, ...]:
        return (Route(PREFIXES, {"GET": self.prefixes}, vary=VARY),)

    def prefixes(self, request: Request, _path: str) -> Response:
        """Return a page of the list, whatever `Accept` is; 404 if there is no page of that number."""
        from coolid.http.pages import render

        query, written = request.parameter("q") or "", request.parameter("page")
        with self.reader.for_request(max_wait_seconds=STORE_TIMEOUT_SECONDS) as reader:
            catalogue = self.directory.derive(PrefixCatalog, reader)
            staleness = reader.staleness
        found = catalogue.search(query)
        last = max(1, -(-len(found) // PAGE_SIZE))
        page = 1 if written is None else int(written) if _PAGE.fullmatch(written) else 0
        exists = 1 <= page <= last
        values = {
            "sought": query.strip().encode(errors="replace").decode()[:MAX_QUERY_LENGTH],
            "entries": found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE] if exists else (),
            "near": () if found else catalogue.near(query),
            "found": len(found),
            "all": len(catalogue.entries),
            "ours": catalogue.ours,
            "page": page if exists else None,
            "last": last,
        }
        caching = cache_control(CACHE_SECONDS) if exists else refusal_cache_control()
        headers = {"Cache-Control": caching, "Vary": VARY}
        answer = render("prefixes.html", 200 if exists else 404, headers, self.base_url, **values)
        return with_staleness(answer, staleness)


def _entry(prefix: Namespace | ProviderPrefix) -> Entry:
    is_ours = isinstance(prefix, Namespace)
    example = prefix.rules.describe().example if isinstance(prefix, Namespace) else prefix.example
    synonyms = () if isinstance(prefix, Namespace) else tuple(map(fold, prefix.synonyms))
    title = prefix.title or (prefix.repository.title if isinstance(prefix, Namespace) else "")
    return Entry(
        prefix.name,
        title,
        path_of(prefix.name),
        (join(prefix.name, example), path_of(prefix.name, example)) if example else None,
        is_ours,
        not isinstance(prefix, Namespace) and prefix.deprecated,
        (prefix.name, *synonyms),
        "\n".join((prefix.name, *synonyms, fold(title))),
    )
