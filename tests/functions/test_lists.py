"""Lists page by page: every entry once and in order, whatever changes between the pages."""

import json
import random
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from msgspec.structs import replace

import coolid
from coolid.identifiers.schemes import lui
from tests.support.builders.histories import put_history
from tests.support.builders.samples import BASE_URL, namespace, provider_prefix, record, repository
from tests.support.fixtures.application import HERE, MINT, RECORDS, InMemoryApplication
from tests.support.fixtures.system import System
from tests.support.stores.store_wrappers import FailingStore

PREFIXES = "/api/v1/prefixes"
HISTORY = "/api/v1/history"


def pages(app: Any, path: str, query: str, name: str, key: str = "admin") -> list[list[Any]]:
    """All pages of a list, as it is followed by its cursors."""
    found, at = [], ""
    while True:
        answer = ask(app, path, query + at, key)
        assert answer.status == 200, answer.body
        page = answer.json()
        assert page.keys() == {name, "next"}
        found.append(page[name])
        if page["next"] is None:
            return found
        at = f"&cursor={page['next']}"
        assert len(found) < 2_000


def ask(app: Any, path: str, query: str, key: str = "admin") -> Any:
    if isinstance(app, System):
        return app.request("GET", path, query=query, key=app.admin_key)
    return app.request("GET", path, query=query, key=key)


def flat(found: list[list[Any]]) -> list[Any]:
    return [each for page in found for each in page]


def keys(app: InMemoryApplication) -> list[str]:
    return sorted(key for _, key in app.store.records_by_key)


