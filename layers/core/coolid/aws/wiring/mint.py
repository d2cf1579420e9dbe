"""The mint function, assembled."""

import os

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import Settings
from coolid.aws.telemetry.logs import request_logger
from coolid.aws.telemetry.metrics import REFUSED_MINTS, listener
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.aws.wiring.powertools import counter, reporter
from coolid.aws.wiring.shared import caching_reader
from coolid.aws.wiring.write_access import prover, region, request_limit, store
from coolid.http.application import Application
from coolid.http.management.mint import MintEndpoint
from coolid.http.management.mint_batch import MintBatchEndpoint
from coolid.metric_names import MINT_CONFLICT, MINTED
from coolid.model.records import Record
from coolid.records.minter import Minter
from coolid.records.quotas import Quotas
from coolid.registry.home_regions import HomeRegions


def handler() -> ApiGatewayHandler:
    """The Lambda handler of minting."""
    settings = Settings.read(os.environ, writes=True)
    keeper, clock = store(settings), SystemClock()
    here, base_url = region(settings), settings.public_base_url
    watched = TelemetrySettings.read(os.environ, "mint")
    count = counter(watched)
    report, heard = reporter(watched, count), listener(count, REFUSED_MINTS)

    def collided(times: int) -> None:
        count(MINT_CONFLICT, times)

    homes, signing = HomeRegions(here, keeper, clock), prover(settings, keeper)
    minter = Minter(keeper, clock, SystemEntropy(), signing, base_url, demand_home=homes.demand, collided=collided)
    forget = caching_reader(settings).evict_record

    def minted(record: Record, key: str) -> None:
        forget(record.repository, key)  # that it was absent a moment ago
        count(MINTED, repository=record.repository)

    minting = MintEndpoint(minter, keeper, Quotas(keeper, clock, here.name), minted)
    routes = minting.routes() + MintBatchEndpoint(minting, base_url, report, heard).routes()
    return ApiGatewayHandler(
        Application(routes, base_url, report, heard, limit=request_limit), request_logger(watched, base_url, count)
    )
