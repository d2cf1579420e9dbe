"""Comparison of a checkpoint with the last one that this user saw of the same log.

A log only grows, so the smaller tree must begin the larger one (RFC 6962, section 2.1.2). If the log does not show
that, both signed checkpoints are written to a file as evidence, if possible with a proof that they contradict each
other (`coolid.log.split_views`).
"""

from functools import partial
from typing import Any, Final

from msgspec import Struct

from coolid.client.errors import NotServed
from coolid.client.flows import Delay, Flow
from coolid.client.transparency.log_requests import LogRequests
from coolid.client.transparency.seen_logs import SeenLog, SeenLogs
from coolid.errors import UsageError
from coolid.log.checkpoints import read_checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.policies import NO_QUORUM, Policy
from coolid.log.split_views import MISSING_FILE, ROLLBACK, SPLIT_VIEW, WRONG_TREE, SignedTree, compare_trees
from coolid.private_files import UnsuitableFile
from coolid.proofs.verdicts import CheckOutcome, quoted

CONSISTENCY: Final = "consistency"
ROLLBACK_DELAYS: Final = (2.0, 4.0)
"""Seconds between requests for the checkpoint of a log that seems to have shrunk, because caches may be behind."""

_MAX_CONFLICTS: Final = 10

Comparison = tuple[tuple[CheckOutcome, ...], tuple[str, ...]]
"""The check, if there could be one, and notes."""


class _Contradiction(Exception):
    """The log broke a `rule`, as the message says; `evidence` has the signed notes as `checkpoints`."""

    def __init__(self, rule: str, claim: str, *notes: str, **evidence: Any) -> None:
        super().__init__(claim)
        self.rule = rule
        self.evidence = {"checkpoints": notes, **evidence}


class CheckpointComparison(Struct, frozen=True):
    """Compares checkpoints, signed by the logs of `policy`, with those in `seen`; `url` is where the log is served."""

    seen: SeenLogs
    requests: LogRequests
    policy: Policy
    url: str | None
    is_chosen: bool = False

    def compare(self, tree: SignedTree, *, offline: bool, saves: bool) -> Flow[Comparison]:
        """Return the check of a checkpoint, whose signature was verified. Save it if it is the newest and `saves`."""
        origin, size = tree.checkpoint.origin, tree.checkpoint.size
        for _ in range(_MAX_CONFLICTS):
            seen = self.seen.read(origin)
            last = seen.last() if seen else None
            if last is not None and last.checkpoint.size != size and (offline or not self.url):
                return (), ("not compared with the last checkpoint that this user saw, because that needs requests",)
            try:
                compared = CheckOutcome(CONSISTENCY, True, (yield from self._compared(tree, seen)))
            except _Contradiction as error:
                return (self._failure(error),), ()
            newest = last if last and last.checkpoint.size > size else tree
            new = SeenLog(origin, _text(self.policy), newest.note, self.url or "", self.is_chosen)
            try:
                if not saves or new == seen or self.seen.replace(new, seen):
                    return (compared,), ()
            except UnsuitableFile:
                raise
            except OSError as error:
                return (compared,), (f"the checkpoint could not be saved to be compared next time: {error.strerror}",)
        raise UsageError(f"other programs change {self.seen.path(origin)} all the time")

    def _compared(self, tree: SignedTree, seen: SeenLog | None) -> Flow[str]:
        """Return what was compared. Raises `_Contradiction`."""
        last = seen.last() if seen else None
        if last is None:
            return "this is the first checkpoint of the log that this user sees"
        if tree.checkpoint.size >= last.checkpoint.size:
            yield from self._require_continuation(last, tree)
            if tree.checkpoint.size == last.checkpoint.size:
                return "the log has the tree that this user saw last"
            return f"the log continues the tree of {last.checkpoint.size} entries that this user saw last"
        current = yield from self._current(last)
        yield from self._require_continuation(last, current)
        yield from self._require_continuation(tree, current)
        size = current.checkpoint.size
        return f"the tree begins the log of {size} entries, which continues the one that this user saw"

    def _current(self, last: SignedTree) -> Flow[SignedTree]:
        """Return the current checkpoint, which is not smaller than the last one. Raises `_Contradiction`."""
        for delay in (*ROLLBACK_DELAYS, None):
            try:
                octets = yield from self.requests.checkpoint(self.url or "")
                checkpoint, _ = Policy(NO_QUORUM, self.policy.logs).verified_checkpoint(octets)
            except (NotServed, MalformedData, FailedProof) as error:
                claim = f"the log has no valid checkpoint now: {sentence(error)}"
                raise _Contradiction(MISSING_FILE, claim, last.note) from error
            if checkpoint.origin != last.checkpoint.origin:
                claim = f"the service has another log now, {quoted(checkpoint.origin)}"
                raise _Contradiction(MISSING_FILE, claim, last.note)
            if checkpoint.size >= last.checkpoint.size:
                return SignedTree(checkpoint, octets.decode())
            if delay is not None:
                yield Delay(delay)
        claim = f"THE LOG WAS ROLLED BACK: it has {checkpoint.size} entries, and had {last.checkpoint.size}"
        raise _Contradiction(ROLLBACK, claim, last.note, octets.decode())

    def _require_continuation(self, old: SignedTree, new: SignedTree) -> Flow[None]:
        """Raise `_Contradiction` unless the second tree, which is not smaller, continues the first one."""
        claim = f"the tree of {new.checkpoint.size} entries does not continue that of {old.checkpoint.size}"
        try:
            view = yield from self.requests.computed(self.url or "", partial(compare_trees, old, new))
        except (MalformedData, FailedProof) as error:
            raise _Contradiction(WRONG_TREE, f"{claim}: {sentence(error)}", old.note, new.note) from error
        if view is not None:
            raise _Contradiction(SPLIT_VIEW, f"THE LOG FORKED: {claim}", **view.to_document())

    def _failure(self, contradiction: _Contradiction) -> CheckOutcome:
        """Write the evidence, and return the failed check."""
        signed = [read_checkpoint(note.encode()) for note in contradiction.evidence["checkpoints"]]
        origin = signed[0][0].origin
        keys = [log.key for log in self.policy.logs if log.key.name == origin]
        # The checkpoint that this user saw last can have an earlier key, which is not in the policy.
        key = max(keys, key=lambda each: sum(any(map(each.made, note.signatures)) for _, note in signed))
        finding = {"rule": contradiction.rule, "subject": origin, "detail": str(contradiction)}
        try:
            path = self.seen.add_evidence(origin, str(key), finding | contradiction.evidence)
            where = f"the signed checkpoints are in {path}"
        except OSError as error:
            where = f"the signed checkpoints could not be saved: {error.strerror}"
        return CheckOutcome(CONSISTENCY, False, f"{contradiction}; {where}")


def sentence(error: Exception) -> str:
    """Return the message of an error about foreign data, with printable characters only."""
    text = str(error)
    return text if text.isprintable() else quoted(text)


def _text(policy: Policy) -> str:
    """Return a policy as text that JSON can contain. Names, which are octets, mean nothing outside of a policy."""
    return str(policy).encode("utf-8", "backslashreplace").decode()
