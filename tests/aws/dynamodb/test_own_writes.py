"""Over DynamoDB: a write is not refused because of its own earlier attempt, whose answer was lost."""

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.aws.dynamodb.store import dynamo_store
from coolid.aws.dynamodb.tables import bind
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.settings import Settings
from coolid.errors import (
    Contended,
    IdempotencyRecordTaken,
    IdentifierTaken,
    Outdated,
    QuotaExceeded,
    StoreUnavailable,
)
from coolid.model.clients import Client, Quota
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.prefixes import Namespace, ProviderPrefix, Synonym
from coolid.model.records import Location, Record
from coolid.records.idempotency import LIFETIME
from coolid.records.quotas import Quotas
from coolid.store.bulk import RecordRow, WriteGroup
from coolid.store.rows import record_body
from coolid.store.store import Store
from coolid.wiring.boto_clients import WRITES, dynamodb
from tests.support.builders.histories import stored_versions
from tests.support.builders.samples import MOMENT, namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock, SeededEntropy
from tests.support.fixtures.system import empty, environment_for, store_over
from tests.support.stores.outages import lost_answers, outage

OWNER = "r4k2-9m3x-62"
KEY = "tw0tywdj94"
RECEIPT = IdempotencyRecord("abcdefgh/k", "sha-256=:x:", f"{OWNER}/{KEY}", MOMENT + LIFETIME)
PUT, UPDATE, TRANSACTION = "PutItem", "UpdateItem", "TransactWriteItems"


@pytest.fixture
def tables(dynamo: tuple[Store, dict[str, str]]) -> dict[str, str]:
    """Empty tables."""
    _, tables = dynamo
    empty(tables)
    return tables


@pytest.fixture
def store(tables: dict[str, str]) -> Store:
    return store_over(tables)


def version(number: int) -> Record:
    """A version of one record; each leads elsewhere."""
    return record(version=number, records=(Location(f"https://content.example.org/v{number}"),))


def rows(tables: dict[str, str], pid: str) -> list[dict[str, Any]]:
    """The rows of a record, the current one first."""
    client: Any = boto3.client("dynamodb")
    condition = {"KeyConditionExpression": "pid = :pid", "ExpressionAttributeValues": {":pid": {"S": pid}}}
    found: list[dict[str, Any]] = client.query(TableName=tables["LuiTable"], **condition)["Items"]
    return found


class TestNewRecords:
    @pytest.mark.parametrize("times", [1, 2])
    def test_a_record_whose_answer_is_lost_is_written_once(self, store: Store, times: int) -> None:
        with lost_answers(PUT, times) as lost:
            store.records.create_record(version(1))
        assert lost == [PUT] * times
        assert stored_versions(store.records, OWNER, KEY) == [version(1)]

    def test_a_record_with_an_idempotency_record_is_written_once(self, store: Store) -> None:
        """The embedded backend does not recognise a `ClientRequestToken`, and so carries out both."""
        with lost_answers(TRANSACTION) as lost:
            store.records.create_record(version(1), RECEIPT)
        assert lost == [TRANSACTION]
        assert (stored_versions(store.records, OWNER, KEY), store.records.idempotency_record(RECEIPT.id)) == (
            [version(1)],
            RECEIPT,
        )

    @pytest.mark.parametrize("changes", [1, 3])
    def test_changes_before_the_write_is_repeated_hide_nothing(self, store: Store, changes: int) -> None:
        def change() -> None:
            for number in range(1, changes + 1):
                stored = store.records.record(OWNER, KEY, consistent=True)
                assert stored is not None
                store.records.replace_record(version(number + 1), stored)

        with lost_answers(PUT, then=change):
            store.records.create_record(version(1))
        assert [each.version for each in stored_versions(store.records, OWNER, KEY)] == list(range(changes + 1, 0, -1))

    def test_the_same_record_of_another_write_is_refused(self, store: Store) -> None:
        store.records.create_record(version(1))
        with lost_answers(PUT), pytest.raises(IdentifierTaken):  # the refusal itself is lost once
            store.records.create_record(version(1))
        with lost_answers(TRANSACTION), pytest.raises(IdentifierTaken):
            store.records.create_record(version(1), RECEIPT)
        assert store.records.idempotency_record(RECEIPT.id) is None

    def test_the_idempotency_record_of_another_write_is_refused(self, store: Store) -> None:
        store.records.create_record(version(1), RECEIPT)
        with lost_answers(TRANSACTION), pytest.raises(IdempotencyRecordTaken):
            store.records.create_record(record("0000000195"), RECEIPT)

    def test_a_write_that_cannot_be_read_back_is_not_refused(self, store: Store) -> None:
        with lost_answers(PUT), lost_answers("GetItem", 10), pytest.raises(StoreUnavailable):
            store.records.create_record(version(1))
        with lost_answers(PUT, 10), pytest.raises(StoreUnavailable):
            store.records.create_record(record("0000000195"))


