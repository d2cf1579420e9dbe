"""Sitemaps of the public records, by repository, and ResourceSync's lists.

- `/sitemap.xml` is the index of all sitemaps, `/sitemaps/REPOSITORY.xml` that of one repository;
- `/sitemaps/REPOSITORY/WINDOW.xml` lists the records whose last change was in a period (`sitemap_windows`);
- `/sitemaps/REPOSITORY/changes.xml` lists the latest changes, withdrawals included (ResourceSync's change list);
- `/sitemaps/REPOSITORY/latest.json` lists the latest records of a listed repository (`latest_records`);
- `/sitemaps/REPOSITORY/capabilities.xml` is ResourceSync's capability list, `/.well-known/resourcesync` its source
  description, which names the capability list of each repository.

Reserved and withdrawn records are not listed. An index reads the times of all changes of a repository, 15 read units
for 1,000 records, at most once in `CACHE_SECONDS` in each process. A sitemap reads its own records only.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from threading import Lock
from typing import Final

from msgspec import Struct, field

from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.public.latest_records import LATEST, latest_records
from coolid.http.public.sitemap_documents import (
    CACHE_SECONDS,
    CAPABILITIES,
    CHANGES,
    INDEX,
    MAX_ENTRIES,
    PATH,
    SOURCE,
    SitemapEntry,
    address,
    document,
)
from coolid.http.public.sitemap_windows import SitemapWindow, UnorderedTimes, period_of, windows_of
from coolid.http.routes import Route
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, WITHDRAWN, Record, format_time, is_harvested
from coolid.ports import Clock
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from coolid.store.pages import all_members
from coolid.store.prefixes import Prefixes
from coolid.store.records import ChangeIndex

TIMES_PAGE: Final = 10_000
_SUFFIX: Final = ".xml"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class WindowCache(Struct):
    """The windows of each repository with the time at which they were read. Safe between threads."""

    windows: dict[str, tuple[datetime, list[SitemapWindow]]] = {}
    lock: Lock = field(default_factory=Lock)


class SitemapEndpoint(Struct, frozen=True):
    """Serves the lists; `base_url` begins every address."""

    reader: CachingReader
    changes: ChangeIndex
    clock: Clock
    base_url: str
    cache: WindowCache = field(default_factory=WindowCache)
    directory: Directory = field(default_factory=Directory)

    def routes(self) -> tuple[Route, ...]:
        return Route(INDEX, {"GET": self.index}), Route(PATH, {"GET": self.listing}, below=True)

    def index(self, _request: Request, _path: str) -> Response:
        """Return the index of all sitemaps. If they are more than an index may have, the rest is not read."""
        entries = (entry for repository in self._repositories() for entry in self._sitemaps(repository))
        return document([*islice(entries, MAX_ENTRIES)], "resourcelist", at=self._hour(), is_index=True)

    def listing(self, _request: Request, path: str) -> Response:
        """Return a list of a repository. Raises `NoSuchAddress`."""
        if path.endswith(LATEST):
            return latest_records(path.removesuffix(LATEST), self.reader, self.changes, self.directory)
        repository, _, name = path.removesuffix(_SUFFIX).partition("/")
        if not path.endswith(_SUFFIX) or repository not in self._repositories():
            raise NoSuchAddress("there is no such sitemap")
        up = address(self.base_url, repository, CAPABILITIES)
        index = address(self.base_url, repository)
        if name == CAPABILITIES:
            entries = [SitemapEntry(index, capability="resourcelist")]
            entries.append(SitemapEntry(address(self.base_url, repository, CHANGES), capability="changelist"))
            return document(entries, "capabilitylist", up=f"{self.base_url}{SOURCE}")
        if name == CHANGES:
            return self._changes(repository, up)
        if not name:
            entries = self._sitemaps(repository)[:MAX_ENTRIES]
            return document(entries, "resourcelist", up=up, at=self._hour(), is_index=True)
        period = period_of(name)
        if period is None:
            raise NoSuchAddress("there is no such sitemap")
        return document(self._records(repository, *period), "resourcelist", up=up, index=index, at=self._hour())

    def _changes(self, repository: str, up: str) -> Response:
        """Return the list of the last change of each record that changed in the latest two windows or later.

        It is open: it has no `until`, because it goes on.
        """
        latest = self._windows(repository)[-2:]
        period = period_of(latest[0].name) if latest else None
        since = period[0] if period else _EPOCH
        entries = [
            SitemapEntry(each.pid, format_time(each.updated), change=_change_of(each))
            for each in self._changed(repository, since, None)
            if is_harvested(each)
        ]
        return document(entries, "changelist", up=up, from_=format_time(since))

    def _repositories(self) -> Collection[str]:
        with self.reader.for_request() as reader:
            return self.directory.derive(repositories_of, reader)

    def _sitemaps(self, repository: str) -> list[SitemapEntry]:
        windows = self._windows(repository)
        return [SitemapEntry(address(self.base_url, repository, each.name), each.last) for each in windows]

    def _windows(self, repository: str) -> list[SitemapWindow]:
        now = self.clock.now()
        with self.cache.lock:
            read, windows = self.cache.windows.get(repository, (None, []))
            if read is None or (now - read).total_seconds() >= CACHE_SECONDS:
                windows = self._divided(repository)
                self.cache.windows[repository] = now, windows
            return windows

    def _divided(self, repository: str) -> list[SitemapWindow]:
        """Read the windows. A page of times is in memory, or all until the index by time of change is complete."""
        list_times = partial(self.changes.change_times, repository)
        try:
            return windows_of(all_members(list_times, size=TIMES_PAGE))
        except UnorderedTimes:
            return windows_of(sorted(all_members(list_times, size=TIMES_PAGE)))

    def _records(self, repository: str, since: datetime, until: datetime) -> list[SitemapEntry]:
        return [
            SitemapEntry(each.pid, format_time(each.updated))
            for each in self._changed(repository, since, until)
            if each.status == ACTIVE and is_harvested(each)
        ]

    def _changed(self, repository: str, since: datetime, until: datetime | None) -> list[Record]:
        """Return the records of a period, at most as many as a list may have."""
        changed = all_members(partial(self.changes.list_changed, repository, since, until))
        return [*islice(changed, MAX_ENTRIES)]

    def _hour(self) -> str:
        """Return the time at which the hour began, so that a list without changes stays the same for a while."""
        return format_time(self.clock.now().replace(minute=0, second=0, microsecond=0))


class ResourceSyncSource(Struct, frozen=True):
    """Serves ResourceSync's source description, which names the capability list of each repository."""

    reader: CachingReader
    base_url: str
    directory: Directory = field(default_factory=Directory)

    def routes(self) -> tuple[Route, ...]:
        return (Route(SOURCE, {"GET": self.description}),)

    def description(self, _request: Request, _path: str) -> Response:
        """Return the source description."""
        with self.reader.for_request() as reader:
            repositories = self.directory.derive(repositories_of, reader)
        entries = [
            SitemapEntry(address(self.base_url, each, CAPABILITIES), capability="capabilitylist")
            for each in islice(repositories, MAX_ENTRIES)
        ]
        return document(entries, "description")


def _change_of(record: Record) -> str:
    if record.status == WITHDRAWN:
        return "deleted"
    return "created" if record.version == 1 else "updated"


def repositories_of(prefixes: Prefixes) -> Mapping[str, None]:
    """Return the ids of the repositories that have a prefix, in order."""
    return dict.fromkeys(sorted({each.repository.id for each in prefixes if isinstance(each, Namespace)}))
