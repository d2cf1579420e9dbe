"""Collects the evidence of findings: entries with inclusion proofs, documents, and the keys that signed them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec.structs import asdict

from coolid.audit.audit_database import AuditDatabase
from coolid.audit.entry_statements import PUBLIC_KEY
from coolid.audit.findings import Observation
from coolid.audit.log_source import LogSource
from coolid.audit.rules import TimeLimits
from coolid.client.errors import ClientError
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import MalformedData
from coolid.log.signed_notes import VerifierKey
from coolid.log.split_views import SignedTree, evidence_document
from coolid.log.tiles import WIDTH, Tile, TileReader, cached, read_tiles
from coolid.proofs.jws import read_proof
from coolid.proofs.verdicts import FailedCheck

MAX_FINDINGS: Final = 50
"""The most findings of one rule with evidence. The others are of the same kind, and in the report."""


class EvidenceWriter:
    """Collects evidence from a verified tree. Without a tree, there are no entries in the evidence."""

    def __init__(self, tree: SignedTree | None, source: LogSource, database: AuditDatabase) -> None:
        self._tree = tree
        self._source = source
        self._database = database
        self._read = cached(source.read)

    def document(
        self, observations: Iterable[Observation], key: VerifierKey, limits: TimeLimits
    ) -> dict[str, Any] | None:
        """Return the evidence of the violations, or None if there are none."""
        numbers: Counter[str] = Counter()
        findings = []
        for observation in observations:
            rule = observation.finding.rule
            numbers[rule] += 1
            if observation.finding.is_violation and numbers[rule] <= MAX_FINDINGS:
                findings.append(self._member(observation))
        if not findings:
            return None
        return evidence_document(str(key), findings, made=limits.now, tolerance=limits.tolerance)

    def _member(self, observation: Observation) -> dict[str, Any]:
        finding = observation.finding
        entries = list(self._entries(finding.indexes))
        documents = [dict(each) for each in observation.documents]
        signed = [each["entry"] for each in entries] + [str(each.get("proof")) for each in documents]
        keys = list(self._entries(self._key_indexes(signed))) if documents or finding.rule == "bad-signature" else []
        members = {"entries": entries, "documents": documents, "keys": keys, **observation.trees}
        return asdict(finding) | {name: value for name, value in members.items() if value}

    def _entries(self, indexes: Sequence[int]) -> Iterator[dict[str, str]]:
        """Yield the entries at these indexes with their proofs; none if the log no longer serves them."""
        if self._tree is None:
            return
        size = self._tree.checkpoint.size
        for index in indexes:
            if index >= size:
                continue
            try:
                [entries] = read_tiles([Tile.of_tree(size, None, index // WIDTH)], self._read)
                entry = entries[index % WIDTH].decode()
                proof = InclusionProof.compute(index, TileReader(size, self._read), self._tree.note.encode())
            except (MalformedData, UnicodeDecodeError):
                continue
            except ClientError:
                return
            yield {"entry": entry, "proof": proof.to_bytes().decode()}

    def _key_indexes(self, proofs: Iterable[str]) -> list[int]:
        """Return the indexes of the entries about the keys of proofs."""
        indexes = set()
        for proof in proofs:
            try:
                statement = self._database.latest_change(PUBLIC_KEY, read_proof(proof).key_id)
            except FailedCheck:
                continue
            if statement is not None:
                indexes.add(statement.index)
        return sorted(indexes)
