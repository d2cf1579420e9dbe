"""Every refusal is a problem document (RFC 9457), from a function or from API Gateway itself."""

import pytest

from tests.e2e import localstack
from tests.e2e.created_records import Minted
from tests.e2e.service import BATCH, RECORDS, Service
from tests.support.servers.responses import Reply

LARGE = 10_500_000  # bytes; more than the 10 MB that API Gateway takes


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/resolve/short", 400),
        ("GET", "/nobodys-prefix-at-all:1", 404),
        ("GET", "/api", 404),
        ("GET", "/api/", 404),
        ("GET", "/api/v2/records", 404),
        ("GET", "/api/v1/nonsense", 404),
        ("GET", "/api/v1/records/nobodys:1", 401),
        ("GET", "/api/v1/records/batch", 401),
        ("GET", "/api/v1/schemas/nobodys-prefix-at-all", 404),
        ("GET", "/.well-known/nonsense", 404),
        ("POST", "/nobodys:1", 405),
        ("DELETE", "/api/v1/parse", 405),
        ("GET", "/api/v1/resolve", 405),
        ("POST", "/api/v1/records", 401),
    ],
)
def test_programs_get_a_problem_and_browsers_a_page(service: Service, method: str, path: str, status: int) -> None:
    reply = service.request(method, path)
    assert reply.refusal[0] == status
    assert reply.json()["type"].startswith(f"{service.issuer}/problems/")
    page = service.request(method, path, Accept="text/html,*/*;q=0.8")
    assert (page.status, page.media_type) == (status, "text/html")


def test_refusals_of_public_reads_are_cached_briefly(service: Service, thing: Minted) -> None:
    assert service.get("/resolve/short").headers["cache-control"] == "public, max-age=10, stale-if-error=0"
    assert service.request("DELETE", thing.path).headers["cache-control"] == "no-store"
    assert service.get(thing.stored).headers["cache-control"] == "no-store"


def told_by_the_gateway(service: Service, reply: Reply) -> None:
    """A problem, though perhaps without a kind of ours."""
    if reply.headers.get("server") == "CloudFront":
        pytest.skip("CloudFront refused it before API Gateway was asked, and has no words of ours")
    localstack.applies_no_gateway_responses(service, reply)
    assert reply.media_type == "application/problem+json"
    assert reply.json()["title"]
    assert reply.json().get("status", reply.status) == reply.status


@pytest.mark.parametrize("target", [RECORDS, BATCH])
def test_a_body_beyond_what_the_gateway_takes_is_a_problem_too(service: Service, target: str) -> None:
    reply = service.request("POST", target, key=service.key, body=b" " * LARGE)
    assert reply.status == 413
    told_by_the_gateway(service, reply)


@pytest.mark.parametrize("method", ["TRACE", "PROPFIND"])
def test_so_is_a_method_that_the_gateway_does_not_know(service: Service, thing: Minted, method: str) -> None:
    """API Gateway's own answer to it is 403; where the request reaches a function, it is 405."""
    reply = service.request(method, thing.path)
    assert reply.status in (403, 405)
    told_by_the_gateway(service, reply)
