"""The oracle: what was asked for, what was acknowledged, and so what may be answered and must be stored.

Each write that was ever tried is known by the target that it alone names. One that was acknowledged, or once seen,
must stay; one that was refused must never be seen; one that nobody heard of again may have happened or not. A read is
right if it shows what was so at some moment between the allowed staleness and now.
"""

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from coolid.resolution.cache import ABSENCE_TTL, PREFIX_TTL, RECORD_TTL
from tests.drill.sites import LAG
from tests.support.fixtures.system import Answer

GONE: Final = "gone"
PUBLIC: Final = "active"
RESERVED: Final = "reserved"

_SLACK: Final = 0.001


class Violation(BaseException):
    """What must not be, was; nothing in the product may take it for an error of its own."""


class Write(Struct):
    """A version that somebody tried to write, between `begun` and `ended`; `document` is it once it is known.

    It was `seen` if a redirect went to its target.
    """

    version: int
    state: str
    target: str
    begun: float
    ended: float = float("inf")
    refused: bool = False
    seen: bool = False
    document: Mapping[str, Any] | None = None


class Thing(Struct):
    """A record: `name` is how it is asked for, `since` when that name was acknowledged."""

    name: str
    repository: str
    key: str
    since: float
    writes: list[Write] = field(default_factory=list)

    @property
    def newest(self) -> Write:
        """The newest that is known to be written."""
        return max((write for write in self.writes if write.document is not None), key=lambda write: write.version)

    def floor(self, moment: float) -> int:
        """The version that everybody must know of who read after that moment; 0 for none."""
        known = (write.version for write in self.writes if write.document is not None and write.ended < moment)
        return max(known, default=0)

    def known(self, version: int) -> Write | None:
        """The write that made a version, if that is known."""
        for write in self.writes:
            if write.version == version and write.document is not None:
                return write
        return None

    def may_show(self, write: Write, floor: int, now: float) -> bool:
        """Whether a write may be what there is, for somebody who must know of the version `floor`."""
        if write.refused or write.begun > now or write.version < floor:
            return False
        return write.document is not None or self.known(write.version) is None


class Mint(Struct):
    """A mint that was asked for by `document`: `errand` if it has an Idempotency-Key, `ids` what was answered."""

    number: int
    prefix: str
    target: str
    state: str
    begun: float
    errand: str | None = None
    chosen: str | None = None
    ids: set[str] = field(default_factory=set)
    refused: bool = False
    document: Mapping[str, Any] = field(default_factory=dict)


