"""The deployed index of searches: the function completes it, and the API searches by it.

LocalStack's DynamoDB has no streams that start functions, so their events are sent here.
"""

import secrets

import pytest

from tests.deployed import sam
from tests.deployed.invocations import SCHEDULE, change, invoke
from tests.e2e.created_records import Holding, dated, fresh_name, hold
from tests.e2e.service import RECORDS, Service, connected

LAG = 5


def complete(stack: str) -> None:
    """Let the index function write all missing postings, as its schedule does."""
    assert invoke(stack, "IndexFunction", SCHEDULE) == {"is_complete": True}


def found(service: Service, holding: Holding, q: str) -> set[str]:
    """The PIDs of the records of a prefix that a search finds."""
    reply = service.admin("GET", f"{RECORDS}?prefix={holding.prefix}&q={q}")
    assert reply.status == 200, reply.body
    return {each["pid"] for each in reply.json()["records"]}


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
        invoke(stack, "IndexFunction", {"Records": [event]})
        assert found(service, holding, word) == {first.pid, second.pid}
        holding.changed("PATCH", second, {"metadata": {"what": "white"}})
        _, event = change(stack, second, row)
        invoke(stack, "IndexFunction", {"Records": [event]})
        assert (found(service, holding, word), found(service, holding, "white")) == ({first.pid}, {second.pid})
