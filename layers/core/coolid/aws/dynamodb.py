"""The store over DynamoDB: `coolid.aws.reading` for the questions, pynamodb for the conditional writes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import orjson
from pynamodb.exceptions import PynamoDBException, TransactWriteError
from pynamodb.transactions import TransactWrite

from coolid.aws.items import (
    CURRENT,
    KEYS,
    SYNONYM,
    pid_of,
    prefix_body,
    prefix_kind,
    record_body,
    repository_body,
    repository_name,
    repository_of,
    steps_to,
)
from coolid.aws.reading import DynamoReader, keys_row
from coolid.aws.tables import LuiRow, Tables
from coolid.domain.clients import Client
from coolid.domain.errors import (
    Contended,
    IdentifierTaken,
    InvalidInput,
    Outdated,
    PrefixTaken,
    StoreUnavailable,
)
from coolid.domain.prefixes import Namespace, Prefix, ProviderPrefix
from coolid.domain.records import Record, format_time, parse_time
from coolid.domain.repositories import Repository

MOST_RECORD_BYTES: Final = 380_000
"""DynamoDB takes items of 400 KB; the rest is for keys and what later versions add."""

_CONDITION_FAILED: Final = "ConditionalCheckFailedException"
_KEY_ROUNDS: Final = 5
_OUR_MISTAKE: Final = "ValidationException"
_TRANSACTION_CANCELLED: Final = "TransactionCanceledException"


class DynamoStore(DynamoReader):
    """Implements `coolid.domain.stores.Store`."""

    def __init__(self, client: Any, tables: Tables) -> None:
        super().__init__(client, tables.prefix.Meta.table_name, tables.lui.Meta.table_name)
        self._tables = tables

    def create_record(self, record: Record, key: str) -> None:
        """As of `Store`: one conditional PutItem. `InvalidInput` for a record larger than an item can be."""
        row = self._record_row(record, key, CURRENT)
        with _translated(IdentifierTaken(record.id)):
            row.save(condition=self._tables.lui.pid.does_not_exist())

    def replace_record(self, record: Record, key: str, replaced: Record) -> None:
        """As of `Store`: two conditional puts in one transaction. `InvalidInput` for a record that is too large."""
        row = self._tables.lui
        current, archived = self._record_row(record, key, CURRENT), self._record_row(replaced, key, replaced.version)
        try:
            with TransactWrite(connection=self._tables.connection) as transaction:
                transaction.save(current, condition=row.revision == replaced.version)
                transaction.save(archived, condition=row.pid.does_not_exist())
        except TransactWriteError as error:
            raise _refused(error, Outdated(record.id)) from error
        except PynamoDBException as error:
            raise _unavailable(error) from error

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        """As of `Store`: one row with all of them, replaced on the condition that it still is what was read."""
        row = self._tables.lui
        for _ in range(_KEY_ROUNDS):
            item = self.item(row.Meta.table_name, keys_row(), consistent=True)
            known = orjson.loads(item["body"]) if item else []
            if any(each["kid"] == key["kid"] for each in known):
                return
            revision = item["revision"] if item else 0
            body = orjson.dumps([*known, dict(key)]).decode()
            changed = row(pid=KEYS, version=CURRENT, status="keys", revision=revision + 1, body=body)
            with suppress(_NotOurs), _translated(_NotOurs()):
                changed.save(condition=row.revision == revision if item else row.pid.does_not_exist())
                return
        raise Contended("others kept publishing keys at the same time")

    def reserve(self, repository_id: str, floor: int, count: int) -> int:
        """As of `Store`: one conditional update where the counter lags behind the floor, two where it is ahead."""
        row = self._tables.counter
        counter = row(repository_id)
        with suppress(_CounterIsAhead), _translated(_CounterIsAhead()):
            counter.update(
                actions=[row.next_number.set(floor + count)],
                condition=row.next_number.does_not_exist() | (row.next_number <= floor),
            )
            return floor
        with _translated(None):
            counter.update(actions=[row.next_number.add(count)])
            return int(counter.next_number) - count

    def repository(self, repository_id: str) -> Repository | None:
        """As of `Store`."""
        table = self._tables.prefix.Meta.table_name
        row = self.item(table, {"name": {"S": repository_name(repository_id)}}, consistent=True)
        return repository_of(row["body"], row.get("canonical")) if row else None

    def create_repository(self, repository: Repository) -> None:
        """As of `Store`."""
        row = self._tables.prefix
        item = row(
            name=repository_name(repository.id),
            kind="repository",
            revision=repository.revision,
            canonical=repository.canonical,
            body=repository_body(repository),
        )
        with _translated(IdentifierTaken(repository.id)):
            item.save(condition=row.name.does_not_exist())

    def put_prefix(self, prefix: Prefix, replaced: Prefix | None) -> None:
        """As of `Store`: the stems one by one, then the prefix, its synonyms and its repository in one transaction."""
        assert isinstance(prefix, Namespace | ProviderPrefix)
        synonyms = prefix.synonyms if isinstance(prefix, ProviderPrefix) else ()
        dropped = set(replaced.synonyms) - set(synonyms) if isinstance(replaced, ProviderPrefix) else set()
        for name in (*synonyms, prefix.name):
            self._mark_stems(name)
        try:
            with TransactWrite(connection=self._tables.connection) as transaction:
                self._update_prefix(transaction, prefix, replaced)
                for synonym in synonyms:
                    self._claim_synonym(transaction, synonym, prefix.name)
                if isinstance(prefix, Namespace):
                    self._settle_canonical(transaction, prefix)
        except TransactWriteError as error:
            raise _cancelled(error, prefix.name, synonyms) from error
        except PynamoDBException as error:
            raise _unavailable(error) from error
        for synonym in dropped:  # one that is left over still leads to its prefix
            self._drop_synonym(synonym, prefix.name)

    def client(self, client_id: str) -> Client | None:
        """As of `Store`."""
        row = self.item(self._tables.client.Meta.table_name, {"id": {"S": client_id}}, consistent=True)
        if row is None:
            return None
        scopes = tuple(sorted(row.get("scopes", ())))
        return Client(row["id"], row["digest"], scopes, parse_time(row["created"]), row.get("note", ""))

    def put_client(self, client: Client) -> None:
        """As of `Store`."""
        with _translated(None):
            self._tables.client(
                id=client.id,
                digest=client.digest,
                scopes=set(client.scopes) or None,
                created=format_time(client.created),
                note=client.note or None,
            ).save()

    def _record_row(self, record: Record, key: str, version: int) -> LuiRow:
        body = record_body(record)
        if len(body.encode()) > MOST_RECORD_BYTES:
            raise InvalidInput.at("", f"the record is larger than {MOST_RECORD_BYTES} bytes")
        pid = pid_of(record.repository, key)
        return self._tables.lui(pid=pid, version=version, status=record.status, revision=record.version, body=body)

    def _mark_stems(self, name: str) -> None:
        row = self._tables.prefix
        for shorter, longer in steps_to(name):
            with _translated(None):
                row(shorter).update(actions=[row.longer.add({longer})])

    def _update_prefix(
        self, transaction: TransactWrite, prefix: Namespace | ProviderPrefix, replaced: Prefix | None
    ) -> None:
        row = self._tables.prefix
        unchanged = (
            (row.kind == prefix_kind(replaced)) & (row.revision == replaced.revision)
            if isinstance(replaced, Namespace | ProviderPrefix)
            else row.kind.does_not_exist()
        )
        transaction.update(
            row(prefix.name),
            actions=[
                row.kind.set(prefix_kind(prefix)),
                row.revision.set(prefix.revision),
                row.body.set(prefix_body(prefix)),
            ],
            condition=unchanged,
        )

    def _claim_synonym(self, transaction: TransactWrite, synonym: str, target: str) -> None:
        row = self._tables.prefix
        transaction.update(
            row(synonym),
            actions=[row.kind.set(SYNONYM), row.target.set(target)],
            condition=row.kind.does_not_exist() | ((row.kind == SYNONYM) & (row.target == target)),
        )

    def _drop_synonym(self, synonym: str, target: str) -> None:
        row = self._tables.prefix
        with suppress(_NotOurs), _translated(_NotOurs()):
            row(synonym).update(
                actions=[row.kind.remove(), row.target.remove()],
                condition=(row.kind == SYNONYM) & (row.target == target),
            )

    def _settle_canonical(self, transaction: TransactWrite, namespace: Namespace) -> None:
        row = self._tables.prefix
        canonical = namespace.repository.canonical
        assert canonical is not None
        transaction.update(
            row(repository_name(namespace.repository.id)),
            actions=[row.canonical.set(canonical)],
            condition=row.name.exists()
            & (row.revision == namespace.repository.revision)
            & (row.canonical.does_not_exist() | (row.canonical == canonical)),
        )


class _CounterIsAhead(Exception):
    """The counter is above the floor already."""


class _NotOurs(Exception):
    """The row belongs to somebody else's change by now."""


