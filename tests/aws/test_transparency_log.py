"""The transparency log on AWS: its feed from the streams, the function that sequences it, and where it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb.log_rows import HEAD, DynamoLogRows
from coolid.aws.entropy import SystemEntropy
from coolid.aws.transparency_log.log_location import LogLocation, OtherLog, require_location
from coolid.aws.transparency_log.sequence_function import RESERVE_SECONDS, SequenceFunction
from coolid.aws.transparency_log.stream_feed import StreamFeed
from coolid.errors import Outdated, SignerUnavailable, StoreUnavailable
from coolid.log.sequencer import InconsistentLog, Progress
from coolid.log.subject_entries import (
    client_entries,
    prefix_entries,
    public_key_entry,
    repository_entry,
    version_entry,
)
from coolid.metric_names import LOG_ENTRIES, LOG_UNREADABLE, LOG_WAIT, SIGNER_ERROR
from coolid.model.clients import issue_client
from coolid.model.records import RESERVED
from coolid.store.client_rows import client_row
from coolid.store.log import LogHead
from coolid.store.rows import repository_body, side_attributes
from coolid.wiring.boto_clients import WRITES, dynamodb
from tests.support.builders.samples import namespace, provider_prefix, record, repository
from tests.support.builders.signed_documents import Key
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import new_tables
from tests.support.stores.memory_log import MemoryLogRows
from tests.support.stores.table_streams import CHANGED_AT, Notes, row_of, stream_record

SINCE = round(CHANGED_AT * 1000)


@pytest.fixture
def rows() -> MemoryLogRows:
    return MemoryLogRows()


@pytest.fixture
def journal() -> Notes:
    return Notes()


@pytest.fixture
def feed(rows: MemoryLogRows, journal: Notes) -> StreamFeed:
    return StreamFeed(rows, journal, journal.count)


def item(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as a stream has it."""
    kinds = {str: "S", int: "N", set: "SS"}
    return {
        name: {kinds[type(value)]: sorted(value) if isinstance(value, set) else str(value)}
        for name, value in attributes.items()
        if value is not None
    }


class TestFeed:
    def test_each_state_has_the_entries_that_the_sweep_would_add(self, feed: StreamFeed, rows: MemoryLogRows) -> None:
        proven, owner, key = record(proof="eyJ.e30.x"), repository(revision=4), Key(1).jwk
        prefixes = namespace("2021/06/mp"), provider_prefix("go", "https://go.example/{id}")
        client = issue_client(("admin",), FixedClock(), SystemEntropy(), "a note")[0]
        revoked = replace(client, revoked=FixedClock().now())
        about_owner = {
            "name": f"/repositories/{owner.id}",
            "kind": "repository",
            "body": repository_body(owner),
            **side_attributes(owner),
        }
        images = [
            row_of(proven),
            item({"pid": "/keys", "version": 77, "status": "key", "body": orjson.dumps(key).decode()}),
            item(about_owner),
            *(row_of(prefix) for prefix in prefixes),
            item(client_row(client)),
            item(client_row(revoked)),
        ]
        events = [stream_record(None, image) for image in images]
        expected = [
            version_entry(proven, SINCE),
            public_key_entry(key, SINCE),
            repository_entry(owner, SINCE),
            *(entry for prefix in prefixes for entry in prefix_entries(prefix, SINCE)),
            *client_entries(revoked, SINCE),
        ]
        for _ in range(2):  # Lambda may send events again
            feed.consume(events)
            assert list(rows.waiting.values()) == expected

    def test_what_is_not_public_or_no_state_of_its_own_has_no_entry(
        self, feed: StreamFeed, rows: MemoryLogRows, journal: Notes
    ) -> None:
        proven = record(proof="eyJ.e30.x")
        feed.consume(
            [
                stream_record(None, row_of(replace(proven, status=RESERVED))),
                stream_record(None, row_of(proven, version=1)),
                stream_record(row_of(proven), None),
                stream_record(None, item({"pid": "/keys", "version": 0, "body": "[]"})),
                stream_record(None, item({"name": "2021/06", "longer": {"2021/06/mp"}})),
                stream_record(None, item({"name": "gene-ontology", "kind": "synonym", "target": "go"})),
            ]
        )
        assert (rows.waiting, journal.metrics) == ({}, [])

    @pytest.mark.parametrize(
        "unreadable",
        [
            {"eventSource": "aws:dynamodb"},
            stream_record(None, row_of(record()) | {"body": {"S": "{"}}),
            stream_record(None, item({"name": "mp", "kind": "namespace", "revision": 1, "body": "[]"})),
            stream_record(None, item({"id": "k3x9"})),
        ],
        ids=["empty", "record", "prefix", "client"],
    )
    def test_an_unreadable_change_is_counted_and_keeps_no_other_back(
        self, feed: StreamFeed, rows: MemoryLogRows, journal: Notes, unreadable: dict[str, Any]
    ) -> None:
        feed.consume([unreadable, stream_record(None, row_of(record(proof="eyJ.e30.x")))])
        assert len(rows.waiting) == 1
        assert journal.metrics == [(LOG_UNREADABLE, 1)]
        assert journal.levels() == ["error"]