class TestRecords:
    @pytest.mark.parametrize("limit", [1, 7, 50, 249, 250, 251, 1_000])
    def test_every_record_is_listed_once_in_the_order_of_their_keys(self, limit: int) -> None:
        app = InMemoryApplication()
        app.batch([MINT | {"metadata": {"n": at}} for at in range(250)])
        found = pages(app, RECORDS, f"prefix=demo&limit={limit}", "records")
        assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
        assert [lui.validate(each["id"]) for each in flat(found)] == keys(app)
        assert {each["metadata"]["n"] for each in flat(found)} == set(range(250))

    def test_over_the_real_store_too(self, fresh: System) -> None:
        lines = [MINT | {"uri": f"{HERE}/{at}"} for at in range(110)]
        made = fresh.request("POST", "/api/v1/records/batch", document=lines, key=fresh.admin_key).json()
        minted = {result["record"]["id"]: result["record"] for result in made}
        existed = {"tw0t-ywdj-94"}  # of the demonstration
        for query, most in (("prefix=demo", 100), ("prefix=2021/06/DEMO&limit=30", 30)):
            found = pages(fresh, RECORDS, query, "records")
            listed = flat(found)
            assert all(len(page) == most for page in found[:-1])
            assert [each["id"] for each in listed] == sorted(each["id"] for each in listed)
            assert existed <= {each["id"] for each in listed}
            assert {each["id"]: each for each in listed if each["id"] in minted} == minted

    def test_reserved_and_withdrawn_ones_are_listed_as_they_are_now_and_old_versions_are_not(self) -> None:
        app = InMemoryApplication()
        reserved = app.mint(MINT | {"status": "reserved"}).json()["id"]
        withdrawn, changed = (app.mint().json()["id"] for _ in range(2))
        app.change("DELETE", f"{RECORDS}/demo:{withdrawn}", {"reason": "It was wrong"})
        app.change("PUT", f"{RECORDS}/demo:{changed}", {"ttl": 5})
        listed = {each["id"]: each for each in flat(pages(app, RECORDS, "prefix=demo", "records"))}
        assert {name: (each["status"], each["version"]) for name, each in listed.items()} == {
            reserved: ("reserved", 1), withdrawn: ("withdrawn", 2), changed: ("active", 2),
        }  # fmt: skip
        for each in listed.values():
            assert app.request("GET", f"{RECORDS}/demo:{each['id']}").json() == each

    def test_every_alias_of_a_repository_lists_the_same_records(self) -> None:
        app = InMemoryApplication()
        other = repository("zzzz-zzzz-90")
        app.store.create_repository(other)
        app.store.put_prefix(namespace("other", other), None)
        ours = {app.mint(MINT | {"prefix": prefix}).json()["id"] for prefix in ("demo", "2021/06/demo")}
        theirs = {app.mint(MINT | {"prefix": "other"}).json()["id"]}
        for prefix, expected in (("demo", ours), ("2021/06/demo", ours), ("DEMO", ours), ("other", theirs)):
            assert {each["id"] for each in flat(pages(app, RECORDS, f"prefix={prefix}", "records"))} == expected

    def test_an_empty_repository_is_an_empty_page(self) -> None:
        assert ask(InMemoryApplication(), RECORDS, "prefix=demo").json() == {"records": [], "next": None}

    @pytest.mark.parametrize("seed", range(5))
    def test_what_is_minted_and_withdrawn_between_pages_neither_skips_nor_repeats_what_stays(self, seed: int) -> None:
        app, rng = InMemoryApplication(), random.Random(seed)
        app.batch([MINT] * 60)
        stayed = set(keys(app))
        seen: list[str] = []
        at = ""
        while True:
            page = ask(app, RECORDS, f"prefix=demo&limit=7{at}").json()
            seen += [lui.validate(each["id"]) for each in page["records"]]
            if page["next"] is None:
                break
            at = f"&cursor={page['next']}"
            app.mint()
            app.change("PUT", f"{RECORDS}/demo:{rng.choice(seen)}", {"ttl": rng.randrange(100)})
        assert stayed <= set(seen)
        assert len(seen) == len(set(seen))
        assert seen == sorted(seen)

    def test_a_page_is_cut_where_it_would_become_too_large_to_be_sent(self) -> None:
        app = InMemoryApplication()
        for at in range(30):
            key = lui.encode(at)
            app.store.create_record(record(key, metadata={"what": "x" * 370_000}))
        answers = [len(page) for page in pages(app, RECORDS, "prefix=demo&limit=1000", "records")]
        assert answers == [10, 10, 10]

    @pytest.mark.parametrize(
        ("query", "status", "slug"),
        [
            ("prefix=nobodys", 404, "unknown-prefix"),
            ("prefix=2021", 404, "unknown-prefix"),
            ("prefix=2021/06", 404, "unknown-prefix"),
            ("prefix=%2Frepositories%2Fx", 404, "unknown-prefix"),
            ("prefix=" + "x" * 3_000, 404, "unknown-prefix"),
            ("prefix=go", 422, "invalid-input"),
            ("prefix=demo&limit=0", 422, "invalid-input"),
            ("prefix=demo&limit=1001", 422, "invalid-input"),
            ("prefix=demo&limit=x", 422, "invalid-input"),
            ("prefix=demo&cursor=x", 400, "bad-cursor"),
            ("prefix=demo&cursor=" + "A" * 5_000, 400, "bad-cursor"),
        ],
    )
    def test_an_invalid_list_request_is_refused(self, query: str, status: int, slug: str) -> None:
        assert ask(InMemoryApplication(), RECORDS, query).is_problem(status, slug)

    def test_a_cursor_of_another_list_is_refused(self) -> None:
        app = InMemoryApplication()
        app.batch([MINT] * 3)
        records = ask(app, RECORDS, "prefix=demo&limit=1").json()["next"]
        prefixes = ask(app, PREFIXES, "limit=1").json()["next"]
        assert ask(app, RECORDS, f"prefix=demo&cursor={prefixes}").is_problem(400, "bad-cursor")
        assert ask(app, PREFIXES, f"cursor={records}").is_problem(400, "bad-cursor")
        assert ask(app, RECORDS, f"prefix=2021/06/demo&cursor={records}").status == 200

    def test_a_cursor_stays_valid_with_other_parameters(self) -> None:
        app = InMemoryApplication()
        app.batch([MINT] * 4)
        at = ask(app, RECORDS, "prefix=demo&limit=2").json()["next"]
        for _ in range(2):
            listed = ask(app, RECORDS, f"prefix=demo&limit=9&cursor={at}").json()["records"]
            assert [lui.validate(each["id"]) for each in listed] == keys(app)[2:]

    @pytest.mark.parametrize(
        ("scope", "may"),
        [
            ("mint:demo", True), ("update:demo", True), ("admin", True), ("mint:2021/06/demo", False),
            ("mint:demo/x", False), ("mint:dem", False),
        ],
    )  # fmt: skip
    def test_for_clients_that_may_mint_or_change_there(self, scope: str, may: bool) -> None:
        app = InMemoryApplication()
        answer = ask(app, RECORDS, "prefix=demo", app.key_with(scope))
        assert answer.status == 200 if may else answer.is_problem(403, "forbidden")
        assert app.request("GET", RECORDS, query="prefix=demo", key=None).is_problem(401, "unauthenticated")

    def test_no_author_is_in_it(self) -> None:
        app = InMemoryApplication()
        app.mint()
        assert app.admin_key.split("_")[1] not in ask(app, RECORDS, "prefix=demo").body


