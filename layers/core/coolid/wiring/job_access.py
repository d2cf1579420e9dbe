"""The stores of bulk jobs and their queue, and the runner that carries them out."""

from coolid.aws.settings import Settings
from coolid.jobs.runner import JobRunner
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
    """Return a runner with the rules of the API."""
    del components
    return JobRunner(access)
