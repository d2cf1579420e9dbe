"""Warming up: fills what the server remembers, so that from then on whatever is new takes the place of what is old.

Memory that is bounded grows until its bound is reached, which is no leak. Here is what the bounds are, and how each is
reached before anything is counted:

- prefixes (`resolution.cache.PREFIX_LIMIT`): each that there is, is asked for; there are fewer than there is room for;
- compiled patterns (`identifiers.patterns`): an identifier of each prefix is judged;
- records, absences, past versions (`RECORD_LIMIT`, `ABSENCE_LIMIT`, `SUPERSEDED_LIMIT`): more of each than the limit;
- ready-made answers (`http.response_cache.LIMIT`): more of them, too, by number; the mix goes on to fill them by size;
- pages: one of each kind, so that its template is compiled, and the list of all prefixes is read;
- threads, each with its clients of AWS: as many at once as the server has, and writes in all of them.

What else there is, is bounded by what there is to show, and met in the mix.
"""

import http.client
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import local
from time import monotonic, sleep
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlsplit

from coolid.http import response_cache
from coolid.http.public.prefix_browser import PAGE_SIZE
from coolid.identifiers.schemes import lui
from coolid.local.request_threads import THREADS
from coolid.resolution.cache import ABSENCE_LIMIT, RECORD_LIMIT, SUPERSEDED_LIMIT
from scripts.soak.expecting import is_delayed
from scripts.soak.kept import PLACE, Edition, Foreign, Kept, Owner, World
from scripts.soak.messages import BROWSER, Ask, Reply, ask
from scripts.soak.spellings import number
from scripts.soak.system import System

_PATIENCE: Final = 60.0
"""Seconds for an answer."""
_ATTEMPTS: Final = 5
_IDLE: Final = 2.0
"""Seconds after which a connection is not used again; the server closes it after five."""
_PAGES: Final = ("/", "/pages/prefixes", "/pages/prefixes?q=gene", "/api/v1/parse?id=go:0006915")
_LINES: Final = 100
_LISTED: Final = 100
_MOST_DIGITS: Final = 12

Thing = TypeVar("Thing")
Told = TypeVar("Told")


