"""Failover at the edge: a provider stops answering on the network, and the function at the edge leads to the other one.

Everything runs but AWS itself: HTTP servers as providers, the checks, the tables' stream, both functions, and the
template's code under Node.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from unittest.mock import patch

import boto3
import pytest
from botocore.exceptions import ConnectTimeoutError
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends
from msgspec.structs import replace

from coolid.edge.state import STATE_KEY
from coolid.edge.synchroniser import LEASE_SECONDS
from coolid.model.prefixes import Provider
from tests.infra.edge_function import Asked, run
from tests.support.builders.samples import ROOT, provider_prefix
from tests.support.fixtures.functions import load_handler
from tests.support.fixtures.health_checks import CheckFunctionFixture
from tests.support.fixtures.system import TablesSystem
from tests.support.servers.checked_hosts import Host, ObservedChecks, ReceivedRequest, hosting, saying
from tests.support.servers.key_value_api import ARN, EVENT, KeyValueStoreApi
from tests.support.stores.moto_store import REGION
from tests.support.stores.table_streams import Streams, distribution, message

SWEEP = {"source": "aws.events", "detail-type": "Scheduled Event"}
_numbers = count()


class Context:
    """The context of an invocation."""

    def get_remaining_time_in_millis(self) -> int:
        return 60_000


class Deployment:
    """The tables with their stream, the purge and the redirects function, their queue, and the store at the edge."""

    def __init__(self, system: TablesSystem) -> None:
        self.streams, self.api = Streams(system.tables), KeyValueStoreApi()
        name = f"edge-{next(_numbers)}"
        sqs, s3, cloudfront = (boto3.client(each) for each in ("sqs", "s3", "cloudfront"))
        self.queue = name
        purges = sqs.create_queue(QueueName=f"{name}-purges")["QueueUrl"]
        url = sqs.create_queue(QueueName=name)["QueueUrl"]
        s3.create_bucket(Bucket=name)
        made = cloudfront.create_distribution(DistributionConfig=distribution(name))["Distribution"]["Id"]
        variables = dict(system.environment) | {
            "PURGE_QUEUE_URL": purges,
            "DISTRIBUTION_ID": made,
            "EDGE_QUEUE_URL": url,
        }
        variables |= {"JOB_BUCKET": name, "KEY_VALUE_STORE_ARN": ARN}
        session: Any = boto3.DEFAULT_SESSION
        session.events.register(EVENT, self.api)
        with patch.dict(os.environ, variables):
            self.purge: Any = load_handler(ROOT / "functions" / "purge")
            self.redirects: Any = load_handler(ROOT / "functions" / "redirects")

    def sweep(self) -> None:
        assert self.redirects(SWEEP, Context()) == {"batchItemFailures": []}

    def deliver(self) -> Any:
        """Let the changes of the prefixes reach the edge. Return what is retried."""
        assert self.purge({"Records": self.streams.read("PrefixTable")}, Context()) == {"batchItemFailures": []}
        waiting = sqs_backends[DEFAULT_ACCOUNT_ID][REGION].queues[self.queue]._messages
        messages = [message(each.body, each.id) for each in waiting]
        waiting.clear()
        return self.redirects({"Records": messages}, Context())["batchItemFailures"] if messages else []

    def leads(self, path: str, later: int = 0) -> list[str | None]:
        """Return where the edge redirects with each version of the store, None if it passes the request on."""
        stores = [contents for _, contents in self.api.store.history]
        requests = [Asked(path=path, store=each) for each in range(len(stores))]
        answers = run(requests, stores, datetime.now(UTC) + timedelta(seconds=later)).answers
        return [each["headers"]["location"]["value"] if "statusCode" in each else None for each in answers]


@pytest.fixture
def providers() -> Iterator[tuple[Host, Host, dict[str, int]]]:
    """Two providers, each with the status that it answers."""
    statuses = {"a": 200, "b": 200}

    def answer(name: str) -> Any:
        def respond(_: ReceivedRequest) -> bytes:
            return saying(statuses[name])

        return respond

    with hosting(answer("a")) as a, hosting(answer("b")) as b:
        yield a, b, statuses


def test_a_provider_that_fails_is_replaced_at_the_edge(
    fresh_tables: TablesSystem, providers: tuple[Host, Host, dict[str, int]]
) -> None:
    a, b, statuses = providers
    deployment = Deployment(fresh_tables)
    store = fresh_tables.store()
    urls = [host.url("/{$id}", name=f"{name}.example") for name, host in (("a", a), ("b", b))]
    prefix = replace(
        provider_prefix("failover", example="1"),
        providers=tuple(Provider(code, url) for code, url in zip("ab", urls, strict=True)),
    )
    store.prefixes.put_prefix(prefix, None)
    first, second = (url.replace("{$id}", "7") for url in urls)
    deployment.deliver()
    deployment.sweep()
    assert deployment.leads("/failover:7")[-1] == first

    checks = CheckFunctionFixture(store, look=ObservedChecks().look)
    statuses["a"] = 500
    checks.tick(10)
    deployment.api.refusal = ConnectTimeoutError(endpoint_url="https://kvs.example/")
    assert len(deployment.deliver()) == 1
    deployment.api.refusal = None
    store.prefixes.put_prefix(replace(provider_prefix("other", urls[1]), example="1"), None)
    deployment.deliver()  # a change of another prefix does not repair it; a sweep does
    deployment.sweep()
    assert deployment.leads("/failover:7")[-1] == second
    assert fresh_tables.get("/failover:7").headers["location"] == second

    statuses["a"] = 200
    checks.tick(30)
    deployment.deliver()
    versions = deployment.leads("/failover:7")  # an edge location may have any of them
    changes = [each for each, before in zip(versions[1:], versions, strict=False) if each != before]
    assert changes == [first, second, first]
    assert {*deployment.leads("/failover:7", later=LEASE_SECONDS + 60)} == {None}
    entries = deployment.api.store.contents
    for gone in ("failover", STATE_KEY):  # a torn store
        deployment.api.store.history.append(("torn", {key: entries[key] for key in entries if key != gone}))
    assert deployment.leads("/failover:7")[-2:] == [None, None]
