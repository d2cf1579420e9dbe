"""Retries of a request whose response was lost, or that the service was too busy to process.

An idempotent request (RFC 9110, section 9.2.2, and the Idempotency-Key draft) is sent again after the delay in
`Retry-After`.

>>> from coolid.client.flows import run
>>> request = HttpRequest("GET", "https://id.example.org/")
>>> run(with_retries(request), lambda request: HttpAnswer(request.url, 200), lambda seconds: None).status
200
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from coolid.client.errors import BadAnswer, ClientError, ConnectionLost, RequestDeclined, ServiceUnavailable, error_of
from coolid.client.flows import Delay, Flow
from coolid.client.http_request import PROBLEM, HttpAnswer, HttpRequest, is_unavailable

MAX_TRIES: Final = 4
MAX_WAIT_SECONDS: Final = 30.0
"""The maximum delay between two tries; a longer `Retry-After` ends the retries."""

_BUSY: Final = 429
TEMPORARY: Final = frozenset({_BUSY, 502, 503, 504})
"""Statuses after which the same request may succeed later."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """At most `max_tries` tries, and no delay of more than `max_wait` seconds before one. Raises `ValueError`."""

    max_tries: int = MAX_TRIES
    max_wait: float = MAX_WAIT_SECONDS

    def __post_init__(self) -> None:
        if self.max_tries < 1 or self.max_wait < 0:
            raise ValueError("a request has at least one try, and no negative delay")

    def backoff(self, number: int) -> float:
        """Return the least delay in seconds after the try of this number.

        >>> [RetryPolicy().backoff(number) for number in (1, 2, 3)]
        [0.5, 1.0, 2.0]
        """
        return min(0.25 * 2.0**number, self.max_wait)


DEFAULT_POLICY: Final = RetryPolicy()


def is_final(answer: HttpAnswer) -> bool:
    """Return whether the service was available, whatever it answered, so that a later try would not differ."""
    return not is_unavailable(answer.status)


def is_success(answer: HttpAnswer) -> bool:
    """Return whether the status is 2xx."""
    return 200 <= answer.status < 300


def with_retries(
    request: HttpRequest,
    policy: RetryPolicy = DEFAULT_POLICY,
    *,
    repeatable: bool = True,
    accepted: Callable[[HttpAnswer], bool] = is_success,
) -> Flow[HttpAnswer]:
    """Return the `accepted` answer to a request.

    Only a `repeatable` request is sent again if the service may have processed it. Raises `RequestDeclined` for a
    problem, `ServiceUnavailable` or `ConnectionLost` after the last try, and the errors of sending.
    """
    sent = 0
    for number in range(1, policy.max_tries + 1):
        is_last = number == policy.max_tries
        answer: HttpAnswer | None = None
        try:
            answer, times = yield from _send(request, repeatable=repeatable)
        except ConnectionLost:
            if is_last or not repeatable:
                raise
            times = 1
        sent += times
        if answer is None:
            yield Delay(policy.backoff(number))
            continue
        if accepted(answer):
            return answer
        delay = retry_after(answer)
        if is_last or delay > policy.max_wait or answer.status not in (TEMPORARY if repeatable else (_BUSY,)):
            raise refusal(answer, sent)
        yield Delay(max(delay, policy.backoff(number)))
    raise AssertionError("the last try returns or raises")


def _send(request: HttpRequest, *, repeatable: bool) -> Flow[tuple[HttpAnswer, int]]:
    """Return the answer and how often the request was sent: twice if an idle connection was closed meanwhile."""
    try:
        return (yield request), 1
    except ConnectionLost as lost:
        if not (lost.is_stale and repeatable):
            raise
    return (yield replace(request, fresh=True)), 2


def retry_after(answer: HttpAnswer) -> float:
    """Return the seconds until the next try from `Retry-After` (RFC 9110, section 10.2.3), or 0 without a valid one.

    >>> retry_after(HttpAnswer("", 503, {"retry-after": "7"}))
    7.0
    """
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdecimal():
        return float(text[:9]) if len(text) < 10 else float("inf")
    try:
        moment = parsedate_to_datetime(text)
        return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return 0.0


def refusal(answer: HttpAnswer, tries: int = 1) -> ServiceUnavailable | RequestDeclined | ClientError:
    """Return the error for an answer that is not accepted."""
    status, location = answer.status, answer.headers.get("location")
    problem = answer.json_object() if answer.media_type == PROBLEM else None
    if is_unavailable(status) or (status >= 400 and problem is not None):
        return error_of(status, problem or {}, tries=tries, retry_after=retry_after(answer))
    if 300 <= status < 400 and location is not None:
        return BadAnswer(f"it answers with status {status}, a redirect to {location}")
    return BadAnswer(f"it answers unlike this service (status {status}, {answer.media_type or 'no media type'})")
