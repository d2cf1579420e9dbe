"""The wiring of the mint function."""

import os

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import Settings
from coolid.aws.telemetry.logs import request_logger
from coolid.aws.telemetry.metrics import COUNTED_MINT_ERRORS, error_counter
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.aws.wiring.powertools import counter, reporter
from coolid.aws.wiring.shared import caching_reader
from coolid.aws.wiring.write_access import open_store, prover, region, request_limit
from coolid.http.application import Application
from coolid.http.management.mint import MintEndpoint
from coolid.http.management.mint_batch import MintBatchEndpoint
from coolid.metric_names import MINT_CONFLICT, MINTED
from coolid.model.records import Record
from coolid.records.minter import Minter
from coolid.records.quotas import Quotas
from coolid.registry.home_regions import HomeRegions


def handler() -> ApiGatewayHandler:
    """Return the Lambda handler for mint_endpoint."""
    settings = Settings.read(os.environ, writes=True)
    store, clock = open_store(settings), SystemClock()
    own_region, base_url = region(settings), settings.public_base_url
    telemetry = TelemetrySettings.read(os.environ, "mint")
    count = counter(telemetry)
    report, on_error = reporter(telemetry, count), error_counter(count, COUNTED_MINT_ERRORS)

    def count_collisions(times: int) -> None:
        count(MINT_CONFLICT, times)

    homes, record_prover = HomeRegions(own_region, store.repositories, clock), prover(settings, store.public_keys)
    minter = Minter(
        store.records,
        store.prefixes,
        store.counters,
        clock=clock,
        entropy=SystemEntropy(),
        prover=record_prover,
        base_url=base_url,
        require_home=homes.require_home,
        on_collisions=count_collisions,
    )
    evict_record = caching_reader(settings).evict_record

    def on_minted(record: Record) -> None:
        evict_record(record.repository, record.key)  # which was cached as absent
        count(MINTED, repository=record.repository)

    mint_endpoint = MintEndpoint(minter, store.clients, Quotas(store.quotas, clock, own_region.name), on_minted)
    routes = mint_endpoint.routes() + MintBatchEndpoint(mint_endpoint, base_url, report, on_error).routes()
    return ApiGatewayHandler(
        Application(routes, base_url, report, on_error, limit=request_limit), request_logger(telemetry, base_url, count)
    )
