"""Name resolution with a deadline.

`getaddrinfo` (POSIX.1-2017) takes no timeout: if a name server does not answer, it returns after half a minute. A
`NameResolver` therefore runs each look-up in a daemon thread, at most one for each name at a time. It waits no longer
than its caller allows, and can fall back to addresses from an earlier look-up for a limited time.

>>> NameResolver(stream_addresses).resolve("127.0.0.1", 80, 1.0)[0][4]
('127.0.0.1', 80)
"""

import _socket
from collections.abc import Callable, Sequence
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Final, Generic, TypeVar

Address = TypeVar("Address")
AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]
"""Family, type, protocol, canonical name and socket address, as `socket.getaddrinfo` returns them."""

REUSE_SECONDS: Final = 3_600.0
"""How long addresses of a service stay usable while its name cannot be resolved."""
MAX_THREADS: Final = 8
ABANDONED_SECONDS: Final = 60.0
"""After this time a look-up counts as lost, and the next caller starts another one."""


class NameResolver(Generic[Address]):
    """Resolves host names by `look_up`, which takes a host and a port and returns its addresses. Thread-safe.

    Earlier addresses may replace those of a look-up that stalls or fails, for `reuse` seconds; 0 means never. `threads`
    is the maximum of look-ups in progress. `clock` returns seconds.
    """

    def __init__(
        self,
        look_up: Callable[[str, int], Sequence[Address]],
        *,
        reuse: float = 0.0,
        threads: int = MAX_THREADS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._look_up = look_up
        self._reuse = reuse
        self._threads = threads
        self._clock = clock
        self._lock = Lock()
        self._running = 0
        self._queries: dict[tuple[str, int], _Query[Address]] = {}
        self._latest: dict[tuple[str, int], tuple[Sequence[Address], float]] = {}

    def resolve(self, host: str, port: int, seconds: float) -> Sequence[Address]:
        """Return the addresses of a host within `seconds`; an IP address needs no look-up.

        If earlier addresses can be used, the look-up gets half of the time from its beginning, and the other half is
        left for connecting.

        Raises `TimeoutError`, or the errors of the look-up: `OSError`, or `ValueError` for an invalid host name.
        """
        if is_address(host):
            return self._look_up(host, port)
        with self._lock:
            now = self._clock()
            latest, since = self._latest.get((host, port), (None, now))
            earlier = latest if now - since < self._reuse else None
            query = self._query(host, port, now)
        if query is not None:
            query.done.wait(seconds if earlier is None else max(0.0, seconds / 2 - (now - query.begun)))
            if query.found is not None:
                return query.found
        if earlier is not None:
            return earlier
        if query is None:
            raise TimeoutError("too many name look-ups are in progress")
        if query.error is not None:
            raise query.error
        raise TimeoutError("the host name was not resolved in time")

    def _query(self, host: str, port: int, now: float) -> "_Query[Address] | None":
        """Return the look-up in progress, or a new one; None if no thread is left for it."""
        query = self._queries.get((host, port))
        if query is not None and now - query.begun < ABANDONED_SECONDS:
            return query
        if self._running >= self._threads:
            return None
        query = _Query(now)
        try:
            Thread(target=self._run, args=(host, port, query), name="name-resolution", daemon=True).start()
        except RuntimeError:  # the process may start no more threads
            return None
        self._running += 1
        self._queries[host, port] = query
        return query

    def _run(self, host: str, port: int, query: "_Query[Address]") -> None:
        found: Sequence[Address] | None = None
        try:
            found = self._look_up(host, port)
        except Exception as error:  # noqa: BLE001 - `resolve` raises it
            query.error = error
        with self._lock:
            self._running -= 1
            if self._queries.get((host, port)) is query:
                del self._queries[host, port]
            if found and self._reuse:
                self._latest[host, port] = found, self._clock()
        query.found = found
        query.done.set()


class _Query(Generic[Address]):
    """A look-up in progress since `begun`."""

    def __init__(self, begun: float) -> None:
        self.begun = begun
        self.done = Event()
        self.found: Sequence[Address] | None = None
        self.error: Exception | None = None


def stream_addresses(host: str, port: int) -> Sequence[AddressInfo]:
    """Return the TCP addresses of a host from the system's resolver. Raises `OSError`, `ValueError`."""
    # As bytes, because importing the idna codec takes longer than connecting.
    return _socket.getaddrinfo(host.encode(), port, type=_socket.SOCK_STREAM)


def is_address(host: str) -> bool:
    """Return whether a host is an IP address without a zone.

    >>> is_address("127.0.0.1"), is_address("::1"), is_address("localhost")
    (True, True, False)
    """
    try:
        _socket.inet_pton(_socket.AF_INET6 if ":" in host else _socket.AF_INET, host)
    except (OSError, ValueError):
        return False
    return True
