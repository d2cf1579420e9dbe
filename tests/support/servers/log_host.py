"""A service on the loopback with one record and a transparency log, which can also lie.

The log has other entries before and after those of the record. `serve` replaces what the service answers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from coolid.client.discovery import WELL_KNOWN_PATH
from coolid.log.entries import origin_of
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.merkle_tree import hashes_of, inclusion_plan, leaf_hash, perfect_root
from coolid.log.staged_trees import grow
from coolid.log.tiles import CHECKPOINT
from coolid.log.tree_edge import TreeEdge
from tests.support.builders.published_log import WITNESS
from tests.support.builders.signed_documents import Key, history, key_set
from tests.support.builders.signed_logs import SignedLog
from tests.support.fixtures.note_keys import NoteKey
from tests.support.servers.http_server import Host, Reply, json, page

KEY = Key()
PATH = "/2021/06/mp/tw0t-ywdj-94"
PROOF_PATH = f"{PATH}?version=2&format=tlog-proof"


class EntryLog(SignedLog):
    """A log with these entries."""

    def __init__(self, origin: str, entries: Sequence[bytes]) -> None:
        super().__init__(origin, 0)
        self.entries = list(entries)
        self.leaves = [leaf_hash(entry) for entry in entries]

    def files(self, size: int) -> dict[str, bytes]:
        """Return all files of the tree of this size by their paths."""
        tree = grow(TreeEdge(), (), {str(index): entry for index, entry in enumerate(self.entries[:size])})
        return {**tree.files, CHECKPOINT: self.note(size).encode()}

    def inclusion(self, index: int, size: int, note: str | None = None) -> bytes:
        """Return the tlog-proof of an entry, with another checkpoint if there is a `note`."""
        hashes = hashes_of(inclusion_plan(index, size), lambda node: perfect_root(self._leaves_of(*node)))
        return InclusionProof(index, tuple(hashes), (note or self.note(size)).encode()).to_bytes()


class LoggedService:
    """A service whose record has two versions, the entries 300 and 301 of its log of 400 entries."""

    size = 400
    index = 301

    def __init__(self, host: Host) -> None:
        self.host = host
        self.pid = host.url + PATH
        own = {"pid": self.pid, "issuer": host.url}
        self.versions = history(KEY, 2, [own, own])
        proofs = [each["proof"].encode() for each in self.versions]
        others = [b"entry %d" % number for number in range(self.size)]
        self.log = EntryLog(origin_of(host.url), [*others[:300], *proofs, *others[302:]])
        self.serve(self.size)
        self.advertise()
        host.answers["/.well-known/jwks.json"] = json(key_set(KEY))
        for each in self.versions:
            self.answer(each, PATH, each["version"])
        self.answer(self.versions[-1])

    @property
    def origin(self) -> str:
        return self.log.origin

    def answer(self, document: Mapping[str, Any], path: str = PATH, version: int | None = None) -> None:
        """Serve a record at a path, or one of its versions."""
        queries = [f"version={version}&format=linkid", f"format=linkid&version={version}"]
        for query in queries if version else ["format=linkid"]:
            self.host.answers[f"{path}?{query}"] = json(document, media_type="application/linkid+json")

    def forked(self, at: int) -> EntryLog:
        """Return a log with the same key and record that has another entry at this index."""
        entries = [*self.log.entries]
        entries[at] = b"forked"
        return EntryLog(self.origin, entries)

    def grow(self, count: int) -> None:
        """Append entries, and serve the larger tree."""
        more = [b"later %d" % number for number in range(count)]
        self.log = EntryLog(self.origin, [*self.log.entries, *more])
        self.serve(len(self.log.entries))

    def serve(self, size: int, log: EntryLog | None = None, *, keep: bool = False) -> None:
        """Serve the tree of this size, and the proof of the record's version with it; with `keep`, no proof."""
        log = log or self.log
        for path, content in log.files(size).items():
            self.host.answers[f"/log/{path}"] = page(content, "application/octet-stream")
        if not keep:
            self.prove(log.inclusion(self.index, size))

    def advertise(self, policy: str = "", key: NoteKey | None = None, **members: Any) -> None:
        """Describe the log in the discovery document."""
        verifier = str((key or self.log.key).verifier())
        log = {"origin": self.origin, "url": f"{self.host.url}/log", "verifier_key": verifier, "policy": policy}
        self.host.answers[WELL_KNOWN_PATH] = json({"log": log | members})

    def prove(self, proof: bytes | Reply) -> None:
        """Serve this as the proof of the record's version."""
        reply = page(proof, "text/plain; charset=utf-8") if isinstance(proof, bytes) else proof
        self.host.answers[PROOF_PATH] = reply

    def cosigned(self, size: int, witness: NoteKey = WITNESS, log: EntryLog | None = None) -> str:
        """Return the checkpoint of this size with the cosignature of a witness."""
        log = log or self.log
        return str(witness.cosigned(log.key.signed(log.checkpoint(size)), 1_700_000_000))
