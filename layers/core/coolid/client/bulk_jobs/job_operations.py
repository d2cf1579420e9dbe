"""Operations on bulk jobs, as flows.

Files up to `MAX_PART_BYTES` are a part of the request (RFC 7578). Larger ones are sent to the URL of an upload first.
That may be another host's, which does not receive the API key.

>>> form(b"{}", b"pid\\nx", "b").decode().splitlines()[1:4]
['Content-Disposition: form-data; name="job"', 'Content-Type: application/json', '']
"""

import secrets
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from coolid.client.documents import BulkJob, read_document
from coolid.client.errors import BadAnswer, RefusedByClient
from coolid.client.flows import Delay, Flow
from coolid.client.http_request import HttpAnswer
from coolid.client.record_operations import new_idempotency_key
from coolid.client.service_api import JSON, Listing, ServiceApi, body_of

MAX_PART_BYTES: Final = 5_000_000
MAX_FILE_BYTES: Final = 100_000_000
RESULT_FORMS: Final = {"csv": "text/csv", "jsonl": "application/x-ndjson"}
"""The media types of results by the parameter `format`."""
TRANSFER_SECONDS: Final = 900.0
"""The most seconds for sending a file, or for receiving results."""
_FIRST_PAUSE: Final = 0.2
_LONGEST_PAUSE: Final = 1.5


def create(
    api: ServiceApi, document: Mapping[str, object], rows: bytes | None, idempotency_key: str | None = None
) -> Flow[BulkJob]:
    """Create a job. For a day, the same idempotency key, document and rows return the same job."""
    headers = {"Idempotency-Key": idempotency_key or new_idempotency_key()}
    members = {name: value for name, value in document.items() if value is not None}
    if rows is not None and len(rows) > MAX_FILE_BYTES:
        raise RefusedByClient(f"the file is larger than {MAX_FILE_BYTES // 1_000_000} MB")
    if rows is not None and len(rows) > MAX_PART_BYTES:
        members["upload"] = yield from _upload(api, rows)
        rows = None
    if rows is None:
        return _job((yield from api.call("POST", "jobs", members, headers)))
    boundary = secrets.token_hex(24)
    headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
    body = form(body_of(members), rows, boundary)
    return _job((yield from api.call_raw("POST", "jobs", body, headers, seconds=TRANSFER_SECONDS)))


def form(job: bytes, rows: bytes, boundary: str) -> bytes:
    """Return the body of a request that creates a job. `boundary` occurs in neither part."""
    start = f"--{boundary}\r\nContent-Disposition: form-data; name="
    parts = (
        f'{start}"job"\r\nContent-Type: {JSON}\r\n\r\n'.encode(),
        job,
        f'\r\n{start}"rows"; filename="rows"\r\nContent-Type: application/octet-stream\r\n\r\n'.encode(),
        rows,
        f"\r\n--{boundary}--\r\n".encode(),
    )
    return b"".join(parts)


def listing() -> Listing[BulkJob]:
    """Return the list of the jobs of the API key, or of all jobs for an administrator, the newest first."""
    return Listing(BulkJob, "jobs", "jobs", {}, page_length=100)


def get(api: ServiceApi, job_id: str) -> Flow[BulkJob]:
    """Return a job."""
    return _job((yield from api.call("GET", _path(job_id))))


def get_later(api: ServiceApi, job_id: str, number: int) -> Flow[BulkJob]:
    """Return a job after a pause, which grows with the number of the request from 1."""
    yield Delay(min(_FIRST_PAUSE * 1.5 ** min(number - 1, 10), _LONGEST_PAUSE))
    return (yield from get(api, job_id))


def start(api: ServiceApi, job_id: str) -> Flow[BulkJob]:
    """Start a previewed job."""
    return _job((yield from api.call("POST", f"{_path(job_id)}/run")))


def cancel(api: ServiceApi, job_id: str) -> Flow[BulkJob]:
    """Cancel a job."""
    return _job((yield from api.call("DELETE", _path(job_id))))


def results(api: ServiceApi, job_id: str, form_name: str | None = None) -> Flow[bytes]:
    """Return the results of an ended job, in the form of its rows or in one of `RESULT_FORMS`."""
    if form_name is not None and form_name not in RESULT_FORMS:
        raise RefusedByClient(f"the form of results is {' or '.join(RESULT_FORMS)}")
    accept = ", ".join(RESULT_FORMS.values() if form_name is None else [RESULT_FORMS[form_name]])
    query = f"?format={form_name}" if form_name else ""
    answer: HttpAnswer = yield from api.download(f"{_path(job_id)}/results{query}", accept, TRANSFER_SECONDS)
    return answer.body


def _upload(api: ServiceApi, rows: bytes) -> Flow[str]:
    """Send a file, and return the id of the upload."""
    answer = yield from api.call("POST", "uploads", {"size": len(rows)})
    upload: dict[str, Any] = answer.json_object()
    upload_id, url, headers = upload.get("upload"), upload.get("url"), upload.get("headers")
    if not isinstance(upload_id, str) or not isinstance(url, str) or not isinstance(headers, dict):
        raise BadAnswer("its body is not an upload")
    own = f"uploads/{quote(upload_id, safe='')}"
    sent = {str(name): str(value) for name, value in headers.items()}
    if url.endswith(f"/api/v1/{own}"):
        yield from api.call_raw("PUT", own, rows, sent, seconds=TRANSFER_SECONDS)
    else:
        yield from api.send_elsewhere("PUT", url, rows, sent, TRANSFER_SECONDS)
    return upload_id


def _path(job_id: str) -> str:
    """Return the path of a job. Raises `RefusedByClient`."""
    if not (job_id.isascii() and job_id.isalnum()):
        raise RefusedByClient("the id of a job has only letters and digits")
    return f"jobs/{job_id}"


def _job(answer: HttpAnswer) -> BulkJob:
    return read_document(BulkJob, answer.json_object(), "a job")
