"""Whatever happens to prefixes, updaters and calls: no entry never was right, and a sweep repairs everything.

The model has real rows in memory, an eventually consistent list of them, and a store that keeps all versions.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from msgspec.structs import replace

from coolid.edge.batches import digest_of
from coolid.edge.current_entries import current_groups
from coolid.edge.state import STATE_KEY, EdgeState
from coolid.edge.store_writer import StoreWriter
from coolid.edge.synchroniser import LEASE_SECONDS, Synchroniser
from coolid.errors import StoreUnavailable
from coolid.model.conditions import DOWN, UP, Condition
from coolid.model.prefixes import Prefix, Provider, ProviderPrefix
from tests.support.builders.samples import BASE_URL, MOMENT, provider_prefix
from tests.support.effort import examples
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.key_value_store import AFTER, BEFORE, Calls, Crash, FakeKeyValueStore, MemoryLedgerFile
from tests.support.stores.memory_store import MemoryStore

ARN = "arn:aws:cloudfront::123456789012:key-value-store/a"
NAMES = ("go", "chebi", "uniprot")
SYNONYMS = ("gobp", "up", "ch")
CALLS = 5
"""Those of a change, and of a sweep up to its first update."""

names = st.sampled_from(NAMES)
numbers = st.integers(0, CALLS)
whens = st.sampled_from([BEFORE, AFTER])
errors = st.sampled_from([Crash(), StoreUnavailable("the store at the edge refused: ThrottlingException")])


class Lagging:
    """Reads of the prefixes; those that are not strongly consistent return an earlier moment."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.earlier: Mapping[str, Prefix] = {}

    def prefixes(self, wanted: Sequence[str], *, consistent: bool = False) -> Mapping[str, Prefix]:
        rows = self.store.rows if consistent else self.earlier
        return {name: rows[name] for name in wanted if name in rows}

    def all_prefixes(self) -> Sequence[ProviderPrefix]:
        return [row for row in self.earlier.values() if isinstance(row, ProviderPrefix)]


