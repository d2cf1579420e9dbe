"""The purger: outdated responses are purged in the end, if possible once, and nothing is lost unnoticed."""

import json
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError
from msgspec.structs import replace

from coolid.aws.edge_purge.invalidations import Distribution
from coolid.aws.edge_purge.purger import (
    MANY_CHANGES,
    RESPONSE_TIMEOUT_SECONDS,
    WINDOW_SECONDS,
    DelayQueue,
    PurgeMessage,
    Purger,
)
from coolid.aws.edge_redirects.update_queue import UpdateMessage, UpdateQueue
from coolid.metric_names import AGE, CHANGES, EDGE_NOT_NOTIFIED, POSTPONED, PURGED, UNREADABLE
from coolid.resolution.cache import RECORD_TTL
from tests.support.builders.samples import namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.table_streams import (
    CHANGED_AT,
    FakeCloudFront,
    FakeSqs,
    Notes,
    message,
    refusal,
    row_of,
    stream_record,
)

BAD = {"eventID": "b4d", "eventSource": "aws:dynamodb", "dynamodb": {"Keys": {"id": {"S": "a-client"}}}}
CHANGE = stream_record(row_of(record()), row_of(record(version=2)))
TAG = "#record:r4k2-9m3x-62/tw0tywdj94"
NOTHING_FAILED: Any = {"batchItemFailures": []}


class Bench:
    """A purger between fakes."""

    def __init__(self) -> None:
        self.sqs, self.cloudfront = FakeSqs(), FakeCloudFront()
        self.notes, self.clock = Notes(), FixedClock()
        queue, distribution = DelayQueue(self.sqs, "https://queue.example/"), Distribution(self.cloudfront, "E2EXAMPLE")
        self.edge = FakeSqs()
        edge_queue = UpdateQueue(self.edge, "https://edge.example/")
        self.purger = Purger(queue, distribution, self.clock, self.notes, self.notes.count, edge_queue)

    def process(self, *changes: Any) -> Any:
        return self.purger({"Records": list(changes)})

    def brought(self) -> Any:
        return self.purger(self.sqs.event())


@pytest.fixture
def bench() -> Bench:
    return Bench()


class TestEdge:
    """The names of changed prefixes are passed on to the edge."""

    OLD = provider_prefix("go", "https://a.example/{$id}", synonyms=("gobp",))
    NEW = replace(OLD, synonyms=(), revision=2)
    CHANGE = stream_record(row_of(OLD), row_of(NEW))

    def test_the_names_are_those_of_changed_rows_and_their_former_synonyms(self, bench: Bench) -> None:
        row = {"name": {"S": "chebi"}, "kind": {"S": "synonym"}, "target": {"S": "go"}}
        same = row_of(self.OLD) | {"write_token": {"S": "another"}, "revision": {"N": "9"}}
        unread = {"dynamodb": {"Keys": {"name": {"S": "x"}}, "OldImage": {"kind": {"S": "provider"}}}, "eventID": "b"}
        bench.process(self.CHANGE, CHANGE, stream_record(None, row), stream_record(row_of(self.OLD), same))
        bench.process({**unread, "eventSource": "aws:dynamodb"})
        (sent,) = bench.edge.sent
        assert json.loads(sent[1]) == {"names": ["go", "gobp", "chebi"], "since": int(CHANGED_AT)}
        longer = row_of(replace(self.OLD, longer=frozenset({"go/x"})))
        bench.process(stream_record(row_of(self.OLD), longer))
        assert UpdateMessage.parse(bench.edge.sent[1][1]).names == ("go", "gobp")

    def test_many_names_are_several_messages(self, bench: Bench) -> None:
        rows = [{"name": {"S": f"n{each}"}, "kind": {"S": "synonym"}, "target": {"S": "go"}} for each in range(501)]
        bench.process(*(stream_record(None, row) for row in rows))
        assert [len(UpdateMessage.parse(text).names) for _, text in bench.edge.sent] == [500, 1]

    def test_a_failure_of_either_queue_stops_only_what_goes_there(self, bench: Bench) -> None:
        bench.edge.broken = True
        assert bench.process(self.CHANGE) == NOTHING_FAILED
        assert len(bench.sqs.sent) == 1
        assert (EDGE_NOT_NOTIFIED, 2) in bench.notes.metrics
        bench.edge.broken, bench.sqs.broken = False, True
        with pytest.raises(BotoCoreError):
            bench.process(self.CHANGE)
        assert len(bench.edge.sent) == 1


