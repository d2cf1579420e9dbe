"""The index of records by their terms: its consumer of the stream, its completion, and searches by its postings."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb import record_search
from coolid.aws.dynamodb.postings import CompletionState, postings_of, read_state
from coolid.aws.record_index.index_writer import IndexWriter
from coolid.errors import StoreUnavailable
from coolid.identifiers.schemes import lui
from coolid.model.conditions import DOWN, Condition
from coolid.model.records import Record
from coolid.store.record_search import Order, RecordQuery
from tests.support.builders.samples import MOMENT, record, repository
from tests.support.fixtures.system import empty, new_tables, store_over
from tests.support.stores.record_index import REMAINING, RecordIndex

OWNER = "r4k2-9m3x-62"
KEYS = [lui.encode(number) for number in range(90)]


class Index(RecordIndex):
    """An empty stack with its index."""

    def __init__(self) -> None:
        tables = new_tables()
        self.store = store_over(tables)
        super().__init__(tables)

    def mint(self, key: str, title: str, second: int = 0, **members: Any) -> Record:
        new = record(key, metadata={"title": title}, updated=MOMENT + timedelta(seconds=second), **members)
        self.store.records.create_record(new)
        return new

    def change(self, old: Record, **members: Any) -> Record:
        new = replace(old, version=old.version + 1, **members)
        self.store.records.replace_record(new, old)
        return new

    def found(self, *terms: str, limit: int = 7, **members: Any) -> list[str]:
        """The keys of all pages of a search."""
        found, after = [], None
        while True:
            page, after = self.search.search(RecordQuery((OWNER,), terms, **members), limit, after)
            assert len(page) <= limit
            found += [each.key for each in page]
            if after is None:
                return found


@pytest.fixture
def index(moto_tables: Mapping[str, str]) -> Index:
    found = Index()
    found.store.repositories.create_repository(repository())
    return found


def test_a_record_is_found_by_its_current_terms_only(index: Index) -> None:
    index.complete()
    old = index.mint(KEYS[0], "Green tea")
    index.consume()
    assert (index.found("tea"), index.found("green", "status:active")) == ([KEYS[0]], [KEYS[0]])
    index.change(old, metadata={"title": "Black tea"}, updated=MOMENT + timedelta(seconds=5))
    index.consume()
    assert (index.found("green"), index.found("tea"), index.found("black")) == ([], [KEYS[0]], [KEYS[0]])
    (current,) = index.store.records.records(OWNER, [KEYS[0]]).values()
    assert index.postings() == set(postings_of(current))


def test_a_change_of_health_replaces_the_postings_at_the_same_position(index: Index) -> None:
    index.complete()
    found = index.mint(KEYS[0], "Tea")
    index.consume()
    health = {found.records[0].uri: Condition(DOWN, MOMENT)}
    assert index.store.conditions.set_record_condition(OWNER, KEYS[0], 1, health)
    index.consume()
    assert index.found("health:down", "tea") == [KEYS[0]]
    assert index.found("health:unchecked") == []


@pytest.mark.parametrize("repeated", [0, 1, 2])
def test_events_that_arrive_again_with_later_ones_end_in_the_same_postings(index: Index, repeated: int) -> None:
    """The last of them is of the same second, and makes the first state again."""
    index.complete()
    first = index.mint(KEYS[0], "Green tea")
    events = index.events()
    second = index.change(first, metadata={"title": "Black tea"})
    events += index.events()
    index.change(second, metadata=first.metadata)
    events += index.events()
    if repeated:
        index.consume(*events[:repeated])
    index.consume(*events)
    assert index.postings() == set(postings_of(first))
    assert (index.found("green", "tea"), index.found("black")) == ([KEYS[0]], [])


def test_an_unreadable_change_is_reported_and_the_others_are_indexed(index: Index) -> None:
    index.complete()
    index.mint(KEYS[0], "Tea")
    events = index.events()
    broken = {"dynamodb": events[0]["dynamodb"] | {"NewImage": {"pid": {"S": "x"}}}, "eventSource": "aws:dynamodb"}
    index.consume(broken, *events, {"eventSource": "aws:dynamodb"})
    assert index.found("tea") == [KEYS[0]]
    assert index.journal.metrics.count(("IndexUnreadable", 1)) == 2
    assert "Tea" not in str(index.journal.lines)


def test_other_events_are_refused(index: Index) -> None:
    with pytest.raises(ValueError, match="neither"):
        index.consume({"eventSource": "aws:sqs"})


def test_rows_that_remain_unprocessed_are_written_again_and_in_the_end_reported(monkeypatch: Any) -> None:
    monkeypatch.setattr("coolid.aws.record_index.index_writer.sleep", lambda _: None)
    written: list[Any] = []

    class Throttled:
        def __init__(self, refusals: int) -> None:
            self.refusals = refusals

        def batch_write_item(self, RequestItems: Any) -> Any:  # noqa: N803 - as boto3 names it
            if self.refusals:
                self.refusals -= 1
                return {"UnprocessedItems": RequestItems}
            written.extend(RequestItems["index"])
            return {}

    postings = postings_of(record(KEYS[0]))
    IndexWriter(Throttled(3), "index").replace(postings, postings)
    assert len(written) == len(postings)
    with pytest.raises(StoreUnavailable):
        IndexWriter(Throttled(10**6), "index").replace(postings, ())


class TestCompletion:
    def test_records_written_without_the_function_are_found_before_and_after(self, index: Index) -> None:
        for number, key in enumerate(KEYS):
            index.mint(key, f"Tea {number % 2}", number)
        by_list = [sorted(index.found("tea", "0", order=order)) for order in ("updated", "-updated")]
        assert by_list == [sorted(KEYS[::2])] * 2
        assert index.complete()
        assert index.found("tea", "0") == KEYS[::2][::-1]
        assert index.found("tea", "0", order="updated") == KEYS[::2]

    def test_it_goes_on_where_the_time_ended(self, index: Index) -> None:
        for number, key in enumerate(KEYS):
            index.mint(key, "Tea", number)
        index.seconds = iter([0.0, 0.0, REMAINING])
        assert not index.complete()
        state = read_state(index.client.reader, index.table, OWNER)
        assert state == CompletionState(after=sorted(KEYS)[39])
        index.seconds = iter(lambda: 0.0, 1.0)
        assert index.complete()
        assert len(index.found("tea")) == 90

    def test_a_record_that_changes_meanwhile_is_read_again(self, index: Index, monkeypatch: Any) -> None:
        """Its change may have been consumed before the older postings are written."""
        old = index.mint(KEYS[0], "Green tea")
        index.events()
        write, changed = index.writer.replace, list[Record]()

        def write_after_a_change(postings: Any, former: Any) -> None:
            if not changed:
                changed.append(index.change(old, metadata={"title": "Black tea"}))
                write(postings_of(changed[0]), postings_of(old))
            write(postings, former)

        monkeypatch.setattr(index.writer, "replace", write_after_a_change)
        assert index.complete()
        assert index.postings() == set(postings_of(changed[0]))
        assert index.found("black", "tea") == [KEYS[0]]

    def test_a_new_table_is_completed_again(self, index: Index) -> None:
        """A rollback to a release without the index deletes the table."""
        old = index.mint(KEYS[0], "Green tea")
        assert index.complete()
        empty({"IndexTable": index.table})
        index.change(old, metadata={"title": "Black tea"}, updated=MOMENT + timedelta(seconds=5))
        assert (index.found("green"), index.found("black")) == ([], [KEYS[0]])
        assert index.complete()
        assert (index.found("green"), index.found("black")) == ([], [KEYS[0]])


class TestPages:
    def test_a_search_that_matches_rarely_reads_a_bounded_number_of_postings_for_a_page(
        self, index: Index, monkeypatch: Any
    ) -> None:
        for name, value in {"MAX_POSTINGS": 12, "_QUERY_SIZE": 6, "_SAMPLE": 5}.items():
            monkeypatch.setattr(record_search, name, value)
        index.complete()
        for number, key in enumerate(KEYS[:40]):
            index.mint(key, "green" if number == 1 else "Tea green" if number == 2 else "Tea", number)
            if number % 2:
                index.mint(KEYS[40 + number], "green", number)
        index.consume()
        sizes, after = [], None
        while True:
            page, after = index.search.search(RecordQuery((OWNER,), ("tea", "green")), 10, after)
            sizes.append(len(page))
            if after is None:
                break
        assert index.found("tea", "green") == [KEYS[2]]
        assert (sum(sizes), len(sizes) > 1) == (1, True)

    def test_each_page_reads_the_term_that_is_rarest_there(self, index: Index, monkeypatch: Any) -> None:
        monkeypatch.setattr(record_search, "_SAMPLE", 3)
        index.complete()
        for number, key in enumerate(KEYS[:20]):
            index.mint(key, "Tea" if number % 5 else "Green tea", number)
        index.consume()
        asked: list[str] = []
        query = index.search._query

        def noting(owner: str, term: str, span: Any, size: int, others: Sequence[str] = ()) -> Any:
            if others:
                asked.append(term)
            return query(owner, term, span, size, others)

        monkeypatch.setattr(index.search, "_query", noting)
        assert index.found("status:active", "tea", "green") == [KEYS[15], KEYS[10], KEYS[5], KEYS[0]]
        assert asked == ["green"]

    def test_times_limit_a_search(self, index: Index) -> None:
        index.complete()
        for number, key in enumerate(KEYS[:9]):
            index.mint(key, "Tea", number)
        index.consume()
        since = MOMENT + timedelta(seconds=6)
        for terms in ((), ("tea",)):
            assert sorted(index.found(*terms, updated_after=since, limit=2)) == sorted(KEYS[6:9])

    def test_the_newest_are_first_without_terms(self, index: Index) -> None:
        for number, key in enumerate(KEYS[:9]):
            index.mint(key, "Tea", number)
        assert index.found(limit=2) == KEYS[:9][::-1]
        assert index.found(order="updated", limit=2) == KEYS[:9]

    @pytest.mark.parametrize("order", ["updated", "-updated"])
    @pytest.mark.parametrize("terms", [(), ("tea",)])
    def test_records_of_several_repositories_are_in_one_order(
        self, index: Index, terms: tuple[str, ...], order: Order
    ) -> None:
        """Three of them have the same times, and the same keys."""
        owners = (OWNER, "t1w6-0000-11", "a000-0000-22")
        for owner in owners:
            index.store.repositories.create_repository(repository(owner, canonical=None)) if owner != OWNER else None
            for number, key in enumerate(KEYS[:4]):
                index.mint(key, "Tea", number // 2, owner=owner)
        index.complete()
        found, after = [], None
        while True:
            page, after = index.search.search(RecordQuery(owners, terms, order=order), 5, after)
            found += [(each.updated, each.repository, each.key) for each in page]
            if after is None:
                break
        assert found == sorted(set(found), reverse=order == "-updated")
        assert len(found) == 12

    def test_postings_of_another_state_are_not_visible(self, index: Index) -> None:
        index.complete()
        found = index.mint(KEYS[0], "Tea")
        index.consume()
        index.writer.replace(postings_of(replace(found, metadata={"title": "Coffee"})), ())
        assert index.found("coffee") == []
