"""API keys: returned once, limited to their scopes, and useless once they are revoked."""

import hashlib
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from time import time
from typing import Any
from unittest.mock import patch

import pytest

from coolid.errors import Unauthenticated
from coolid.model import clients as domain
from coolid.model.clients import Quota
from coolid.store.client_rows import day_of
from tests.support.builders.samples import BASE_URL, namespace, repository
from tests.support.fixtures.application import BATCH, MINT, RECORDS, InMemoryApplication
from tests.support.fixtures.ports import StuckEntropy
from tests.support.fixtures.system import Answer, System, finish_log
from tests.support.stores.store_wrappers import FailingStore

CLIENTS = "/api/v1/clients"


def issue(app: InMemoryApplication, *scopes: str, **members: Any) -> Answer:
    answer = app.request("POST", CLIENTS, {"scopes": list(scopes)} | members)
    assert answer.status == 201, answer.body
    return answer


class TestIssuing:
    def test_a_key_is_returned_once_and_works_at_once(self) -> None:
        app = InMemoryApplication()
        answer = issue(app, "mint:demo", note="The catalogue")
        returned = answer.json()
        assert returned.keys() == {"id", "key", "scopes", "note", "quota", "created", "revoked", "last_used"}
        assert returned["key"].startswith(f"cool_{returned['id']}_")
        assert (returned["scopes"], returned["note"], returned["quota"]) == (["mint:demo"], "The catalogue", None)
        assert (returned["created"], returned["revoked"]) == ("2025-07-10T14:22:30Z", None)
        assert answer.headers["location"] == f"{BASE_URL}{CLIENTS}/{returned['id']}"
        assert answer.headers["cache-control"] == "no-store"
        assert app.mint(key=returned["key"]).status == 201
        read = app.request("GET", f"{CLIENTS}/{returned['id']}")
        used = {"last_used": day_of(time()).isoformat()}
        assert read.json() == {name: value for name, value in returned.items() if name != "key"} | used

    def test_a_client_can_read_its_own_scopes_but_not_the_note_and_no_other_client(self) -> None:
        app = InMemoryApplication()
        returned = issue(app, "mint:demo", note="The catalogue").json()
        own = app.request("GET", f"{CLIENTS}/{returned['id']}", key=returned["key"])
        assert own.json() == {name: value for name, value in returned.items() if name != "key"} | {"note": None}
        other = issue(app, "mint:demo").json()["id"]
        assert app.request("GET", f"{CLIENTS}/{other}", key=returned["key"]).status == 403

    def test_its_secret_is_nowhere_afterwards(self, light: System, capfd: pytest.CaptureFixture[str]) -> None:
        returned = light.admin("POST", CLIENTS, {"scopes": ["mint:demo", "update:demo"]}).json()
        minted = light.mint(MINT, returned["key"]).json()
        history = light.admin("GET", f"/api/v1/history/demo:{minted['id']}")
        assert history.json()["versions"][0]["author"] == returned["id"]
        light.request("PUT", f"{RECORDS}/demo:{minted['id']}", document={"uri": "x"}, key=returned["key"])
        secret = returned["key"].split("_", 2)[2]
        shown = [light.admin("GET", f"{CLIENTS}/{returned['id']}").body, history.body, json.dumps(light.contents())]
        finish_log()
        printed = capfd.readouterr()
        for text in (*shown, printed.out, printed.err):
            assert secret not in text
            assert returned["key"] not in text

    @pytest.mark.parametrize(
        ("given", "returned"),
        [
            ({"minute": 60, "day": 1_000}, {"minute": 60, "day": 1_000}),
            ({"minute": 60}, {"minute": 60, "day": None}),
            ({"day": 1}, {"minute": None, "day": 1}),
            ({"minute": None, "day": 5}, {"minute": None, "day": 5}),
            ({"minute": None, "day": None}, None),
            ({}, None),
            (None, None),
        ],
    )
    def test_quotas_come_back_as_they_are_understood(self, light: System, given: Any, returned: Any) -> None:
        answer = light.admin("POST", CLIENTS, {"scopes": ["mint:demo"], "quota": given})
        read = light.admin("GET", f"{CLIENTS}/{answer.json()['id']}")
        assert answer.json()["quota"] == returned
        assert {**read.json(), "key": answer.json()["key"]} == answer.json()

    def test_scopes_come_back_folded_each_once_in_order(self, light: System) -> None:
        scopes = ["update:demo", "mint:2021/06/Demo", "mint:2021/06/demo", "admin", "admin"]
        answer = light.admin("POST", CLIENTS, {"scopes": scopes})
        read = light.admin("GET", f"{CLIENTS}/{answer.json()['id']}")
        assert answer.json()["scopes"] == read.json()["scopes"] == ["admin", "mint:2021/06/demo", "update:demo"]

    @pytest.mark.parametrize(
        ("members", "pointers"),
        [
            ({"scopes": []}, ["/scopes"]),
            ({"scopes": None}, ["/scopes"]),
            ({"scopes": "admin"}, ["/scopes"]),
            ({"scopes": [1]}, ["/scopes/0"]),
            ({"scopes": [""]}, ["/scopes/0"]),
            ({"scopes": ["mint:demo", "read:demo", "admin", "mint"]}, ["/scopes/1", "/scopes/3"]),
            ({"scopes": ["mint:", "update:", ":demo", "admin:", "admin:demo", "Admin"]},
             [f"/scopes/{at}" for at in range(6)]),
            ({"scopes": ["mint:*"]}, ["/scopes/0"]),
            ({"scopes": ["mint:demo/"]}, ["/scopes/0"]),
            ({"scopes": ["mint: demo"]}, ["/scopes/0"]),
            ({"scopes": ["mint:demo,update:demo"]}, ["/scopes/0"]),
            ({"scopes": ["x" * 201]}, ["/scopes/0"]),
            ({"scopes": ["admin"] * 101}, ["/scopes"]),
            ({"note": "two\nlines"}, ["/note"]),
            ({"note": "x" * 501}, ["/note"]),
            ({"quota": 5}, ["/quota"]),
            ({"quota": {"minute": 0}}, ["/quota/minute"]),
            ({"quota": {"minute": -1}}, ["/quota/minute"]),
            ({"quota": {"minute": 1.0}}, ["/quota/minute"]),
            ({"quota": {"minute": True}}, ["/quota/minute"]),
            ({"quota": {"minute": "60"}}, ["/quota/minute"]),
            ({"quota": {"minute": 1_000_001}}, ["/quota/minute"]),
            ({"quota": {"day": 100_000_001}}, ["/quota/day"]),
            ({"quota": {"hour": 5}}, ["/quota/hour"]),
            ({"id": "aaaaaaaa"}, ["/id"]),
            ({"key": "cool_x"}, ["/key"]),
        ],
    )  # fmt: skip
    def test_what_cannot_be_is_refused_with_its_place_and_nothing_is_written(
        self, members: Any, pointers: list[str]
    ) -> None:
        app = InMemoryApplication()
        before = dict(app.store.clients)
        answer = app.request("POST", CLIENTS, {"scopes": ["admin"]} | members)
        assert answer.is_problem(422, "invalid-input")
        assert [error["pointer"] for error in answer.json()["errors"]] == pointers
        assert app.store.clients == before

    def test_an_older_client_is_never_replaced_by_one_of_the_same_id(self) -> None:
        app = InMemoryApplication()
        with patch("tests.support.fixtures.application.SeededEntropy", lambda _: StuckEntropy(3)):
            app.use_store(app.store)
        first = issue(app, "mint:demo").json()
        assert app.request("POST", CLIENTS, {"scopes": ["admin"]}).is_problem(409, "contended")
        assert app.request("GET", f"{CLIENTS}/{first['id']}").json()["scopes"] == ["mint:demo"]

    def test_a_store_that_fails_leaves_no_client(self) -> None:
        app = InMemoryApplication()
        before = dict(app.store.clients)
        app.use_store(FailingStore(app.store, "before", "put_client"))
        assert app.request("POST", CLIENTS, {"scopes": ["admin"]}).is_problem(503)
        assert app.store.clients == before


