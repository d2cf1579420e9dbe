"""`application/linkid+json`: the complete document of the record, as the LinkID draft ("Metadata Format") defines it.

This form is signed, and only it can be verified, because the others contain less.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> write(Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active"))[:52]
'{"id":"x5","pid":"https://id.example.org/mp:x5","rep'
"""

from coolid.model.records import Record
from coolid.strict_json import dump


def write(record: Record) -> str:
    """Return the document as JSON."""
    return dump(record.to_document())
