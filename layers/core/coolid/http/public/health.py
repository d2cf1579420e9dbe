"""The public health check: `GET /health`, for load balancers and people who suspect an outage.

It reads one row of each table that resolution needs, without the cache, with the time limits of any request. So it
answers 200 if identifiers resolve, and 503 if only the cache would still serve them. The response contains the
release, the time, and whether each part works. A database on the same machine that refuses writes for now, such as on a
full disk, has a state of its own: identifiers still resolve. If its file was deleted or replaced, the response is 503,
because no write succeeds before a restart.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from coolid.errors import StoreUnavailable
from coolid.http.accept import JSON, prefers_html
from coolid.http.caching import NO_STORE
from coolid.http.errors import Unhealthy
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.records import format_time
from coolid.ports import Clock
from coolid.resolution.caching_reader import CachingReader, CachingRequestReader
from coolid.strict_json import dump
from coolid.version import __version__

HEALTH: Final = "/health"
OK: Final = "ok"
FAILED: Final = "failed"
UNTRIED: Final = "untried"
"""The state of a part after a failed one, so that the check waits for the store only once."""

READ_ONLY: Final = "read-only"
"""The state of a database that accepts no writes for now."""

ABSENT_KEY: Final = "/health"
"""A key that no row has in any table, because no prefix begins with a slash and every repository has an id.

It is never cached, so the store is queried.
"""


class HealthEndpoint(Struct, frozen=True):
    """Checks the tables of `reader`, and with `accepts_writes` the database; `base_url` begins own addresses.

    `accepts_writes` raises `StoreUnavailable` if writes fail until a restart.
    """

    reader: CachingReader
    clock: Clock
    base_url: str
    accepts_writes: Callable[[], bool] | None = None

    def routes(self) -> tuple[Route, ...]:
        return (Route(HEALTH, {"GET": self.get}),)

    def get(self, request: Request, _path: str) -> Response:
        """Return 200 with the state of each part, a page for browsers. Raises `Unhealthy` if a part failed."""
        report = health_response([{"name": name, "state": state} for name, state in self._states().items()], self.clock)
        headers = {"Cache-Control": NO_STORE, "Vary": "Accept"}
        if prefers_html(request.headers.get("accept")):
            from coolid.http.pages import render

            return render("health.html", 200, headers, self.base_url, report=report)
        return Response(200, {**headers, "Content-Type": JSON}, dump(report))

    def _states(self) -> dict[str, str]:
        states = dict.fromkeys(("prefixes", "records"), UNTRIED)
        with self.reader.for_request(stale=False) as reader:
            for name in states:
                try:
                    _read(reader, name)
                except StoreUnavailable:
                    states[name] = FAILED
                    break
                states[name] = OK
        if self.accepts_writes and FAILED not in states.values():
            try:
                states["database"] = OK if self.accepts_writes() else READ_ONLY
            except StoreUnavailable:
                states["database"] = FAILED
        return states


def health_response(checks: list[dict[str, Any]], clock: Clock) -> Mapping[str, Any]:
    """Return the report of the checks. Raises `Unhealthy` with the same report if one failed."""
    failed = [check["name"] for check in checks if check["state"] == FAILED]
    report = {
        "healthy": not failed,
        "release": __version__,
        "time": format_time(clock.now()),
        "checks": checks,
    }
    if failed:
        raise Unhealthy(failed, report)
    return report


def _read(reader: CachingRequestReader, name: str) -> None:
    """Read one row of a table, without the cache."""
    if name == "prefixes":
        reader.prefixes((ABSENT_KEY,))
    else:
        repository, _, key = ABSENT_KEY.partition("/")
        reader.record(repository, key, consistent=True)
