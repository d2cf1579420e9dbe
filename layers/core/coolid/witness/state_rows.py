"""The rows of a witness's state, within one transaction (`coolid.witness.state`)."""

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from coolid.log.checkpoints import Checkpoint, read_checkpoint
from coolid.log.signed_notes import VerifierKey
from coolid.log.split_views import SignedTree
from coolid.log.submissions import origin_hash
from coolid.strict_json import dump, load
from coolid.witness.evidence import Evidence

MAX_CHECKPOINTS: Final = 10_000
"""The cosigned checkpoints of a log that are kept, the latest ones, to recognise forks of earlier sizes."""
MAX_EVIDENCE: Final = 1_000
"""The most evidence of a log that is kept, for proofs and for suspicions each. The first remain."""


class StateRows:
    """Reads and changes the rows over a connection with an open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def identity(self) -> str | None:
        """Return the verifier key of this witness, or None in a new file."""
        row = self._connection.execute("SELECT verifier_key FROM identity").fetchone()
        return row[0] if row else None

    def set_identity(self, verifier_key: str) -> str:
        """Set the verifier key of a new witness, and return it."""
        self._connection.execute("INSERT INTO identity (verifier_key) VALUES (?)", (verifier_key,))
        return verifier_key

    def logs(self) -> Sequence[tuple[VerifierKey, SignedTree | None]]:
        """Return the trusted keys of all logs, and the latest cosigned tree of each log."""
        rows = self._connection.execute("SELECT verifier_key FROM logs ORDER BY origin, rowid").fetchall()
        keys = [VerifierKey.parse(text) for (text,) in rows]
        return [(key, self.latest(key.name)) for key in keys]

    def keys(self, origin: str) -> Sequence[VerifierKey]:
        """Return the trusted keys of a log, none if it is unknown."""
        statement = "SELECT verifier_key FROM logs WHERE origin = ? ORDER BY rowid"
        return [VerifierKey.parse(text) for (text,) in self._connection.execute(statement, (origin,))]

    def add_key(self, key: VerifierKey) -> bool:
        """Trust a key of the log of its name. Return whether it is new."""
        statement = "INSERT OR IGNORE INTO logs (origin, verifier_key) VALUES (?, ?)"
        return self._connection.execute(statement, (key.name, str(key))).rowcount > 0

    def remove_key(self, key: VerifierKey) -> bool:
        """Trust a key no longer. The cosigned checkpoints remain, so that nothing can be rolled back later."""
        return self._connection.execute("DELETE FROM logs WHERE verifier_key = ?", (str(key),)).rowcount > 0

    def latest(self, origin: str) -> SignedTree | None:
        """Return the latest cosigned tree of a log, with the note that contains the cosignature; or None."""
        return _tree(self.latest_note(origin_hash(origin)))

    def cosigned(self, origin: str, size: int) -> SignedTree | None:
        """Return the cosigned tree of this size, or None if there was none or it is no longer kept."""
        return _tree(self._note(origin_hash(origin), size))

    def latest_note(self, hashed_origin: str) -> str | None:
        """Return the note of the latest cosigned checkpoint of a log by the digest of its origin, or None."""
        return self._note(hashed_origin)

    def put_checkpoint(self, tree: SignedTree) -> None:
        """Store a cosigned tree, which replaces one of the same size, and delete the oldest ones."""
        checkpoint = tree.checkpoint
        hashed = origin_hash(checkpoint.origin)
        self._connection.execute(
            "INSERT OR REPLACE INTO checkpoints (origin_hash, size, note) VALUES (?, ?, ?)",
            (hashed, checkpoint.size, tree.note),
        )
        self._connection.execute(
            """DELETE FROM checkpoints WHERE origin_hash = ?1 AND size <= (
                SELECT size FROM checkpoints WHERE origin_hash = ?1 ORDER BY size DESC LIMIT 1 OFFSET ?2
            )""",
            (hashed, MAX_CHECKPOINTS),
        )

    def evidence(self, origin: str | None = None, size: int | None = None) -> Iterator[Evidence]:
        """Yield the kept evidence, of all logs or of one, and of all sizes or of one; the oldest first."""
        statement = """SELECT origin, size, root, document FROM evidence
            WHERE origin = coalesce(?, origin) AND size = coalesce(?, size) ORDER BY id"""
        for name, found, root, document in self._connection.execute(statement, (origin, size)).fetchall():
            yield Evidence(Checkpoint(name, found, root), load(document.encode()))

    def keep(self, evidence: Evidence) -> bool:
        """Keep evidence, unless there is as good evidence of the same tree, or too much. Return whether it was kept."""
        origin, size, root = evidence.checkpoint.origin, evidence.checkpoint.size, evidence.checkpoint.root
        same = "SELECT is_proof FROM evidence WHERE origin = ? AND size = ? AND root = ?"
        stored = self._connection.execute(same, (origin, size, root)).fetchone()
        of_kind = "SELECT count(*) FROM evidence WHERE origin = ? AND is_proof = ?"
        (count,) = self._connection.execute(of_kind, (origin, evidence.is_proof)).fetchone()
        if (stored and stored[0] >= evidence.is_proof) or count >= MAX_EVIDENCE:
            return False
        self._connection.execute(
            "INSERT OR REPLACE INTO evidence (origin, size, root, is_proof, document) VALUES (?, ?, ?, ?, ?)",
            (origin, size, root, evidence.is_proof, dump(evidence.document)),
        )
        return True

    def drop_suspicion(self, checkpoint: Checkpoint) -> None:
        """Remove the suspicion about a tree that is cosigned now."""
        statement = "DELETE FROM evidence WHERE origin = ? AND size = ? AND root = ? AND NOT is_proof"
        self._connection.execute(statement, (checkpoint.origin, checkpoint.size, checkpoint.root))

    def _note(self, hashed_origin: str, size: int | None = None) -> str | None:
        statement = """SELECT note FROM checkpoints WHERE origin_hash = ? AND size = coalesce(?, size)
            ORDER BY size DESC LIMIT 1"""
        row = self._connection.execute(statement, (hashed_origin, size)).fetchone()
        return row[0] if row else None


def _tree(note: str | None) -> SignedTree | None:
    return None if note is None else SignedTree(read_checkpoint(note.encode())[0], note)
