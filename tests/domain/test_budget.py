"""The budget of one request: what is used up is refused before it is spent, and nothing else is."""

from collections.abc import Callable

import pytest

from coolid.errors import LineNotTried
from coolid.resolution.request_budget import (
    MOST_KEYS,
    MOST_MILLISECONDS,
    MOST_PROCESSOR_SECONDS,
    MOST_SUGGESTING,
    Budget,
)
from tests.fakes import FixedClock, FixedProcessorClock


class TestReads:
    def test_keys_are_charged_until_too_few_are_left_and_a_refused_charge_takes_nothing(self) -> None:
        budget = Budget(FixedClock(), FixedProcessorClock(), keys=10)
        budget.charge(7)
        with pytest.raises(LineNotTried, match="read capacity"):
            budget.charge(4)
        budget.charge(3)
        budget.charge(0)
        with pytest.raises(LineNotTried, match="read capacity"):
            budget.charge(1)

    def test_a_request_reads_five_hundred_keys_unless_another_limit_is_set(self) -> None:
        budget = Budget(FixedClock(), FixedProcessorClock())
        budget.charge(MOST_KEYS)
        assert MOST_KEYS == 500
        with pytest.raises(LineNotTried):
            budget.charge(1)


class TestTime:
    @pytest.mark.parametrize("call", [Budget.check, lambda budget: budget.charge(1)], ids=["check", "charge"])
    def test_wall_time_ends_it(self, call: Callable[[Budget], None]) -> None:
        clock = FixedClock()
        budget = Budget(clock, FixedProcessorClock())
        clock.pause(MOST_MILLISECONDS - 1)
        call(budget)
        clock.pause(1)
        with pytest.raises(LineNotTried, match="no time"):
            call(budget)

    @pytest.mark.parametrize("call", [Budget.check, lambda budget: budget.charge(1)], ids=["check", "charge"])
    def test_processor_time_ends_it_whatever_the_processor_did_before(self, call: Callable[[Budget], None]) -> None:
        processor = FixedProcessorClock()
        processor.used = 1_000.0
        budget = Budget(FixedClock(), processor)
        processor.used += MOST_PROCESSOR_SECONDS * 0.99
        call(budget)
        processor.used += MOST_PROCESSOR_SECONDS * 0.01
        with pytest.raises(LineNotTried, match="no time"):
            call(budget)


class TestResponse:
    def test_the_last_result_may_be_larger_than_what_is_left(self) -> None:
        budget = Budget(FixedClock(), FixedProcessorClock(), response_bytes=100)
        budget.fill(99)
        budget.check()
        budget.fill(5_000)
        with pytest.raises(LineNotTried, match="no room"):
            budget.check()

    def test_only_the_first_refusals_have_suggestions(self) -> None:
        budget = Budget(FixedClock(), FixedProcessorClock())
        keys = []
        for _ in range(MOST_SUGGESTING + 2):
            keys.append(budget.suggestion_keys())
            budget.refuse()
        assert all(keys[:MOST_SUGGESTING])
        assert keys[MOST_SUGGESTING:] == [0, 0]
