"""Jobs over stores in memory, with workers that can be killed before or after each write."""

import csv
import gzip
import json
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO, StringIO
from typing import Any
from zipfile import ZipFile

from coolid.errors import CoolidError
from coolid.http.management.job_results import ResultFiles
from coolid.http.management.mint import MintEndpoint
from coolid.http.message import Request
from coolid.jobs.downloads import DownloadWriter
from coolid.jobs.operations import RecordPorts
from coolid.jobs.parts_builder import JobPartsBuilder
from coolid.jobs.runner import JobRunner
from coolid.jobs.session import LEASE_SECONDS
from coolid.jobs.task import JobListeners
from coolid.model.clients import Client
from coolid.model.downloads import Download
from coolid.model.jobs import Job, JobRequest, download_job
from coolid.model.records import Record
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter
from coolid.records.quotas import Quotas
from coolid.store.jobs import JobAccess, rows_name
from tests.support.builders.samples import BASE_URL, MOMENT, namespace, repository
from tests.support.fixtures.ports import FixedClock, KeySigner, SeededEntropy, prover
from tests.support.stores.memory_jobs import MemoryFiles, MemoryJobs, MemoryQueue
from tests.support.stores.memory_store import MemoryStore

OWNER = "r4k2-9m3x-62"
CLIENT = Client("epyx6gxg", "00", ("mint:mp", "update:mp"), MOMENT)

_WRITES = frozenset({"create_record", "replace_record", "replace_job", "write", "delete", "spend"})


class Killed(BaseException):
    """The worker ends at once."""


class Host:
    """A worker's process. `fault` is called with the number of each moment before and after a write."""

    def __init__(self, fault: Callable[[int], None] = lambda _: None) -> None:
        self.moments = 0
        self._fault = fault
        self._is_dead = False

    def at(self) -> None:
        """Reach a moment, at which the process may end. Nothing that it does later has an effect."""
        if self._is_dead:
            raise Killed
        self.moments += 1
        try:
            self._fault(self.moments)
        except Killed:
            self._is_dead = True
            raise

    def port(self, port: Any) -> Any:
        """Return a store as this process uses it."""
        return _HostPort(self, port)


class _HostPort:
    def __init__(self, host: Host, port: Any) -> None:
        self._host = host
        self._port = port

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._port, name)
        if name not in _WRITES:
            return call

        def write(*arguments: Any, **options: Any) -> Any:
            self._host.at()
            result = call(*arguments, **options)
            self._host.at()
            return result

        return write


