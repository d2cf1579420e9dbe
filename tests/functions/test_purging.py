"""The purge function over embedded tables, a queue and CloudFront: changes cause invalidations."""

import json
import os
from itertools import count
from typing import Any
from unittest.mock import patch

import boto3
import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from coolid.aws.settings import InvalidSettings
from tests.support.builders.samples import ROOT
from tests.support.fixtures.functions import load_handler
from tests.support.fixtures.system import TablesSystem
from tests.support.stores.moto_store import REGION
from tests.support.stores.table_streams import Streams, distribution, message, stream_record

HANDLER = ROOT / "functions" / "purge"
RECORDS, PREFIXES = "LuiTable", "PrefixTable"
HERE = "https://content.example.org/here"

_numbers = count()


class Purging:
    """A system with its streams, the purge function, a queue and a distribution."""

    def __init__(self, system: TablesSystem) -> None:
        self.system = system
        self.streams = Streams(system.tables)
        self.sqs: Any = boto3.client("sqs")
        self.cloudfront: Any = boto3.client("cloudfront")
        self.name = f"purge-{next(_numbers)}"
        self.queue = self.sqs.create_queue(QueueName=self.name)["QueueUrl"]
        made = self.cloudfront.create_distribution(DistributionConfig=distribution(self.name))
        self.distribution = made["Distribution"]["Id"]
        with patch.dict(os.environ, {"PURGE_QUEUE_URL": self.queue, "DISTRIBUTION_ID": self.distribution}):
            self.handler: Any = load_handler(HANDLER)

    def forgotten(self, table: str) -> set[str]:
        """The items that the latest changes of a table come to be."""
        assert self.handler({"Records": self.streams.read(table)}, None) == {"batchItemFailures": []}
        waiting = sqs_backends[DEFAULT_ACCOUNT_ID][REGION].queues[self.name]._messages
        messages = [message(each.body, each.id) for each in waiting]
        waiting.clear()
        before = self._items()
        if messages:
            assert self.handler({"Records": messages}, None) == {"batchItemFailures": []}
        return {item.partition(" ")[2] for item in self._items() - before}

    def _items(self) -> set[str]:
        """The items of all invalidations, each behind the id of its own."""
        known = self.cloudfront.list_invalidations(DistributionId=self.distribution)["InvalidationList"]
        made = (
            self.cloudfront.get_invalidation(DistributionId=self.distribution, Id=each["Id"])["Invalidation"]
            for each in known.get("Items", ())
        )
        return {f"{each['Id']} {item}" for each in made for item in each["InvalidationBatch"]["Paths"]["Items"]}


@pytest.fixture
def fresh(fresh_tables: TablesSystem) -> TablesSystem:
    """A system over DynamoDB."""
    return fresh_tables


@pytest.fixture(scope="session")
def light(light_tables: TablesSystem) -> TablesSystem:
    """A system over DynamoDB."""
    return light_tables


@pytest.fixture
def purging(light: TablesSystem) -> Purging:
    return Purging(light)


def test_every_public_change_of_a_record_purges_its_tag(purging: Purging) -> None:
    system = purging.system
    minted = system.mint({"prefix": "demo", "uri": HERE}).json()
    assert purging.forgotten(RECORDS) - {"#keys"} == set()
    tag = f"#record:{minted['repository']}/{minted['id'].replace('-', '')}"
    path, anyhow = f"/api/v1/records/demo:{minted['id']}", [("If-Match", "*")]
    for method, document in (("PATCH", {"metadata": {"what": "A thing"}}), ("DELETE", {"reason": "It was wrong"})):
        changed = system.request(method, path, document=document, headers=anyhow, key=system.admin_key)
        assert changed.status == 200
        assert purging.forgotten(RECORDS) == {tag}


def test_a_reserved_record_that_becomes_public_takes_nothing_back(purging: Purging) -> None:
    system = purging.system
    minted = system.mint({"prefix": "demo", "uri": HERE, "status": "reserved"}).json()
    purging.forgotten(RECORDS)
    path = f"/api/v1/records/demo:{minted['id']}"
    changed = system.request(
        "PATCH", path, document={"status": "active"}, headers=[("If-Match", "*")], key=system.admin_key
    )
    assert changed.status == 200
    assert purging.forgotten(RECORDS) == set()


