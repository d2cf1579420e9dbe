"""Exports and imports within the limits of DynamoDB: unprocessed keys, and transactions that are cancelled or cut."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, HTTPClientError, ReadTimeoutError

from coolid.aws.dynamodb import bulk_reader, bulk_writer
from coolid.aws.dynamodb.bulk_writer import DynamoBulkWriter
from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.errors import StoreUnavailable
from coolid.store.bulk import RecordRow, WriteGroup
from tests.support.fixtures.installations import Cut, DynamoInstallation, cutting
from tests.support.stores.moto_store import MotoStore


@pytest.fixture
def target(signing_key: Path) -> DynamoInstallation:
    """Empty target."""
    return DynamoInstallation(signing_key)


class TestReading:
    def test_an_export_from_a_store_that_leaves_out_a_row_fails(
        self, source: DynamoInstallation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        call = BotoTransport.call

        def leave_out(self: BotoTransport, operation: str, request: Mapping[str, Any]) -> Any:
            return {**call(self, operation, request), **({"Responses": {}} if operation == "BatchGetItem" else {})}

        monkeypatch.setattr(BotoTransport, "call", leave_out)
        with pytest.raises(StoreUnavailable, match="leaves out"):
            source.export()

    def test_unprocessed_keys_are_requested_until_the_export_is_whole(
        self, source: DynamoInstallation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = source.export()
        call = BotoTransport.call

        def in_parts(self: BotoTransport, operation: str, request: Mapping[str, Any]) -> Any:
            if operation != "BatchGetItem":
                return call(self, operation, request)
            ((table, batch),) = request["RequestItems"].items()
            rest = batch["Keys"][1:]
            answer = call(self, operation, {"RequestItems": {table: batch | {"Keys": batch["Keys"][:1]}}})
            return {**answer, "UnprocessedKeys": {table: batch | {"Keys": rest}} if rest else {}}

        monkeypatch.setattr(BotoTransport, "call", in_parts)
        monkeypatch.setattr(bulk_reader, "_BATCH", 10)
        monkeypatch.setattr(bulk_reader, "sleep", lambda _: None)
        assert source.export() == whole

    def test_an_export_goes_on_while_a_busy_store_returns_any_row(
        self, source: DynamoInstallation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = source.export()
        call = BotoTransport.call

        def first_only(self: BotoTransport, operation: str, request: Mapping[str, Any]) -> Any:
            if operation != "BatchGetItem":
                return call(self, operation, request)
            ((table, batch),) = request["RequestItems"].items()
            answer = call(self, operation, {"RequestItems": {table: batch | {"Keys": batch["Keys"][:1]}}})
            rest = batch["Keys"][1:]
            return {**answer, "UnprocessedKeys": {table: batch | {"Keys": rest}} if rest else {}}

        monkeypatch.setattr(BotoTransport, "call", first_only)
        monkeypatch.setattr(bulk_reader, "_MAX_ATTEMPTS", 2)
        monkeypatch.setattr(bulk_reader, "sleep", lambda _: None)
        assert source.export() == whole

    def test_versions_that_stay_unprocessed_are_not_missing_ones(
        self, source: DynamoInstallation, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A copy of another service's record may begin with a later version, so an export would leave them out."""
        call = BotoTransport.call

        def without_older(self: BotoTransport, operation: str, request: Mapping[str, Any]) -> Any:
            if operation == "BatchGetItem":
                ((table, batch),) = request["RequestItems"].items()
                if any(key["version"] != {"N": "0"} for key in batch["Keys"]):
                    return {"Responses": {}, "UnprocessedKeys": {table: batch}}
            return call(self, operation, request)

        delays: list[float] = []
        monkeypatch.setattr(BotoTransport, "call", without_older)
        monkeypatch.setattr(bulk_reader, "sleep", delays.append)
        with pytest.raises(StoreUnavailable, match="unprocessed"):
            source.export()
        assert len(delays) >= 30
        assert max(delays) == 2

    def test_each_row_is_requested_once(self, source: DynamoInstallation, monkeypatch: pytest.MonkeyPatch) -> None:
        """A batch is never smaller than it may be, so requests grow in proportion to the records."""
        call = BotoTransport.call
        requested: Counter[str] = Counter()

        def count(self: BotoTransport, operation: str, request: Mapping[str, Any]) -> Any:
            if operation == "BatchGetItem":
                ((_, batch),) = request["RequestItems"].items()
                requested.update(str(key) for key in batch["Keys"])
                requested[operation] += 1
            return call(self, operation, request)

        monkeypatch.setattr(BotoTransport, "call", count)
        monkeypatch.setattr(bulk_reader, "_BATCH", 5)
        export = source.export()
        requests = requested.pop("BatchGetItem")
        assert {*requested.values()} == {1}
        assert requested.total() == export.count(b'{"kind":"record"')
        assert requests <= requested.total() // 5 + 8  # each repository, and each batch with superseded versions


