"""The lookup of a LinkID at peers: all at once, with one deadline, once for equal requests, and cached.

A lookup sends at most one request to each live peer, and one more to the recipient of a transfer of custody that a
verified reply names. At most `MAX_LOOKUPS` run at a time; more are refused until one ends. Peers that failed are left
out for a while (`coolid.linkid.back_off`). `coolid.linkid.peer_decisions` decides between replies.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import BoundedSemaphore, Condition, Event, Lock
from typing import Final

from msgspec import Struct

from coolid.deadlines import Deadline
from coolid.errors import UsageError
from coolid.linkid.peer_cache import PeerCache
from coolid.linkid.peer_decisions import FOUND, UNAVAILABLE, PeerAnswer, PeerOutcome, Pin, decide, is_final
from coolid.linkid.peer_queries import PeerQueries
from coolid.linkid.trusted_resolvers import (
    DEFAULT_PATH,
    TrustedResolver,
    TrustedResolvers,
    base_url_of,
    is_on_this_machine,
)
from coolid.ports import Seconds

LIMIT_SECONDS: Final = 2.0
"""For a lookup as a whole; API Gateway and the function wait longer."""
MAX_LOOKUPS: Final = 16
MAX_THREADS: Final = 32

Start = Callable[[Callable[[], None]], object]
"""Runs a function in another thread, at once or later."""


class LookupResult(Struct, frozen=True):
    """The answer, the seconds for which it is fresh (negative if stale), and whether it was `cached`."""

    answer: PeerAnswer
    seconds: float
    cached: bool


class PeerLookup:
    """Looks up LinkIDs at the live `peers` except `own_issuer`. `clock` returns seconds. Thread-safe."""

    def __init__(
        self,
        peers: TrustedResolvers,
        queries: PeerQueries,
        clock: Seconds,
        own_issuer: str = "",
        *,
        limit_seconds: float = LIMIT_SECONDS,
        start: Start | None = None,
    ) -> None:
        self.peers = tuple(peer for peer in peers.live if peer.issuer != own_issuer)
        self._own_issuer = own_issuer
        self._queries = queries
        self._clock = clock
        self._limit_seconds = limit_seconds
        self._start = start or _Threads()
        self._cache = PeerCache(clock)
        self._slots = BoundedSemaphore(MAX_LOOKUPS)
        self._lock = Lock()
        self._flights: dict[str, _Flight] = {}

    def lookup(self, linkid: str) -> LookupResult:
        """Return the answer for a canonical LinkID; never raises."""
        cached = self._cache.fresh(linkid)
        if cached is not None:
            return LookupResult(cached.answer, cached.seconds, True)
        with self._lock:
            flight = self._flights.get(linkid)
            leads = flight is None
            if flight is None:
                flight = self._flights[linkid] = _Flight(Deadline(self._limit_seconds, self._clock))
        if leads:
            try:
                flight.answer = self._answer(linkid, flight.deadline)
            finally:
                with self._lock:
                    del self._flights[linkid]
                flight.ended.set()
        else:
            with suppress(TimeoutError):
                flight.ended.wait(flight.deadline.remaining_seconds() + 1)
        return self._after(linkid, flight.answer)

    def _after(self, linkid: str, answer: PeerAnswer) -> LookupResult:
        """Return the answer as cached, or the stale record in the place of a failure."""
        stale = self._cache.stale(linkid) if answer.kind == UNAVAILABLE else None
        if stale is not None:
            return LookupResult(stale.answer, stale.seconds, True)
        cached = self._cache.fresh(linkid)
        if cached is not None and cached.answer is answer:
            return LookupResult(cached.answer, cached.seconds, False)
        return LookupResult(answer, 0.0, False)

    def _answer(self, linkid: str, deadline: Deadline) -> PeerAnswer:
        """Return the answer of a new lookup, and cache it."""
        if not self._slots.acquire(blocking=False):
            return PeerAnswer(UNAVAILABLE, details=(("", f"{MAX_LOOKUPS} other lookups are in progress"),))
        try:
            pin = self._cache.pin(linkid)
            round_ = _Round(self.peers, pin)
            for number, peer in enumerate(self.peers):
                self._start(partial(self._query, round_, number, peer, linkid, deadline))
            outcomes = round_.outcomes(deadline)
            answer = decide(outcomes, pin)
            referred = self._referred(answer, linkid, deadline)
            answer = answer if referred is None else decide((*outcomes, referred), pin)
            self._cache.put(linkid, answer)
            return answer
        finally:
            self._slots.release()

    def _query(self, round_: "_Round", number: int, peer: TrustedResolver, linkid: str, deadline: Deadline) -> None:
        """Query one peer in a thread. The last reply after an early end completes the cached answer."""
        try:
            outcome = self._queries.outcome(peer, linkid, deadline, lambda: round_.is_abandoned)
        except TimeoutError:
            outcome = PeerOutcome(peer.issuer, UNAVAILABLE, detail="there was no time for the request")
        except BaseException:
            round_.add(number, PeerOutcome(peer.issuer, UNAVAILABLE, detail="the request failed"))
            raise
        if round_.add(number, outcome):
            answer = decide(round_.present(), round_.pin)
            if answer.kind == FOUND:
                self._cache.put(linkid, answer)

    def _referred(self, answer: PeerAnswer, linkid: str, deadline: Deadline) -> PeerOutcome | None:
        """Return the outcome of a query to the recipient of a transfer, unless it was queried already."""
        recipient = answer.claim.refers_to if answer.claim is not None else None
        queried = {self._own_issuer, *(peer.issuer for peer in self.peers)}
        if answer.claim is None or recipient is None or recipient in queried:
            return None
        try:
            issuer = base_url_of(recipient)
            # A public issuer must not lead this service to programs on its own machine.
            if is_on_this_machine(issuer) and not is_on_this_machine(answer.claim.issuer):
                return None
            peer = TrustedResolver(issuer, issuer + DEFAULT_PATH)
            outcome = self._queries.outcome(peer, linkid, deadline, lambda: False)
        except (UsageError, TimeoutError):
            return None
        return outcome if outcome.claim is not None else None


class _Flight:
    """A lookup in progress, for which other requests wait."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self.ended = Event()
        self.answer = PeerAnswer(UNAVAILABLE, details=(("", "the lookup did not end in time"),))


