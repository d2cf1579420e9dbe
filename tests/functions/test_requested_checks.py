"""Checks on request: their queue, limits, permissions, and the state that they show."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest

from coolid.health.messages import STALE_SECONDS, CheckBatch, parse_message
from coolid.identifiers.schemes import lui
from coolid.model.check_state import CheckState, CheckSubject, repository_owner, target_name
from coolid.model.conditions import DOWN, UP
from coolid.model.records import format_time
from coolid.records.quotas import CHECK_WINDOWS
from tests.support.builders.samples import BASE_URL, MOMENT
from tests.support.fixtures.application import HERE, InMemoryApplication
from tests.support.fixtures.system import Answer

OWNER = "r4k2-9m3x-62"
CHECKS = "/api/v1/checks"
PATIENCE = {"state", "since", "reason", "status", "lastGood", "lastChecked", "moved", "pausedUntil"}


def request_check(app: InMemoryApplication, pid: str, key: str | None = None) -> Answer:
    return app.request("POST", CHECKS, document={"pid": pid}, key=key or app.admin_key)


def shown(app: InMemoryApplication, pid: str, key: str | None = None) -> Answer:
    return app.request("GET", f"{CHECKS}/{quote(pid, safe='')}", key=key or app.admin_key)


def queued(app: InMemoryApplication) -> list[Any]:
    return [parse_message(text) for text in app.store.take_check_requests(1_000)]


def minted(app: InMemoryApplication, **members: Any) -> str:
    pid: str = app.mint({"prefix": "demo", "uri": HERE, **members}).json()["pid"]
    return pid


class TestRequests:
    def test_the_addresses_of_the_record_are_queued_and_none_is_requested_here(self) -> None:
        app = InMemoryApplication()
        pid = minted(app)
        answer = request_check(app, pid)
        begin = MOMENT.replace(second=0)
        assert answer.status == 202
        assert answer.headers["location"] == f"{BASE_URL}{CHECKS}/{quote(pid, safe='')}"
        assert answer.json() == {
            "pid": pid,
            "checks": [{"uri": HERE, **dict.fromkeys(PATIENCE)}],
            "requested": format_time(begin),
        }
        (batch,) = queued(app)
        assert isinstance(batch, CheckBatch)
        assert batch.at == begin.timestamp()
        assert [task.url for task in batch.errands] == [HERE]

    def test_a_repeated_request_within_a_minute_waits_once_and_expires(self) -> None:
        app = InMemoryApplication()
        pid = minted(app)
        for _ in range(3):
            request_check(app, pid)
        assert len(queued(app)) == 1
        app.clock.moment += timedelta(seconds=61)
        request_check(app, pid)
        (batch,) = queued(app)
        assert batch.at + STALE_SECONDS > app.clock.now().timestamp()

    @pytest.mark.parametrize("spelling", ["pid", "id", "url"])
    def test_any_spelling_of_the_pid_will_do(self, spelling: str) -> None:
        app = InMemoryApplication()
        pid = minted(app)
        name = pid.removeprefix(f"{BASE_URL}/")
        text = {"pid": pid, "id": name.upper(), "url": pid.replace("https", "http")}[spelling]
        assert request_check(app, text).status == 202

    def test_a_client_can_request_only_so_many(self) -> None:
        app = InMemoryApplication()
        key, other = app.key_with("update:2021/06/demo"), app.key_with("update:2021/06")
        pid = minted(app)
        minute = CHECK_WINDOWS[0]
        for _ in range(minute.limit):
            assert request_check(app, pid, key).status == 202
        refused = request_check(app, pid, key)
        assert refused.is_problem(429, "too-many-checks")
        assert refused.headers["retry-after"] == "60"
        assert str(minute.limit) in refused.json()["detail"]
        assert request_check(app, pid, other).status == 202
        assert app.mint({"prefix": "demo", "uri": HERE}, key=app.key_with("mint:demo")).status == 201

    def test_a_service_without_checks_says_so_and_counts_nothing(self) -> None:
        app = InMemoryApplication(checks=False)
        pid = minted(app)
        assert request_check(app, pid).is_problem(409, "checks-off")
        assert app.store.usages == {}
        assert shown(app, pid).status == 200

    @pytest.mark.parametrize("members", [{"status": "reserved"}, {"uri": None, "records": []}])
    def test_a_record_without_an_address_is_refused(self, members: dict[str, Any]) -> None:
        app = InMemoryApplication()
        pid = app.mint({"prefix": "demo", "uri": HERE, **members}).json()["pid"]
        refused = request_check(app, pid)
        assert refused.is_problem(422, "invalid-input")
        assert refused.json()["errors"][0]["pointer"] == "/pid"
        assert queued(app) == []

    @pytest.mark.parametrize("document", [{}, {"pid": ""}, {"pid": 1}, {"pid": "demo/x", "more": 1}, [], "demo"])
    def test_other_documents_are_refused(self, document: Any) -> None:
        app = InMemoryApplication()
        assert app.request("POST", CHECKS, document=document, key=app.admin_key).status == 422


class TestPermissions:
    @pytest.mark.parametrize(
        "scope", ["mint:2021/06/demo", "watch:2021/06/demo", "update:demos", "update:2021/06/demox"]
    )
    def test_only_a_key_that_may_update_can_request(self, scope: str) -> None:
        app = InMemoryApplication()
        pid = minted(app)
        key = app.key_with(scope)
        assert request_check(app, pid, key).is_problem(403, "forbidden")
        assert request_check(app, f"{BASE_URL}/2021/06/demo/0000-0000-98", key).is_problem(403, "forbidden")
        assert queued(app) == []

    def test_others_see_nothing_and_watchers_see_the_state(self) -> None:
        app = InMemoryApplication()
        pid = minted(app)
        assert shown(app, pid, app.key_with("watch:2021/06/demo")).status == 200
        assert shown(app, pid, app.key_with("update:other")).is_problem(403, "forbidden")
        for wrong in ("", app.admin_key[:-1] + "!"):
            assert request_check(app, pid, wrong or "none").is_problem(401, "unauthenticated")
            assert shown(app, pid, wrong or "none").is_problem(401, "unauthenticated")


class TestStates:
    def test_the_state_of_each_address_is_shown_also_if_it_is_up(self) -> None:
        app = InMemoryApplication()
        gone = "https://content.example.org/gone"
        record = app.mint({"prefix": "demo", "records": [{"uri": HERE}, {"uri": gone}]}).json()
        for uri, state, members in (
            (HERE, UP, {"status": 200}),
            (gone, DOWN, {"status": 404, "reason": "it answered 404", "until": MOMENT}),
        ):
            subject = CheckSubject(repository_owner(OWNER), target_name(lui.validate(record["id"]), uri))
            app.store.put_check_state(
                subject, CheckState(url=uri, state=state, since=MOMENT, checked=MOMENT, **members)
            )
        up, down = shown(app, record["pid"]).json()["checks"]
        assert (up["uri"], up["state"], up["lastChecked"]) == (HERE, "up", format_time(MOMENT))
        assert (down["uri"], down["state"], down["status"], down["reason"]) == (gone, "down", 404, "it answered 404")
        assert down["pausedUntil"] == format_time(MOMENT)

    def test_no_response_is_stored_by_a_cache(self) -> None:
        app = InMemoryApplication()
        assert shown(app, minted(app)).headers["cache-control"] == "no-store"
        assert "cool_" not in json.dumps(shown(app, minted(app)).json())
