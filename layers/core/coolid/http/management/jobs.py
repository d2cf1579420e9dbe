"""Bulk jobs: `/api/v1/jobs`. A worker carries them out in the background (`coolid.jobs`).

A client sees and changes only its own jobs, an administrator all of them.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import InvalidInput, Outdated, UnknownJob, WrongJobState
from coolid.http.api_documents import parse
from coolid.http.authentication import client_of
from coolid.http.errors import BodyTooLarge, MalformedBody
from coolid.http.json_bodies import document_response, json_of
from coolid.http.management.idempotent_requests import IdempotentPosts, RecordOf
from coolid.http.management.job_documents import JobBody, job_document, job_request
from coolid.http.management.job_results import ResultFiles
from coolid.http.management.multipart import MULTIPART, form_parts
from coolid.http.management.record_access import namespace_named
from coolid.http.management.uploads import copy_upload, require_writer
from coolid.http.message import Request, Response
from coolid.http.pagination import cursor, fitting, page_parameters
from coolid.http.routes import Route
from coolid.model.clients import ADMIN, MINT, UPDATE, Client
from coolid.model.jobs import (
    CANCELLED,
    PREVIEWED,
    Job,
    JobRequest,
    Operation,
    is_ended,
    random_name,
    started,
)
from coolid.ports import Clock, Entropy
from coolid.store.clients import ClientStore
from coolid.store.jobs import JobAccess, job_position, rows_name
from coolid.store.prefixes import PrefixReader
from coolid.strict_json import NotJson, load

JOBS: Final = "/api/v1/jobs"
MAX_ROWS_BYTES: Final = 5_000_000
"""The most bytes of a part `rows`. Larger files are uploaded first (`coolid.http.management.uploads`)."""
_LIST: Final = "jobs"
_VERBS: Final[dict[Operation, str]] = {"mint": MINT, "reserve": MINT}
"""The verb that an operation needs, if it is not `UPDATE`."""


class JobEndpoint(Struct, frozen=True):
    """Creates, shows, starts and cancels the jobs of the `clients`, and serves their `results`."""

    clients: ClientStore
    prefixes: PrefixReader
    access: JobAccess
    posts: IdempotentPosts
    results: ResultFiles
    clock: Clock
    entropy: Entropy
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (
            Route(JOBS, {"GET": self.list, "POST": self.post}),
            Route(JOBS + "/", {"GET": self.get, "POST": self.run, "DELETE": self.cancel}, below=True),
        )

    def post(self, request: Request, _path: str) -> Response:
        """Create a job: 202. With an `Idempotency-Key`, a repeated request returns the first job."""
        client = client_of(request, self.clients)
        require_writer(client)
        sent, rows = _parts_of(request)
        body = parse(JobBody, sent)
        wanted = job_request(body)
        _require_one_source(body, rows)
        if body.prefix is not None:
            prefix = namespace_named(body.prefix, self.prefixes)
            client.require(prefix.name, _VERBS.get(body.operation, UPDATE))
        same = {name: value for name, value in sent.items() if name != "upload"}  # a repeated one has another id
        identity = {"job": same, "rows": hashlib.sha256(rows).hexdigest() if rows is not None else None}
        create = partial(self._create, client, wanted, body.upload, rows)
        return self.posts.answer(
            request, client, identity, create, lambda job_id: self._accepted(self._job(client, job_id))
        )

    def list(self, request: Request, _path: str) -> Response:
        """Return the jobs, the newest first."""
        client = client_of(request, self.clients)
        limit, after = page_parameters(request, _LIST)
        found, last = self.access.jobs.list_jobs(_owner(client), limit, after)
        rows = [job for job in found if job.request.download is None]  # the API has no operation for downloads
        documents = fitting([job_document(job) for job in rows])
        if len(documents) < len(rows):
            last = job_position(rows[len(documents) - 1])
        next_cursor = cursor(_LIST, last) if last is not None else None
        return document_response(200, {"jobs": documents, "next": next_cursor})

    def get(self, request: Request, path: str) -> Response:
        """Return a job, or its results at `/results`."""
        client = client_of(request, self.clients)
        job_id, _, rest = path.partition("/")
        job = self._job(client, job_id)
        if rest == "results":
            return self.results.response(job, request)
        if rest:
            raise UnknownJob(path)
        return document_response(200, job_document(job))

    def run(self, request: Request, path: str) -> Response:
        """Start a previewed job at `/run`: 202. Rows that its validation refused are left out."""
        client = client_of(request, self.clients)
        job_id, _, rest = path.partition("/")
        if rest != "run":
            raise UnknownJob(path)
        return self._accepted(self._change(client, job_id, self._started))

    def cancel(self, request: Request, path: str) -> Response:
        """Cancel a job: 200. What is done stays done. A cancelled job stays as it is."""
        client = client_of(request, self.clients)
        return document_response(200, job_document(self._change(client, path, self._cancelled)))

    def _create(
        self, client: Client, wanted: JobRequest, upload: str | None, rows: bytes | None, record_of: RecordOf
    ) -> Response:
        job_id = random_name(self.entropy)
        file, size = None, 0
        if rows is not None:
            file, size = rows_name(job_id), len(rows)
            self.access.files.write(file, [rows])
        elif upload is not None:
            file = rows_name(job_id)
            size = copy_upload(upload, client, self.access.files, file)
        now = self.clock.now()
        job = Job(job_id, client.id, wanted, now, now, file=file, size=size)
        self.access.jobs.create_job(job, record_of(job_id))
        self.access.queue.send(job_id)
        return self._accepted(job)

    def _accepted(self, job: Job) -> Response:
        return document_response(202, job_document(job), Location=f"{self.base_url}{JOBS}/{job.id}")

    def _job(self, client: Client, job_id: str) -> Job:
        """Return a job that the client may see. Raises `UnknownJob`."""
        job = self.access.jobs.job(job_id) if job_id.isalnum() and job_id.isascii() and len(job_id) < 100 else None
        is_own = job is not None and job.request.download is None and _owner(client) in (None, job.client)
        if job is None or not is_own or job.expires <= self.clock.now():
            raise UnknownJob(job_id)
        return job

    def _change(self, client: Client, job_id: str, change: Callable[[Job], Job]) -> Job:
        """Write what `change` makes of the job, and announce it. Begin again if a worker changed it meanwhile."""
        while True:
            job = self._job(client, job_id)
            changed = change(job)
            if changed is job:
                return job
            changed = replace(changed, updated=self.clock.now(), revision=job.revision + 1)
            try:
                self.access.jobs.replace_job(changed, job)
            except Outdated:
                continue
            self.access.queue.send(job_id)
            return changed

    @staticmethod
    def _started(job: Job) -> Job:
        if job.state != PREVIEWED:
            raise WrongJobState(job.state, "it cannot be started; only a previewed job can")
        return started(job)

    @staticmethod
    def _cancelled(job: Job) -> Job:
        if job.state == CANCELLED:
            return job
        if is_ended(job.state):
            raise WrongJobState(job.state, "it cannot be cancelled, because it has ended")
        return replace(job, state=CANCELLED)


def _owner(client: Client) -> str | None:
    """Return the client whose jobs the client may see, or None for all."""
    return None if ADMIN in client.scopes else client.id


def _parts_of(request: Request) -> tuple[Any, bytes | None]:
    """Return the document of a job and its rows, if there are any. Raises `MalformedBody`, `BodyTooLarge`."""
    content_type = request.headers.get("content-type") or ""
    if content_type.partition(";")[0].strip().lower() != MULTIPART:
        return json_of(request), None
    parts = form_parts(request.body, content_type)
    if unknown := sorted(set(parts) - {"job", "rows"}):
        raise MalformedBody(f"the body has the parts job and rows, not {unknown[0]!a}")
    if "job" not in parts:
        raise MalformedBody("the body has no part called job")
    if len(parts.get("rows", b"")) > MAX_ROWS_BYTES:
        limit = f"{MAX_ROWS_BYTES} bytes"
        raise BodyTooLarge(f"the part rows has more than {limit}; upload the file first (POST /api/v1/uploads)")
    try:
        return load(parts["job"]), parts.get("rows")
    except NotJson as error:
        raise MalformedBody(f"the part job is not JSON: {error}") from error


def _require_one_source(body: JobBody, rows: bytes | None) -> None:
    """Raise `InvalidInput` unless the rows come from exactly one source: a part, an upload, or a rule."""
    sources = [rows is not None, body.upload is not None, body.rule is not None]
    if sum(sources) != 1:
        raise InvalidInput.at("", "a job has either a part called rows, or an upload, or a rule that needs no rows")
