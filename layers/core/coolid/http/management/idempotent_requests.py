"""Creations with an `Idempotency-Key` (`coolid.records.idempotency`) other than mints, which have their own versions.

The outcome is written in one transaction with what the request creates, so no request is ever half done. `POST` on
`/api/v1/resolve` and `/api/v1/parse` changes nothing and ignores the header.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from coolid.errors import IdempotencyRecordTaken
from coolid.http.management.mint import idempotent_request_of
from coolid.http.message import Request, Response
from coolid.model.clients import Client
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.ports import Clock
from coolid.records.idempotency import earlier_outcome
from coolid.store.records import IdempotencyReader

RecordOf = Callable[[str], IdempotencyRecord | None]
"""Returns the idempotency record with an outcome, or None for a request without an `Idempotency-Key`."""


class IdempotentPosts(Struct, frozen=True):
    """Answers a repeated `POST` from the idempotency record of the first one."""

    records: IdempotencyReader
    clock: Clock

    def answer(
        self,
        request: Request,
        client: Client,
        document: Any,
        create: Callable[[RecordOf], Response],
        repeat: Callable[[str], Response],
    ) -> Response:
        """Return the response of `create`, which writes an idempotency record, or of `repeat` with its outcome.

        The path counts as a part of the body, because all requests of a client share its keys. Raises the errors of
        both, `BadIdempotencyKey`, `KeyReused`, `IdempotencyRecordTaken`, `StoreUnavailable`.
        """
        idempotent = idempotent_request_of(request, client, {"path": request.path, "body": document})
        if idempotent is None:
            return create(lambda _: None)
        outcome = earlier_outcome(idempotent, self.records, self.clock.now())
        if outcome is not None:
            return repeat(outcome)
        try:
            return create(lambda new: idempotent.record(new, self.clock.now()))
        except IdempotencyRecordTaken:  # the same request may have been handled concurrently
            outcome = earlier_outcome(idempotent, self.records, self.clock.now())
            if outcome is None:
                raise
            return repeat(outcome)