class TestPrefixes:
    @pytest.fixture
    def app(self) -> InMemoryApplication:
        app = InMemoryApplication()
        for at in range(120):
            name = f"p{at:03}"
            app.store.put_prefix(provider_prefix(name, title="Every Tenth" if at % 10 == 0 else ""), None)
        return app

    @pytest.mark.parametrize("limit", [1, 10, 122, 123, 124, 1_000])
    def test_every_prefix_is_listed_once_namespaces_first(self, app: InMemoryApplication, limit: int) -> None:
        found = flat(pages(app, PREFIXES, f"limit={limit}", "prefixes"))
        expected = ["2021/06/demo", "demo", "go", *(f"p{at:03}" for at in range(120))]
        assert [each["prefix"] for each in found] == expected
        assert [each["kind"] for each in found] == ["namespace"] * 2 + ["provider"] * 121
        assert ask(app, f"{PREFIXES}/p007", "").json() == found[10]

    @pytest.mark.parametrize("limit", [1, 2, 3, 5, 12, 1_000])
    @pytest.mark.parametrize(
        ("q", "expected"),
        [
            ("every tenth", [f"p{at:03}" for at in range(0, 120, 10)]),
            ("TENTH", [f"p{at:03}" for at in range(0, 120, 10)]),
            ("p11", [f"p{at:03}" for at in range(110, 120)]),
            ("06/DEMO", ["2021/06/demo"]),
            ("demo", ["2021/06/demo", "demo"]),
            ("o", ["2021/06/demo", "demo", "go"]),
            ("nobodys", []),
            ("%", []),
            (".*", []),
        ],
    )
    def test_those_are_found_whose_name_or_title_has_it(
        self, app: InMemoryApplication, limit: int, q: str, expected: list[str]
    ) -> None:
        found = pages(app, PREFIXES, f"limit={limit}&q={quote(q)}", "prefixes")
        assert [each["prefix"] for each in flat(found)] == expected
        assert all(len(page) <= limit for page in found)

    def test_a_rare_search_reads_the_store_in_pages(self, app: InMemoryApplication) -> None:
        assert ask(app, PREFIXES, "q=nobodys&limit=1").json() == {"prefixes": [], "next": None}
        assert app.store.calls["list_prefixes"] == 1

    def test_synonyms_stems_and_repositories_are_no_prefixes_of_their_own(self) -> None:
        app = InMemoryApplication()
        app.store.put_prefix(provider_prefix("a/b", synonyms=("c", "d/e")), None)
        found = flat(pages(app, PREFIXES, "", "prefixes"))
        assert [each["prefix"] for each in found] == ["2021/06/demo", "demo", "a/b", "go"]
        assert found[2]["synonyms"] == ["c", "d/e"]

    def test_over_the_real_store_too(self, fresh: System) -> None:
        for at in range(25):
            body = {"kind": "provider", "title": "Odd" if at % 2 else "Even", "synonyms": [f"s{at}"]}
            assert fresh.admin("PUT", f"{PREFIXES}/q{at:02}", body).status == 201
        for limit in (1, 10, 1_000):
            found = [each["prefix"] for each in flat(pages(fresh, PREFIXES, f"limit={limit}", "prefixes"))]
            assert [name for name in found if name[0] == "q"] == [f"q{at:02}" for at in range(25)]
            assert found[:2] == ["2021/06/demo", "demo"]
            assert len(set(found)) == len(found)
            odd = flat(pages(fresh, PREFIXES, f"limit={limit}&q=odd", "prefixes"))
            assert [each["prefix"] for each in odd] == [f"q{at:02}" for at in range(1, 25, 2)]

    def test_for_whoever_has_a_key(self) -> None:
        app = InMemoryApplication()
        assert ask(app, PREFIXES, "", app.key_with("mint:nobodys")).status == 200
        assert app.request("GET", PREFIXES, key=None).is_problem(401)
        assert ask(app, PREFIXES, "cursor=eHg").is_problem(400, "bad-cursor")
        assert ask(app, PREFIXES, "limit=1001").is_problem(422)


