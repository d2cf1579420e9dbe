"""Searches among one's own records, and lists of one's own repositories."""

from typing import Any

import pytest

from tests.support.builders.samples import namespace, repository
from tests.support.fixtures.application import HERE, RECORDS, InMemoryApplication
from tests.support.fixtures.system import System

REPOSITORIES = "/api/v1/repositories"
OTHER = "zzzz-zzzz-90"


@pytest.fixture
def app() -> InMemoryApplication:
    """An application with a second repository, under `other` and `ark:99999/fk4`, and three records of each."""
    app = InMemoryApplication()
    owner = repository(OTHER, canonical="other")
    app.store.create_repository(owner)
    app.store.put_prefix(namespace("other", owner), None)
    app.store.put_prefix(namespace("ark:99999/fk4", owner), None)
    app.store.create_repository(repository("none-0000-00"))
    for prefix in ("demo", "other"):
        for title in ("Green tea", "Black tea", "Coffee"):
            assert mint(app, prefix, title)
    return app


def mint(app: InMemoryApplication, prefix: str, title: str, **members: Any) -> dict[str, Any]:
    document = {"prefix": prefix, "uri": HERE, "metadata": {"what": title}, **members}
    answer = app.mint(document)
    assert answer.status == 201, answer.body
    found: dict[str, Any] = answer.json()
    return found


def search(app: Any, query: str = "", key: str = "admin") -> Any:
    answer = app.request("GET", RECORDS, query=query, key=key)
    assert answer.status == 200, answer.body
    return answer.json()


def titles(app: Any, query: str = "", key: str = "admin") -> list[str]:
    return sorted(each["metadata"]["what"] for each in search(app, query, key)["records"])


