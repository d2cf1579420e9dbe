"""Quotas for clients: the remaining mints, the time of reset, and never one too many."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from coolid.http.management.mint_batch import AT_ONCE
from coolid.model.clients import Quota
from tests.support.fixtures.application import BATCH, MINT, InMemoryApplication
from tests.support.fixtures.system import Answer, System
from tests.support.stores.store_wrappers import FailingStore

ITEM = re.compile(r'"(minute|day)"((?:;[a-z]=[0-9]+)+)')


def returned(answer: Answer, header: str) -> dict[str, dict[str, int]]:
    """A list of strings with parameters (RFC 9651), as the RateLimit fields are."""
    items = [ITEM.fullmatch(item) for item in answer.headers[header].split(", ")]
    return {
        item[1]: {name: int(value) for name, _, value in (each.partition("=") for each in item[2][1:].split(";"))}
        for item in items
        if item
    }


class TestWhatIsTold:
    def test_every_mint_returns_the_remaining_quota_and_its_reset(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo", quota=Quota(minute=3, day=100))
        for left in (2, 1, 0):
            answer = app.mint(key=key)
            assert returned(answer, "ratelimit-policy") == {"minute": {"q": 3, "w": 60}, "day": {"q": 100, "w": 86_400}}
            assert returned(answer, "ratelimit") == {
                "minute": {"r": left, "t": 60},
                "day": {"r": 97 + left, "t": 86_400},
            }

    def test_a_refusal_names_the_window_and_the_time_to_wait(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo", quota=Quota(minute=3))
        for _ in range(3):
            app.mint(key=key)
            app.clock.moment += timedelta(seconds=10)
        refused = app.mint(key=key)
        assert refused.is_problem(429, "quota-exceeded")
        assert refused.headers["cache-control"] == "no-store"
        assert refused.headers["retry-after"] == "30"
        assert returned(refused, "ratelimit-policy") == {"minute": {"q": 3, "w": 60}}
        assert returned(refused, "ratelimit") == {"minute": {"r": 0, "t": 30}}
        assert "location" not in refused.headers
        app.clock.moment += timedelta(seconds=30)
        assert app.mint(key=key).status == 201
        assert app.mint(key=key).headers["retry-after"] == "10"
        assert app.records() == 4

    def test_without_a_quota_there_are_no_headers(self) -> None:
        answer = InMemoryApplication().mint()
        assert not {"ratelimit", "ratelimit-policy", "retry-after"} & answer.headers.keys()

    def test_only_mints_count(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo", "update:demo", quota=Quota(minute=1))
        minted = app.mint(key=key).json()
        path = f"/api/v1/records/demo:{minted['id']}"
        for at in range(5):
            assert app.change("PUT", path, {"metadata": {"n": at}}, key=key).status == 200
            assert app.request("GET", path, key=key).status == 200
        assert app.mint(key=key).status == 429

    @pytest.mark.parametrize(
        "document",
        [{}, MINT | {"prefix": "nobodys"}, MINT | {"prefix": "2021/06/demo"}, MINT | {"uri": "x"}, []],
    )
    def test_what_is_refused_before_anything_is_written_costs_nothing(self, document: Any) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo", quota=Quota(minute=1))
        for _ in range(3):
            assert 400 <= app.mint(document, key).status < 429
        assert app.mint(key=key).status == 201


class TestWhenItIsSpent:
    def test_the_day_refuses_and_the_minute_is_not_charged_for_it(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo", quota=Quota(minute=5, day=2))
        for _ in range(2):
            assert app.mint(key=key).status == 201
        for _ in range(20):
            refused = app.mint(key=key)
            assert returned(refused, "ratelimit-policy") == {"day": {"q": 2, "w": 86_400}}
            assert refused.headers["retry-after"] == "86400"
        assert [usage.spent for usage in app.store.usages.values()] == [2]

    @pytest.mark.parametrize("quota", [Quota(minute=10), Quota(day=10), Quota(minute=10, day=10)])
    def test_of_fifty_at_once_exactly_as_many_as_it_allows_are_minted(self, quota: Quota) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo", quota=quota)
        with ThreadPoolExecutor(50) as threads:
            answers = list(threads.map(lambda _: app.mint(key=key), range(50)))
        assert sorted(answer.status for answer in answers) == [201] * 10 + [429] * 40
        assert app.records() == 10

    def test_over_the_real_store_too_one_by_one_and_in_a_batch(self, light: System) -> None:
        """None of a day's mints comes back while this runs."""
        returned = light.admin(
            "POST", "/api/v1/clients", {"scopes": ["mint:demo"], "quota": {"minute": 500, "day": 10}}
        )
        key = returned.json()["key"]
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda _: light.mint(MINT, key), range(16)))
        assert sorted(answer.status for answer in answers) == [201] * 10 + [429] * 6
        results = light.request("POST", BATCH, document=[MINT] * 3, key=key).json()
        assert [result["status"] for result in results] == [429] * 3
        assert AT_ONCE > 1

    def test_a_store_that_cannot_count_lets_nobody_mint(self) -> None:
        app = InMemoryApplication()
        key = app.key_with("mint:demo", quota=Quota(minute=10))
        app.use_store(FailingStore(app.store, "before", "spend"))
        assert app.mint(key=key).is_problem(503, "store-unavailable")
        assert app.mint().status == 201
        assert app.records() == 1
