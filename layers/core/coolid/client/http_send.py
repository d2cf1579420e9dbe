"""Requests with an API key, and retries.

The restrictions of `coolid.client.http_get` apply: the key is sent only over HTTPS and never to another host. An
idempotent request (RFC 9110, section 9.2.2, and the Idempotency-Key draft) is sent again if the response was lost or
the service is busy, after the delay in its `Retry-After`.

>>> send("GET", "http://example.org/", key="cool_epyx6gxg_" + "x" * 43)
Traceback (most recent call last):
...
coolid.client.errors.RefusedByClient: refused http; resolution uses https, except on this machine
"""

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any, Final

from coolid.client.errors import BadAnswer, ClientError, ConnectionLost, RefusedByClient, Unreachable
from coolid.client.http_get import TIMEOUT_SECONDS, HttpAnswer, exchange
from coolid.errors import Unauthenticated
from coolid.model.clients import split_key

MAX_BYTES: Final = 10_000_000
"""The maximum size of a response body; API Gateway passes no larger one."""
MAX_TRIES: Final = 4
MAX_WAIT_SECONDS: Final = 30.0
"""The maximum delay between two tries; a longer `Retry-After` ends the retries."""

PROBLEM: Final = "application/problem+json"
BUSY: Final = 429
_TEMPORARY: Final = frozenset({BUSY, 502, 503, 504})
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_VISIBLE: Final = re.compile("[ -~]*")


class RequestDeclined(ClientError):
    """The service declined: the `status`, its `problem` document (RFC 9457), and the number of `tries`."""

    def __init__(self, status: int, problem: Mapping[str, Any], tries: int = 1) -> None:
        detail = problem.get("detail") or problem.get("title") or "without a reason"
        super().__init__(f"{str(detail).rstrip('.')} (status {status})")
        self.status = status
        self.problem = problem
        self.tries = tries

    @property
    def violations(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of a JSON pointer into the request's document and the reason why that part is invalid.

        >>> RequestDeclined(422, {"errors": [{"pointer": "/uri", "detail": "it is no URL"}]}).violations
        (('/uri', 'it is no URL'),)
        """
        listed = self.problem.get("errors")
        found = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        return tuple((str(each.get("pointer", "")), str(each.get("detail", ""))) for each in found)


def is_success(answer: HttpAnswer) -> bool:
    """Return whether the status is 2xx."""
    return 200 <= answer.status < 300


def send_with_retries(
    method: str,
    url: str,
    *,
    key: str | None = None,
    headers: Mapping[str, str] = _NO_HEADERS,
    body: bytes = b"",
    repeatable: bool = True,
    accepted: Callable[[HttpAnswer], bool] = is_success,
    wait: Callable[[float], None] = time.sleep,
    seconds: float = TIMEOUT_SECONDS,
) -> HttpAnswer:
    """Return the `accepted` answer after at most four tries; `wait` is called with the seconds between two tries.

    Only a `repeatable` request is sent again if the service may have processed it. Raises `RequestDeclined` for a
    problem, `Unreachable` (or `ConnectionLost`) after the last try, and the errors of `send`.
    """
    for number in range(1, MAX_TRIES + 1):
        last = number == MAX_TRIES
        try:
            answer = send(method, url, key=key, headers=headers, body=body, seconds=seconds)
        except ConnectionLost:
            if last or not repeatable:
                raise
            wait(_backoff(number))
            continue
        if accepted(answer):
            return answer
        delay = retry_after(answer)
        if last or delay > MAX_WAIT_SECONDS or answer.status not in (_TEMPORARY if repeatable else (BUSY,)):
            raise _error_of(answer, number)
        wait(max(delay, _backoff(number)))
    raise AssertionError("the last try returns or raises")


def send(
    method: str,
    url: str,
    *,
    key: str | None = None,
    headers: Mapping[str, str] = _NO_HEADERS,
    body: bytes = b"",
    seconds: float = TIMEOUT_SECONDS,
) -> HttpAnswer:
    """Send a request, once. Redirects are returned, not followed. Raises the errors of `exchange`."""
    sent = dict(headers) | ({"Authorization": f"Bearer {_checked_key(key)}"} if key is not None else {})
    if not all(_VISIBLE.fullmatch(value) for value in sent.values()):
        raise RefusedByClient("a header is printable ASCII")
    return exchange(method, url, sent, body, max_bytes=MAX_BYTES, seconds=seconds)


def document_of(answer: HttpAnswer) -> dict[str, Any]:
    """Return the JSON object in a response's body. Raises `BadAnswer`."""
    document = answer.json()
    if not isinstance(document, dict):
        raise BadAnswer("its body is not a JSON object")
    return document


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
    problem = document_of(answer) if answer.media_type == PROBLEM else None
    if status == BUSY or status >= 500:
        detail = problem.get("detail") if problem else None
        message = f"it cannot answer now (status {status})" + (f": {str(detail).rstrip('.')}" if detail else "")
        seconds = retry_after(answer)
        return Unreachable(f"{message}; try again in {seconds:.0f} seconds" if 0 < seconds < float("inf") else message)
    if status >= 400 and problem is not None:
        return RequestDeclined(status, problem, tries)
    if 300 <= status < 400 and location is not None:
        return BadAnswer(f"it answers with status {status}, a redirect to {location}")
    return BadAnswer(f"it answers unlike this service (status {status}, {answer.media_type or 'no media type'})")


def _backoff(number: int) -> float:
    return 0.25 * 2.0**number


def _checked_key(key: str) -> str:
    """Return a valid API key. Raises `RefusedByClient`, whose message does not contain the key."""
    try:
        split_key(key)
    except Unauthenticated as error:
        raise RefusedByClient(str(error)) from None
    return key
