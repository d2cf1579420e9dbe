"""The function that folds requests at the edge, run under Node as CloudFront would run it."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from coolid.aws.api_gateway import request_of_v1
from coolid.http.message import Request
from tests.infra.cloudformation import load, resolved
from tests.support.fixtures.events import to_event
from tests.support.fixtures.tools import node

EDGE = Path(__file__).parents[2] / "infra" / "edge.yaml"
DOMAIN = "id.example.org"
PASSED = ("accept", "accept-language", "accept-datetime")
"""The headers that get to the service."""

Headers = tuple[tuple[str, str], ...]


class Asked(Struct, frozen=True):
    """A request as a client sends it; `query` is None without a question mark. Headers may come more than once."""

    query: str | None = None
    headers: Headers = ()
    method: str = "GET"

    def request(self, path: str) -> Request:
        """What the service is asked by it."""
        sent = to_event(
            self.method, path, self.query or "", headers=list(self.headers), body=b"", request_id="a-request"
        )
        return request_of_v1(sent)


def asking(
    accept: str | None = None, language: str | None = None, query: str | None = None, method: str = "GET"
) -> Asked:
    """A request with these headers, those that are None left out."""
    named = (("Accept", accept), ("Accept-Language", language))
    return Asked(query, tuple((name, value) for name, value in named if value is not None), method)


def code() -> str:
    """The function's code, as it is deployed."""
    template = load(EDGE)
    return str(resolved(template["Resources"]["Fold"]["Properties"]["FunctionCode"], {"DomainName": DOMAIN}))


def answers(requests: Iterable[Asked]) -> list[dict[str, Any]]:
    """What the function gives back for each: the request that CloudFront goes on with, or a response."""
    requested = [{"method": each.method, "query": each.query, "headers": each.headers} for each in requests]
    program = Path(__file__).with_name("edge_function.js")
    document = json.dumps({"code": code(), "requests": requested})
    ran = subprocess.run(
        [node("the edge's function"), str(program)],
        input=document,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    answers: list[dict[str, Any]] = json.loads(ran.stdout)
    return answers


def folded(requests: Iterable[Asked]) -> list[Asked]:
    """Each request as it gets to the service: what the cache tells answers apart by, and no more."""
    requests = list(requests)
    return [
        Asked(
            each["querystring"] or None,
            tuple((name, each["headers"][name]["value"]) for name in PASSED if name in each["headers"]),
            requested.method,
        )
        for requested, each in zip(requests, answers(requests), strict=True)
    ]