class TestStreams:
    def test_a_change_is_delayed_in_the_queue_and_then_invalidated(self, bench: Bench) -> None:
        assert bench.process(CHANGE) == NOTHING_FAILED
        assert bench.cloudfront.items == []
        bench.clock.pause(21_000)
        assert bench.brought() == NOTHING_FAILED
        assert bench.cloudfront.items == [[TAG]]
        assert bench.notes.metrics == [(CHANGES, 1), (PURGED, 1), (AGE, 21)]

    def test_a_batch_is_one_message_for_each_cache_lifetime(self, bench: Bench) -> None:
        prefix = stream_record(None, row_of(namespace("mp")))
        bench.process(CHANGE, prefix, CHANGE)
        assert [delay for delay, _ in bench.sqs.sent] == [20, 70]

    def test_what_concerns_nobody_is_not_sent(self, bench: Bench) -> None:
        assert bench.process(stream_record(None, row_of(record()))) == NOTHING_FAILED
        assert not [*bench.sqs.sent, *bench.notes.lines, *bench.notes.metrics]

    def test_the_message_contains_the_time_of_the_oldest_change(self, bench: Bench) -> None:
        old, new = row_of(record()), row_of(record(version=2))
        bench.process(stream_record(old, new, at=1_752_157_350.0), stream_record(old, new, at=1_752_157_300.5))
        assert PurgeMessage.parse(bench.sqs.sent[0][1]).since == 1_752_157_300

    def test_a_queue_that_fails_has_the_whole_batch_reported_again(self, bench: Bench) -> None:
        bench.sqs.broken = True
        with pytest.raises(BotoCoreError):
            bench.process(CHANGE)

    def test_a_record_that_cannot_be_read_means_everything_and_does_not_hold_up_the_rest(self, bench: Bench) -> None:
        assert bench.process(CHANGE, BAD) == NOTHING_FAILED
        bench.brought()
        assert bench.cloudfront.items == [["/*"]]
        assert bench.notes.levels() == ["error", "info"]
        assert (UNREADABLE, 1) in bench.notes.metrics

    def test_no_batch_is_too_much_for_the_queue(self, bench: Bench) -> None:
        names = (f"{number:04}/{'/'.join(['long'] * 20)}" for number in range(1000))
        bench.process(*(stream_record(None, row_of(namespace(name))) for name in names))
        assert PurgeMessage.parse(bench.sqs.sent[0][1]).tags == {"/*"}

    def test_a_thousand_rows_are_one_message_and_one_item(self, bench: Bench) -> None:
        rows = [row_of(record()) | {"pid": {"S": f"r4k2-9m3x-62/{number}"}} for number in range(1000)]
        bench.process(*(stream_record(row, None) for row in rows))
        bench.brought()
        assert bench.cloudfront.items == [["#repository:r4k2-9m3x-62"]]

    def test_all_aliases_of_a_repository_are_one_item(self, bench: Bench) -> None:
        aliases = [namespace(f"mp{number}") for number in range(99)]
        changed = [namespace(alias.name, repository(ttl=10)) for alias in aliases]
        bench.process(*(stream_record(row_of(old), row_of(new)) for old, new in zip(aliases, changed, strict=True)))
        bench.brought()
        assert bench.cloudfront.items == [["#repository:r4k2-9m3x-62"]]


