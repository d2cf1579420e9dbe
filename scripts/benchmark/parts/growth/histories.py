"""More and more versions of one record, in a SQLite database that this process reads.

Each request begins with an empty cache. A full TimeMap lists 1,000 versions, so that its smallest size is a full one.
"""

import random
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from functools import partial
from itertools import cycle
from typing import Any, Final

from msgspec.structs import replace

from coolid.http.application import Application
from coolid.http.caching import last_modified
from coolid.http.management.lists import HISTORY, ListEndpoint
from coolid.http.message import Request
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.public.timemaps import TimeMapEndpoint
from coolid.identifiers.schemes import lui
from coolid.model.clients import issue_client
from coolid.model.records import Location, Record, parse_time
from coolid.resolution.caching_reader import CachingReader
from coolid.sqlite.database import Database
from coolid.sqlite.records import INSERT_RECORD
from coolid.sqlite.store import sqlite_store
from coolid.store.reader import StoreReader
from coolid.store.rows import CURRENT, record_row
from coolid.store.store import Store
from scripts.benchmark.cliffs import Cliff, Work, Workspace
from scripts.benchmark.identifiers import BASE_URL, suffix
from scripts.benchmark.rows import MINTED
from tests.support.builders.samples import namespace, repository
from tests.support.fixtures.ports import FixedClock, SeededEntropy

SIZES: Final = (100, 10_000)
FULL: Final = (1_000, 10_000)
"""Numbers of versions for work that lists 1,000 of them."""
PREFIX: Final = "demo"
KEY: Final = suffix(0)
PATH: Final = f"/{PREFIX}:{KEY}"
FIRST: Final = parse_time("2021-06-01T00:00:00Z")
LAST: Final = parse_time("2026-06-01T00:00:00Z")
MOMENTS: Final = 500


def _timegate(workspace: Workspace, size: int) -> Work:
    dice = random.Random(size)  # noqa: S311 - not secret
    moments = (FIRST + dice.random() * (LAST - FIRST) for _ in range(MOMENTS))
    requests = [_request(f"/timegate{PATH}", {"accept-datetime": last_modified(moment)}) for moment in moments]
    return _public(workspace, size, requests, 302)


def _get(path: str, query: str, workspace: Workspace, size: int) -> Work:
    return _public(workspace, size, [_request(path, query=query)], 200)


def _list(workspace: Workspace, size: int) -> Work:
    store = _store(workspace, size)
    client, key = issue_client(("admin",), FixedClock(), SeededEntropy(), "growth")
    store.clients.put_client(client)
    routes = ListEndpoint(store.clients, store.prefixes, store.records, BASE_URL).routes()
    request = _request(HISTORY + PATH[1:], {"authorization": f"Bearer {key}"}, "limit=100")
    return _repeated(Application(routes, BASE_URL, _report), [request], 200)


def _public(workspace: Workspace, size: int, requests: Iterable[Request], status: int) -> Work:
    store = _store(workspace, size)
    reader = CachingReader(StoreReader(store.prefixes, store.records, store.public_keys), lambda: 0.0)
    clock = FixedClock(LAST)
    routes = (
        *TimeMapEndpoint(reader, clock, BASE_URL).routes(),
        *ResolutionEndpoint(reader, clock, BASE_URL).routes(),
    )
    return _repeated(Application(routes, BASE_URL, _report, public=True), requests, status, reader.clear)


def _repeated(
    application: Application, requests: Iterable[Request], status: int, before: Callable[[], object] = lambda: None
) -> Work:
    following = cycle(requests).__next__

    def ask() -> None:
        before()
        response = application(following())
        assert response.status == status, response.body

    ask()
    return ask


def _request(path: str, headers: Mapping[str, str] | None = None, query: str = "") -> Request:
    pairs = tuple((name, value) for name, _, value in (each.partition("=") for each in query.split("&") if each))
    return Request("GET", path, pairs, headers or {})


def _report(error: Exception, _request: Request) -> None:
    raise error


def _store(workspace: Workspace, size: int) -> Store:
    """Return a store with one record of `size` versions, evenly spread over five years."""
    path = workspace.scratch / f"history-{size}.db"
    exists = path.exists()
    database = Database.open(path)
    workspace.resources.callback(database.close)
    store = sqlite_store(database)
    if exists:
        return store
    owner = repository(canonical=PREFIX)
    store.repositories.create_repository(owner)
    store.prefixes.put_prefix(namespace(PREFIX, owner), None)
    version = _first_version(owner.id)
    step = (LAST - FIRST) / size

    def fill(connection: sqlite3.Connection) -> None:
        connection.executemany(INSERT_RECORD, (_row(version, number, step, size) for number in range(1, size + 1)))

    database.write(fill)
    return store


def _row(first: Record, number: int, step: timedelta, size: int) -> dict[str, Any]:
    version = replace(first, version=number, updated=FIRST + (number - 1) * step)
    return record_row(version, CURRENT if number == size else number)


def _first_version(repository_id: str) -> Record:
    display = lui.format(KEY)
    return Record(
        id=display,
        pid=f"{BASE_URL}/{PREFIX}:{display}",
        repository=repository_id,
        version=1,
        created=FIRST,
        updated=FIRST,
        issuer=BASE_URL,
        status="active",
        records=(Location(str(MINTED["uri"])),),
        metadata={"minted": MINTED["metadata"]},
        proof="e" * 520,  # as long as a signature with its statement
        key=KEY,
    )


CLIFFS: Final = (
    Cliff("TimeGate at a moment", SIZES, "versions", _timegate),
    Cliff("full TimeMap", FULL, "versions", partial(_get, f"/timemap{PATH}", "")),
    Cliff("page of a record", SIZES, "versions", partial(_get, PATH, "format=html")),
    Cliff("100 versions in the API", SIZES, "versions", _list),
)
