"""Health for administrators: `GET /api/v1/health`. It checks every part independently, all at the same time, and
writes nothing.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from msgspec import Struct

from coolid.deadlines import current_deadline, limited
from coolid.errors import CoolidError
from coolid.http.accept import JSON
from coolid.http.application import Reporter
from coolid.http.authentication import client_of
from coolid.http.caching import NO_STORE
from coolid.http.message import Request, Response
from coolid.http.public.health import FAILED, OK, health_response
from coolid.http.routes import Route
from coolid.ports import Clock
from coolid.store.clients import ClientStore
from coolid.strict_json import dump

DIAGNOSTICS: Final = "/api/v1/health"

Diagnostic = Callable[[], str]
"""Checks one part: returns a detail, perhaps empty, or raises what is wrong with it."""


class DiagnosticsEndpoint(Struct, frozen=True):
    """Runs the named `diagnostics` for administrators among the `clients`; `report` receives unexpected errors."""

    clients: ClientStore
    diagnostics: Mapping[str, Diagnostic]
    clock: Clock
    report: Reporter

    def routes(self) -> tuple[Route, ...]:
        return (Route(DIAGNOSTICS, {"GET": self.get}),)

    def get(self, request: Request, _path: str) -> Response:
        """Return 200 with each part's state and how long its check took. Raises `Unhealthy` if a part failed."""
        client_of(request, self.clients).require_admin()

        deadline = current_deadline()

        def check(name: str) -> dict[str, Any]:
            begun = self.clock.milliseconds()
            with limited(deadline):  # in each thread, because it has its own context
                state, detail = self._run(name, request)
            took = max(0, self.clock.milliseconds() - begun)
            result = {"name": name, "state": state, "milliseconds": took}
            return result | {"detail": detail} if detail else result

        with ThreadPoolExecutor(len(self.diagnostics)) as threads:
            checks = list(threads.map(check, self.diagnostics))
        return Response(
            200, {"Cache-Control": NO_STORE, "Content-Type": JSON}, dump(health_response(checks, self.clock))
        )

    def _run(self, name: str, request: Request) -> tuple[str, str]:
        try:
            return OK, self.diagnostics[name]()
        except CoolidError as error:
            return FAILED, str(error)
        except Exception as error:  # noqa: BLE001 - the error is reported, and the other parts are still listed
            self.report(error, request)
            return FAILED, "an error that nobody foresaw; it was logged"
