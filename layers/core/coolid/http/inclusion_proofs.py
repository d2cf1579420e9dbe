"""`?format=tlog-proof`: the proof that a version is in the transparency log (C2SP tlog-proof).

A proof stays valid forever. The service writes it for the latest published checkpoint, with its cosignatures.
"""

import re
from typing import Final

from coolid.http.errors import NotLoggedYet, NoTransparencyLog
from coolid.log.checkpoints import read_checkpoint
from coolid.log.entries import name_of_version
from coolid.log.inclusion_proofs import EXTENSION, MEDIA_TYPE, InclusionProof
from coolid.log.tiles import CHECKPOINT, TileReader
from coolid.model.records import Record
from coolid.store.log import LogAccess

_UNSAFE: Final = re.compile(r"[^0-9A-Za-z._-]")
_MAX_NAME: Final = 100
"""Characters of an identifier in the name of a file."""


def headers(record: Record) -> dict[str, str]:
    """Return the headers of a proof: its type, and the name under which browsers store it.

    >>> from datetime import UTC, datetime
    >>> noon = datetime(2025, 7, 10, 12, tzinfo=UTC)
    >>> headers(Record("a/ä", "https://id.example.org/mp:a/ä", "r4k2", 3, noon, noon, "", "active"))
    {'Content-Type': 'text/plain; charset=utf-8', 'Content-Disposition': 'inline; filename="a---version-3.tlog-proof"'}
    """
    name = f"{_UNSAFE.sub('-', record.id)[:_MAX_NAME]}-version-{record.version}{EXTENSION}"
    return {"Content-Type": MEDIA_TYPE, "Content-Disposition": f'inline; filename="{name}"'}


def write(record: Record, access: LogAccess | None) -> bytes:
    """Return the proof of a version with a signature.

    Raises `NoTransparencyLog`, `NotLoggedYet`, `StoreUnavailable`, and `MalformedData` or `FailedProof` for a damaged
    log, because nobody could use the proof.
    """
    if access is None:
        raise NoTransparencyLog
    assert record.proof is not None
    name = name_of_version(record)
    index = access.rows.indexes([name]).get(name)
    content = access.files.read([CHECKPOINT]).get(CHECKPOINT)
    if index is None or content is None:
        raise NotLoggedYet(record.pid, record.version, access.period)
    checkpoint, _ = read_checkpoint(content)
    if index >= checkpoint.size:
        raise NotLoggedYet(record.pid, record.version, access.period)
    proof = InclusionProof.compute(index, TileReader(checkpoint.size, access.files.read), content)
    proof.check(record.proof.encode())
    return proof.to_bytes()
