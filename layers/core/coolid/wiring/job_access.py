"""The stores of bulk jobs and their queue, and the runner that carries them out."""

from time import monotonic

from coolid.aws.entropy import SystemEntropy
from coolid.aws.settings import Settings
from coolid.http.management.jobs import JOBS
from coolid.http.management.mint import MintEndpoint
from coolid.http.message import Request
from coolid.jobs.downloads import DownloadWriter
from coolid.jobs.operations import RecordPorts
from coolid.jobs.parts_builder import JobPartsBuilder
from coolid.jobs.runner import DEFAULT_RATE, JobRunner
from coolid.jobs.task import JobListeners
from coolid.records.amendment import RecordAmender
from coolid.store.jobs import JobAccess
from coolid.wiring.write_components import WriteComponents


def open_job_access(settings: Settings) -> JobAccess | None:
    """Return the jobs, their files and their queue, without writes if the settings are read-only.

    Return None if the settings lack the bucket or the table.
    """
    access = _open_job_access(settings)
    if access is None or not settings.read_only:
        return access
    from coolid.store.read_only import read_only_jobs

    return read_only_jobs(access)


def _open_job_access(settings: Settings) -> JobAccess | None:
    if settings.database:
        from coolid.wiring.database_access import database_access

        return database_access(settings.database).jobs
    if not (settings.job_table and settings.job_bucket):
        return None
    from coolid.wiring.dynamodb_access import open_jobs

    return open_jobs(settings)


def build_job_runner(components: WriteComponents, access: JobAccess) -> JobRunner:
    """Return a runner with the rules of the API. Its moments are those of `time.monotonic`."""
    store, clock = components.store, components.clock
    amender = RecordAmender(store.records, clock, components.prover, components.require_home)
    ports = RecordPorts(
        store.prefixes, store.records, amender, clock, components.base_url, components.reader.evict_record
    )
    endpoint = MintEndpoint(components.minter(), store.clients, components.quotas, components.on_minted)

    def report(error: Exception, job_id: str) -> None:
        components.report(error, Request("POST", f"{JOBS}/{job_id}/run", request_id=job_id))

    return JobRunner(
        access,
        store.clients,
        JobPartsBuilder(endpoint, ports, access.files).parts_of,
        DownloadWriter(store.prefixes, store.repositories, store.records, access.files, monotonic),
        clock=clock,
        seconds=monotonic,
        entropy=SystemEntropy(),
        listeners=JobListeners(report, components.on_error, components.count),
        rate=components.settings.job_rate or DEFAULT_RATE,
    )
