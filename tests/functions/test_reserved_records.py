"""Reserved records: without the scope of a prefix, all responses equal those for unknown records.

The complete responses are compared: the status, all headers, and the body without the identifier.
"""

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from msgspec import Struct

from tests.support.effort import sample
from tests.support.fixtures.system import Answer, System

RECORDS = "/api/v1/records"
HISTORY = "/api/v1/history"
REPOSITORIES = "/api/v1/repositories"
HERE = "https://content.example.org/here"
URL = {"index": 1, "type": "URL", "data": {"format": "string", "value": HERE}}
NO_RIGHTS = ("mint:other", "update:2021/06/demos", "watch:demo")


class Pair(Struct, frozen=True):
    """Two identifiers under a prefix that differ in nothing but that one is reserved."""

    prefix: str
    reserved: str
    absent: str

    def pid(self, identifier: str) -> str:
        if self.prefix.startswith("ark:") and self.prefix.count("/"):
            return f"{self.prefix}{identifier}"
        boundary = "/" if re.match("(ark:|10[.]|[0-9]{4}/)", self.prefix) else ":"
        return f"{self.prefix}{boundary}{identifier}"


class Call(Struct, frozen=True):
    """A request about `{pid}`, which stands for an identifier, in the path, the query or the body."""

    method: str
    path: str
    query: str = ""
    document: Any = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def send(self, system: System, pid: str, key: str | None) -> Answer:
        text = json.dumps(self.document).replace("{pid}", pid).replace("{id}", re.split("[/:]", pid)[-1])
        return system.request(
            self.method,
            self.path.replace("{pid}", pid),
            query=self.query.replace("{pid}", quote(pid, safe="")),
            headers=self.headers,
            body=self.body,
            document=None if self.document is None else json.loads(text),
            key=key,
        )


PAIRS = {
    "lui": Pair("demo", "0000-0001-95", "0000-0011-96"),
    "date": Pair("2021/06/demo", "0000-0001-95", "0000-0011-96"),
    "handle": Pair("10.5072", "reserved-1", "reserved-2"),
    "ark": Pair("ark:98989", "x5abc", "x5abd"),
    "shoulder": Pair("ark:98989/fk4", "x5a", "x5b"),
    "behind a shoulder": Pair("ark:98989/fk4", "older", "olden"),  # made under the NAAN before there was the shoulder
    "passthrough": Pair("pass", "deep/a", "deep/b"),
}
TAG = (("If-Match", "*"),)
MERGE = ("Content-Type", "application/merge-patch+json")
MANAGING = [
    *(Call("GET", f"{RECORDS}/{{pid}}", query) for query in ("", *(f"version={n}" for n in (0, 1, 2, "x")))),
    Call("HEAD", f"{RECORDS}/{{pid}}"),
    Call("GET", f"{RECORDS}/{{pid}}", headers=(("If-None-Match", "*"),)),
    Call("GET", f"{RECORDS}/{{pid}}", headers=(("Accept", "text/html"),)),
    Call("GET", f"{HISTORY}/{{pid}}"),
    Call("HEAD", f"{HISTORY}/{{pid}}"),
    *(Call("PUT", f"{RECORDS}/{{pid}}", headers=tag, document={"uri": HERE}) for tag in ((), TAG)),
    *(Call("PATCH", f"{RECORDS}/{{pid}}", headers=(*tag, MERGE), document={"ttl": 5}) for tag in ((), TAG)),
    *(Call("DELETE", f"{RECORDS}/{{pid}}", headers=tag, document={"reason": "It was wrong"}) for tag in ((), TAG)),
    Call("PUT", f"{RECORDS}/{{pid}}", headers=TAG, body=b"{"),
    Call("DELETE", f"{RECORDS}/{{pid}}", headers=TAG, document={"reason": "", "successor": "{pid}"}),
    *(
        Call("POST", path, headers=key, document=document)
        for key in ((), (("Idempotency-Key", "k"),))
        for path, document in (
            (RECORDS, {"prefix": "{prefix}", "id": "{id}", "uri": HERE}),
            (f"{RECORDS}/batch", [{"prefix": "{prefix}", "id": "{id}", "uri": HERE}]),
        )
    ),
]
HANDLES = [
    *(Call("GET", "/api/handles/{pid}", query) for query in ("", "auth", "index=1", "type=URL", "pretty")),
    *(
        Call("PUT", "/api/handles/{pid}", query, document={"values": [URL]})
        for query in ("", "overwrite=false", "index=1", "index=various")
    ),
    *(Call("DELETE", "/api/handles/{pid}", query) for query in ("", "index=1", "index=9")),
    Call("GET", "/hrls/handles", "URL=*"),
]
ELEMENTS = (("Content-Type", "text/plain"),)
EZID = [
    *(Call("GET", "/id/{pid}", query) for query in ("", "prefix_match=yes", "prefix_match=no")),
    *(Call("GET", f"/id/{{pid}}{more}", "prefix_match=yes") for more in ("/more", "x")),
    Call("GET", "/id/{pid}", headers=(("Accept", "text/html"),)),
    Call("HEAD", "/id/{pid}"),
    *(Call("PUT", "/id/{pid}", query, headers=ELEMENTS) for query in ("", "update_if_exists=yes")),
    Call("POST", "/id/{pid}", headers=ELEMENTS, body=b"_status: public"),
    Call("DELETE", "/id/{pid}"),
]
SECOND = (("Accept-Datetime", "Thu, 10 Jul 2025 14:22:30 GMT"),)
PUBLIC = [
    *(
        Call("GET", "/{pid}", query, headers=(("Accept", accept),))
        for accept in ("*/*", "text/html", "application/json", "application/linkid+json")
        for query in ("", "version=1", "memento=1", "info", "strict=1", "provider=x")
    ),
    *(
        Call("GET", "/{pid}", f"format={form}")
        for form in ("linkid", "linkset", "jsonld", "ttl", "jws", "html", "bibtex", "svg", "nothing")
    ),
    Call("HEAD", "/{pid}"),
    Call("GET", "/{pid}", "?"),
    Call("GET", "/{pid}", headers=SECOND),
    Call("GET", "/{pid}", headers=(("If-None-Match", "*"),)),
    Call("GET", "/{pid}/more"),
    Call("GET", "/{pid}.more", "version=1"),
    *(Call("GET", f"{path}{{pid}}", headers=SECOND) for path in ("/timegate/", "/timemap/", "/resolve/")),
    Call("GET", "/api/v1/parse", "id={pid}"),
    Call("POST", "/api/v1/parse", document={"ids": ["{pid}", "{pid}/more"]}),
    Call("POST", "/api/v1/resolve", document={"ids": ["{pid}", "{pid}/more"]}),
    Call("GET", "/", "q={pid}"),
    *(
        Call("GET", "/oai", f"verb={verb}&metadataPrefix=oai_dc{period}")
        for verb in ("ListRecords", "ListIdentifiers")
        for period in ("", "&from=2025-01-01")
    ),
]


