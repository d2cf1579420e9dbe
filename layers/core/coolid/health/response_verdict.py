"""The verdict on an address, from its response (RFC 9110 section 15; RFC 6585).

- GOOD: 2xx, 300 and 304. 416 too: the resource exists but is empty.
- GOOD with a reason: 401, 402, 403, 405, 406, 426, 428 and 451. Sites that block robots or require a login answer so,
  although people can read them.
- BUSY: 429 and 503, with or without `Retry-After`. They say nothing about the address.
- BAD: everything else, such as 404, 410 and 5xx; 400 too, the answer to outdated URL patterns.

>>> check_result(ResponseHead(200, {"etag": '"a"'})).etag, check_result(ResponseHead(404, {})).reason
('"a"', 'it answered 404')
>>> check_result(ResponseHead(503, {"retry-after": "120"})).pause
120
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from coolid.model.check_state import BAD, BUSY, GOOD, MAX_PAUSE_SECONDS, CheckResult, CheckState
from coolid.net.http_exchange import ResponseHead

FIRST_BYTE_RANGE: Final = {"Range": "bytes=0-0"}
"""Requests a single byte (RFC 9110 section 14.2)."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
PERMANENT_REDIRECTS: Final = frozenset({301, 308})

_REACHABLE: Final = frozenset({300, 304, 416})
_RESTRICTED: Final = frozenset({401, 402, 403, 405, 406, 426, 428, 451})
_BUSY: Final = frozenset({429, 503})

_ETAG: Final = re.compile(r'(?:W/)?"[!#-~]{0,200}"')
_DATE: Final = re.compile(r"[A-Za-z]{3}, \d\d [A-Za-z]{3} \d{4} \d\d:\d\d:\d\d GMT")
_SECONDS: Final = re.compile(r"\d{1,10}")
_MAX_DATE: Final = 64


def check_result(
    response: ResponseHead, moved: str | None = None, previous: CheckState | None = None, now: datetime | None = None
) -> CheckResult:
    """Return the result of a final response; `moved` is its new permanent address, if any.

    `previous` is the state of the conditional request: a 304 keeps its validators. `now` is for a `Retry-After` date.
    """
    status = response.status
    if status in _BUSY:
        return CheckResult(BUSY, reason_of(status), status, pause=_pause(response.headers.get("retry-after", ""), now))
    if status in _RESTRICTED:
        return CheckResult(GOOD, f"{reason_of(status)}: it is there, but not for programs", status)
    if not is_reachable(status):
        return CheckResult(BAD, reason_of(status), status)
    etag, modified = _validators(response.headers.get("etag", ""), response.headers.get("last-modified", ""))
    if status == 304 and previous is not None:
        etag, modified = etag or previous.etag, modified or previous.modified
    return CheckResult(GOOD, "", status, moved=moved, etag=etag, modified=modified)


def is_reachable(status: int) -> bool:
    """Return whether the status means that the resource exists and is served."""
    return 200 <= status < 300 or status in _REACHABLE


def reason_of(status: int) -> str:
    """Return a status in words."""
    return f"it answered {status}"


def conditional_headers(previous: CheckState | None) -> dict[str, str]:
    """Return the headers of a conditional request (RFC 9110 section 13.1).

    >>> noon = datetime(2026, 5, 4, 12, tzinfo=UTC)
    >>> conditional_headers(CheckState(url="https://a.example/", state="up", since=noon, checked=noon, etag='"a"'))
    {'If-None-Match': '"a"'}
    """
    if previous is None:
        return {}
    etag, modified = _validators(previous.etag or "", previous.modified or "")
    if etag:
        return {"If-None-Match": etag}
    return {"If-Modified-Since": modified} if modified else {}


def _validators(etag: str, modified: str) -> tuple[str | None, str | None]:
    """Return the well-formed ones, because they are sent back later."""
    return etag if _ETAG.fullmatch(etag) else None, modified if _DATE.fullmatch(modified) else None


def _pause(retry_after: str, now: datetime | None) -> int | None:
    """Return the seconds of `Retry-After`, at most a day; None if it is missing or invalid."""
    if _SECONDS.fullmatch(retry_after):
        return min(int(retry_after), MAX_PAUSE_SECONDS)
    if len(retry_after) > _MAX_DATE:
        return None
    try:
        until = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):  # OverflowError for extreme time zones
        return None
    seconds = (until.replace(tzinfo=until.tzinfo or UTC) - (now or datetime.now(UTC))).total_seconds()
    return min(max(int(seconds), 0), MAX_PAUSE_SECONDS)
