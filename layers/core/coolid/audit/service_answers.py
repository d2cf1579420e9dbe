"""The comparison of the log with what the service answers now, PID by PID.

Every version in the log must be served, with the digest of its entry, and contain the digest of the version before. The
service must serve no version that the log lacks, and redirect only to targets of the record.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from coolid.audit.custody_absences import is_absence
from coolid.audit.entry_statements import NAMESPACE, EntryStatement
from coolid.audit.findings import AuditFinding, Observation
from coolid.audit.log_source import LogSource
from coolid.audit.rules import CLOCK_DIFFERENCE
from coolid.client.errors import BadAnswer
from coolid.client.http_request import LINKID, HttpAnswer
from coolid.client.redirects import location_of
from coolid.client.service_api import JSON
from coolid.model.custody import stated_custody
from coolid.model.prefixes import fold, has_handles, path_of
from coolid.model.records import ACTIVE, WITHDRAWN, parse_time
from coolid.proofs.custody_checks import is_received
from coolid.proofs.verdicts import quoted
from coolid.proofs.verification import check_version, issue_time
from coolid.proofs.version_links import VersionLink

WAIT_SECONDS: Final = 600
"""How long a version may be served before it must be in the log."""
CONSTANT: Final = ("id", "pid", "repository", "issuer", "created")
"""Members that all versions of a record share."""
UNSERVED: Final = "unserved-version"
UNLOGGED: Final = "unlogged-version"
WAITING: Final = "waiting-version"
"""Not a rule: the version may be in the log of the next audit, or else is `UNLOGGED`."""
_OK: Final = 200
_MOVED: Final = range(300, 400)
_NOT_FOUND: Final = 404
_GONE: Final = 410


class ServiceAnswers:
    """What the service `issuer` answers through `source`. `keys` is the set of all keys of proofs.

    A version that was signed at most `WAIT_SECONDS` before `now` may still wait for its place in the log.
    """

    def __init__(self, source: LogSource, issuer: str, keys: Mapping[str, Any], now: int) -> None:
        self._source = source
        self._issuer = issuer
        self._keys = keys
        self._now = now

    def compare(self, pid: str, statements: Sequence[EntryStatement]) -> list[Observation]:
        """Return what differs between the entries about a PID, by version, and the answers. Raises `ClientError`."""
        documents: dict[int, Mapping[str, Any]] = {}
        found = list(self._current(pid, statements[-1], documents))
        is_lost = any(each.finding.rule == UNSERVED for each in found)
        for statement in statements[:-1] if is_lost else statements:
            if statement.number not in documents:
                found += self._older(statement, documents)
        first = statements[0]
        if first.number > 1:  # its earlier versions are another service's, or not public, because they were reserved
            earlier = self._document(pid, first.number - 1)
            found += self._unlogged(pid, earlier, (first.index,))
        by_version = {statement.number: statement for statement in statements}
        for version, document in sorted(documents.items()):
            found += _chain_observations(document, documents.get(version - 1), by_version, version)
        return found

    def has_absence(self, earlier: EntryStatement, later: EntryStatement) -> bool:
        """Return whether other services have the versions between two entries about one PID. Raises `ClientError`.

        The service must serve all of them, with the two versions of the entries.
        """
        versions = []
        for number in range(earlier.number, later.number + 1):
            document = self._document(earlier.name, number)
            if document is None:
                return False
            versions.append(document)
        ends = [check_version(version, self._keys)[1] for version in (versions[0], versions[-1])]
        digests = [link.digest for link in ends if link is not None]
        return digests == [earlier.digest, later.digest] and is_absence(versions, self._issuer, self._keys)

    def compare_alias(self, statement: EntryStatement) -> list[Observation]:
        """Return what differs between the entry about an alias, and what the service shows. Raises `ClientError`."""
        answer = self._source.get(f"{self._source.base_url}/{path_of(statement.name)}", JSON)
        document = _json(answer) if answer.status == _OK else {}
        if (document.get("kind"), document.get("repository")) == (NAMESPACE, statement.target):
            return []
        shown = f"{quoted(document.get('kind'))} {quoted(document.get('repository'))} (status {answer.status})"
        detail = f"it is an alias of {quoted(statement.target)}; the service shows {shown}"
        return [Observation(AuditFinding("altered-alias", statement.name, detail, (statement.index,)), (document,))]

    def unlogged(self, pid: str) -> list[Observation]:
        """Return what is wrong with a PID that the service lists, and the log lacks. Raises `ClientError`."""
        return list(self._unlogged(pid, self._document(pid), ()))

    def _current(
        self, pid: str, last: EntryStatement, documents: dict[int, Mapping[str, Any]]
    ) -> Iterator[Observation]:
        """Compare the present version, and where the PID leads."""
        answer = self._answer(pid)
        if answer.status not in (_OK, _GONE):
            detail = f"the service answers {answer.status}; the log has version {last.number}"
            yield Observation(AuditFinding(UNSERVED, pid, detail, (last.index,)))
            return
        document = _json(answer)
        version = document.get("version")
        if version == last.number or type(version) is not int:
            yield from self._compared(last, document)
            documents[last.number] = document
            yield from self._target(last, document)
        elif version < last.number:
            is_cached = answer.headers.get("age", "0").strip() not in ("", "0")
            detail = f"the service answers with version {version}; the log has version {last.number}"
            rule = "cached-answer" if is_cached else "stale-answer"
            yield Observation(AuditFinding(rule, pid, detail, (last.index,)), (document,))
        else:
            yield from self._unlogged(pid, document, (last.index,))

    def _older(self, statement: EntryStatement, documents: dict[int, Mapping[str, Any]]) -> Iterator[Observation]:
        pid, version = statement.name, statement.number
        document = self._document(pid, version)
        if document is None:
            detail = f"the service does not serve version {version}"
            yield Observation(AuditFinding(UNSERVED, pid, detail, (statement.index,)))
            return
        documents[version] = document
        yield from self._compared(statement, document)

    def _compared(self, statement: EntryStatement, document: Mapping[str, Any]) -> Iterator[Observation]:
        """Compare a served version with its entry."""
        checks, link = check_version(document, self._keys, pid=statement.name)
        problems = [check.detail for check in checks if not check.passed]
        if link is None or link.version != statement.number:
            problems.append(f"it is version {quoted(document.get('version'))}")
        elif link.digest != statement.digest:
            problems.append(f"it has the digest {link.digest}, the entry {statement.digest}")
        elif is_early(link, statement):
            detail = f"version {statement.number} was updated at {link.updated}, after its signature"
            yield Observation(AuditFinding("early-signature", statement.name, detail, (statement.index,)), (document,))
        if problems:
            detail = f"version {statement.number} as served is not that of the log: {'; '.join(problems)}"
            yield Observation(AuditFinding("altered-answer", statement.name, detail, (statement.index,)), (document,))

    def _unlogged(
        self, pid: str, document: Mapping[str, Any] | None, indexes: tuple[int, ...]
    ) -> Iterator[Observation]:
        """Report a served version that is not in the log. One that was signed a moment ago may still wait.

        A version that another service signed, and gave to this one, is in the log of that service.
        """
        if document is None or is_received(document, self._issuer, self._keys):
            return
        issued_at = issue_time(document.get("proof"))
        is_recent = issued_at is not None and abs(self._now - issued_at) <= WAIT_SECONDS
        detail = f"the service serves version {quoted(document.get('version'))}, which the log lacks"
        rule = WAITING if is_recent else UNLOGGED
        yield Observation(AuditFinding(rule, pid, detail, indexes), (document,))

    def _target(self, statement: EntryStatement, document: Mapping[str, Any]) -> Iterator[Observation]:
        """Compare where the PID leads with the record's targets. A record without targets may lead to its page."""
        pid = statement.name
        answer = self._source.get(self._address(pid), reads_body=lambda _: False)
        listed = document.get("records")
        places = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        targets = [each.get("uri") for each in places if each.get("status") == ACTIVE]
        if document.get("status") == WITHDRAWN:
            problem = answer.status != _GONE and f"the service answers {answer.status} for a withdrawn PID, not {_GONE}"
        elif answer.status in _MOVED and targets:
            location = location_of(answer)
            is_own = location is not None and location.startswith((f"{pid}?", f"{self._address(pid)}?", "?"))
            is_choice = location is None
            problem = not is_own and not is_choice and location not in targets and f"it redirects to {quoted(location)}"
        else:
            is_lost = answer.status >= _NOT_FOUND and answer.status != 406
            problem = is_lost and f"the service answers {answer.status} for an active PID"
        if problem:
            yield Observation(AuditFinding("other-target", pid, problem, (statement.index,)), (document,))

    def _document(self, pid: str, version: int | None = None) -> Mapping[str, Any] | None:
        """Return a version as served, or None."""
        answer = self._answer(pid, version)
        return _json(answer) if answer.status in (_OK, _GONE) else None

    def _answer(self, pid: str, version: int | None = None) -> HttpAnswer:
        number = "" if version is None else f"&version={version}"
        return self._source.get(f"{self._address(pid)}?format=linkid{number}", LINKID)

    def _address(self, pid: str) -> str:
        """Return the URL of a PID at the audited address; a PID of another issuer has its path there."""
        own = pid.removeprefix(f"{self._issuer}/")
        path = own if own != pid else pid.partition("://")[2].partition("/")[2]
        return f"{self._source.base_url}/{path}"