@pytest.fixture(scope="session")
def system(untouched: System) -> System:
    """A system in which each pair has its reserved record, with two versions."""
    system = untouched.copied()
    register(system, "10.5072", folds_case=True)
    register(system, "pass", passthrough=True)
    register(system, "mine")
    register(system, "ark:98989", pattern="[a-z0-9-]{5,}", ignores_hyphens=True)
    reserve(system, "ark:98989", "fk4older")
    register(system, "ark:98989/fk4", ignores_hyphens=True)
    for name in ("lui", "handle", "ark", "shoulder", "passthrough"):
        reserve(system, PAIRS[name].prefix, PAIRS[name].reserved)
    return system


def register(system: System, prefix: str, *, passthrough: bool = False, **rules: Any) -> None:
    """A repository whose identifiers are chosen, and its prefix."""
    members = {"scheme": "chosen", "rules": {"pattern": "[a-z0-9/-]+"} | rules, "passthrough": passthrough}
    owner = system.admin("POST", REPOSITORIES, {"title": prefix} | members).json()["id"]
    alias = {"kind": "namespace", "repository": owner}
    assert system.admin("PUT", f"/api/v1/prefixes/{prefix}", alias).status == 201


def reserve(system: System, prefix: str, identifier: str) -> None:
    """A reserved record of two versions."""
    minted = system.mint({"prefix": prefix, "id": identifier, "uri": HERE, "status": "reserved"})
    assert minted.status == 201, minted.body
    path, tag = f"{RECORDS}/{minted.json()['pid'].partition('.org/')[2]}", [("If-Match", minted.headers["etag"])]
    changed = system.request("PATCH", path, document={"ttl": 7}, headers=tag, key=system.admin_key)
    assert (changed.status, changed.json()["status"]) == (200, "reserved"), changed.body


def comparable(answer: Answer, pair: Pair, identifier: str) -> tuple[int, dict[str, str], str]:
    """All of an answer but the identifier, in any spelling, the time of the answer, and the tag of a body with them."""
    spellings = {pair.pid(identifier), identifier}
    spellings |= {each.replace("-", "") for each in spellings} | {quote(each, safe="") for each in spellings}
    spellings |= {each.upper() for each in spellings}
    pattern = "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))
    headers = {name: re.sub(pattern, "ID", value) for name, value in answer.headers.items()}
    body = re.sub(f"{pattern}|(?<=<responseDate>)[^<]*", "ID", answer.body)
    if body != answer.body and "etag" in headers:
        headers["etag"] = "TAG"
    return answer.status, headers, body