class TestNewVersions:
    @pytest.fixture
    def first(self, store: Store) -> Record:
        store.records.create_record(version(1))
        found = store.records.record(OWNER, KEY, consistent=True)
        assert found is not None
        return found

    def test_a_version_whose_answer_is_lost_is_written_once(self, store: Store, first: Record) -> None:
        with lost_answers(TRANSACTION) as lost:
            store.records.replace_record(version(2), first)
        assert lost == [TRANSACTION]
        assert stored_versions(store.records, OWNER, KEY) == [version(2), version(1)]

    def test_a_version_with_an_idempotency_record_is_written_once(self, store: Store, first: Record) -> None:
        receipt = replace(RECEIPT, expires=version(2).updated + LIFETIME)
        with lost_answers(TRANSACTION) as lost:
            store.records.replace_record(version(2), first, receipt)
        assert lost == [TRANSACTION]
        assert store.records.idempotency_record(receipt.id) == receipt
        second = store.records.record(OWNER, KEY, consistent=True)
        assert second == version(2)
        with lost_answers(TRANSACTION), pytest.raises(IdempotencyRecordTaken):
            store.records.replace_record(version(3), second, receipt)
        assert stored_versions(store.records, OWNER, KEY) == [version(2), version(1)]

    def test_a_change_before_the_write_is_repeated_hides_nothing(self, store: Store, first: Record) -> None:
        def change() -> None:
            stored = store.records.record(OWNER, KEY, consistent=True)
            assert stored is not None
            store.records.replace_record(version(3), stored)

        with lost_answers(TRANSACTION, then=change):
            store.records.replace_record(version(2), first)
        assert stored_versions(store.records, OWNER, KEY) == [version(3), version(2), version(1)]

    def test_the_same_version_of_another_write_is_refused(self, store: Store, first: Record) -> None:
        store.records.replace_record(version(2), first)
        with lost_answers(TRANSACTION), pytest.raises(Outdated):
            store.records.replace_record(version(2), first)

    def test_an_archived_version_keeps_its_token(self, store: Store, first: Record, tables: dict[str, str]) -> None:
        store.records.replace_record(version(2), first)
        current, archived = rows(tables, f"{OWNER}/{KEY}")
        assert archived["write_token"]["S"] == first.write_token
        assert len({current["write_token"]["S"], archived["write_token"]["S"]}) == 2


