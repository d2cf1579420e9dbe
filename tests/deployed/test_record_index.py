"""The deployed index of searches: the function completes it, and the API searches by it.

LocalStack's DynamoDB has no streams that start functions, so their events are sent here (`localstack_session`).
"""

import json
import secrets
from typing import Any

import pytest

from tests.deployed import localstack_session, sam
from tests.e2e.created_records import Holding, Minted, dated, fresh_name, hold
from tests.e2e.service import RECORDS, Service, connected

LAG = 5


def index(stack: str, event: dict[str, Any]) -> Any:
    """Send an event to the index function; its answer."""
    name = sam.resources(stack)["IndexFunction"][1]
    answer = localstack_session.client("lambda").invoke(
        FunctionName=name, Qualifier="live", Payload=json.dumps(event).encode()
    )
    returned = answer["Payload"].read()
    assert "FunctionError" not in answer, returned
    return json.loads(returned)


def complete(stack: str) -> None:
    """Let the index function write all missing postings, as its schedule does."""
    assert index(stack, {"source": "aws.events"}) == {"is_complete": True}


def found(service: Service, holding: Holding, q: str) -> set[str]:
    """The PIDs of the records of a prefix that a search finds."""
    reply = service.admin("GET", f"{RECORDS}?prefix={holding.prefix}&q={q}")
    assert reply.status == 200, reply.body
    return {each["pid"] for each in reply.json()["records"]}


def change(stack: str, minted: Minted, before: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The current row of a record, and the event of its change for the stream's consumer."""
    table = sam.resources(stack)["LuiTable"][1]
    repository = minted.document["repository"]
    key = {"pid": {"S": f"{repository}/{minted.id.replace('-', '')}"}, "version": {"N": "0"}}
    item = localstack_session.client("dynamodb").get_item(TableName=table, Key=key, ConsistentRead=True)["Item"]
    images = {"NewImage": item} | ({"OldImage": before} if before else {})
    return item, {"eventSource": "aws:dynamodb", "eventID": "1", "dynamodb": {"Keys": key, **images}}


@pytest.fixture
def word() -> str:
    """A word that no other record has."""
    return f"w{secrets.token_hex(6)}"


def test_records_are_found_after_a_completion_and_after_their_events(stack: str, word: str) -> None:
    with connected(sam.api_url(stack), sam.admin_key(stack), LAG) as service:
        name = fresh_name()
        holding = hold(service, dated(name), name)
        first = holding.mint(metadata={"what": f"{word} green"})
        assert found(service, holding, word) == {first.pid}, "before the index is complete"
        complete(stack)
        assert found(service, holding, f"{word}+green") == {first.pid}
        second = holding.mint(metadata={"what": f"{word} black"})
        row, event = change(stack, second, None)
        index(stack, {"Records": [event]})
        assert found(service, holding, word) == {first.pid, second.pid}
        holding.changed("PATCH", second, {"metadata": {"what": "white"}})
        _, event = change(stack, second, row)
        index(stack, {"Records": [event]})
        assert (found(service, holding, word), found(service, holding, "white")) == ({first.pid}, {second.pid})
