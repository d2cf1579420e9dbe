"""Quotas: how many identifiers a client may mint in a minute and in a day.

Each is a sliding window (`coolid.model.quota_usage`): in no interval of that length does a client mint more than its limit.
The usage of all windows of a client is one counter row, and a mint is one conditional update of it. So any number of
functions share it, and a refusal changes nothing. Each region has a row of its own, because two regions that write to
one row would undo each other's count.

>>> from coolid.model.clients import Quota
>>> Quota(minute=60).windows()
(Window(name='minute', limit=60, seconds=60),)
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import QuotaExceeded, StoreUnavailable
from coolid.model.clients import Client, Window
from coolid.model.quota_usage import Usage
from coolid.ports import Clock
from coolid.store.store import Store

_ATTEMPTS: Final = 10
"""At one mint, while other mints of the client begin groups. A group lasts seconds, so that two are rarely needed."""


class QuotaState(Struct, frozen=True):
    """What is left in a window: `remaining` mints, and `reset`, the seconds until there are `limit` again."""

    window: Window
    remaining: int
    reset: int


class Quotas:
    """Spends the clients' quotas in a region, whose counters are in `store`."""

    def __init__(self, store: Store, clock: Clock, region: str = "") -> None:
        self._store = store
        self._clock = clock
        self._region = region

    def spend(self, client: Client, count: int = 1) -> tuple[QuotaState, ...]:
        """Spend `count` mints; what is left, the shortest window first; nothing for a client without a quota.

        Raises `QuotaExceeded` where there are not so many left in a window, and `StoreUnavailable`.
        """
        windows = client.quota.windows() if client.quota is not None else ()
        if not windows:
            return ()
        counter_id = "/".join(part for part in ("clients", client.id, "usage", self._region) if part)
        for _ in range(_ATTEMPTS):
            usage, now = self._store.usage(counter_id), self._clock.milliseconds()
            for window in windows:
                _demand_room(usage, window, now, count)
            after = usage.after(count, windows, now)
            ceiling = min(usage.ceiling(window, now, count) for window in windows)
            spent = self._store.spend(counter_id, usage, after, ceiling)
            if spent is not None:
                return tuple(_allowance(replace(after, spent=spent), window, now) for window in windows)
        raise StoreUnavailable("other mints of the client kept changing its quota's counter")


def _demand_room(usage: Usage, window: Window, now: int, count: int) -> None:
    """Do nothing if so many more fit into the window, else raise `QuotaExceeded`."""
    if usage.spent > usage.ceiling(window, now, count):
        retry_after = _seconds(usage.wait(window, now, count))
        raise QuotaExceeded(window.name, window.limit, window.seconds, max(retry_after, 1))


def _allowance(usage: Usage, window: Window, now: int) -> QuotaState:
    full = usage.latest + 1_000 * window.seconds
    return QuotaState(window, window.limit - usage.counted(window, now), _seconds(full - now))


def _seconds(milliseconds: int) -> int:
    """Whole seconds, rounded up."""
    return -(-milliseconds // 1_000)
