"""Many mints in one request: answered line by line, a failed line fails alone."""

import json
import secrets
from typing import Any

import pytest

from tests.e2e.created_records import HERE, Holding, fresh_name
from tests.e2e.service import BATCH, Service


@pytest.fixture
def lines(holding: Holding) -> list[Any]:
    """Good ones, and between them such that cannot be minted."""
    mint = {"prefix": holding.prefix, "uri": HERE}
    return [
        mint | {"metadata": {"n": 0}},
        mint | {"uri": "javascript:alert(1)"},
        mint | {"metadata": {"n": 2}},
        mint | {"prefix": fresh_name()},
        None,
        mint | {"metadata": {"n": 5}},
    ]


GOOD = {0: 201, 1: 422, 2: 201, 3: 422, 4: 422, 5: 201}


def judge(service: Service, results: list[Any]) -> None:
    assert {at: result["status"] for at, result in enumerate(results)} == GOOD
    for at, result in enumerate(results):
        if result["status"] == 201:
            assert result["record"]["metadata"] == {"n": at}
            assert service.get(service.path_of(result["record"]["pid"])).headers["location"] == HERE
        else:
            assert result["problem"]["status"] == 422
            assert result["problem"]["errors"]


def test_an_array_is_answered_with_an_array(service: Service, lines: list[Any]) -> None:
    reply = service.admin("POST", BATCH, lines)
    assert (reply.status, reply.media_type) == (200, "application/json")
    judge(service, reply.json())


def test_json_lines_are_answered_with_json_lines(service: Service, lines: list[Any]) -> None:
    body = b"\n".join(json.dumps(line).encode() for line in lines)
    reply = service.request("POST", BATCH, key=service.key, body=body, Content_Type="application/x-ndjson")
    assert (reply.status, reply.media_type) == (200, "application/x-ndjson")
    judge(service, [json.loads(line) for line in reply.body.splitlines()])


def test_a_line_that_is_not_json_fails_alone(service: Service, holding: Holding) -> None:
    good = json.dumps({"prefix": holding.prefix, "uri": HERE}).encode()
    body = good + b"\n{\n\xff\n" + good + b"\n"
    reply = service.request("POST", BATCH, key=service.key, body=body, Content_Type="application/x-ndjson")
    assert [json.loads(line)["status"] for line in reply.body.splitlines()] == [201, 400, 400, 201]


def test_a_batch_that_is_sent_again_mints_nothing_more(service: Service, lines: list[Any]) -> None:
    again = f"e2e-{secrets.token_hex(12)}"
    first, second = (service.admin("POST", BATCH, lines, Idempotency_Key=again) for _ in range(2))
    judge(service, first.json())
    assert second.json() == first.json()


def test_more_than_a_thousand_lines_are_refused_as_a_whole(service: Service, holding: Holding) -> None:
    lines = [{"prefix": holding.prefix, "uri": HERE}] * 1_001
    assert service.admin("POST", BATCH, lines).refusal == (422, "invalid-input")
