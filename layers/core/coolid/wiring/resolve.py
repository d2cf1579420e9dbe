"""The wiring of the resolve function."""

import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.clock import SystemClock, ThreadClock
from coolid.aws.settings import OPERATOR_SETTINGS, PEERS, Settings, TelemetrySettings, doi_resolver
from coolid.aws.telemetry.logs import reporter, request_logger
from coolid.aws.telemetry.metrics import counter, error_counter
from coolid.http.application import Application, ErrorListener, Listeners
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.response_cache import ResponseCache
from coolid.http.routes import DeferredRoutes, Route
from coolid.ports import Clock, ProcessorClock
from coolid.resolution.caching_reader import CachingReader
from coolid.wiring.read_access import caching_reader, provide_identity, write_check

if TYPE_CHECKING:
    from coolid.http.foreign_works import ForeignWorks
    from coolid.linkid.peer_lookup import PeerLookup
    from coolid.registry.directory import Directory
    from coolid.store.log import LogAccess

UPLOAD_ORIGIN: Final = "UPLOAD_ORIGIN"
"""The environment variable with the origin of the files of jobs, if it is not this service."""
OTHER_PATH_PREFIXES: Final = (
    "/.info",
    "/.well-known/",
    "/api/",
    "/favicon.ico",
    "/health",
    "/log/",
    "/pages/",
    "/problems/",
    "/robots.txt",
    "/static/",
    "/timegate/",
    "/timemap/",
)
"""The beginnings of paths that are not references. Their endpoints load on first use, so redirects start fast."""
OTHER_PATHS: Final = frozenset(
    {
        "/",
        "/api",
        "/id",
        "/id/",
        "/pages",
        "/problems",
        "/resolve",
        "/resolve/",
        "/shoulder",
        "/shoulder/",
        "/sitemap.xml",
        "/static",
        "/timegate",
        "/timemap",
    }
)
"""Complete paths that are not references, although references may begin with them."""


def handler(service: str = "resolve") -> ApiGatewayHandler:
    """Return the Lambda handler for all public requests of the function with this name in its logs."""
    settings = Settings.read(os.environ, writes=False)
    telemetry = TelemetrySettings.read(os.environ, service)
    count = counter(telemetry)
    on_response = request_logger(telemetry, settings.public_base_url, count)
    listeners = Listeners(count, reporter(telemetry, count), on_response)
    return ApiGatewayHandler(build_application(settings, listeners), on_response)


def build_application(settings: Settings, listeners: Listeners, more_routes: tuple[Route, ...] = ()) -> Application:
    """Return the application for all public requests. `more_routes` come before all others."""
    reader, base_url = caching_reader(settings), settings.public_base_url
    provide_identity()
    clock = SystemClock()
    works = _foreign_works(doi_resolver(os.environ), base_url, clock)
    resolution = ResolutionEndpoint(
        reader, clock, base_url, works, _log_opener(settings), settings.has_log(), peer_lookup(base_url)
    )
    on_error = error_counter(listeners.count)
    other_routes = cache(partial(_other_routes, reader, resolution, ThreadClock(), on_error, write_check(settings)))
    return Application(
        (*more_routes, DeferredRoutes(OTHER_PATH_PREFIXES, other_routes, paths=OTHER_PATHS), *resolution.routes()),
        base_url,
        listeners.report,
        on_error,
        public=True,
        cache=ResponseCache(),
    )


def _foreign_works(resolver: str, base_url: str, clock: Clock) -> Callable[[str], Mapping[str, Any] | None] | None:
    """Return a function that returns the metadata of foreign DOIs by a resolver; None without a resolver."""
    if not resolver:
        return None

    @cache
    def works() -> "ForeignWorks":
        from coolid.http.foreign_works import ForeignWorks  # not needed to redirect
        from coolid.net.doi_metadata import DoiMetadata

        return ForeignWorks(DoiMetadata(resolver, base_url), clock.now)

    return lambda doi: works().work(doi)


def peer_lookup(base_url: str) -> "PeerLookup | None":
    """Return the lookup at the peers that the settings name. Raises `InvalidSettings`.

    Without peers, which is usual, the settings are not parsed, so that the function starts fast.
    """
    if not os.environ.get(PEERS) and PEERS.encode() not in _operator_file(os.environ.get(OPERATOR_SETTINGS, "")):
        return None
    from coolid.wiring.linkid.peers import build_lookup

    return build_lookup(os.environ, base_url)