class TestRowsWithoutAToken:
    """As an earlier release and imports write them."""

    @pytest.fixture
    def first(self, store: Store, tables: dict[str, str]) -> Record:
        store.records.create_record(version(1))
        client: Any = boto3.client("dynamodb")
        place = {"pid": {"S": f"{OWNER}/{KEY}"}, "version": {"N": "0"}}
        client.update_item(TableName=tables["LuiTable"], Key=place, UpdateExpression="REMOVE write_token")
        found = store.records.record(OWNER, KEY, consistent=True)
        assert found is not None
        return found

    def test_records_are_read_and_changed_as_before(self, store: Store, first: Record, tables: dict[str, str]) -> None:
        assert (first, first.write_token) == (version(1), None)
        with lost_answers(TRANSACTION):
            store.records.replace_record(version(2), first)
        assert stored_versions(store.records, OWNER, KEY) == [version(2), version(1)]
        assert ["write_token" in row for row in rows(tables, f"{OWNER}/{KEY}")] == [True, False]

    def test_a_record_is_never_taken_for_the_own_write(self, store: Store, first: Record) -> None:
        with pytest.raises(IdentifierTaken):
            store.records.create_record(version(1))
        store.records.replace_record(version(2), first)
        with pytest.raises(IdentifierTaken):
            store.records.create_record(version(1))


def test_a_repeated_import_of_a_row_is_no_conflict(tables: dict[str, str]) -> None:
    """They have no token: all of a row, its signature included, is compared."""
    group = WriteGroup(RecordRow(OWNER, KEY, 1, version(1).status, record_body(version(1))))
    with lost_answers(TRANSACTION) as lost:
        DynamoBulkWriter(dynamodb(WRITES), tables["LuiTable"]).put([group])
    assert (lost, group.conflicts, len(rows(tables, f"{OWNER}/{KEY}"))) == ([TRANSACTION], [], 1)


class TestRepositoriesAndPrefixes:
    def test_a_new_repository_is_written_once(self, store: Store) -> None:
        with lost_answers(PUT) as lost:
            store.repositories.create_repository(repository())
        assert lost == [PUT]
        assert store.repositories.repository(OWNER) == repository()
        with pytest.raises(IdentifierTaken):
            store.repositories.create_repository(repository())

    @pytest.mark.parametrize("kind", ["repository", "client"])
    def test_a_creation_with_an_idempotency_record_is_written_once(self, store: Store, kind: str) -> None:
        def create(digest: str) -> None:
            if kind == "repository":
                store.repositories.create_repository(repository(), RECEIPT)
            else:
                store.clients.put_client(Client("abcdefgh", digest, ("mint:b", "mint:a"), MOMENT), RECEIPT)

        with lost_answers(TRANSACTION) as lost:
            create("00")
        assert (lost, store.records.idempotency_record(RECEIPT.id)) == ([TRANSACTION], RECEIPT)
        with lost_answers(TRANSACTION), pytest.raises(IdempotencyRecordTaken):
            create("11")

    def test_a_changed_repository_is_written_once_with_its_aliases(self, store: Store) -> None:
        store.repositories.create_repository(repository())
        store.prefixes.put_prefix(namespace("demo"), None)
        present = store.repositories.repository(OWNER)
        assert present is not None
        changed = replace(present, title="It changed", revision=present.revision + 1)
        with lost_answers(TRANSACTION) as lost:
            store.repositories.change_repository(changed, present)
        assert lost == [TRANSACTION]
        alias = store.prefixes.prefixes(["demo"], consistent=True)["demo"]
        assert isinstance(alias, Namespace)
        assert (store.repositories.repository(OWNER), alias.repository.title) == (changed, "It changed")
        with pytest.raises(Contended):
            store.repositories.change_repository(changed, present)

    def test_a_new_or_changed_prefix_is_written_once_with_its_synonyms(self, store: Store) -> None:
        with lost_answers(TRANSACTION):
            store.prefixes.put_prefix(provider_prefix("go", synonyms=("gobp", "gomf")), None)
        first = store.prefixes.prefixes(["go"], consistent=True)["go"]
        with lost_answers(TRANSACTION):
            store.prefixes.put_prefix(provider_prefix("go", synonyms=("gobp",), revision=2), first)
        found = store.prefixes.prefixes(["go", "gobp", "gomf"], consistent=True)
        assert isinstance(found["go"], ProviderPrefix)
        assert (found["go"].revision, found["go"].synonyms) == (2, ("gobp",))
        assert isinstance(found["gobp"], Synonym)
        assert not isinstance(found.get("gomf"), Synonym)
        with pytest.raises(Contended):
            store.prefixes.put_prefix(provider_prefix("go", synonyms=("gobp",), revision=2), first)

    def test_a_new_namespace_is_written_once(self, store: Store) -> None:
        store.repositories.create_repository(repository())
        with lost_answers(TRANSACTION):
            store.prefixes.put_prefix(namespace("demo"), None)
        owner = store.repositories.repository(OWNER)
        assert owner is not None
        assert owner.canonical == "demo"


