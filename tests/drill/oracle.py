"""The oracle: all requests and acknowledged results, and therefore which responses and rows are allowed.

Each attempted write has a unique target. An acknowledged or observed write must persist; a refused one must never be
observed; one without a response may have happened or not. A read is right if it shows a state between the allowed
staleness and now.
"""

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from coolid.resolution.cache import ABSENCE_TTL, PREFIX_TTL, RECORD_TTL
from tests.drill.hosts import LAG
from tests.support.fixtures.system import Answer

GONE: Final = "gone"
PUBLIC: Final = "active"
RESERVED: Final = "reserved"

_SLACK: Final = 0.001


class Violation(BaseException):
    """A promise was broken. It is a BaseException, so that the product does not handle it as an error of its own."""


class Write(Struct):
    """An attempt to write a version, between `begun` and `ended`; `document` is its content once that is known.

    It was `seen` if a redirect led to its target.
    """

    version: int
    state: str
    target: str
    begun: float
    ended: float = float("inf")
    refused: bool = False
    seen: bool = False
    document: Mapping[str, Any] | None = None


class TrackedRecord(Struct):
    """A record: `name` is used in requests, `since` is the time when that name was acknowledged."""

    name: str
    repository: str
    key: str
    since: float
    writes: list[Write] = field(default_factory=list)

    @property
    def newest(self) -> Write:
        """Return the newest known version."""
        return max((write for write in self.writes if write.document is not None), key=lambda write: write.version)

    def floor(self, moment: float) -> int:
        """Return the lowest version that a read after this time may show; 0 for none."""
        known = (write.version for write in self.writes if write.document is not None and write.ended < moment)
        return max(known, default=0)

    def known(self, version: int) -> Write | None:
        """Return the write of a version, None if it is unknown."""
        for write in self.writes:
            if write.version == version and write.document is not None:
                return write
        return None

    def may_show(self, write: Write, floor: int, now: float) -> bool:
        """Return whether a write may be the current version, for a read that must show `floor` or a later one."""
        if write.refused or write.begun > now or write.version < floor:
            return False
        return write.document is not None or self.known(write.version) is None


class Mint(Struct):
    """A requested mint: `idempotency_key` if it has one, `ids` the identifiers in its responses."""

    number: int
    prefix: str
    target: str
    state: str
    begun: float
    idempotency_key: str | None = None
    chosen: str | None = None
    ids: set[str] = field(default_factory=set)
    refused: bool = False
    document: Mapping[str, Any] = field(default_factory=dict)