class TestRevoking:
    def test_it_takes_effect_at_once_everywhere(self) -> None:
        app = InMemoryApplication()
        returned = issue(app, "mint:demo", "update:demo").json()
        minted = app.mint(key=returned["key"]).json()
        app.clock.moment += timedelta(hours=1)
        answer = app.request("DELETE", f"{CLIENTS}/{returned['id']}")
        assert answer.status == 200
        assert answer.json()["revoked"] == "2025-07-10T15:22:30Z"
        assert "key" not in answer.json()
        path = f"{RECORDS}/demo:{minted['id']}"
        for method, at, body in (
            ("POST", RECORDS, MINT), ("POST", BATCH, [MINT]), ("GET", path, None), ("PUT", path, {}),
            ("PATCH", path, {}), ("DELETE", path, {"reason": "x"}), ("GET", "/api/v1/prefixes", None),
        ):  # fmt: skip
            assert app.change(method, at, body, key=returned["key"]).is_problem(401, "unauthenticated")
        assert app.records() == 1

    def test_over_the_real_store_too(self, light: System) -> None:
        returned = light.admin("POST", CLIENTS, {"scopes": ["mint:demo"], "note": "n", "quota": {"day": 3}}).json()
        assert light.mint(MINT, returned["key"]).status == 201
        revoked = light.admin("DELETE", f"{CLIENTS}/{returned['id']}").json()
        assert light.mint(MINT, returned["key"]).is_problem(401)
        assert revoked["revoked"] is not None
        assert {**revoked, "revoked": None, "last_used": None, "key": returned["key"]} == returned
        assert light.admin("GET", f"{CLIENTS}/{returned['id']}").json() == revoked

    def test_the_time_of_the_first_revocation_stays_and_nothing_takes_it_back(self) -> None:
        app = InMemoryApplication()
        returned = issue(app, "mint:demo").json()
        first = app.request("DELETE", f"{CLIENTS}/{returned['id']}").json()
        app.clock.moment += timedelta(days=1)
        assert app.request("DELETE", f"{CLIENTS}/{returned['id']}").json() == first
        for method in ("PUT", "PATCH", "POST"):
            body = {"scopes": ["admin"], "revoked": None}
            assert app.request(method, f"{CLIENTS}/{returned['id']}", body).is_problem(405)
        assert app.request("GET", f"{CLIENTS}/{returned['id']}").json() == first
        assert app.mint(key=returned["key"]).is_problem(401)

    def test_its_records_stay_and_name_it(self) -> None:
        app = InMemoryApplication()
        returned = issue(app, "mint:demo").json()
        minted = app.mint(key=returned["key"]).json()
        app.request("DELETE", f"{CLIENTS}/{returned['id']}")
        assert app.get(f"/demo:{minted['id']}").status == 302
        (version,) = app.request("GET", f"/api/v1/history/demo:{minted['id']}").json()["versions"]
        assert version["author"] == returned["id"]

    @pytest.mark.parametrize("path", ["zzzzzzzz", "x", "%20", "a/b", "ZZZZZZZZ", "z" * 1_000, "%C3%A9"])
    def test_one_that_there_is_not_is_not_found(self, path: str) -> None:
        for method in ("GET", "DELETE"):
            assert InMemoryApplication().request(method, f"{CLIENTS}/{path}").is_problem(404, "unknown-client")

    def test_administrators_may_revoke_themselves(self) -> None:
        app = InMemoryApplication()
        client_id = app.admin_key.split("_")[1]
        assert app.request("DELETE", f"{CLIENTS}/{client_id}").status == 200
        assert app.request("GET", f"{CLIENTS}/{client_id}").is_problem(401)