class TestQuotas:
    def test_a_mint_whose_answer_is_lost_is_spent_once(self, store: Store) -> None:
        client, clock = Client("abcdefgh", "", (), MOMENT, quota=Quota(minute=3, day=100)), FixedClock()
        for remaining in (2, 1, 0):
            with lost_answers(UPDATE) as lost:
                minute, _ = Quotas(store.quotas, clock).spend(client)
            assert (lost, minute.remaining) == ([UPDATE], remaining)
            clock.pause(7_000)
        with lost_answers(UPDATE), pytest.raises(QuotaExceeded):
            Quotas(store.quotas, clock).spend(client)

    def test_a_row_that_cannot_be_read_is_store_unavailable(self, store: Store, tables: dict[str, str]) -> None:
        client: Any = boto3.client("dynamodb")
        row = {"revision": {"N": "1"}, "spent": {"N": "1"}, "latest": {"N": "1"}}
        for number, windows in enumerate(["{", '{"minute": 1}', None]):
            more = {"windows": {"S": windows}} if windows is not None else {}
            client.put_item(TableName=tables["CounterTable"], Item={"id": {"S": f"c{number}"}, **row, **more})
            with pytest.raises(StoreUnavailable):
                store.quotas.usage(f"c{number}")


class TestWritesWithoutACondition:
    """Carried out twice, they change nothing more, or pass over some numbers."""

    def test_no_number_is_reserved_twice(self, store: Store) -> None:
        reserved: list[int] = []
        for _ in range(4):
            with lost_answers(UPDATE):
                reserved += range(first := store.counters.reserve("a-counter", 100, 5), first + 5)
        assert len(set(reserved)) == len(reserved) == 20

    def test_a_health_report_is_stored(self, store: Store) -> None:
        store.records.create_record(version(1))
        with lost_answers(UPDATE) as lost:
            assert store.conditions.set_record_condition(OWNER, KEY, 1, {})
        assert lost == [UPDATE]


def test_each_write_has_a_token_of_its_own_from_the_entropy_port(tables: dict[str, str]) -> None:
    settings = Settings.read(environment_for(tables), writes=True)
    entropy = SeededEntropy()
    client = dynamodb(WRITES)
    store = dynamo_store(BotoTransport(client), bind(settings, client), entropy)
    keys = ["0000000195", "000000028z", KEY]
    for key in keys:
        store.records.create_record(record(key))
    found = [row["write_token"]["S"] for key in keys for row in rows(tables, f"{OWNER}/{key}")]
    expected = SeededEntropy()
    assert found == [expected.token(16).hex() for _ in keys]
    assert len(set(found)) == 3


WRITES_ON_CONDITION: dict[str, Callable[[Store], object]] = {
    "create_record": lambda store: store.records.create_record(version(1)),
    "create_record with a receipt": lambda store: store.records.create_record(version(1), RECEIPT),
    "replace_record": lambda store: store.records.replace_record(version(2), version(1)),
    "create_repository": lambda store: store.repositories.create_repository(repository()),
    "put_prefix": lambda store: store.prefixes.put_prefix(provider_prefix("go"), None),
}


@pytest.mark.parametrize("write", WRITES_ON_CONDITION)
def test_a_store_out_of_reach_is_no_success(store: Store, write: str) -> None:
    with outage(), pytest.raises(StoreUnavailable):
        WRITES_ON_CONDITION[write](store)
