"""Limits of stored rows. Every store has those of DynamoDB, so that the rows of each fit into the others.

>>> from datetime import UTC, datetime
>>> noon = datetime(2025, 7, 10, 12, tzinfo=UTC)
>>> large = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, noon, noon, "https://id.example.org", "active")
>>> require_record_size(large, "x" * 380_001)
Traceback (most recent call last):
    ...
coolid.errors.InvalidInput: the document: the record is larger than 380000 bytes
"""

from typing import Final

from coolid.errors import InvalidInput
from coolid.model.records import WITHDRAWN, Record

MAX_RECORD_BYTES: Final = 380_000
"""The largest body of a record. A DynamoDB item is limited to 400 KB."""
MAX_TOMBSTONE_BYTES: Final = 395_000
"""The limit is higher, because a withdrawal adds members to the body. The rest of an item is for its keys."""
MAX_ALIASES: Final = 99
"""The most aliases of a repository. A DynamoDB transaction has at most 100 items, one of which is the repository."""


def require_record_size(record: Record, body: str) -> None:
    """Raise `InvalidInput` if the body of a record is too large."""
    limit = MAX_TOMBSTONE_BYTES if record.status == WITHDRAWN else MAX_RECORD_BYTES
    if len(body.encode()) > limit:
        raise InvalidInput.at("", f"the record is larger than {limit} bytes")


def require_free_alias(aliases: int) -> None:
    """Raise `InvalidInput` if a repository would have too many aliases."""
    if aliases > MAX_ALIASES:
        raise InvalidInput.at("/repository", f"it has {MAX_ALIASES} aliases already, and cannot have more")


def require_changeable_aliases(aliases: int) -> None:
    """Raise `InvalidInput` if a repository has more aliases than one change can cover."""
    if aliases > MAX_ALIASES:
        raise InvalidInput.at("", f"a repository with more than {MAX_ALIASES} aliases cannot be changed")
