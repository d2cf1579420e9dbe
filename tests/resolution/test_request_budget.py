"""The request budget: costs over the limit are refused before they arise, and nothing else is."""

from collections.abc import Callable

import pytest

from coolid.errors import LineNotTried
from coolid.resolution.request_budget import (
    MAX_KEYS,
    MAX_MILLISECONDS,
    MAX_PROCESSOR_SECONDS,
    MAX_REFUSALS_WITH_SUGGESTIONS,
    Budget,
)
from tests.support.fixtures.ports import FixedClock, FixedProcessorClock


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
        budget.charge(MAX_KEYS)
        assert MAX_KEYS == 500
        with pytest.raises(LineNotTried):
            budget.charge(1)


class TestTime:
    @pytest.mark.parametrize("call", [Budget.check, lambda budget: budget.charge(1)], ids=["check", "charge"])
    def test_wall_time_ends_it(self, call: Callable[[Budget], None]) -> None:
        clock = FixedClock()
        budget = Budget(clock, FixedProcessorClock())
        clock.pause(MAX_MILLISECONDS - 1)
        call(budget)
        clock.pause(1)
        with pytest.raises(LineNotTried, match="no time"):
            call(budget)

    @pytest.mark.parametrize("call", [Budget.check, lambda budget: budget.charge(1)], ids=["check", "charge"])
    def test_processor_time_ends_it_whatever_the_processor_did_before(self, call: Callable[[Budget], None]) -> None:
        processor = FixedProcessorClock()
        processor.used = 1_000.0
        budget = Budget(FixedClock(), processor)
        processor.used += MAX_PROCESSOR_SECONDS * 0.99
        call(budget)
        processor.used += MAX_PROCESSOR_SECONDS * 0.01
        with pytest.raises(LineNotTried, match="no time"):
            call(budget)


class TestResponse:
    def test_the_last_result_may_be_larger_than_what_is_left(self) -> None:
        budget = Budget(FixedClock(), FixedProcessorClock(), response_bytes=100)
        budget.charge_response(99)
        budget.check()
        budget.charge_response(5_000)
        with pytest.raises(LineNotTried, match="no room"):
            budget.check()

    def test_only_the_first_refusals_have_suggestions(self) -> None:
        budget = Budget(FixedClock(), FixedProcessorClock())
        keys = []
        for _ in range(MAX_REFUSALS_WITH_SUGGESTIONS + 2):
            keys.append(budget.max_suggestion_keys())
            budget.count_refusal()
        assert all(keys[:MAX_REFUSALS_WITH_SUGGESTIONS])
        assert keys[MAX_REFUSALS_WITH_SUGGESTIONS:] == [0, 0]
