"""The contracts of `CheckStateStore` and `CheckCursorStore`."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.health.circuit_breaker import next_state
from coolid.model.check_state import (
    BAD,
    BUSY,
    GOOD,
    AilingScan,
    CheckCursor,
    CheckResult,
    CheckState,
    CheckSubject,
    ScanMark,
    prefix_owner,
    repository_owner,
    target_name,
)
from coolid.model.conditions import DEGRADED, DOWN, STATES, UP
from coolid.store.store import Store
from tests.support.builders.samples import LATER, MOMENT, moments, text
from tests.support.effort import examples

OWNER = "r4k2-9m3x-62"
KEY = "tw0tywdj94"
URL = "https://a.example/"
HERE = CheckSubject(repository_owner(OWNER), target_name(KEY, URL))
DEAD = CheckState(
    url=URL, state=DOWN, since=MOMENT, checked=LATER, reason="it answered 404", streak=-3, falls=(MOMENT,)
)
pulses = st.builds(
    CheckState,
    url=text,
    state=st.sampled_from(STATES),
    since=moments,
    checked=moments,
    good=st.none() | moments,
    streak=st.integers(-100, 100),
    falls=st.lists(moments, max_size=4).map(tuple),
    reason=text,
    status=st.none() | st.integers(100, 599),
    moved=st.none() | text,
    until=st.none() | moments,
    etag=st.none() | text,
    modified=st.none() | text,
)


class TestCheckRequests:
    def test_requests_are_taken_once_the_oldest_first(self, store: Store) -> None:
        assert list(store.check_requests.take_check_requests(10)) == []
        for name in ("3", "1", "2", "1"):
            store.check_requests.put_check_request(name, f"message {name}", 1_900_000_000)
        assert list(store.check_requests.take_check_requests(2)) == ["message 1", "message 2"]
        assert list(store.check_requests.take_check_requests(2)) == ["message 3"]
        assert list(store.check_requests.take_check_requests(2)) == []


class TestCheckStates:
    def test_one_that_was_stored_is_there_until_it_is_purged(self, store: Store) -> None:
        other = CheckSubject(HERE.owner, target_name(KEY, "https://b.example/"))
        assert store.check_states.check_states([HERE]) == {}
        store.check_states.put_check_state(HERE, DEAD)
        assert store.check_states.check_states([HERE, other, HERE]) == {HERE: DEAD}
        better = next_state(DEAD, CheckResult(GOOD, status=200, etag='W/"é"', modified="Mon"), LATER, URL)
        store.check_states.put_check_state(HERE, better)
        assert store.check_states.check_states([HERE]) == {HERE: better}
        store.check_states.delete_check_state(HERE)
        store.check_states.delete_check_state(HERE)
        assert store.check_states.check_states([HERE, other]) == {}

    def test_every_one_comes_back_as_it_was(self, store: Store) -> None:
        @examples(8)
        @given(pulses, st.sampled_from([BAD, BUSY, GOOD]))
        def check(pulse: CheckState, verdict: str) -> None:
            for each in (pulse, next_state(pulse, CheckResult(verdict, "why", 200, pause=9), pulse.checked, pulse.url)):
                store.check_states.put_check_state(HERE, each)
                assert store.check_states.check_states([HERE]) == {HERE: each}

        check()

    def test_a_hundred_can_be_requested_at_once(self, store: Store) -> None:
        subjects = [CheckSubject(prefix_owner(f"p{number}"), "ols") for number in range(100)]
        for subject in subjects[::20]:
            store.check_states.put_check_state(subject, DEAD)
        assert store.check_states.check_states(subjects) == dict.fromkeys(subjects[::20], DEAD)
        assert store.check_states.check_states([]) == {}

    def test_the_longest_name_that_is_checked_can_be_stored(self, store: Store) -> None:
        longest = CheckSubject(HERE.owner, target_name("é" * 500 + "x", URL))
        assert len(longest.name.encode()) == 1024
        store.check_states.put_check_state(longest, DEAD)
        assert store.check_states.check_states([longest]) == {longest: DEAD}


class TestAiling:
    def test_an_owners_are_listed_in_the_order_of_their_names_page_by_page(self, store: Store) -> None:
        well, moved = replace(DEAD, state=UP), replace(DEAD, state=UP, moved="https://b.example/")
        degraded = replace(DEAD, state=DEGRADED)
        expected = []
        for number in range(20):
            subject = CheckSubject(HERE.owner, target_name(f"{number:02}", URL))
            pulse = (DEAD, well, moved, degraded)[number % 4]
            store.check_states.put_check_state(subject, pulse)
            if pulse != well:
                expected.append((subject, pulse))
        store.check_states.put_check_state(CheckSubject(prefix_owner("go"), "ols"), DEAD)
        for limit in (1, 4, 14, 15, 16):
            found: list[Any] = []
            place = None
            while True:
                page, place = store.check_states.ailing(HERE.owner, limit, place)
                assert len(page) == min(limit, len(expected) - len(found))
                found += page
                if place is None:
                    break
            assert found == expected

    def test_one_that_is_well_again_or_forgotten_is_listed_no_more(self, store: Store) -> None:
        other = CheckSubject(HERE.owner, target_name("x", URL))
        for subject in (HERE, other):
            store.check_states.put_check_state(subject, DEAD)
        store.check_states.put_check_state(HERE, replace(DEAD, state=UP))
        store.check_states.delete_check_state(other)
        assert store.check_states.ailing(HERE.owner, 10, None) == ([], None)


class TestCheckCursors:
    def test_the_cursor_is_stored_by_repository_and_is_no_check_state(self, store: Store) -> None:
        assert store.check_cursors.cursor(OWNER) is None
        for stored in (CheckCursor(MOMENT), CheckCursor(MOMENT, "tw0", done=True), CheckCursor(LATER, "é")):
            store.check_cursors.put_cursor(OWNER, stored)
            assert store.check_cursors.cursor(OWNER) == stored
        assert store.check_cursors.cursor("zzzz-zzzz-90") is None
        assert store.check_cursors.ailing_scan() is None
        for scan in (AilingScan(7), AilingScan(8, HERE, (ScanMark(HERE, 8),), AilingScan(7))):
            store.check_cursors.put_ailing_scan(scan)
            assert store.check_cursors.ailing_scan() == scan
        assert store.check_cursors.cursor(OWNER) == stored
        assert store.check_states.ailing(HERE.owner, 10, None) == ([], None)
