"""The manage function, assembled."""

import os

from coolid.aws.gateway import Gateway
from coolid.aws.settings import Settings
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.wiring.writing import prover, reporter, store
from coolid.aws.world import SystemClock, SystemEntropy
from coolid.domain.amending import Amender
from coolid.web.amending import Amending
from coolid.web.application import Application
from coolid.web.managing import Managing


def handler() -> Gateway:
    """The Lambda handler of prefixes, repositories and records as they are stored."""
    settings = Settings.read(os.environ, writes=True)
    keeper, clock, memory = store(settings), SystemClock(), remembering_reader(settings)
    managing = Managing(keeper, clock, SystemEntropy(), settings.public_base_url, memory.forget)
    amending = Amending(keeper, Amender(keeper, clock, prover(settings, keeper)), memory.forget_record)
    routes = amending.routes() + managing.routes()
    return Gateway(Application(routes, settings.public_base_url, reporter("manage")))