class TestWriting:
    def test_each_row_is_written_once_in_transactions_as_large_as_they_may_be(
        self,
        source: DynamoInstallation,
        target: DynamoInstallation,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        transact = DynamoBulkWriter._transact
        sizes: list[int] = []

        def count(self: Any, items: Any) -> Any:
            sizes.append(len(items))
            return transact(self, items)

        monkeypatch.setattr(bulk_writer, "MOST_PUTS", 8)
        monkeypatch.setattr(DynamoBulkWriter, "_transact", count)
        target.restore(source.export(), tmp_path)
        assert sum(sizes) == source.export().count(b'{"kind":"record"')
        assert max(sizes) <= 8
        assert len(sizes) <= sum(sizes) // 4
        assert target.export() == source.export()

    def test_an_export_may_be_restored_where_it_comes_from_and_writes_nothing(
        self, source: DynamoInstallation, tmp_path: Path
    ) -> None:
        """The rows there have the tokens of their writes, which no export has."""
        source.mint("mp")
        tokens = sum("write_token" in item for item in MotoStore().items(source.tables["LuiTable"]))
        progress, refusals = source.restore(export := source.export(), tmp_path)
        assert (progress.refused, refusals, source.export()) == (0, [], export)
        assert 0 < tokens == sum("write_token" in item for item in MotoStore().items(source.tables["LuiTable"]))
        assert b"write_token" not in export

    @pytest.mark.parametrize("most", [1, 4])
    def test_a_history_too_long_for_one_transaction_comes_in_whole_too(
        self,
        source: DynamoInstallation,
        target: DynamoInstallation,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        most: int,
    ) -> None:
        monkeypatch.setattr(bulk_writer, "MOST_PUTS", most)
        export = source.export()
        progress, _ = target.restore(export, tmp_path)
        assert progress.refused == 0
        assert target.export() == export

    @pytest.mark.parametrize(("call", "after"), [(0, False), (0, True), (2, True), (5, False)])
    def test_cut_short_at_any_call_it_ends_as_it_would_have(
        self,
        source: DynamoInstallation,
        target: DynamoInstallation,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        *,
        call: int,
        after: bool,
    ) -> None:
        monkeypatch.setattr(bulk_writer, "MOST_PUTS", 2)
        export = source.export()
        with monkeypatch.context() as cut:
            cut.setattr(DynamoBulkWriter, "_transact", cutting(DynamoBulkWriter._transact, call, after=after))
            with pytest.raises(Cut):
                target.restore(export, tmp_path)
        target.restore(export, tmp_path)
        assert target.export() == export

    def test_others_at_the_same_rows_are_borne_with(
        self,
        source: DynamoInstallation,
        target: DynamoInstallation,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(bulk_writer, "sleep", lambda _: None)
        conflicts = [3]
        transact = DynamoBulkWriter._transact

        def contended(self: Any, items: Any) -> Any:
            conflicts[0] -= 1
            return [{"Code": "TransactionConflict"} for _ in items] if conflicts[0] >= 0 else transact(self, items)

        monkeypatch.setattr(DynamoBulkWriter, "_transact", contended)
        target.restore(source.export(), tmp_path)
        assert target.export() == source.export()

    def test_a_transaction_is_repeated_as_long_as_others_succeed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rejected = 0

        def transact(**request: Any) -> None:
            nonlocal rejected
            ((_, put),) = request["TransactItems"][0].items()
            if put["Item"]["pid"]["S"] == "r4k2/slow" and rejected < 50:
                rejected += 1
                error: Any = {"Error": {"Code": "TransactionCanceledException"}}
                error["CancellationReasons"] = [{"Code": "ThrottlingError"}]
                raise ClientError(error, "TransactWriteItems")

        client = Mock()
        client.transact_write_items.side_effect = transact
        writer = DynamoBulkWriter(client, "a-table")
        slow, *others = (WriteGroup(RecordRow("r4k2", key, 1, "active", "{}")) for key in ("slow", "fast"))
        delays: list[float] = []

        def put_others(delay: float) -> None:
            delays.append(delay)
            writer.put(others)

        monkeypatch.setattr(bulk_writer, "sleep", put_others)
        writer.put([slow])
        assert (slow.written, len(delays), max(delays)) == (1, 50, 2)

    def test_rows_that_stay_locked_end_it_and_it_can_be_continued(
        self,
        source: DynamoInstallation,
        target: DynamoInstallation,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        with monkeypatch.context() as contended:
            contended.setattr(bulk_writer, "sleep", lambda _: None)
            contended.setattr(
                DynamoBulkWriter, "_transact", lambda _, items: [{"Code": "TransactionConflict"}] * len(items)
            )
            with pytest.raises(StoreUnavailable):
                target.restore(source.export(), tmp_path)
        target.restore(source.export(), tmp_path)
        assert target.export() == source.export()

    def test_refusals_may_come_one_by_one(
        self,
        source: DynamoInstallation,
        target: DynamoInstallation,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        export = source.export()
        target.restore(export, tmp_path)
        source.mint("mp")
        transact = DynamoBulkWriter._transact

        def first_only(self: Any, items: Any) -> Any:
            reasons = transact(self, items) or []
            returned = next((at for at, each in enumerate(reasons) if each.get("Code") != "None"), None)
            return (
                None
                if returned is None
                else [each if at == returned else {"Code": "None"} for at, each in enumerate(reasons)]
            )

        monkeypatch.setattr(DynamoBulkWriter, "_transact", first_only)
        progress, _ = target.restore(source.export(), tmp_path)
        assert progress.refused == 0
        assert target.export() == source.export()

    @pytest.mark.parametrize("broken", [ConnectionClosedError, ReadTimeoutError])
    def test_a_connection_that_breaks_is_reported_as_a_store_that_cannot_be_reached(
        self, broken: type[HTTPClientError]
    ) -> None:
        client = Mock()
        client.transact_write_items.side_effect = broken(endpoint_url="https://dynamodb.example")
        with pytest.raises(StoreUnavailable):
            DynamoBulkWriter(client, "a-table").put([WriteGroup(RecordRow("r4k2", "x5", 1, "active", "{}"))])
