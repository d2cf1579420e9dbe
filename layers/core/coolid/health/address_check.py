"""The check of one address: whether a URL leads to anything, as a `coolid.model.check_state.CheckResult`.

It sends `HEAD`, then a `GET` for one byte if `HEAD` fails, because some servers do not implement `HEAD`. A failed
request is repeated once, because one packet may get lost. Redirects are followed as in browsers, from https to http
too, because requests carry nothing secret. A permanent move counts only if no redirect leaves https.

>>> AddressChecker(GuardedClient()).check("http://169.254.169.254/latest/meta-data/", None).reason
'it leads to an address that is not public'
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from coolid.deadlines import Deadline
from coolid.health.response_verdict import (
    FIRST_BYTE_RANGE,
    PERMANENT_REDIRECTS,
    REDIRECTS,
    check_result,
    conditional_headers,
    is_reachable,
    reason_of,
)
from coolid.identifiers.target_policy import objection
from coolid.model.check_state import BAD, GOOD, CheckResult, CheckState
from coolid.net.failures import RequestFailed, RequestRefused
from coolid.net.guarded_client import GuardedClient
from coolid.net.http_exchange import ResponseHead
from coolid.net.request_target import RequestTarget, parse_target

MAX_REDIRECTS: Final = 5
CHECK_TIMEOUT_SECONDS: Final = 24.0
"""For one check, including the pauses between its requests."""

_FAILURES: Final = 2
_NOT_THERE: Final = frozenset({404, 410})
"""Statuses for which `GET` would fail like `HEAD`. Other refusals may concern the method only."""


def _now() -> datetime:
    return datetime.now(UTC)


class AddressChecker:
    """Checks addresses in at most `seconds` each, by the rate limit of each host, at the time `now`. Thread-safe."""

    def __init__(
        self,
        client: GuardedClient,
        *,
        seconds: float = CHECK_TIMEOUT_SECONDS,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._client = client
        self._now = now
        self._timeout_seconds = seconds

    def check(self, url: str, previous: CheckState | None) -> CheckResult:
        """Return the result for a URL; `previous` is its check state, for a conditional request. Never raises."""
        deadline = self._client.deadline(self._timeout_seconds)
        if previous is not None and previous.url != url:
            previous = None
        failures = 0
        for method in ("HEAD", "GET", "GET"):
            try:
                result = self._follow(method, url, previous, deadline)
            except RequestRefused as refused:
                return refused.check_result()
            except RequestFailed as failed:
                result = failed.check_result()
            if result.verdict == BAD:
                failures += method != "HEAD" or _is_failure(result.status)
                if failures >= _FAILURES:
                    break
            elif method != "HEAD" or result.status is None or result.verdict != GOOD or is_reachable(result.status):
                break
        return result

    def _follow(self, method: str, url: str, previous: CheckState | None, deadline: Deadline) -> CheckResult:
        """Follow the redirects and return the result. Raises `RequestFailed`."""
        headers = {"Accept": "*/*", **conditional_headers(previous), **(FIRST_BYTE_RANGE if method == "GET" else {})}
        target = parse_target(url)
        visited = {target.url}
        permanent = True
        for redirects in range(MAX_REDIRECTS + 1):
            response = self._client.request(method, target, headers, deadline)
            if response.status not in REDIRECTS:
                final = target.url_with_fragment
                moved = final if redirects and permanent and objection(final) is None else None
                return check_result(response, moved, previous, self._now())
            following = _redirect_target(target, response)
            permanent = permanent and response.status in PERMANENT_REDIRECTS and (following.secure or not target.secure)
            target = following
            if target.url in visited:
                raise RequestFailed("it redirects in a circle")
            visited.add(target.url)
        raise RequestFailed(f"it redirects more than {MAX_REDIRECTS} times")


def _redirect_target(target: RequestTarget, response: ResponseHead) -> RequestTarget:
    """Return where a redirect leads. Raises `RequestFailed`."""
    location = response.headers.get("location")
    if location is None:
        raise RequestFailed(f"{reason_of(response.status)} without saying where it is")
    raw = location.encode("latin-1")  # the bytes of the response
    try:
        return target.redirect_target(raw.decode())
    except UnicodeDecodeError:
        return target.redirect_target(location)


def _is_failure(status: int | None) -> bool:
    """Return whether the result of `HEAD` is a failure of the host, not of the method."""
    return status is None or status >= 500 or status in _NOT_THERE
