"""The manage function, assembled."""

import os

from coolid.aws.gateway import Gateway
from coolid.aws.settings import Settings
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.wiring.writing import reporter, store
from coolid.aws.world import SystemClock, SystemEntropy
from coolid.web.application import Application
from coolid.web.managing import Managing


def handler() -> Gateway:
    """The Lambda handler of prefixes, repositories and records as they are stored."""
    settings = Settings.read(os.environ, writes=True)
    forget = remembering_reader(settings).forget
    managing = Managing(store(settings), SystemClock(), SystemEntropy(), settings.public_base_url, forget)
    return Gateway(Application(managing.routes(), settings.public_base_url, reporter("manage")))
