"""The content of a record in a form to compare: all that its manager sets, without times, proof and author."""

from typing import Any, Final

import orjson

from coolid.model.records import Record

_MEMBERS: Final = ("status", "metadata", "records", "alternates", "ttl")


def content_of(record: Record) -> bytes:
    """Return the content of a record. A tombstone has its reason and successor, but not its time."""
    document: dict[str, Any] = record.to_document()
    content = {member: document.get(member) for member in _MEMBERS}
    if record.withdrawn is not None:
        content["withdrawn"] = [record.withdrawn.reason, record.withdrawn.successor]
    return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
