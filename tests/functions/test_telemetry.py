"""The telemetry of deployed functions: health, a line for each request, and metrics."""

import json
import logging
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest
from botocore.exceptions import EndpointConnectionError

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.kms import KmsSigner
from coolid.aws.settings import Settings
from coolid.errors import SignerUnavailable
from coolid.wiring.read_access import caching_reader
from tests.support.builders.samples import ROOT
from tests.support.fixtures.events import to_event
from tests.support.fixtures.functions import load_handler
from tests.support.fixtures.system import Answer, System, TablesSystem, answer_of
from tests.support.stores.outages import outage

RECORDS = "/api/v1/records"
EXAMINATION = "/api/v1/health"
PARTS = ["prefixes", "records", "clients", "counters", "requests", "clock", "signature", "key set"]


@dataclass
class Deployed:
    """The functions of a system as Lambda would run them, and what they print."""

    system: TablesSystem
    handlers: Mapping[str, Any]
    printed: Callable[[], str]

    def call(
        self,
        function: str,
        method: str,
        path: str,
        *,
        key: str | None = None,
        document: Any = None,
        query: str = "",
        headers: tuple[tuple[str, str], ...] = (),
    ) -> Answer:
        sent = [*headers, *([("Authorization", f"Bearer {key}")] if key else [])]
        body = b"" if document is None else json.dumps(document).encode()
        event = to_event(method, path, query, headers=sent, body=body, request_id="a-request")
        return answer_of(self.handlers[function](event, None))

    def output(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The lines that were printed since the last time: those of requests and errors, and those of metrics."""
        lines = [json.loads(line) for line in self.printed().splitlines()]
        return [line for line in lines if "_aws" not in line], [line for line in lines if "_aws" in line]


class Output:
    """Whatever the standard output is at the moment."""

    def write(self, text: str) -> None:
        sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


@pytest.fixture
def fresh(fresh_tables: TablesSystem) -> TablesSystem:
    """A system over DynamoDB."""
    return fresh_tables


@pytest.fixture(scope="session")
def light(light_tables: TablesSystem) -> TablesSystem:
    """A system over DynamoDB."""
    return light_tables


@pytest.fixture
def deployed(light: TablesSystem, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Deployed:
    monkeypatch.setenv("LOG_REQUESTS", "on")
    monkeypatch.delenv("POWERTOOLS_METRICS_DISABLED", raising=False)
    handlers = {}
    with patch.dict(os.environ, light.environment):
        for name in ("resolve", "mint", "manage"):
            monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", f"coolid-{name}")
            handlers[name] = load_handler(ROOT / "functions" / name)
            for handler in logging.getLogger(name).handlers:  # Powertools' own, of whichever test was first
                monkeypatch.setattr(handler, "stream", Output())
    return Deployed(light, handlers, lambda: capsys.readouterr().out)


def counts(metrics: list[dict[str, Any]]) -> dict[str, float]:
    """How much was counted, by the metric's name; told apart by nothing that a client chooses."""
    counted: dict[str, float] = {}
    for metric in metrics:
        (directive,) = metric["_aws"]["CloudWatchMetrics"]
        (name,) = [each["Name"] for each in directive["Metrics"]]
        (dimensions,) = directive["Dimensions"]
        assert set(dimensions) - {"repository"} == {"function_name"}
        assert metric["function_name"] in ("coolid-resolve", "coolid-mint", "coolid-manage")
        value = metric[name]
        counted[name] = counted.get(name, 0) + (value[0] if isinstance(value, list) else value)
    return counted


class TestLines:
    def test_each_function_writes_one_line_for_a_request(self, deployed: Deployed) -> None:
        key = deployed.system.admin_key
        minted = deployed.call("mint", "POST", RECORDS, key=key, document={"prefix": "demo"}).json()
        path = "/" + minted["pid"].split("/", 3)[3]
        deployed.call("resolve", "GET", path.upper().replace("/2021/06/DEMO", "/DEMO"), query="info&x=y")
        deployed.call("manage", "GET", RECORDS + path, key=key)
        lines, _ = deployed.output()
        facts = [(line["service"], line["method"], line["asked"], line["status"]) for line in lines]
        assert facts == [
            ("mint", "POST", path, 201),
            ("resolve", "GET", path, 200),
            ("manage", "GET", RECORDS + path, 200),
        ]
        assert all(line["request"] == "a-request" and line["milliseconds"] > 0 for line in lines)

    def test_requests_that_are_none_have_lines_too(self, deployed: Deployed) -> None:
        for handler in deployed.handlers.values():
            handler({}, None)
            handler({"version": "2.0"}, None)
        lines, _ = deployed.output()
        assert [(line["asked"], line["status"]) for line in lines] == [("", 400)] * 6

    def test_a_server_error_is_of_level_error_and_its_trace_has_no_words_of_the_client(
        self, deployed: Deployed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def explode(*_: object, **__: object) -> None:
            raise ZeroDivisionError(str(deployed.system.admin_key))

        monkeypatch.setattr("coolid.http.authentication.split_key", explode)
        monkeypatch.setattr("coolid.http.public.resolution_endpoint.resolve", explode)
        for function, method, path in (
            ("resolve", "GET", "/demo:x"),
            ("mint", "POST", RECORDS),
            ("manage", "GET", f"{RECORDS}/demo:x"),
        ):
            assert deployed.call(function, method, path, key="cool_none").status == 500
            out = deployed.printed()
            assert deployed.system.admin_key not in out
            report, metric, line = map(json.loads, out.splitlines())
            assert counts([metric]) == {"UnforeseenError": 1}
            assert (report["level"], report["error"], report["service"]) == ("ERROR", "ZeroDivisionError", function)
            assert datetime.fromisoformat(report["timestamp"]).tzinfo is not None
            assert (line["level"], line["status"]) == ("ERROR", 500)


class TestMetrics:
    def test_a_mint_counts_by_repository_and_a_taken_identifier_as_a_conflict(self, deployed: Deployed) -> None:
        key = deployed.system.admin_key
        minted = deployed.call("mint", "POST", RECORDS, key=key, document={"prefix": "demo"}).json()
        _, (metric,) = deployed.output()
        assert counts([metric]) == {"Minted": 1}
        assert metric["repository"] == minted["repository"]
        taken = {"prefix": "demo", "id": minted["id"]}
        assert deployed.call("mint", "POST", RECORDS, key=key, document=taken).status == 409
        assert counts(deployed.output()[1]) == {"MintConflict": 1}
        deployed.call("mint", "POST", f"{RECORDS}/batch", key=key, document=[taken, {"prefix": "demo"}, taken])
        assert counts(deployed.output()[1]) == {"Minted": 1, "MintConflict": 2}

    def test_what_goes_well_and_what_clients_do_wrong_counts_for_nothing(self, deployed: Deployed) -> None:
        deployed.call("resolve", "GET", "/demo:tw0t-ywdj-94")
        deployed.call("resolve", "GET", "/nothing:here")
        deployed.call("mint", "POST", RECORDS)
        deployed.call("manage", "GET", f"{RECORDS}/demo:tw0t-ywdj-94", key="cool_none")
        lines, metrics = deployed.output()
        assert ([line["status"] for line in lines], metrics) == ([302, 404, 401, 401], [])

    def test_a_key_that_cannot_sign_counts(self, deployed: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> bytes:
            raise SignerUnavailable("the key service refused: DisabledException")

        monkeypatch.setattr(KmsSigner, "sign", refuse)
        key = deployed.system.admin_key
        assert deployed.call("mint", "POST", RECORDS, key=key, document={"prefix": "demo"}).status == 503
        assert counts(deployed.output()[1]) == {"SignerError": 1}

    def test_store_failures_and_stale_responses_are_counted(
        self, deployed: Deployed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cache = caching_reader(Settings.read(deployed.system.environment, writes=True)).cache
        for rows in (cache.prefixes, cache.records):
            monkeypatch.setattr(rows, "ttl", -1.0)
        assert deployed.call("resolve", "GET", "/demo:tw0t-ywdj-94").status == 302
        deployed.output()
        gateway = deployed.handlers["resolve"]
        assert isinstance(gateway, ApiGatewayHandler)
        with outage():
            assert deployed.call("resolve", "GET", "/demo:tw0t-ywdj-94").status == 302
            (line,), metrics = deployed.output()
            assert (line["level"], line["cache"]) == ("WARN", "stale")
            assert counts(metrics) == {"StaleAnswer": 1}
            document = {"ids": ["nobodys:1", "nobodys:2", "nobodys:3"]}
            assert deployed.call("resolve", "GET", "/nobodys:1").status == 503
            assert deployed.call("resolve", "POST", "/api/v1/resolve", document=document).status == 200
            assert counts(deployed.output()[1]) == {"StoreError": 2}, "once for each request"
            for function, method in (("mint", "POST"), ("manage", "GET")):
                assert deployed.call(function, method, RECORDS, key=deployed.system.admin_key).status == 503
            assert counts(deployed.output()[1]) == {"StoreError": 2}


class TestHealth:
    def test_everybody_may_check_whether_identifiers_resolve(self, light: TablesSystem) -> None:
        answer = light.get("/health")
        assert answer.status == 200
        assert [(each["name"], each["state"]) for each in answer.json()["checks"]] == [
            ("prefixes", "ok"),
            ("records", "ok"),
        ]

    def test_internals_are_not_revealed(self, light: TablesSystem) -> None:
        body = light.get("/health").body
        output = {
            *light.tables.values(),
            *(value for value in light.environment.values() if value),
            "python",
            sys.version[:4],
        }
        assert not {each for each in output if each in body}

    def test_an_administrator_sees_every_part(self, light: TablesSystem) -> None:
        light.mint({"prefix": "demo"})
        answer = light.admin("GET", EXAMINATION)
        assert answer.status == 200
        checks = answer.json()["checks"]
        assert [check["name"] for check in checks] == PARTS
        assert all(check["state"] == "ok" and check["milliseconds"] >= 0 for check in checks)

    def test_nobody_else_is(self, light: TablesSystem) -> None:
        assert light.get(EXAMINATION).is_problem(401)
        assert light.request("GET", EXAMINATION, key=light.key_with("mint:demo", "update:demo")).is_problem(403)

    def test_checking_writes_nothing(self, fresh: TablesSystem) -> None:
        fresh.admin("GET", EXAMINATION)  # the first use of the key today is stored
        before = fresh.contents()
        assert fresh.get("/health").status == 200
        assert fresh.admin("GET", EXAMINATION).status == 200
        assert fresh.contents() == before

    @pytest.mark.parametrize(
        ("operation", "asked_for", "failed"),
        [
            ("GetItem", "CounterTable", {"counters"}),
            ("GetItem", "RequestTable", {"requests"}),
            ("GetItem", "LuiTable", {"records"}),
            ("GetItem", "PrefixTable", {"prefixes", "clock"}),
            ("Query", "LuiTable", {"key set"}),
            ("Sign", None, {"signature"}),
        ],
    )
    def test_failed_parts_are_distinguished_from_working_ones(
        self,
        light: TablesSystem,
        monkeypatch: pytest.MonkeyPatch,
        operation: str,
        asked_for: str | None,
        failed: set[str],
    ) -> None:
        from botocore.client import BaseClient

        passed_on = BaseClient._make_api_call  # type: ignore[attr-defined]
        table = light.tables.get(asked_for or "")

        def call(client: Any, name: str, arguments: dict[str, Any]) -> Any:
            if name == operation and arguments.get("TableName") == table:
                raise EndpointConnectionError(endpoint_url="https://aws.example")
            return passed_on(client, name, arguments)

        monkeypatch.setattr(BaseClient, "_make_api_call", call)
        answer = light.admin("GET", EXAMINATION)
        assert answer.is_problem(503, "unhealthy")
        assert {check["name"] for check in answer.json()["checks"] if check["state"] == "failed"} == failed
        assert [check["name"] for check in answer.json()["checks"]] == PARTS

    @pytest.mark.parametrize("name", ["health", "HEALTH", "health/x", "health:x"])
    def test_no_prefix_may_be_called_so(self, light: TablesSystem, name: str) -> None:
        provider = {"kind": "provider", "providers": [{"code": "x", "url": "https://x.example/{$id}"}]}
        assert light.admin("PUT", f"/api/v1/prefixes/{name}", provider).is_problem(422, "invalid-input")

    def test_a_record_can_be_requested_whose_prefix_begins_alike(self, light: TablesSystem) -> None:
        provider = {"kind": "provider", "providers": [{"code": "x", "url": "https://x.example/{$id}"}]}
        assert light.admin("PUT", "/api/v1/prefixes/healthy", provider).status in (200, 201)
        assert light.get("/healthy:7").headers["location"] == "https://x.example/7"


def test_the_bioregistry_has_no_prefix_that_health_hides(world: System) -> None:
    names = {json.loads(row)["name"] for row in world.contents()["PrefixTable"]}
    assert len(names) > 3_000
    assert not {name for name in names if name.partition("/")[0].partition(":")[0] == "health"}
    assert world.get("/health").status == 200
