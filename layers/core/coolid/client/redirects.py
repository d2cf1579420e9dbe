"""Redirects followed hop by hop, with a check of each target.

Specification: RFC 9110, section 15.4; the LinkID draft, revision 00, "Security Considerations". There are at most ten
hops, never twice to one URL, and never from https to http.

>>> from coolid.client.single_request import run_alone
>>> trace = run_alone(follow("http://example.org/"))
>>> trace.hops, trace.stopped
((), 'refused http; resolution uses https, except on this machine')
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from coolid.client.errors import BadAnswer, RefusedByClient, Unreachable
from coolid.client.flows import Flow
from coolid.client.http_request import ANY_TYPE, TIMEOUT_SECONDS, HttpAnswer, HttpRequest
from coolid.client.url_policy import redirect_target, without_fragment

MAX_HOPS: Final = 10
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Hop:
    """One request and the status of its answer; `location` is that of a redirect, as received."""

    url: str
    status: int
    location: str | None = None


@dataclass(frozen=True, slots=True)
class RedirectTrace:
    """The hops, and the `final` answer, or None with the reason in `stopped`.

    `is_unreachable` is true if the last host could not be reached.
    """

    hops: tuple[Hop, ...] = ()
    final: HttpAnswer | None = None
    stopped: str | None = None
    is_unreachable: bool = False


def follow(
    url: str,
    *,
    accept: str = ANY_TYPE,
    reads_body: Callable[[HttpAnswer], bool] | None = None,
    follow_redirects: bool = True,
    seconds: float = TIMEOUT_SECONDS,
    first: HttpAnswer | None = None,
) -> Flow[RedirectTrace]:
    """Return the hops from a URL along its redirects; with `follow_redirects` false, send one request.

    `reads_body` decides which bodies to read; those of redirects are never read. `seconds` limit each hop. `first` is
    the answer of the URL if that was requested already.
    """

    def is_read(answer: HttpAnswer) -> bool:
        return location_of(answer) is None and (reads_body is None or reads_body(answer))

    hops: list[Hop] = []
    try:
        while True:
            request = HttpRequest("GET", url, {"Accept": accept}, reads_body=is_read, seconds=seconds)
            answer, first = first or (yield request), None
            location = location_of(answer)
            hops.append(Hop(url, answer.status, location))
            if location is None or not follow_redirects:
                return RedirectTrace(tuple(hops), answer)
            url = _next_url(location, hops)
    except Unreachable as error:
        stopped = f"{url if hops else 'it'} could not be reached: {error}"
        return RedirectTrace(tuple(hops), stopped=stopped, is_unreachable=True)
    except BadAnswer as error:
        return RedirectTrace(tuple(hops), stopped=f"{url if hops else 'it'} did not answer correctly: {error}")
    except RefusedByClient as error:
        return RedirectTrace(tuple(hops), stopped=str(error))


def location_of(answer: HttpAnswer) -> str | None:
    """Return the `Location` of a redirect as received, or None for another answer.

    >>> location_of(HttpAnswer("https://example.org/", 302, {"location": "/elsewhere"}))
    '/elsewhere'
    """
    return answer.headers.get("location") if answer.status in REDIRECTS else None


def _next_url(location: str, hops: Sequence[Hop]) -> str:
    """Return the target of the last hop. Raises `RefusedByClient` if it may not be followed."""
    if len(hops) == MAX_HOPS:
        raise RefusedByClient(f"gave up after {MAX_HOPS} redirects")
    url = redirect_target(hops[-1].url, location)
    if without_fragment(url) in {without_fragment(hop.url) for hop in hops}:
        raise RefusedByClient("the redirects go round in a circle")
    return url