class _Round:
    """The outcomes of the queries of one lookup, by the peers' places."""

    def __init__(self, peers: Sequence[TrustedResolver], pin: Pin | None) -> None:
        self.pin = pin
        self.is_abandoned = False
        self._peers = peers
        self._outcomes: dict[int, PeerOutcome] = {}
        self._change = Condition()

    def add(self, number: int, outcome: PeerOutcome) -> bool:
        """Add an outcome; return whether it is the last one of a lookup that ended early."""
        with self._change:
            self._outcomes[number] = outcome
            self._change.notify_all()
            return self.is_abandoned and len(self._outcomes) == len(self._peers)

    def outcomes(self, deadline: Deadline) -> tuple[PeerOutcome, ...]:
        """Wait for the outcomes that the decision needs, and return one for each peer."""
        with self._change:
            with suppress(TimeoutError):
                while not self._is_decided():
                    self._change.wait(deadline.remaining_seconds())
            self.is_abandoned = len(self._outcomes) < len(self._peers) and self._is_decided()
            late = "it was not waited for" if self.is_abandoned else "it did not answer in time"
            return tuple(
                self._outcomes.get(number) or PeerOutcome(peer.issuer, UNAVAILABLE, detail=late)
                for number, peer in enumerate(self._peers)
            )

    def present(self) -> tuple[PeerOutcome, ...]:
        """Return the outcomes so far, in the order of the peers."""
        with self._change:
            return tuple(self._outcomes[number] for number in sorted(self._outcomes))

    def _is_decided(self) -> bool:
        return len(self._outcomes) == len(self._peers) or any(
            is_final(outcome, self.pin) for outcome in self._outcomes.values()
        )


class _Threads:
    """Starts functions in a pool of threads, which is created by the first one: not in a snapshot of a function."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pool: ThreadPoolExecutor | None = None

    def __call__(self, function: Callable[[], None]) -> object:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="peers")
        return self._pool.submit(function)
