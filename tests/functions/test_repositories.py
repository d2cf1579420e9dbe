"""Changes of repositories: conditional, visible at once under every alias, and never of permanent rules."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.application import HERE, MINT, RECORDS, InMemoryApplication
from tests.support.fixtures.system import Answer, System
from tests.support.stores.store_wrappers import FailingStore, FlatStore, Interfering

REPOSITORIES = "/api/v1/repositories"
PREFIXES = "/api/v1/prefixes"


def made(app: Any, *aliases: str, **members: Any) -> str:
    """The address of a new repository with these aliases."""
    answer = send(app, "POST", REPOSITORIES, {"title": "A repository"} | members)
    assert answer.status == 201, answer.body
    owner = answer.json()["id"]
    for name in aliases:
        named = send(app, "PUT", f"{PREFIXES}/{name}", {"kind": "namespace", "repository": owner})
        assert named.status == 201, named.body
    return f"{REPOSITORIES}/{owner}"


def send(app: Any, method: str, path: str, document: Any = None, tag: str | None = None) -> Answer:
    headers = [] if tag is None else [("If-Match", tag)]
    if isinstance(app, System):
        return app.request(method, path, document=document, headers=headers, key=app.admin_key)
    answer: Answer = app.request(method, path, document, headers=headers)
    return answer


def patched(app: Any, path: str, patch: Any, tag: str = "*") -> Answer:
    return send(app, "PATCH", path, patch, tag)


class TestChanging:
    def test_what_is_said_is_changed_and_the_rest_stays(self) -> None:
        app = InMemoryApplication()
        path = made(app, ttl=60, rules={"symbols": 6})
        before = send(app, "GET", path)
        app.clock.moment += timedelta(hours=1)
        answer = patched(app, path, {"title": "é", "redirect": 303}, before.headers["etag"])
        assert answer.status == 200
        assert answer.json() == before.json() | {"title": "é", "redirect": 303, "updated": "2025-07-10T15:22:30Z"}
        read = send(app, "GET", path)
        assert (read.json(), read.headers["etag"]) == (answer.json(), answer.headers["etag"])
        assert answer.headers["etag"] != before.headers["etag"]

    @pytest.mark.parametrize(
        ("given", "patch", "becomes"),
        [
            ({"ttl": 7}, {"ttl": None}, {"ttl": 300}),
            ({"redirect": 308}, {"redirect": None}, {"redirect": 302}),
            ({"domains": ["a.example"]}, {"domains": None}, {"domains": []}),
            ({"domains": ["a.example"]}, {"domains": ["b.example", "c.ex"]}, {"domains": ["b.example", "c.ex"]}),
            ({"passthrough": True}, {"passthrough": None}, {"passthrough": False}),
            ({"choices": True}, {"choices": None}, {"choices": False}),
            ({"target": "https://a.example/{$id}"}, {"target": None}, {"target": None}),
            ({"support": {"what": "For ever."}}, {"support": None}, {"support": None}),
            ({"support": {"what": "a"}}, {"support": {"when": "2021"}}, {"support": {"what": "a", "when": "2021"}}),
            ({"archive": "https://a.example/web/"}, {"archive": None}, {"archive": None}),
            ({}, {"target": "https://a.example/{$id}", "ttl": 0}, {"target": "https://a.example/{$id}", "ttl": 0}),
            ({"ttl": 7}, {}, {"ttl": 7}),
            ({"ttl": 7, "choices": True}, {"ttl": 7}, {"ttl": 7, "choices": True}),
        ],
    )  # fmt: skip
    def test_null_gives_back_what_is_usual(self, given: Any, patch: Any, becomes: Any) -> None:
        app = InMemoryApplication()
        path = made(app, **given)
        answer = patched(app, path, patch)
        assert answer.status == 200, answer.body
        assert {name: answer.json()[name] for name in becomes} == becomes

    @pytest.mark.parametrize("patch", [{}, {"title": "A repository"}, {"ttl": None, "domains": []}])
    def test_what_changes_nothing_writes_nothing(self, patch: Any) -> None:
        app = InMemoryApplication()
        path = made(app, "mine")
        before, rows = send(app, "GET", path), dict(app.store.rows)
        app.clock.moment += timedelta(hours=1)
        answer = patched(app, path, patch)
        assert (answer.status, answer.headers["etag"]) == (200, before.headers["etag"])
        assert app.store.rows == rows
        assert app.store.calls["change_repository"] == 0

    @pytest.mark.parametrize(
        ("patch", "pointers"),
        [
            ({"scheme": "cooldoi"}, ["/scheme"]),
            ({"scheme": "lui"}, ["/scheme"]),
            ({"rules": {"symbols": 5}}, ["/rules"]),
            ({"id": "zzzz-zzzz-90", "canonical": "x", "revision": 7}, ["/id", "/canonical", "/revision"]),
            ({"title": None}, ["/title"]),
            ({"title": ""}, ["/title"]),
            ({"title": "two\nlines"}, ["/title"]),
            ({"ttl": -1}, ["/ttl"]),
            ({"ttl": True}, ["/ttl"]),
            ({"redirect": 305}, ["/redirect"]),
            ({"redirect": "302"}, ["/redirect"]),
            ({"redirect": 302.5}, ["/redirect"]),
            ({"domains": ["Example.ORG"]}, ["/domains/0"]),
            ({"domains": "a.example"}, ["/domains"]),
            ({"passthrough": 1}, ["/passthrough"]),
            ({"choices": "yes"}, ["/choices"]),
            ({"target": "https://a.example/"}, ["/target"]),
            ({"target": "https://{$id}.example/"}, ["/target"]),
            ({"target": "javascript:{$id}"}, ["/target"]),
            ({"target": "https://b.example/{$id}", "domains": ["a.example"]}, ["/target"]),
            ({"support": {"who": "a"}}, ["/support/what"]),
            ({"support": {"what": "a\nwhat: b"}}, ["/support/what"]),
            ({"support": {"what": "a", "where": "javascript:b"}}, ["/support/where"]),
            ({"archive": "https://a.example/web"}, ["/archive"]),
            ({"archive": "http://a.example/web/"}, ["/archive"]),
            ({"archive": "https://127.1/web/"}, ["/archive"]),
            ({"color": "red"}, ["/color"]),
            ([], [""]),
            ("text", [""]),
        ],
    )  # fmt: skip
    def test_what_cannot_be_is_refused_with_its_place_and_nothing_changes(
        self, patch: Any, pointers: list[str]
    ) -> None:
        app = InMemoryApplication()
        path = made(app, "mine")
        before = send(app, "GET", path)
        answer = patched(app, path, patch)
        assert answer.is_problem(422, "invalid-input"), answer.body
        assert [error["pointer"] for error in answer.json()["errors"]] == pointers
        assert send(app, "GET", path).body == before.body

    def test_a_target_that_stays_must_lie_in_domains_that_change(self) -> None:
        app = InMemoryApplication()
        path = made(app, target="https://a.example/{$id}", domains=["a.example"])
        assert patched(app, path, {"domains": ["b.example"]}).is_problem(422)
        assert patched(app, path, {"domains": ["b.example"], "target": "https://b.example/{$id}"}).status == 200
        assert patched(app, path, {"domains": ["c.example"], "target": None}).status == 200

    @pytest.mark.parametrize(
        "body", [b"", b"{", b'{"ttl": 1, "ttl": 2}', b'{"ttl": NaN}', b"[" * 10_000 + b"]" * 10_000]
    )
    def test_a_body_that_is_not_json_is_refused(self, body: bytes) -> None:
        app = InMemoryApplication()
        path = made(app)
        assert app.request("PATCH", path, body=body, headers=[("If-Match", "*")]).is_problem(400, "malformed-body")

    def test_one_that_there_is_not_is_not_found(self) -> None:
        for path in ("zzzz-zzzz-90", "x", "%20", "R4K2-9M3X-63"):
            assert patched(InMemoryApplication(), f"{REPOSITORIES}/{path}", {}).is_problem(404, "unknown-repository")

    @pytest.mark.parametrize("scope", ["mint:demo", "update:demo"])
    def test_only_by_administrators(self, scope: str) -> None:
        app = InMemoryApplication()
        path = made(app, "mine")
        key = app.key_with(scope)
        assert app.change("PATCH", path, {"ttl": 5}, key=key).is_problem(403, "forbidden")
        assert app.request("PATCH", path, {"ttl": 5}, key=None).is_problem(401)
        assert app.request("GET", path, key=key).is_problem(403, "forbidden")
        assert app.request("GET", path).json()["ttl"] == 300


class TestConditions:
    def test_without_one_it_is_refused(self) -> None:
        app = InMemoryApplication()
        assert send(app, "PATCH", made(app), {"ttl": 5}).is_problem(428, "precondition-required")

    def test_a_missing_key_is_reported_before_errors_in_the_body(self) -> None:
        app = InMemoryApplication()
        assert app.request("PATCH", made(app), body=b"{").is_problem(428, "precondition-required")

    @pytest.mark.parametrize("condition", ['"x"', "", "W/{}", '"*"'])
    def test_with_one_that_is_not_of_what_there_is_now_it_is_refused(self, condition: str) -> None:
        app = InMemoryApplication()
        path = made(app)
        tag = send(app, "GET", path).headers["etag"]
        answer = patched(app, path, {"ttl": 5}, condition.format(tag))
        assert answer.is_problem(412, "outdated")
        assert send(app, "GET", path).headers["etag"] == tag

    def test_of_two_with_one_tag_the_second_is_refused(self) -> None:
        app = InMemoryApplication()
        path = made(app)
        tag = send(app, "GET", path).headers["etag"]
        assert patched(app, path, {"ttl": 5}, tag).status == 200
        assert patched(app, path, {"ttl": 6}, tag).is_problem(412, "outdated")
        assert send(app, "GET", path).json()["ttl"] == 5

    def test_of_many_changes_of_any_version_at_once_all_succeed(self, light: System) -> None:
        path = made(light, "busy")
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda ttl: patched(light, path, {"ttl": ttl}, "*"), range(8)))
        assert {answer.status for answer in answers} == {200}

    def test_of_many_at_once_exactly_one_changes_it(self, light: System) -> None:
        path = made(light, "crowded", "crowded/too")
        tag = send(light, "GET", path).headers["etag"]
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda ttl: patched(light, path, {"ttl": ttl}, tag), range(8)))
        (winner,) = [at for at, answer in enumerate(answers) if answer.status == 200]
        assert all(
            each.is_problem(412, "outdated") or each.is_problem(409, "contended")
            for each in answers
            if each.status != 200
        )
        assert send(light, "GET", path).json()["ttl"] == winner
        for prefix in ("crowded", "crowded/too"):
            assert f"max-age={winner}," in light.get(f"/{prefix}").headers["cache-control"]


class TestAliases:
    @pytest.mark.parametrize("over", ["memory", "dynamodb"])
    def test_all_follow_at_once(self, request: pytest.FixtureRequest, over: str) -> None:
        app: Any = InMemoryApplication() if over == "memory" else request.getfixturevalue("light")
        path = made(app, f"{over}/one", f"{over}/two", domains=["content.example.org"])
        minted = app.mint({"prefix": f"{over}/two", "uri": HERE}).json()
        bare = app.mint({"prefix": f"{over}/one"}).json()
        paths = [f"/{over}/{name}/{minted['id']}" for name in ("one", "two")]
        assert {app.get(each).status for each in paths} == {302}
        patch = {"redirect": 307, "ttl": 11, "domains": ["b.example"], "target": "https://b.example/{$id}"}
        assert patched(app, path, patch).status == 200
        for each in paths:
            answer = app.get(each)
            assert (answer.status, answer.headers["location"]) == (307, HERE)  # what there was stays as it was
            assert "max-age=11," in answer.headers["cache-control"]
            assert answer.canonical == minted["pid"] == f"{BASE_URL}/{over}/one/{minted['id']}"
        for name in ("one", "two"):
            assert app.get(f"/{over}/{name}/{bare['id']}").headers["location"] == f"https://b.example/{bare['id']}"
            assert app.mint({"prefix": f"{over}/{name}", "uri": HERE}).is_problem(422)
            assert app.mint({"prefix": f"{over}/{name}", "uri": "https://b.example/x"}).status == 201

    def test_an_alias_can_be_added_and_changed_afterwards(self, light: System) -> None:
        path = made(light, "later/one")
        owner = path.rpartition("/")[2]
        for at, name in enumerate(("later/two", "later/one", "later/two", "later/three")):
            assert patched(light, path, {"ttl": 20 + at}).status == 200
            named = {"kind": "namespace", "repository": owner, "title": f"Title {at}"}
            assert send(light, "PUT", f"{PREFIXES}/{name}", named).status in (200, 201)
        assert patched(light, path, {"ttl": 30}).status == 200
        for name in ("later/one", "later/two", "later/three"):
            document = send(light, "GET", f"{PREFIXES}/{name}").json()
            assert (document["repository"], document["canonical"]) == (owner, "later/one")
            assert "max-age=30," in light.get(f"/{name}").headers["cache-control"]
        minted = light.mint({"prefix": "later/three"}).json()
        assert light.get(f"/later/two/{minted['id']}").canonical == f"{BASE_URL}/later/one/{minted['id']}"

    @pytest.mark.parametrize("over", ["memory", "dynamodb"])
    def test_an_alias_that_comes_in_the_middle_of_a_change_is_lost_by_nobody(
        self, request: pytest.FixtureRequest, over: str
    ) -> None:
        """Whoever changes a repository has read it before it got its first alias, and so its canonical prefix."""
        app = InMemoryApplication()
        system: Any = app if over == "memory" else request.getfixturevalue("light")
        path = made(system)
        owner, name = path.rpartition("/")[2], f"between/{over}"
        deed = lambda: send(system, "PUT", f"{PREFIXES}/{name}", {"kind": "namespace", "repository": owner})  # noqa: E731
        behind: Any = app.store if over == "memory" else FlatStore(system.store())
        one = InMemoryApplication(app.store) if over == "memory" else app
        one.store.clients |= app.store.clients
        failing = Interfering(behind, "change_repository", [deed])

        class Both:
            """Clients of the one who interferes are in memory, whatever the rest is in."""

            def __getattr__(self, called: str) -> Any:
                return getattr(app.store if called == "client" else failing, called)

        one.use_store(Both())
        answer = one.change("PATCH", path, {"ttl": 44}, key=app.admin_key)
        assert answer.status == 200 or answer.is_problem(409, "contended")
        if answer.status != 200:
            assert patched(system, path, {"ttl": 44}).status == 200
        document = send(system, "GET", f"{PREFIXES}/{name}").json()
        assert (document["repository"], document["canonical"]) == (owner, name)
        if over == "memory":
            one.use_store(app.store)
        assert "max-age=44," in system.get(f"/{name}").headers["cache-control"]
        minted = system.mint({"prefix": name, "uri": HERE}).json()
        assert minted["pid"] == f"{BASE_URL}/{name}/{minted['id']}"

    def test_a_change_that_comes_in_the_middle_of_an_alias_is_in_it(self) -> None:
        app = InMemoryApplication()
        path = made(app)
        owner = path.rpartition("/")[2]
        other = InMemoryApplication(app.store)
        app.use_store(Interfering(app.store, "put_prefix", [lambda: patched(other, path, {"ttl": 55})]))
        assert send(app, "PUT", f"{PREFIXES}/mine", {"kind": "namespace", "repository": owner}).status == 201
        assert "max-age=55," in app.get("/mine").headers["cache-control"]

    @pytest.mark.parametrize("when", ["before", "after"])
    def test_a_store_that_fails_changes_all_or_nothing(self, when: str) -> None:
        app = InMemoryApplication()
        path = made(app, "one", "two")
        app.use_store(FailingStore(app.store, when, "change_repository", times=1))
        assert patched(app, path, {"ttl": 66}).is_problem(503)
        ages = {app.store.rows[name].repository.ttl for name in ("one", "two")}  # type: ignore[attr-defined]
        assert ages | {app.store.repositories[path.rpartition("/")[2]].ttl} == ({300} if when == "before" else {66})
        assert patched(app, path, {"ttl": 66}).status == 200
        assert send(app, "GET", path).json()["ttl"] == 66

    def test_identifiers_continue_as_before(self) -> None:
        app = InMemoryApplication()
        path = made(app, "counted", scheme="noid", rules={"template": ".sdd"})
        first = app.mint({"prefix": "counted"}).json()["id"]
        assert patched(app, path, {"title": "Another"}).status == 200
        second = app.mint({"prefix": "counted"}).json()["id"]
        assert first != second
        assert app.mint(MINT | {"prefix": "counted", "id": first}).is_problem(409, "identifier-taken")
        assert app.request("GET", f"{RECORDS}/counted:{first}").status == 200
