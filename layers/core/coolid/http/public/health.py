"""Health for everybody: `GET /health`, for load balancers and people who wonder whether it is them or the service.

It asks the store for one row of each table that resolving reads, past all that is remembered, with the patience that
any request has. So it answers 200 where identifiers resolve, and 503 where only memory would still serve. It tells
the release and the time, and of the parts no more than whether they work.
"""

from collections.abc import Mapping
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
from coolid.resolution.request_reader import RequestReader, RequestReaderFactory
from coolid.strict_json import dump
from coolid.version import __version__

HEALTH: Final = "/health"
OK: Final = "ok"
FAILED: Final = "failed"
UNTRIED: Final = "untried"
"""The state of a part behind one that failed: the store is not waited for twice."""

NOBODY: Final = "/health"
"""A key that no row has in any table, since no prefix begins with a slash, and every repository has an id.

Nothing is remembered of it, so that the store is asked.
"""


class HealthEndpoint(Struct, frozen=True):
    """Examines what `reader` reads; `base_url` begins our own addresses."""

    reader: RequestReaderFactory
    clock: Clock
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(HEALTH, {"GET": self.get}),)

    def get(self, request: Request, _path: str) -> Response:
        """200 with what works, a page for browsers; `Unhealthy` where something does not."""
        report = health_response([{"name": name, "state": state} for name, state in self._states().items()], self.clock)
        headers = {"Cache-Control": NO_STORE, "Vary": "Accept"}
        if prefers_html(request.header("accept")):
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
        return states


def health_response(checks: list[dict[str, Any]], clock: Clock) -> Mapping[str, Any]:
    """What is told of an examination; `Unhealthy` with the same if something failed."""
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


def _read(reader: RequestReader, name: str) -> None:
    """Ask for one row of a table, past what is remembered."""
    if name == "prefixes":
        reader.prefixes((NOBODY,))
    else:
        repository, _, key = NOBODY.partition("/")
        reader.record(repository, key, consistent=True)