class Updates(RuleBasedStateMachine):
    """Prefixes and their health change; updaters get events twice, late, or never, and crash."""

    def __init__(self) -> None:
        super().__init__()
        self.clock, self.rows, self.calls = FixedClock(), MemoryStore(), Calls()
        self.reader = Lagging(self.rows)
        self.store, self.file = FakeKeyValueStore(self.calls), MemoryLedgerFile(self.calls)
        self.moment = 0
        self.right: dict[str, dict[str | None, int]] = defaultdict(dict)
        """When each value of a key was last that of the rows."""
        self.written: dict[str, int] = {}
        self.checked = 0
        self.events: list[str] = []
        self.updaters = [self.updater(), self.updater()]
        for name in NAMES:
            self.put_prefix(name, 0, set(), True)
        self.sweep()

    def updater(self) -> Synchroniser:
        return Synchroniser(StoreWriter(self.store, self.file, ARN, BASE_URL, self.clock), self.reader, BASE_URL)

    def changed(self) -> None:
        """Note what is right now."""
        self.moment += 1
        groups = current_groups(self.rows, BASE_URL, (*NAMES, *SYNONYMS))
        for key, value in ((key, value) for group in groups for key, value in group.items()):
            self.right[key][value] = self.moment

    def now_right(self) -> dict[str, str]:
        groups = current_groups(self.rows, BASE_URL, (*NAMES, *SYNONYMS))
        return {key: value for group in groups for key, value in group.items() if value is not None}

    @rule(
        name=names,
        url=st.integers(0, 3),
        synonyms=st.sets(st.sampled_from(SYNONYMS), max_size=2),
        is_known=st.booleans(),
    )
    def put_prefix(self, name: str, url: int, synonyms: set[str], is_known: bool) -> None:
        replaced = self.rows.rows.get(name)
        taken = {row.name for row in self.rows.rows.values() if getattr(row, "target", name) != name}
        providers = tuple(Provider(f"p{each}", f"https://h{url + each}.example/{{$id}}") for each in range(2))
        prefix = replace(
            provider_prefix(name, synonyms=tuple(sorted(synonyms - taken))),
            providers=providers,
            revision=replaced.revision + 1 if isinstance(replaced, ProviderPrefix) else 1,
        )
        self.rows.put_prefix(prefix, replaced)
        self.notify(name, *(replaced.synonyms if isinstance(replaced, ProviderPrefix) else ()), is_known=is_known)

    @rule(name=names, state=st.sampled_from([UP, DOWN]), is_known=st.booleans())
    def check(self, name: str, state: str, is_known: bool) -> None:
        row = self.rows.rows.get(name)
        if isinstance(row, ProviderPrefix):
            self.rows.rows[name] = replace(row, health={"p0": Condition(state, MOMENT)})
            self.notify(name, is_known=is_known)

    def notify(self, *changed: str, is_known: bool) -> None:
        """Send the event, or lose it."""
        self.changed()
        if is_known:
            self.events.extend(changed)

    @rule()
    def catch_up(self) -> None:
        """The list of prefixes shows everything."""
        self.reader.earlier = dict(self.rows.rows)

    @rule(order=st.randoms(use_true_random=False), is_repeated=st.booleans(), which=st.integers(0, 1))
    def deliver(self, order: "st.random.Random", is_repeated: bool, which: int) -> None:  # type: ignore[name-defined]
        some = [each for each in self.events if order.random() < 0.7]
        self.attempt(which, some, self.calls.plan)
        if not is_repeated:
            self.events = [each for each in self.events if each not in some]

    @rule(
        number=numbers,
        when=whens,
        error=errors,
        sweeps=st.booleans(),
        which=st.integers(0, 1),
        name=names,
        url=st.integers(0, 3),
    )
    def fail(self, number: int, when: str, error: BaseException, sweeps: bool, which: int, name: str, url: int) -> None:
        """An updater has something to do, and one of its calls fails."""
        self.put_prefix(name, url, set(), True)

        def plan() -> None:
            self.calls.plan()
            self.calls.faults[number] = when, error

        self.attempt(which, None if sweeps else NAMES, plan)
        self.calls.plan()
        if isinstance(error, Crash):
            self.updaters[which] = self.updater()

    @rule(
        number=numbers,
        sweeps=st.sampled_from([(False, False), (False, True), (True, False)]),
        name=names,
        url=st.integers(0, 3),
    )
    def meet(self, number: int, sweeps: tuple[bool, bool], name: str, url: int) -> None:
        """Another updater works between two calls of one, after another change."""
        self.put_prefix(name, url + 1, set(), True)

        def interrupt() -> None:
            self.put_prefix(name, url, set(), True)
            self.attempt(1, None if sweeps[1] else NAMES, lambda: None)

        def plan() -> None:
            self.calls.plan()
            self.calls.interruptions[number] = interrupt

        self.attempt(0, None if sweeps[0] else NAMES, plan)
        self.calls.plan()

    def attempt(self, which: int, wanted: Sequence[str] | None, plan: object) -> None:
        """Let an updater change some names, or sweep for None."""
        assert callable(plan)
        plan()
        with suppress(StoreUnavailable, Crash):
            updater = self.updaters[which]
            updater.sweep(lambda: 100.0) if wanted is None else updater.change(wanted)

    @rule(minutes=st.integers(1, 200))
    def wait(self, minutes: int) -> None:
        self.clock.pause(minutes * 60_000)

    @rule()
    def sweep(self) -> None:
        """A sweep that nothing disturbs repairs everything."""
        self.calls.plan()
        self.reader.earlier = dict(self.rows.rows)
        self.clock.pause(3_600_000)
        self.updaters[0].sweep(lambda: 100.0)
        state = EdgeState.parse(self.store.contents[STATE_KEY])
        entries = {key: value for key, value in self.store.contents.items() if key != STATE_KEY}
        assert entries == self.now_right()
        assert state is not None
        assert state.valid_until > self.clock.milliseconds() / 1000

    @invariant()
    def every_entry_was_right_and_is_never_replaced_by_an_earlier_one(self) -> None:
        history = [*self.store.history]
        for (_, before), (_, after) in zip(history[self.checked :], history[self.checked + 1 :], strict=False):
            for key in (before.keys() | after.keys()) - {STATE_KEY}:
                if before.get(key) != after.get(key):
                    last = self.right[key].get(after.get(key))
                    assert last is not None, "the value never was right"
                    assert last >= self.written.get(key, 0), "the value is that of an earlier row"
                    self.written[key] = last
        self.checked = len(history) - 1

    @invariant()
    def the_state_describes_the_entries_and_is_no_longer_valid_than_the_lease(self) -> None:
        contents = self.store.contents
        if contents:
            state = EdgeState.parse(contents[STATE_KEY])
            assert state is not None
            assert state.digest == digest_of({key: value for key, value in contents.items() if key != STATE_KEY})
            assert state.valid_until <= self.clock.milliseconds() / 1000 + LEASE_SECONDS


TestUpdates = Updates.TestCase
TestUpdates.settings = settings(examples(300), stateful_step_count=40)
