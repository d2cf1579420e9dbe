"""The manage function, assembled."""

import os

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.clock import SystemClock
from coolid.aws.diagnostics import diagnostic_checks
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import PULSE_TABLE, Settings
from coolid.aws.telemetry.logs import request_logger
from coolid.aws.telemetry.metrics import REFUSED_MINTS, listener
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.aws.wiring.boto_clients import READS, dynamodb
from coolid.aws.wiring.powertools import counter, reporter
from coolid.aws.wiring.shared import caching_reader
from coolid.aws.wiring.write_access import prover, region, request_limit, signer, store
from coolid.http.application import Application
from coolid.http.dialects.handle.handle_search import HandleSearchEndpoint
from coolid.http.dialects.handle.write_endpoint import HandleWriteEndpoint
from coolid.http.management.clients import ClientEndpoint
from coolid.http.management.diagnostics import DiagnosticsEndpoint
from coolid.http.management.link_reports import LinkReportEndpoint
from coolid.http.management.lists import ListEndpoint
from coolid.http.management.prefixes import PrefixEndpoint
from coolid.http.management.records import RecordEndpoint
from coolid.http.management.repositories import RepositoryEndpoint
from coolid.http.management.webhooks import WebhookEndpoint
from coolid.metric_names import MINTED
from coolid.model.records import Record
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter
from coolid.records.quotas import Quotas
from coolid.registry.home_regions import HomeRegions


def handler() -> ApiGatewayHandler:
    """The Lambda handler of prefixes, repositories and records as they are stored."""
    settings = Settings.read(os.environ, writes=True, also=[PULSE_TABLE])
    keeper, clock, memory = store(settings), SystemClock(), caching_reader(settings)
    entropy, base_url = SystemEntropy(), settings.public_base_url
    here = region(settings)
    homes, signing = HomeRegions(here, keeper, clock), prover(settings, keeper)
    amender = RecordAmender(keeper, clock, signing, homes.demand)
    minter = Minter(keeper, clock, entropy, signing, base_url, demand_home=homes.demand)
    watched = TelemetrySettings.read(os.environ, "manage")
    count = counter(watched)
    report = reporter(watched, count)
    heard = listener(count, REFUSED_MINTS)
    tried = diagnostic_checks(settings, dynamodb(READS), signer(settings), clock)

    def minted(record: Record, key: str) -> None:
        memory.evict_record(record.repository, key)  # that it was absent a moment ago
        count(MINTED, repository=record.repository)

    quotas = Quotas(keeper, clock, here.name)
    handles = HandleWriteEndpoint(keeper, minter, amender, quotas, clock, minted, memory.evict_record, heard)
    routes = (
        *RecordEndpoint(keeper, amender, base_url, memory.evict_record).routes(),
        *ListEndpoint(keeper, base_url).routes(),
        *PrefixEndpoint(keeper, clock, base_url, memory.clear, here).routes(),
        *RepositoryEndpoint(keeper, clock, entropy, base_url, memory.clear, here).routes(),
        *LinkReportEndpoint(keeper, keeper, clock, base_url).routes(),
        *WebhookEndpoint(keeper, keeper, clock, entropy, base_url).routes(),
        *ClientEndpoint(keeper, clock, entropy, base_url).routes(),
        *DiagnosticsEndpoint(keeper, tried, clock, report).routes(),
        *handles.routes(),
        *HandleSearchEndpoint(keeper, clock, heard).routes(),
    )
    return ApiGatewayHandler(
        Application(routes, base_url, report, heard, limit=request_limit), request_logger(watched, base_url, count)
    )
