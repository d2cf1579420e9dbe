"""The check function: due addresses are checked at once, results are stored and notified, failures are retried."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from unittest.mock import call, patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.aws.fifo_queue import MAX_REQUEST_BYTES, FifoQueue, MessageNotSent
from coolid.aws.settings import InvalidSettings
from coolid.errors import StoreUnavailable
from coolid.health.checker import MIN_SILENT_HOSTS, REWRITE_AFTER, OutOfTime, is_worth_writing
from coolid.health.circuit_breaker import next_state
from coolid.health.messages import (
    MAX_BATCH_TASKS,
    SHARDS,
    STALE_SECONDS,
    CheckBatch,
    InvalidCheckMessage,
    WebhookNotice,
    check_batches,
    message_id,
    parse_message,
)
from coolid.health.schedule import TICK_SECONDS, CheckSchedule, CheckTask, host_of
from coolid.health.webhook_delivery import RETRY_SECONDS
from coolid.health.webhook_signature import new_secret, signature
from coolid.identifiers.schemes import lui
from coolid.metric_names import (
    PROBE_BLIND,
    PROBE_BUSY,
    PROBE_DROPPED,
    PROBE_UNREADABLE,
    PROBED,
    STORE_ERROR,
    UNDELIVERED,
    WENT_DOWN,
)
from coolid.model.check_state import (
    BAD,
    CheckResult,
    CheckState,
    CheckSubject,
    prefix_owner,
    repository_owner,
    target_name,
)
from coolid.model.conditions import DEGRADED, DOWN, UP, preferred
from coolid.model.prefixes import Provider, ProviderPrefix
from coolid.model.records import RESERVED, WITHDRAWN, Location, Record
from coolid.model.webhooks import Webhook
from coolid.registry.home_regions import Region
from coolid.wiring.check_service import HOURS, NETWORKS, TARGETS, allowed_networks, check_schedule
from tests.support.builders.samples import MOMENT, namespace, provider_prefix, record, repository
from tests.support.effort import examples
from tests.support.fixtures.health_checks import FAILS, GONE, NAMELESS, TOO_BUSY, WELL, CheckFunctionFixture
from tests.support.fixtures.ports import FixedClock, SeededEntropy
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

OWNER = "r4k2-9m3x-62"
KEYS = sorted(lui.encode(number * 7_919) for number in range(40))
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def fixture(store: MemoryStore) -> CheckFunctionFixture:
    return CheckFunctionFixture(store, clock=FixedClock(NOON))


def register(store: MemoryStore, name: str = "go", *hosts: str, **members: Any) -> None:
    urls = (f"https://{host}/{name}/{{$id}}" for host in hosts or ("a.example", "b.example"))
    store.put_prefix(provider_prefix(name, *urls, **{"example": "0006915", **members}), None)


def there(store: MemoryStore, name: str = "go") -> ProviderPrefix:
    found = store.rows[name]
    assert isinstance(found, ProviderPrefix)
    return found


def states(store: MemoryStore, name: str = "go") -> dict[str, str]:
    return {code: condition.state for code, condition in there(store, name).health.items()}


def add(store: MemoryStore, key: str, *uris: str, **members: Any) -> Record:
    """A record of a repository that has an alias."""
    if OWNER not in store.repositories:
        store.create_repository(repository(OWNER))
        store.put_prefix(namespace("mp"), None)
    locations = tuple(map(Location, uris or (f"https://{key}.example/",)))
    made = record(key, records=locations, **members)
    store.create_record(made)
    return made


def target(key: str, uri: str = "") -> CheckSubject:
    return CheckSubject(repository_owner(OWNER), target_name(key, uri or f"https://{key}.example/"))


class TestLetters:
    def test_what_was_sent_is_read_again(self) -> None:
        errand = CheckTask(CheckSubject("prefix:gö", "ols"), "https://a.example/é\u0000")
        for letter in (CheckBatch(7, (errand,)), WebhookNotice(7, OWNER, {"type": "x", "data": [1, None, "é"]})):
            assert parse_message(letter.text()) == letter

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "x",
            "{}",
            "[]",
            '{"type":"visits","at":1}',
            '{"type":"visits","at":1,"errands":[]}',
            '{"type":"other","at":1}',
        ],
    )
    def test_another_text_is_no_check_batch(self, text: str) -> None:
        with pytest.raises(InvalidCheckMessage):
            parse_message(text)

    @examples(30)
    @given(
        st.lists(st.tuples(st.integers(0, 40), st.integers(0, 10**6)), unique=True, max_size=120), st.integers(0, 10**9)
    )
    def test_a_check_batch_is_of_one_shard_and_no_check_task_is_lost(
        self, drawn: list[tuple[int, int]], at: int
    ) -> None:
        errands = [
            CheckTask(CheckSubject("prefix:go", str(each)), f"https://h{host}.example/{each}") for host, each in drawn
        ]
        letters = [*check_batches(errands, at)]
        assert Counter(each for letter in letters for each in letter.errands) == Counter(errands)
        groups: dict[str | None, set[str]] = {}
        for letter in letters:
            assert 0 < len(letter.errands) <= MAX_BATCH_TASKS
            for each in letter.errands:
                groups.setdefault(host_of(each.url), set()).add(letter.group)
                assert CheckBatch(at, (each,)).group == letter.group
        assert all(len(found) == 1 for found in groups.values())
        assert len({letter.group for letter in letters}) <= SHARDS
        assert letters == [*check_batches(reversed(errands), at)]

    def test_those_of_a_host_come_in_another_order_at_each_tick(self) -> None:
        errands = [CheckTask(CheckSubject("prefix:go", str(each)), f"https://a.example/{each}") for each in range(20)]
        orders = {tuple(next(check_batches(errands, at)).errands) for at in range(5)}
        assert len(orders) == 5


class FakeSqs:
    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.answer: dict[str, Any] = {}

    def send_message_batch(self, **request: Any) -> dict[str, Any]:
        self.requests.append(request)
        return self.answer


class TestTheQueue:
    def test_check_batches_are_sent_ten_at_a_time_each_with_its_group_and_its_name(self) -> None:
        sqs = FakeSqs()
        letters = [
            CheckBatch(at, (CheckTask(CheckSubject("prefix:go", "x"), "https://a.example/"),)) for at in range(23)
        ]
        FifoQueue(sqs, "https://sqs.example/q.fifo").send(letters)
        assert [len(each["Entries"]) for each in sqs.requests] == [10, 10, 3]
        sent = [entry for each in sqs.requests for entry in each["Entries"]]
        assert [parse_message(each["MessageBody"]) for each in sent] == letters
        assert {each["MessageGroupId"] for each in sent} == {letters[0].group}
        assert [each["MessageDeduplicationId"] for each in sent] == [message_id(each) for each in letters]
        assert len({each["MessageDeduplicationId"] for each in sent}) == 23
        for request in sqs.requests:
            assert len({each["Id"] for each in request["Entries"]}) == len(request["Entries"])

    def test_a_request_is_not_larger_than_it_may_be(self) -> None:
        sqs = FakeSqs()
        long = tuple(
            CheckTask(CheckSubject("prefix:go", f"{each}" * 400), "https://a.example/" + "x" * 2_000)
            for each in range(25)
        )
        FifoQueue(sqs, "q").send([CheckBatch(at, long) for at in range(12)])
        assert sum(len(each["Entries"]) for each in sqs.requests) == 12
        for request in sqs.requests:
            assert sum(len(each["MessageBody"].encode()) for each in request["Entries"]) <= MAX_REQUEST_BYTES

    def test_messages_that_the_queue_refuses_are_reported(self) -> None:
        sqs = FakeSqs()
        sqs.answer = {"Failed": [{"Id": "0", "Code": "ServiceUnavailable"}]}
        with pytest.raises(MessageNotSent, match="1 messages were rejected, the first for ServiceUnavailable"):
            FifoQueue(sqs, "q").send([WebhookNotice(1, OWNER, {})])
        FifoQueue(sqs, "q").send([])


class TestPlanning:
    def test_every_provider_is_checked_once_in_its_period(
        self, fixture: CheckFunctionFixture, store: MemoryStore
    ) -> None:
        for number in range(30):
            register(store, f"p{number}")
        register(store, "none", example=None)
        fixture.tick(8)
        assert Counter(fixture.hosts.requested) == {
            f"https://{host}.example/p{number}/0006915": 1 for host in "ab" for number in range(30)
        }
        assert fixture.counted[PROBED] == 60

    def test_a_tick_that_is_planned_twice_sends_the_same_check_batches(
        self, fixture: CheckFunctionFixture, store: MemoryStore
    ) -> None:
        register(store, "go", *(f"h{number}.example" for number in range(100)))
        add(store, KEYS[0])
        tick = fixture.planner.schedule.tick_of(NOON)
        fixture.planner.plan(tick)
        before = [*fixture.queue.letters]
        fixture.planner.plan(tick)
        assert [*fixture.queue.letters] == before

    def test_nor_does_one_that_is_planned_twice_take_more_records(self, store: MemoryStore) -> None:
        fixture = CheckFunctionFixture(store, CheckSchedule(targets=960), FixedClock(NOON))
        register(store, "go", *(f"h{number}.example" for number in range(40)))
        for key in KEYS:
            add(store, key)
        first = fixture.planner.schedule.tick_of(NOON)
        for tick in range(first, first + 5):
            fixture.planner.plan(tick)
            before = [*fixture.queue.letters]
            fixture.planner.plan(tick)
            assert [*fixture.queue.letters] == before
        taken = Counter(each.subject for letter in fixture.queue.visits() for each in letter.errands)
        assert {taken[target(key)] for key in KEYS} == {1}

    def test_the_records_of_a_repository_have_their_turns_one_after_another_once_a_day(
        self, fixture: CheckFunctionFixture, store: MemoryStore
    ) -> None:
        for key in KEYS:
            add(store, key)
        fixture.tick(95)
        assert Counter(fixture.hosts.requested) == {f"https://{key}.example/": 1 for key in KEYS}
        fixture.tick(95)
        assert Counter(fixture.hosts.requested) == {f"https://{key}.example/": 2 for key in KEYS}

    def test_more_records_than_a_day_takes_continue_the_next_day(self, store: MemoryStore) -> None:
        fixture = CheckFunctionFixture(store, CheckSchedule(targets=24), FixedClock(NOON))
        for key in KEYS:
            add(store, key)
        fixture.tick(96)
        assert fixture.hosts.requested == [f"https://{key}.example/" for key in KEYS[:24]]
        fixture.tick(96)
        assert fixture.hosts.requested[:40] == [f"https://{key}.example/" for key in KEYS]
        assert fixture.hosts.requested[40:] == fixture.hosts.requested[:8]

    def test_none_are_checked_where_that_is_switched_off(self, store: MemoryStore) -> None:
        fixture = CheckFunctionFixture(store, CheckSchedule(targets=0), FixedClock(NOON))
        add(store, KEYS[0])
        register(store)
        fixture.tick(100)
        assert {host_of(url) for url in fixture.hosts.requested} == {"a.example", "b.example"}

    def test_a_target_without_redirects_is_not_checked(self, fixture: CheckFunctionFixture, store: MemoryStore) -> None:
        add(store, KEYS[0], status=RESERVED)
        add(store, KEYS[1], status=WITHDRAWN)
        fixture.tick(100)
        assert fixture.hosts.requested == []

    def test_records_of_one_host_wait_for_their_turn_and_all_of_them_have_it(self, store: MemoryStore) -> None:
        fixture = CheckFunctionFixture(store, CheckSchedule(targets=9_600), FixedClock(NOON))
        for key in KEYS:
            add(store, key, f"https://a.example/{key}")
        most = 0
        for _ in range(5):
            before = len(fixture.hosts.requested)
            fixture.tick()
            most = max(most, len(fixture.hosts.requested) - before)
        assert most == 15
        assert Counter(fixture.hosts.requested) == {f"https://a.example/{key}": 1 for key in KEYS}

    def test_one_record_of_many_locations_on_a_host_does_not_stand_in_the_way(self, store: MemoryStore) -> None:
        """Nor is its host asked for all of them at once: others have their turn in the next round."""
        fixture = CheckFunctionFixture(store, CheckSchedule(targets=9_600), FixedClock(NOON))
        add(store, KEYS[0], *(f"https://a.example/{number}" for number in range(20)))
        add(store, KEYS[1], "https://a.example/last")
        fixture.tick(2)
        assert len({*fixture.hosts.requested[:15]}) == 15
        assert fixture.hosts.requested[15:] == ["https://a.example/last"]
        fixture.tick(4 * 96)
        assert len({*fixture.hosts.requested}) == 21

    def test_repositories_have_the_first_place_by_turns(self, store: MemoryStore) -> None:
        fixture = CheckFunctionFixture(store, CheckSchedule(targets=96), FixedClock(NOON))
        owners = [f"r{number}" for number in range(30)]
        for owner in owners:
            store.create_repository(repository(owner))
            store.put_prefix(namespace(f"n{owner}", repository(owner)), None)
            made = record(KEYS[0], owner, records=(Location(f"https://a.example/{owner}"),))
            store.create_record(made)
        fixture.tick(8)
        assert Counter(fixture.hosts.requested) == {f"https://a.example/{owner}": 1 for owner in owners}

    def test_a_target_that_is_failing_is_checked_as_providers_are(
        self, fixture: CheckFunctionFixture, store: MemoryStore
    ) -> None:
        add(store, KEYS[0])
        fixture.hosts.sights[f"{KEYS[0]}.example"] = FAILS
        fixture.tick(96)
        first = len(fixture.hosts.requested)
        assert 3 + 4 + 15 <= first <= 3 + 4 + 24
        assert store.records_by_key[OWNER, KEYS[0]].health[f"https://{KEYS[0]}.example/"].state == DOWN
        fixture.hosts.sights.clear()
        fixture.tick(30)
        assert store.records_by_key[OWNER, KEYS[0]].health[f"https://{KEYS[0]}.example/"].state == UP


class TestKeeping:
    def test_one_that_stays_well_is_written_down_but_seldom(
        self, fixture: CheckFunctionFixture, store: MemoryStore
    ) -> None:
        register(store)
        fixture.tick(96)
        assert Counter(fixture.hosts.requested) == {f"https://{host}.example/go/0006915": 12 for host in "ab"}
        assert store.calls["put_check_state"] == 2 * 24 / (REWRITE_AFTER.total_seconds() / 3_600)
        assert store.calls["set_prefix_condition"] == 0

    def test_the_next_check_gets_the_stored_state(self, fixture: CheckFunctionFixture, store: MemoryStore) -> None:
        register(store)
        fixture.hosts.sights["a.example"] = replace(WELL, etag='"x"')
        fixture.tick(16)
        known = fixture.hosts.known["https://a.example/go/0006915"]
        assert known is not None
        assert known.etag == '"x"'

    @given(st.integers(0, 5), st.booleans())
    def test_news_is_what_another_would_act_upon(self, hours: int, again: bool) -> None:
        pulse = next_state(None, WELL, MOMENT, "https://a.example/")
        later = next_state(pulse, WELL, MOMENT + timedelta(hours=hours), "https://a.example/")
        assert not is_worth_writing(pulse, later)
        assert is_worth_writing(None, pulse)
        assert is_worth_writing(pulse, next_state(pulse, FAILS, later.checked, "https://a.example/"))
        assert is_worth_writing(pulse, next_state(pulse, WELL, MOMENT + REWRITE_AFTER, "https://a.example/"))
        assert is_worth_writing(
            pulse, next_state(pulse, replace(WELL, moved="https://b.example/"), later.checked, "https://a.example/")
        )
        assert is_worth_writing(
            pulse, next_state(pulse, replace(TOO_BUSY, pause=9), later.checked, "https://a.example/")
        )
        assert is_worth_writing(pulse, next_state(pulse, WELL, later.checked, "https://c.example/"))


class TestTelling:
    def test_one_that_fails_gives_way_at_once_and_returns_when_it_is_well_for_a_while(
        self, fixture: CheckFunctionFixture, store: MemoryStore
    ) -> None:
        register(store)
        fixture.hosts.sights["a.example"] = FAILS
        fixture.tick(8)
        names = ["p0", "p1"]
        assert preferred(names, there(store).health) == 1
        assert states(store)["p0"] in (DEGRADED, DOWN)
        fixture.tick(3)
        assert states(store)["p0"] == DOWN
        assert there(store).health["p0"].reason == "it answered 500"
        assert fixture.counted[WENT_DOWN] == 1
        fixture.hosts.sights.clear()
        for _ in range(10):
            if states(store)["p0"] == UP:
                break
            assert preferred(names, there(store).health) == 1
            fixture.tick()
        assert preferred(names, there(store).health) == 0

    def test_a_prefix_is_written_for_changes_and_not_for_each_check(
        self, fixture: CheckFunctionFixture, store: MemoryStore
    ) -> None:
        register(store)
        fixture.hosts.sights["a.example"] = FAILS
        fixture.tick(12)
        returned = store.calls["set_prefix_condition"]
        assert returned == 2  # degraded, down
        for status in (500, 502, 504):
            fixture.hosts.sights["a.example"] = CheckResult(BAD, f"it answered {status}", status)
            fixture.tick(4)
        assert store.calls["set_prefix_condition"] == returned
        fixture.hosts.sights["a.example"] = GONE
        fixture.tick(96)
        assert store.calls["set_prefix_condition"] == returned + 1

    def test_a_host_that_answers_every_other_time_never_comes_back(
        self, fixture: CheckFunctionFixture, store: MemoryStore
    ) -> None:
        """It was preferred once, gives way, and stays away: a hundred ticks, one change."""
        register(store)
        preferences = [0]
        for tick in range(100):
            fixture.hosts.sights["a.example"] = FAILS if tick % 2 else WELL
            fixture.tick()
            preferences.append(preferred(["p0", "p1"], there(store).health))
        assert sum(one != other for one, other in pairwise(preferences)) == 1
        assert preferences[-1] == 1
        assert states(store)["p0"] == DEGRADED

    def test_a_moved_target_is_reported_with_its_new_address(
        self, fixture: CheckFunctionFixture, store: MemoryStore
    ) -> None:
        add(store, KEYS[0])
        uri = f"https://{KEYS[0]}.example/"
        fixture.hosts.sights[uri] = replace(WELL, moved="https://new.example/")
        fixture.tick(96)
        condition = store.records_by_key[OWNER, KEYS[0]].health[uri]
        assert (condition.state, condition.moved) == (UP, "https://new.example/")
        ((subject, _),), _ = store.ailing(repository_owner(OWNER), 10, None)
        assert subject == target(KEYS[0])
        assert store.records_by_key[OWNER, KEYS[0]].version == 1

    def test_results_of_two_concurrent_batches_are_both_stored(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        """The second looks, keeps and tells between the first one's reading of pulses and its telling."""
        register(store)
        first, second = (
            CheckBatch(
                round(NOON.timestamp()),
                (CheckTask(CheckSubject(prefix_owner("go"), f"p{at}"), f"https://{host}/go/0006915"),),
            )
            for at, host in enumerate(("a.example", "b.example"))
        )
        fixture.hosts.sights = {"a.example": FAILS, "b.example": FAILS}
        tell, deeds = store.set_prefix_condition, [second]

        def interrupted(*arguments: Any) -> bool:
            if deeds:
                fixture.a_prober().run(deeds.pop(), float("inf"))
            return tell(*arguments)

        store.set_prefix_condition = interrupted  # type: ignore[method-assign,assignment]
        fixture.prober.run(first, float("inf"))
        assert states(store) == {"p0": DEGRADED, "p1": DEGRADED}

    def test_a_lost_change_is_written_by_the_next_check_of_any_address(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        register(store)
        fixture.hosts.sights["a.example"] = FAILS
        fixture.tick(12)
        store.set_prefix_condition("go", 1, {})
        fixture.hosts.sights["a.example"] = FAILS
        fixture.tick(8)
        assert states(store)["p0"] == DOWN


class TestWhatIsGone:
    def test_the_check_state_of_a_provider_that_is_gone_is_purged(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        register(store)
        fixture.hosts.sights["a.example"] = FAILS
        fixture.tick(8)
        errand = CheckTask(CheckSubject(prefix_owner("go"), "p0"), "https://a.example/go/0006915")
        before = there(store)
        store.put_prefix(replace(before, providers=before.providers[1:], revision=2), before)
        fixture.prober.run(CheckBatch(round(fixture.clock.now().timestamp()) + 1, (errand,)), float("inf"))
        assert set(store.check_states_by_subject) == {CheckSubject(prefix_owner("go"), "p1")}

    def test_what_was_seen_of_another_url_counts_for_nothing(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        register(store)
        fixture.tick(8)
        before = there(store)
        new = (Provider("p0", "https://new.example/{$id}"), before.providers[1])
        store.put_prefix(replace(before, providers=new, revision=2), before)
        fixture.hosts.sights["a.example"] = FAILS
        errand = CheckTask(CheckSubject(prefix_owner("go"), "p0"), "https://a.example/go/0006915")
        fixture.prober.run(CheckBatch(round(fixture.clock.now().timestamp()) + 1, (errand,)), float("inf"))
        assert there(store).health == {}
        fixture.hosts.sights = {"new.example": FAILS}
        fixture.tick(8)
        assert states(store)["p0"] != UP

    def test_that_of_a_withdrawn_record_is_purged_too(self, store: MemoryStore, fixture: CheckFunctionFixture) -> None:
        made = add(store, KEYS[0])
        fixture.hosts.sights[f"{KEYS[0]}.example"] = FAILS
        fixture.tick(96)
        assert target(KEYS[0]) in store.check_states_by_subject
        store.replace_record(replace(made, version=2, status=WITHDRAWN), made)
        fixture.tick(30)
        assert target(KEYS[0]) not in store.check_states_by_subject
        assert store.records_by_key[OWNER, KEYS[0]].health == {}

    def test_a_record_that_changes_during_its_check_gets_no_condition(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        made = add(store, KEYS[0])
        errand = CheckTask(target(KEYS[0]), f"https://{KEYS[0]}.example/")
        fixture.hosts.sights[errand.url] = FAILS
        tell = store.set_record_condition

        def changed(*arguments: Any) -> bool:
            store.replace_record(replace(made, version=2), made)
            return tell(*arguments)

        store.set_record_condition = changed  # type: ignore[method-assign,assignment]
        fixture.prober.run(CheckBatch(round(NOON.timestamp()), (errand,)), float("inf"))
        assert store.records_by_key[OWNER, KEYS[0]].health == {}


def visits(count: int, host: str = "a.example", at: datetime = NOON) -> CheckBatch:
    errands = (
        CheckTask(CheckSubject(prefix_owner("go"), f"p{each}"), f"https://{host}/go/{each}") for each in range(count)
    )
    return CheckBatch(round(at.timestamp()), tuple(errands))


class TestPoliteness:
    def test_a_host_that_is_too_busy_is_left_alone_and_nothing_is_concluded(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        register(store)
        fixture.hosts.sights["a.example"] = TOO_BUSY
        fixture.prober.run(visits(5), float("inf"))
        fixture.prober.run(visits(5), float("inf"))
        assert len(fixture.hosts.requested) == 1
        fixture.clock.pause(15 * 60_000)
        fixture.prober.run(visits(5, at=fixture.clock.now()), float("inf"))
        assert len(fixture.hosts.requested) == 2
        assert there(store).health == {}

    def test_one_that_says_for_how_long_is_believed_also_by_others(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        register(store)
        errand = CheckTask(CheckSubject(prefix_owner("go"), "p0"), "https://a.example/go/0006915")
        fixture.hosts.sights["a.example"] = replace(TOO_BUSY, pause=7_200)
        for seconds in (0, 1, 7_199, 7_200):
            fixture.clock.moment = NOON + timedelta(seconds=seconds)
            again = CheckBatch(round(fixture.clock.now().timestamp()), (errand,))
            fixture.a_prober().run(again, float("inf"))  # each in an environment that knows no more than the table
        assert len(fixture.hosts.requested) == 2
        assert fixture.counted[PROBE_BUSY] == 2

    def test_a_host_whose_name_is_too_long_for_a_key_holds_up_no_other(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        url = f"https://{'é.' * 600}example/"
        errand = CheckTask(target(add(store, KEYS[0], url).id, url), url)
        requested: list[CheckSubject] = []
        ask = store.check_states

        def noted(subjects: Sequence[CheckSubject]) -> Mapping[CheckSubject, CheckState]:
            requested.extend(subjects)
            return ask(subjects)

        store.check_states = noted  # type: ignore[method-assign]
        fixture.prober.run(CheckBatch(round(NOON.timestamp()), (errand, *visits(1).errands)), float("inf"))
        assert CheckSubject("host:a.example", "busy") in requested
        assert all(len(each.owner) <= 300 for each in requested)

    def test_so_it_is_for_all_that_is_at_the_host(self, store: MemoryStore, fixture: CheckFunctionFixture) -> None:
        register(store, "go", "a.example", "a.example")
        fixture.hosts.sights["a.example"] = replace(TOO_BUSY, pause=7_200)
        for seconds, code in ((0, "p0"), (900, "p1"), (7_199, "p1"), (7_200, "p1")):
            fixture.clock.moment = NOON + timedelta(seconds=seconds)
            errand = CheckTask(CheckSubject(prefix_owner("go"), code), "https://a.example/go/0006915")
            fixture.a_prober().run(CheckBatch(round(fixture.clock.now().timestamp()), (errand,)), float("inf"))
        assert len(fixture.hosts.requested) == 2


class TestRegions:
    """A write to a row from two regions is one write: the later stays, and the other is lost without a trace."""

    HERE, THERE = Region("eu-west-1", "eu-west-1"), Region("us-east-1", "eu-west-1")

    def at_home(self, store: MemoryStore, home: str | None, settled: datetime | None = None) -> CheckTask:
        made = add(store, KEYS[0])
        before = store.repositories[OWNER]
        store.change_repository(replace(before, home=home, settled=settled, revision=before.revision + 1), before)
        return CheckTask(target(KEYS[0]), made.records[0].uri)

    @pytest.mark.parametrize(("home", "region"), [(None, HERE), ("eu-west-1", HERE), ("us-east-1", THERE)])
    def test_rows_of_a_region_are_checked_there_only(
        self, store: MemoryStore, home: str | None, region: Region
    ) -> None:
        self.at_home(store, home)
        register(store)
        requested = {}
        for each in (self.HERE, self.THERE):
            fixture = CheckFunctionFixture(store, clock=FixedClock(NOON), region=each)
            fixture.tick(96)
            requested[each.name] = {host_of(url) for url in fixture.hosts.requested}
        assert requested["eu-west-1"] >= {"a.example", "b.example"}
        assert [name for name, hosts in requested.items() if f"{KEYS[0]}.example" in hosts] == [region.name]

    @pytest.mark.parametrize(("home", "region"), [(None, HERE), ("eu-west-1", HERE), ("us-east-1", THERE)])
    def test_the_index_of_changes_is_completed_there_only_and_within_limits(
        self, store: MemoryStore, home: str | None, region: Region
    ) -> None:
        self.at_home(store, home)
        for each in (self.HERE, self.THERE):
            with patch.object(store, "complete", side_effect=lambda _, limit: limit) as complete:
                CheckFunctionFixture(store, clock=FixedClock(NOON), region=each).tick(2)
            expected = [call(OWNER, 30_000)] * 2 if each == region else []
            assert complete.call_args_list == expected

    @pytest.mark.parametrize(
        ("home", "settled", "returned"),
        [(None, None, True), ("us-east-1", None, False), ("eu-west-1", NOON + timedelta(seconds=1), False)],
    )
    def test_a_record_with_another_or_a_moving_home_gets_no_condition(
        self, store: MemoryStore, home: str | None, settled: datetime | None, returned: bool
    ) -> None:
        errand = self.at_home(store, home, settled)
        fixture = CheckFunctionFixture(store, clock=FixedClock(NOON), region=self.HERE)
        fixture.hosts.sights[errand.url] = FAILS
        fixture.prober.run(CheckBatch(round(NOON.timestamp()), (errand,)), float("inf"))
        assert bool(store.records_by_key[OWNER, KEYS[0]].health) is returned


class TestTime:
    def test_tasks_without_time_get_a_check_batch_of_their_own(self, fixture: CheckFunctionFixture) -> None:
        fixture.hosts.each_look = 10
        fixture.prober.run(visits(5), 25)
        (left,) = fixture.queue.visits()
        assert fixture.hosts.requested == [each.url for each in visits(3).errands]
        assert left == CheckBatch(visits(1).at, visits(5).errands[3:])

    def test_without_any_time_the_check_batch_is_retried(self, fixture: CheckFunctionFixture) -> None:
        with pytest.raises(OutOfTime):
            fixture.prober.run(visits(3), 0)
        event = {"Records": [{"eventSource": "aws:sqs", "messageId": "m", "body": visits(3).text()}]}
        assert fixture.probe(event, 1) == {"batchItemFailures": [{"itemIdentifier": "m"}]}
        assert not fixture.queue.letters

    def test_checks_that_waited_too_long_are_not_made(self, fixture: CheckFunctionFixture) -> None:
        fixture.clock.pause((STALE_SECONDS + 1) * 1_000)
        assert fixture.service.handle_message(visits(3), float("inf")) is True
        assert fixture.hosts.requested == []
        assert fixture.counted[PROBE_DROPPED] == 3

    def test_a_tick_that_is_over_is_not_planned(self, fixture: CheckFunctionFixture, store: MemoryStore) -> None:
        register(store, "go", *(f"h{number}.example" for number in range(20)))
        fixture.service.plan_tick(fixture.clock.now() - timedelta(seconds=2 * TICK_SECONDS))
        assert not fixture.queue.letters
        for late in (-TICK_SECONDS, 0):
            fixture.service.plan_tick(fixture.clock.now() + timedelta(seconds=late))
        assert fixture.queue.letters


class TestClocks:
    @pytest.mark.parametrize("sight", [WELL, FAILS, replace(TOO_BUSY, pause=86_400)])
    def test_one_that_was_years_ahead_keeps_nobody_from_being_checked(
        self, store: MemoryStore, fixture: CheckFunctionFixture, sight: CheckResult
    ) -> None:
        register(store)
        add(store, KEYS[0])
        fixture.clock.moment = NOON + timedelta(days=3_650)
        fixture.hosts.sights = {"a.example": sight, f"{KEYS[0]}.example": sight}
        fixture.tick(96)
        fixture.clock.moment = NOON
        fixture.hosts.sights = {"a.example": GONE}
        fixture.hosts.requested.clear()
        fixture.tick(96)
        assert {host_of(url) for url in fixture.hosts.requested} == {"a.example", "b.example", f"{KEYS[0]}.example"}
        assert states(store)["p0"] != UP


class TestTwice:
    def test_a_repeated_check_batch_repeats_no_check_with_a_result(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        register(store)
        fixture.hosts.sights = {"a.example": FAILS}
        errand = CheckTask(CheckSubject(prefix_owner("go"), "p0"), "https://a.example/go/0006915")
        for _ in range(5):
            fixture.prober.run(CheckBatch(round(NOON.timestamp()), (errand,)), float("inf"))
        assert len(fixture.hosts.requested) == 1
        assert states(store) == {"p0": DEGRADED}

    @pytest.mark.parametrize("when", ["before", "after"])
    @pytest.mark.parametrize(
        "name",
        [
            "check_states",
            "prefixes",
            "records",
            "put_check_state",
            "set_prefix_condition",
            "set_record_condition",
            "webhook",
            "delete_check_state",
        ],
    )
    def test_after_any_store_failure_the_retried_check_batch_completes_everything(self, when: str, name: str) -> None:
        store = MemoryStore()
        register(store)
        made = add(store, KEYS[0])
        store.put_webhook(OWNER, Webhook("https://hook.example/", new_secret(SeededEntropy()), MOMENT))
        gone = CheckSubject(prefix_owner("go"), "gone")
        store.put_check_state(gone, CheckState(url="https://a.example/", state=UP, since=MOMENT, checked=MOMENT))
        fixture = CheckFunctionFixture(FailingStore(store, when, name, times=1), clock=FixedClock(NOON))
        fixture.hosts.sights = {"a.example": FAILS, f"{KEYS[0]}.example": FAILS}
        errands = (
            CheckTask(CheckSubject(prefix_owner("go"), "p0"), "https://a.example/go/0006915"),
            CheckTask(gone, "https://a.example/"),
            CheckTask(target(KEYS[0]), made.records[0].uri),
        )
        letter = CheckBatch(round(NOON.timestamp()), errands)
        event = {"Records": [{"eventSource": "aws:sqs", "messageId": "m", "body": letter.text()}]}
        assert fixture.probe(event, 60) == {"batchItemFailures": [{"itemIdentifier": "m"}]}
        assert fixture.counted[STORE_ERROR] == 1
        assert fixture.probe(event, 60) == {"batchItemFailures": []}
        assert states(store)["p0"] == DEGRADED
        assert store.records_by_key[OWNER, KEYS[0]].health[made.records[0].uri].state == DEGRADED
        assert gone not in store.check_states_by_subject
        assert len(fixture.queue.notices()) == 1

    @pytest.mark.parametrize("name", ["list_prefixes", "list_records", "ailing", "ailing_scan", "cursor", "put_cursor"])
    def test_a_tick_whose_planning_fails_can_be_planned_again(self, store: MemoryStore, name: str) -> None:
        register(store)
        for key in KEYS:
            add(store, key)
        fixture = CheckFunctionFixture(
            FailingStore(store, "before", name, times=1), CheckSchedule(hours=1, targets=9_600), FixedClock(NOON)
        )
        tick = fixture.planner.schedule.tick_of(NOON)
        with pytest.raises(StoreUnavailable):
            fixture.planner.plan(tick)
        fixture.planner.plan(tick)
        fixture.work()
        assert Counter(fixture.hosts.requested).keys() >= {f"https://{key}.example/" for key in KEYS}
        assert set(Counter(fixture.hosts.requested).values()) == {1}


class TestOurOwnBlindness:
    def visits(self, hosts: int) -> CheckBatch:
        errands = (
            CheckTask(CheckSubject(prefix_owner(f"p{at}"), "p0"), f"https://h{at}.example/p{at}/0006915")
            for at in range(hosts)
        )
        return CheckBatch(round(NOON.timestamp()), tuple(errands))

    @pytest.mark.parametrize(
        ("hosts", "sight", "blind"),
        [
            (MIN_SILENT_HOSTS, GONE, True),
            (MIN_SILENT_HOSTS, NAMELESS, True),
            (MIN_SILENT_HOSTS - 1, GONE, False),
            (MIN_SILENT_HOSTS, FAILS, False),
        ],
    )
    def test_if_no_host_answers_the_results_are_discarded(
        self, store: MemoryStore, fixture: CheckFunctionFixture, hosts: int, sight: CheckResult, blind: bool
    ) -> None:
        for number in range(hosts):
            register(store, f"p{number}", f"h{number}.example")
            fixture.hosts.sights[f"h{number}.example"] = sight
        fixture.prober.run(self.visits(hosts), float("inf"))
        assert bool(fixture.counted[PROBE_BLIND]) is blind
        assert bool(store.check_states_by_subject) is not blind

    def test_names_that_cannot_be_looked_up_are_no_sign_that_we_see(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        """Some were looked up before our name servers went, and only then was there no way to them."""
        for number in range(8):
            register(store, f"p{number}", f"h{number}.example")
            fixture.hosts.sights[f"h{number}.example"] = GONE if number % 2 else NAMELESS
        fixture.prober.run(self.visits(8), float("inf"))
        assert fixture.counted[PROBE_BLIND] == 1
        assert not store.check_states_by_subject

    def test_runs_that_are_too_short_are_combined(self, store: MemoryStore, fixture: CheckFunctionFixture) -> None:
        for number in range(8):
            register(store, f"p{number}", f"h{number}.example")
            fixture.hosts.sights[f"h{number}.example"] = WELL if number == 6 else GONE
        for number, letter in enumerate(self.visits(8).errands):
            fixture.prober.run(CheckBatch(round(NOON.timestamp()), (letter,)), float("inf"))
            assert fixture.counted[PROBE_BLIND] == max(0, min(number - MIN_SILENT_HOSTS + 2, 2))
        returned = [number for number in range(8) if states(store, f"p{number}")]
        assert returned == [*range(MIN_SILENT_HOSTS - 1), 7]

    def test_one_that_answers_is_enough_to_believe_it_of_the_others(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        for number in range(8):
            register(store, f"p{number}", f"h{number}.example")
            fixture.hosts.sights[f"h{number}.example"] = GONE if number else WELL
        fixture.prober.run(self.visits(8), float("inf"))
        assert fixture.counted[PROBE_BLIND] == 0
        assert states(store, "p1") == {"p0": DEGRADED}


class TestWebhooks:
    @pytest.fixture(autouse=True)
    def webhook(self, store: MemoryStore) -> Webhook:
        webhook = Webhook("https://hook.example/x", new_secret(SeededEntropy()), MOMENT)
        add(store, KEYS[0])
        add(store, KEYS[1])
        store.put_webhook(OWNER, webhook)
        return webhook

    def test_changes_are_sent_once_in_one_signed_notice(
        self, store: MemoryStore, fixture: CheckFunctionFixture, webhook: Webhook
    ) -> None:
        uris = [f"https://{key}.example/" for key in KEYS[:2]]
        fixture.hosts.sights = dict.fromkeys(uris, FAILS)
        errands = tuple(CheckTask(target(key), uri) for key, uri in zip(KEYS, uris, strict=False))
        fixture.queue.send([CheckBatch(round(NOON.timestamp()), errands)])
        fixture.work()
        fixture.work()
        ((url, body, headers),) = fixture.hosts.posted
        assert url == webhook.url
        assert headers["webhook-signature"] == signature(
            webhook.secret, headers["webhook-id"], headers["webhook-timestamp"], body
        )
        returned = json.loads(body)
        assert returned["data"]["repository"] == OWNER
        assert [(each["uri"], each["was"], each["state"]) for each in returned["data"]["changes"]] == [
            (uri, UP, DEGRADED) for uri in uris
        ]
        fixture.tick()
        states = [json.loads(body)["data"]["changes"] for _, body, _ in fixture.hosts.posted]
        assert len(states) == 1  # still degraded: no news

    def test_conditions_beyond_the_limit_are_not_written_at_each_check(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        uris = [f"https://{at}.example/{'x' * 1_800}" for at in range(12)]
        add(store, KEYS[2], *uris)
        fixture.hosts.sights = dict.fromkeys(uris, FAILS)
        for at in range(4):
            moment = NOON + timedelta(seconds=at * TICK_SECONDS)
            fixture.clock.moment = moment
            errands = tuple(CheckTask(target(KEYS[2], uri), uri) for uri in uris)
            fixture.queue.send([CheckBatch(round(moment.timestamp()), errands)])
            fixture.work()
        assert len(fixture.hosts.posted) == 2  # degraded, down

    def test_it_is_tried_again_for_a_day_and_then_given_up(self, fixture: CheckFunctionFixture) -> None:
        notice = WebhookNotice(round(NOON.timestamp()), OWNER, {"type": "links.changed"})
        fixture.hosts.sights["https://hook.example/x"] = FAILS
        assert fixture.service.handle_message(notice, float("inf")) is False
        event = {"Records": [{"eventSource": "aws:sqs", "messageId": "m", "body": notice.text()}]}
        assert fixture.probe(event, 60) == {"batchItemFailures": [{"itemIdentifier": "m"}]}
        fixture.clock.pause(RETRY_SECONDS * 1_000)
        assert fixture.service.handle_message(notice, float("inf")) is True
        assert fixture.counted[UNDELIVERED] == 1
        assert {headers["webhook-id"] for _, _, headers in fixture.hosts.posted} == {
            fixture.hosts.posted[0][2]["webhook-id"]
        }

    def test_an_address_that_answers_410_is_not_requested_again(self, fixture: CheckFunctionFixture) -> None:
        fixture.hosts.sights["https://hook.example/x"] = CheckResult(BAD, "it answered 410", 410)
        assert fixture.service.handle_message(WebhookNotice(round(NOON.timestamp()), OWNER, {}), float("inf")) is True

    def test_a_removed_webhook_gets_no_notice(self, store: MemoryStore, fixture: CheckFunctionFixture) -> None:
        store.delete_webhook(OWNER)
        assert fixture.service.handle_message(WebhookNotice(1, OWNER, {}), float("inf")) is True
        assert fixture.hosts.posted == []

    def test_neither_logs_nor_metrics_name_an_address_or_an_identifier(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        register(store)
        fixture.hosts.sights = {"a.example": FAILS, "hook.example": FAILS, f"{KEYS[0]}.example": GONE}
        fixture.tick(20)
        assert fixture.log.entries
        for _, returned in fixture.log.entries:
            assert ".example" not in returned.replace("https://hook", "")
            assert "prefix:" not in returned
            assert OWNER not in returned


class TestTheFunction:
    def test_it_takes_events_of_the_schedule_and_of_the_queue_and_no_others(
        self, store: MemoryStore, fixture: CheckFunctionFixture
    ) -> None:
        register(store)
        for _ in range(8):
            fixture.clock.pause(TICK_SECONDS * 1_000)
            rings = {
                "source": "aws.events",
                "detail-type": "Scheduled Event",
                "time": f"{fixture.clock.now():%Y-%m-%dT%H:%M:%SZ}",
            }
            assert fixture.probe(rings, 100) == {"batchItemFailures": []}
            records = [
                {"eventSource": "aws:sqs", "messageId": str(at), "body": each.text()}
                for at, each in enumerate(fixture.queue.letters)
            ]
            fixture.queue.letters.clear()
            if records:
                assert fixture.probe({"Records": records}, 100) == {"batchItemFailures": []}
        assert len(fixture.hosts.requested) == 2
        strangers: list[dict[str, Any]] = [
            {},
            {"Records": []},
            {"Records": [{"eventSource": "aws:dynamodb"}]},
            {"source": "somebody"},
        ]
        for event in strangers:
            with pytest.raises(ValueError, match="neither from the schedule nor from the queue"):
                fixture.probe(event, 100)

    def test_an_unreadable_message_fails_alone(self, fixture: CheckFunctionFixture) -> None:
        records = [
            {"eventSource": "aws:sqs", "messageId": each, "body": body}
            for each, body in (("a", "no"), ("b", WebhookNotice(1, "r4k2", {}).text()))
        ]
        assert fixture.probe({"Records": records}, 100) == {"batchItemFailures": [{"itemIdentifier": "a"}]}
        assert fixture.counted[PROBE_UNREADABLE] == 1


class TestSettings:
    @pytest.mark.parametrize(
        "returned",
        [{HOURS: "0"}, {HOURS: "x"}, {TARGETS: "-1"}, {TARGETS: "1.5"}, {NETWORKS: "10.0.0.1/8"}, {NETWORKS: "x"}],
    )
    def test_what_cannot_be_is_refused(self, returned: dict[str, str]) -> None:
        with pytest.raises(InvalidSettings):
            assert (check_schedule(returned), allowed_networks(returned)) is None

    def test_what_is_not_said_is_as_usual(self) -> None:
        assert check_schedule({}) == check_schedule({HOURS: "", TARGETS: ""}) == CheckSchedule()
        assert allowed_networks({}) == allowed_networks({NETWORKS: ""}) == ()
        assert check_schedule({TARGETS: "0"}, 60) == CheckSchedule(60, 2, 0)
