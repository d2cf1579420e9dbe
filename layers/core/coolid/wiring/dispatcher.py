"""The choice of the application for a request, as API Gateway chooses a function by the routes of `template.yaml`.

>>> application_for("GET", "/go:0006915"), application_for("POST", "/api/v1/records"), application_for("GET", "/hrls")
('resolve', 'mint', 'manage')
"""

from collections.abc import Collection, Iterable, Mapping
from time import perf_counter
from typing import Final, Literal

from msgspec import Struct

from coolid.aws.settings import INDEX_TABLE, PULSE_TABLE, Settings
from coolid.http.application import Application, Listeners, ResponseListener
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.wiring import manage, mint, resolve
from coolid.wiring.write_components import WriteComponents

_MINTED: Final = frozenset({"/api/v1/records", "/api/v1/records/batch"})
_MANAGED: Final = ("/api/v1", "/hrls", "/oai", "/sitemap.xml", "/sitemaps")
_EZID: Final = frozenset({"/download_request", "/login", "/logout", "/status"})
_BELOW_EZID: Final = ("/download_request", "/id", "/shoulder")
_PUBLIC: Final = ("/api/v1/citations", "/api/v1/converter", "/api/v1/parse", "/api/v1/resolve", "/api/v1/schemas")
"""The resources below those of `_MANAGED` that are public."""
_HANDLES: Final = "/api/handles/"
_HANDLE_WRITES: Final = frozenset({"DELETE", "PUT"})

Name = Literal["resolve", "mint", "manage"]


class Dispatcher(Struct, frozen=True):
    """Answers each request by the application that serves its method and path, and calls `on_response` afterwards."""

    resolve: Application
    mint: Application
    manage: Application
    on_response: ResponseListener

    def __call__(self, request: Request) -> Response:
        """Answer a request; never raises."""
        start = perf_counter()
        application: Application = getattr(self, application_for(request.method, request.path))
        response = application(request)
        self.on_response(request, response, perf_counter() - start)
        return response


def build_dispatcher(
    environment: Mapping[str, str], listeners: Listeners, more_routes: tuple[Route, ...] = ()
) -> Dispatcher:
    """Return all applications over the store and the key that the environment names. Raises `InvalidSettings`.

    `more_routes` are public, and come before all others.
    """
    settings = Settings.read(environment, writes=True, also=[PULSE_TABLE, INDEX_TABLE])
    components = WriteComponents(settings, listeners)
    return Dispatcher(
        resolve.build_application(settings, listeners, more_routes),
        mint.build_application(components),
        manage.build_application(components),
        listeners.on_response,
    )


def application_for(method: str, path: str) -> Name:
    """Return the name of the application that serves a method and a path, percent-encoded as the client sent it.

    >>> application_for("GET", "/api/v1/parse"), application_for("GET", "/api/v1/parse/")
    ('resolve', 'manage')
    """
    if method == "POST" and path in _MINTED:
        return "mint"
    if method in _HANDLE_WRITES and path.startswith(_HANDLES) and path != _HANDLES:
        return "manage"
    if path in _EZID or _is_below(path, _BELOW_EZID):
        return "manage"
    if _is_within(path, _MANAGED) and not _is_within(path, _PUBLIC):
        return "manage"
    return "resolve"


def _is_within(path: str, resources: Collection[str]) -> bool:
    """Return whether the path is one of the resources or below one."""
    return path in resources or _is_below(path, resources)


def _is_below(path: str, resources: Iterable[str]) -> bool:
    """Return whether the path has at least one character after one of the resources and a slash."""
    return any(path.startswith(f"{each}/") and len(path) > len(each) + 1 for each in resources)