def compare(system: System, call: Call, pair: Pair, key: str | None) -> None:
    """The answers about both are the same, when they are asked for first and again."""
    document = json.loads(json.dumps(call.document).replace("{prefix}", pair.prefix))
    about = Call(call.method, call.path, call.query, document, call.headers, call.body)
    for _ in range(2):
        found = [
            comparable(about.send(system, pair.pid(identifier), key), pair, identifier)
            for identifier in (pair.reserved, pair.absent)
        ]
        assert found[0] == found[1]
        assert found[0][0] not in (200, 201, 302, 500) or "reserved" not in found[0][2]


@pytest.mark.parametrize(
    ("name", "scope"),
    [*((name, NO_RIGHTS[0]) for name in sample([*PAIRS], 3)), *(("lui", scope) for scope in NO_RIGHTS[1:])],
)
def test_a_key_without_rights_cannot_distinguish_it_from_an_unknown_one(system: System, name: str, scope: str) -> None:
    before, key = system.contents(), system.key_with(scope)
    for call in MANAGING:
        compare(system, call, PAIRS[name], key)
    clients = {**system.contents(), "ClientTable": before["ClientTable"]}
    assert clients == before


@pytest.mark.parametrize("scope", [*NO_RIGHTS, None])
def test_nor_can_it_by_the_handle_api(system: System, scope: str | None) -> None:
    key = system.key_with(scope) if scope is not None else None
    for call in HANDLES:
        compare(system, call, PAIRS["handle"], key)


@pytest.mark.parametrize("scope", NO_RIGHTS[:1])
def test_nor_can_it_by_the_api_of_ezid(system: System, scope: str) -> None:
    key = system.key_with(scope)
    for name in ("handle", "ark", "behind a shoulder"):
        for call in EZID:
            compare(system, call, PAIRS[name], key)


@pytest.mark.parametrize("name", sample([*PAIRS], 3))
def test_nor_can_the_public(system: System, name: str) -> None:
    for call in (*PUBLIC, *MANAGING, *EZID):
        compare(system, call, PAIRS[name], None)


@pytest.mark.parametrize(("method", "status"), [("GET", 404), ("PUT", 403), ("PATCH", 403), ("DELETE", 403)])
def test_reading_is_answered_as_if_it_did_not_exist_and_writing_by_the_right_to_the_prefix(
    system: System, method: str, status: int
) -> None:
    key, pair = system.key_with("mint:other"), PAIRS["lui"]
    for identifier in (pair.reserved, pair.absent):
        document = {"uri": HERE} if method != "GET" else None
        path = f"{RECORDS}/{pair.pid(identifier)}"
        assert system.request(method, path, document=document, headers=TAG, key=key).status == status


@pytest.mark.parametrize("scope", ["mint:demo", "update:demo", "admin"])
def test_clients_that_may_mint_or_update_there_see_it(system: System, scope: str) -> None:
    key, pair = system.key_with(scope), PAIRS["lui"]
    path = f"{RECORDS}/{pair.pid(pair.reserved)}"
    for query, version in (("", 2), ("version=1", 1)):
        assert system.request("GET", path, query=query, key=key).json()["version"] == version
    versions = system.request("GET", f"{HISTORY}/{pair.pid(pair.reserved)}", key=key).json()["versions"]
    assert [each["version"] for each in versions] == [2, 1]


def test_a_version_that_was_reserved_is_as_one_that_there_never_was(system: System) -> None:
    minted = system.mint({"prefix": "mine", "id": "once", "uri": HERE, "status": "reserved"})
    tag = [("If-Match", minted.headers["etag"])]
    path = f"{RECORDS}/mine:once"
    assert system.request("PATCH", path, document={"status": "active"}, headers=tag, key=system.admin_key).status == 200
    key = system.key_with("mint:other")
    found = []
    for number in (1, 9):
        answer = system.request("GET", path, query=f"version={number}", key=key)
        found.append((answer.status, answer.headers, answer.body.replace(f"version {number}", "version N")))
    assert found[0] == found[1]
    assert found[0][0] == 404
    assert system.request("GET", path, query="version=2", key=key).json()["version"] == 2


def test_a_successor_may_be_either(system: System) -> None:
    pair = PAIRS["lui"]
    found = []
    for identifier in (pair.reserved, pair.absent):
        minted = system.mint({"prefix": "mine", "id": f"before-{identifier}", "uri": HERE})
        body = {"reason": "It moved", "successor": pair.pid(identifier)}
        path, tag = f"{RECORDS}/mine:{minted.json()['id']}", [("If-Match", minted.headers["etag"])]
        found.append(system.request("DELETE", path, document=body, headers=tag, key=system.key_with("update:mine")))
    assert [answer.status for answer in found] == [200, 200]
