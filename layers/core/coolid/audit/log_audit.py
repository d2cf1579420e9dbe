"""The audit of a log: its checkpoint, its tree, its entries, its keys, and the answers of its service.

An audit continues from the state of the last one. It ends early if the log cannot be read further, or contradicts what
it published before; the finding says so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from coolid.audit.answer_sample import AnswerSample
from coolid.audit.audit_database import AuditDatabase
from coolid.audit.entry_statements import VERSION
from coolid.audit.evidence_writer import EvidenceWriter
from coolid.audit.findings import LOG, PRESENT, AuditFinding, Observation
from coolid.audit.judged_blocks import JudgedBlocks, key_findings
from coolid.audit.log_source import LogSource
from coolid.audit.rules import TimeLimits
from coolid.audit.service_answers import WAIT_SECONDS
from coolid.audit.spellings import compare_spellings
from coolid.audit.tree_blocks import BrokenTree
from coolid.audit.witness_views import WitnessView, witness_views
from coolid.client.errors import BadAnswer
from coolid.client.transparency.checkpoint_comparison import ROLLBACK_DELAYS
from coolid.errors import UsageError
from coolid.log.checkpoints import verified_checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.policies import NO_QUORUM, Policy
from coolid.log.signed_notes import VerifierKey
from coolid.log.split_views import ROLLBACK, SPLIT_VIEW, WRONG_TREE, SignedTree, compare_trees
from coolid.log.tiles import CHECKPOINT
from coolid.log.tree_edge import TreeEdge

ALL: Final = -1
"""The sample that consists of all PIDs."""
Show = Callable[[str, int, int], None]
"""Called with what is under way, its completed part and its total."""


class AuditOptions(Struct, frozen=True):
    """What to trust and to compare.

    `policy` is what the auditor trusts; without it, the key that the service published first. `views` are checkpoints
    that others received from the same log; `views_of` returns further ones by its origin. `sample` is the number of
    PIDs whose answers are compared, or `ALL`.
    """

    limits: TimeLimits
    policy: Policy | None = None
    views: Sequence[bytes] = ()
    views_of: Callable[[str], Sequence[bytes]] = lambda _: ()
    sample: int = ALL


class AuditReport(Struct, frozen=True):
    """The outcome: the log and its key, the audited `size`, how many entries were read now, PIDs, and PIDs compared.

    `evidence` is the document of `coolid.audit.evidence`, or None without violations.
    """

    origin: str
    key: str
    size: int
    checkpoint: str
    read: int
    pids: int
    compared: int
    observations: Sequence[Observation]
    evidence: Mapping[str, Any] | None

    @property
    def is_good(self) -> bool:
        """Whether there is no violation."""
        return not any(each.finding.is_violation for each in self.observations)


class LogAudit:
    """An audit of the service and the log of `source`, with the state in `database`."""

    def __init__(self, source: LogSource, database: AuditDatabase, options: AuditOptions, show: Show) -> None:
        self._source = source
        self._database = database
        self._options = options
        self._show = show
        self._answers = AnswerSample(source, database, options.sample, show)

    def run(self) -> AuditReport:
        """Return the report. Raises `ClientError` if the service cannot be reached, so that a later run continues."""
        self._database.remove(PRESENT)
        service = self._source.discovery_document()
        key = self._key(service)
        before = self._edge().size
        views = witness_views(self._options.policy, key, self._source)
        tree = self._signed_tree(key, max((view.tree.checkpoint.size for view in views), default=0))
        if tree is not None and self._continues(tree, key, views) and self._read(tree):
            issuer = str(service.get("issuer", self._source.base_url)).rstrip("/")
            compare_spellings(self._database, issuer)
            self._compare_service(issuer)
        return self._report(key, before)

    def _compare_service(self, issuer: str) -> None:
        """Compare the published keys and the answers of the service with the log."""
        keys = self._source.key_set()
        for finding in key_findings(self._database, keys):
            self._add(finding)
        self._answers.compare(issuer, keys, self._options.limits.now)

    def _report(self, key: VerifierKey, before: int) -> AuditReport:
        database, size = self._database, self._edge().size
        observations = list(database.observations())
        if database.times.older:
            detail = f"{database.times.older} entries state times before the log began"
            observations.append(Observation(AuditFinding("older-than-log", key.name, detail)))
        tree = database.setting("audited", SignedTree)
        return AuditReport(
            origin=key.name,
            key=str(key),
            size=size,
            checkpoint=tree.note if tree else "",
            read=size - before,
            pids=database.count(VERSION),
            compared=self._answers.compared,
            observations=observations,
            evidence=EvidenceWriter(tree, self._source, database).document(observations, key, self._options.limits),
        )

    def _key(self, service: Mapping[str, Any]) -> VerifierKey:
        """Return the trusted key: that of the policy, of earlier audits, or the published one. Raises `BadAnswer`."""
        log = service.get("log")
        published: VerifierKey | None = None
        problem = "it has no transparency log"
        if isinstance(log, dict):
            try:
                published = VerifierKey.parse(str(log.get("verifier_key")))
            except MalformedData as error:
                problem = f"the published key of its log is malformed: {error}"
        stored = self._database.setting("key", str)
        trusted = [each.key for each in self._options.policy.logs] if self._options.policy else []
        trusted = trusted or ([VerifierKey.parse(stored)] if stored else [])
        if published is None and not trusted:
            raise BadAnswer(problem)
        key = trusted[0] if published is None or (trusted and published not in trusted) else published
        if key != published:
            detail = f"the service publishes the key {published}, which is not trusted" if published else problem
            self._add(AuditFinding("log-key", key.name, detail))
        self._database.set("key", str(key))
        return key

    def _signed_tree(self, key: VerifierKey, cosigned: int) -> SignedTree | None:
        """Return the present checkpoint, or None with a finding if it is not signed as it must be.

        If it is smaller than one that was seen or `cosigned`, it is requested again, because caches may be behind.
        """
        size = max(cosigned, *(each.checkpoint.size for each in self._seen()), 0)
        for delay in (*ROLLBACK_DELAYS, None):
            octets = self._source.checkpoint()
            if not octets:
                self._add(AuditFinding("missing-file", CHECKPOINT, "the log serves no checkpoint"))
                return None
            try:
                checkpoint, note = verified_checkpoint(octets, key)
            except (FailedProof, MalformedData) as error:
                self._add(AuditFinding("log-key", key.name, str(error)))
                return None
            if checkpoint.size >= size or delay is None:
                break
            self._source.wait(delay)
        try:
            policy = self._options.policy or Policy(NO_QUORUM)
            policy.verified_checkpoint(octets, key)
        except FailedProof as error:
            self._add(AuditFinding("quorum", key.name, str(error)))
        return SignedTree(checkpoint, str(note))

    def _seen(self) -> list[SignedTree]:
        """Return the trees that earlier audits saw: the last one that was read whole, and one that was begun."""
        found = (self._database.setting(name, SignedTree) for name in ("audited", "begun"))
        return [tree for tree in found if tree is not None]

    def _views(self, key: VerifierKey) -> Iterator[SignedTree]:
        """Yield the checkpoints that others received. Raises `UsageError` if one is not of this log.

        One that `views_of` returns can have another key. That is a finding, unless a policy names the present key.
        """
        for octets in self._options.views:
            try:
                yield SignedTree(verified_checkpoint(octets, key)[0], octets.decode())
            except (FailedProof, MalformedData) as error:
                raise UsageError(f"a checkpoint to compare is not one of this log: {error}") from error
        for octets in self._options.views_of(key.name):
            try:
                yield SignedTree(verified_checkpoint(octets, key)[0], octets.decode())
            except (FailedProof, MalformedData):
                if self._options.policy is None:
                    detail = "the last checkpoint that `coolid verify` saw of this log has another key"
                    self._add(AuditFinding("log-key", key.name, detail))

    def _continues(self, tree: SignedTree, key: VerifierKey, views: Sequence[WitnessView]) -> bool:
        """Return whether the tree continues all that was seen before, with findings if it does not."""
        seen, size = self._seen(), tree.checkpoint.size
        witnessed = [*seen, *(view.tree for view in views)]
        is_consistent = [self._compare(each, tree, is_shown=each.checkpoint.size <= size) for each in witnessed]
        is_consistent += [self._compare(each, tree) for each in self._views(key)]
        for view in views:
            if view.tree.checkpoint.size > size and view.time < self._options.limits.now - WAIT_SECONDS:
                detail = f"it has {size} entries; the witness {view.witness} cosigned {view.tree.checkpoint.size}"
                self._add(AuditFinding(ROLLBACK, key.name, detail), {"checkpoints": [view.tree.note, tree.note]})
        latest = max(seen, key=lambda each: each.checkpoint.size, default=tree)
        if latest.checkpoint.size > size:
            detail = f"it has {size} entries; it had {latest.checkpoint.size}"
            self._add(AuditFinding(ROLLBACK, key.name, detail), {"checkpoints": [latest.note, tree.note]})
            return False
        return all(is_consistent)

    def _compare(self, other: SignedTree, tree: SignedTree, *, is_shown: bool = True) -> bool:
        """Return whether another checkpoint and the present one are of one tree, with a finding if they are not.

        Unless it `is_shown`, the log need not serve the tiles of the other tree, so that they cannot be compared.
        """
        try:
            split = compare_trees(other, tree, self._source.read)
        except (FailedProof, MalformedData) as error:
            if not is_shown:
                return True
            sizes = f"{other.checkpoint.size} and {tree.checkpoint.size} entries"
            detail = f"the tiles do not show that the trees of {sizes} are one: {error}"
            finding = AuditFinding(WRONG_TREE, tree.checkpoint.origin, detail)
            self._add(finding, {"checkpoints": [other.note, tree.note]})
            return False
        if split is not None:
            finding = AuditFinding(SPLIT_VIEW, tree.checkpoint.origin, split.detail)
            self._add(finding, split.to_document(), LOG)
        return split is None

    def _read(self, tree: SignedTree) -> bool:
        """Read and judge all entries that were not read before. Return whether the log could be read to its end."""
        self._database.set("begun", tree)
        blocks = JudgedBlocks(self._source, self._database, self._options.limits)
        try:
            for size in blocks.read(tree.checkpoint, self._edge()):
                self._show("Reading", size, tree.checkpoint.size)
        except BrokenTree as error:
            self._add(error.finding)
            return False
        self._database.set("audited", tree)
        return True

    def _edge(self) -> TreeEdge:
        return self._database.setting("edge", TreeEdge) or TreeEdge()

    def _add(self, finding: AuditFinding, trees: Mapping[str, Any] | None = None, scope: str = PRESENT) -> None:
        self._database.add(Observation(finding, trees=trees or {}), scope)