class Oracle:
    """Hears of everything and objects by `Violation`; `checks` counts the times that it looked."""

    def __init__(self) -> None:
        self.things: dict[str, Thing] = {}
        self.in_order: list[Thing] = []
        self.keys: dict[str, list[tuple[str, str]]] = {}
        self.mints: dict[str, Mint] = {}
        self.names: dict[str, float] = {}
        """The prefixes, and since when they are known to be there."""
        self.reserved: dict[str, list[tuple[int, int]]] = {}
        self.checks = 0

    def hear(self, name: str, arguments: tuple[Any, ...], result: Any) -> None:
        """Of a call of the store: numbers that are reserved must not have been before."""
        if name == "reserve" and result is not None:
            counter, _, count = arguments
            self.reserve(counter, result, count)

    def reserve(self, counter: str, first: int, count: int) -> None:
        """These numbers were given to somebody."""
        self.checks += 1
        runs = self.reserved.setdefault(counter, [])
        at = bisect_right(runs, (first, float("inf")))
        overlaps = (at and runs[at - 1][1] > first) or (at < len(runs) and runs[at][0] < first + count)
        self.demand(not overlaps, f"numbers from {first} of {counter} were reserved twice")
        insort(runs, (first, first + count))

    def minted(self, mint: Mint, document: Mapping[str, Any], key: str, now: float) -> Thing:
        """A mint was acknowledged."""
        pid = document["pid"]
        self.demand(not mint.refused, f"{pid} was refused before")
        mint.ids.add(pid)
        self.demand(mint.errand is None or len(mint.ids) == 1, f"the errand {mint.errand} made {sorted(mint.ids)}")
        thing = self.things.get(pid)
        if thing is None:
            thing = Thing(f"{mint.prefix}:{document['id']}", document["repository"], key, self.names[mint.prefix])
            self.things[pid] = thing
            self.in_order.append(thing)
            insort(self.keys.setdefault(thing.repository, []), (key, pid))
        known = thing.known(1)
        if known is None:
            thing.writes.append(Write(1, mint.state, mint.target, mint.begun, now, document=document))
        self.demand(known is None or known.document == document, f"{pid} was minted twice: {known and known.target}")
        self.demand(document["version"] == 1 and shows(document) == (mint.state, mint.target), f"{pid} is not as asked")
        return thing

    def saw(self, thing: Thing, document: Mapping[str, Any], now: float) -> Write:
        """A version was shown, and is there from now on."""
        self.checks += 1
        state, target = shows(document)
        found = thing.known(document["version"])
        if found is None:
            open_ = [write for write in thing.writes if not write.refused and write.version == document["version"]]
            tried = [write for write in open_ if write.target == target]
            self.demand(len(tried) == 1, f"{thing.name} shows a stranger: {document}")
            found = tried[0]
            found.document, found.ended = document, min(found.ended, now)
        self.demand(found.document == document, f"{thing.name} has two versions {document['version']}")
        self.demand(found.state == state, f"{thing.name} is {state} and should be {found.state}")
        return found

    def read_kept(self, thing: Thing, document: Mapping[str, Any], begun: float, now: float) -> None:
        """A consistent read: nothing that was acknowledged before it began may be missing."""
        floor = thing.floor(begun)
        write = self.saw(thing, document, now)
        self.demand(thing.may_show(write, floor, now), f"{thing.name} is at {write.version}, was at {floor}")

    def read(self, thing: Thing, answer: Answer, begun: float, now: float) -> None:
        """A public read of the current version."""
        self.checks += 1
        if answer.status == 503:
            self.demand_honest(answer)
            return
        stale = "cache-status" in answer.headers
        floor = 0 if stale else thing.floor(begun - RECORD_TTL - LAG - _SLACK)
        allowed = [write for write in thing.writes if thing.may_show(write, floor, now)]
        match answer.status:
            case 302:
                said = f"redirects to {answer.headers['location']}"
                shown = [each for each in allowed if (PUBLIC, answer.headers["location"]) == (each.state, each.target)]
                right = bool(shown)
                if len(shown) == 1:
                    shown[0].seen = True
            case 410:
                said, right = "is gone", any(write.state == GONE for write in allowed)
            case 404:
                said, right = "is not registered", not stale and self._may_be_absent(thing, allowed, begun)
            case 200:
                document = answer.json()
                said = f"shows version {document['version']}"
                right = self.saw(thing, document, now) in allowed
            case _:
                said, right = f"answers {answer.status}: {answer.body}", False
        self.demand(right, f"{thing.name} {said}{' (stale)' if stale else ''}; it has {brief(thing)} at {begun:.3f}")

    def read_version(self, thing: Thing, version: int, answer: Answer, now: float) -> None:
        """A public read of a version that was acknowledged long ago."""
        self.checks += 1
        if answer.status == 503:
            self.demand_honest(answer)
        elif answer.status not in (200, 410):
            write = thing.known(version)
            hidden = write is not None and RESERVED in (write.state, thing.newest.state)
            self.demand(hidden, f"version {version} of {thing.name} answers {answer.status}: {answer.body}")
        else:
            self.demand(answer.json()["version"] == version, f"{thing.name} shows another version than {version}")
            write = self.saw(thing, answer.json(), now)
            self.demand((answer.status == 410) == (write.state == GONE), f"{thing.name} answers {answer.status}")

    def demand_honest(self, answer: Answer) -> None:
        """That it cannot be told at the moment is told as it should be."""
        self.checks += 1
        honest = answer.headers.get("cache-control") == "no-store" and "retry-after" in answer.headers
        self.demand(honest, f"a 503 says {answer.headers}")

    def listed(self, repository: str, shown: set[str], until: str | None, begun: float) -> None:
        """The first page of a repository's records, to the key `until`: none is missing that was written before."""
        self.checks += 1
        for key, pid in self.keys.get(repository, ()):
            if until is not None and key > until:
                return
            if self.things[pid].floor(begun - LAG - _SLACK):
                self.demand(pid in shown, f"the list of {repository} lacks {pid}")

    def demand(self, right: bool, said: str) -> None:
        """`Violation` unless it is right."""
        if not right:
            raise Violation(said)

    def _may_be_absent(self, thing: Thing, allowed: Sequence[Write], begun: float) -> bool:
        """Whether it may not be known yet, nor its name; or what is known of it is not public."""
        unknown = thing.floor(begun - ABSENCE_TTL - LAG - _SLACK) == 0 or begun - PREFIX_TTL - _SLACK < thing.since
        return unknown or any(write.state == RESERVED for write in allowed)


def shows(document: Mapping[str, Any]) -> tuple[str, str]:
    """What a record's document is known by: its state and target; a tombstone's target is its reason."""
    if document["status"] == "withdrawn":
        return GONE, document["withdrawn"]["reason"]
    return document["status"], document["records"][0]["uri"]


def brief(thing: Thing) -> str:
    """What is known of a record, for people."""
    said = []
    for write in thing.writes:
        known = "written" if write.document is not None else "refused" if write.refused else "unknown"
        said.append(f"{write.version} {write.state} {write.target} {known} {write.begun:.3f}-{write.ended:.3f}")
    return "; ".join(said)
