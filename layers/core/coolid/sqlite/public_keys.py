"""Public keys of proofs in SQLite. A key is stored before the first record that it signs, and never removed."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import json

from coolid.sqlite.database import Database


class SqlitePublicKeys:
    """Implements `PublicKeyStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def public_keys(self) -> Sequence[Mapping[str, Any]]:
        """See `PublicKeyStore`."""
        with self._database.read() as connection:
            bodies = connection.execute("SELECT body FROM public_keys ORDER BY revision")
            return tuple(json.decode(body) for (body,) in bodies)

    def add_public_key(self, key: Mapping[str, Any]) -> None:
        """See `PublicKeyStore`. Writes nothing if the key is published already."""
        key_id, body = key["kid"], json.encode(dict(key)).decode()
        with self._database.read() as connection:
            if connection.execute("SELECT 1 FROM public_keys WHERE kid = ?", (key_id,)).fetchall():
                return
        self._database.write(
            lambda connection: connection.execute(
                "INSERT INTO public_keys (kid, body) VALUES (?, ?) ON CONFLICT (kid) DO NOTHING", (key_id, body)
            )
        )
