"""The port that reads idempotency records. Other ports write them, each with what the request created."""

from typing import Protocol

from coolid.model.idempotency_record import IdempotencyRecord


class IdempotencyReader(Protocol):
    """The idempotency records."""

    def idempotency_record(self, request_id: str) -> IdempotencyRecord | None:
        """Return the record of an idempotent request (consistent), until it expires and possibly longer."""
