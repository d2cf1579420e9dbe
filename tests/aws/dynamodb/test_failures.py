"""A store that cannot be reached is never treated as an empty one: `StoreUnavailable`, and 503 for the client.

A loopback server replaces DynamoDB, with the faults that networks and services have.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from time import monotonic
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.loaders import create_loader
from botocore.retryhandler import create_retry_action_from_config
from botocore.stub import Stubber
from botocore.translate import build_retry_config

from coolid.aws.api_gateway import ApiGatewayHandler
from coolid.aws.dynamodb.reader import DynamoReader
from coolid.aws.dynamodb.table_reader import BATCH_TIMEOUT_SECONDS
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.dynamodb_client.http_transport import DEFAULT_TIMEOUTS as PATIENCE_OF_READS
from coolid.aws.dynamodb_client.http_transport import HttpTransport, Timeouts
from coolid.aws.dynamodb_client.transport import Transport
from coolid.deadlines import Deadline, limited
from coolid.errors import IdempotencyRecordTaken, IdentifierTaken, Outdated, StoreUnavailable
from coolid.http.application import Application
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.model.clients import Client, Window
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.quota_usage import Usage
from coolid.records.idempotency import LIFETIME
from coolid.resolution.cache import MAX_STALE_SECONDS, PREFIX_TTL, RECORD_TTL
from coolid.resolution.caching_reader import MAX_WAIT_SECONDS, CachingReader
from coolid.store.store import Store
from coolid.wiring.boto_clients import READS, dynamodb
from coolid.wiring.read_access import dynamodb_transport
from tests.support.builders.samples import BASE_URL, MOMENT, namespace, provider_prefix, record, repository
from tests.support.fixtures.events import to_event
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import Answer, answer_of, store_over, table_names
from tests.support.servers.faulty_server import FAULTS, Hanging, answering, faulty_server
from tests.support.servers.loopback import nobody
from tests.support.stores.memory_store import MemoryStore


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between attempts are not what is tested."""
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None))
    monkeypatch.setattr("coolid.aws.dynamodb_client.http_transport.sleep", lambda _: None)


