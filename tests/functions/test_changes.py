"""The log of changes: the changes, their order, times and authors, and which of them a key may see."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from coolid.http.management.changes import MAX_CHANGES, MAX_TEXT
from coolid.model.records import format_time
from tests.support.builders.naughty_strings import ALL
from tests.support.builders.samples import BASE_URL, MOMENT
from tests.support.fixtures.application import HERE, InMemoryApplication
from tests.support.fixtures.system import Answer

OWNER = "r4k2-9m3x-62"
CHANGES = "/api/v1/changes"
RECORDS = "/api/v1/records"


def asked(app: InMemoryApplication, key: str | None = None, **parameters: Any) -> Answer:
    return app.request("GET", CHANGES, query=urlencode(parameters), key=key or app.admin_key)


def listed(app: InMemoryApplication, key: str | None = None, **parameters: Any) -> list[dict[str, Any]]:
    """All changes of records, page by page."""
    found: list[dict[str, Any]] = []
    while True:
        answer = asked(app, key, **parameters)
        assert answer.status == 200, answer.body
        found += answer.json()["changes"]
        following = answer.json()["next"]
        if following is None:
            return [each for each in found if each["subject"] == "record"]
        parameters["cursor"] = following


def names(changes: list[dict[str, Any]]) -> list[tuple[str, str, int]]:
    return [(each["kind"], each["name"].rpartition("/")[2], each["version"]) for each in changes]


def changed(
    app: InMemoryApplication, method: str, record: dict[str, Any], document: Any, key: str | None = None
) -> Any:
    app.clock.moment += timedelta(seconds=1)
    path = f"{RECORDS}/2021/06/demo/{record['id']}"
    headers = [("If-Match", "*")]
    answer = app.request(method, path, document=document, headers=headers, key=key or app.admin_key)
    assert answer.status == 200, answer.body
    return answer.json()


def minted(app: InMemoryApplication, **members: Any) -> dict[str, Any]:
    app.clock.moment += timedelta(seconds=1)
    found: dict[str, Any] = app.mint({"prefix": "demo", "uri": HERE, **members}).json()
    return found


def other_repository(app: InMemoryApplication) -> str:
    """Add a repository with the prefix `other`."""
    made: str = app.request("POST", "/api/v1/repositories", document={"title": "Other"}, key=app.admin_key).json()["id"]
    alias = {"kind": "namespace", "repository": made}
    assert app.request("PUT", "/api/v1/prefixes/other", document=alias, key=app.admin_key).status == 201
    return made


class TestContent:
    def test_each_kind_of_change_is_told_with_its_difference_and_author(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("update:2021/06/demo")
        record = minted(app, status="reserved", metadata={"what": "A draft"})
        there = "https://content.example.org/there"
        changed(app, "PATCH", record, {"status": "active"})
        changed(app, "PATCH", record, {"metadata": {"what": "A report", "who": "Me"}}, key)
        changed(app, "PATCH", record, {"records": [{"uri": there}]})
        changed(app, "DELETE", record, {"reason": "Published by mistake"}, key)
        withdrawn, moved, described, published, reserved = listed(app)
        assert names([reserved, published, described, moved, withdrawn]) == [
            ("reserved", record["id"], 1),
            ("published", record["id"], 2),
            ("changed", record["id"], 3),
            ("changed", record["id"], 4),
            ("withdrawn", record["id"], 5),
        ]
        assert reserved["differences"] == []
        assert published["differences"] == [{"member": "status", "name": None, "was": "reserved", "now": "active"}]
        assert described["differences"] == [
            {"member": "metadata", "name": "what", "was": "A draft", "now": "A report"},
            {"member": "metadata", "name": "who", "was": None, "now": "Me"},
        ]
        assert described["client"] == {"id": key[5:13], "note": "a test"}
        assert moved["differences"] == [
            {"member": "records", "name": HERE, "was": HERE, "now": None},
            {"member": "records", "name": there, "was": None, "now": there},
        ]
        assert moved["members"] == ["records"]
        assert withdrawn["members"] == ["status", "withdrawn", "records"]
        assert "Published by mistake" in withdrawn["differences"][1]["now"]
        assert withdrawn["name"] == f"{BASE_URL}/2021/06/demo/{record['id']}"
        assert (withdrawn["repository"], withdrawn["status"]) == (OWNER, "withdrawn")

    def test_long_values_and_many_differences_are_shortened(self) -> None:
        app = InMemoryApplication()
        record = minted(app)
        changed(app, "PATCH", record, {"metadata": {f"m{number:02}": "x" * 2_000 for number in range(30)}})
        (latest, _) = listed(app)
        assert (len(latest["differences"]), latest["more"]) == (10, 20)
        assert all(len(each["now"]) == MAX_TEXT for each in latest["differences"])

    def test_names_are_listed_without_an_author_and_before_their_records(self) -> None:
        app = InMemoryApplication()
        app.clock.moment += timedelta(seconds=10)
        made = other_repository(app)
        found = asked(app).json()["changes"]
        now = format_time(app.clock.now())
        assert {"at": now, "kind": "created", "subject": "repository", "name": made} in found
        assert {"at": now, "kind": "created", "subject": "prefix", "name": "other"} in found
        assert [each["at"] for each in found] == sorted((each["at"] for each in found), reverse=True)
        only = asked(app, prefix="other").json()["changes"]
        assert {each["name"] for each in only} == {"other", made}

    def test_keys_are_listed_when_they_were_created_and_revoked(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo")
        app.clock.moment += timedelta(seconds=5)
        assert app.request("DELETE", f"/api/v1/clients/{key[5:13]}", key=app.admin_key).status == 200
        keys = [(each["kind"], each["name"]) for each in asked(app).json()["changes"] if each["subject"] == "key"]
        assert keys[0] == ("revoked", key[5:13])
        assert set(keys[1:]) == {("created", key[5:13]), ("created", app.admin_key[5:13])}
        assert all(each["subject"] != "key" for each in asked(app, prefix="demo").json()["changes"])

    def test_no_secret_is_in_it(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("update:2021/06/demo")
        changed(app, "PATCH", minted(app), {"metadata": {"what": "x"}}, key)
        assert key[14:] not in asked(app).body
        assert "digest" not in asked(app).body


class TestSelection:
    def test_pages_have_each_change_once_over_several_repositories(self) -> None:
        app = InMemoryApplication()
        other_repository(app)
        records = [app.mint({"prefix": prefix, "uri": HERE}).json() for prefix in ("demo", "other") * 30]
        for record in records[::2]:
            changed(app, "PATCH", record, {"metadata": {"what": "x"}})
        expected = sorted(names(listed(app)))
        assert len(expected) == len(set(expected)) == 90
        for limit in (1, 7, 89, 90):
            assert names(listed(app, limit=limit)) == names(listed(app))

    def test_they_are_of_the_period_and_of_the_client(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("update:2021/06/demo")
        record = minted(app)
        for number in range(4):
            changed(app, "PATCH", record, {"metadata": {"what": str(number)}}, key if number % 2 else None)
        moments = [format_time(MOMENT + timedelta(seconds=each)) for each in (2, 3)]
        assert [each["version"] for each in listed(app, since=moments[0], until=moments[1])] == [3, 2]
        assert [each["version"] for each in listed(app, client=key[5:13], limit=1)] == [5, 3]
        assert listed(app, client="nobody22") == []

    def test_a_search_for_a_client_reads_a_limited_number_for_a_page(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("coolid.records.change_log.MAX_READ", 10)
        app = InMemoryApplication()
        key = app.key_with("mint:2021/06/demo")
        app.mint({"prefix": "2021/06/demo", "uri": HERE}, key=key)
        for _ in range(25):
            minted(app)
        first = asked(app, client=key[5:13]).json()
        assert first["changes"] == []
        assert first["next"] is not None
        assert len(listed(app, client=key[5:13])) == 1

    def test_a_page_has_at_most_a_hundred(self) -> None:
        app = InMemoryApplication()
        for _ in range(MAX_CHANGES + 1):
            minted(app)
        assert len(asked(app, limit=1_000).json()["changes"]) == MAX_CHANGES

    @pytest.mark.parametrize(
        "parameters",
        [
            {"since": "yesterday"},
            {"until": "2026-13-01T00:00:00Z"},
            {"since": "0001-01-01T00:00:00+23:00"},
            {"limit": "0"},
            {"prefix": "go"},
        ],
    )
    def test_other_parameters_are_refused(self, parameters: dict[str, str]) -> None:
        assert asked(InMemoryApplication(), **parameters).is_problem(422, "invalid-input")

    def test_a_cursor_of_another_list_is_refused_and_any_other_shows_nothing_more(self) -> None:
        app = InMemoryApplication()
        minted(app)
        assert asked(app, cursor="xyz").is_problem(400, "bad-cursor")


class TestPermissions:
    def test_a_key_sees_the_changes_below_its_prefixes_only(self) -> None:
        app = InMemoryApplication()
        made = other_repository(app)
        demo, other = minted(app), app.mint({"prefix": "other", "uri": HERE}).json()
        key = app.key_with("mint:other")
        seen = asked(app, key).json()["changes"]
        assert {each["name"] for each in seen} == {"other", made, other["pid"], key[5:13]}
        assert demo["id"] not in json.dumps(seen)
        assert asked(app, key, prefix="demo").is_problem(403, "forbidden")
        assert asked(app, key, prefix="2021/06/demo").is_problem(403, "forbidden")
        whole = asked(app, limit=1).json()["next"]
        assert demo["id"] not in asked(app, key, cursor=whole).body

    @pytest.mark.parametrize("scope", ["watch:2021/06/demo", "mint:nothing/here"])
    def test_a_key_that_may_write_nowhere_sees_nothing(self, scope: str) -> None:
        app = InMemoryApplication()
        minted(app)
        key = app.key_with(scope)
        seen = asked(app, key).json()
        assert [(each["subject"], each["name"]) for each in seen["changes"]] == [("key", key[5:13])]
        assert seen["next"] is None

    def test_only_administrators_see_the_notes_of_keys(self) -> None:
        app = InMemoryApplication()
        sent = {"scopes": ["update:2021/06/demo"], "note": "Anne's form"}
        key = app.request("POST", "/api/v1/clients", document=sent, key=app.admin_key).json()["key"]
        changed(app, "PATCH", minted(app), {"metadata": {"what": "x"}}, key)
        assert listed(app)[0]["client"]["note"] == "Anne's form"
        assert listed(app, key)[0]["client"] == {"id": key[5:13], "note": None}

    def test_without_a_key_there_is_nothing(self) -> None:
        app = InMemoryApplication()
        assert asked(app, "cool_wrong").is_problem(401, "unauthenticated")


class TestNaughtyStrings:
    def test_whatever_is_sent_is_refused_or_found_but_breaks_nothing(self) -> None:
        app = InMemoryApplication()
        minted(app)
        for text in ALL:
            assert asked(app, client=text).status == 200, text
            assert asked(app, prefix=text).status in {200, 400, 404, 422}, text
            assert asked(app, since=text).status in {200, 422}, text
            assert asked(app, cursor=text).status in {200, 400}, text
            checked = app.request("POST", "/api/v1/checks", document={"pid": text}, key=app.admin_key)
            assert checked.status in {400, 404, 414, 422}, text
        assert app.reported == []

    def test_metadata_is_shown_as_it_is(self) -> None:
        app = InMemoryApplication()
        short = [text for text in ALL if 0 < len(text) <= MAX_TEXT]
        record = minted(app)
        for at in range(0, len(short), 10):
            changed(
                app,
                "PATCH",
                record,
                {"metadata": {f"m{number}": text for number, text in enumerate(short[at : at + 10])}},
            )
        shown = {each["now"] for change in listed(app) for each in change.get("differences", ()) if each["now"]}
        assert shown >= set(short)
