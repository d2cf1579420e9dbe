"""The runner of bulk jobs, which carries out one slice of a job at a time."""

from coolid.errors import StoreUnavailable
from coolid.store.jobs import JobAccess


class JobRunner:
    """Validates and carries out the jobs of `access` in slices. Any number of runners may work at once."""

    def __init__(self, access: JobAccess) -> None:
        self._access = access

    def run_slice(self, job_id: str, until: float) -> float | None:
        """Carry out a part of a job, until a moment of the monotonic clock at the latest.

        Return the seconds after which to call again, or None if nothing is left to do. Never raises `Unavailable`.
        """
        raise StoreUnavailable(f"the job {job_id} cannot be carried out until {until}")
