"""The resolve function, assembled."""

import os
from functools import cache
from typing import Final

from coolid.aws.api_gateway import Gateway
from coolid.aws.clock import SystemClock, ThreadClock
from coolid.aws.settings import Settings
from coolid.aws.telemetry.logs import reporter, teller
from coolid.aws.telemetry.metrics import counter, listener
from coolid.aws.telemetry.telemetry_settings import Watched
from coolid.aws.wiring.shared import remembering_reader
from coolid.http.application import Application
from coolid.http.public.resolution_endpoint import Reading
from coolid.http.response_cache import Ready
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


def handler() -> Gateway:
    """The Lambda handler of what everybody may ask."""
    settings = Settings.read(os.environ, writes=False)
    reader, clock, processor = remembering_reader(settings), SystemClock(), ThreadClock()
    base_url = settings.public_base_url
    reading = Reading(reader, clock, base_url)
    watched = Watched.read(os.environ, "resolve")
    count = counter(watched)
    heard = listener(count)

    @cache
    def apart() -> tuple[Route, ...]:
        from coolid.http import assets
        from coolid.http.dialects.handle.read_endpoint import HandleReading
        from coolid.http.dialects.registry_endpoints import Registries
        from coolid.http.not_found import Nowhere
        from coolid.http.public.api_manual import Manual
        from coolid.http.public.bulk_resolution import Bulk
        from coolid.http.public.discovery import Discovery
        from coolid.http.public.explanations import Explaining
        from coolid.http.public.health import Health
        from coolid.http.public.home import Front
        from coolid.http.public.mint_page import Workshop
        from coolid.http.public.prefix_browser import Browsing
        from coolid.http.public.timemaps import Times
        from coolid.registry.directory import Directory

        directory = Directory()
        known = (
            *Front(reader, clock, base_url, directory).routes(),
            *Manual(base_url).routes(),  # before what says that there is nothing else below /.well-known/
            *Discovery(reader, base_url).routes(),
            *Explaining(reader, clock, processor, base_url, directory).routes(),
            *Registries(reader, clock, base_url, directory).routes(),
            *Browsing(reader, base_url, directory).routes(),
            *Bulk(reading, processor, heard).routes(),
            *HandleReading(reader, clock, base_url, heard).routes(),
            *Health(reader, clock, base_url).routes(),
            *assets.routes(),
            *Times(reader, clock, base_url).routes(),
            *Workshop(base_url).routes(),
        )
        return (*known, *Nowhere(known, base_url).routes())

    application = Application(
        (Deferred(APART, apart, exactly=ALONE), *reading.routes()),
        base_url,
        reporter(watched, count),
        heard,
        public=True,
        ready=Ready(),
    )
    return Gateway(application, teller(watched, base_url, count))