class TestSearches:
    def test_words_find_records_of_all_repositories_that_the_key_sees(self, app: InMemoryApplication) -> None:
        assert titles(app, "q=TEA") == ["Black tea", "Black tea", "Green tea", "Green tea"]
        assert titles(app, "q=green+tea&prefix=demo") == ["Green tea"]
        assert titles(app, "q=nothing") == []
        assert len(search(app)["records"]) == 6

    def test_filters_narrow_a_search(self, app: InMemoryApplication) -> None:
        reserved = mint(app, "demo", "Matcha", status="reserved", uri="https://www.example.net/x")
        for query in (
            "status=reserved",
            "target_host=example.net",
            "target_host=WWW.Example.NET.",
            "q=www.example.net",
            "q=https%3A%2F%2Fwww.example.net%2Fx&health=unchecked",
            f"updated_after={reserved['updated'].replace('Z', '%2B00:00')}&q=matcha&sort=updated",
            f"updated_after={reserved['updated'][:10]}&q=matcha&sort=-updated",
        ):
            assert titles(app, query) == ["Matcha"], query
        assert titles(app, "health=down") == titles(app, "updated_after=2999-01-01") == []
        assert titles(app, "status=&health=&target_host=&updated_after=&prefix=&q=matcha&sort=") == ["Matcha"]

    def test_a_record_is_found_by_its_identifier_in_any_spelling(self, app: InMemoryApplication) -> None:
        made = mint(app, "other", "Matcha")
        mint(app, "other", "About it", uri=made["pid"])
        name = made["id"]
        whole = (made["pid"], made["pid"].replace("https", "http"), f"other:{name.upper()}", f"ark:/99999/fk4/{name}")
        for text in whole:
            assert [each["id"] for each in search(app, f"q={text}")["records"]] == [name], text
        bare = (name, name.upper(), name.replace("-", ""), f"{name[0]}-{name[1:].replace('-', '')}")
        for text in (*whole, *bare):
            assert name in [each["id"] for each in search(app, f"q={text}")["records"]], text
            assert search(app, f"q={text}&status=withdrawn")["records"] == []
            assert search(app, f"q={text}&prefix=demo")["records"] == []
        assert "Matcha" in titles(app, f"q={name[:-3]}")  # without its check digits

    def test_a_record_that_has_an_identifier_as_a_word_is_found_too(self, app: InMemoryApplication) -> None:
        name = mint(app, "other", "Matcha")["id"]
        mint(app, "demo", f"About {name}")
        assert titles(app, f"q={name}") == [f"About {name}", "Matcha"]

    @pytest.mark.parametrize("limit", [1, 4, 6, 100])
    def test_pages_follow_each_other(self, app: InMemoryApplication, limit: int) -> None:
        found: list[str] = []
        at = ""
        while True:
            page = search(app, f"target_host=content.example.org&limit={limit}{at}")
            assert len(page["records"]) <= limit
            assert {*page["health"]} == {each["pid"] for each in page["records"]}
            found += [each["pid"] for each in page["records"]]
            if page["next"] is None:
                break
            at = f"&cursor={page['next']}"
        assert len(found) == len({*found}) == 6
        if at:
            assert app.request("GET", RECORDS, query=f"q=tea{at}").is_problem(400, "bad-cursor")

    def test_health_is_beside_the_records_so_that_their_proofs_hold(self, app: InMemoryApplication) -> None:
        page = search(app, "q=coffee&prefix=demo")
        (record,) = page["records"]
        assert page["health"] == {record["pid"]: "unchecked"}
        assert app.request("GET", f"{RECORDS}/demo:{record['id']}").json() == record

    def test_an_administrator_sees_more_repositories_than_one_search_has_only_by_prefix(
        self, app: InMemoryApplication, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("coolid.http.management.record_lists.MAX_REPOSITORIES", 2)
        assert app.request("GET", RECORDS, query="q=tea").is_problem(422, "invalid-input")
        assert titles(app, "q=coffee&prefix=demo") == ["Coffee"]

    @pytest.mark.parametrize(
        ("query", "reason"),
        [
            ("status=gone", "status is one of active, reserved, withdrawn"),
            ("health=ill", "health is one of up, degraded, down, moved, unchecked"),
            ("sort=title", "sort is one of -updated, updated, pid"),
            ("sort=pid", "sort=pid is for the list of one prefix"),
            ("sort=pid&prefix=demo&q=tea", "sort=pid is for the list of one prefix"),
            ("q=--+%22", "q has no letters or digits"),
            ("q=" + "x" * 501, "q has more than 500 characters"),
            ("target_host=https%3A%2F%2Fexample.org", "target_host is a domain name"),
            ("target_host=a+b", "target_host is a domain name"),
            ("target_host=999.1.1.1", "target_host is a domain name"),
            ("updated_after=yesterday", "updated_after is a time"),
            ("updated_after=2025-02-30", "updated_after is a time"),
            ("updated_after=0001-01-01T00:00:00%2B14:00", "updated_after is a time"),
        ],
    )
    def test_an_invalid_parameter_is_refused_with_what_it_may_be(
        self, app: InMemoryApplication, query: str, reason: str
    ) -> None:
        answer = app.request("GET", RECORDS, query=query)
        assert answer.is_problem(422, "invalid-input")
        assert reason in answer.body

    @pytest.mark.parametrize(
        "q", ["'%22", "tea*", "tea OR coffee", "NEAR(tea)", "%00", "é" * 400, "%F0%9F%98%80 ,", "a/../b"]
    )
    def test_any_text_is_a_search(self, fresh: System, q: str) -> None:
        answer = fresh.request("GET", RECORDS, query=f"q={q.replace(' ', '+')}", key=fresh.admin_key)
        assert answer.status == 200 or answer.is_problem(422, "invalid-input")

    def test_over_the_real_store_too(self, fresh: System) -> None:
        for title in ("Oolong", "Oolong tea"):
            assert (
                fresh.mint({"prefix": "demo", "uri": HERE, "metadata": {"what": title}}, fresh.admin_key).status == 201
            )
        query = "q=oolong&sort=-updated"
        page = fresh.request("GET", RECORDS, query=query, key=fresh.admin_key).json()
        assert {each["metadata"]["what"] for each in page["records"]} == {"Oolong", "Oolong tea"}
        assert {*page["health"].values()} == {"unchecked"}


class TestForeignKeys:
    """A key for one prefix sees nothing of another's."""

    SCOPES = ("mint:other", "update:other", "mint:ark:99999", "update:ark:99999/fk4")

    @pytest.mark.parametrize("scope", SCOPES)
    def test_it_finds_records_of_its_own_repository_alone(self, app: InMemoryApplication, scope: str) -> None:
        key = app.key_with(scope)
        foreign = {each["pid"] for each in search(app, "prefix=demo")["records"]}
        assert titles(app, "q=tea", key) == ["Black tea", "Green tea"]
        for query in ("", "sort=updated", "status=active", "target_host=example.org", "health=unchecked"):
            found = search(app, query, key)
            assert {each["repository"] for each in found["records"]} == {OTHER}
            assert not foreign & {*found["health"]}
        for pid in foreign:
            for text in (pid, pid.rpartition("/")[2], pid.rpartition("/")[2].replace("-", "")):
                assert search(app, f"q={text}", key)["records"] == []

    def test_it_may_not_name_the_prefix_of_another(self, app: InMemoryApplication) -> None:
        for scope in self.SCOPES:
            for query in ("prefix=demo", "prefix=demo&q=tea", "prefix=2021/06/demo&sort=updated"):
                assert app.request("GET", RECORDS, query=query, key=app.key_with(scope)).is_problem(403, "forbidden")

    @pytest.mark.parametrize("scope", ["mint:oth", "mint:otherwise", "watch:other", "watch:demo", "mint:2021/0"])
    def test_scopes_that_cover_no_namespace_see_nothing(self, app: InMemoryApplication, scope: str) -> None:
        key = app.key_with(scope)
        assert search(app, "q=tea", key) == {"records": [], "next": None, "health": {}}
        assert app.request("GET", REPOSITORIES, key=key).json() == {"repositories": [], "next": None}

    def test_a_cursor_of_another_key_opens_nothing(self, app: InMemoryApplication) -> None:
        cursor = search(app, "limit=1")["next"]
        found = search(app, f"limit=100&cursor={cursor}", app.key_with("mint:other"))
        assert {each["repository"] for each in found["records"]} <= {OTHER}

    def test_without_a_key_nothing_is_listed(self, app: InMemoryApplication) -> None:
        for path in (RECORDS, REPOSITORIES):
            assert app.request("GET", path, key=None).is_problem(401)


class TestRepositories:
    def test_an_administrator_sees_all_page_by_page(self, app: InMemoryApplication) -> None:
        first = app.request("GET", REPOSITORIES, query="limit=2").json()
        rest = app.request("GET", REPOSITORIES, query=f"limit=2&cursor={first['next']}").json()
        found = {each["id"]: each["prefixes"] for each in first["repositories"] + rest["repositories"]}
        assert found == {
            "none-0000-00": [],
            repository().id: ["2021/06/demo", "demo"],
            OTHER: ["ark:99999/fk4", "other"],
        }
        assert (len(first["repositories"]), rest["next"]) == (2, None)

    def test_a_key_sees_its_own_with_their_terms(self, app: InMemoryApplication) -> None:
        for scopes, names in (
            (("mint:2021",), ["2021/06/demo"]),
            (("mint:demo", "update:2021/06"), ["2021/06/demo", "demo"]),
        ):
            (found,) = app.request("GET", REPOSITORIES, key=app.key_with(*scopes)).json()["repositories"]
            own = app.request("GET", f"{REPOSITORIES}/{repository().id}").json()
            assert found == {**own, "prefixes": names}
            assert app.request("GET", f"{REPOSITORIES}/{repository().id}", key=app.key_with(*scopes)).json() == own

    def test_a_key_reads_no_other_repository(self, app: InMemoryApplication) -> None:
        for scope in ("mint:other", "watch:demo", "update:demos"):
            key = app.key_with(scope)
            assert app.request("GET", f"{REPOSITORIES}/{repository().id}", key=key).is_problem(403, "forbidden")
            assert app.request("GET", f"{REPOSITORIES}/0000-0000-98", key=key).is_problem(404, "unknown-repository")

    def test_pages_are_valid_requests(self, app: InMemoryApplication) -> None:
        assert app.request("GET", REPOSITORIES, query="limit=0").is_problem(422, "invalid-input")
        assert app.request("GET", REPOSITORIES, query="cursor=x").is_problem(400, "bad-cursor")


@pytest.mark.parametrize("day", ["0001-01-01", "1969-12-31", "2999-01-01", "9999-12-31T23:59:59.999999Z"])
def test_the_database_searches_for_changes_after_any_day(light: System, day: str) -> None:
    for order in ("updated", "-updated"):
        answer = light.request("GET", RECORDS, query=f"q=zyzzyva&updated_after={day}&sort={order}", key=light.admin_key)
        assert (answer.status, answer.json()["records"]) == (200, [])
