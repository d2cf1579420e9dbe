"""Jobs, their files and their queue in memory. `tests/contract` tests them like the other stores."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from threading import RLock

from coolid.errors import IdempotencyRecordTaken, IdentifierTaken, Outdated
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.jobs import Job
from coolid.store.job_rows import job_body, job_of, waits_from
from coolid.store.jobs import job_position
from tests.support.stores.memory_store import MemoryStore


class MemoryJobs:
    """Implements `JobStore`; idempotency records are those of `store`."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        self.rows: dict[str, str] = {}
        self.lock = RLock()

    def job(self, job_id: str) -> Job | None:
        body = self.rows.get(job_id)
        return None if body is None else job_of(body)

    def create_job(self, job: Job, idempotency_record: IdempotencyRecord | None = None) -> None:
        with self.lock, self.store.lock:
            known = self.store.idempotency_records.get(idempotency_record.id) if idempotency_record else None
            if known and known.expires > job.created:
                raise IdempotencyRecordTaken
            if job.id in self.rows:
                raise IdentifierTaken(job.id)
            self.rows[job.id] = job_body(job)
            if idempotency_record:
                self.store.idempotency_records[idempotency_record.id] = idempotency_record

    def replace_job(self, job: Job, replaced: Job) -> None:
        with self.lock:
            current = self.job(job.id)
            if current is None or current.revision != replaced.revision:
                raise Outdated(job.id)
            self.rows[job.id] = job_body(job)

    def list_jobs(self, client: str | None, limit: int, after: str | None) -> tuple[Sequence[Job], str | None]:
        jobs = sorted(map(job_of, self.rows.values()), key=job_position, reverse=True)
        found = [job for job in jobs if client in (None, job.client) and (after is None or job_position(job) < after)]
        return found[:limit], job_position(found[limit - 1]) if len(found) > limit else None

    def waiting_jobs(self, now: datetime, limit: int) -> Sequence[Job]:
        jobs = sorted(map(job_of, self.rows.values()), key=job_position)
        waiting = [job for job in jobs if (moment := waits_from(job)) is not None and moment <= now.timestamp()]
        return waiting[:limit]


class MemoryFiles:
    """Implements `FileStore`. Like a storage of objects, it has URLs if `has_urls` is true."""

    def __init__(self, *, has_urls: bool = False) -> None:
        self.contents: dict[str, bytes] = {}
        self.has_urls = has_urls

    def write(self, name: str, pieces: Iterable[bytes], media_type: str = "application/octet-stream") -> int:
        content = b"".join(pieces)
        self.contents[name] = content
        return len(content)

    def read(self, name: str, start: int = 0) -> Iterator[bytes] | None:
        content = self.contents.get(name)
        return None if content is None else (content[at : at + 1000] for at in range(start, len(content), 1000))

    def size(self, name: str) -> int | None:
        content = self.contents.get(name)
        return None if content is None else len(content)

    def delete(self, name: str) -> None:
        self.contents.pop(name, None)

    def upload_url(self, name: str, max_bytes: int, seconds: int) -> str | None:
        return f"https://files.example/{name}?size={max_bytes}&seconds={seconds}" if self.has_urls else None

    def download_url(self, name: str, file_name: str, seconds: int) -> str | None:
        return f"https://files.example/{name}?as={file_name}&seconds={seconds}" if self.has_urls else None


class MemoryQueue:
    """Implements `JobQueue`; `sent` lists the announced jobs."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def send(self, job_id: str, delay_seconds: int = 0) -> None:
        self.sent.append(job_id)
