"""Probing: whose turn it is to be looked at, as a pure function of time and of what is known.

Time goes by in *ticks*. What is well has its turn once in a period, at a tick that a digest of its name decides, so
that all of them spread evenly and a change of one moves no other. What has just failed has it at each tick, and what
stays down more and more seldom. Where that makes too many of one host at a tick, the periods of all that is there grow
together until it does not: everybody still has exactly one turn in each. Those whose turn is at each tick leave two
thirds of the room to the others if these need it: else a host with hundreds of providers that fails would be asked for
the first of them again and again, and the last would not be found out.

>>> from coolid.model.conditions import DEGRADED
>>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
>>> [period(None, noon, CheckSchedule()), period(Condition(DEGRADED, noon), noon, CheckSchedule())]
[8, 1]
>>> [period(Condition(DOWN, noon), noon + timedelta(hours=hours), CheckSchedule()) for hours in (0, 2, 30, 500)]
[1, 4, 24, 96]
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, Protocol

import can_ada
from msgspec import Struct

from coolid.model.check_state import CheckSubject, prefix_owner, repository_owner, target_name
from coolid.model.conditions import DOWN, UP, Condition
from coolid.model.prefixes import ProviderPrefix, fold
from coolid.model.records import ACTIVE, Location, Record

TICK: Final = 900
"""Seconds."""
MOST_OF_A_HOST: Final = 60
"""That are looked at in one tick."""
MOST_STANDING: Final = 45
"""Of these, providers and what is known to ail; the rest is for records whose turn it is."""
OFTEN: Final = 3
"""One in so many is for what is looked at at each tick, where there is not room enough for the others."""
MOST_NAME_BYTES: Final = 1024
"""Of a name that pulses are kept under; a record with a key so long that it has none is not looked at."""
ROUND: Final = timedelta(days=1)
"""In which no record is looked at twice, as long as all of its targets are well."""

_DAY: Final = 86_400
_BACK_OFF: Final = (
    (timedelta(hours=1), 0),
    (timedelta(days=1), 3_600),
    (timedelta(days=7), 6 * 3_600),
    (timedelta.max, _DAY),
)
"""For how long something is down, and the seconds between two looks at it until then."""


class CheckSchedule(Struct, frozen=True):
    """How often: a tick in so many `seconds`, what is well once in `hours`, `targets` records of a repository a day."""

    seconds: int = TICK
    hours: int = 2
    targets: int = 100

    def tick_of(self, moment: datetime) -> int:
        """The tick that is nearest to a moment: a schedule may ring a little early or late."""
        return (int(moment.timestamp()) + self.seconds // 2) // self.seconds

    def share(self, tick: int, repository_id: str) -> int:
        """How many of a repository's records a tick takes, so that it is the day's number after a day."""
        ticks = max(_DAY // self.seconds, 1)
        at = (tick + _number(repository_id)) % ticks
        return (at + 1) * self.targets // ticks - at * self.targets // ticks


class CheckTask(Struct, frozen=True):
    """To look at a subject, which is at `url`."""

    subject: CheckSubject
    url: str


class CheckCursor(Struct, frozen=True):
    """How far a repository's records have been gone through since it `began`: those up to the key `after` were.

    `tick` is the last one that took some, and `before` where it began to: it may be planned again.
    """

    began: datetime
    after: str = ""
    done: bool = False
    tick: int = 0
    before: str = ""

    def is_over(self, now: datetime) -> bool:
        """Whether it is time to begin anew; so it is if a clock was as far ahead that has been set back since."""
        return self.done and abs(now - self.began) >= ROUND

    def at(self, tick: int) -> "CheckCursor":
        """How far it was before a tick."""
        return CheckCursor(self.began, self.before) if tick == self.tick else self


class CheckCursorStore(Protocol):
    """Where rounds are kept; `StoreUnavailable` where it fails."""

    def cursor(self, repository_id: str) -> CheckCursor | None:
        """How far it is, if it was ever begun."""

    def put_cursor(self, repository_id: str, kept: CheckCursor) -> None:
        """Keep a round instead of the one that there was."""


Standing = tuple[CheckTask, int]
"""An errand that is due again and again, and its period in ticks."""


def tasks_of_prefix(prefix: ProviderPrefix) -> dict[CheckTask, Condition | None]:
    """Its providers, each asked for the example, with what is known of them; none if there is no example."""
    if not prefix.example:
        return {}
    found = {}
    for provider in prefix.providers:
        code, url = fold(provider.code), provider.location(prefix.example, prefix.encoding)
        if code and host_of(url) is not None:
            found[CheckTask(CheckSubject(prefix_owner(prefix.name), code), url)] = prefix.health.get(code)
    return found


def tasks_of_record(record: Record, key: str, now: datetime) -> dict[CheckTask, Condition | None]:
    """Its locations that are good now, with what is known of them; none if it is not active."""
    return {
        CheckTask(CheckSubject(repository_owner(record.repository), target_name(key, location.uri)), location.uri): (
            record.health.get(location.uri)
        )
        for location in locations_of(record, now)
        if len(target_name(key, location.uri).encode()) <= MOST_NAME_BYTES and host_of(location.uri) is not None
    }


def locations_of(record: Record, now: datetime) -> Iterator[Location]:
    """The locations that are looked at."""
    return (each for each in record.records if record.status == ACTIVE and each.is_valid_at(now))


def period(condition: Condition | None, now: datetime, pace: CheckSchedule) -> int:
    """The ticks between two looks at something in that condition; None is one that nobody looked at."""
    if condition is None or condition.state == UP:
        seconds = pace.hours * 3_600
    elif condition.state == DOWN:
        seconds = next(seconds for until, seconds in _BACK_OFF if now - condition.since < until)
    else:
        seconds = 0
    return max(seconds // pace.seconds, 1)


def due(standing: Iterable[Standing], tick: int, most: int = MOST_STANDING) -> list[CheckTask]:
    """Those whose turn it is at a tick, at most so many of a host, which is five at least: one for each period."""
    by_host: defaultdict[str | None, list[tuple[CheckTask, int, int]]] = defaultdict(list)
    for errand, ticks in standing:
        by_host[host_of(errand.url)].append((errand, ticks, turn_of(errand.subject)))
    found = []
    for those in by_host.values():
        often, seldom = _stretches([(ticks, turn) for _, ticks, turn in those], most)
        found += [
            errand for errand, ticks, turn in those if (tick - turn) % (ticks * (often if ticks == 1 else seldom)) == 0
        ]
    return found


def _stretches(turns: Sequence[tuple[int, int]], most: int) -> tuple[int, int]:
    """The factor for those whose turn is at each tick, and that for all others, with which no tick has more."""
    often = [each for each in turns if each[0] == 1]
    rest = [each for each in turns if each[0] > 1]
    seldom = _stretch(rest, most - min(len(often), most // OFTEN))
    return _stretch(often, most - _busiest(rest, seldom)), seldom


def _stretch(turns: Sequence[tuple[int, int]], most: int) -> int:
    """The least factor for all periods with which no tick has more."""
    stretch = 1
    while _busiest(turns, stretch) > most:
        stretch += max(stretch // 8, 1)
    return stretch


def _busiest(turns: Sequence[tuple[int, int]], stretch: int) -> int:
    """How many a tick can have at the most: periods differ, and their busiest ticks may fall together."""
    ticks: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for length, turn in turns:
        ticks[length][turn % (length * stretch)] += 1
    return sum(max(each.values()) for each in ticks.values())


def turn_of(subject: CheckSubject) -> int:
    """A number that spreads subjects evenly."""
    return _number(f"{subject.owner} {subject.name}")


def host_of(url: str) -> str | None:
    """The host that a browser would ask, None if it would ask none by HTTP.

    >>> host_of("HTTPS://A.Example:8443/x"), host_of("ftp://a.example/"), host_of("nowhere")
    ('a.example', None, None)
    """
    try:
        parsed = can_ada.parse(url)
    except ValueError:
        return None
    host: str = parsed.hostname
    return host if host and parsed.protocol in ("http:", "https:") else None


def shard_of(host: str, shards: int) -> int:
    """Where all that is asked of a host is worked off, one after another."""
    return _number(host) % shards


def _number(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8])