class Warming:
    """Speaks to a server as its administrator and as its clients, in many threads; `seed` makes it repeatable."""

    def __init__(self, system: System, seed: str) -> None:
        self._system = system
        self._dice = random.Random(f"{seed}/warming")  # noqa: S311 - seeded, to be repeated
        self._lines = local()

    def world(self, clients: int) -> World:
        """Make clients with repositories, fill everything; what there is then."""
        owners = [self._owner(number) for number in range(clients)]
        prefixes = self._prefixes()
        foreign = _foreign(prefixes)
        self._all(self._prefix, prefixes)
        absent = [
            lui.format(lui.encode(self._dice.randrange(32**lui.DEFAULT_SYMBOLS)))
            for _ in range(_more(ABSENCE_LIMIT.entries))
        ]
        batches = [owners[at % clients] for at in range(-(-_more(RECORD_LIMIT.entries) // _LINES))]
        records = [kept for some in self._all(self._batch, batches, at_once=4) for kept in some]
        self._all(self._update, [(each, owners) for each in records[: _more(SUPERSEDED_LIMIT.entries)]])
        self._all(self._look, [f"/{kept.path}" for kept in records])
        self._all(self._look, [f"/{kept.path}?memento=1" for kept in records if len(kept.editions) > 1] * 2)
        self._all(self._look, [f"/{owners[0].short}:{each}" for each in absent])
        for page in (*_PAGES, f"/{foreign[0].prefix}", f"/{owners[0].short}", f"/{records[0].path}?format=html"):
            self._look(page, accept=BROWSER)
        others = [self._dice.choice(foreign) for _ in range(_more(response_cache.LIMIT.entries))]
        self._all(self._look, [f"/{each.prefix}:{number(each, self._dice)}" for each in others])
        return World(self._system.url, owners, foreign, records, absent, -(-len(prefixes) // PAGE_SIZE))

    def _send(self, request: Ask, *expected: int) -> Reply:
        """Send a request over this thread's connection, a read again if the store was too slow for so many at once.

        Raises `RuntimeError` if another status comes.
        """
        for _ in range(_ATTEMPTS):
            reply = self._sent(request)
            if reply.status in expected:
                return reply
            if not is_delayed(request, reply):
                break
            sleep(float(reply.headers["retry-after"]))
        raise RuntimeError(f"{request.method} {request.path}: {reply.status} {reply.body[:300]!r}")

    def _sent(self, request: Ask) -> Reply:
        lines = self._lines
        if not hasattr(lines, "line"):
            lines.line = http.client.HTTPConnection(urlsplit(self._system.url).netloc, timeout=_PATIENCE)
            lines.used = monotonic()
        line: http.client.HTTPConnection = lines.line
        if monotonic() - lines.used > _IDLE:
            line.close()  # and opened again; else the server might do so at this moment
        line.request(request.method, request.path, request.body, dict(request.headers))
        answer = line.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        body = answer.read()
        lines.used = monotonic()
        return Reply(answer.status, headers, body)

    def _all(self, work: Callable[[Thing], Told], things: Iterable[Thing], at_once: int = THREADS) -> list[Told]:
        with ThreadPoolExecutor(at_once) as threads:
            return list(threads.map(work, things))

    def _owner(self, number: int) -> Owner:
        """Create a client with a repository under two prefixes, and all scopes for these only."""
        short, dated = f"soak{number}", f"2026/11/soak{number}"
        key = self._system.key
        made = self._send(ask("POST", "/api/v1/repositories", key=key, document={"title": short, "scheme": "lui"}), 201)
        repository = made.document["id"]
        for prefix in (dated, short):
            named = {"kind": "namespace", "repository": repository}
            self._send(ask("PUT", f"/api/v1/prefixes/{prefix}", key=key, document=named), 200, 201)
        scopes = [f"{verb}:{prefix}" for verb in ("mint", "update") for prefix in (dated, short)]
        client = self._send(ask("POST", "/api/v1/clients", key=key, document={"scopes": scopes, "note": short}), 201)
        return Owner(client.document["key"], repository, short, dated)

    def _prefixes(self) -> list[Mapping[str, Any]]:
        """All prefixes that there are."""
        found: list[Mapping[str, Any]] = []
        address = f"/api/v1/prefixes?limit={_LISTED}"
        path = address
        while True:
            told = self._send(ask("GET", path, key=self._system.key), 200).document
            found += told["prefixes"]
            if not told.get("next"):
                return found
            path = f"{address}&cursor={quote(told['next'], safe='')}"

    def _prefix(self, prefix: Mapping[str, Any]) -> None:
        """Request a prefix, and an identifier of it."""
        name = quote(prefix["prefix"], safe="/")
        self._send(ask("GET", f"/{name}"), 200)
        if prefix.get("example"):
            self._look(f"/{name}:{quote(prefix['example'], safe='')}")

    def _batch(self, owner: Owner) -> list[Kept]:
        """Mint some records."""
        numbers = [self._dice.getrandbits(64) for _ in range(_LINES)]
        lines = [
            {
                "prefix": owner.short,
                "uri": f"https://content.example.org/{number:x}",
                "metadata": {"what": f"Thing {number:x}", "who": "Soak", "when": "2026"},
            }
            for number in numbers
        ]
        begun = monotonic()
        told = self._send(ask("POST", "/api/v1/records/batch", key=owner.key, document=lines), 200).document
        refused = [each for each in told if each["status"] != 201]
        if refused:
            raise RuntimeError(f"a line of a batch: {refused[0]}")
        return [Kept.read(each["record"], owner.short, self._system.url, begun, monotonic()) for each in told]

    def _update(self, owned: tuple[Kept, Sequence[Owner]]) -> None:
        """Make a second version of a record."""
        kept, owners = owned
        key = next(owner.key for owner in owners if owner.short == kept.namespace)
        path = f"/api/v1/records/{kept.path}"
        tag = self._send(ask("GET", path, key=key), 200).headers["etag"]
        edition = Edition(2, f"{kept.now.target}/2", monotonic())
        change = {"records": [{"uri": edition.target}]}
        self._send(ask("PATCH", path, key=key, document=change, if_match=tag), 200)
        edition.acknowledged = monotonic()
        kept.editions.append(edition)

    def _look(self, path: str, **headers: str) -> None:
        """Resolve, whatever the result: an example may break its pattern, or its prefix may have no provider."""
        self._send(ask("GET", path, **headers), 200, 302, 400, 404)


def _foreign(prefixes: Iterable[Mapping[str, Any]]) -> list[Foreign]:
    """Return prefixes whose identifiers are numbers of some digits, so that their targets can be computed."""
    found = []
    for prefix in prefixes:
        example, providers = prefix.get("example") or "", prefix.get("providers") or []
        if not re.fullmatch("[0-9]+", example) or len(example) > _MOST_DIGITS or not providers:
            continue
        if providers[0]["url"].count(PLACE) != 1 or prefix.get("deprecated"):
            continue
        if all(
            _fits(text, prefix.get("pattern")) for text in (example, *(sign * len(example) for sign in "123456789"))
        ):
            found.append(Foreign(prefix["prefix"], providers[0]["url"], len(example)))
    return found


def _fits(text: str, pattern: str | None) -> bool:
    try:
        return pattern is None or re.fullmatch(pattern, text) is not None
    except re.error:
        return False


def _more(room: int) -> int:
    """More than there is room for.

    >>> _more(5_000)
    5500
    """
    return room + room // 10
