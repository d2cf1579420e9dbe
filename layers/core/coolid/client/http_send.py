"""One careful request with an API key: over HTTPS, one answer, no redirects, limits of size and time as for a GET.

The key goes to the service that it is for and nowhere else: not to another host, not in the clear. What may be sent
again is (RFC 9110, section 9.2.2, and the Idempotency-Key draft), when the answer was lost or the service is busy, as
late as its `Retry-After` says.

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
from coolid.client.http_get import SECONDS, HttpAnswer, exchange
from coolid.errors import Unauthenticated
from coolid.model.clients import split_key

MOST_BYTES: Final = 10_000_000
"""Of an answer; API Gateway passes no larger ones."""
TRIES: Final = 4
MOST_WAIT: Final = 30.0
"""Seconds that are waited between two tries; who is asked to wait longer gives up."""

PROBLEM: Final = "application/problem+json"
BUSY: Final = 429
_PASSING: Final = frozenset({BUSY, 502, 503, 504})
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_VISIBLE: Final = re.compile("[ -~]*")


class RequestDeclined(ClientError):
    """The service says no: the `status`, its `problem` document (RFC 9457), and after how many `tries`."""

    def __init__(self, status: int, problem: Mapping[str, Any], tries: int = 1) -> None:
        told = problem.get("detail") or problem.get("title") or "without a reason"
        super().__init__(f"{str(told).rstrip('.')} (status {status})")
        self.status = status
        self.problem = problem
        self.tries = tries

    @property
    def violations(self) -> tuple[tuple[str, str], ...]:
        """What is wrong where: JSON pointers into the document that was sent, and reasons.

        >>> RequestDeclined(422, {"errors": [{"pointer": "/uri", "detail": "it is no URL"}]}).violations
        (('/uri', 'it is no URL'),)
        """
        listed = self.problem.get("errors")
        found = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        return tuple((str(each.get("pointer", "")), str(each.get("detail", ""))) for each in found)


def is_done(answer: HttpAnswer) -> bool:
    """Whether it says that what was asked for is done."""
    return 200 <= answer.status < 300


def send_until_answered(
    method: str,
    url: str,
    *,
    key: str | None = None,
    headers: Mapping[str, str] = _NO_HEADERS,
    body: bytes = b"",
    repeatable: bool = True,
    accepted: Callable[[HttpAnswer], bool] = is_done,
    wait: Callable[[float], None] = time.sleep,
    seconds: float = SECONDS,
) -> HttpAnswer:
    """The answer, if it is `accepted`, at the latest after four tries; `wait` is given seconds between them.

    Only a request that is `repeatable` is sent again when it may have been carried out.
    Raises `RequestDeclined` for a no, `Unreachable` (or `ConnectionLost`) where nobody answers or cannot now, `BadAnswer`, `RefusedByClient`.
    """
    for number in range(1, TRIES + 1):
        last = number == TRIES
        try:
            answer = send(method, url, key=key, headers=headers, body=body, seconds=seconds)
        except ConnectionLost:
            if last or not repeatable:
                raise
            wait(_backoff(number))
            continue
        if accepted(answer):
            return answer
        asked = retry_after(answer)
        if last or asked > MOST_WAIT or answer.status not in (_PASSING if repeatable else (BUSY,)):
            raise _refusal(answer, number)
        wait(max(asked, _backoff(number)))
    raise AssertionError("the last try returns or raises")


def send(
    method: str,
    url: str,
    *,
    key: str | None = None,
    headers: Mapping[str, str] = _NO_HEADERS,
    body: bytes = b"",
    seconds: float = SECONDS,
) -> HttpAnswer:
    """Send a request, once; a redirect is an answer. Raises `RefusedByClient`, `Unreachable`, `ConnectionLost` or `BadAnswer`."""
    sent = dict(headers) | ({"Authorization": f"Bearer {_sound(key)}"} if key is not None else {})
    if not all(_VISIBLE.fullmatch(value) for value in sent.values()):
        raise RefusedByClient("a header is printable ASCII")
    return exchange(method, url, sent, body, most_bytes=MOST_BYTES, seconds=seconds)


def document_of(answer: HttpAnswer) -> dict[str, Any]:
    """The JSON object that an answer is; `BadAnswer`."""
    document = answer.json()
    if not isinstance(document, dict):
        raise BadAnswer("its body is not a JSON object")
    return document


def retry_after(answer: HttpAnswer) -> float:
    """The seconds to wait before the next try, as `Retry-After` says (RFC 9110, section 10.2.3); 0 if it says nothing.

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


def _refusal(answer: HttpAnswer, tries: int) -> ClientError:
    """What an answer that is not accepted stands for."""
    status, location = answer.status, answer.headers.get("location")
    problem = document_of(answer) if answer.media_type == PROBLEM else None
    if status == BUSY or status >= 500:
        detail = problem.get("detail") if problem else None
        said = f"it cannot answer now (status {status})" + (f": {str(detail).rstrip('.')}" if detail else "")
        seconds = retry_after(answer)
        return Unreachable(f"{said}; try again in {seconds:.0f} seconds" if 0 < seconds < float("inf") else said)
    if status >= 400 and problem is not None:
        return RequestDeclined(status, problem, tries)
    if 300 <= status < 400 and location is not None:
        return BadAnswer(f"it answers with status {status}, a redirect to {location}")
    return BadAnswer(f"it answers unlike this service (status {status}, {answer.media_type or 'no media type'})")


def _backoff(number: int) -> float:
    return 0.25 * 2.0**number


def _sound(key: str) -> str:
    """The key, if it is one; the message does not tell it."""
    try:
        split_key(key)
    except Unauthenticated as error:
        raise RefusedByClient(str(error)) from None
    return key
