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
from coolid.web.clients import Clients
from coolid.web.listing import Listing
from coolid.web.managing import Managing
from coolid.web.repositories import Repositories


def handler() -> Gateway:
    """The Lambda handler of prefixes, repositories and records as they are stored."""
    settings = Settings.read(os.environ, writes=True)
    keeper, clock, memory = store(settings), SystemClock(), remembering_reader(settings)
    entropy, base_url = SystemEntropy(), settings.public_base_url
    amender = Amender(keeper, clock, prover(settings, keeper))
    routes = (
        *Amending(keeper, amender, base_url, memory.forget_record).routes(),
        *Listing(keeper, base_url).routes(),
        *Managing(keeper, clock, base_url, memory.forget).routes(),
        *Repositories(keeper, clock, entropy, base_url, memory.forget).routes(),
        *Clients(keeper, clock, entropy, base_url).routes(),
    )
    return Gateway(Application(routes, base_url, reporter("manage")))