@dataclass
class FakeLog:
    """A sequencer and a sweep with these results; errors among them are raised. It is `now` at its clocks."""

    runs: list[Progress | Exception]
    sweeps: list[bool | Exception] = field(default_factory=list)
    now: float = 0.0

    def run(self) -> Progress:
        self.now += 1
        result = self.runs.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    def sweep(self) -> bool:
        result = self.sweeps.pop(0) if self.sweeps else False
        if isinstance(result, Exception):
            raise result
        return result

    def function(self, journal: Notes) -> SequenceFunction:
        """Return the function over these, with a clock that begins at 1,000 s."""
        sweep: Any = type("Sweep", (), {"run": lambda _: self.sweep()})()
        clock: Any = type("Clock", (), {"milliseconds": lambda _: round((1_000 + self.now) * 1000)})()
        sequencer: Any = self
        return SequenceFunction(sequencer, sweep, lambda: None, clock, journal, journal.count, lambda: self.now)


SCHEDULE = {"source": "aws.events"}
REMAINING = 50.0


class TestSequenceFunction:
    def test_a_run_without_entries_reports_that_none_waits(self, journal: Notes) -> None:
        assert FakeLog([Progress(7)]).function(journal)(SCHEDULE, REMAINING) == {"size": 7}
        assert journal.metrics == [(LOG_WAIT, 0)]

    def test_batches_are_added_while_entries_wait_and_again_after_each_sweep(self, journal: Notes) -> None:
        runs: list[Progress | Exception] = [
            Progress(5, 5, 900_000, has_more=True),
            Progress(7, 2, 990_000),
            Progress(9, 2, 1_002_000),
        ]
        log = FakeLog(runs, [True, False])
        assert log.function(journal)(SCHEDULE, REMAINING) == {"size": 9}
        assert (log.runs, log.sweeps) == ([], [])
        assert journal.metrics == [(LOG_ENTRIES, 5), (LOG_ENTRIES, 2), (LOG_ENTRIES, 2), (LOG_WAIT, 101)]

    def test_it_ends_in_time(self, journal: Notes) -> None:
        runs: list[Progress | Exception] = [Progress(at, 1, 1_000_000, has_more=True) for at in range(99)]
        log = FakeLog(runs, [True] * 99)
        log.function(journal)(SCHEDULE, RESERVE_SECONDS + 5)
        assert log.now == 5
        assert journal.metrics[-1] == (LOG_WAIT, 5)

    @pytest.mark.parametrize(
        ("error", "counted"),
        [
            (StoreUnavailable("the store did not answer"), []),
            (SignerUnavailable("the key service refused: DisabledException"), [(SIGNER_ERROR, 1)]),
            (InconsistentLog("restore the files"), []),
        ],
    )
    def test_a_failure_is_logged_and_raised_and_no_wait_is_reported(
        self, journal: Notes, error: Exception, counted: list[tuple[str, int]]
    ) -> None:
        with pytest.raises(type(error)):
            FakeLog([error]).function(journal)(SCHEDULE, REMAINING)
        ((level, _, facts),) = journal.lines
        assert (level, str(error) in str(facts["reason"])) == ("error", True)
        assert journal.metrics == counted

    def test_the_log_grows_although_the_sweep_fails(self, journal: Notes) -> None:
        log = FakeLog([Progress(8, 1, 1_000_000)], [StoreUnavailable("the store returned a malformed row")])
        with pytest.raises(StoreUnavailable):
            log.function(journal)(SCHEDULE, REMAINING)
        assert journal.metrics == [(LOG_ENTRIES, 1), (LOG_WAIT, 1)]
        assert journal.levels() == ["error"]

    def test_other_events_are_refused(self, journal: Notes) -> None:
        with pytest.raises(ValueError, match="schedule"):
            FakeLog([]).function(journal)({"Records": []}, REMAINING)


