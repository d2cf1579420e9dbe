"""The latest records of a repository, `/sitemaps/REPOSITORY/latest.json`, if the repository is `listed`.

The page of a prefix shows them. There are at most `MOST`, the latest change first, from at most `VERSIONS` versions.
Reserved and withdrawn records are not among them, nor those that no harvest contains.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from coolid.http.caching import cache_control
from coolid.http.errors import NoSuchAddress
from coolid.http.formats.description.metadata_reader import heading
from coolid.http.message import Response
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, Record, format_time, is_harvested
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from coolid.store.prefixes import Prefixes
from coolid.store.records import ChangeIndex
from coolid.strict_json import dump

LATEST: Final = "/latest.json"
MOST: Final = 10
VERSIONS: Final = 50
CACHE_SECONDS: Final = 300
MAX_TITLE_LENGTH: Final = 200


def latest_records(repository: str, reader: CachingReader, changes: ChangeIndex, directory: Directory) -> Response:
    """Return the latest records as JSON. Raises `NoSuchAddress` for a repository that is not listed."""
    with reader.for_request() as store:
        listed = directory.derive(_listed_repositories, store)
    if repository not in listed:
        raise NoSuchAddress("there is no such list")
    versions, _ = changes.list_versions(repository, None, None, VERSIONS, None)
    headers = {"Content-Type": "application/json", "Cache-Control": cache_control(CACHE_SECONDS)}
    return Response(200, headers, dump({"records": [_document(each) for each in latest_of(versions)]}))


def latest_of(versions: Iterable[Record]) -> list[Record]:
    """Return the active records among versions, newest first: of each record the first version, which is current."""
    current: dict[str, Record] = {}
    for each in versions:
        current.setdefault(each.key, each)
    return list(islice((each for each in current.values() if each.status == ACTIVE and is_harvested(each)), MOST))


def _listed_repositories(prefixes: Prefixes) -> frozenset[str]:
    """Return the ids of the repositories with a prefix that are listed."""
    owners = {each.repository.id: each.repository for each in prefixes if isinstance(each, Namespace)}
    return frozenset(name for name, owner in owners.items() if owner.listed)


def _document(record: Record) -> dict[str, str]:
    title = heading(record)
    shown = title if len(title) <= MAX_TITLE_LENGTH else f"{title[:MAX_TITLE_LENGTH]}…"
    return {"pid": record.pid, "title": shown, "updated": format_time(record.updated)}
