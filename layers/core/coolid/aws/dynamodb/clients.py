"""API clients and their sessions in DynamoDB."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from time import time
from typing import Final

from coolid.aws.dynamodb.client import DynamoClient, accept_own_write, translate_errors, try_write
from coolid.aws.dynamodb.idempotency_records import creation_failure, save_idempotency_record
from coolid.deadlines import current_deadline, limited
from coolid.errors import IdempotencyRecordTaken, StoreUnavailable
from coolid.model.clients import Client
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.sessions import Session
from coolid.store.client_rows import client_of, client_row, day_of
from coolid.store.sessions import session_id

_PROMPT_SECONDS_LEFT: Final = 22.0
"""The seconds that are left of a request's 25 if the store answers promptly."""
_USE_SECONDS: Final = 2.0
"""The time limit of storing the day of the last use."""


class DynamoClients:
    """Implements `ClientStore`."""

    def __init__(self, client: DynamoClient) -> None:
        self._client = client
        self._reader = client.reader
        self._model = client.tables.client

    def client(self, client_id: str) -> Client | None:
        """See `ClientStore`. Takes one GetItem."""
        row = self._reader.row(self._model.Meta.table_name, {"id": {"S": client_id}})
        return client_of(row) if row is not None else None

    def list_clients(self, limit: int, after: str | None) -> tuple[Sequence[Client], str | None]:
        """See `ClientStore`. Takes a Scan, because the table is small and only administrators read it as a whole."""
        start = {"id": {"S": after}} if after else None
        with translate_errors(None):
            rows = [each.attribute_values for each in self._model.scan(limit=limit + 1, last_evaluated_key=start)]
        found = [client_of({name: value for name, value in row.items() if value is not None}) for row in rows]
        return found[:limit], found[limit - 1].id if len(found) > limit else None

    def record_use(self, client: Client) -> None:
        """See `ClientStore`. Takes one conditional UpdateItem on the first request of a day.

        A slow store leaves its time to the request, so nothing is stored then.
        """
        row, day, deadline = self._model, day_of(time()), current_deadline()
        if client.last_used == day or (deadline is not None and not deadline.exceeds(_PROMPT_SECONDS_LEFT)):
            return
        text = day.isoformat()
        is_older = row.last_used.does_not_exist() | (row.last_used < text)
        with limited(deadline and deadline.within(_USE_SECONDS)):
            try_write(
                lambda: row(client.id).update(actions=[row.last_used.set(text)], condition=row.id.exists() & is_older)
            )

    def put_client(self, client: Client, idempotency_record: IdempotencyRecord | None = None) -> None:
        """See `ClientStore`. Takes one PutItem, or two in one transaction."""
        row = self._model(**client_row(client))
        if idempotency_record is None:
            with translate_errors(None):
                row.save()
            return
        refusal = partial(creation_failure, refusal=StoreUnavailable("another write uses the row"))
        with (
            accept_own_write(lambda: self._is_stored(client), IdempotencyRecordTaken),
            self._client.transaction(refusal) as transaction,
        ):
            save_idempotency_record(transaction, self._client, idempotency_record, client.created)
            transaction.save(row)

    def _is_stored(self, client: Client) -> bool:
        """Return whether a client with the same random key is stored."""
        stored = self.client(client.id)
        return stored is not None and stored.digest == client.digest


class DynamoSessions:
    """Implements `SessionStore`, in the table of the idempotency records, whose rows expire too."""

    def __init__(self, client: DynamoClient) -> None:
        self._reader = client.reader
        self._model = client.tables.request

    def session(self, digest: str) -> Session | None:
        """See `SessionStore`. Takes one GetItem."""
        row = self._reader.row(self._model.Meta.table_name, {"id": {"S": session_id(digest)}})
        if row is None or not row["outcome"]:
            return None
        return Session(digest, row["outcome"], datetime.fromtimestamp(row["expires"], UTC))

    def create_session(self, session: Session) -> None:
        """See `SessionStore`. Takes one PutItem."""
        row = self._model(
            id=session_id(session.digest),
            digest=session.digest,
            outcome=session.client,
            expires=round(session.expires.timestamp()),
        )
        with translate_errors(None):
            row.save()

    def delete_session(self, digest: str) -> None:
        """See `SessionStore`. Takes one PutItem of an expired row without a client; no function may delete rows."""
        with translate_errors(None):
            self._model(id=session_id(digest), digest=digest, outcome="", expires=round(time())).save()
