"""The wiring of the manage components."""

import os

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import INDEX_TABLE, PULSE_TABLE
from coolid.http.application import Application
from coolid.http.dialects.handle.handle_search import HandleSearchEndpoint
from coolid.http.dialects.handle.write_endpoint import HandleWriteEndpoint
from coolid.http.dialects.oai.endpoint import OaiEndpoint
from coolid.http.management.checks import CheckEndpoint
from coolid.http.management.clients import ClientEndpoint
from coolid.http.management.diagnostics import DiagnosticsEndpoint
from coolid.http.management.idempotent_requests import IdempotentPosts
from coolid.http.management.job_results import ResultFiles
from coolid.http.management.jobs import JobEndpoint
from coolid.http.management.link_reports import LinkReportEndpoint
from coolid.http.management.lists import ListEndpoint
from coolid.http.management.prefixes import PrefixEndpoint
from coolid.http.management.records import RecordEndpoint
from coolid.http.management.repositories import RepositoryEndpoint
from coolid.http.management.uploads import UploadEndpoint
from coolid.http.management.webhooks import WebhookEndpoint
from coolid.http.public.sitemaps import SitemapEndpoint
from coolid.http.routes import Route
from coolid.ports import Entropy
from coolid.records.amendment import RecordAmender
from coolid.store.jobs import JobAccess
from coolid.wiring.check_queue import check_queue
from coolid.wiring.job_access import open_job_access
from coolid.wiring.operator_settings import admin_email, operator_environment
from coolid.wiring.write_access import diagnostics
from coolid.wiring.write_components import WriteComponents


def handler() -> ApiGatewayHandler:
    """Return the Lambda handler for the management of prefixes, repositories and records."""
    from coolid.wiring.write_handler import write_handler

    return write_handler("manage", build_application, also=[PULSE_TABLE, INDEX_TABLE])


def build_application(components: WriteComponents) -> Application:
    """Return the application for the management of prefixes, repositories and records."""
    store, clock, entropy, base_url = components.store, components.clock, SystemEntropy(), components.base_url
    region, evict_record, clear_cache = components.region, components.reader.evict_record, components.reader.clear
    clients, prefixes, repositories, records = store.clients, store.prefixes, store.repositories, store.records
    email = admin_email(operator_environment(os.environ))
    posts = IdempotentPosts(records, clock)
    amender = RecordAmender(records, clock, components.prover, components.require_home)
    checks = diagnostics(components.settings, components.signer, clock)
    handles = HandleWriteEndpoint(
        clients,
        prefixes,
        records,
        components.minter(),
        amender,
        components.quotas,
        clock,
        components.on_minted,
        evict_record,
        components.on_error,
    )
    job_access = open_job_access(components.settings)
    routes = (
        *RecordEndpoint(clients, prefixes, records, amender, base_url, evict_record).routes(),
        *ListEndpoint(clients, prefixes, records, base_url).routes(),
        *PrefixEndpoint(clients, prefixes, repositories, clock, base_url, clear_cache, region).routes(),
        *RepositoryEndpoint(
            clients, posts, repositories, store.counters, clock, entropy, base_url, clear_cache, region
        ).routes(),
        *LinkReportEndpoint(clients, prefixes, records, store.check_states, clock, base_url).routes(),
        *CheckEndpoint(
            clients,
            prefixes,
            records,
            store.check_states,
            components.quotas,
            check_queue(components.settings, store),
            components.require_home,
            clock,
            base_url,
        ).routes(),
        *WebhookEndpoint(clients, repositories, store.webhooks, clock, entropy, base_url).routes(),
        *ClientEndpoint(clients, posts, clock, entropy, base_url).routes(),
        *DiagnosticsEndpoint(clients, checks, clock, components.report).routes(),
        *handles.routes(),
        *(_job_routes(components, job_access, posts, entropy) if job_access is not None else ()),
        *OaiEndpoint(prefixes, records, store.changes, clock, base_url, email).routes(),
        *SitemapEndpoint(components.reader, store.changes, clock, base_url).routes(),
        *HandleSearchEndpoint(clients, prefixes, records, clock, components.on_error).routes(),
    )
    return components.application(routes)


def _job_routes(
    components: WriteComponents, access: JobAccess, posts: IdempotentPosts, entropy: Entropy
) -> tuple[Route, ...]:
    """Return the routes of bulk jobs and of their uploads."""
    clients, clock, base_url = components.store.clients, components.clock, components.base_url
    prefixes, results = components.store.prefixes, ResultFiles(access.files)
    return (
        *JobEndpoint(clients, prefixes, access, posts, results, clock, entropy, base_url).routes(),
        *UploadEndpoint(clients, access.files, clock, entropy, base_url).routes(),
    )
