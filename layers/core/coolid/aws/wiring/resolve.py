"""The resolve function, assembled."""

import os

from coolid.aws.gateway import Gateway
from coolid.aws.settings import Settings
from coolid.aws.telemetry.logs import reporter, teller
from coolid.aws.telemetry.metrics import counter, listener
from coolid.aws.telemetry.watched import Watched
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.world import SystemClock
from coolid.web.application import Application
from coolid.web.bulk import Bulk
from coolid.web.discovery import Discovery
from coolid.web.explaining import Explaining
from coolid.web.health import Health
from coolid.web.reading import Reading


def handler() -> Gateway:
    """The Lambda handler of what everybody may ask."""
    settings = Settings.read(os.environ, writes=False)
    reader, clock, base_url = remembering_reader(settings), SystemClock(), settings.public_base_url
    reading = Reading(reader, clock, base_url)
    watched = Watched.read(os.environ, "resolve")
    count = counter(watched)
    heard = listener(count)
    routes = (
        *Discovery(reader, base_url).routes(),
        *Explaining(reader, clock, base_url).routes(),
        *Bulk(reading, heard).routes(),
        *Health(reader, clock).routes(),
        *reading.routes(),
    )
    application = Application(routes, base_url, reporter(watched, count), heard, public=True)
    return Gateway(application, teller(watched, base_url, count))
