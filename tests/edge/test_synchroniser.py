"""The edge updater: the store follows the rows, calls are few and limited, and no failure leads anywhere wrong."""

from collections.abc import Sequence
from contextlib import suppress

import pytest
from msgspec import json
from msgspec.structs import replace

from coolid.edge import batches
from coolid.edge.batches import digest_of
from coolid.edge.current_entries import current_groups
from coolid.edge.redirect_store import Ledger
from coolid.edge.state import FORMAT, STATE_KEY, EdgeState
from coolid.edge.store_writer import StoreWriter
from coolid.edge.synchroniser import LEASE_SECONDS, STOP_SECONDS, Synchroniser, SyncResult
from coolid.errors import StoreUnavailable
from coolid.model.prefixes import ProviderPrefix, Stem, Synonym
from tests.support.builders.samples import BASE_URL, LATER, provider_prefix
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.key_value_store import AFTER, BEFORE, Calls, Crash, FakeKeyValueStore, MemoryLedgerFile
from tests.support.stores.memory_store import MemoryStore

ARN = "arn:aws:cloudfront::123456789012:key-value-store/a"
HOUR = 3600


class Edge:
    """Prefixes, an updater and its store."""

    def __init__(self) -> None:
        self.clock, self.rows, self.calls = FixedClock(), MemoryStore(), Calls()
        self.store, self.file = FakeKeyValueStore(self.calls), MemoryLedgerFile(self.calls)
        self.synchroniser = self.updater()

    def updater(self, base_url: str = BASE_URL) -> Synchroniser:
        writer = StoreWriter(self.store, self.file, ARN, base_url, self.clock)
        return Synchroniser(writer, self.rows, base_url)

    def put(self, name: str, url: str = "https://a.example/{$id}", synonyms: Sequence[str] = ()) -> ProviderPrefix:
        replaced = self.rows.rows.get(name)
        revision = replaced.revision + 1 if isinstance(replaced, ProviderPrefix) else 1
        prefix = replace(provider_prefix(name, url, synonyms=tuple(synonyms)), revision=revision)
        self.rows.put_prefix(prefix, replaced)
        return prefix

    def fill(self, number: int) -> None:
        for each in range(number):
            self.put(f"p{each:04}")

    def sweep(self) -> SyncResult:
        return self.synchroniser.sweep(lambda: 100.0)

    def spent(self) -> dict[str, int]:
        """The priced calls since the last time."""
        made = {name: times for name, times in self.calls.made.items() if name not in ("load", "save")}
        self.calls.made.clear()
        return made

    def ledger(self) -> Ledger:
        assert self.file.content is not None
        return json.decode(self.file.content, type=Ledger)

    def state(self) -> EdgeState:
        state = EdgeState.parse(self.store.contents[STATE_KEY])
        assert state is not None
        return state

    def entries(self) -> dict[str, str]:
        return {key: value for key, value in self.store.contents.items() if key != STATE_KEY}

    def wanted(self) -> dict[str, str]:
        """The entries that the rows require."""
        groups = current_groups(self.rows, BASE_URL, [*self.rows.rows])
        return {key: value for group in groups for key, value in group.items() if value is not None}

    def is_in_step(self) -> bool:
        state = self.state()
        return self.entries() == self.wanted() and state.digest == digest_of(self.entries())


@pytest.fixture
def edge() -> Edge:
    return Edge()


@pytest.fixture
def swept(edge: Edge) -> Edge:
    """An edge whose store has two prefixes and is valid."""
    edge.put("go", synonyms=["gobp"])
    edge.put("chebi")
    edge.sweep()
    edge.spent()
    return edge


