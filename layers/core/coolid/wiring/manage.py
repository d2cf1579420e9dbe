"""The wiring of the manage components."""

import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from coolid.aws.api_gateway import ApiGatewayHandler, Event
from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import INDEX_TABLE, PULSE_TABLE, InvalidSettings, TelemetrySettings
from coolid.http.application import Application
from coolid.http.dialects.ezid.changes import IdentifierChanges
from coolid.http.dialects.ezid.download_endpoint import DownloadEndpoint
from coolid.http.dialects.ezid.endpoint import EzidEndpoint
from coolid.http.dialects.ezid.sessions import SessionEndpoint
from coolid.http.dialects.handle.handle_search import HandleSearchEndpoint
from coolid.http.dialects.handle.write_endpoint import HandleWriteEndpoint
from coolid.http.dialects.oai.endpoint import OaiEndpoint
from coolid.http.management.changes import ChangeEndpoint
from coolid.http.management.checks import CheckEndpoint
from coolid.http.management.clients import ClientEndpoint
from coolid.http.management.diagnostics import DiagnosticsEndpoint
from coolid.http.management.idempotent_requests import IdempotentPosts
from coolid.http.management.job_results import ResultFiles
from coolid.http.management.jobs import JobEndpoint
from coolid.http.management.link_reports import LinkReportEndpoint
from coolid.http.management.lists import ListEndpoint
from coolid.http.management.missing_jobs import MissingJobs
from coolid.http.management.prefixes import PrefixEndpoint
from coolid.http.management.record_lists import RecordListEndpoint
from coolid.http.management.records import RecordEndpoint
from coolid.http.management.repositories import RepositoryEndpoint
from coolid.http.management.uploads import UploadEndpoint
from coolid.http.management.webhooks import WebhookEndpoint
from coolid.http.public.change_feeds import ChangeFeedEndpoint
from coolid.http.public.sitemaps import SitemapEndpoint
from coolid.http.routes import Route
from coolid.ports import Entropy
from coolid.records.amendment import RecordAmender
from coolid.store.jobs import JobAccess
from coolid.wiring.check_queue import check_queue
from coolid.wiring.custody import custody_routes
from coolid.wiring.job_access import build_job_runner, open_job_access
from coolid.wiring.operator_settings import admin_email, operator_environment
from coolid.wiring.write_access import diagnostics
from coolid.wiring.write_components import WriteComponents

if TYPE_CHECKING:  # it imports botocore, which a service over SQLite does not load
    from coolid.aws.job_function import JobFunction


def handler() -> Callable[[Event, Any], dict[str, Any]]:
    """Return the Lambda handler for the management of prefixes, repositories and records, and for bulk jobs.

    Events of the queue of jobs and of the schedule go to a `JobFunction`, all others to the application.
    """
    from coolid.aws.job_function import is_of_jobs
    from coolid.wiring.write_handler import open_components

    components, on_response = open_components("manage", also=[PULSE_TABLE, INDEX_TABLE])
    answer = ApiGatewayHandler(build_application(components), on_response)
    run_jobs = cache(lambda: build_job_function(components))

    def manage(event: Event, context: Any) -> dict[str, Any]:
        if is_of_jobs(event):
            return run_jobs()(event, context.get_remaining_time_in_millis() / 1000)
        return answer(event, context)

    return manage


def build_job_function(components: WriteComponents) -> "JobFunction":
    """Return the function that carries out bulk jobs. Raises `InvalidSettings` without their table or bucket."""
    from coolid.aws.job_function import JobFunction
    from coolid.wiring.powertools import logger

    access = open_job_access(components.settings)
    if access is None:
        raise InvalidSettings(f"missing settings: {', '.join(components.settings.missing_for_jobs())}")
    log = logger(TelemetrySettings.read(os.environ, "manage"))
    run_slice = build_job_runner(components, access).run_slice
    return JobFunction(run_slice, access.jobs, access.queue, components.clock, log, components.count)


def build_application(components: WriteComponents) -> Application:
    """Return the application for the management of prefixes, repositories and records."""
    amender = RecordAmender(components.store.records, components.clock, components.prover, components.require_home)
    jobs = open_job_access(components.settings)
    posts, entropy = IdempotentPosts(components.store.records, components.clock), SystemEntropy()
    routes = (
        *_record_routes(components, amender),
        *custody_routes(components, amender),
        *_registry_routes(components, posts, entropy),
        *_check_routes(components, entropy),
        *_job_routes(components, posts, entropy, jobs),
        *_dialect_routes(components, amender, jobs),
    )
    return components.application(routes)


