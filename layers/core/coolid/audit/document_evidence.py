"""Evidence with documents: what entries of the log and signed documents together show.

Each check receives the statements of the entries by index, the documents as served, and the set of the keys that signed
both. It returns whether signatures show the finding, and raises `FailedProof` if the evidence is not genuine.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from coolid.audit.entry_statements import EntryStatement
from coolid.audit.service_answers import CONSTANT, is_early, is_same_tombstone, may_return
from coolid.log.malformed_data import FailedProof
from coolid.model.records import WITHDRAWN
from coolid.proofs.verification import check_version
from coolid.proofs.version_links import VersionLink

Check = Callable[[Sequence[EntryStatement], Sequence[Mapping[str, Any]], Mapping[str, Any]], bool]


def _check_altered(
    statements: Sequence[EntryStatement], documents: Sequence[Mapping[str, Any]], keys: Mapping[str, Any]
) -> bool:
    """A document with a valid proof states another digest for the version of the entry."""
    [statement], [document] = statements, documents
    link = _signed_link(document, keys)
    if link is None or (link.pid, link.version) != (statement.name, statement.number):
        return False
    if link.digest == statement.digest:
        raise FailedProof("the document is the one in the log")
    return True


def _check_chain(
    statements: Sequence[EntryStatement], documents: Sequence[Mapping[str, Any]], keys: Mapping[str, Any]
) -> bool:
    """A document in the log has another digest of the version before it, or with two documents, another identity."""
    earlier, later = statements
    _require_successors(earlier, later)
    *before, document = documents
    link = _logged_link(document, later, keys)
    if before:
        _logged_link(before[0], earlier, keys)
        is_broken = any(document.get(name) != before[0].get(name) for name in CONSTANT)
    else:
        is_broken = link.previous != earlier.digest
    if not is_broken:
        raise FailedProof("the version continues the version before it")
    return True


def _check_early(
    statements: Sequence[EntryStatement], documents: Sequence[Mapping[str, Any]], keys: Mapping[str, Any]
) -> bool:
    """A document in the log is later than the signature about it."""
    [statement], [document] = statements, documents
    if not is_early(_logged_link(document, statement, keys), statement):
        raise FailedProof("the version is not later than its signature")
    return True


def _check_withdrawal(
    statements: Sequence[EntryStatement], documents: Sequence[Mapping[str, Any]], keys: Mapping[str, Any]
) -> bool:
    """Of two versions in the log, the first is a tombstone."""
    earlier, later = statements
    _require_successors(earlier, later)
    if _logged_link(documents[0], earlier, keys).status != WITHDRAWN:
        raise FailedProof("the first version is not a tombstone")
    _logged_link(documents[1], later, keys)
    if may_return(later.name, documents[1]):
        raise FailedProof("an ARK or a DOI may return to the public")
    if is_same_tombstone(documents[1], documents[0]):
        raise FailedProof("a tombstone may be given to another service")
    return True


def _check_signed(_: Sequence[EntryStatement], documents: Sequence[Mapping[str, Any]], keys: Mapping[str, Any]) -> bool:
    """The service signed the document."""
    return all(_signed_link(document, keys) is not None for document in documents)


def _require_successors(earlier: EntryStatement, later: EntryStatement) -> None:
    if earlier.name != later.name or earlier.number + 1 != later.number:
        raise FailedProof("the entries are not of two successive versions of one PID")


def _signed_link(document: Mapping[str, Any], keys: Mapping[str, Any]) -> VersionLink | None:
    """Return the members of a document with a valid proof, or None."""
    checks, link = check_version(document, keys)
    return link if all(check.passed for check in checks) else None


def _logged_link(document: Mapping[str, Any], statement: EntryStatement, keys: Mapping[str, Any]) -> VersionLink:
    """Return the members of the document that the entry is about. Raises `FailedProof`."""
    _, link = check_version(document, keys)
    if link is None or link.digest != statement.digest:
        raise FailedProof("a document is not the one in the log")
    return link


DOCUMENT_CHECKS: Final[Mapping[str, Check]] = {
    "altered-answer": _check_altered,
    "broken-chain": _check_chain,
    "early-signature": _check_early,
    "after-withdrawal": _check_withdrawal,
    "unlogged-version": _check_signed,
    "stale-answer": _check_signed,
    "other-target": _check_signed,
}
