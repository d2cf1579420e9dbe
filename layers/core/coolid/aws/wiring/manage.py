"""The manage function, assembled."""

import os

from coolid.aws.entropy import SystemEntropy
from coolid.aws.examining import trials
from coolid.aws.gateway import Gateway
from coolid.aws.settings import PULSE_TABLE, Settings
from coolid.aws.telemetry.logs import teller
from coolid.aws.telemetry.metrics import MINTED, REFUSED_MINTS, listener
from coolid.aws.telemetry.watched import Watched
from coolid.aws.wiring.boto import READS, dynamodb
from coolid.aws.wiring.powertools import counter, reporter
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.wiring.writing import prover, region, request_limit, signer, store
from coolid.aws.world import SystemClock
from coolid.domain.amending import Amender
from coolid.domain.homes import Homes
from coolid.domain.minting import Minter
from coolid.domain.quotas import Quotas
from coolid.domain.records import Record
from coolid.web.amending import Amending
from coolid.web.application import Application
from coolid.web.clients import Clients
from coolid.web.examining import Examining
from coolid.web.handles.searching import HandleSearching
from coolid.web.handles.writing import HandleWriting
from coolid.web.links import Links
from coolid.web.listing import Listing
from coolid.web.managing import Managing
from coolid.web.repositories import Repositories
from coolid.web.webhooks import Webhooks


def handler() -> Gateway:
    """The Lambda handler of prefixes, repositories and records as they are stored."""
    settings = Settings.read(os.environ, writes=True, also=[PULSE_TABLE])
    keeper, clock, memory = store(settings), SystemClock(), remembering_reader(settings)
    entropy, base_url = SystemEntropy(), settings.public_base_url
    here = region(settings)
    homes, signing = Homes(here, keeper, clock), prover(settings, keeper)
    amender = Amender(keeper, clock, signing, homes.demand)
    minter = Minter(keeper, clock, entropy, signing, base_url, demand_home=homes.demand)
    watched = Watched.read(os.environ, "manage")
    count = counter(watched)
    report = reporter(watched, count)
    heard = listener(count, REFUSED_MINTS)
    tried = trials(settings, dynamodb(READS), signer(settings), clock)

    def minted(record: Record, key: str) -> None:
        memory.forget_record(record.repository, key)  # that it was absent a moment ago
        count(MINTED, repository=record.repository)

    quotas = Quotas(keeper, clock, here.name)
    handles = HandleWriting(keeper, minter, amender, quotas, clock, minted, memory.forget_record, heard)
    routes = (
        *Amending(keeper, amender, base_url, memory.forget_record).routes(),
        *Listing(keeper, base_url).routes(),
        *Managing(keeper, clock, base_url, memory.forget, here).routes(),
        *Repositories(keeper, clock, entropy, base_url, memory.forget, here).routes(),
        *Links(keeper, keeper, clock, base_url).routes(),
        *Webhooks(keeper, keeper, clock, entropy, base_url).routes(),
        *Clients(keeper, clock, entropy, base_url).routes(),
        *Examining(keeper, tried, clock, report).routes(),
        *handles.routes(),
        *HandleSearching(keeper, clock, heard).routes(),
    )
    return Gateway(Application(routes, base_url, report, heard, limit=request_limit), teller(watched, base_url, count))
