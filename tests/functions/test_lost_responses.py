"""Lost responses: the store performs a write, and its response is lost; clients do not notice.

None of these requests has an `Idempotency-Key`: see `test_idempotency` for those.
"""

import json
from typing import Any

import boto3
import pytest

from tests.support.fixtures.system import Answer, TablesSystem
from tests.support.stores.outages import lost_answers

RECORDS = "/api/v1/records"
REPOSITORIES = "/api/v1/repositories"
HERE = "https://content.example.org/here"
THERE = "https://content.example.org/there"
MINT = {"prefix": "demo", "uri": HERE}
CHOSEN = MINT | {"id": "0000-0001-95"}
HANDLE = "/api/handles/10.5072/x"
URL = {"index": 1, "type": "URL", "data": {"format": "string", "value": HERE}}
PUT, UPDATE, TRANSACTION = "PutItem", "UpdateItem", "TransactWriteItems"


@pytest.fixture
def fresh(fresh_tables: TablesSystem) -> TablesSystem:
    """A system over DynamoDB."""
    return fresh_tables


@pytest.fixture
def system(fresh: TablesSystem) -> TablesSystem:
    """A system of the test's own, which has signed once: publishing its key is a write, too."""
    assert fresh.mint(MINT).status == 201
    return fresh


def listed(system: TablesSystem, prefix: str = "demo") -> set[str]:
    """The identifiers of all records of a prefix."""
    answer = system.request("GET", RECORDS, query=f"prefix={prefix}&limit=100", key=system.admin_key)
    return {record["id"] for record in answer.json()["records"]}


def change(system: TablesSystem, method: str, path: str, document: Any, tag: str) -> Answer:
    return system.request(method, path, document=document, headers=[("If-Match", tag)], key=system.admin_key)


class TestMints:
    @pytest.mark.parametrize("document", [MINT, CHOSEN], ids=["random", "chosen"])
    def test_one_mint_is_one_record(self, system: TablesSystem, document: Any) -> None:
        before = listed(system)
        with lost_answers(PUT) as lost:
            answer = system.mint(document)
        assert (lost, answer.status) == ([PUT], 201), answer.body
        assert listed(system) - before == {answer.json()["id"]}

    def test_one_mint_of_a_sequential_scheme_is_one_record(self, system: TablesSystem) -> None:
        rules = {"title": "Counted", "scheme": "noid", "rules": {"template": ".sd"}}
        owner = system.admin("POST", REPOSITORIES, rules).json()["id"]
        system.admin("PUT", "/api/v1/prefixes/counted", {"kind": "namespace", "repository": owner})
        for operation in (PUT, UPDATE):
            with lost_answers(operation) as lost:
                assert system.mint({"prefix": "counted", "uri": HERE}).status == 201
            assert lost == [operation]
        assert len(listed(system, "counted")) == 2

    def test_each_line_of_a_batch_is_one_record(self, system: TablesSystem) -> None:
        before = listed(system)
        lines = [MINT, CHOSEN, MINT]
        with lost_answers(PUT, 2) as lost:
            answer = system.request("POST", RECORDS + "/batch", document=lines, key=system.admin_key)
        results = answer.json()
        assert (lost, [result["status"] for result in results]) == ([PUT] * 2, [201] * 3), answer.body
        assert listed(system) - before == {result["record"]["id"] for result in results}

    def test_an_identifier_of_another_mint_is_taken(self, system: TablesSystem) -> None:
        assert system.mint(CHOSEN).status == 201
        with lost_answers(PUT) as lost:  # of the refusal
            assert system.mint(CHOSEN).is_problem(409, "identifier-taken")
        assert lost == [PUT]