class TestChanges:
    def test_a_change_is_one_call(self, swept: Edge) -> None:
        swept.put("go", "https://b.example/{$id}", synonyms=["gocc"])
        assert swept.synchroniser.change(["go", "gobp"]) == SyncResult(3, 3, 0, is_valid=True)
        assert swept.spent() == {"update": 1}
        assert swept.is_in_step()
        assert swept.entries().keys() == {"go", "gocc", "chebi"}

    def test_an_event_without_a_difference_costs_nothing(self, swept: Edge) -> None:
        swept.synchroniser.change(["go", "gobp", "chebi", "unknown"])
        assert swept.spent() == {}

    @pytest.mark.parametrize("name", ["go", "gobp", "chebi"])
    def test_any_name_of_a_prefix_finds_it(self, swept: Edge, name: str) -> None:
        swept.put("go", "https://b.example/{$id}", synonyms=["gobp"])
        swept.synchroniser.change([name])
        assert swept.is_in_step() is (name != "chebi")

    def test_a_longer_name_below_a_synonym_takes_it_away(self, swept: Edge) -> None:
        row = swept.rows.rows["gobp"]
        assert isinstance(row, Synonym)
        swept.rows.rows["gobp"] = replace(row, longer=frozenset({"gobp/x"}))
        swept.synchroniser.change(["gobp"])
        assert swept.entries().keys() == {"go", "chebi"}

    def test_a_prefix_is_never_in_two_updates(self, edge: Edge) -> None:
        edge.put("many", synonyms=[f"m{each}" for each in range(30)])
        edge.put("more", synonyms=[f"n{each}" for each in range(30)])
        edge.sweep()
        found = [{each for each in contents if each != STATE_KEY} for _, contents in edge.store.history]
        assert {len(each) for each in found} == {0, 31, 62}

    def test_a_prefix_with_more_names_than_an_update_takes_stays_out(self, edge: Edge) -> None:
        edge.put("many", synonyms=[f"m{each}" for each in range(49)])
        edge.put("go")
        assert edge.sweep().keys == 1

    def test_before_the_first_sweep_changes_are_left_to_it(self, edge: Edge) -> None:
        edge.put("go")
        assert edge.synchroniser.change(["go"]) == SyncResult()
        assert edge.spent() == {}