class TestManyChanges:
    """A bulk job changes a record after the other for minutes."""

    STREAM_SECONDS, SHARDS = 5, 4
    """The window of the stream's batches (template.yaml), and the shards of a table that was rarely used before."""

    def purged(self, bench: Bench, changes: int, rate: float) -> list[list[str]]:
        """Return the items of each invalidation after `changes` at this rate a second."""
        start, done = bench.clock.moment, 0
        arrivals: dict[int, list[Any]] = {}
        for second in range(0, 10**6, self.STREAM_SECONDS):
            bench.clock.moment = start + timedelta(seconds=second)
            until = min(round((second + self.STREAM_SECONDS) * rate), changes)
            for shard in range(self.SHARDS):
                bench.process(*(self.change(number) for number in range(done, until) if number % self.SHARDS == shard))
            for delay, body in bench.sqs.sent:
                arrivals.setdefault(second + delay, []).append(message(body, f"{second}-{len(arrivals)}-{delay}"))
            bench.sqs.sent.clear()
            done = until
            if done == changes:
                break
        for second in sorted(arrivals):
            bench.clock.moment = start + timedelta(seconds=second)
            for at in range(0, len(arrivals[second]), 100):  # a batch of the queue
                bench.purger({"Records": arrivals[second][at : at + 100]})
        return bench.cloudfront.items

    @staticmethod
    def change(number: int) -> Any:
        key = {"pid": {"S": f"r4k2-9m3x-62/{number}"}}
        return stream_record(row_of(record()) | key, row_of(record(version=2)) | key)

    @pytest.mark.parametrize(("rate", "minutes"), [(200, 2), (60, 6)])
    def test_a_job_of_20_000_changes_purges_its_repository_once_a_minute(
        self, bench: Bench, rate: float, minutes: int
    ) -> None:
        items = self.purged(bench, 20_000, rate)
        assert {*chain.from_iterable(items)} == {"#repository:r4k2-9m3x-62"}
        assert minutes <= sum(map(len, items)) <= minutes + 1

    def test_no_change_is_purged_before_the_cached_rows_of_functions_have_expired(self, bench: Bench) -> None:
        for second in range(61):
            bench.process(*map(self.change, range(MANY_CHANGES + 1)))
            (delay, _) = bench.sqs.sent.pop()
            assert RECORD_TTL + RESPONSE_TIMEOUT_SECONDS <= delay < RECORD_TTL + RESPONSE_TIMEOUT_SECONDS + 60
            assert (bench.clock.milliseconds() // 1000 + delay) % WINDOW_SECONDS == 0, second
            bench.clock.pause(1000)

    def test_a_few_changes_are_purged_one_by_one_as_soon_as_possible(self, bench: Bench) -> None:
        bench.process(*map(self.change, range(MANY_CHANGES)))
        assert [delay for delay, _ in bench.sqs.sent] == [20]
        bench.brought()
        assert len(bench.cloudfront.items[0]) == MANY_CHANGES


class TestTheQueue:
    def test_messages_that_come_together_are_one_invalidation(self, bench: Bench) -> None:
        bench.process(CHANGE)
        bench.process(CHANGE)
        bench.process(stream_record(None, row_of(namespace("mp"))))
        bench.brought()
        assert bench.cloudfront.items == [["#prefix:mp", TAG]]

    @pytest.mark.parametrize("when", ["before", "after"])
    @pytest.mark.parametrize(
        "failure",
        [ReadTimeoutError(endpoint_url="https://cloudfront.amazonaws.com/"), refusal("TooManyInvalidationsInProgress")],
    )
    def test_messages_are_retried_until_cloudfront_has_capacity(
        self, bench: Bench, when: str, failure: Exception
    ) -> None:
        bench.process(CHANGE)
        bench.cloudfront.failures = [(when, failure)]
        assert bench.brought() == {"batchItemFailures": [{"itemIdentifier": "0"}]}
        assert bench.notes.levels() == ["warning"]
        assert (POSTPONED, 1) in bench.notes.metrics
        assert bench.brought() == NOTHING_FAILED
        assert bench.cloudfront.items == [[TAG]]

    def test_a_defect_of_the_service_is_not_ignored(self, bench: Bench) -> None:
        bench.process(CHANGE)
        bench.cloudfront.failures = [("before", refusal("AccessDenied"))]
        with pytest.raises(ClientError):
            bench.brought()

    def test_another_message_fails_alone(self, bench: Bench) -> None:
        bench.process(CHANGE)
        event = bench.sqs.event()
        event["Records"].append(message("hello", "a-stranger"))
        assert bench.purger(event) == {"batchItemFailures": [{"itemIdentifier": "a-stranger"}]}
        assert bench.cloudfront.items == [[TAG]]
        assert bench.notes.levels() == ["error", "info"]

    def test_strangers_alone_reach_nobody(self, bench: Bench) -> None:
        assert bench.purger({"Records": [message("hello", "7")]}) == {"batchItemFailures": [{"itemIdentifier": "7"}]}
        assert bench.cloudfront.items == []


class TestEvents:
    @pytest.mark.parametrize("source", ["aws:s3", None])
    def test_of_anybody_else_are_refused(self, bench: Bench, source: str | None) -> None:
        with pytest.raises(ValueError, match="neither"):
            bench.purger({"Records": [{"eventSource": source}]})

    def test_leave_nothing_in_the_log_that_says_what_was_changed(self, bench: Bench) -> None:
        bench.process(CHANGE, BAD)
        bench.purger({"Records": [*bench.sqs.event()["Records"], message("tw0tywdj94", "a-stranger")]})
        assert len(bench.notes.lines) == 3
        said = json.dumps([bench.notes.lines, bench.notes.metrics], default=dict)
        assert not [word for word in ("tw0t", "r4k2", "a-client", "content.example.org") if word in said]