class TestChanges:
    @pytest.mark.parametrize(
        ("method", "document"), [("PUT", {"uri": THERE}), ("PATCH", {"uri": THERE}), ("DELETE", {"reason": "test"})]
    )
    def test_one_change_of_a_record_is_one_version(self, system: TablesSystem, method: str, document: Any) -> None:
        minted = system.mint(MINT)
        path = f"{RECORDS}/demo:{minted.json()['id']}"
        with lost_answers(TRANSACTION) as lost:
            answer = change(system, method, path, document, minted.headers["etag"])
        assert (lost, answer.status, answer.json()["version"]) == ([TRANSACTION], 200, 2), answer.body
        assert system.admin("GET", path).json() == answer.json()
        assert change(system, "PATCH", path, {"ttl": 5}, minted.headers["etag"]).status in (409, 412)

    def test_a_repository_is_created_once_and_changed_once(self, system: TablesSystem) -> None:
        with lost_answers(PUT) as lost:
            made = system.admin("POST", REPOSITORIES, {"title": "One", "scheme": "lui"})
        assert (lost, made.status) == ([PUT], 201)
        titles = [row["body"]["S"].count('"One"') for row in _rows(system, "PrefixTable") if "body" in row]
        assert sum(titles) == 1
        with lost_answers(TRANSACTION) as lost:
            path = f"{REPOSITORIES}/{made.json()['id']}"
            changed = change(system, "PATCH", path, {"title": "Another"}, made.headers["etag"])
        assert (lost, changed.status, changed.json()["title"]) == ([TRANSACTION], 200, "Another"), changed.body

    def test_a_prefix_is_registered_once_and_changed_once(self, system: TablesSystem) -> None:
        body = {"kind": "provider", "providers": [{"code": "a", "title": "", "url": "https://a.example/{$id}"}]}
        for title, status in (("One", 201), ("Another", 200)):
            with lost_answers(TRANSACTION) as lost:
                answer = system.admin("PUT", "/api/v1/prefixes/mine", body | {"title": title})
            assert (lost, answer.status) == ([TRANSACTION], status), answer.body
        (row,) = [row for row in _rows(system, "PrefixTable") if row["name"]["S"] == "mine"]
        assert row["revision"]["N"] == "2"

    @pytest.mark.parametrize("operation", [PUT, UPDATE])
    def test_a_client_is_created_once_and_its_quota_spent_once(self, system: TablesSystem, operation: str) -> None:
        with lost_answers(operation):
            made = system.admin("POST", "/api/v1/clients", {"scopes": ["mint:demo"], "quota": {"day": 1}})
            assert made.status == 201
            assert system.mint(MINT, made.json()["key"]).status == 201
        with lost_answers(PUT):
            assert system.admin("DELETE", f"/api/v1/clients/{made.json()['id']}").status == 200


class TestHandles:
    @pytest.fixture
    def system(self, system: TablesSystem) -> TablesSystem:
        """With the Handle prefix 10.5072."""
        rules = {"title": "Handles", "scheme": "chosen", "rules": {"pattern": "[!-~]+", "folds_case": True}}
        owner = system.admin("POST", REPOSITORIES, rules).json()["id"]
        alias = {"kind": "namespace", "repository": owner}
        assert system.admin("PUT", "/api/v1/prefixes/10.5072", alias).status == 201
        return system

    def test_a_handle_is_created_changed_and_deleted_once(self, system: TablesSystem) -> None:
        def send(operation: str, method: str, query: str, *values: Any) -> tuple[int, int]:
            with lost_answers(operation) as lost:
                document = {"values": values} if values else None
                answer = system.request(method, HANDLE, query=query, document=document, key=system.admin_key)
            assert lost == [operation]
            return answer.status, answer.json()["responseCode"]

        mail = {"index": 2, "type": "EMAIL", "data": "a@example.org"}
        assert send(PUT, "PUT", "overwrite=false", URL) == (201, 1)
        assert send(TRANSACTION, "PUT", "index=2&overwrite=false", mail) == (201, 1)
        assert send(TRANSACTION, "DELETE", "index=2") == (200, 1)
        assert system.admin("GET", f"{RECORDS}/10.5072/x").json()["version"] == 3
        assert send(TRANSACTION, "DELETE", "") == (200, 1)
        assert system.admin("GET", f"{RECORDS}/10.5072/x").json()["status"] == "withdrawn"


class TestTokens:
    def test_no_response_has_a_token(self, system: TablesSystem) -> None:
        minted = system.mint(MINT)
        path = f"{RECORDS}/demo:{minted.json()['id']}"
        changed = change(system, "PATCH", path, {"ttl": 5}, minted.headers["etag"])
        made = system.admin("POST", REPOSITORIES, {"title": "One", "scheme": "lui"})
        named = system.admin("PUT", "/api/v1/prefixes/mine", {"kind": "namespace", "repository": made.json()["id"]})
        pid = minted.json()["pid"].rpartition("/")[2]
        answers = [
            minted,
            changed,
            made,
            named,
            system.admin("GET", path),
            system.admin("GET", f"/api/v1/history/demo:{pid}"),
            system.request("GET", path, query="version=1", key=system.admin_key),
            system.request("GET", RECORDS, query="prefix=demo", key=system.admin_key),
            system.admin("GET", "/api/v1/prefixes"),
            system.admin("GET", f"{REPOSITORIES}/{made.json()['id']}"),
            *(system.get(f"/demo:{pid}", query=f"format={form}") for form in ("linkid", "html", "jws", "jsonld")),
        ]
        text = "".join(json.dumps([answer.body, dict(answer.headers)]) for answer in answers)
        tokens = [
            row["write_token"]["S"]
            for table in ("LuiTable", "PrefixTable")
            for row in _rows(system, table)
            if "write_token" in row
        ]
        assert len(tokens) == len(set(tokens)) > 5
        assert not [token for token in tokens if token in text]
        assert "write_token" not in text


def _rows(system: TablesSystem, table: str) -> list[dict[str, Any]]:
    client: Any = boto3.client("dynamodb")
    found: list[dict[str, Any]] = client.scan(TableName=system.tables[table])["Items"]
    return found
