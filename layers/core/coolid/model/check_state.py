"""Pulses: what repeated looks at one address tell, as a circuit breaker that neither trips nor closes at a whim.

- One that is up and fails is *degraded* at once, so that others are preferred to it; after three failures in a row it
  is *down*.
- One that is down and answers is degraded; it is up after three good looks in a row, and after twice as many for each
  time that it fell within a day, at most 24; to fail again while it comes back is to fall, too. So a host that answers
  every other time stays degraded.
- That somebody is too busy for us (429, 503) is no sign of death, and none of life: nothing changes.

The pattern is M. Nygard's, "Release It!", chapter "Stability Patterns" (Circuit Breaker), its half-open state here
degraded; the damping is that of route flaps (RFC 2439), counted instead of decaying.

>>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
>>> pulse = next_state(None, CheckResult(BAD, "it answered 500"), noon, "https://a.example/")
>>> pulse.state, next_state(pulse, CheckResult(GOOD), noon, "https://a.example/").state
('degraded', 'degraded')
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from coolid.model.conditions import DEGRADED, DOWN, UP, Condition, Health

GOOD: Final = "good"
BAD: Final = "bad"
BUSY: Final = "busy"

FAILURES: Final = 3
"""In a row, after which one is down."""
SUCCESSES: Final = 3
"""In a row, after which one is up again, if it fell but once in a day."""
MOST_SUCCESSES: Final = 24
MEMORY: Final = timedelta(days=1)
"""For how long a fall counts; one that a clock put as far ahead, which has been set back since, counts no longer."""
LONGEST_PAUSE: Final = 86_400
"""Seconds for which a host can ask us to stay away."""
_MOST_FALLS: Final = 4
_RECOVERING: Final = "it answers again, but has only just begun to"


class CheckResult(Struct, frozen=True):
    """What one look told: `GOOD`, `BAD` or `BUSY`, and the `reason` in words, without anything of the answer's body.

    `moved` is where it is for ever, if every redirect on the way said so. `pause` are the seconds that the host asked
    us to wait (`Retry-After`). `etag` and `modified` are for the next look, which may be conditional.
    """

    verdict: str
    reason: str = ""
    status: int | None = None
    moved: str | None = None
    pause: int | None = None
    etag: str | None = None
    modified: str | None = None


class CheckState(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of the address `url`: its state `since` when, when it was last `checked` and last seen `good`.

    `streak` counts good looks in a row, or failures below zero; `falls` are the moments of a day at which it ceased to
    be up, or to come back. `well` is when it was last seen good before it came into its state. The rest is of the last
    look, as of `CheckResult`; `until` is when the host may be asked again.
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
        """As it stands beside a prefix or a record; a good look that changes nothing else does not change it."""
        if self.state == UP:
            return Condition(UP, self.since, moved=self.moved)
        return Condition(self.state, self.since, self.reason, self.well, self.moved)

    def is_ailing(self) -> bool:
        """Whether its owner should know of it: it is not up, or has moved for ever."""
        return self.state != UP or self.moved is not None


def next_state(pulse: CheckState | None, sight: CheckResult, now: datetime, url: str) -> CheckState:
    """The pulse after one more look at `url`; what is known of another address counts for nothing."""
    if pulse is None or pulse.url != url:
        pulse = CheckState(url=url, state=UP, since=now, checked=now)
    until = _until(sight, now)
    if sight.verdict == BUSY:
        return replace(pulse, checked=now, until=until, status=sight.status)
    falls = tuple([fall for fall in pulse.falls if abs(now - fall) < MEMORY])
    pulse = replace(pulse, checked=now, until=until, status=sight.status, moved=sight.moved)
    if sight.verdict == GOOD:
        streak = max(pulse.streak, 0) + 1
        better = replace(pulse, good=now, streak=streak, falls=falls, etag=sight.etag, modified=sight.modified)
        if pulse.state == UP:
            return replace(better, reason="")
        if streak >= successes_required(falls):
            return replace(better, state=UP, since=now, reason="")
        if pulse.state == DEGRADED:
            return better
        return replace(better, state=DEGRADED, since=now, well=pulse.good, reason=_RECOVERING)
    streak = min(pulse.streak, 0) - 1
    worse = replace(pulse, streak=streak, falls=falls, reason=sight.reason, etag=None, modified=None)
    if pulse.state == UP:
        return replace(worse, state=DEGRADED, since=now, well=pulse.good, falls=(*falls, now)[-_MOST_FALLS:])
    if pulse.state == DEGRADED and streak <= -FAILURES:
        return replace(worse, state=DOWN, since=now, well=pulse.good)
    if pulse.streak > 0:  # it was coming back
        return replace(worse, falls=(*falls, now)[-_MOST_FALLS:])
    return worse


def _until(sight: CheckResult, now: datetime) -> datetime | None:
    """When the host may be asked again, if it said so."""
    seconds = min(sight.pause or 0, LONGEST_PAUSE)
    return now + timedelta(seconds=seconds) if seconds > 0 else None


def successes_required(falls: Sequence[datetime]) -> int:
    """How many good looks in a row one has to show that fell so often within a day.

    >>> noon = datetime.fromisoformat("2026-05-04T12:00:00Z")
    >>> [successes_required([noon] * falls) for falls in range(6)]
    [3, 3, 6, 12, 24, 24]
    """
    doubled: int = SUCCESSES << max(len(falls) - 1, 0)
    return min(doubled, MOST_SUCCESSES)


class CheckSubject(Struct, frozen=True, order=True):
    """What is looked at: `owner` as of `prefix_owner` or `repository_owner`, and its `name` there.

    That is a provider's folded code, or of `target_name`.
    """

    owner: str
    name: str


def prefix_owner(name: str) -> str:
    """Who a prefix's providers belong to."""
    return f"prefix:{name}"


