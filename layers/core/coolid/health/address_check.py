"""Looking: whether an address leads to anything, judged as a `coolid.model.check_state.CheckResult`.

A URL is asked with `HEAD`, and with a `GET` for one byte where that does not go well, for some servers know no `HEAD`
or answer it wrongly. What fails is asked once more, so that it takes two failures to be bad: one lost packet is none.
Redirects are followed as browsers do, from https to http, too, for so people get there, and nothing of ours goes along;
but on a way that is not secure all along nobody is believed that something has moved for ever.

>>> AddressChecker().check("http://169.254.169.254/latest/meta-data/", None).reason
'it leads to an address that is not public'
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from coolid.deadlines import Deadline
from coolid.health.response_verdict import FOR_EVER, RANGED, REDIRECTS, check_result, conditions, is_there, reason_of
from coolid.identifiers.target_policy import objection
from coolid.model.check_state import BAD, GOOD, CheckResult, CheckState
from coolid.net.failures import RequestFailed, RequestRefused
from coolid.net.guarded_client import GuardedClient
from coolid.net.http_exchange import ResponseHead
from coolid.net.request_target import RequestTarget, parse_target

MOST_REDIRECTS: Final = 5
SECONDS: Final = 24.0
"""That a look may take in all, pauses between requests included."""

_METHODS: Final = ("HEAD", "GET", "GET")
_FAILURES: Final = 2
_NOT_THERE: Final = frozenset({404, 410})
"""What a server that answers so to `HEAD` would answer to `GET` as well. Other refusals may be of the method alone."""


def _now() -> datetime:
    return datetime.now(UTC)


class AddressChecker:
    """Looks at addresses, politely. May be used by several threads; one look takes at most `longest` seconds.

    `networks` are CIDRs that may be connected to beyond what is public (`ValueError` for what is none); `base_url` is
    where people read what this is. `visitor` goes instead of one that is made of these; `now` is for dates in answers.
    """

    def __init__(
        self,
        networks: Sequence[str] = (),
        base_url: str = "",
        *,
        visitor: GuardedClient | None = None,
        seconds: float = SECONDS,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._visitor = visitor or GuardedClient(networks, base_url)
        self._now = now
        self.longest = seconds

    def check(self, url: str, known: CheckState | None) -> CheckResult:
        """What is at a URL; `known` is its pulse, for a conditional request. Never raises."""
        deadline = self._visitor.deadline(self.longest)
        if known is not None and known.url != url:
            known = None
        failures = 0
        for method in _METHODS:
            try:
                sight = self._walked(method, url, known, deadline)
            except RequestRefused as refused:
                return refused.sight()
            except RequestFailed as failed:
                sight = failed.sight()
            if sight.verdict == BAD:
                failures += method != "HEAD" or _is_failure(sight.status)
                if failures >= _FAILURES:
                    break
            elif method != "HEAD" or sight.status is None or sight.verdict != GOOD or is_there(sight.status):
                break
        return sight

    def _walked(self, method: str, url: str, known: CheckState | None, deadline: Deadline) -> CheckResult:
        """What one walk along the redirects comes to. Raises `RequestFailed`."""
        headers = {"Accept": "*/*", **conditions(known), **(RANGED if method == "GET" else {})}
        place = parse_target(url)
        seen = {place.url}
        for_ever = True
        for walked in range(MOST_REDIRECTS + 1):
            answer = self._visitor.request(method, place, headers, deadline)
            if answer.status not in REDIRECTS:
                moved = place.named if walked and for_ever and objection(place.named) is None else None
                return check_result(answer, moved, known, self._now())
            onwards = _onwards(place, answer)
            for_ever = for_ever and answer.status in FOR_EVER and (onwards.secure or not place.secure)
            place = onwards
            if place.url in seen:
                raise RequestFailed("it redirects in a circle")
            seen.add(place.url)
        raise RequestFailed(f"it redirects more than {MOST_REDIRECTS} times")


def _onwards(place: RequestTarget, answer: ResponseHead) -> RequestTarget:
    """Where a redirect leads. Raises `RequestFailed`."""
    location = answer.headers.get("location")
    if location is None:
        raise RequestFailed(f"{reason_of(answer.status)} without saying where it is")
    said = location.encode("latin-1")  # as it came
    try:
        return place.onwards(said.decode())
    except UnicodeDecodeError:
        return place.onwards(location)


def _is_failure(status: int | None) -> bool:
    """Whether what `HEAD` came to is a failure of the host, and not of the method."""
    return status is None or status >= 500 or status in _NOT_THERE
