"""The largest records: every store has the limit of DynamoDB, whose items have at most 400 KB."""

from typing import Any

import pytest
from msgspec.structs import replace

from coolid.errors import InvalidInput
from coolid.model.records import INACTIVE, WITHDRAWN, Location, Withdrawal
from coolid.store.limits import MAX_RECORD_BYTES
from coolid.store.rows import record_body
from coolid.store.store import Store
from tests.support.builders.samples import LATER, record

OWNER = "r4k2-9m3x-62"


class TestLimits:
    @pytest.mark.parametrize(
        "what", ["x" * 400_000, "é" * 200_000, '"' * 200_000, {str(n): "x" for n in range(40_000)}]
    )
    def test_a_record_larger_than_an_item_is_refused_as_such_and_nothing_is_written(
        self, store: Store, what: Any
    ) -> None:
        with pytest.raises(InvalidInput):
            store.records.create_record(record("0000000195", metadata={"what": what}))
        assert store.records.record(OWNER, "0000000195") is None

    def test_so_is_a_version_and_nothing_changes(self, store: Store) -> None:
        first = record("0000000292")
        store.records.create_record(first)
        with pytest.raises(InvalidInput):
            store.records.replace_record(replace(first, version=2, metadata={"what": "x" * 400_000}), first)
        assert store.records.record(OWNER, "0000000292", consistent=True) == first
        assert store.records.superseded(OWNER, "0000000292", 1) is None

    def test_the_largest_record_can_be_replaced_and_then_withdrawn_for_the_longest_of_reasons(
        self, store: Store
    ) -> None:
        """With one as large; and a tombstone says more than what it was made from."""
        locations = tuple(Location(f"https://content.example.org/{number}") for number in range(100))
        first = record("0000000389", records=locations, metadata={"what": ""})
        room = MAX_RECORD_BYTES - len(record_body(first))
        first = replace(first, metadata={"what": "x" * room})
        second = replace(first, version=2, metadata={"what": "y" * room})
        third = replace(
            second,
            version=3,
            status=WITHDRAWN,
            records=tuple(replace(location, status=INACTIVE) for location in locations),
            withdrawn=Withdrawal(LATER, "\U0001d11e" * 500, "\U0001d11e" * 2_048),
        )
        store.records.create_record(first)
        store.records.replace_record(second, first)
        store.records.replace_record(third, second)
        assert store.records.record(OWNER, "0000000389", consistent=True) == third
        assert [store.records.superseded(OWNER, "0000000389", number) for number in (1, 2)] == [first, second]