class Oracle:
    """Compares results with the history and raises `Violation`; counts `checks`."""

    def __init__(self) -> None:
        self.tracked_records: dict[str, TrackedRecord] = {}
        self.in_order: list[TrackedRecord] = []
        self.keys: dict[str, list[tuple[str, str]]] = {}
        self.mints: dict[str, Mint] = {}
        self.names: dict[str, float] = {}
        """The prefixes, with the times since which they are acknowledged."""
        self.reserved: dict[str, list[tuple[int, int]]] = {}
        self.checks = 0

    def observe_call(self, name: str, arguments: tuple[Any, ...], result: Any) -> None:
        """Check a call of the store: no number may be reserved twice."""
        if name == "reserve" and result is not None:
            counter, _, count = arguments
            self.reserve(counter, result, count)

    def reserve(self, counter: str, first: int, count: int) -> None:
        """Record the reservation of these numbers."""
        self.checks += 1
        runs = self.reserved.setdefault(counter, [])
        at = bisect_right(runs, (first, float("inf")))
        overlaps = (at and runs[at - 1][1] > first) or (at < len(runs) and runs[at][0] < first + count)
        self.require(not overlaps, f"numbers from {first} of {counter} were reserved twice")
        insort(runs, (first, first + count))

    def minted(self, mint: Mint, document: Mapping[str, Any], key: str, now: float) -> TrackedRecord:
        """Record an acknowledged mint."""
        pid = document["pid"]
        self.require(not mint.refused, f"{pid} was refused before")
        mint.ids.add(pid)
        self.require(
            mint.idempotency_key is None or len(mint.ids) == 1,
            f"the idempotency key {mint.idempotency_key} created {sorted(mint.ids)}",
        )
        tracked = self.tracked_records.get(pid)
        if tracked is None:
            tracked = TrackedRecord(
                f"{mint.prefix}:{document['id']}", document["repository"], key, self.names[mint.prefix]
            )
            self.tracked_records[pid] = tracked
            self.in_order.append(tracked)
            insort(self.keys.setdefault(tracked.repository, []), (key, pid))
        known = tracked.known(1)
        if known is None:
            tracked.writes.append(Write(1, mint.state, mint.target, mint.begun, now, document=document))
        self.require(known is None or known.document == document, f"{pid} was minted twice: {known and known.target}")
        self.require(
            document["version"] == 1 and state_and_target(document) == (mint.state, mint.target),
            f"{pid} differs from the request",
        )
        return tracked

    def observe_version(self, tracked: TrackedRecord, document: Mapping[str, Any], now: float) -> Write:
        """Record an observed version, which must persist from now on."""
        self.checks += 1
        state, target = state_and_target(document)
        found = tracked.known(document["version"])
        if found is None:
            open_ = [write for write in tracked.writes if not write.refused and write.version == document["version"]]
            tried = [write for write in open_ if write.target == target]
            self.require(len(tried) == 1, f"{tracked.name} shows an unknown version: {document}")
            found = tried[0]
            found.document, found.ended = document, min(found.ended, now)
        self.require(found.document == document, f"{tracked.name} has two versions {document['version']}")
        self.require(found.state == state, f"{tracked.name} is {state} and should be {found.state}")
        return found

    def read_managed(self, tracked: TrackedRecord, document: Mapping[str, Any], begun: float, now: float) -> None:
        """Check a consistent read: it shows everything that was acknowledged before."""
        floor = tracked.floor(begun)
        write = self.observe_version(tracked, document, now)
        self.require(tracked.may_show(write, floor, now), f"{tracked.name} is at {write.version}, was at {floor}")

    def read(self, tracked: TrackedRecord, answer: Answer, begun: float, now: float) -> None:
        """Check a public read of the current version."""
        self.checks += 1
        if answer.status == 503:
            self.require_complete_503(answer)
            return
        stale = "cache-status" in answer.headers
        floor = 0 if stale else tracked.floor(begun - RECORD_TTL - LAG - _SLACK)
        allowed = [write for write in tracked.writes if tracked.may_show(write, floor, now)]
        match answer.status:
            case 302:
                message = f"redirects to {answer.headers['location']}"
                shown = [each for each in allowed if (PUBLIC, answer.headers["location"]) == (each.state, each.target)]
                right = bool(shown)
                if len(shown) == 1:
                    shown[0].seen = True
            case 410:
                message, right = "is gone", any(write.state == GONE for write in allowed)
            case 404:
                message, right = "is not registered", not stale and self._may_be_absent(tracked, allowed, begun)
            case 200:
                document = answer.json()
                message = f"state_and_target version {document['version']}"
                right = self.observe_version(tracked, document, now) in allowed
            case _:
                message, right = f"answers {answer.status}: {answer.body}", False
        self.require(
            right, f"{tracked.name} {message}{' (stale)' if stale else ''}; it has {summary(tracked)} at {begun:.3f}"
        )

    def read_version(self, tracked: TrackedRecord, version: int, answer: Answer, now: float) -> None:
        """Check a public read of a version that was acknowledged long ago."""
        self.checks += 1
        if answer.status == 503:
            self.require_complete_503(answer)
        elif answer.status not in (200, 410):
            write = tracked.known(version)
            hidden = write is not None and RESERVED in (write.state, tracked.newest.state)
            self.require(hidden, f"version {version} of {tracked.name} answers {answer.status}: {answer.body}")
        else:
            self.require(
                answer.json()["version"] == version, f"{tracked.name} state_and_target another version than {version}"
            )
            write = self.observe_version(tracked, answer.json(), now)
            self.require((answer.status == 410) == (write.state == GONE), f"{tracked.name} answers {answer.status}")

    def require_complete_503(self, answer: Answer) -> None:
        """Check that a 503 is not cached and has `Retry-After`."""
        self.checks += 1
        honest = answer.headers.get("cache-control") == "no-store" and "retry-after" in answer.headers
        self.require(honest, f"a 503 says {answer.headers}")

    def listed(self, repository: str, shown: set[str], until: str | None, begun: float) -> None:
        """Check the first page of a repository's records, up to the key `until`: it shows all earlier records."""
        self.checks += 1
        for key, pid in self.keys.get(repository, ()):
            if until is not None and key > until:
                return
            if self.tracked_records[pid].floor(begun - LAG - _SLACK):
                self.require(pid in shown, f"the list of {repository} lacks {pid}")

    def require(self, right: bool, message: str) -> None:
        """Raise `Violation` with the message unless `right`."""
        if not right:
            raise Violation(message)

    def _may_be_absent(self, tracked: TrackedRecord, allowed: Sequence[Write], begun: float) -> bool:
        """Return whether the record or its prefix may be unknown yet, or is not public."""
        unknown = tracked.floor(begun - ABSENCE_TTL - LAG - _SLACK) == 0 or begun - PREFIX_TTL - _SLACK < tracked.since
        return unknown or any(write.state == RESERVED for write in allowed)


def state_and_target(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return the state and the target of a record's document; for a tombstone the reason instead of the target."""
    if document["status"] == "withdrawn":
        return GONE, document["withdrawn"]["reason"]
    return document["status"], document["records"][0]["uri"]


def summary(tracked: TrackedRecord) -> str:
    """Describe a tracked record for people."""
    message = []
    for write in tracked.writes:
        known = "written" if write.document is not None else "refused" if write.refused else "unknown"
        message.append(f"{write.version} {write.state} {write.target} {known} {write.begun:.3f}-{write.ended:.3f}")
    return "; ".join(message)
