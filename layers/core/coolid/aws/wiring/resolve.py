"""The resolve function, assembled."""

import os
from functools import cache
from typing import Final

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.clock import SystemClock, ThreadClock
from coolid.aws.settings import Settings
from coolid.aws.telemetry.logs import reporter, request_logger
from coolid.aws.telemetry.metrics import counter, listener
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.aws.wiring.shared import caching_reader
from coolid.http.application import Application
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.response_cache import ResponseCache
from coolid.http.routes import Deferred, Route

APART: Final = (
    "/.info",
    "/.well-known/",
    "/api/",
    "/favicon.ico",
    "/health",
    "/pages/",
    "/problems/",
    "/robots.txt",
    "/static/",
    "/timegate/",
    "/timemap/",
)
"""What the addresses begin with that are no references to resolve: a redirect does without what they need."""
ALONE: Final = frozenset(
    {
        "/",
        "/api",
        "/pages",
        "/problems",
        "/resolve",
        "/resolve/",
        "/sitemap.xml",
        "/static",
        "/timegate",
        "/timemap",
    }
)
"""Such addresses with which references may begin."""


def handler() -> ApiGatewayHandler:
    """The Lambda handler of what everybody may ask."""
    settings = Settings.read(os.environ, writes=False)
    reader, clock, processor = caching_reader(settings), SystemClock(), ThreadClock()
    base_url = settings.public_base_url
    reading = ResolutionEndpoint(reader, clock, base_url)
    watched = TelemetrySettings.read(os.environ, "resolve")
    count = counter(watched)
    heard = listener(count)

    @cache
    def apart() -> tuple[Route, ...]:
        from coolid.http import assets
        from coolid.http.dialects.handle.read_endpoint import HandleReadEndpoint
        from coolid.http.dialects.registry_endpoints import RegistryEndpoints
        from coolid.http.not_found import NotFoundEndpoint
        from coolid.http.public.api_manual import ApiManual
        from coolid.http.public.bulk_resolution import BulkResolutionEndpoint
        from coolid.http.public.discovery import DiscoveryEndpoint
        from coolid.http.public.explanations import ExplanationEndpoint
        from coolid.http.public.health import HealthEndpoint
        from coolid.http.public.home import HomePage
        from coolid.http.public.mint_page import MintPage
        from coolid.http.public.prefix_browser import PrefixBrowser
        from coolid.http.public.timemaps import TimeMapEndpoint
        from coolid.registry.directory import Directory

        directory = Directory()
        known = (
            *HomePage(reader, clock, base_url, directory).routes(),
            *ApiManual(base_url).routes(),  # before what says that there is nothing else below /.well-known/
            *DiscoveryEndpoint(reader, base_url).routes(),
            *ExplanationEndpoint(reader, clock, processor, base_url, directory).routes(),
            *RegistryEndpoints(reader, clock, base_url, directory).routes(),
            *PrefixBrowser(reader, base_url, directory).routes(),
            *BulkResolutionEndpoint(reading, processor, heard).routes(),
            *HandleReadEndpoint(reader, clock, base_url, heard).routes(),
            *HealthEndpoint(reader, clock, base_url).routes(),
            *assets.routes(),
            *TimeMapEndpoint(reader, clock, base_url).routes(),
            *MintPage(base_url).routes(),
        )
        return (*known, *NotFoundEndpoint(known, base_url).routes())

    application = Application(
        (Deferred(APART, apart, exactly=ALONE), *reading.routes()),
        base_url,
        reporter(watched, count),
        heard,
        public=True,
        ready=ResponseCache(),
    )
    return ApiGatewayHandler(application, request_logger(watched, base_url, count))
