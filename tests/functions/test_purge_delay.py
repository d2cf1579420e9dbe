"""From a change to a purged cache: outdated responses disappear, whatever their address and time."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.aws.edge_purge.invalidations import EVERYTHING, Distribution
from coolid.aws.edge_purge.purger import DelayQueue, Purger
from coolid.aws.edge_purge.table_streams import change_of
from coolid.http.caching import KEYS_TAG, is_tag
from coolid.model.prefixes import Namespace, ProviderPrefix
from tests.support.builders.samples import BASE_URL
from tests.support.effort import examples
from tests.support.fixtures.application import InMemoryApplication
from tests.support.fixtures.system import Answer
from tests.support.stores.table_streams import FakeCloudFront, FakeSqs, Notes, row_of, stream_record

HERE, THERE = "https://content.example.org/here", "https://content.example.org/there"
CONFUSED = {"0": "0oO", "1": "1iIlL"}
QUERIES = ["", "format=linkid", "format=jws", "info", "lang=de", "version=1&format=linkid", "utm_source=x"]
ACCEPTED = [None, "*/*", "text/html", "application/ld+json", "text/turtle;q=0.5"]


def tags_of(answer: Answer) -> set[str]:
    return set(answer.headers.get("cache-tag", "").split(","))


@dataclass
class Cache:
    """A cache in front of a app, which heeds `s-maxage` and knows tags, as CloudFront does."""

    app: InMemoryApplication
    stored: dict[tuple[str, str], tuple[datetime, Answer]] = field(default_factory=dict)

    def get(self, path: str, query: str = "") -> Answer:
        until, answer = self.stored.get((path, query), (None, None))
        if answer is None or until is None or until <= self.app.clock.moment:
            answer = self.app.get(path, query)
            lives = re.search(r"s-maxage=(\d+)|max-age=(\d+)", answer.headers["cache-control"])
            seconds = int(next(filter(None, lives.groups()))) if lives else 0
            self.stored[path, query] = self.app.clock.moment + timedelta(seconds=seconds), answer
        return answer

    def forget(self, items: list[str]) -> None:
        wrong = {item.removeprefix("#") for item in items}
        self.stored = {
            place: (until, answer)
            for place, (until, answer) in self.stored.items()
            if EVERYTHING not in wrong and not wrong & tags_of(answer)
        }


class World:
    """Two processes over one store; one of them has a cache in front of it, the other one changes things."""

    def __init__(self) -> None:
        self.app = InMemoryApplication()
        self.other = InMemoryApplication(store=self.app.store, clock=self.app.clock)
        self.cache = Cache(self.app)
        minted = self.app.mint({"prefix": "demo", "uri": HERE})
        assert minted.status == 201
        self.path = f"/demo:{minted.json()['id']}"

    def rows(self) -> dict[Any, dict[str, Any]]:
        store = self.app.store
        named = {name: row_of(row) for name, row in store.rows.items() if isinstance(row, Namespace | ProviderPrefix)}
        return {**{key: row_of(record) for key, record in store.records_by_key.items()}, **named}

    def items_after(self, method: str, path: str, document: Any) -> tuple[int, list[str]]:
        """What the change by the other process comes to: so many seconds later, these items."""
        before = self.rows()
        changed = self.other.change(method, path, document)
        assert changed.status in (200, 201), changed.body
        after = self.rows()
        records = [stream_record(before.get(key), after[key]) for key in after if before.get(key) != after[key]]
        sqs, cloudfront, notes = FakeSqs(), FakeCloudFront(), Notes()
        queue, distribution = DelayQueue(sqs, "https://queue.example/"), Distribution(cloudfront, "E2EXAMPLE")
        purger = Purger(queue, distribution, self.app.clock, notes, notes.count)
        purger({"Records": records})
        purger(sqs.event())
        ((delay, _),) = sqs.sent
        (items,) = cloudfront.items
        return delay, items


@pytest.fixture(scope="session")
def world() -> World:
    return World()


@st.composite
def spellings(draw: Any, identifier: str) -> str:
    """A path under which the identifier resolves."""
    symbols = [
        draw(st.sampled_from(CONFUSED.get(symbol, symbol + symbol.upper()))) for symbol in identifier.replace("-", "")
    ]
    written = "".join(symbol + draw(st.sampled_from(["", "", "-", "--"])) for symbol in symbols)
    name = draw(st.sampled_from(["demo", "DEMO", "Demo", "2021/06/demo", "2021/06/DEMO"]))
    repeated = f"{name}:" if draw(st.booleans()) else ""
    pasted = draw(st.sampled_from(["", "resolve/", f"{BASE_URL}/", f"resolve/{BASE_URL}/", "https:/id.example.org/"]))
    return f"/{pasted}{name}{draw(st.sampled_from([':', '/', '%3A']))}{repeated}{written}"


class TestTags:
    @examples(60)
    @given(st.data(), st.sampled_from(QUERIES), st.sampled_from(ACCEPTED))
    def test_every_response_about_a_record_has_its_cache_tag(
        self, world: World, data: Any, query: str, accept: str | None
    ) -> None:
        (record,) = world.app.store.records_by_key.values()
        path = data.draw(spellings(record.id))
        answer = world.app.get(path, query, headers=[("Accept", accept)] if accept else [])
        assert answer.status in (200, 302), path
        change = change_of(stream_record(row_of(record), None))
        assert change is not None
        assert change.tags <= tags_of(answer)

    @pytest.mark.parametrize(
        ("path", "tags"),
        [
            ("/go:0006915", {"prefix:go"}),
            ("/go", {"prefix:go"}),
            ("/demo", {"prefix:demo", "repository:r4k2-9m3x-62"}),
            ("/.well-known/jwks.json", {KEYS_TAG}),
        ],
    )
    def test_other_responses_have_the_tags_of_their_content(self, world: World, path: str, tags: set[str]) -> None:
        assert tags_of(world.app.get(path)) == tags

    def test_a_304_has_them_too(self, world: World) -> None:
        known = world.app.get(world.path)
        again = world.app.get(world.path, headers=[("If-None-Match", known.headers["etag"])])
        assert again.status == 304
        assert tags_of(again) == tags_of(known)

    def test_they_are_of_the_size_that_caches_take(self, world: World) -> None:
        assert all(map(is_tag, tags_of(world.app.get(world.path))))


CHANGES = {
    "a change": ("PATCH", "/api/v1/records{path}", {"records": [{"uri": THERE}]}),
    "a withdrawal": ("DELETE", "/api/v1/records{path}", {"reason": "It was wrong"}),
    "other rules of the repository": ("PATCH", "/api/v1/repositories/r4k2-9m3x-62", {"redirect": 307}),
}


class TestForgetting:
    @pytest.mark.parametrize("change", CHANGES)
    def test_a_cache_that_purged_at_once_would_get_the_old_response_again(self, change: str) -> None:
        world = World()
        old = world.cache.get(world.path)
        method, path, document = CHANGES[change]
        _, items = world.items_after(method, path.format(path=world.path), document)
        world.cache.forget(items)
        assert world.cache.get(world.path) == old

    @examples(20)
    @given(st.sampled_from(list(CHANGES)), st.integers(0, 70_000))
    def test_one_that_purges_when_its_letter_arrives_has_the_new_answer(self, change: str, asked_after: int) -> None:
        world = World()
        old = world.cache.get(world.path)
        method, path, document = CHANGES[change]
        delay, items = world.items_after(method, path.format(path=world.path), document)
        world.app.clock.pause(min(asked_after, delay * 1000))
        world.cache.stored.clear()  # it never had it, or had no room
        world.cache.get(world.path)
        world.app.clock.pause(max(0, delay * 1000 - asked_after))
        world.cache.forget(items)
        new = world.cache.get(world.path)
        assert new.headers["etag"] != old.headers["etag"]
        assert (new.status, new.headers.get("location")) != (old.status, old.headers["location"])

    def test_what_has_not_changed_stays(self) -> None:
        world = World()
        other = world.app.mint({"prefix": "demo", "uri": THERE}).json()["id"]
        _, items = world.items_after("DELETE", f"/api/v1/records{world.path}", {"reason": "It was wrong"})
        for path in (world.path, f"/demo:{other}", "/go:0006915"):
            world.cache.get(path)
        world.cache.forget(items)
        assert {path for path, _ in world.cache.stored} == {f"/demo:{other}", "/go:0006915"}

    def test_a_prefix_that_takes_over_takes_the_responses_of_others_with_it(self) -> None:
        world = World()
        owner = {"kind": "namespace", "repository": "r4k2-9m3x-62"}
        everybody = {
            "kind": "provider",
            "title": "ARKs",
            "providers": [{"code": "n2t", "url": "https://n2t.example/{$id}"}],
        }
        world.items_after("PUT", "/api/v1/prefixes/ark", everybody)
        world.app.clock.pause(70_000)
        path = f"/ark:/99999/{world.path[6:]}"
        assert world.cache.get(path).headers["location"].startswith("https://n2t.example/")
        delay, items = world.items_after("PUT", "/api/v1/prefixes/ark:99999", owner)
        world.app.clock.pause(delay * 1000)
        world.cache.forget(items)
        assert world.cache.get(path).headers["location"] == HERE
