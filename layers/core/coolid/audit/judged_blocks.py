"""The entries of a log, judged block by block: form, signature and rules, each block in one transaction."""

from collections.abc import Iterator, Mapping
from typing import Any

from coolid.audit.audit_database import AuditDatabase
from coolid.audit.entry_statements import VERSION, EntryStatement, is_signed, read_entry, verifier_jwk
from coolid.audit.findings import LOG, AuditFinding, Observation
from coolid.audit.log_source import LogSource
from coolid.audit.rules import LogTimes, TimeLimits, judge
from coolid.audit.tree_blocks import Block, TreeBlocks
from coolid.log.checkpoints import Checkpoint
from coolid.log.tree_edge import TreeEdge
from coolid.proofs.verdicts import FailedCheck, quoted

_Keys = dict[str, Mapping[str, Any]]


class JudgedBlocks:
    """Judges blocks from `source` by the rules, with the state in `database`."""

    def __init__(self, source: LogSource, database: AuditDatabase, limits: TimeLimits) -> None:
        self._source = source
        self._database = database
        self._limits = limits
        self._keys: _Keys = {name: key.jwk or {} for name, key in database.public_keys().items()}

    def read(self, checkpoint: Checkpoint, edge: TreeEdge) -> Iterator[int]:
        """Judge all entries behind an edge; yield the number of entries so far. Raises the errors of `TreeBlocks`."""
        for block in TreeBlocks(checkpoint, self._source).behind(edge):
            with self._database.transaction():
                self._judge_block(block)
                self._database.set("edge", block.edge)
            yield block.edge.size

    def _judge_block(self, block: Block) -> None:
        statements: list[tuple[int, bytes, EntryStatement | None]] = []
        for index, entry in enumerate(block.entries, block.start):
            try:
                statement = read_entry(index, entry)
            except FailedCheck as failure:
                self._add(AuditFinding("malformed-entry", f"entry {index}", failure.check.detail, (index,)))
                continue
            if statement is None:
                self._add(AuditFinding("unknown-entry", f"entry {index}", "its subject is unknown", (index,)))
            else:
                statements.append((index, entry, statement))
        if block.start == 0:
            self._database.times = LogTimes(began=_beginning(each for _, _, each in statements if each))
        for finding in block.findings:
            self._database.add(Observation(finding), LOG)
        for _, entry, statement in statements:
            if statement is not None:
                self._judge(entry, statement)

    def _judge(self, entry: bytes, statement: EntryStatement) -> None:
        if statement.jwk is not None:
            self._keys[statement.name] = verifier_jwk(statement.name, statement.jwk)
        self._database.add_key_use(statement)
        key = self._keys.get(statement.key_id)
        if key is None:
            self._database.add_unverified(statement, entry)
        elif not is_signed(entry, key):
            self._add(signature_finding(statement.index, statement.name))
        for finding in judge(statement, self._database, self._limits):
            self._add(finding)

    def _add(self, finding: AuditFinding) -> None:
        self._database.add(Observation(finding), LOG)


def _beginning(statements: Iterator[EntryStatement]) -> int | None:
    """Return when the log began: the time of its first statement that the sequencer signed itself."""
    return next((each.issued_at for each in statements if each.subject != VERSION), None)


def signature_finding(index: int, name: str) -> AuditFinding:
    """Return the finding about an invalid signature."""
    return AuditFinding("bad-signature", name, f"entry {index} has an invalid signature", (index,))


def key_findings(database: AuditDatabase, published: Mapping[str, Any]) -> Iterator[AuditFinding]:
    """Yield what is wrong with keys, and with the entries whose key is not in the log before them."""
    logged = database.public_keys()
    keys: _Keys = {name: statement.jwk or {} for name, statement in logged.items()}
    listed = published.get("keys")
    public = (
        {str(each.get("kid")): each for each in listed if isinstance(each, dict)} if isinstance(listed, list) else {}
    )
    for name in logged:
        if name not in public:
            yield AuditFinding("unpublished-key", name, "the key of the log is not in the published key set")
    for name, index, subject in database.key_uses():
        if name not in logged:
            detail = f"the key signed entry {index}, about {quoted(subject)}, and is not in the log"
            yield AuditFinding("unlogged-key", name, detail, (index,))
    yield from _late_signature_findings(database, {**public, **keys})


def _late_signature_findings(database: AuditDatabase, keys: _Keys) -> Iterator[AuditFinding]:
    after = -1
    while rows := database.unverified(after, 1000):
        for after, key_id, name, entry in rows:
            try:
                key = verifier_jwk(key_id, keys[key_id])
            except KeyError:
                yield AuditFinding(
                    "unknown-key", name, f"the key {key_id} is neither in the log nor published", (after,)
                )
            except FailedCheck as failure:
                yield AuditFinding("unknown-key", name, f"the published key {key_id} is unfit: {failure}", (after,))
            else:
                if not is_signed(entry, key):
                    yield signature_finding(after, name)
