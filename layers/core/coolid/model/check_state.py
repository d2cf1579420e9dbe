"""Check states: what is stored about one address over many checks.

`coolid.health.circuit_breaker` has the rule by which an address becomes down and up again.
"""

from base64 import urlsafe_b64encode
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from msgspec import Struct

from coolid.model.conditions import UP, Condition

GOOD: Final = "good"
BAD: Final = "bad"
BUSY: Final = "busy"

MAX_PAUSE_SECONDS: Final = 86_400
"""The longest `Retry-After` that is observed."""
MIN_CYCLE: Final = timedelta(days=1)
"""The least time between two checks of a record whose targets are all up."""


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


class CheckSubject(Struct, frozen=True, order=True):
    """A checked address: its `owner`, and its `name` there, a provider's folded code or a `target_name`."""

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
    """Return the name of a location among the targets of a repository; names sort by the records' keys."""
    digest = sha256(uri.encode()).digest()[:16]
    return f"{key}#{urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def record_key(name: str) -> str:
    """Return the key of the record in a `target_name`.

    >>> record_key(target_name("a#b", "https://a.example/#x"))
    'a#b'
    """
    return name.rpartition("#")[0]


class ScanMark(Struct, frozen=True):
    """The failing targets up to `subject`, and beyond the previous mark, were last read at `tick`."""

    subject: CheckSubject
    tick: int


class AilingScan(Struct, frozen=True):
    """The progress of reading all failing targets at `tick`: those beyond `after` are read next, or all if it is None.

    `marks` say when the others were read last; there are none if all were read at once. `before` is the progress before
    the tick, because it may be planned again.
    """

    tick: int
    after: CheckSubject | None = None
    marks: tuple[ScanMark, ...] = ()
    before: "AilingScan | None" = None

    def at(self, tick: int) -> "AilingScan":
        """Return the progress before a tick."""
        return self.before or AilingScan(tick) if tick == self.tick else self


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
