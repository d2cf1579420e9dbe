"""Bulk jobs as a client uses them: an upload to the address that the service names, the job, and its results."""

import csv
import time
from base64 import b64decode
from typing import Any

import httpx

from tests.e2e.service import Service

JOBS = "/api/v1/jobs"
UPLOADS = "/api/v1/uploads"


def upload(service: Service, content: bytes) -> str:
    """Send a file to a signed URL of the file storage, or to the service itself. Return the id of the upload."""
    begun = service.admin("POST", UPLOADS, {"size": len(content)})
    assert begun.status == 201, begun.text
    document = begun.json()
    url, headers = document["url"], document["headers"]
    if url.startswith(f"{service.issuer}/"):
        sent = service.request("PUT", service.path_of(url), key=service.key, body=content, **headers)
        assert sent.status == 200, sent.text
    else:  # the URL is signed, so that no key goes there
        response = httpx.request(document["method"], url, content=content, headers=headers, timeout=60)
        assert response.status_code == 200, response.text
    return str(document["upload"])


def start(service: Service, operation: str, content: bytes, **members: Any) -> dict[str, Any]:
    """Create a job over an uploaded file, and return it."""
    reply = service.admin("POST", JOBS, {"operation": operation, "upload": upload(service, content), **members})
    assert reply.status == 202, reply.text
    document: dict[str, Any] = reply.json()
    return document


def wait_for(service: Service, job_id: str, state: str, patience: float) -> dict[str, Any]:
    """Return the job once it is in this state. `patience` is how many seconds may pass without progress."""
    latest, progress = time.monotonic(), None
    while True:
        reply = service.admin("GET", f"{JOBS}/{job_id}")
        assert reply.status == 200, reply
        document: dict[str, Any] = reply.json()
        if document["state"] == state:
            return document
        assert document["state"] in {"validating", "running"}, document
        if document["counts"] != progress:
            latest, progress = time.monotonic(), document["counts"]
        assert time.monotonic() < latest + patience, document
        time.sleep(0.3)


def results(service: Service, job_id: str) -> list[dict[str, str]]:
    """Return the rows of the results."""
    reply = service.admin("GET", f"{JOBS}/{job_id}/results?format=csv")
    if reply.status == 303:
        return [*csv.DictReader(httpx.get(reply.headers["location"]).text.splitlines())]
    assert reply.status == 200, reply
    content = b64decode(reply.body) if service.is_localstack else reply.body  # as its pictures (`localstack`)
    return [*csv.DictReader(content.decode().splitlines())]