def _record_routes(components: WriteComponents, amender: RecordAmender) -> tuple[Route, ...]:
    """Return the routes of records, and of lists of records, prefixes and changes."""
    store, base_url, evict_record = components.store, components.base_url, components.reader.evict_record
    clients, prefixes, repositories, records = store.clients, store.prefixes, store.repositories, store.records
    return (
        *RecordEndpoint(clients, prefixes, records, amender, base_url, evict_record).routes(),
        *RecordListEndpoint(clients, prefixes, repositories, records, store.record_search, base_url).routes(),
        *ListEndpoint(clients, prefixes, records, base_url).routes(),
        *ChangeEndpoint(clients, prefixes, repositories, records, store.changes).routes(),
    )


def _registry_routes(components: WriteComponents, posts: IdempotentPosts, entropy: Entropy) -> tuple[Route, ...]:
    """Return the routes of prefixes, repositories and clients."""
    store, clock, base_url, region = components.store, components.clock, components.base_url, components.region
    clients, prefixes, repositories, clear_cache = (
        store.clients,
        store.prefixes,
        store.repositories,
        components.reader.clear,
    )
    return (
        *PrefixEndpoint(clients, prefixes, repositories, clock, base_url, clear_cache, region).routes(),
        *RepositoryEndpoint(
            clients, posts, prefixes, repositories, store.counters, clock, entropy, base_url, clear_cache, region
        ).routes(),
        *ClientEndpoint(clients, posts, clock, entropy, base_url).routes(),
    )


def _check_routes(components: WriteComponents, entropy: Entropy) -> tuple[Route, ...]:
    """Return the routes of link checks, webhooks and diagnostic checks."""
    store, settings, clock, base_url = components.store, components.settings, components.clock, components.base_url
    clients, prefixes, records = store.clients, store.prefixes, store.records
    return (
        *LinkReportEndpoint(clients, prefixes, records, store.check_states, clock, base_url).routes(),
        *CheckEndpoint(
            clients,
            prefixes,
            records,
            store.check_states,
            components.quotas,
            check_queue(settings, store),
            components.require_home,
            clock,
            base_url,
        ).routes(),
        *WebhookEndpoint(clients, store.repositories, store.webhooks, clock, entropy, base_url).routes(),
        *DiagnosticsEndpoint(
            clients, diagnostics(settings, components.signer, clock), clock, components.report
        ).routes(),
    )


def _dialect_routes(components: WriteComponents, amender: RecordAmender, jobs: JobAccess | None) -> tuple[Route, ...]:
    """Return the routes of Handles, EZID, OAI-PMH and sitemaps."""
    store, clock, base_url = components.store, components.clock, components.base_url
    clients, prefixes, records = store.clients, store.prefixes, store.records
    email = admin_email(operator_environment(os.environ))
    return (
        *HandleWriteEndpoint(
            clients,
            prefixes,
            records,
            components.minter(),
            amender,
            components.quotas,
            clock,
            components.on_minted,
            components.reader.evict_record,
            components.on_error,
        ).routes(),
        *_ezid_routes(components, amender, jobs),
        *HandleSearchEndpoint(clients, prefixes, records, clock, components.on_error).routes(),
        *OaiEndpoint(prefixes, records, store.changes, clock, base_url, email).routes(),
        *ChangeFeedEndpoint(components.reader, store.changes, base_url).routes(),
        *SitemapEndpoint(components.reader, store.changes, clock, base_url).routes(),
    )


def _ezid_routes(components: WriteComponents, amender: RecordAmender, jobs: JobAccess | None) -> tuple[Route, ...]:
    """Return the routes of EZID's API."""
    store, base_url = components.store, components.base_url
    sessions = SessionEndpoint(store.clients, store.sessions, components.clock, SystemEntropy(), base_url)
    changes = IdentifierChanges(
        store.prefixes,
        store.records,
        components.minter(),
        amender,
        components.quotas,
        components.on_minted,
        components.reader.evict_record,
    )
    endpoint = EzidEndpoint(sessions.client, store.prefixes, store.records, changes, base_url)
    downloads = DownloadEndpoint(
        sessions.client,
        store.clients,
        store.prefixes,
        store.repositories,
        jobs,
        components.clock,
        SystemEntropy(),
        base_url,
        components.settings.missing_for_jobs(),
    )
    return (*endpoint.routes(), *sessions.routes(), *downloads.routes())


def _job_routes(
    components: WriteComponents, posts: IdempotentPosts, entropy: Entropy, access: JobAccess | None
) -> tuple[Route, ...]:
    """Return the routes of bulk jobs and of their uploads."""
    if access is None:
        return MissingJobs(components.store.clients, components.settings.missing_for_jobs()).routes()
    clients, clock, base_url = components.store.clients, components.clock, components.base_url
    prefixes, results = components.store.prefixes, ResultFiles(access.files)
    return (
        *JobEndpoint(clients, prefixes, access, posts, results, clock, entropy, base_url).routes(),
        *UploadEndpoint(clients, access.files, clock, entropy, base_url).routes(),
    )
