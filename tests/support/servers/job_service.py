"""A loopback service whose bulk jobs advance by one state with each request for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.servers.http_server import Host, Reply, SentRequest, host, json, problem

JOB = "k3x9"
CREATED = "2026-05-04T12:00:00Z"
RESULTS = b"uri,pid,status,error\nhttps://a.example.org/,https://id.example.org/demo/x,succeeded,\n"


def job(state: str, **members: Any) -> dict[str, Any]:
    """Return the document of a job."""
    counts = {"valid": 0, "invalid": 0, "outside_domains": 0, "succeeded": 0, "refused": 0}
    document: dict[str, Any] = {
        "id": JOB, "operation": "mint", "prefix": None, "state": state, "created": CREATED, "updated": CREATED,
        "expires": CREATED, "rows": None, "errors": [], "preview": [], "failure": None, "dry_run": True,
        "skip_errors": False, "columns": {}, "rule": None, "client": "epyx6gxg",
    }  # fmt: skip
    return document | members | {"counts": counts | members.get("counts", {})}


@dataclass
class JobService:
    """The states that requests return one after another; the last one is repeated. `created` are bodies of new jobs.

    `upload_url` is where files are sent, by default the service itself; `results` how results are returned.
    """

    server: Host
    states: list[dict[str, Any]]
    created: list[SentRequest] = field(default_factory=list)
    upload_url: str = ""
    results: Reply = (200, {"Content-Type": "text/csv"}, RESULTS)

    def reply(self, sent: SentRequest) -> Reply:
        """Answer a request."""
        path = sent.target.removeprefix("/api/v1/").partition("?")[0]
        if (sent.method, path) == ("POST", "jobs"):
            self.created.append(sent)
        elif path == "uploads":
            url = self.upload_url or f"https://id.example.org/api/v1/uploads/{JOB}"
            headers = {"Content-Type": "application/octet-stream"}
            return json({"upload": JOB, "url": url, "method": "PUT", "headers": headers, "expires": CREATED}, 201)
        elif path == f"uploads/{JOB}":
            return json({"upload": JOB, "size": len(sent.body)})
        elif (sent.method, path) == ("GET", "jobs"):
            return json({"jobs": self.states, "next": None})
        elif path == f"jobs/{JOB}/results":
            return self.results
        elif path not in (f"jobs/{JOB}", f"jobs/{JOB}/run"):
            return problem(404)
        return json(self.states.pop(0) if len(self.states) > 1 else self.states[0])

    @property
    def calls(self) -> list[str]:
        """The requests so far, in one word each, without repetitions in a row."""
        found = [f"{each.method} {each.target.removeprefix('/api/v1/')}" for each in self.server.requests]
        return [each for at, each in enumerate(found) if found[at - 1 : at] != [each]]


@contextmanager
def job_service(*states: dict[str, Any]) -> Iterator[JobService]:
    """Run a service with these states of its only job."""
    with host() as server:
        service = JobService(server, [*states])
        replaced: Any = server
        replaced.next_reply = lambda _: service.reply(server.requests[-1])
        yield service
