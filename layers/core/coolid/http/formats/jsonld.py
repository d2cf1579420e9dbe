"""`application/ld+json`: the record in the vocabulary of schema.org (JSON-LD 1.1), for search engines."""

from typing import Final

from coolid.http.formats.schemaorg import describe
from coolid.model.records import Record
from coolid.strict_json import dump

CONTEXT: Final = "https://schema.org"


def write(record: Record) -> str:
    """Return the description as JSON-LD."""
    return dump({"@context": CONTEXT, **describe(record)})
