"""`application/jose`: the record's proof, a compact JWS (RFC 7515) over its digest (`coolid.proofs.statements`).

Records from before the introduction of proofs have none and lack this representation.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> unsigned = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
>>> is_available(unsigned)
False
"""

from coolid.model.records import Record


def is_available(record: Record) -> bool:
    """Return whether the record has a proof."""
    return record.proof is not None


def write(record: Record) -> str:
    """Return the proof of a record that has one."""
    assert record.proof is not None
    return record.proof