def repository_owner(repository_id: str) -> str:
    """Who the targets of a repository's records belong to."""
    return f"repository:{repository_id}"


def host_owner(host: str) -> str:
    """Who what a host says of itself belongs to: until when it is to be left alone."""
    return f"host:{host}"


def target_name(key: str, uri: str) -> str:
    """The name of a location among the targets of a repository's records: they are in the order of their records' keys.

    >>> target_name("tw0tywdj94", "https://a.example/")
    'tw0tywdj94#vv3kmKRbbIIISgdwlUj-bw'
    """
    digest = sha256(uri.encode()).digest()[:16]
    return f"{key}#{urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def key_of(name: str) -> str:
    """Whose location it is: the key of the record that `target_name` was made of.

    >>> key_of(target_name("a#b", "https://a.example/#x"))
    'a#b'
    """
    return name.rpartition("#")[0]


class CheckStateStore(Protocol):
    """Where pulses are kept, and conditions are put beside prefixes and records; `StoreUnavailable` where it fails."""

    def check_states(self, subjects: Sequence[CheckSubject]) -> Mapping[CheckSubject, CheckState]:
        """Those that are known of at most 100 subjects."""

    def put_check_state(self, subject: CheckSubject, pulse: CheckState) -> None:
        """Keep a pulse instead of the one that there was."""

    def delete_check_state(self, subject: CheckSubject) -> None:
        """Keep none."""

    def ailing(
        self, owner: str, limit: int, after: str | None
    ) -> tuple[Sequence[tuple[CheckSubject, CheckState]], str | None]:
        """At most `limit` pulses of an owner that are ailing, by their names behind `after`; and where to go on."""

    def set_prefix_condition(self, name: str, revision: int, health: Health) -> bool:
        """Put conditions beside a provider prefix that still is of that revision, as many as fit; whether it was."""

    def set_record_condition(self, repository: str, key: str, version: int, health: Health) -> bool:
        """Put conditions beside a current record that still is of that version, as many as fit; whether it was."""
