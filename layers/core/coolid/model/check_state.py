"""Check states: the state of one address over many checks, as a damped circuit breaker.

- An address that is up and fails is *degraded* at once, so that others are preferred; after three failures in a row
  it is *down*.
- An address that is down and succeeds is degraded. It is up after three successes in a row. Each further fall within a
  day doubles this number, to at most 24. A failure during recovery is a fall, too, so a host that answers every other
  time stays degraded.
- A busy host (429, 503) changes nothing.

The pattern is the circuit breaker of M. Nygard, "Release It!", chapter "Stability Patterns"; its half-open state is
called degraded here. The damping is that of route flaps (RFC 2439), with a count instead of a decay.

>>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
>>> state = next_state(None, CheckResult(BAD, "it answered 500"), noon, "https://a.example/")
>>> state.state, next_state(state, CheckResult(GOOD), noon, "https://a.example/").state
('degraded', 'degraded')
"""

from base64 import urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.model.conditions import DEGRADED, DOWN, UP, Condition

GOOD: Final = "good"
BAD: Final = "bad"
BUSY: Final = "busy"

FAILURES_UNTIL_DOWN: Final = 3
"""Failures in a row after which an address is down."""
SUCCESSES_UNTIL_UP: Final = 3
"""Successes in a row after which an address is up again, if it fell only once within a day."""
MAX_SUCCESSES_UNTIL_UP: Final = 24
FALL_PERIOD: Final = timedelta(days=1)
"""For how long a fall counts. A fall as far in the future, by a wrong clock, does not count either."""
MAX_PAUSE_SECONDS: Final = 86_400
"""The longest `Retry-After` that is observed."""
MIN_CYCLE: Final = timedelta(days=1)
"""The least time between two checks of a record whose targets are all up."""
_MAX_FALLS: Final = 4
_RECOVERING: Final = "it answers again, but has only just begun to"


class CheckResult(Struct, frozen=True):
    """The result of one check: `GOOD`, `BAD` or `BUSY`, and the `reason` in words, without any of the response's body.

    `moved` is the final URL if all redirects were permanent. `pause` is the `Retry-After` in seconds. `etag` and
    `modified` are for the next check, which may be conditional.
    """

    verdict: str
    reason: str = ""
    status: int | None = None
    moved: str | None = None
    pause: int | None = None
    etag: str | None = None
    modified: str | None = None


class CheckState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of the address `url`, `since` when, when it was last `checked` and when last `good`.

    `streak` counts successes in a row, or failures as a negative number. `falls` are the moments within a day at which
    the address stopped being up or recovering. `well` is its last success before it entered its state. `until` is when
    the host may be requested again. The other members are of the last check (`CheckResult`).
    """

    url: str
    state: str
    since: datetime
    checked: datetime
    good: datetime | None = None
    streak: int = 0
    falls: tuple[datetime, ...] = ()
    well: datetime | None = None
    reason: str = ""
    status: int | None = None
    moved: str | None = None
    until: datetime | None = None
    etag: str | None = None
    modified: str | None = None

    def condition(self) -> Condition:
        """Return the condition to store beside a prefix or record; a mere further success does not change it."""
        if self.state == UP:
            return Condition(UP, self.since, moved=self.moved)
        return Condition(self.state, self.since, self.reason, self.well, self.moved)

    def is_ailing(self) -> bool:
        """Return whether its owner should be notified: it is not up, or has moved permanently."""
        return self.state != UP or self.moved is not None


def next_state(state: CheckState | None, result: CheckResult, now: datetime, url: str) -> CheckState:
    """Return the state after one more check of `url`; the state of another URL is ignored."""
    if state is None or state.url != url:
        state = CheckState(url=url, state=UP, since=now, checked=now)
    until = _until(result, now)
    if result.verdict == BUSY:
        return replace(state, checked=now, until=until, status=result.status)
    falls = tuple([fall for fall in state.falls if abs(now - fall) < FALL_PERIOD])
    state = replace(state, checked=now, until=until, status=result.status, moved=result.moved)
    if result.verdict == GOOD:
        streak = max(state.streak, 0) + 1
        better = replace(state, good=now, streak=streak, falls=falls, etag=result.etag, modified=result.modified)
        if state.state == UP:
            return replace(better, reason="")
        if streak >= successes_required(falls):
            return replace(better, state=UP, since=now, reason="")
        if state.state == DEGRADED:
            return better
        return replace(better, state=DEGRADED, since=now, well=state.good, reason=_RECOVERING)
    streak = min(state.streak, 0) - 1
    worse = replace(state, streak=streak, falls=falls, reason=result.reason, etag=None, modified=None)
    if state.state == UP:
        return replace(worse, state=DEGRADED, since=now, well=state.good, falls=(*falls, now)[-_MAX_FALLS:])
    if state.state == DEGRADED and streak <= -FAILURES_UNTIL_DOWN:
        return replace(worse, state=DOWN, since=now, well=state.good)
    if state.streak > 0:  # it was recovering
        return replace(worse, falls=(*falls, now)[-_MAX_FALLS:])
    return worse


def _until(result: CheckResult, now: datetime) -> datetime | None:
    """Return when the host may be requested again, or None."""
    seconds = min(result.pause or 0, MAX_PAUSE_SECONDS)
    return now + timedelta(seconds=seconds) if seconds > 0 else None


def successes_required(falls: Sequence[datetime]) -> int:
    """Return the successes in a row after which an address is up that had these falls within a day.

    >>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
    >>> [successes_required([noon] * falls) for falls in range(6)]
    [3, 3, 6, 12, 24, 24]
    """
    doubled: int = SUCCESSES_UNTIL_UP << max(len(falls) - 1, 0)
    return min(doubled, MAX_SUCCESSES_UNTIL_UP)


class CheckSubject(Struct, frozen=True, order=True):
    """A checked address: its `owner` (see `prefix_owner` and `repository_owner`) and its `name` there.

    The name is a provider's folded code, or a `target_name`.
    """

    owner: str
    name: str


def prefix_owner(name: str) -> str:
    """Return the owner of a prefix's providers."""
    return f"prefix:{name}"


def repository_owner(repository_id: str) -> str:
    """Return the owner of the targets of a repository's records."""
    return f"repository:{repository_id}"


def host_owner(host: str) -> str:
    """Return the owner of a host's own state, which contains its `Retry-After`."""
    return f"host:{host}"


def target_name(key: str, uri: str) -> str:
    """Return the name of a location among the targets of a repository; names sort by the records' keys.

    >>> target_name("tw0tywdj94", "https://a.example/")
    'tw0tywdj94#vv3kmKRbbIIISgdwlUj-bw'
    """
    digest = sha256(uri.encode()).digest()[:16]
    return f"{key}#{urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def record_key(name: str) -> str:
    """Return the key of the record in a `target_name`.

    >>> record_key(target_name("a#b", "https://a.example/#x"))
    'a#b'
    """
    return name.rpartition("#")[0]


class CheckCursor(Struct, frozen=True):
    """The progress of checking a repository's records since `began`: the records up to the key `after` are done.

    `tick` is the last tick that took records, and `before` the key where it started, because it may be planned again.
    """

    began: datetime
    after: str = ""
    done: bool = False
    tick: int = 0
    before: str = ""

    def is_over(self, now: datetime) -> bool:
        """Return whether a new cycle is due; also if a wrong clock put `began` far in the future."""
        return self.done and abs(now - self.began) >= MIN_CYCLE

    def at(self, tick: int) -> "CheckCursor":
        """Return the cursor before a tick."""
        return CheckCursor(self.began, self.before) if tick == self.tick else self