@pytest.fixture(params=["own", "boto3"])
def client(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which client reads."""
    monkeypatch.setenv("STORE_CLIENT", request.param)
    return str(request.param)


either_way = pytest.mark.usefixtures("client")


@pytest.fixture(params=FAULTS)
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All AWS clients made from here on talk to a server that misbehaves."""
    with faulty_server(FAULTS[request.param]) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        yield


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All AWS clients made from here on talk to a server that never answers."""
    with faulty_server(Hanging()) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        yield


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All AWS clients made from here on find nobody where DynamoDB should be."""
    with nobody() as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        yield


def reader() -> DynamoReader:
    return DynamoReader(dynamodb_transport(), "prefixes", "luis")


def resolved(path: str, remembering: CachingReader | None = None) -> Answer:
    """What the resolve function would answer, a cold one unless it remembers something."""
    reading = ResolutionEndpoint(remembering or CachingReader(reader(), lambda: 0.0), FixedClock(), BASE_URL)
    gateway = ApiGatewayHandler(Application(reading.routes(), BASE_URL, unforeseen))
    return answer_of(gateway(to_event("GET", path, "", headers=[], body=b"", request_id="1"), None))


def unforeseen(error: Exception, *_: Any) -> None:
    raise AssertionError("nobody foresaw this") from error


READINGS: dict[str, Callable[[DynamoReader], Any]] = {
    "prefixes": lambda reader: reader.prefixes(["a", "b"]),
    "prefixes, the newest": lambda reader: reader.prefixes(["a"], consistent=True),
    "record": lambda reader: reader.record("r", "k"),
    "record, the newest": lambda reader: reader.record("r", "k", consistent=True),
    "superseded": lambda reader: reader.superseded("r", "k", 1),
    "history": lambda reader: reader.history("r", "k", 5),
    "superseded_between": lambda reader: reader.superseded_between("r", "k", 1, 9, 5),
    "public_keys": lambda reader: reader.public_keys(),
    "records": lambda reader: reader.records("r", ["k"]),
}


@either_way
@pytest.mark.parametrize("reading", READINGS)
def test_a_read_says_that_the_store_is_unavailable(broken: None, reading: str) -> None:
    with pytest.raises(StoreUnavailable):
        READINGS[reading](reader())


@either_way
@pytest.mark.parametrize("reading", READINGS)
def test_a_read_of_nobody_says_so_too(absent: None, reading: str) -> None:
    with pytest.raises(StoreUnavailable):
        READINGS[reading](reader())


@either_way
@pytest.mark.parametrize("path", ["/2021/06/demo/tw0t-ywdj-94", "/nobodys:1", "/uniprot"])
def test_it_has_retry_after_and_is_not_cached(broken: None, path: str) -> None:
    answer = resolved(path)
    assert answer.is_problem(503, "store-unavailable")
    assert int(answer.headers["retry-after"]) > 0
    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers


@either_way
def test_a_client_gets_it_too_if_the_store_hangs(hanging: None) -> None:
    answer = resolved("/2021/06/demo/tw0t-ywdj-94")
    assert answer.is_problem(503, "store-unavailable")
    assert answer.headers["cache-control"] == "no-store"


class TestWaiting:
    """No clock is read here: the longest wait follows from the settings, and from botocore's own."""

    MOST = 3.0

    @pytest.fixture
    def longest(self, client: str) -> float:
        """How long a read may take."""
        if client != "own":
            return self.longest_by_boto3()
        own = PATIENCE_OF_READS
        return own.attempts * own.attempt_seconds + (own.attempts - 1) * own.max_pause_seconds

    def longest_by_boto3(self) -> float:
        """A read's longest wait: in each attempt TCP, TLS and then the answer; between attempts botocore's pauses."""
        config: Any = READS
        one_attempt: float = 2 * config.connect_timeout + config.read_timeout
        assert config.retries["mode"] == "legacy", "the standard mode pauses up to a second, and does as it is told"
        attempts: int = config.retries["total_max_attempts"]
        data = create_loader().load_data("_retry")
        retries = build_retry_config("dynamodb", data["retry"], data["definitions"], {"max_attempts": attempts - 1})
        pause: Any = create_retry_action_from_config(retries)
        pauses: float = sum(pause(attempts=attempt) for attempt in range(1, attempts))
        return attempts * one_attempt + pauses

    def test_one_read_gives_up_in_time(self, longest: float) -> None:
        assert longest < 2.5

    def test_all_reads_of_a_request_give_up_in_time(self, longest: float) -> None:
        """The last may begin just before patience ends, and be a batch in parts; after a failure none begins."""
        assert MAX_WAIT_SECONDS + BATCH_TIMEOUT_SECONDS + longest < self.MOST

    @either_way
    def test_a_store_that_throttles_gets_at_most_two_requests(self, monkeypatch: pytest.MonkeyPatch) -> None:
        requested = []

        def throttle(handler: BaseHTTPRequestHandler) -> None:
            requested.append(handler.path)
            answering(400, "ProvisionedThroughputExceededException")(handler)

        with faulty_server(throttle) as url:
            monkeypatch.setenv("AWS_ENDPOINT_URL", url)
            assert resolved("/2021/06/demo/tw0t-ywdj-94").is_problem(503, "store-unavailable")
        assert len(requested) == 2

    @either_way
    def test_a_store_that_hangs_is_waited_for_once_a_request(self, hanging: None) -> None:
        watch = CachingReader(reader(), monotonic).for_request()
        with pytest.raises(StoreUnavailable, match="did not answer"):
            watch.prefixes(["a"])
        with pytest.raises(StoreUnavailable, match="a moment ago"):
            watch.record("r", "k")


class Switched:
    """A reader that is exchanged for another while it is in use."""

    def __init__(self, behind: Any) -> None:
        self.behind = behind

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


@either_way
@pytest.mark.parametrize("broken", ["throttles", "is unavailable", "closes the connection"], indirect=True)
class TestWarmFunctions:
    """A function that has answered before, and then loses its store."""

    @pytest.fixture
    def store(self) -> MemoryStore:
        """The one that it then loses."""
        return MemoryStore()

    @pytest.fixture
    def now(self) -> list[float]:
        return [1000.0]

    @pytest.fixture
    def warm(self, store: MemoryStore, broken: None, now: list[float]) -> CachingReader:
        store.create_repository(repository())
        store.put_prefix(namespace("2021/06/demo"), None)
        store.create_record(record())
        behind = Switched(store)
        warm = CachingReader(behind, lambda: now[0])
        assert resolved("/2021/06/demo/tw0t-ywdj-94", warm).status == 302
        assert resolved("/2021/06/demo/2r4k-9m3x-17", warm).status in (400, 404)
        behind.behind = reader()
        return warm

    def test_it_answers_from_its_cache_as_usual(self, warm: CachingReader) -> None:
        answer = resolved("/2021/06/demo/tw0t-ywdj-94", warm)
        assert answer.status == 302
        assert "cache-status" not in answer.headers

    def test_what_is_out_of_date_it_answers_and_says_so(self, warm: CachingReader, now: list[float]) -> None:
        now[0] += RECORD_TTL + 41
        answer = resolved("/2021/06/demo/tw0t-ywdj-94", warm)
        assert answer.status == 302
        assert answer.headers["location"] == record().records[0].uri
        assert answer.headers["cache-status"] == "coolid; fwd=stale; ttl=-41; detail=store-unavailable"

    @pytest.mark.parametrize(
        "path", ["/2021/06/demo/2r4k-9m3x-17", "/2021/06/demo/other", "/2021/06/other/x", "/other:1", "/2021"]
    )
    def test_it_refuses_nothing_for_what_it_cannot_know(self, warm: CachingReader, now: list[float], path: str) -> None:
        now[0] += PREFIX_TTL
        answer = resolved(path, warm)
        assert answer.is_problem(503, "store-unavailable")
        assert answer.headers["cache-control"] == "no-store"

    def test_after_a_day_it_gives_up(self, warm: CachingReader, now: list[float]) -> None:
        now[0] += MAX_STALE_SECONDS + 1
        assert resolved("/2021/06/demo/tw0t-ywdj-94", warm).is_problem(503, "store-unavailable")


WRITINGS: dict[str, Callable[[Store], Any]] = {
    "create_record": lambda store: store.records.create_record(record()),
    "replace_record": lambda store: store.records.replace_record(record(version=2), record()),
    "add_public_key": lambda store: store.public_keys.add_public_key({"kid": "a"}),
    "reserve": lambda store: store.counters.reserve("r", 0, 1),
    "usage": lambda store: store.quotas.usage("r"),
    "spend": lambda store: store.quotas.spend("r", Usage(), Usage().after(1, [Window("minute", 1, 60)], 0), 0),
    "repository": lambda store: store.repositories.repository("r"),
    "create_repository": lambda store: store.repositories.create_repository(repository()),
    "put_prefix": lambda store: store.prefixes.put_prefix(provider_prefix("go"), None),
    "put_prefix with stems": lambda store: store.prefixes.put_prefix(namespace("2021/06/mp"), None),
    "client": lambda store: store.clients.client("abcdefgh"),
    "put_client": lambda store: store.clients.put_client(Client("abcdefgh", "", ("admin",), MOMENT)),
}


def store() -> Store:
    return store_over(table_names())


@pytest.mark.parametrize(
    "broken",
    [
        "fails",
        "throttles",
        "denies access",
        "closes the connection",
        "breaks off",
        "damages its answers",
        "answers null",
        "answers a list",
    ],
    indirect=True,
)
@pytest.mark.parametrize("writing", WRITINGS)
def test_a_write_says_that_the_store_is_unavailable(broken: None, writing: str) -> None:
    with pytest.raises(StoreUnavailable):
        WRITINGS[writing](store())


@pytest.mark.parametrize("writing", WRITINGS)
def test_a_write_to_nobody_says_so_too(absent: None, writing: str) -> None:
    with pytest.raises(StoreUnavailable):
        WRITINGS[writing](store())


@pytest.mark.parametrize("writing", WRITINGS)
def test_a_write_after_the_deadline_of_its_request_is_not_made(monkeypatch: pytest.MonkeyPatch, writing: str) -> None:
    called: list[str] = []
    now = [0.0]
    with faulty_server(lambda handler: called.append(handler.path)) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        over = store()
        with limited(Deadline(25, lambda: now[0])):
            now[0] = 25.0
            with pytest.raises(StoreUnavailable, match="did not answer"):
                WRITINGS[writing](over)
    assert called == []


IMPATIENT = Config(connect_timeout=0.05, read_timeout=0.05, retries={"total_max_attempts": 1})
IMPATIENTLY: dict[str, Callable[[], Transport]] = {
    "own": lambda: HttpTransport.read(os.environ, Timeouts(connect_seconds=0.05, response_seconds=0.05, attempts=1)),
    "boto3": lambda: BotoTransport(dynamodb(IMPATIENT)),
}


@pytest.mark.parametrize("writing", ["create_record", "replace_record", "add_public_key"])
def test_a_write_that_nobody_answers_is_given_up(hanging: None, monkeypatch: pytest.MonkeyPatch, writing: str) -> None:
    monkeypatch.setattr("coolid.wiring.dynamodb_access.WRITES", IMPATIENT)
    with pytest.raises(StoreUnavailable, match="did not answer"):
        WRITINGS[writing](store())


@pytest.mark.parametrize("reading", ["record, the newest", "superseded", "public_keys"])
def test_a_read_that_nobody_answers_is_given_up(hanging: None, client: str, reading: str) -> None:
    with pytest.raises(StoreUnavailable, match="did not answer"):
        READINGS[reading](DynamoReader(IMPATIENTLY[client](), "prefixes", "luis"))


@contextmanager
def cancelling(reasons: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store that has nothing, and cancels every transaction, its parts for these reasons."""
    returned = [{"Code": reason} for reason in reasons]
    nothing = answering(200, "GetItemOutput", ConsumedCapacity={})
    cancelled = answering(400, "TransactionCanceledException", CancellationReasons=returned)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        is_read = handler.headers["X-Amz-Target"].endswith(".GetItem")
        (nothing if is_read else cancelled)(handler)

    with faulty_server(answer) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        yield


@pytest.mark.parametrize(
    ("reasons", "refusal"),
    [
        (["ConditionalCheckFailed", "None"], Outdated),
        (["None", "ConditionalCheckFailed"], Outdated),
        (["TransactionConflict", "None"], Outdated),
        (["ThrottlingError", "None"], StoreUnavailable),
        (["None", "ProvisionedThroughputExceeded"], StoreUnavailable),
    ],
)
def test_a_change_that_was_cancelled_is_refused_for_what_cancelled_it(
    monkeypatch: pytest.MonkeyPatch, reasons: list[str], refusal: type[Exception]
) -> None:
    """Only somebody else's change makes ours outdated; a store that is busy may be asked again."""
    with cancelling(reasons, monkeypatch), pytest.raises(refusal):
        WRITINGS["replace_record"](store())


@pytest.mark.parametrize(
    ("reasons", "refusal"),
    [
        (["ConditionalCheckFailed", "ConditionalCheckFailed"], IdempotencyRecordTaken),
        (["TransactionConflict", "None"], IdempotencyRecordTaken),
        (["None", "ConditionalCheckFailed"], IdentifierTaken),
        (["None", "TransactionConflict"], StoreUnavailable),
    ],
)
def test_a_mint_that_was_cancelled_is_refused_for_what_is_there_not_for_who_is_at_it(
    monkeypatch: pytest.MonkeyPatch, reasons: list[str], refusal: type[Exception]
) -> None:
    """Of two at the same record both may be cancelled: an identifier is not taken because somebody tries to take it."""
    with cancelling(reasons, monkeypatch), pytest.raises(refusal):
        store().records.create_record(
            record(), IdempotencyRecord("a/b", "sha-256=:x:", "r/tw0tywdj94", MOMENT + LIFETIME)
        )


class TestBatchesInParts:
    """DynamoDB may leave out part of a batch when it is busy, and says which."""

    @pytest.fixture
    def requested(self) -> Any:
        return boto3.client("dynamodb")

    @staticmethod
    def answer(found: list[str], left_out: list[str]) -> dict[str, Any]:
        return {
            "Responses": {"prefixes": [{"name": {"S": name}} for name in found]},
            "UnprocessedKeys": {"prefixes": {"Keys": [{"name": {"S": name}} for name in left_out]}} if left_out else {},
        }

    def test_unprocessed_keys_are_requested_again(self, requested: Any) -> None:
        with Stubber(requested) as stub:
            stub.add_response("batch_get_item", self.answer(["a"], ["b", "c"]))
            stub.add_response(
                "batch_get_item",
                self.answer(["c"], []),
                {"RequestItems": {"prefixes": {"Keys": [{"name": {"S": "b"}}, {"name": {"S": "c"}}]}}},
            )
            assert DynamoReader(BotoTransport(requested), "prefixes", "luis").prefixes(["a", "b", "c"]).keys() == {
                "a",
                "c",
            }
            stub.assert_no_pending_responses()

    def test_a_store_that_keeps_leaving_things_out_is_unavailable_and_says_nothing_of_the_rest(
        self, requested: Any
    ) -> None:
        with Stubber(requested) as stub:
            for _ in range(20):
                stub.add_response("batch_get_item", self.answer([], ["a"]))
            with pytest.raises(StoreUnavailable):
                DynamoReader(BotoTransport(requested), "prefixes", "luis").prefixes(["a", "b"])


class TestRowsOfOthers:
    """What was not asked for is no answer: somebody in between may have mixed up who asked."""

    @staticmethod
    def reader_told(operation: str, answer: dict[str, Any]) -> DynamoReader:
        returned: Any = SimpleNamespace(call=lambda requested, _: answer if requested == operation else None)
        return DynamoReader(returned, "prefixes", "luis")

    @pytest.mark.parametrize("item", [{}, {"pid": {"S": "r/other"}, "version": {"N": "0"}}, {"pid": {"S": "r/k"}}])
    def test_another_item_is_none(self, item: dict[str, Any]) -> None:
        with pytest.raises(StoreUnavailable):
            self.reader_told("GetItem", {"Item": item}).record("r", "k")

    @pytest.mark.parametrize("row", [{}, {"name": {"S": "c"}}, {"pid": {"S": "r/other"}, "body": {"S": "{}"}}])
    def test_another_row_of_a_batch_is_none(self, row: dict[str, Any]) -> None:
        for table, ask in (("prefixes", READINGS["prefixes"]), ("luis", READINGS["records"])):
            with pytest.raises(StoreUnavailable):
                ask(self.reader_told("BatchGetItem", {"Responses": {table: [row]}}))

    def test_another_version_is_none(self) -> None:
        row = {"pid": {"S": "r/other"}, "version": {"N": "0"}, "body": {"S": "{}"}}
        with pytest.raises(StoreUnavailable):
            self.reader_told("Query", {"Items": [row]}).history("r", "k", 5)
        for other in (row, row | {"pid": {"S": "r/k"}}):
            with pytest.raises(StoreUnavailable):
                self.reader_told("Query", {"Items": [other]}).superseded_between("r", "k", 1, 9, 5)

    @pytest.mark.parametrize("responses", [{}, {"another": []}])
    def test_a_batch_that_does_not_name_the_table_is_none(self, responses: dict[str, Any]) -> None:
        with pytest.raises(StoreUnavailable):
            self.reader_told("BatchGetItem", {"Responses": responses, "UnprocessedKeys": {}}).prefixes(["a"])

    @pytest.mark.parametrize("value", [{}, {"S": "x", "N": "1"}, {"N": "x"}])
    def test_a_row_of_values_that_this_service_never_have_is_none(self, value: dict[str, Any]) -> None:
        row = {"name": {"S": "a"}, "revision": value}
        with pytest.raises(StoreUnavailable):
            self.reader_told("BatchGetItem", {"Responses": {"prefixes": [row]}}).prefixes(["a"])
