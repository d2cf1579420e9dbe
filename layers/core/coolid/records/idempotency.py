"""Idempotent requests: a client may repeat a request with an `Idempotency-Key` without a second effect.

See draft-ietf-httpapi-idempotency-key-header. The idempotency record contains the outcome: what identifies the thing
that was made, or the document of the response, never a secret. It is written in one
transaction with what was made, because DynamoDB's own request token lasts only ten minutes.

>>> request = IdempotentRequest.of("epyx6gxg", "my key", {"uri": "https://example.org/", "prefix": "mp"})
>>> request.id, request == IdempotentRequest.of("epyx6gxg", "my key", {"prefix": "mp", "uri": "https://example.org/"})
('epyx6gxg/my key', True)
"""

import re
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct

from coolid.errors import BadIdempotencyKey, InvalidInput
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.proofs.statements import digest_of
from coolid.store.records import IdempotencyReader

LIFETIME: Final = timedelta(hours=24)
_KEY: Final = re.compile(r"[\x20-\x7e]{1,255}")


class IdempotentRequest(Struct, frozen=True):
    """A request that its client may repeat: `id` names it, `digest` is that of its body (RFC 8785).

    Its record is valid for its `lifetime`.
    """

    id: str
    digest: str
    lifetime: timedelta = LIFETIME

    @classmethod
    def of(cls, client_id: str, key: str, document: Any, line: int | None = None) -> "IdempotentRequest":
        """Return the request that a client calls `key`, or a line of it. Raises `BadIdempotencyKey`, `InvalidInput`.

        A line's number precedes the key, so that no key of a client can name a line of another request.
        """
        if not _KEY.fullmatch(key):
            raise BadIdempotencyKey
        scope = client_id if line is None else f"{client_id}#{line}"
        try:
            return cls(f"{scope}/{key}", digest_of({"body": document}))
        except ValueError as error:
            raise InvalidInput.at("", f"the body has no canonical form: {error}") from error

    def record(self, outcome: str, now: datetime) -> IdempotencyRecord:
        """Return the idempotency record with the outcome."""
        return IdempotencyRecord(self.id, self.digest, outcome, now + self.lifetime)


def earlier_outcome(request: IdempotentRequest, records: IdempotencyReader, now: datetime) -> str | None:
    """Return the outcome of the same request, or None if the request is new or the record of it has expired.

    Raises `KeyReused` for a request with another body, `StoreUnavailable`.
    """
    earlier = records.idempotency_record(request.id)
    if earlier is None or earlier.expires <= now:
        return None
    earlier.require_same_body(request.digest)
    return earlier.outcome
