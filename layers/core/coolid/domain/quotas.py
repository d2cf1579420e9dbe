"""Quotas: how many identifiers a client may mint in a minute and in a day.

Each is a token bucket, kept as one number (the generic cell rate algorithm, ITU-T I.371): the moment at which the
bucket will be full again. A mint puts it off by a window's share; one that would put it off by more than a window is
refused, and changes nothing. The number is a counter row, so any number of functions share it; each region has a row
of its own, for two that wrote to one would undo each other's count.

>>> from coolid.domain.clients import Quota
>>> Quota(minute=60).windows()
(Window(name='minute', limit=60, seconds=60),)
"""

from typing import Final

from msgspec import Struct

from coolid.domain.clients import Client, Window
from coolid.domain.errors import QuotaExceeded
from coolid.domain.ports import Clock
from coolid.domain.stores import Store

_NANOSECONDS: Final = 1_000_000_000


class Allowance(Struct, frozen=True):
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

    def spend(self, client: Client) -> tuple[Allowance, ...]:
        """Spend one mint and return what is left, the shortest window first; nothing for a client without a quota.

        Raises `QuotaExceeded` if none is left in a window, and `StoreUnavailable`.
        """
        if client.quota is None:
            return ()
        spent: list[Allowance] = []
        for window in client.quota.windows():
            try:
                spent.append(self._spend(client.id, window))
            except QuotaExceeded:
                for each in spent:  # one that is refused by the day does not count in the minute
                    self._store.release(self._counter(client.id, each.window), _share(each.window))
                raise
        return tuple(spent)

    def _spend(self, client_id: str, window: Window) -> Allowance:
        now = self._clock.milliseconds() * 1_000_000
        share = _share(window)
        whole = share * window.limit
        latest = now + whole - share  # the bucket may not be emptier than this before
        begun = self._store.reserve_until(self._counter(client_id, window), now, share, latest)
        if begun is None:
            raise QuotaExceeded(window.name, window.limit, window.seconds, max(1, -(-share // _NANOSECONDS)))
        full = begun + share - now
        return Allowance(window, (whole - full) // share, -(-full // _NANOSECONDS))

    def _counter(self, client_id: str, window: Window) -> str:
        return "/".join(part for part in ("clients", client_id, window.name, self._region) if part)


def _share(window: Window) -> int:
    """Nanoseconds in which one more mint becomes possible; rounded up, so that never more is given than was said."""
    return -(-window.seconds * _NANOSECONDS // window.limit)
