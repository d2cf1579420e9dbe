"""The Atom feed (RFC 4287) of the changes of a prefix, `/sitemaps/feeds/PREFIX`, for monitors of the transparency log.

It lists the public versions of the records of the prefix's repository, the latest first, and the latest changes of the
prefix and the repository themselves. Each version links to its proof of inclusion. An owner can so notice a version
that somebody else wrote. Like the log, the feed has names and times, and never metadata. Records that harvesters should
not see are only in the log.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from urllib.parse import urlencode
from xml.etree.ElementTree import Element

from msgspec import Struct

from coolid.http.caching import CACHE_TAG, cache_control, cache_tags_of
from coolid.http.formats import atom
from coolid.http.formats.xml_elements import add_element, serialize
from coolid.http.message import Request, Response
from coolid.http.pagination import cursor, read_cursor
from coolid.http.parameters import TLOG_PROOF
from coolid.http.public.sitemap_documents import PATH
from coolid.http.routes import Route
from coolid.model.prefixes import Namespace, ProviderPrefix, path_of
from coolid.model.records import WITHDRAWN, Record, format_time, is_harvested
from coolid.registry.prefix_lookup import prefix_named
from coolid.registry.references import decode
from coolid.resolution.caching_reader import CachingReader
from coolid.store.records import ChangeIndex

FEEDS: Final = f"{PATH}feeds/"
VERSIONS: Final = 100
"""The most versions on a page."""
CACHE_SECONDS: Final = 60
_LIST: Final = "change-feed"


class FeedEntry(Struct, frozen=True):
    """An entry: its id, title and time, its links as pairs of relation and address, and its `kind` of change."""

    id: str
    title: str
    updated: datetime
    links: Sequence[tuple[str, str]]
    kind: str


class ChangeFeedEndpoint(Struct, frozen=True):
    """Serves the feeds; `base_url` begins every address."""

    reader: CachingReader
    changes: ChangeIndex
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (Route(FEEDS, {"GET": self.feed}, below=True),)

    def feed(self, request: Request, path: str) -> Response:
        """Return the feed of a prefix from the latest change, or the next page of it by `?page=`.

        Raises `UnknownPrefix`, `BadCursor`, `StoreUnavailable`.
        """
        with self.reader.for_request(stale=False) as reader:
            prefix = prefix_named(decode(path), reader)
        name, page = f"{_LIST} {prefix.name}", request.parameter("page")
        before = read_cursor(name, page) if page else None
        entries, before = self._entries(prefix, before)
        following = None if before is None else self._address(prefix, cursor(name, before))
        headers = {
            "Content-Type": atom.MEDIA_TYPE,
            "Cache-Control": cache_control(CACHE_SECONDS),
            CACHE_TAG: cache_tags_of(prefix),
        }
        return Response(200, headers, self._document(prefix, entries, self._address(prefix, page), following))

    def _entries(self, prefix: Namespace | ProviderPrefix, before: str | None) -> tuple[list[FeedEntry], str | None]:
        """Return the entries of a page, and the position of the next one."""
        own = self._own_changes(prefix) if before is None else []
        if not isinstance(prefix, Namespace):
            return own, None
        versions, following = self.changes.list_versions(prefix.repository.id, None, None, VERSIONS, before)
        entries = [_version_entry(each) for each in versions if is_harvested(each)]
        return sorted([*own, *entries], key=lambda each: each.updated, reverse=True), following

    def _own_changes(self, prefix: Namespace | ProviderPrefix) -> list[FeedEntry]:
        """Return the latest changes of the prefix and of its repository."""
        page = f"{self.base_url}/{path_of(prefix.name)}"
        links = [("alternate", page)]
        number = f"prefix#{prefix.revision}"
        entries = [FeedEntry(f"{page}#{number}", f"Prefix {prefix.name}", prefix.updated, links, "prefix")]
        if isinstance(prefix, Namespace):
            repository = prefix.repository
            number = f"repository#{repository.revision}"
            title = f"Repository {repository.id}"
            entries.append(FeedEntry(f"{page}#{number}", title, repository.updated, links, "repository"))
        return entries

    def _address(self, prefix: Namespace | ProviderPrefix, page: str | None) -> str:
        query = f"?{urlencode({'page': page})}" if page else ""
        return f"{self.base_url}{FEEDS}{path_of(prefix.name)}{query}"

    def _document(
        self, prefix: Namespace | ProviderPrefix, entries: Sequence[FeedEntry], url: str, next_url: str | None
    ) -> str:
        updated = max((each.updated for each in entries), default=prefix.updated)
        name = self._address(prefix, None)
        feed = atom.new_feed(name, f"Changes of {prefix.name}", prefix.name, updated, url, next_url)
        for entry in entries:
            _add_entry(feed, entry)
        return serialize(feed)


def _version_entry(record: Record) -> FeedEntry:
    """Return the entry of a version."""
    version = f"version={record.version}"
    kind = "withdrawn" if record.status == WITHDRAWN else "created" if record.version == 1 else "updated"
    links = [
        ("alternate", f"{record.pid}?format=html&{version}"),
        ("related", f"{record.pid}?format={TLOG_PROOF}&{version}"),
    ]
    title = f"Version {record.version} of {record.pid}"
    return FeedEntry(f"{record.pid}?memento={record.version}", title, record.updated, links, kind)


def _add_entry(feed: Element, entry: FeedEntry) -> None:
    element = add_element(feed, "entry")
    add_element(element, "id", atom.uuid_of(entry.id))
    add_element(element, "title", entry.title)
    add_element(element, "updated", format_time(entry.updated))
    for relation, href in entry.links:
        add_element(element, "link", "", {"rel": relation, "href": href})
    add_element(element, "category", "", {"term": entry.kind})
    change = "changed" if entry.kind in ("prefix", "repository") else entry.kind
    add_element(element, "content", f"{entry.title}: {change} at {format_time(entry.updated)}.")