class TestUses:
    def test_the_first_request_of_a_day_stores_it_and_later_ones_write_nothing(self, light: System) -> None:
        returned = light.admin("POST", CLIENTS, {"scopes": ["mint:demo"]}).json()
        path, today = f"{CLIENTS}/{returned['id']}", day_of(time()).isoformat()
        assert light.admin("GET", path).json()["last_used"] is None
        for _ in range(2):
            assert light.mint(MINT, returned["key"]).status == 201
            assert light.admin("GET", path).json()["last_used"] == today

    def test_a_wrong_secret_is_no_use(self, light: System) -> None:
        returned = light.admin("POST", CLIENTS, {"scopes": ["mint:demo"]}).json()
        assert light.mint(MINT, returned["key"][:-1] + "!").is_problem(401)
        assert light.mint(MINT, returned["key"][:-4] + "AAAA").is_problem(401)
        assert light.admin("GET", f"{CLIENTS}/{returned['id']}").json()["last_used"] is None

    def test_a_use_that_cannot_be_stored_hinders_nothing(self) -> None:
        app = InMemoryApplication()
        app.use_store(FailingStore(app.store, "before", "record_use"))
        assert app.mint().status == 201
        assert app.store.uses == {}


class TestLists:
    def test_an_administrator_sees_all_without_secrets_page_by_page(self, light: System) -> None:
        made = [light.admin("POST", CLIENTS, {"scopes": ["mint:demo"], "note": f"{at}"}).json() for at in range(3)]
        light.admin("DELETE", f"{CLIENTS}/{made[0]['id']}")
        found, at = [], ""
        while True:
            page = light.request("GET", CLIENTS, query=f"limit=2{at}", key=light.admin_key)
            assert not any(each["key"].split("_", 2)[2] in page.body or "digest" in page.body for each in made)
            found += page.json()["clients"]
            if page.json()["next"] is None:
                break
            at = f"&cursor={page.json()['next']}"
        listed = {each["id"]: each for each in found}
        assert len(listed) == len(found)
        for each in made:
            assert listed[each["id"]] == light.admin("GET", f"{CLIENTS}/{each['id']}").json()

    def test_a_page_has_as_many_as_fit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        app = InMemoryApplication()
        scopes = [f"mint:{'p' * 100}{at}" for at in range(20)]
        made = {issue(app, *scopes).json()["id"] for _ in range(5)}
        monkeypatch.setattr("coolid.http.pagination.MAX_PAGE_BYTES", 6_000)
        pages = [app.request("GET", CLIENTS).json()]
        while pages[-1]["next"] is not None:
            pages.append(app.request("GET", CLIENTS, query=f"cursor={pages[-1]['next']}").json())
        listed = [each["id"] for page in pages for each in page["clients"]]
        assert made < {*listed}
        assert len(listed) == len({*listed})
        assert max(len(page["clients"]) for page in pages) in (2, 3)

    @pytest.mark.parametrize("scope", ["mint:demo", "update:2021", "watch:demo"])
    def test_another_key_sees_itself_alone_and_no_note(self, scope: str) -> None:
        app = InMemoryApplication()
        issue(app, scope)
        own = issue(app, scope, note="The catalogue").json()
        page = app.request("GET", CLIENTS, key=own["key"]).json()
        assert page == {"clients": [{name: own[name] for name in own if name != "key"} | {"note": None}], "next": None}

    def test_without_a_key_or_with_a_revoked_one_nothing_is_listed(self) -> None:
        app = InMemoryApplication()
        own = issue(app, "admin").json()
        app.request("DELETE", f"{CLIENTS}/{own['id']}")
        for key in (None, own["key"]):
            assert app.request("GET", CLIENTS, key=key).is_problem(401)
        assert app.request("GET", CLIENTS, query="cursor=x").is_problem(400, "bad-cursor")


