"""Quotas: the number of identifiers that a client may mint in a minute and in a day, and of checks it may request.

Each quota is a sliding window (`coolid.model.quota_usage`): in no interval of that length does a client mint more. One
counter row holds the usage of all windows of a client, and a mint is one conditional update of it. Any number of
functions can therefore share it, and a refusal changes nothing. Each region has its own row, because concurrent writes
of two regions to one row would overwrite each other.

>>> from coolid.model.clients import Quota
>>> Quota(minute=60).windows()
(Window(name='minute', limit=60, seconds=60),)
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import QuotaExceeded, StoreUnavailable, TooManyChecks
from coolid.model.clients import Client, Window
from coolid.model.quota_usage import Usage
from coolid.ports import Clock
from coolid.store.counters import QuotaStore

_ATTEMPTS: Final = 10
"""For one mint, if other mints of the client change the row. More than two are rarely needed."""

CHECK_WINDOWS: Final = (Window("minute", 30, 60), Window("day", 2_000, 86_400))
"""The limits of the records of which a client may request checks. They bound the outgoing requests of all clients."""


class QuotaState(Struct, frozen=True):
    """The state of a window: `remaining` mints, and `reset`, the seconds until all are available again."""

    window: Window
    remaining: int
    reset: int


class Quotas:
    """Spends the clients' quotas in a region, with counters in `usages`."""

    def __init__(self, usages: QuotaStore, clock: Clock, region: str = "") -> None:
        self._usages = usages
        self._clock = clock
        self._region = region

    def spend(self, client: Client, count: int = 1) -> tuple[QuotaState, ...]:
        """Spend `count` mints. Return the windows, shortest first; none for a client without a quota.

        Raises `QuotaExceeded` if too few mints remain in a window, and `StoreUnavailable`.
        """
        windows = client.quota.windows() if client.quota is not None else ()
        return self._spend(client, "usage", windows, count, QuotaExceeded) if windows else ()

    def spend_check(self, client: Client) -> None:
        """Spend the check of a record. Raises `TooManyChecks`, and `StoreUnavailable`."""
        self._spend(client, "checks", CHECK_WINDOWS, 1, TooManyChecks)

    def _spend(
        self, client: Client, counter: str, windows: Sequence[Window], count: int, refusal: type[QuotaExceeded]
    ) -> tuple[QuotaState, ...]:
        counter_id = "/".join(part for part in ("clients", client.id, counter, self._region) if part)
        for _ in range(_ATTEMPTS):
            usage, now = self._usages.usage(counter_id), self._clock.milliseconds()
            for window in windows:
                _require_remaining(usage, window, now, count, refusal)
            after = usage.after(count, windows, now)
            ceiling = min(usage.ceiling(window, now, count) for window in windows)
            spent = self._usages.spend(counter_id, usage, after, ceiling)
            if spent is not None:
                return tuple(_quota_state(replace(after, spent=spent), window, now) for window in windows)
        raise StoreUnavailable("other requests of the client kept changing its quota's counter")


def _require_remaining(usage: Usage, window: Window, now: int, count: int, refusal: type[QuotaExceeded]) -> None:
    """Raise `refusal` if `count` more do not fit into the window."""
    if usage.spent > usage.ceiling(window, now, count):
        retry_after = _whole_seconds(usage.wait(window, now, count))
        raise refusal(window.name, window.limit, window.seconds, max(retry_after, 1))


def _quota_state(usage: Usage, window: Window, now: int) -> QuotaState:
    full = usage.latest + 1_000 * window.seconds
    return QuotaState(window, window.limit - usage.counted(window, now), _whole_seconds(full - now))


def _whole_seconds(milliseconds: int) -> int:
    """Return whole seconds, rounded up."""
    return -(-milliseconds // 1_000)