def _operator_file(path: str) -> bytes:
    """Return the operator's settings file, empty if it cannot be read, which its other readers report."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - the import of pathlib takes longer than a redirect
            return file.read()
    except OSError:
        return b""


def _log_opener(settings: Settings) -> Callable[[], "LogAccess | None"]:
    """Return a function that returns the transparency log, opened on first use; None without one."""

    @cache
    def open_log() -> "LogAccess | None":
        from coolid.wiring.log_access import open_log_access  # not needed to redirect

        return open_log_access(settings)

    return open_log


def _other_routes(
    reader: CachingReader,
    resolution: ResolutionEndpoint,
    processor_clock: ProcessorClock,
    on_error: ErrorListener,
    accepts_writes: Callable[[], bool] | None,
) -> tuple[Route, ...]:
    """Return the routes of all paths that are not references."""
    from coolid.http import assets
    from coolid.http.dialects.handle.read_endpoint import HandleReadEndpoint
    from coolid.http.dialects.registry_endpoints import RegistryEndpoints
    from coolid.http.not_found import NotFoundEndpoint
    from coolid.http.public.citations import CitationEndpoint
    from coolid.http.public.explanations import ExplanationEndpoint
    from coolid.http.public.health import HealthEndpoint
    from coolid.http.public.home import HomePage
    from coolid.http.public.management_pages import ManagementPages
    from coolid.http.public.prefix_browser import PrefixBrowser
    from coolid.http.public.timemaps import TimeMapEndpoint
    from coolid.http.public.transparency_log import LogEndpoint
    from coolid.registry.directory import Directory

    clock, base_url, directory = resolution.clock, resolution.base_url, Directory()
    routes = (
        *HomePage(reader, clock, base_url, directory).routes(),
        *ManagementPages(base_url, os.environ.get(UPLOAD_ORIGIN, "")).routes(),
        *_discovery_routes(reader, resolution, directory),
        *ExplanationEndpoint(reader, clock, processor_clock, base_url, directory).routes(),
        *RegistryEndpoints(reader, clock, base_url, directory).routes(),
        *PrefixBrowser(reader, base_url, directory).routes(),
        *CitationEndpoint(resolution).routes(),
        *_program_routes(resolution, processor_clock, on_error),
        *HandleReadEndpoint(reader, clock, base_url, on_error).routes(),
        *HealthEndpoint(reader, clock, base_url, accepts_writes).routes(),
        *assets.routes(),
        *TimeMapEndpoint(reader, clock, base_url).routes(),
        *LogEndpoint(resolution.open_log).routes(),
    )
    return (*routes, *NotFoundEndpoint(routes, base_url).routes())


def _program_routes(
    resolution: ResolutionEndpoint, processor_clock: ProcessorClock, on_error: ErrorListener
) -> tuple[Route, ...]:
    """Return the routes that resolve for programs only."""
    from coolid.http.public.bulk_resolution import BulkResolutionEndpoint
    from coolid.http.public.linkid_results import PublicResultEndpoint

    return (
        *PublicResultEndpoint(resolution).routes(),
        *BulkResolutionEndpoint(resolution, processor_clock, on_error).routes(),
    )


def _discovery_routes(
    reader: CachingReader, resolution: ResolutionEndpoint, directory: "Directory"
) -> tuple[Route, ...]:
    """Return the routes that describe the service. The last one is the catch-all below `/.well-known/`."""
    from coolid.http.public.api_manual import ApiManual
    from coolid.http.public.browser_files import BrowserFiles
    from coolid.http.public.discovery import DiscoveryEndpoint
    from coolid.http.public.policy_pages import PolicyPages
    from coolid.http.public.sitemaps import ResourceSyncSource
    from coolid.wiring.notices import read_notices
    from coolid.wiring.operator_settings import operator_environment

    base_url, peers = resolution.base_url, resolution.peers
    issuers = () if peers is None else tuple(peer.issuer for peer in peers.peers)
    return (
        *ApiManual(base_url).routes(),
        *PolicyPages(reader, base_url, directory, read_notices(operator_environment(os.environ))).routes(),
        *BrowserFiles(base_url).routes(),
        *ResourceSyncSource(reader, base_url, directory).routes(),
        *DiscoveryEndpoint(reader, base_url, resolution.open_log, issuers).routes(),
    )