def _chain_observations(
    document: Mapping[str, Any],
    before: Mapping[str, Any] | None,
    statements: Mapping[int, EntryStatement],
    version: int,
) -> Iterator[Observation]:
    """Compare a version with the one before it, of which at least the digest is in the log."""
    statement, earlier = statements[version], statements.get(version - 1)
    if earlier is None:
        return
    indexes = (earlier.index, statement.index)
    if document.get("previous") != earlier.digest:
        detail = f"version {version} contains the digest {quoted(document.get('previous'))}, not {earlier.digest}"
        yield Observation(AuditFinding("broken-chain", statement.name, detail, indexes), (document,))
    changed = [name for name in CONSTANT if before is not None and document.get(name) != before.get(name)]
    if before is not None and changed:
        detail = f"version {version} has another {', '.join(changed)} than version {version - 1}"
        yield Observation(AuditFinding("broken-chain", statement.name, detail, indexes), (before, document))
    if before is not None and before.get("status") == WITHDRAWN and not is_same_tombstone(document, before):
        rule = "restored" if may_return(statement.name, document) else "after-withdrawal"
        detail = f"version {version} follows the tombstone, version {version - 1}"
        yield Observation(AuditFinding(rule, statement.name, detail, indexes), (before, document))


def is_early(link: VersionLink, statement: EntryStatement) -> bool:
    """Return whether a version was updated after the time that its statement names as that of the signature."""
    return parse_time(link.updated).timestamp() > statement.issued_at + CLOCK_DIFFERENCE


def may_return(pid: str, document: Mapping[str, Any]) -> bool:
    """Return whether a version may follow a tombstone: EZID's clients may return an ARK or a DOI to the public.

    >>> may_return("https://id.example.org/ark:99999/fk4x", {"status": "active"})
    True
    >>> may_return("https://id.example.org/mp:x", {"status": "active"})
    False
    """
    path = fold(pid.partition("://")[2].partition("/")[2])
    return document.get("status") == ACTIVE and (path.startswith("ark:") or has_handles(path))


def is_same_tombstone(later: Mapping[str, Any], earlier: Mapping[str, Any]) -> bool:
    """Return whether a version only changes the custody of a tombstone: an offer, its revocation, or a transfer."""
    now, before = stated_custody(later), stated_custody(earlier)
    unchanged = {name: (later.get(name), now.state) for name in ("status", "withdrawn")}
    return (
        later.get("status") == WITHDRAWN
        and unchanged == {name: (earlier.get(name), before.state) for name in unchanged}
        and now != before
    )


def _json(answer: HttpAnswer) -> Mapping[str, Any]:
    """Return the document of an answer; an empty one if it is no JSON object, which no check passes."""
    try:
        return answer.json_object()
    except BadAnswer:
        return {}