class TestHistory:
    def test_it_is_complete_and_chained_after_a_hundred_random_operations(self) -> None:
        app, rng = InMemoryApplication(), random.Random(1)
        authors = {app.key_with("mint:demo", "update:demo"): None for _ in range(3)}
        written: dict[str, list[tuple[str, Any]]] = {}
        for at in range(100):
            app.clock.moment += timedelta(seconds=rng.randrange(100))
            key = rng.choice([*authors])
            author = key.split("_")[1]
            chosen = rng.choice([*written]) if written else None
            if chosen is None or rng.random() < 0.1:
                made = app.mint(MINT | {"metadata": {"n": at}}, key).json()
                written[made["id"]] = [(author, made)]
                continue
            method = rng.choices(["PUT", "PATCH", "DELETE"], [10, 10, 1])[0]
            body = {"reason": "why"} if method == "DELETE" else {"metadata": {"n": rng.randrange(3)}}
            tag = '"old"' if rng.random() < 0.1 else "*"
            answer = app.change(method, f"{RECORDS}/demo:{chosen}", body, tag, key)
            present = written[chosen][-1][1]
            if answer.status == 200 and answer.json()["version"] > present["version"]:
                written[chosen].append((author, answer.json()))
            else:
                assert answer.status in (200, 409, 412)
        public = app.get("/.well-known/jwks.json").json()
        for identifier, versions in written.items():
            returned = app.request("GET", f"{HISTORY}/demo:{identifier}").json()["versions"]
            assert [each["version"] for each in returned] == list(range(len(versions), 0, -1))
            assert [(each["author"], each["record"]) for each in reversed(returned)] == versions
            documents = [each["record"] for each in returned]
            pid = f"{BASE_URL}/2021/06/demo/{identifier}"
            assert coolid.verify(documents[0], public, documents[1:], pid=pid, issuer=BASE_URL).complete
            for accept in ("application/linkid+json", "text/html", "text/plain"):
                seen = app.get(f"/demo:{identifier}", headers=[("Accept", accept)])
                assert not any(key.split("_")[1] in seen.body + str(seen.headers) for key in authors)

    def test_over_the_real_store_too(self, light: System) -> None:
        minted = light.mint(MINT)
        path = f"{RECORDS}/demo:{minted.json()['id']}"
        documents = [minted.json()]
        for at in range(12):
            answer = light.request(
                "PUT", path, document={"metadata": {"n": at}}, headers=[("If-Match", "*")], key=light.admin_key
            )
            documents.append(answer.json())
        returned = light.admin("GET", f"{HISTORY}/demo:{minted.json()['id']}").json()["versions"]
        assert [each["record"] for each in returned] == documents[::-1]
        assert {each["author"] for each in returned} == {light.admin_key.split("_")[1]}
        assert "author" not in json.dumps(documents)

    @pytest.mark.parametrize("spelling", ["demo:{}", "2021/06/demo/{}", "DEMO/{}", f"{BASE_URL}/2021/06/demo/{{}}"])
    def test_every_spelling_that_resolves_will_do(self, spelling: str) -> None:
        app = InMemoryApplication()
        minted = app.mint().json()
        for written in (minted["id"], minted["id"].upper(), minted["id"].replace("-", "")):
            answer = app.request("GET", f"{HISTORY}/{spelling.format(written)}")
            assert [each["record"] for each in answer.json()["versions"]] == [minted]

    @pytest.mark.parametrize(
        ("path", "status"),
        [("demo:zzzz-zzzz-90", 404), ("nobodys:1", 404), ("demo", 404), ("go:1", 404), ("demo:x", 400), ("%zz", 400),
         ("demo:" + "a" * 3_000, 414)],
    )  # fmt: skip
    def test_a_missing_record_has_no_history(self, path: str, status: int) -> None:
        assert InMemoryApplication().request("GET", f"{HISTORY}/{path}").is_problem(status)

    @pytest.mark.parametrize(("query", "length"), [("", 2), ("limit=1", 1), ("limit=1000", 2)])
    def test_a_page_of_a_history_has_as_many_versions_as_fit(
        self, query: str, length: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        app = InMemoryApplication()
        path = f"demo:{app.mint().json()['id']}"
        for at in range(4):
            app.change("PATCH", f"{RECORDS}/{path}", {"metadata": {"what": f"{at}" * 1_000}})
        whole = app.request("GET", f"{HISTORY}/{path}").json()
        assert ([each["version"] for each in whole["versions"]], whole["next"]) == ([5, 4, 3, 2, 1], None)
        monkeypatch.setattr("coolid.http.pagination.MAX_PAGE_BYTES", 5_000)
        pages = [app.request("GET", f"{HISTORY}/{path}", query=query).json()]
        while pages[-1]["next"] is not None:
            following = f"{query}&cursor={pages[-1]['next']}"
            pages.append(app.request("GET", f"{HISTORY}/{path}", query=following).json())
        assert [version for page in pages for version in page["versions"]] == whole["versions"]
        assert len(pages[0]["versions"]) == length
        assert app.request("GET", f"{HISTORY}/{path}", query="cursor=x").is_problem(400, "bad-cursor")

    def test_a_page_of_a_long_history_reads_no_other_versions(self) -> None:
        app = InMemoryApplication()
        minted = app.mint().json()
        (first,) = app.store.records_by_key.values()
        put_history(app.store, [replace(first, version=number) for number in range(1, 10_001)])
        app.store.calls.clear()
        query, listed = "limit=100", 0
        for _ in range(3):
            page = app.request("GET", f"{HISTORY}/demo:{minted['id']}", query=query).json()
            assert [each["version"] for each in page["versions"]] == [*range(10_000 - listed, 9_900 - listed, -1)]
            query, listed = f"limit=100&cursor={page['next']}", listed + 100
        assert (app.store.calls["superseded_between"], app.store.calls["superseded"]) == (3, 3)
        assert "history" not in app.store.calls

    def test_the_history_of_a_once_reserved_record_needs_a_scope(self) -> None:
        app = InMemoryApplication()
        minted = app.mint(MINT | {"status": "reserved"}).json()
        path = f"{HISTORY}/demo:{minted['id']}"
        for change in ({"metadata": {"n": 1}}, {"status": "active"}):
            for scope, may in (("mint:demo", True), ("update:demo", True), ("admin", True), ("mint:go", False)):
                answer = app.request("GET", path, key=app.key_with(scope))
                assert answer.status == 200 if may else answer.is_problem(404, "unregistered-identifier")
            app.change("PATCH", f"{RECORDS}/demo:{minted['id']}", change)
        assert app.get(f"/demo:{minted['id']}").status == 302
        assert app.request("GET", path, key=app.key_with("mint:go")).is_problem(403)
        assert app.request("GET", path, key=None).is_problem(401)

    def test_a_reserved_version_after_public_ones_needs_a_scope(self) -> None:
        """As an edited export can have it."""
        app = InMemoryApplication()
        path = f"{HISTORY}/demo:{app.mint().json()['id']}"
        (first,) = app.store.records_by_key.values()
        put_history(app.store, [first, replace(first, version=2, status="reserved"), replace(first, version=3)])
        assert app.request("GET", path, key=app.key_with("mint:demo")).status == 200
        assert app.request("GET", path, key=app.key_with("mint:go")).is_problem(403)
        assert app.request("GET", path, query="limit=1", key=app.key_with("mint:go")).status == 200

    def test_of_a_withdrawn_record_it_remains_and_its_pid_is_gone_in_every_spelling_and_form(self) -> None:
        app = InMemoryApplication()
        minted = app.mint(MINT | {"metadata": {"what": "A thing"}}).json()
        lui_text = minted["id"]
        before = app.request("GET", f"{HISTORY}/demo:{lui_text}").json()["versions"]
        body = {"reason": "It was wrong", "successor": "https://new.example/"}
        tombstone = app.change("DELETE", f"{RECORDS}/demo:{lui_text}", body).json()
        spellings = [lui_text, lui_text.upper(), lui_text.replace("-", ""), lui_text.replace("0", "O")]
        paths = [f"/{alias}{each}" for alias in ("demo:", "demo/", "2021/06/demo/", "DEMO:demo:") for each in spellings]
        for path in (*paths, *(f"/resolve{path}" for path in paths), f"/{BASE_URL}{paths[0]}"):
            for query in (
                "",
                "format=linkid",
                "format=html",
                "format=ttl",
                "format=pdf",
                "lang=de",
                "info",
                "version=1",
            ):
                answer = app.get(path, query)
                assert answer.status == 410, (path, query, answer.status)
                assert "location" not in answer.headers
        assert app.get(paths[0], "format=linkid&version=1").json() == minted
        for choice in ({}, {"metadata": {"what": "Another"}}):
            for again in (None, "k"):
                assert app.mint(MINT | {"id": lui_text} | choice, again=again).is_problem(409, "identifier-taken")
        (line,) = app.batch([MINT | {"id": lui_text}]).json()
        assert line["status"] == 409
        returned = app.request("GET", f"{HISTORY}/demo:{lui_text}").json()["versions"]
        assert [each["record"] for each in returned] == [tombstone, minted]
        assert returned[1:] == before

    def test_a_failing_store_gives_no_partial_result(self) -> None:
        app = InMemoryApplication()
        minted = app.mint().json()
        app.change("PATCH", f"{RECORDS}/demo:{minted['id']}", {"metadata": {"n": 1}})
        for call, path in (
            ("superseded_between", f"{HISTORY}/demo:{minted['id']}"),
            ("list_records", f"{RECORDS}?"), ("list_prefixes", PREFIXES),
        ):  # fmt: skip
            app.use_store(FailingStore(app.store, "before", call))
            answer = ask(app, path.rstrip("?"), "prefix=demo")
            assert answer.is_problem(503, "store-unavailable")
