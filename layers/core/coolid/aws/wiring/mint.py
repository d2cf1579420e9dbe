"""The mint function, assembled."""

import os

from coolid.aws.entropy import SystemEntropy
from coolid.aws.gateway import Gateway
from coolid.aws.settings import Settings
from coolid.aws.telemetry.logs import teller
from coolid.aws.telemetry.metrics import MINT_CONFLICT, MINTED, REFUSED_MINTS, listener
from coolid.aws.telemetry.watched import Watched
from coolid.aws.wiring.powertools import counter, reporter
from coolid.aws.wiring.shared import remembering_reader
from coolid.aws.wiring.writing import prover, region, request_limit, store
from coolid.aws.world import SystemClock
from coolid.domain.homes import Homes
from coolid.domain.minting import Minter
from coolid.domain.quotas import Quotas
from coolid.domain.records import Record
from coolid.web.application import Application
from coolid.web.batching import Batching
from coolid.web.minting import Minting


def handler() -> Gateway:
    """The Lambda handler of minting."""
    settings = Settings.read(os.environ, writes=True)
    keeper, clock = store(settings), SystemClock()
    here, base_url = region(settings), settings.public_base_url
    watched = Watched.read(os.environ, "mint")
    count = counter(watched)
    report, heard = reporter(watched, count), listener(count, REFUSED_MINTS)

    def collided(times: int) -> None:
        count(MINT_CONFLICT, times)

    homes, signing = Homes(here, keeper, clock), prover(settings, keeper)
    minter = Minter(keeper, clock, SystemEntropy(), signing, base_url, demand_home=homes.demand, collided=collided)
    forget = remembering_reader(settings).forget_record

    def minted(record: Record, key: str) -> None:
        forget(record.repository, key)  # that it was absent a moment ago
        count(MINTED, repository=record.repository)

    minting = Minting(minter, keeper, Quotas(keeper, clock, here.name), minted)
    routes = minting.routes() + Batching(minting, base_url, report, heard).routes()
    return Gateway(Application(routes, base_url, report, heard, limit=request_limit), teller(watched, base_url, count))
