"""Following redirects by hand: every hop is seen, checked and kept.

Specification: RFC 9110, section 15.4; the LinkID draft, "Security Considerations". At most ten hops, never to a URL
twice, never from https to http.

>>> walk = follow("http://example.org/")
>>> walk.hops, walk.stopped
((), 'refused http; resolution uses https, except on this machine')
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from coolid.client.errors import BadAnswer, RefusedByClient, Unreachable
from coolid.client.http_get import ANYTHING, SECONDS, HttpAnswer, get, wanted_always
from coolid.client.url_policy import following, without_fragment

MOST_HOPS: Final = 10
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Hop:
    """One request and what it led to: `location` as the answer says it, of a redirect only."""

    url: str
    status: int
    location: str | None = None


@dataclass(frozen=True, slots=True)
class RedirectTrace:
    """The hops, and the `final` answer, None where it ended without one: `stopped` says why.

    `is_lost` where that is because the last host could not be reached.
    """

    hops: tuple[Hop, ...] = ()
    final: HttpAnswer | None = None
    stopped: str | None = None
    is_lost: bool = False


def follow(
    url: str,
    *,
    accept: str = ANYTHING,
    wanted: Callable[[HttpAnswer], bool] = wanted_always,
    onwards: bool = True,
    seconds: float = SECONDS,
) -> RedirectTrace:
    """Ask a URL and go where it leads, until an answer is no redirect; with `onwards` false, ask once.

    `wanted` says of which answers the body is read; of redirects it never is. `seconds` are for each hop.
    """

    def is_read(answer: HttpAnswer) -> bool:
        return location_of(answer) is None and wanted(answer)

    hops: list[Hop] = []
    seen: set[str] = set()
    while True:
        seen.add(without_fragment(url))
        try:
            answer = get(url, accept=accept, wanted=is_read, seconds=seconds)
        except Unreachable as error:
            return RedirectTrace(
                tuple(hops), stopped=f"{url if hops else 'it'} could not be reached: {error}", is_lost=True
            )
        except BadAnswer as error:
            return RedirectTrace(tuple(hops), stopped=f"{url if hops else 'it'} did not answer well: {error}")
        except RefusedByClient as error:
            return RedirectTrace(tuple(hops), stopped=str(error))
        location = location_of(answer)
        hops.append(Hop(url, answer.status, location))
        if location is None or not onwards:
            return RedirectTrace(tuple(hops), answer)
        if len(hops) == MOST_HOPS:
            return RedirectTrace(tuple(hops), stopped=f"gave up after {MOST_HOPS} redirects")
        try:
            url = following(url, location)
        except RefusedByClient as error:
            return RedirectTrace(tuple(hops), stopped=str(error))
        if without_fragment(url) in seen:
            return RedirectTrace(tuple(hops), stopped="the redirects go round in a circle")


def location_of(answer: HttpAnswer) -> str | None:
    """Where an answer redirects to, byte for byte; None if it does not.

    >>> location_of(HttpAnswer("https://example.org/", 302, {"location": "/elsewhere"}))
    '/elsewhere'
    """
    return answer.headers.get("location") if answer.status in REDIRECTS else None
