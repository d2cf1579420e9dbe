"""Malformed JSON documents are refused by every operation that writes, and nothing is stored."""

import json
from copy import copy
from typing import Any

import pytest

from tests.support.fixtures.application import BATCH, HERE, RECORDS, InMemoryApplication
from tests.support.fixtures.system import System
from tests.support.stores.memory_store import MemoryStore

LARGE = "x" * 400_000
CALLS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "mint": ("POST", RECORDS, {"prefix": "demo", "uri": HERE}),
    "batch": ("POST", BATCH, {"prefix": "demo", "uri": HERE}),
    "put": ("PUT", f"{RECORDS}/demo:tw0t-ywdj-94", {"uri": HERE}),
    "patch": ("PATCH", f"{RECORDS}/demo:tw0t-ywdj-94", {"uri": HERE}),
    "withdraw": ("DELETE", f"{RECORDS}/demo:tw0t-ywdj-94", {"reason": "It was wrong"}),
    "repository": ("POST", "/api/v1/repositories", {"title": "A repository"}),
    "change a repository": ("PATCH", "/api/v1/repositories/r4k2-9m3x-62", {"title": "Another"}),
    "namespace": ("PUT", "/api/v1/prefixes/new", {"kind": "namespace", "repository": "r4k2-9m3x-62"}),
    "provider": ("PUT", "/api/v1/prefixes/new", {"kind": "provider"}),
    "client": ("POST", "/api/v1/clients", {"scopes": ["admin"]}),
}
BAD: dict[str, tuple[str, int]] = {
    "ten thousand deep in arrays": ("[" * 10_000 + "]" * 10_000, 400),
    "ten thousand deep in objects": ('{"a":' * 10_000 + "1" + "}" * 10_000, 400),
    "a hundred and one deep": ("[" * 101 + "]" * 101, 400),
    "a name twice": ('{"a": 1, "\\u0061": 2}', 400),
    "NaN": ("NaN", 400),
    "minus infinity": ("-Infinity", 400),
    "a number beyond all": ("1e999", 400),
    "a whole number beyond what is exact": ("9007199254740993", 400),
    "a lone surrogate": ('"\\ud800"', 400),
    "a lone surrogate in a name": ('{"\\udc00": 1}', 400),
    "a surrogate pair the wrong way round": ('"\\udc00\\ud800"', 400),
    "a control character": ('"\x01"', 400),
    "four hundred kilobytes": (json.dumps(LARGE), 422),
    "a member that there is not": ("1", 422),
}


def stored(store: MemoryStore) -> dict[str, Any]:
    """All that is stored, but for who called how often."""
    parts = ("rows", "records_by_key", "archive", "idempotency_records", "repositories", "clients")
    return {part: copy(getattr(store, part)) for part in parts}


@pytest.fixture(scope="session")
def app() -> InMemoryApplication:
    app = InMemoryApplication()
    assert app.mint({"prefix": "demo", "uri": HERE, "id": "tw0t-ywdj-94"}).status == 201
    return app


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("member", ["metadata", "color"])
def test_it_is_refused_and_nothing_is_stored(app: InMemoryApplication, call: str, bad: str, member: str) -> None:
    method, path, document = CALLS[call]
    value, status = BAD[bad]
    body = f'{json.dumps(document)[:-1]}, "{member}": {value}}}'.encode()
    before = stored(app.store)
    answer = app.request(method, path, body=body, headers=[("If-Match", "*"), ("Idempotency-Key", f"{call} {bad}")])
    if call == "batch":
        assert answer.status == 200
        (line,) = (json.loads(each) for each in answer.body.splitlines())
        assert line["status"] == line["problem"]["status"] == status
    else:
        assert answer.is_problem(status), answer.body
    assert stored(app.store) == before
    assert app.reported == []


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("body", "status"),
    [(b"\xff\xfe", 400), (b"{}{}", 400), (b"\xef\xbb\xbf{}", 400), (b"{", 400), (b'"x"', 422), (b"7", 422),
     (b"null", 422), (b" " * 1_000_001, 413), (b'{"a": "' + b"x" * 1_000_000 + b'"}', 413)],
    ids=["utf-16", "two", "a mark", "half", "a text", "a number", "null", "spaces", "large"],
)  # fmt: skip
def test_so_is_what_is_no_object_at_all(app: InMemoryApplication, call: str, body: bytes, status: int) -> None:
    method, path, _ = CALLS[call]
    before = stored(app.store)
    answer = app.request(method, path, body=body, headers=[("If-Match", "*")])
    if call == "batch" and status != 413:
        assert {json.loads(line)["status"] for line in answer.body.splitlines()} <= {400, 422}
    else:
        assert answer.is_problem(status)
    assert stored(app.store) == before


@pytest.mark.parametrize("call", ["mint", "batch", "put", "patch"])
def test_a_record_of_four_hundred_kilobytes_is_refused_by_the_real_store(light: System, call: str) -> None:
    """In many small pieces, each of which could be stored."""
    identifier = light.mint({"prefix": "demo", "uri": HERE}).json()["id"]
    method, path, document = CALLS[call]
    path = path.replace("tw0t-ywdj-94", identifier)
    body = document | {"metadata": {f"name{at}": "é" * 2_000 for at in range(99)}}
    before = light.contents()
    answer = light.request(
        method,
        path,
        body=json.dumps(body, ensure_ascii=False).encode(),
        headers=[("If-Match", "*")],
        key=light.admin_key,
    )
    if call == "batch":
        assert json.loads(answer.body)["status"] == 422
    else:
        assert answer.is_problem(422, "invalid-input")
    assert light.contents() == before
