"""Verification of files with a record in each line: every line by itself, then the versions of each record as a chain.

A record that changed hands has versions of several issuers. A version whose issuer has no key in the key set is good if
the later versions in the file confirm it: their chain contains its digest, states the transfer, and ends with a version
whose signature was verified. Such lines are printed after the others.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from coolid.cli.log_checks import LogChecks
from coolid.cli.output import print_line
from coolid.cli.record_files import ProvedLine, load_line
from coolid.cli.verdict_output import print_history, print_line_verdict
from coolid.errors import UsageError
from coolid.proofs.custody_checks import check_acceptances, check_continuation, issuers_of
from coolid.proofs.history_chain import check_chain
from coolid.proofs.verdicts import CheckOutcome, Verdict, quoted
from coolid.proofs.verification import check_version
from coolid.proofs.version_links import VersionLink
from coolid.strict_json import NotJson

if TYPE_CHECKING:
    from coolid.client.user_state.stored_keys import StoredKeys

_KEY: Final = "key"
_CONFIRMED: Final = CheckOutcome(_KEY, True, "the keys of its issuer are not known here; the later versions confirm it")


class LineOptions(Struct, frozen=True):
    """What each line must be: of a PID or an issuer, if named. With `chain`, versions are verified together.

    `log` has the checks of transparency logs, `stored` the keys of other issuers. If `keys_are_fetched`, logs are
    looked up at the issuers, too.
    """

    pid: str | None
    issuer: str | None
    chain: bool
    log: LogChecks | None
    stored: "StoredKeys"
    keys_are_fetched: bool
    as_json: bool


class _Unconfirmed(Struct, frozen=True):
    """A line of an issuer without a known key: its number, the members of its title, its link, and its own verdict."""

    number: int
    title: dict[str, Any]
    link: VersionLink
    verdict: Verdict


class RecordLines:
    """Verifies and prints lines with a key set."""

    def __init__(self, keys: Any, options: LineOptions) -> None:
        self._keys = keys
        self._options = options
        self._links: list[VersionLink] = []
        self._unconfirmed: list[_Unconfirmed] = []
        self._is_good = True

    def verify(self, lines: Iterable[ProvedLine]) -> bool:
        """Print the verdict on each line, then on each history. Return whether all are good."""
        log = self._options.log
        if log is not None and log.proof is not None:
            raise UsageError("--tlog-proof is the proof of one record; the file has many")
        for line, proof in lines:
            try:
                document = load_line(line)
            except NotJson as error:
                self._print_line(line.number, None, Verdict((CheckOutcome("document", False, str(error)),)))
            else:
                self._verify_line(line.number, document, proof)
        if self._options.chain:
            self._verify_histories()
        if log is not None:
            log.print_notes()
        return self._is_good

    def _verify_line(self, number: int, document: Any, proof: bytes | None) -> None:
        options = self._options
        checks, link = self._line_checks(document)
        verdict = Verdict(tuple(checks))
        if link:
            self._links.append(link)
        can_have_moved = options.chain and link is not None and link.linkid is not None
        if link and can_have_moved and not verdict.ok and self._lacks_only_key(document, options.pid):
            title = {name: document[name] for name in ("pid", "version")}
            self._unconfirmed.append(_Unconfirmed(number, title, link, verdict))
            return
        if options.log is not None:
            verdict = options.log.added_to_line(verdict, document, proof, is_fetched=options.keys_are_fetched)
        self._print_line(number, document, verdict)

    def _line_checks(self, document: Any) -> tuple[list[CheckOutcome], VersionLink | None]:
        """Return the checks of a line. One of another issuer, whose keys are known, is verified with these."""
        options = self._options
        issuer = document.get("issuer") if isinstance(document, dict) else None
        if not isinstance(issuer, str) or issuer == options.issuer:
            return check_version(document, self._keys, pid=options.pid, issuer=options.issuer)
        stored = options.stored.of([issuer])
        if issuer in stored:
            return check_version(document, stored[issuer], pid=options.pid, issuer=issuer)
        checks, link = check_version(document, self._keys, pid=options.pid, issuer=options.issuer)
        if options.issuer is not None:
            remedy = "name them by --resolvers, if the record came from there"
            checks.append(CheckOutcome(_KEY, False, f"the keys of {quoted(issuer)} are not known here; {remedy}"))
        return checks, link

    def _lacks_only_key(self, document: Any, pid: str | None) -> bool:
        """Return whether only the key of the issuer is missing, who may be another one than the expected."""
        if self._options.stored.of([document["issuer"]]):
            return False
        checks, _ = check_version(document, self._keys, pid=pid)
        return [check.name for check in checks if not check.passed] == [_KEY]

    def _verify_histories(self) -> None:
        histories = _histories(self._links)
        unsigned = {id(each.link) for each in self._unconfirmed}
        confirmed = {name for name, versions in histories.items() if _confirms(versions, unsigned)}
        issuers: Counter[str] = Counter()
        names = {id(link): name for name, versions in histories.items() for link in versions}
        for each in self._unconfirmed:
            is_confirmed = names[id(each.link)] in confirmed
            issuers[each.link.issuer] += is_confirmed
            self._print_line(each.number, each.title, Verdict((_CONFIRMED,)) if is_confirmed else each.verdict)
        for name, versions in histories.items():
            self._verify_history(name, versions)
        for issuer, count in (+issuers).items():
            print_line(f"coolid: later versions alone confirm {count} versions of {quoted(issuer)}; see --resolvers")

    def _verify_history(self, name: str, versions: list[VersionLink]) -> None:
        newest = _newest(versions)
        chain, is_complete = check_chain(newest, versions)
        stored = {newest.issuer: self._keys, **self._options.stored.of(issuers_of(newest))}
        acceptances, _ = check_acceptances(versions, stored)
        verdict = Verdict((*chain, *acceptances), is_complete)
        if len(versions) > 1 or not verdict.ok:
            numbers = sorted({link.version for link in versions})
            self._is_good &= print_history(name, numbers, verdict, as_json=self._options.as_json)

    def _print_line(self, number: int, document: Any, verdict: Verdict) -> None:
        self._is_good &= print_line_verdict(number, document, verdict, as_json=self._options.as_json)


def _histories(links: Iterable[VersionLink]) -> dict[str, list[VersionLink]]:
    """Return the versions of each PID, and those of a LinkID with several PIDs by the LinkID."""
    links = list(links)
    moved = {link.linkid for link in links if link.custody.transfers}
    found: dict[str, list[VersionLink]] = {}
    for link in links:
        name = link.linkid if link.linkid in moved else None
        found.setdefault(name or link.pid, []).append(link)
    return found


def _confirms(versions: list[VersionLink], unsigned: set[int]) -> bool:
    """Return whether the newest version is verified, and confirms those with unverified signatures, of other issuers.

    `unsigned` has the ids of the objects of those versions.
    """
    newest = _newest(versions)
    own = [link for link in versions if id(link) in unsigned]
    if not own or any(link is newest or link.issuer == newest.issuer for link in own):
        return False
    chain, _ = check_chain(newest, versions)
    return all(check.passed for check in chain) and not check_continuation(own, versions)


def _newest(versions: list[VersionLink]) -> VersionLink:
    return max(versions, key=lambda link: link.version)