@contextmanager
def _translated(refused: Exception | None) -> Iterator[None]:
    """Turn what pynamodb raises into `refused` where the condition failed, else into `StoreUnavailable`."""
    try:
        yield
    except PynamoDBException as error:
        if refused is not None and _code_of(error) == _CONDITION_FAILED:
            raise refused from error
        raise _unavailable(error) from error


def _code_of(error: PynamoDBException) -> str | None:
    """DynamoDB's name for the failure; pynamodb's own property fails where there was no answer at all."""
    return getattr(error, "cause_response_code", None)


def _unavailable(error: PynamoDBException) -> Exception:
    """What a failure means; a request that we built wrongly stays an error of ours."""
    code = _code_of(error)
    if code == _OUR_MISTAKE:
        return error
    return StoreUnavailable(f"the store refused: {code}" if code else "the store did not answer")


def _cancelled(error: TransactWriteError, name: str, synonyms: Sequence[str]) -> Exception:
    """Which condition of `put_prefix` failed: a synonym's, or that nothing changed in between."""
    for synonym, code in zip(synonyms, _reasons(error)[1:], strict=False):
        if code == "ConditionalCheckFailed":
            return PrefixTaken(synonym, f"is registered already and cannot become a synonym of {name}")
    return _refused(error, Contended(f"the prefix {name} was changed by somebody else at the same time"))


def _refused(error: TransactWriteError, refusal: Exception) -> Exception:
    """`refusal` where a condition of the transaction failed, or another one was at the same rows."""
    if _code_of(error) != _TRANSACTION_CANCELLED:
        return _unavailable(error)
    if any(code in ("ConditionalCheckFailed", "TransactionConflict") for code in _reasons(error)):
        return refusal
    return StoreUnavailable("the store cancelled the change")


def _reasons(error: TransactWriteError) -> list[str | None]:
    """Why each part of a transaction was refused, in their order; none if it was not cancelled."""
    if _code_of(error) != _TRANSACTION_CANCELLED:
        return []
    return [reason.code if reason else None for reason in error.cancellation_reasons]
