"""Health for administrators: `GET /api/v1/health`. Every part is tried for itself, all at the same time, and whatever
one of them does, the others are told of. Nothing is written.
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
from coolid.store.store import Store
from coolid.strict_json import dump

EXAMINATION: Final = "/api/v1/health"

Trial = Callable[[], str]
"""Tries one part: what there is to say of it, nothing if empty; raises whatever is wrong with it."""


class DiagnosticsEndpoint(Struct, frozen=True):
    """Makes the `trials`, by their names, for administrators that `store` knows.

    `report` is told of errors that nobody foresaw.
    """

    store: Store
    trials: Mapping[str, Trial]
    clock: Clock
    report: Reporter

    def routes(self) -> tuple[Route, ...]:
        """One address."""
        return (Route(EXAMINATION, {"GET": self.get}),)

    def get(self, request: Request, _path: str) -> Response:
        """200 with each part's state and how long it took to find out; `Unhealthy` where something failed."""
        client_of(request, self.store).demand_admin()

        deadline = current_deadline()

        def check(name: str) -> dict[str, Any]:
            begun = self.clock.milliseconds()
            with limited(deadline):  # in each thread, because it begins with a context of its own
                state, detail = self._tried(name, request)
            took = max(0, self.clock.milliseconds() - begun)
            told = {"name": name, "state": state, "milliseconds": took}
            return told | {"detail": detail} if detail else told

        with ThreadPoolExecutor(len(self.trials)) as threads:
            checks = list(threads.map(check, self.trials))
        return Response(
            200, {"Cache-Control": NO_STORE, "Content-Type": JSON}, dump(health_response(checks, self.clock))
        )

    def _tried(self, name: str, request: Request) -> tuple[str, str]:
        try:
            return OK, self.trials[name]()
        except CoolidError as error:
            return FAILED, str(error)
        except Exception as error:  # noqa: BLE001 - the other parts are told of; this one is reported, and that it failed
            self.report(error, request)
            return FAILED, "an error that nobody foresaw; it was logged"
