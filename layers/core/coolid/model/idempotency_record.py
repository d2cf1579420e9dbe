"""The stored outcome of an idempotent request (`coolid.records.idempotency`)."""

from datetime import datetime

from msgspec import Struct

from coolid.errors import KeyReused


class IdempotencyRecord(Struct, frozen=True):
    """The record of an idempotent request: `outcome` names what it created. It is valid until `expires`."""

    id: str
    digest: str
    outcome: str
    expires: datetime

    def require_same_body(self, digest: str) -> None:
        """Raise `KeyReused` unless the request's body had this digest."""
        if self.digest != digest:
            raise KeyReused
