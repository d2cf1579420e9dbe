"""The resolve function, assembled."""

import os

from coolid.aws.gateway import Gateway
from coolid.aws.logs import reporter
from coolid.aws.settings import Settings
from coolid.aws.wiring.shared import remembering_reader
from coolid.web.application import Application
from coolid.web.reading import Reading


def handler() -> Gateway:
    """The Lambda handler of public reads."""
    settings = Settings.read(os.environ, writes=False)
    reading = Reading(remembering_reader(settings), settings.public_base_url)
    return Gateway(Application(reading.routes(), settings.public_base_url, reporter("resolve"), public=True))
