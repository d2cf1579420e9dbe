"""The circuit breaker: the rule that makes an address up, degraded or down by the results of its checks.

- An address that is up and fails is *degraded* at once, so that others are preferred; after three failures in a row
  it is *down*.
- An address that is down and succeeds is degraded. It is up after three successes in a row. Each further fall within a
  day doubles this number, to at most 24. A failure during recovery is a fall, too, so a host that answers every other
  time stays degraded.
- A busy host (429, 503) changes nothing.

The pattern is the circuit breaker of M. Nygard, "Release It!", chapter "Stability Patterns"; its half-open state is
called degraded here. The damping is that of route flaps (RFC 2439), with a count instead of a decay.

>>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
>>> state = next_state(None, CheckResult("bad", "it answered 500"), noon, "https://a.example/")
>>> state.state, next_state(state, CheckResult(GOOD), noon, "https://a.example/").state
('degraded', 'degraded')
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from coolid.model.check_state import BUSY, GOOD, MAX_PAUSE_SECONDS, CheckResult, CheckState
from coolid.model.conditions import DEGRADED, DOWN, UP

FAILURES_UNTIL_DOWN: Final = 3
"""Failures in a row after which an address is down."""
SUCCESSES_UNTIL_UP: Final = 3
"""Successes in a row after which an address is up again, if it fell only once within a day."""
MAX_SUCCESSES_UNTIL_UP: Final = 24
FALL_PERIOD: Final = timedelta(days=1)
"""For how long a fall counts. A fall as far in the future, by a wrong clock, does not count either."""
_MAX_FALLS: Final = 4
_RECOVERING: Final = "it answers again, but has only just begun to"


def next_state(state: CheckState | None, result: CheckResult, now: datetime, url: str) -> CheckState:
    """Return the state after one more check of `url`; the state of another URL is ignored."""
    if state is None or state.url != url:
        state = CheckState(url=url, state=UP, since=now, checked=now)
    pause = min(result.pause or 0, MAX_PAUSE_SECONDS)
    until = now + timedelta(seconds=pause) if pause > 0 else None
    state = replace(state, checked=now, until=until, status=result.status)
    if result.verdict == BUSY:
        return state
    falls = tuple([fall for fall in state.falls if abs(now - fall) < FALL_PERIOD])
    state = replace(state, falls=falls, moved=result.moved, etag=result.etag, modified=result.modified)
    return _after_success(state, now) if result.verdict == GOOD else _after_failure(state, result.reason, now)


def _after_success(state: CheckState, now: datetime) -> CheckState:
    better = replace(state, good=now, streak=max(state.streak, 0) + 1)
    if state.state == UP:
        return replace(better, reason="")
    if better.streak >= successes_required(state.falls):
        return replace(better, state=UP, since=now, reason="")
    if state.state == DEGRADED:
        return better
    return replace(better, state=DEGRADED, since=now, well=state.good, reason=_RECOVERING)


def _after_failure(state: CheckState, reason: str, now: datetime) -> CheckState:
    worse = replace(state, streak=min(state.streak, 0) - 1, reason=reason, etag=None, modified=None)
    falls = (*state.falls, now)[-_MAX_FALLS:]
    if state.state == UP:
        return replace(worse, state=DEGRADED, since=now, well=state.good, falls=falls)
    if state.state == DEGRADED and worse.streak <= -FAILURES_UNTIL_DOWN:
        return replace(worse, state=DOWN, since=now, well=state.good)
    was_recovering = state.streak > 0
    return replace(worse, falls=falls) if was_recovering else worse


def successes_required(falls: Sequence[datetime]) -> int:
    """Return the successes in a row after which an address is up that had these falls within a day.

    >>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
    >>> [successes_required([noon] * falls) for falls in range(6)]
    [3, 3, 6, 12, 24, 24]
    """
    doubled: int = SUCCESSES_UNTIL_UP << max(len(falls) - 1, 0)
    return min(doubled, MAX_SUCCESSES_UNTIL_UP)
