"""The check schedule: which addresses are due at a tick, as a pure function of time and check states.

Time is divided into *ticks*. A healthy address is due once in a period, at a tick derived from a digest of its name, so
that addresses spread evenly and do not move one another. An address that just failed is due at each tick, and one that
stays down less and less often.

`coolid.health.due_tasks` selects the addresses due at a tick, within the limits of each host.

>>> from coolid.model.conditions import DEGRADED
>>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
>>> [period(None, noon, CheckSchedule()), period(Condition(DEGRADED, noon), noon, CheckSchedule())]
[8, 1]
"""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

import can_ada
from msgspec import Struct

from coolid.model.check_state import CheckSubject, prefix_owner, repository_owner, target_name
from coolid.model.conditions import DOWN, UP, Condition
from coolid.model.locations import is_valid_at
from coolid.model.prefixes import ProviderPrefix, fold
from coolid.model.records import ACTIVE, Record

TICK_SECONDS: Final = 900
MAX_PER_HOST: Final = 60
"""Addresses of a host checked in one tick."""
MAX_RECURRING: Final = 45
"""The part of `MAX_PER_HOST` for providers and failing addresses; the rest is for records."""
MAX_NAME_BYTES: Final = 1024
"""Of the name under which a check state is stored; targets with longer names are not checked."""

_DAY: Final = 86_400
_BACK_OFF: Final = (
    (timedelta(hours=1), 0),
    (timedelta(days=1), 3_600),
    (timedelta(days=7), 6 * 3_600),
    (timedelta.max, _DAY),
)
"""The time that an address has been down, and the seconds between two checks until then."""


class CheckSchedule(Struct, frozen=True):
    """A tick each `seconds`, a check of healthy addresses each `hours`, and `targets` records of a repository a day."""

    seconds: int = TICK_SECONDS
    hours: int = 2
    targets: int = 100

    def tick_of(self, moment: datetime) -> int:
        """Return the nearest tick, because scheduled events arrive a little early or late."""
        return (int(moment.timestamp()) + self.seconds // 2) // self.seconds

    def share(self, tick: int, repository_id: str) -> int:
        """Return the number of a repository's records for a tick; a day's ticks add up to `targets`."""
        ticks = max(_DAY // self.seconds, 1)
        position = (tick + number_of(repository_id)) % ticks
        return (position + 1) * self.targets // ticks - position * self.targets // ticks


class CheckTask(Struct, frozen=True):
    """The task to check a subject, whose address is `url`."""

    subject: CheckSubject
    url: str


RecurringTask = tuple[CheckTask, int]
"""A task and its period in ticks."""


def tasks_of_prefix(prefix: ProviderPrefix) -> dict[CheckTask, Condition | None]:
    """Return the tasks for a prefix's providers, with their conditions; none if the prefix has no example."""
    if not prefix.example:
        return {}
    found = {}
    for provider in prefix.providers:
        code, url = fold(provider.code), provider.location(prefix.example, prefix.encoding)
        if code and host_of(url) is not None:
            found[CheckTask(CheckSubject(prefix_owner(prefix.name), code), url)] = prefix.health.get(code)
    return found


def tasks_of_record(record: Record, now: datetime) -> list[CheckTask]:
    """Return the tasks for the locations valid now; none if the record is not active."""
    owner = repository_owner(record.repository)
    urls = {each.uri: None for each in record.records if record.status == ACTIVE and is_valid_at(each, now)}
    tasks = (CheckTask(CheckSubject(owner, target_name(record.key, url)), url) for url in urls)
    return [each for each in tasks if len(each.subject.name.encode()) <= MAX_NAME_BYTES and host_of(each.url)]


def period(condition: Condition | None, now: datetime, schedule: CheckSchedule) -> int:
    """Return the ticks between two checks of an address in that condition; None is an unchecked one."""
    if condition is None or condition.state == UP:
        seconds = schedule.hours * 3_600
    elif condition.state == DOWN:
        seconds = next(seconds for until, seconds in _BACK_OFF if now - condition.since < until)
    else:
        seconds = 0
    return max(seconds // schedule.seconds, 1)


def turn_of(subject: CheckSubject) -> int:
    """Return a number that spreads subjects evenly."""
    return number_of(f"{subject.owner} {subject.name}")


def host_of(url: str) -> str | None:
    """Return the host of an HTTP URL as browsers parse it, or None."""
    try:
        parsed = can_ada.parse(url)
    except ValueError:
        return None
    host: str = parsed.hostname
    return host if host and parsed.protocol in ("http:", "https:") else None


def shard_of(host: str, shards: int) -> int:
    """Return the shard that serialises all checks of a host."""
    return number_of(host) % shards


def number_of(text: str) -> int:
    """Return the first 64 bits of a text's digest."""
    return int.from_bytes(sha256(text.encode()).digest()[:8])
