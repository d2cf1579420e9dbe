"""Judging: what an answer tells of an address (RFC 9110 section 15; RFC 6585).

- It leads to something: 2xx, 300, 304, and 416, for who has no first byte to give has nothing, but is there.
- It is there, and not for programs, or not without more ado: 401, 402, 403, 405, 406, 426, 428 and 451. Sites that ward
  off robots answer so, and so do those whose readers log in. People may well be let in; to call it dead would be wrong.
- It is busy: 429 and 503, with or without a time to come back at. That is no sign of death, and none of life.
- All else is bad: 404 and 410, which say so; 400, by which patterns that are no longer understood are met; other 5xx.

>>> check_result(ResponseHead(200, {"etag": '"a"'})), check_result(ResponseHead(404, {})).reason
(CheckResult(verdict='good', reason='', status=200, moved=None, pause=None, etag='"a"', modified=None), 'it answered 404')
>>> check_result(ResponseHead(503, {"retry-after": "120"})).pause
120
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from coolid.model.check_state import BAD, BUSY, GOOD, LONGEST_PAUSE, CheckResult, CheckState
from coolid.net.http_exchange import ResponseHead

RANGED: Final = {"Range": "bytes=0-0"}
"""Asks for no more than a byte (RFC 9110 section 14.2)."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
FOR_EVER: Final = frozenset({301, 308})
"""Of these, the ones that say where it is from now on."""

_THERE: Final = frozenset({300, 304, 416})
_KEPT_BACK: Final = frozenset({401, 402, 403, 405, 406, 426, 428, 451})
_BUSY: Final = frozenset({429, 503})

_ETAG: Final = re.compile(r'(?:W/)?"[!#-~]{0,200}"')
_DATE: Final = re.compile(r"[A-Za-z]{3}, \d\d [A-Za-z]{3} \d{4} \d\d:\d\d:\d\d GMT")
_SECONDS: Final = re.compile(r"\d{1,10}")
_MOST_DATE: Final = 64


def check_result(
    answer: ResponseHead, moved: str | None = None, known: CheckState | None = None, now: datetime | None = None
) -> CheckResult:
    """What an answer that is no redirect tells; `moved` is where it is from now on, if it is there at all.

    `known` is what was asked with: a 304 keeps its validators. `now` is for a `Retry-After` that is a date.
    """
    status = answer.status
    if status in _BUSY:
        return CheckResult(BUSY, reason_of(status), status, pause=_pause(answer.headers.get("retry-after", ""), now))
    if status in _KEPT_BACK:
        return CheckResult(GOOD, f"{reason_of(status)}: it is there, but not for programs", status)
    if not is_there(status):
        return CheckResult(BAD, reason_of(status), status)
    etag, modified = _validators(answer.headers.get("etag", ""), answer.headers.get("last-modified", ""))
    if status == 304 and known is not None:
        etag, modified = etag or known.etag, modified or known.modified
    return CheckResult(GOOD, "", status, moved=moved, etag=etag, modified=modified)


def is_there(status: int) -> bool:
    """Whether the thing that was asked for is there, without more ado."""
    return 200 <= status < 300 or status in _THERE


def reason_of(status: int) -> str:
    """A status in words."""
    return f"it answered {status}"


def conditions(known: CheckState | None) -> dict[str, str]:
    """Headers that ask for no more than whether it is still what it was (RFC 9110 section 13.1).

    >>> conditions(CheckState(url="https://a.example/", state="up", since=datetime.max, checked=datetime.max, etag='"a"'))
    {'If-None-Match': '"a"'}
    """
    if known is None:
        return {}
    etag, modified = _validators(known.etag or "", known.modified or "")
    if etag:
        return {"If-None-Match": etag}
    return {"If-Modified-Since": modified} if modified else {}


def _validators(etag: str, modified: str) -> tuple[str | None, str | None]:
    """These, as far as they are well formed: they will be sent back."""
    return etag if _ETAG.fullmatch(etag) else None, modified if _DATE.fullmatch(modified) else None


def _pause(said: str, now: datetime | None) -> int | None:
    """Seconds that we are asked to wait, at most a day of them; None if it does not say."""
    if _SECONDS.fullmatch(said):
        return min(int(said), LONGEST_PAUSE)
    if len(said) > _MOST_DATE:
        return None
    try:
        until = parsedate_to_datetime(said)
    except (ValueError, OverflowError):  # the latter for time zones beyond all measure
        return None
    seconds = (until.replace(tzinfo=until.tzinfo or UTC) - (now or datetime.now(UTC))).total_seconds()
    return min(max(int(seconds), 0), LONGEST_PAUSE)
