"""Receipts: what makes it harmless to send the same request again, whether or not its answer was seen.

A client names a request (`Idempotency-Key`, draft-ietf-httpapi-idempotency-key-header); the receipt says what came of
it. It is written in one transaction with what was made, so that there never is one without the other, and outlives
restarts. DynamoDB's own token for that lasts ten minutes only.

>>> errand = IdempotentRequest.of("epyx6gxg", "my key", {"uri": "https://example.org/", "prefix": "mp"})
>>> errand.id, errand == IdempotentRequest.of("epyx6gxg", "my key", {"prefix": "mp", "uri": "https://example.org/"})
('epyx6gxg/my key', True)
"""

import re
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct

from coolid.errors import BadIdempotencyKey, InvalidInput
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.proofs.statements import digest_of

KEPT: Final = timedelta(hours=24)
_KEY: Final = re.compile(r"[\x20-\x7e]{1,255}")


class IdempotentRequest(Struct, frozen=True):
    """A request that its client may send again: `id` names it, `digest` is that of its body (RFC 8785)."""

    id: str
    digest: str

    @classmethod
    def of(cls, client_id: str, key: str, document: Any, line: int | None = None) -> "IdempotentRequest":
        """The errand that a client calls `key`, or a line of it; `BadIdempotencyKey` for a key that is none.

        No key can name a line of another, for the line's number stands in front of it, where clients have no say.
        """
        if not _KEY.fullmatch(key):
            raise BadIdempotencyKey
        place = client_id if line is None else f"{client_id}#{line}"
        try:
            return cls(f"{place}/{key}", digest_of({"body": document}))
        except ValueError as error:
            raise InvalidInput.at("", f"the body has no canonical form: {error}") from error

    def record(self, outcome: str, now: datetime) -> IdempotencyRecord:
        """The receipt for what was made."""
        return IdempotencyRecord(self.id, self.digest, outcome, now + KEPT)