class TestLocation:
    LOCATION = LogLocation("coolid-LogTable-1", "coolid-logbucket-1", "arn:aws:kms:eu-west-1:123456789012:key/1")

    def test_the_first_log_of_a_service_is_its_only_one(self, moto_tables: Mapping[str, str]) -> None:
        client, table = dynamodb(WRITES), new_tables()["LuiTable"]
        for _ in range(2):
            require_location(client, table, self.LOCATION)
        with pytest.raises(
            OtherLog, match="LogTableName=coolid-LogTable-1 LogBucketName=coolid-logbucket-1 LogKeyArn="
        ):
            require_location(client, table, replace(self.LOCATION, table="coolid-LogTable-2"))
        require_location(client, table, self.LOCATION)

    def test_an_operator_can_name_another_key_when_the_first_is_lost(self, moto_tables: Mapping[str, str]) -> None:
        """By the command of docs/how-to/operator/transparency-log-on-aws.md."""
        client, table = dynamodb(WRITES), new_tables()["LuiTable"]
        require_location(client, table, self.LOCATION)
        body = '{"table": "coolid-LogTable-1", "bucket": "coolid-logbucket-1", "key": "NEW-ARN"}'
        client.update_item(
            TableName=table,
            Key={"pid": {"S": "/log"}, "version": {"N": "1"}},
            UpdateExpression="SET body = :body",
            ExpressionAttributeValues={":body": {"S": body}},
        )
        require_location(client, table, replace(self.LOCATION, key="NEW-ARN"))
        with pytest.raises(OtherLog):
            require_location(client, table, self.LOCATION)

    def test_an_unreadable_one_is_not_replaced(self, moto_tables: Mapping[str, str]) -> None:
        client, table = dynamodb(WRITES), new_tables()["LuiTable"]
        client.put_item(TableName=table, Item=item({"pid": "/log", "version": 1, "body": "{}"}))
        with pytest.raises(StoreUnavailable):
            require_location(client, table, self.LOCATION)


class LosingClient:
    """A DynamoDB client whose first write is carried out twice, as botocore does if the first response is lost."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.loses = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def put_item(self, **request: Any) -> Any:
        if self.loses:
            self.loses = False
            self._client.put_item(**request)
        return self._client.put_item(**request)


def test_the_head_moves_although_the_response_is_lost_and_others_are_refused(moto_tables: Mapping[str, str]) -> None:
    table = new_tables()["LogTable"]
    head = LogHead(1, 2, "id.example.org/log\n2\n", "staging/0")
    DynamoLogRows(LosingClient(dynamodb(WRITES)), table, SystemEntropy()).replace_head(head, None)
    rows = DynamoLogRows(dynamodb(WRITES), table, SystemEntropy())
    assert rows.head() == head
    for replaced in (None, replace(head, revision=0), replace(head, checkpoint="another")):
        with pytest.raises(Outdated):
            rows.replace_head(replace(head, revision=2), replaced)
    assert rows.head() == head


def test_a_malformed_head_is_an_error_of_the_store(moto_tables: Mapping[str, str]) -> None:
    table = new_tables()["LogTable"]
    dynamodb(WRITES).put_item(TableName=table, Item=item({"name": HEAD, "revision": 1}))
    with pytest.raises(StoreUnavailable):
        DynamoLogRows(dynamodb(WRITES), table, SystemEntropy()).head()
