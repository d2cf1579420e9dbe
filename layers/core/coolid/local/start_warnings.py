"""Warnings about an existing database at the start of the service."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from coolid.errors import StoreUnavailable
from coolid.sqlite.database import Database
from coolid.sqlite.search_index import has_full_text_search
from coolid.wiring.database_access import DatabaseAccess

_MANY: Final = 10_000
"""Fewer records are in the search index after seconds."""
_FIRST_AND_LAST: Final = """SELECT body FROM records
    WHERE rowid IN ((SELECT min(rowid) FROM records), (SELECT max(rowid) FROM records))"""


def start_warnings(
    access: DatabaseAccess, base_url: str, new_key: Path | None, new_log_key: Path | None
) -> Iterator[str]:
    """Yield sentences about the state of the database.

    They are about a change of the schema, an incomplete search index, another base URL, a signing key in the new file
    `new_key`, and a key of the transparency log in the new file `new_log_key`.
    """
    if access.database.former_state:
        yield upgrade_message(access.database.former_state)
    yield from _search_warnings(access.database)
    others = [issuer for issuer in _issuers(access.database) if issuer != base_url]
    if others:
        yield f"Warning: the database has records of {others[-1]}. New records begin with {base_url} (--base-url)."
    if new_key and access.store.public_keys.public_keys():
        yield (
            f"Warning: {new_key} was missing, so a new signing key was created. Older records stay verifiable with the "
            "public keys in the database."
        )
    if new_log_key and _has_log(access.database):
        yield (
            f"Warning: {new_log_key} was missing, so a new key of the transparency log was created. Whoever trusts the "
            "former key sees a change. If the former file still exists, stop the service and put it back."
        )


def _has_log(database: Database) -> bool:
    with suppress(StoreUnavailable), database.read() as connection:
        return bool(connection.execute("SELECT 1 FROM log_states LIMIT 1").fetchone())
    return False


def _search_warnings(database: Database) -> Iterator[str]:
    """Yield a sentence if searches cannot use the index, or not for all records yet."""
    if not has_full_text_search():
        yield "Warning: this Python's SQLite has no FTS5. Searches among records work, but read every record."
        return
    with suppress(StoreUnavailable), database.read() as connection:
        ((pending,),) = connection.execute("SELECT count(*) FROM search_pending")
        if pending >= _MANY:
            yield f"{pending:,} records are added to the search index while the service runs. Searches may miss some."


def upgrade_message(former_state: Path) -> str:
    """Return the sentence about a change of the schema."""
    return f"The database was brought up to date for this release. Its former state is in {former_state}."


def _issuers(database: Database) -> Sequence[str]:
    """Return the issuers of the first and the last record. A start does not read all, nor fail for a damaged one."""
    with suppress(StoreUnavailable, msgspec.DecodeError), database.read() as connection:
        bodies = connection.execute(_FIRST_AND_LAST).fetchall()
        return [msgspec.json.decode(body, type=_Body).issuer for (body,) in bodies]
    return ()


class _Body(msgspec.Struct):
    """The member of a record's body that is read here."""

    issuer: str