class TestWhoMay:
    @pytest.mark.parametrize("scope", ["mint:demo", "update:demo"])
    @pytest.mark.parametrize(
        ("method", "path"), [("POST", ""), ("GET", "/{}"), ("DELETE", "/{}"), ("GET", "/zzzzzzzz")]
    )
    def test_only_administrators(self, scope: str, method: str, path: str) -> None:
        app = InMemoryApplication()
        returned = issue(app, "mint:demo").json()
        before = dict(app.store.clients)
        key = app.key_with(scope)
        before = dict(app.store.clients)
        at = CLIENTS + path.format(returned["id"])
        assert app.request(method, at, {"scopes": ["admin"]}, key=key).is_problem(403, "forbidden")
        assert app.request(method, at, {"scopes": ["admin"]}, key=None).is_problem(401, "unauthenticated")
        assert app.store.clients == before

    @pytest.mark.parametrize(
        ("scope", "opens"),
        [
            ("mint:10.123", {"10.123", "10.123/x"}),
            ("mint:10.1234", {"10.1234"}),
            ("mint:2021", {"2021/06/demo"}),
            ("mint:2021/06", {"2021/06/demo"}),
            ("mint:2021/0", set()),
            ("mint:demo", {"demo"}),
            ("mint:10", set()),
            ("update:10.123", set()),
            ("admin", {"10.123", "10.123/x", "10.1234", "2021/06/demo", "demo"}),
        ],
    )
    def test_a_scope_ends_at_a_boundary(self, scope: str, opens: set[str]) -> None:
        app = InMemoryApplication()
        for at, name in enumerate(["10.123", "10.123/x", "10.1234"]):
            owner = repository(f"zzzz-zzzz-9{at}")
            app.store.create_repository(owner)
            app.store.put_prefix(namespace(name, owner), None)
        key = issue(app, scope).json()["key"]
        prefixes = ["10.123", "10.123/x", "10.1234", "2021/06/demo", "demo"]
        answers = {prefix: app.mint(MINT | {"prefix": prefix}, key) for prefix in prefixes}
        assert {prefix for prefix, answer in answers.items() if answer.status == 201} == opens
        assert all(answer.status == 201 or answer.is_problem(403) for answer in answers.values())

    def test_an_unknown_id_takes_the_same_work_as_a_wrong_secret(self) -> None:
        """Counted, not timed: one digest and one comparison of constant time, of equal lengths."""
        client, key = domain.issue_client(("admin",), InMemoryApplication().clock, StuckEntropy())
        _, secret = domain.split_key(key)
        work = []
        for known in (client, None):
            with (
                patch("coolid.model.clients.hashlib.sha256", wraps=hashlib.sha256) as digests,
                patch("coolid.model.clients.hmac.compare_digest", wraps=hmac.compare_digest) as comparisons,
            ):
                with pytest.raises(Unauthenticated):
                    domain.authenticate(known, secret[:-1] + "-")
                work.append(
                    (digests.call_count, [[len(each) for each in call.args] for call in comparisons.mock_calls])
                )
        assert work[0] == work[1] == (1, [[64, 64]])

    def test_quotas_do_not_reach_beyond_their_client(self) -> None:
        app = InMemoryApplication()
        keys = [issue(app, "mint:demo", quota={"minute": 1}).json()["key"] for _ in range(3)]
        with ThreadPoolExecutor(3) as threads:
            assert {answer.status for answer in threads.map(lambda key: app.mint(key=key), keys)} == {201}
        assert {app.mint(key=key).status for key in keys} == {429}
        assert app.mint(key=app.key_with("mint:demo", quota=Quota(day=1))).status == 201
