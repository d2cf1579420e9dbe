"""The manage function, assembled."""

import os

from coolid.aws.entropy import SystemEntropy
from coolid.aws.examining import trials
from coolid.aws.gateway import Gateway
from coolid.aws.settings import Settings
from coolid.aws.telemetry.logs import teller
from coolid.aws.telemetry.metrics import listener
from coolid.aws.telemetry.watched import Watched
from coolid.aws.wiring.boto import READS, dynamodb
from coolid.aws.wiring.powertools import counter, reporter
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.wiring.writing import prover, region, signer, store
from coolid.aws.world import SystemClock
from coolid.domain.amending import Amender
from coolid.domain.homes import Homes
from coolid.web.amending import Amending
from coolid.web.application import Application
from coolid.web.clients import Clients
from coolid.web.examining import Examining
from coolid.web.listing import Listing
from coolid.web.managing import Managing
from coolid.web.repositories import Repositories


def handler() -> Gateway:
    """The Lambda handler of prefixes, repositories and records as they are stored."""
    settings = Settings.read(os.environ, writes=True)
    keeper, clock, memory = store(settings), SystemClock(), remembering_reader(settings)
    entropy, base_url = SystemEntropy(), settings.public_base_url
    here = region(settings)
    amender = Amender(keeper, clock, prover(settings, keeper), Homes(here, keeper, clock).demand)
    watched = Watched.read(os.environ, "manage")
    count = counter(watched)
    report = reporter(watched, count)
    tried = trials(settings, dynamodb(READS), signer(settings), clock)
    routes = (
        *Amending(keeper, amender, base_url, memory.forget_record).routes(),
        *Listing(keeper, base_url).routes(),
        *Managing(keeper, clock, base_url, memory.forget, here).routes(),
        *Repositories(keeper, clock, entropy, base_url, memory.forget, here).routes(),
        *Clients(keeper, clock, entropy, base_url).routes(),
        *Examining(keeper, tried, clock, report).routes(),
    )
    return Gateway(Application(routes, base_url, report, listener(count)), teller(watched, base_url, count))
