"""The function that folds requests at the edge, run under Node as CloudFront would run it."""

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from coolid.aws.api_gateway import request_of_v1
from coolid.http.message import Request
from tests.infra.cloudformation import load, resolved
from tests.support.builders.samples import MOMENT
from tests.support.fixtures.events import to_event
from tests.support.fixtures.tools import node

EDGE = Path(__file__).parents[2] / "infra" / "edge.yaml"
DOMAIN = "id.example.org"
PASSED = ("accept", "accept-language", "accept-datetime")
"""The headers that get to the service."""

Headers = tuple[tuple[str, str], ...]


class Asked(Struct, frozen=True):
    """A request as a client sends it; `query` is None without a question mark. Headers may come more than once.

    `store` is the place of what the function finds in its store among the stores of a run.
    """

    query: str | None = None
    headers: Headers = ()
    method: str = "GET"
    path: str = "/"
    store: int = 0

    def request(self, path: str) -> Request:
        """What the service is asked by it."""
        sent = to_event(
            self.method, path, self.query or "", headers=list(self.headers), body=b"", request_id="a-request"
        )
        return request_of_v1(sent)


def asking(accept: str | None = None, language: str | None = None, query: str | None = None, **members: Any) -> Asked:
    """A request with these headers, those that are None left out."""
    named = (("Accept", accept), ("Accept-Language", language))
    return Asked(query, tuple((name, value) for name, value in named if value is not None), **members)


class Run(Struct, frozen=True):
    """What the function gives back for each request: the request that CloudFront goes on with, or a response.

    `reads` are the most reads of its store by one request, and `steps` the most blocks of code that one of the first
    requests runs, if they are counted.
    """

    answers: list[dict[str, Any]]
    reads: int
    steps: int


@cache
def code(redirects: str = "yes", domain: str = DOMAIN) -> str:
    """The function's code, as it is deployed."""
    template = load(EDGE)
    given = {"DomainName": domain, "EdgeRedirects": redirects}
    return str(resolved(template["Resources"]["Fold"]["Properties"]["FunctionCode"], given))


def run(
    requests: Iterable[Asked],
    stores: Sequence[Mapping[str, str]] = ({},),
    now: datetime = MOMENT,
    *,
    redirects: str = "yes",
    measures: bool = False,
) -> Run:
    """What the function does with each request at a moment, with the contents of its store that the request names."""
    requested = [
        {
            "method": each.method,
            "path": each.path,
            "query": each.query,
            "headers": each.headers,
            "store": each.store,
        }
        for each in requests
    ]
    document = {
        "code": code(redirects),
        "now": int(now.timestamp() * 1000),
        "stores": stores,
        "requests": requested,
        "measures": measures,
    }
    program = Path(__file__).with_name("edge_function.js")
    ran = subprocess.run(
        [node("the edge's function"), "--no-warnings", "--experimental-vm-modules", str(program)],
        input=json.dumps(document),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    done = json.loads(ran.stdout)
    return Run(done["answers"], done["most"]["reads"], done["most"]["steps"])


def answers(requests: Iterable[Asked]) -> list[dict[str, Any]]:
    """What the function gives back for each with an empty store."""
    return run(requests).answers


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
