"""Deployed checks of providers: the schedule's events fill the queue, and the queue starts the checks."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import pytest

from coolid.health.schedule import TICK_SECONDS
from tests.deployed import localstack_session, sam
from tests.support.servers.loopback import loopback_server

PATIENCE = 90
"""Seconds for letters to be taken from the queue."""


class Host:
    """A host of this machine that can be broken."""

    def __init__(self) -> None:
        self.broken = False
        self.requested: list[str] = []
        self.port = 0

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requested.append(handler.path)
        handler.close_connection = True
        handler.send_response(404 if self.broken else 200)
        handler.send_header("Content-Length", "0")
        handler.end_headers()


@pytest.fixture(scope="module")
def nearby(stack: str) -> str:
    """A stack of its own, whose probe may look at this machine, and looks at every provider within an hour."""
    own = f"{stack}-probing"
    sam.deploy(sam.built(), own, ProbeNetworks="127.0.0.0/8", ProbeHours="1", ProbeTargets="0")
    return own


@pytest.fixture
def hosts() -> Iterator[tuple[Host, Host]]:
    first, second = Host(), Host()
    with loopback_server(first.answer) as first.port, loopback_server(second.answer) as second.port:
        yield first, second


def rings(stack: str, moment: datetime) -> None:
    """What the schedule sends when it rings."""
    event = {"source": "aws.events", "detail-type": "Scheduled Event", "time": f"{moment:%Y-%m-%dT%H:%M:%SZ}"}
    answer = localstack_session.client("lambda").invoke(
        FunctionName=sam.resources(stack)["ProbeFunction"][1], Qualifier="live", Payload=json.dumps(event).encode()
    )
    returned = answer["Payload"].read()
    assert "FunctionError" not in answer, returned
    assert json.loads(returned) == {"batchItemFailures": []}


def an_hour(stack: str, start: datetime) -> None:
    """Four ticks, in which everybody has one turn."""
    for number in range(4):
        rings(stack, start + timedelta(seconds=number * TICK_SECONDS))


def eventually(found: Callable[[], Any]) -> Any:
    """What is found in the end."""
    until = time.monotonic() + PATIENCE
    while not (value := found()):
        assert time.monotonic() < until, "nothing came of it"
        time.sleep(0.5)
    return value


def test_the_schedule_rings_for_the_function_and_the_queue_calls_it(nearby: str) -> None:
    there = sam.resources(nearby)
    (mapping,) = localstack_session.client("lambda").list_event_source_mappings(
        EventSourceArn=localstack_session.client("sqs").get_queue_attributes(
            QueueUrl=there["ProbeQueue"][1], AttributeNames=["QueueArn"]
        )["Attributes"]["QueueArn"]
    )["EventSourceMappings"]
    assert mapping["FunctionArn"].endswith(f":{there['ProbeFunction'][1]}:live")
    rules = [
        each for each in localstack_session.client("events").list_rules()["Rules"] if each["Name"].startswith(nearby)
    ]
    (rule,) = [each for each in rules if "ProbeFunction" in each["Name"]]
    assert (rule["ScheduleExpression"], rule["State"]) == ("cron(0/15 * * * ? *)", "ENABLED")


def test_a_provider_that_answers_no_more_gives_way_to_the_next(nearby: str, hosts: tuple[Host, Host]) -> None:
    host, other = hosts
    there = sam.resources(nearby)
    url, key = sam.api_url(nearby), sam.admin_key(nearby)
    name = f"probed-{host.port}-{int(time.time())}"
    document = {
        "kind": "provider",
        "example": "1",
        "providers": [
            {"code": "one", "url": f"http://127.0.0.1:{host.port}/one/{{$id}}"},
            {"code": "two", "url": f"http://127.0.0.1:{other.port}/two/{{$id}}"},
        ],
    }
    headers = {"Authorization": f"Bearer {key}"}
    made = httpx.put(f"{url}/api/v1/prefixes/{name}", json=document, headers=headers, timeout=60)
    assert made.status_code == 201, made.text
    tables = localstack_session.client("dynamodb")

    def pulse() -> Any:
        key = {"owner": {"S": f"prefix:{name}"}, "name": {"S": "one"}}
        row = tables.get_item(TableName=there["PulseTable"][1], Key=key, ConsistentRead=True).get("Item")
        return row and json.loads(row["body"]["S"])

    def failing() -> Any:
        """What stands beside the prefix of the first, if that is anything."""
        key = {"name": {"S": name}}
        row = tables.get_item(TableName=there["PrefixTable"][1], Key=key, ConsistentRead=True)["Item"]
        return json.loads(row["health"]["S"])["one"] if "health" in row else None

    start = datetime.now(UTC)
    an_hour(nearby, start)
    known = eventually(pulse)
    assert known["state"] == "up", known
    assert "/one/1" in host.requested
    host.broken = True
    an_hour(nearby, start + timedelta(hours=1))
    condition = eventually(failing)
    assert (condition["state"], condition["reason"]) == ("degraded", "it answered 404")
    assert httpx.get(f"{url}/{name}:5", timeout=60).headers["location"] == f"http://127.0.0.1:{other.port}/two/5"
