"""The resolve function, assembled."""

import os
from functools import cache
from typing import Final

from coolid.aws.gateway import Gateway
from coolid.aws.settings import Settings
from coolid.aws.telemetry.logs import reporter, teller
from coolid.aws.telemetry.metrics import counter, listener
from coolid.aws.telemetry.watched import Watched
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.world import SystemClock, ThreadClock
from coolid.web.application import Application
from coolid.web.reading import Reading
from coolid.web.ready import Ready
from coolid.web.routes import Deferred, Route

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
        from coolid.domain.directory import Directory
        from coolid.web import assets
        from coolid.web.browsing import Browsing
        from coolid.web.bulk import Bulk
        from coolid.web.discovery import Discovery
        from coolid.web.explaining import Explaining
        from coolid.web.front import Front
        from coolid.web.handles.reading import HandleReading
        from coolid.web.health import Health
        from coolid.web.manual import Manual
        from coolid.web.nowhere import Nowhere
        from coolid.web.registries.endpoints import Registries
        from coolid.web.timemaps import Times
        from coolid.web.workshop import Workshop

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
