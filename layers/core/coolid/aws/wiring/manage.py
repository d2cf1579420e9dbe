"""The wiring of the manage function."""

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.diagnostics import diagnostic_checks
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import PULSE_TABLE
from coolid.aws.wiring.boto_clients import READS, dynamodb
from coolid.aws.wiring.write_access import signer
from coolid.aws.wiring.write_function import WriteFunction
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
from coolid.records.amendment import RecordAmender


def handler() -> ApiGatewayHandler:
    """Return the Lambda handler for the management of prefixes, repositories and records."""
    function = WriteFunction("manage", also=[PULSE_TABLE])
    store, clock, entropy, base_url = function.store, function.clock, SystemEntropy(), function.base_url
    region, evict_record, clear_cache = function.region, function.reader.evict_record, function.reader.clear
    clients, prefixes, repositories, records = store.clients, store.prefixes, store.repositories, store.records
    amender = RecordAmender(records, clock, function.prover, function.require_home)
    checks = diagnostic_checks(function.settings, dynamodb(READS), signer(function.settings), clock)
    handles = HandleWriteEndpoint(
        clients,
        prefixes,
        records,
        function.minter(),
        amender,
        function.quotas,
        clock,
        function.on_minted,
        evict_record,
        function.on_error,
    )
    routes = (
        *RecordEndpoint(clients, prefixes, records, amender, base_url, evict_record).routes(),
        *ListEndpoint(clients, prefixes, records, base_url).routes(),
        *PrefixEndpoint(clients, prefixes, repositories, clock, base_url, clear_cache, region).routes(),
        *RepositoryEndpoint(
            clients, repositories, store.counters, clock, entropy, base_url, clear_cache, region
        ).routes(),
        *LinkReportEndpoint(clients, prefixes, records, store.check_states, clock, base_url).routes(),
        *WebhookEndpoint(clients, repositories, store.webhooks, clock, entropy, base_url).routes(),
        *ClientEndpoint(clients, clock, entropy, base_url).routes(),
        *DiagnosticsEndpoint(clients, checks, clock, function.report).routes(),
        *handles.routes(),
        *HandleSearchEndpoint(clients, prefixes, records, clock, function.on_error).routes(),
    )
    return function.handler(routes)