class JobBench:
    """A store with the prefixes `mp` and `other`, and its jobs. `reported` has unexpected errors.

    `failures` has the errors of stores.
    """

    def __init__(self, **terms: Any) -> None:
        self.store = MemoryStore()
        self.jobs = MemoryJobs(self.store)
        self.files = MemoryFiles()
        self.clock = FixedClock()
        self.entropy = SeededEntropy()
        self.signer = KeySigner()
        self.counts: list[tuple[str, int]] = []
        self.reported: list[Exception] = []
        self.failures: list[CoolidError] = []
        for identifier, name in ((OWNER, "mp"), ("tw0t-ywdj-94", "other")):
            owner = repository(identifier, **terms)
            self.store.create_repository(owner)
            self.store.put_prefix(namespace(name, owner), None)
        self.store.put_client(CLIENT)

    def count(self, name: str, value: int = 1, **_: str) -> None:
        self.counts.append((name, value))

    def seconds(self) -> float:
        return self.clock.milliseconds() / 1000

    def runner(self, host: Host | None = None, **options: Any) -> JobRunner:
        """Return the runner of a new process."""
        host = host or Host()
        store = host.port(self.store)
        proving = prover(self.store, self.clock, self.signer)
        minter = Minter(
            store, store, store, clock=self.clock, entropy=self.entropy, prover=proving, base_url=BASE_URL
        )  # fmt: skip
        endpoint = MintEndpoint(minter, store, Quotas(store, self.clock), lambda _: None)
        self.amender = RecordAmender(store, self.clock, proving)
        ports = RecordPorts(store, store, self.amender, self.clock, BASE_URL, lambda *_: None)
        access = JobAccess(host.port(self.jobs), host.port(self.files), MemoryQueue())
        return JobRunner(
            access,
            store,
            JobPartsBuilder(endpoint, ports, access.files).parts_of,
            DownloadWriter(store, store, store, access.files, self.seconds),
            clock=self.clock,
            seconds=self.seconds,
            entropy=self.entropy,
            listeners=JobListeners(lambda error, _: self.reported.append(error), self.failures.append, self.count),
            **options,
        )  # fmt: skip

    def job(self, operation: Any, rows: str | bytes | None = None, job_id: str = "j", **members: Any) -> Job:
        """Create a job."""
        content = rows.encode() if isinstance(rows, str) else rows
        name = rows_name(job_id)
        if content is not None:
            self.files.write(name, [content])
        request = JobRequest(operation, **members)
        now = self.clock.now()
        job = Job(
            job_id, CLIENT.id, request, now, now, file=name if content is not None else None, size=len(content or "")
        )
        self.jobs.create_job(job)
        return job

    def download(self, wanted: Download, job_id: str = "j") -> Job:
        """Create a job that writes a download."""
        job = download_job(job_id, CLIENT.id, wanted, self.clock.now())
        self.jobs.create_job(job)
        return job

    def downloaded(self, job_id: str = "j") -> str:
        """Return the text of a download."""
        job = self.current(job_id)
        content = b"".join(self.files.read(job.file or "") or ())
        assert len(content) == job.size
        assert job.request.download is not None
        if job.request.download.compression == "gzip":
            return gzip.decompress(content).decode()
        with ZipFile(BytesIO(content)) as archive:
            assert archive.testzip() is None
            (name,) = archive.namelist()
            return archive.read(name).decode()

    def run(self, runner: JobRunner | None = None, job_id: str = "j", most: int = 200) -> Job:
        """Run slices until nothing is left to do, and return the job."""
        runner = runner or self.runner()
        for _ in range(most):
            wait = runner.run_slice(job_id, self.seconds() + 3)
            if wait is None:
                return self.current(job_id)
            self.clock.moment += timedelta(seconds=wait)
        raise AssertionError(f"the job does not end: {self.current(job_id)}")

    def carried_out(self, operation: Any, rows: str | bytes | None = None, job_id: str = "j", **members: Any) -> Job:
        """Create a job and run it to its end."""
        self.job(operation, rows, job_id, **members)
        return self.run(job_id=job_id)

    def expire_lease(self) -> None:
        self.clock.moment += timedelta(seconds=LEASE_SECONDS + 1)

    def current(self, job_id: str = "j") -> Job:
        job = self.jobs.job(job_id)
        assert job is not None
        return job

    def file(self, form: str, job_id: str = "j") -> bytes:
        """Return the file with the results of an ended job."""
        request = Request("GET", "/", query=(("format", form),))
        response = ResultFiles(self.files).response(self.current(job_id), request)
        return b"".join(response.stream or ())

    def results(self, form: str = "csv", job_id: str = "j") -> list[dict[str, Any]]:
        """Return the results of an ended job."""
        text = self.file(form, job_id).decode()
        if form == "csv":
            return [*csv.DictReader(StringIO(text, newline=""))]
        return [json.loads(line) for line in text.split("\n") if line]

    def records(self, owner: str = OWNER) -> list[Record]:
        """Return the current records of a repository."""
        return [*self.store.list_records(owner, 1000, None)[0]]

    def mint(self, *targets: str) -> list[Record]:
        """Mint records with these targets."""
        rows = "uri\n" + "".join(f"{target}\n" for target in targets)
        job_id = f"minted{len(self.jobs.rows)}"
        job = self.carried_out("mint", rows, job_id, prefix="mp")
        assert (job.state, job.progress.refused) == ("done", 0), job
        pids = [row["pid"] for row in self.results("jsonl", job_id)]
        by_pid = {record.pid: record for record in self.records()}
        return [by_pid[pid] for pid in pids]