def test_a_published_key_purges_the_key_set(fresh: TablesSystem) -> None:
    purging = Purging(fresh)
    fresh.store().public_keys.add_public_key({"kid": "another", "kty": "EC"})
    assert purging.forgotten(RECORDS) == {"#keys"}


def test_what_becomes_of_prefixes_is_followed(purging: Purging) -> None:
    system = purging.system
    go = {
        "kind": "provider",
        "title": "Genes",
        "synonyms": ["purgo-bp"],
        "providers": [{"code": "a", "url": f"{HERE}/{{$id}}"}],
    }
    assert system.admin("PUT", "/api/v1/prefixes/purgo", go).status == 201
    assert purging.forgotten(PREFIXES) == {"#prefix:purgo", "#prefix:purgo-bp"}
    assert system.admin("PUT", "/api/v1/prefixes/purgo", go | {"title": "The genes"}).status == 200
    assert purging.forgotten(PREFIXES) == {"#prefix:purgo"}
    assert system.admin("PUT", "/api/v1/prefixes/purgo", go | {"synonyms": []}).status == 200
    assert purging.forgotten(PREFIXES) == {"#prefix:purgo", "#prefix:purgo-bp"}


def test_what_becomes_of_repositories_is_followed(purging: Purging) -> None:
    system = purging.system
    made = system.admin("POST", "/api/v1/repositories", {"title": "Materials"}).json()
    assert purging.forgotten(PREFIXES) == set()
    for name in ("2033/06/purged", "purged"):
        assert (
            system.admin("PUT", f"/api/v1/prefixes/{name}", {"kind": "namespace", "repository": made["id"]}).status
            == 201
        )
    expected = {"#prefix:2033/06/purged", "#prefix:2033/06", "#prefix:2033", "#prefix:purged"}
    assert purging.forgotten(PREFIXES) == expected
    path = f"/api/v1/repositories/{made['id']}"
    changed = system.request("PATCH", path, document={"ttl": 60}, headers=[("If-Match", "*")], key=system.admin_key)
    assert changed.status == 200
    assert purging.forgotten(PREFIXES) == {f"#repository:{made['id']}"}


def test_the_function_names_all_that_it_lacks() -> None:
    with (
        patch.dict(os.environ, {"PURGE_QUEUE_URL": ""}),
        pytest.raises(InvalidSettings, match="DISTRIBUTION_ID, PURGE_QUEUE_URL"),
    ):
        load_handler(HANDLER)


def test_metrics_and_logs_are_lines_of_json_without_identifiers(
    purging: Purging, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    wanted = {"PURGE_QUEUE_URL": purging.queue, "DISTRIBUTION_ID": purging.distribution}
    with patch.dict(
        os.environ, wanted | {"AWS_LAMBDA_FUNCTION_NAME": "coolid-purge", "POWERTOOLS_METRICS_DISABLED": ""}
    ):
        handler: Any = load_handler(HANDLER)
        row = {"pid": {"S": "r4k2-9m3x-62/tw0tywdj94"}, "version": {"N": "0"}, "status": {"S": "active"}}
        handler({"Records": [stream_record(row, None)]}, None)
        handler({"Records": [message('{"tags":["record:r4k2-9m3x-62/tw0tywdj94"],"since":1752157350}')]}, None)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "tw0t" not in json.dumps([lines, [vars(record) for record in caplog.records]], default=str)
    metrics = {
        name: line for line in lines if "_aws" in line for name in ("Changes", "Purged", "PurgeAge") if name in line
    }
    assert metrics.keys() == {"Changes", "Purged", "PurgeAge"}
    assert {line["function_name"] for line in metrics.values()} == {"coolid-purge"}
    assert {line["_aws"]["CloudWatchMetrics"][0]["Namespace"] for line in metrics.values()} == {"coolid"}
    assert [record.message for record in caplog.records if record.name == "purge"] == ["purged"]
