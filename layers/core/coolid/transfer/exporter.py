"""Export of a store as the lines of `coolid.transfer.export_format`.

Memory is bounded, and the same state gives the same bytes. Clients and idempotency records are not exported: they
belong to one system.
"""

from collections.abc import Iterator
from itertools import chain, islice, repeat
from typing import Any, Final

import orjson

from coolid.store.bulk import BulkReader
from coolid.store.pages import all_members
from coolid.store.prefixes import PrefixStore
from coolid.store.public_keys import PublicKeyReader
from coolid.store.rows import prefix_body, prefix_kind, repository_body, side_members
from coolid.transfer.export_format import COUNTER, KEYS, PREFIX, RECORD, REPOSITORY, TLOG_PROOF, export_lines
from coolid.transfer.version_proofs import VersionProofs

_BATCH_SIZE: Final = 100


def export(
    keys: PublicKeyReader, prefixes: PrefixStore, reader: BulkReader, proofs: VersionProofs | None = None
) -> Iterator[bytes]:
    """Return the lines of an export, with the proofs of the log if there are any. Raises `StoreUnavailable`."""
    return export_lines(_documents(keys, prefixes, reader, proofs))


def _documents(
    keys: PublicKeyReader, prefixes: PrefixStore, reader: BulkReader, proofs: VersionProofs | None
) -> Iterator[dict[str, Any]]:
    members: dict[str, Any]
    yield {"kind": KEYS, "keys": keys.public_keys()}
    for repository in reader.repositories():
        body = orjson.Fragment(repository_body(repository))
        members = {"id": repository.id, "canonical": repository.canonical, "body": body}
        yield {"kind": REPOSITORY, **members, **side_members(repository)}
    for prefix in all_members(prefixes.list_prefixes):
        members = {"name": prefix.name, "type": prefix_kind(prefix), "revision": prefix.revision}
        yield {"kind": PREFIX, **members, "body": orjson.Fragment(prefix_body(prefix)), **side_members(prefix)}
    rows = chain.from_iterable(reader.record_rows(repository.id) for repository in reader.repositories())
    while batch := list(islice(rows, _BATCH_SIZE)):
        for row, proof in zip(batch, proofs.of(batch) if proofs else repeat(None), strict=False):
            members = {"repository": row.repository, "key": row.key, "version": row.version, "author": row.author}
            members |= {TLOG_PROOF: proof} if proof else {}
            yield {"kind": RECORD, **members, "record": orjson.Fragment(row.body)}
    for repository in reader.repositories():  # after the records, so that each counter is beyond their numbers
        number = reader.next_number(repository.id)
        if number is not None:
            yield {"kind": COUNTER, "id": repository.id, "next": number}
