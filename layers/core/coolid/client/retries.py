"""Retries of a request whose response was lost, or that the service was too busy to process.

An idempotent request (RFC 9110, section 9.2.2, and the Idempotency-Key draft) is sent again after the delay in
`Retry-After`.

>>> with_retries(lambda: HttpAnswer("https://id.example.org/", 200)).status
200
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from coolid.client.errors import BadAnswer, ClientError, ConnectionLost, RequestDeclined, Unreachable
from coolid.client.http_request import PROBLEM, HttpAnswer, is_unavailable

MAX_TRIES: Final = 4
MAX_WAIT_SECONDS: Final = 30.0
"""The maximum delay between two tries; a longer `Retry-After` ends the retries."""

_BUSY: Final = 429
_TEMPORARY: Final = frozenset({_BUSY, 502, 503, 504})


def is_success(answer: HttpAnswer) -> bool:
    """Return whether the status is 2xx."""
    return 200 <= answer.status < 300


def with_retries(
    send: Callable[[], HttpAnswer],
    *,
    repeatable: bool = True,
    accepted: Callable[[HttpAnswer], bool] = is_success,
    wait: Callable[[float], None] = time.sleep,
) -> HttpAnswer:
    """Return the `accepted` answer of `send` after at most four tries; `wait` is called with the seconds between them.

    Only a `repeatable` request is sent again if the service may have processed it. Raises `RequestDeclined` for a
    problem, `Unreachable` (or `ConnectionLost`) after the last try, and the errors of `send`.
    """
    for number in range(1, MAX_TRIES + 1):
        is_last = number == MAX_TRIES
        backoff = 0.25 * 2.0**number
        try:
            answer = send()
        except ConnectionLost:
            if is_last or not repeatable:
                raise
            wait(backoff)
            continue
        if accepted(answer):
            return answer
        delay = retry_after(answer)
        if is_last or delay > MAX_WAIT_SECONDS or answer.status not in (_TEMPORARY if repeatable else (_BUSY,)):
            raise _error_of(answer, number)
        wait(max(delay, backoff))
    raise AssertionError("the last try returns or raises")


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


def _error_of(answer: HttpAnswer, tries: int) -> ClientError:
    """Return the error for an answer that is not accepted."""
    status, location = answer.status, answer.headers.get("location")
    problem = answer.json_object() if answer.media_type == PROBLEM else None
    if is_unavailable(status):
        detail = problem.get("detail") if problem else None
        message = f"it cannot answer now (status {status})" + (f": {str(detail).rstrip('.')}" if detail else "")
        seconds = retry_after(answer)
        return Unreachable(f"{message}; try again in {seconds:.0f} seconds" if 0 < seconds < float("inf") else message)
    if status >= 400 and problem is not None:
        return RequestDeclined(status, problem, tries)
    if 300 <= status < 400 and location is not None:
        return BadAnswer(f"it answers with status {status}, a redirect to {location}")
    return BadAnswer(f"it answers unlike this service (status {status}, {answer.media_type or 'no media type'})")
