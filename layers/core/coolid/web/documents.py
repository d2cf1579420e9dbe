"""Moved to `coolid.domain.documents`."""

from coolid.domain.documents import MOST_BYTES, MOST_EXACT, NotJson, dump, load

__all__ = ["MOST_BYTES", "MOST_EXACT", "NotJson", "dump", "load"]