class TestSweeps:
    def test_a_full_store_is_written_in_batches_and_then_costs_nothing(self, edge: Edge) -> None:
        edge.fill(200)
        assert edge.sweep() == SyncResult(200, 200, 0, is_valid=True)
        assert edge.spent() == {"describe": 3, "list": 1, "update": 6}  # one renewal, and 49 keys in each of the others
        assert edge.is_in_step()
        edge.sweep()
        assert edge.spent() == {}

    def test_a_lease_costs_eight_calls_a_day(self, swept: Edge) -> None:
        for _ in range(48):
            swept.clock.pause(1_800_000)
            swept.sweep()
            assert 0 < swept.state().valid_until - swept.clock.milliseconds() / 1000 <= LEASE_SECONDS
        assert swept.spent()["update"] <= 8

    def test_lost_events_are_repaired(self, swept: Edge) -> None:
        swept.put("go", "https://b.example/{$id}")
        swept.rows.rows["chebi"] = Stem(name="chebi")
        swept.put("uniprot")
        assert swept.sweep().written == 4
        assert swept.is_in_step()

    def test_a_store_that_others_changed_is_listed_and_repaired(self, swept: Edge) -> None:
        swept.store.update(swept.store.version(), {"go": "wrong", "x": "y"}, ["chebi"])
        swept.clock.pause(1000 * LEASE_SECONDS // 2 + 1000)
        swept.sweep()  # the renewal fails, and shows that the store has another version
        swept.sweep()
        assert swept.is_in_step()

    def test_a_lost_ledger_is_written_again(self, swept: Edge) -> None:
        swept.file.content = None
        swept.put("go", "https://b.example/{$id}")
        swept.sweep()
        assert swept.is_in_step()

    def test_another_store_gets_a_ledger_of_its_own(self, swept: Edge) -> None:
        swept.store = FakeKeyValueStore(swept.calls)
        writer = StoreWriter(swept.store, swept.file, ARN + "2", BASE_URL, swept.clock)
        Synchroniser(writer, swept.rows, BASE_URL).sweep(lambda: 100.0)
        assert swept.is_in_step()

    def test_a_sweep_that_runs_out_of_time_is_continued(self, edge: Edge) -> None:
        edge.fill(120)
        left = iter([100.0, STOP_SECONDS - 1.0])
        assert edge.synchroniser.sweep(lambda: next(left)).written == 49
        edge.sweep()
        assert edge.is_in_step()

    def test_entries_of_another_format_are_replaced_while_the_store_is_off(self, swept: Edge) -> None:
        ledger = replace(swept.ledger(), format=FORMAT + 1)
        swept.file.save(ledger, swept.file.tag)
        before = len(swept.store.history)
        swept.put("go", "https://b.example/{$id}")
        assert swept.synchroniser.change(["go"]) == SyncResult(is_deferred=True)
        swept.sweep()
        states = [EdgeState.parse(contents[STATE_KEY]) for _, contents in [*swept.store.history][before:]]
        assert [state.valid_until > 0 for state in states if state] == [False, False, True]
        assert swept.is_in_step()

    def test_entries_with_another_base_url_are_replaced_while_the_store_is_off(self, swept: Edge) -> None:
        before = len(swept.store.history)
        moved = swept.updater("https://other.example")
        assert moved.change(["go"]) == SyncResult(is_deferred=True)
        moved.sweep(lambda: 100.0)
        states = [EdgeState.parse(contents[STATE_KEY]) for _, contents in [*swept.store.history][before:]]
        assert [state.valid_until > 0 for state in states if state] == [False, False, True]
        assert {state.base_url for state in states if state} == {"https://other.example"}
        assert all("<https://other.example/" in value for value in swept.entries().values())
        assert swept.synchroniser.change(["go"]) == SyncResult(is_deferred=True)

    def test_a_lease_of_a_wrong_clock_is_shortened(self, swept: Edge) -> None:
        swept.clock.pause(1000 * HOUR * 24 * 365)
        swept.sweep()
        swept.clock.pause(-1000 * HOUR * 24 * 365)
        swept.sweep()
        assert swept.state().valid_until == swept.clock.milliseconds() // 1000 + LEASE_SECONDS


class TestSize:
    def test_deprecated_and_large_prefixes_stay_out(self, edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
        edge.put("go")
        edge.put("large", "https://a.example/" + "x" * 100 + "/{$id}")
        old = edge.put("old")
        edge.rows.rows["old"] = replace(old, deprecated=True)
        size = sum(len(key) + len(value) for key, value in edge.wanted().items())
        monkeypatch.setattr(batches, "MAX_STORE_BYTES", size - 1 + batches.RESERVED_BYTES)
        assert edge.sweep().left_out == 1
        assert edge.entries().keys() == {"go", "large"}
        monkeypatch.setattr(batches, "MAX_STORE_BYTES", size // 2 + batches.RESERVED_BYTES)
        edge.sweep()
        assert edge.entries().keys() == {"go"}

    def test_a_change_that_does_not_fit_removes_the_prefix(self, swept: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(batches, "MAX_STORE_BYTES", batches.size_of(swept.entries()))
        swept.put("go", "https://much-longer.example/{$id}", synonyms=["gobp"])
        swept.synchroniser.change(["go"])
        assert swept.entries().keys() == {"chebi"}


class TestCosts:
    def test_too_many_changes_switch_the_store_off_until_the_next_sweep(self, swept: Edge) -> None:
        for each in range(100):
            swept.put("go", f"https://a{each}.example/{{$id}}")
            swept.synchroniser.change(["go"])
        assert swept.spent()["update"] == 61
        assert swept.state().valid_until == 0
        swept.sweep()
        assert swept.is_in_step()
        assert swept.state().valid_until > 0

    def test_endless_flapping_has_a_price_of_a_few_cents_an_hour(self, swept: Edge) -> None:
        calls = 0
        for each in range(4 * 24):
            swept.put("go", f"https://a{each % 2}.example/{{$id}}")
            swept.synchroniser.change(["go"])
            if each % 2:
                swept.sweep()
            swept.clock.pause(900_000)
            calls += sum(swept.spent().values())
        assert calls <= 24 * 10
        for each in range(60 * 24):
            swept.put("go", f"https://a{each % 2}.example/{{$id}}")
            swept.synchroniser.change(["go"])
            if each % 30 == 0:
                swept.sweep()
            swept.clock.pause(60_000)
        assert sum(swept.spent().values()) <= 60 + 24 * 20

    def test_lists_that_fail_are_paid(self, edge: Edge) -> None:
        edge.fill(300)
        edge.sweep()
        edge.file.content = None
        edge.spent()
        calls = 0
        for _ in range(100):
            edge.calls.plan()
            edge.calls.faults[12] = BEFORE, Crash()  # one of the last pages
            with suppress(Crash, StoreUnavailable):
                edge.updater().sweep(lambda: 100.0)
            calls += sum(edge.spent().values())
        assert 300 < calls <= 600
        assert edge.calls.faults, "the last calls were not paid"

    @pytest.mark.parametrize("minutes", [1, 7])
    def test_an_empty_allowance_delays_a_correction_and_never_prevents_it(self, edge: Edge, minutes: int) -> None:
        """Six pages and seven updates are twenty calls. They come in within an hour, whatever the retries."""
        edge.fill(300)
        edge.sweep()
        edge.store.update(edge.store.version(), {"p0001": "by hand"}, ["p0002"])
        empty = replace(edge.ledger().for_repairs, calls=0, at=edge.clock.milliseconds() // 1000)
        edge.file.save(replace(edge.ledger(), for_repairs=empty, planned={"p0003": None}), edge.file.tag)
        edge.spent()
        edge.put("p0000", "https://changed.example/{$id}")
        for minute in range(0, 121, minutes):
            with suppress(StoreUnavailable):
                edge.synchroniser.change(["p0000"])
            if minute % 30 < minutes:
                with suppress(StoreUnavailable):
                    edge.sweep()
            edge.clock.pause(60_000 * minutes)
        assert edge.is_in_step()
        assert edge.state().valid_until > edge.clock.milliseconds() // 1000
        assert sum(edge.spent().values()) <= 2 * 20 + 20


class TestFailures:
    @pytest.mark.parametrize("when", [BEFORE, AFTER])
    @pytest.mark.parametrize("error", [Crash(), StoreUnavailable("throttled")])
    @pytest.mark.parametrize("number", range(4))
    def test_a_crash_between_any_two_calls_is_made_good(
        self, swept: Edge, number: int, error: BaseException, when: str
    ) -> None:
        """The four calls of a change: the ledger is read and written, the store is written, the ledger is written."""
        swept.put("go", "https://b.example/{$id}", synonyms=["gobp"])
        swept.calls.plan()
        swept.calls.faults[number] = when, error
        with pytest.raises(type(error)):
            swept.synchroniser.change(["go"])
        assert swept.state().digest == digest_of(swept.entries())
        swept.updater().change(["go"])
        assert swept.is_in_step()
        assert "list" not in swept.spent()

    @pytest.mark.parametrize("number", range(4))
    def test_the_later_of_two_updaters_sees_what_the_other_wrote(self, swept: Edge, number: int) -> None:
        def interrupt() -> None:
            swept.put("chebi", "https://c.example/{$id}")
            swept.put("go", "https://c.example/{$id}", synonyms=["gobp"])
            swept.updater().change(["go", "chebi"])

        swept.put("go", "https://b.example/{$id}", synonyms=["gobp"])
        swept.calls.plan()
        swept.calls.interruptions[number] = interrupt
        swept.synchroniser.change(["go"])
        assert swept.is_in_step()

    @pytest.mark.parametrize("number", range(4))
    def test_an_update_under_way_is_not_applied_after_a_change_back(self, swept: Edge, number: int) -> None:
        def interrupt() -> None:
            swept.put("go", synonyms=["gobp"])
            swept.updater().change(["go"])

        swept.put("go", "https://b.example/{$id}", synonyms=["gobp"])
        swept.calls.plan()
        swept.calls.interruptions[number] = interrupt
        swept.synchroniser.change(["go"])
        assert swept.is_in_step()

    def test_a_change_while_a_sweep_switches_the_store_on_is_repeated(self, swept: Edge) -> None:
        deferred = []

        def interrupt() -> None:
            swept.put("go", "https://b.example/{$id}", synonyms=["gobp"])
            deferred.append(swept.updater().change(["go"]))

        swept.clock.pause(2 * LEASE_SECONDS * 1000)
        swept.calls.plan()
        swept.calls.interruptions[1] = interrupt  # the sweep has read the prefixes
        assert swept.sweep().is_valid
        assert deferred == [SyncResult(is_deferred=True)]
        assert not swept.is_in_step()
        swept.synchroniser.change(["go"])
        assert swept.is_in_step()

    def test_without_calls_for_repairs_the_lease_decides(self, swept: Edge) -> None:
        swept.clock.pause(1000 * HOUR)
        empty = replace(swept.ledger().for_repairs, calls=0, at=swept.clock.milliseconds() // 1000)
        swept.file.save(replace(swept.ledger(), for_repairs=empty, planned={}), swept.file.tag)
        until = swept.state().valid_until
        with pytest.raises(StoreUnavailable):
            swept.sweep()
        assert swept.state().valid_until == until <= LATER.timestamp() + LEASE_SECONDS
        swept.clock.pause(1000 * HOUR)
        swept.sweep()
        assert swept.is_in_step()
