"""What is remembered of prefixes: asked for once, believed for a while, forgotten when told."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.domain import memory
from coolid.domain.errors import StoreUnavailable, UnknownPrefix
from coolid.domain.finding import find
from coolid.domain.memory import PREFIX_TTL, RememberingReader
from coolid.domain.prefixes import Prefix
from coolid.domain.references import read
from tests.fakes import FailingStore, MemoryStore
from tests.samples import names, provider_prefix, record


class Watched:
    """Notes which names the store behind is asked for, and can do something while it is asked."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.asked: list[tuple[str, ...]] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def prefixes(self, names: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        self.asked.append(tuple(names))
        found = self.store.prefixes(names, consistent=consistent)
        self.meanwhile()
        return found

    def record(self, repository: str, key: str) -> Any:
        return self.store.record(repository, key)

    def records(self, repository: str, keys: Sequence[str]) -> Any:
        return self.store.records(repository, keys)


class Ticks:
    """Seconds that go by only when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def watched(store: MemoryStore) -> Watched:
    for name in ("go", "2021/06/mp", "2021/06/mp/calculations"):
        store.put_prefix(provider_prefix(name, "https://x.example/{$id}"), None)
    return Watched(store)


@pytest.fixture
def remembering(watched: Watched, ticks: Ticks) -> RememberingReader:
    return RememberingReader(watched, ticks)


def test_a_prefix_is_asked_for_once(remembering: RememberingReader, watched: Watched) -> None:
    for _ in range(3):
        assert remembering.prefixes(["go"]) == {"go": watched.store.rows["go"]}
    assert watched.asked == [("go",)]


def test_a_second_identifier_of_a_prefix_costs_no_question(remembering: RememberingReader, watched: Watched) -> None:
    find(read("go:0006915"), remembering)
    find(read("2021/06/mp/a"), remembering)
    watched.asked.clear()
    for path in ("go:1", "GO/2", "2021/06/mp/b", "2021/06/mp/b/c:d"):
        find(read(path), remembering)
    with pytest.raises(UnknownPrefix):
        find(read("2021/06/other/x"), remembering)
    assert watched.asked == []


def test_a_longer_name_that_is_announced_is_asked_for(remembering: RememberingReader, watched: Watched) -> None:
    find(read("2021/06/mp/a"), remembering)
    watched.asked.clear()
    assert find(read("2021/06/mp/calculations/x"), remembering).prefix.name == "2021/06/mp/calculations"
    assert watched.asked == [("2021/06/mp/calculations", "2021/06/mp/calculations/x")]


def test_only_what_is_not_remembered_is_asked_for(remembering: RememberingReader, watched: Watched) -> None:
    remembering.prefixes(["go"])
    remembering.prefixes(["go", "2021", "absent"])
    assert watched.asked == [("go",), ("2021", "absent")]


def test_absent_names_are_not_remembered(remembering: RememberingReader, watched: Watched) -> None:
    assert remembering.prefixes(["absent"]) == {}
    watched.store.put_prefix(provider_prefix("absent"), None)
    assert remembering.prefixes(["absent"]).keys() == {"absent"}


def test_a_change_is_seen_when_its_time_has_come_and_not_before(
    remembering: RememberingReader, watched: Watched, ticks: Ticks
) -> None:
    remembering.prefixes(["go"])
    changed = provider_prefix("go", "https://new.example/{$id}", revision=2)
    watched.store.put_prefix(changed, watched.store.rows["go"])
    ticks.now += PREFIX_TTL - 0.1
    assert remembering.prefixes(["go"]) != {"go": changed}
    ticks.now += 0.1
    assert remembering.prefixes(["go"]) == {"go": changed}


def test_a_change_is_seen_at_once_when_it_is_told(remembering: RememberingReader, watched: Watched) -> None:
    remembering.prefixes(["go"])
    changed = provider_prefix("go", "https://new.example/{$id}", revision=2)
    watched.store.put_prefix(changed, watched.store.rows["go"])
    remembering.forget()
    assert remembering.prefixes(["go"]) == {"go": changed}


def test_what_was_being_read_when_a_change_was_told_is_not_remembered(
    remembering: RememberingReader, watched: Watched
) -> None:
    def change() -> None:
        watched.meanwhile = lambda: None
        watched.store.put_prefix(provider_prefix("go", revision=2), watched.store.rows["go"])
        remembering.forget()

    watched.meanwhile = change
    remembering.prefixes(["go"])
    assert remembering.prefixes(["go"]) == {"go": watched.store.rows["go"]}


def test_who_asks_for_the_newest_gets_past_the_memory(remembering: RememberingReader, watched: Watched) -> None:
    remembering.prefixes(["go"])
    changed = provider_prefix("go", revision=2)
    watched.store.put_prefix(changed, watched.store.rows["go"])
    assert remembering.prefixes(["go"], consistent=True) == {"go": changed}


def test_what_is_remembered_serves_when_the_store_does_not_answer(watched: Watched, ticks: Ticks) -> None:
    failing = FailingStore(watched.store, "before", "prefixes", times=0)
    remembering = RememberingReader(failing, ticks)
    remembering.prefixes(["go"])
    failing._times = 10
    assert remembering.prefixes(["go"]).keys() == {"go"}
    with pytest.raises(StoreUnavailable):
        remembering.prefixes(["go", "2021"])


def test_a_failure_is_not_remembered_as_an_absence(watched: Watched, ticks: Ticks) -> None:
    remembering = RememberingReader(FailingStore(watched.store, "before", "prefixes", times=1), ticks)
    with pytest.raises(StoreUnavailable):
        remembering.prefixes(["go"])
    assert remembering.prefixes(["go"]).keys() == {"go"}


def test_records_are_read_anew_each_time(remembering: RememberingReader, watched: Watched) -> None:
    assert remembering.record("r4k2-9m3x-62", "tw0tywdj94") is None
    watched.store.create_record(record(), "tw0tywdj94")
    assert remembering.record("r4k2-9m3x-62", "tw0tywdj94") == record()


def test_the_oldest_go_when_there_are_too_many(
    remembering: RememberingReader, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "MOST_REMEMBERED", 3)
    for number in range(5):
        watched.store.put_prefix(provider_prefix(f"p{number}"), None)
        remembering.prefixes([f"p{number}"])
    watched.asked.clear()
    for number in (4, 3, 2):
        remembering.prefixes([f"p{number}"])
    assert watched.asked == []
    remembering.prefixes(["p0"])
    assert watched.asked == [("p0",)]


@given(st.lists(names, max_size=12), st.lists(names, min_size=1, max_size=12))
def test_memory_never_changes_what_is_found(registered: list[str], asked: list[str]) -> None:
    store = MemoryStore()
    for name in dict.fromkeys(registered):
        store.put_prefix(provider_prefix(name, "https://x.example/{$id}"), None)
    remembering = RememberingReader(store, Ticks())
    for name in (*asked, *registered):
        path = f"{name}/x"
        assert found(path, remembering) == found(path, store)


def found(path: str, reader: Any) -> Any:
    try:
        return find(read(path), reader)
    except UnknownPrefix as error:
        return str(error)
