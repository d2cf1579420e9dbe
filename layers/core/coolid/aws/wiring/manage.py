"""The wiring of the manage function."""

import os

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.clock import SystemClock
from coolid.aws.diagnostics import diagnostic_checks
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import PULSE_TABLE, Settings
from coolid.aws.telemetry.logs import request_logger
from coolid.aws.telemetry.metrics import COUNTED_MINT_ERRORS, error_counter
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.aws.wiring.boto_clients import READS, dynamodb
from coolid.aws.wiring.powertools import counter, reporter
from coolid.aws.wiring.shared import caching_reader
from coolid.aws.wiring.write_access import open_store, prover, region, request_limit, signer
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
    """Return the Lambda handler for the management of prefixes, repositories and records."""
    settings = Settings.read(os.environ, writes=True, also=[PULSE_TABLE])
    store, clock, cached_reader = open_store(settings), SystemClock(), caching_reader(settings)
    entropy, base_url = SystemEntropy(), settings.public_base_url
    own_region = region(settings)
    homes, record_prover = HomeRegions(own_region, store.repositories, clock), prover(settings, store.public_keys)
    amender = RecordAmender(store.records, clock, record_prover, homes.require_home)
    minter = Minter(
        store.records,
        store.prefixes,
        store.counters,
        clock=clock,
        entropy=entropy,
        prover=record_prover,
        base_url=base_url,
        require_home=homes.require_home,
    )
    telemetry = TelemetrySettings.read(os.environ, "manage")
    count = counter(telemetry)
    report = reporter(telemetry, count)
    on_error = error_counter(count, COUNTED_MINT_ERRORS)
    checks = diagnostic_checks(settings, dynamodb(READS), signer(settings), clock)

    def on_minted(record: Record) -> None:
        cached_reader.evict_record(record.repository, record.key)  # which was cached as absent
        count(MINTED, repository=record.repository)

    quotas = Quotas(store.quotas, clock, own_region.name)
    handles = HandleWriteEndpoint(
        store.clients,
        store.prefixes,
        store.records,
        minter,
        amender,
        quotas,
        clock,
        on_minted,
        cached_reader.evict_record,
        on_error,
    )
    routes = (
        *RecordEndpoint(
            store.clients, store.prefixes, store.records, amender, base_url, cached_reader.evict_record
        ).routes(),
        *ListEndpoint(store.clients, store.prefixes, store.records, base_url).routes(),
        *PrefixEndpoint(
            store.clients, store.prefixes, store.repositories, clock, base_url, cached_reader.clear, own_region
        ).routes(),
        *RepositoryEndpoint(
            store.clients,
            store.repositories,
            store.counters,
            clock,
            entropy,
            base_url,
            cached_reader.clear,
            own_region,
        ).routes(),
        *LinkReportEndpoint(store.clients, store.prefixes, store.records, store.check_states, clock, base_url).routes(),
        *WebhookEndpoint(store.clients, store.repositories, store.webhooks, clock, entropy, base_url).routes(),
        *ClientEndpoint(store.clients, clock, entropy, base_url).routes(),
        *DiagnosticsEndpoint(store.clients, checks, clock, report).routes(),
        *handles.routes(),
        *HandleSearchEndpoint(store.clients, store.prefixes, store.records, clock, on_error).routes(),
    )
    return ApiGatewayHandler(
        Application(routes, base_url, report, on_error, limit=request_limit), request_logger(telemetry, base_url, count)
    )
