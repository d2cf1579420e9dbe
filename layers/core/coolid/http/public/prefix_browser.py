"""Browsing: the page of all prefixes, `GET /pages/prefixes`, for people who look for the right one.

`?q=` finds those in whose names, synonyms and titles all its words occur; a name that begins with it comes first.
Where nothing is found, those are told whose names are written nearly alike. `?page=` counts from 1. Programs have the
same list as `/api/v1/prefixes`, by key, and as `/api/v1/converter`.

>>> from datetime import UTC, datetime
>>> moment = datetime(2026, 1, 1, tzinfo=UTC)
>>> def known(name, title): return ProviderPrefix(name=name, title=title, created=moment, updated=moment)
>>> catalogue = PrefixCatalog((known("amigo", "A browser of the GO"), known("go", "Gene Ontology"), known("mp", "Mice")))
>>> [entry.name for entry in catalogue.search("GO")], [entry.name for entry in catalogue.search("gene onto")]
(['go', 'amigo'], ['go'])
"""

import re
from itertools import islice
from typing import Final

from msgspec import Struct

from coolid.http.caching import VARY, cache_control, refusal_cache_control, with_staleness
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.prefixes import Namespace, ProviderPrefix, fold, join, path_of
from coolid.registry.directory import Directory
from coolid.resolution.request_reader import RequestReaderFactory
from coolid.resolution.suggestions import is_slip
from coolid.store.reader import Prefixes

PREFIXES: Final = "/pages/prefixes"
PARAMETERS: Final = ("page", "q")
"""The parameters that pages read, beside those of `coolid.http.public.discovery`."""

SIZE: Final = 50
"""Prefixes on a page."""
SECONDS: Final = 300
PATIENCE: Final = 5.0
"""Seconds for which the list of all prefixes is waited for."""
MOST_SOUGHT: Final = 200
"""Characters of `?q=` above which nothing is looked for: the names and titles of prefixes are shorter."""

LEAST_MISSPELT: Final = 3
"""Characters of it below which nearly everything short is near."""
MOST_NEAR: Final = 10

_PAGE: Final = re.compile("[1-9][0-9]{0,8}")


class Entry(Struct, frozen=True):
    """A prefix as it is listed; `path` is that of its own page, `example` a whole identifier and its path.

    `names` are its folded name and synonyms, `words` all that is searched.
    """

    name: str
    title: str
    path: str
    example: tuple[str, str] | None
    is_ours: bool
    deprecated: bool
    names: tuple[str, ...]
    words: str

    def rank(self, sought: str) -> int:
        """How near it is to the folded text that was looked for; lower is nearer."""
        if sought in self.names:
            return 0
        return 1 if any(name.startswith(sought) for name in self.names) else 2


class PrefixCatalog:
    """All prefixes in order, namespaces first. Never changes, and so is safe between threads."""

    def __init__(self, prefixes: Prefixes) -> None:
        self.entries = tuple(_entry(prefix) for prefix in prefixes)
        self.ours = sum(entry.is_ours for entry in self.entries)

    def search(self, text: str) -> tuple[Entry, ...]:
        """Those that have all words of a text, the nearest first; all of them for none."""
        sought = fold(text.strip())
        words = sought.split()
        if not words:
            return self.entries
        if len(sought) > MOST_SOUGHT:
            return ()
        found = (entry for entry in self.entries if all(word in entry.words for word in words))
        return tuple(sorted(found, key=lambda entry: entry.rank(sought)))

    def near(self, text: str) -> tuple[Entry, ...]:
        """A few of those whose names are one slip of the pen away from a text."""
        sought = fold(text.strip())
        if not LEAST_MISSPELT <= len(sought) <= MOST_SOUGHT:
            return ()
        found = (entry for entry in self.entries if any(is_slip(sought, name) for name in entry.names))
        return tuple(islice(found, MOST_NEAR))


class PrefixBrowser(Struct, frozen=True):
    """Lists what `reader` tells; `base_url` begins every link, `directory` has all prefixes at once."""

    reader: RequestReaderFactory
    base_url: str
    directory: Directory

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(PREFIXES, {"GET": self.prefixes}, vary=VARY),)

    def prefixes(self, request: Request, _path: str) -> Response:
        """A page of the list, whatever `Accept` says; 404 where there is no page of that number."""
        from coolid.http.pages import render

        sought, written = request.parameter("q") or "", request.parameter("page")
        with self.reader.for_request(patience=PATIENCE) as reader:
            catalogue = self.directory.made(PrefixCatalog, reader)
            staleness = reader.staleness
        found = catalogue.search(sought)
        last = max(1, -(-len(found) // SIZE))
        page = 1 if written is None else int(written) if _PAGE.fullmatch(written) else 0
        exists = 1 <= page <= last
        values = {
            "sought": sought.strip().encode(errors="replace").decode()[:MOST_SOUGHT],
            "entries": found[(page - 1) * SIZE : page * SIZE] if exists else (),
            "near": () if found else catalogue.near(sought),
            "found": len(found),
            "all": len(catalogue.entries),
            "ours": catalogue.ours,
            "page": page if exists else None,
            "last": last,
        }
        caching = cache_control(SECONDS) if exists else refusal_cache_control()
        headers = {"Cache-Control": caching, "Vary": VARY}
        answer = render("prefixes.html", 200 if exists else 404, headers, self.base_url, **values)
        return with_staleness(answer, staleness)


def _entry(prefix: Namespace | ProviderPrefix) -> Entry:
    is_ours = isinstance(prefix, Namespace)
    example = prefix.repository.rules.describe().example if isinstance(prefix, Namespace) else prefix.example
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
