"""`application/ld+json`: the record in the vocabulary of schema.org (JSON-LD 1.1), for search engines.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> write(Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active"))[:75]
'{"@context":"https://schema.org","@id":"https://id.example.org/mp:x5","@typ'
"""

from typing import Final

from coolid.http.formats.schemaorg import describe
from coolid.model.records import Record
from coolid.strict_json import dump

CONTEXT: Final = "https://schema.org"


def write(record: Record) -> str:
    """Return the description as JSON-LD."""
    return dump({"@context": CONTEXT, **describe(record)})
