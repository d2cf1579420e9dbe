"""Groups of rows to write."""

from coolid.store.bulk import RecordRow, WriteGroup
from tests.support.builders.large_files import measure_peak


def test_a_history_of_any_length_is_not_held_in_memory() -> None:
    group, body, numbers = WriteGroup(), "x" * 300_000, range(200)

    def add_and_read() -> None:
        for number in numbers:
            group.add(RecordRow("r4k2", "x5", number, "active", body))
        assert [row.version for row in group] == [*numbers]

    assert measure_peak(add_and_read) < 10_000_000
