"""The resolve function, assembled."""

import os

from coolid.aws.gateway import Gateway
from coolid.aws.logs import reporter
from coolid.aws.settings import Settings
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.world import SystemClock
from coolid.web.application import Application
from coolid.web.bulk import Bulk
from coolid.web.discovery import Discovery
from coolid.web.explaining import Explaining
from coolid.web.reading import Reading


def handler() -> Gateway:
    """The Lambda handler of what everybody may ask."""
    settings = Settings.read(os.environ, writes=False)
    reader, clock, base_url = remembering_reader(settings), SystemClock(), settings.public_base_url
    reading = Reading(reader, clock, base_url)
    routes = (
        *Discovery(reader, base_url).routes(),
        *Explaining(reader, clock, base_url).routes(),
        *Bulk(reading).routes(),
        *reading.routes(),
    )
    return Gateway(Application(routes, base_url, reporter("resolve"), public=True))
