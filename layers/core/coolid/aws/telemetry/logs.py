"""Log lines without a logging stack: one JSON object for each request and for each unforeseen error.

A line contains no client address, key, header, query or body. Texts of the client are bounded and escaped to printable
ASCII, so that a line is always one line. Lambda prescribes the names `timestamp` and `level` (its developer guide,
"Log-level filtering").

>>> request, when = Request("GET", "/go:0006915", request_id="1f3a"), 1736933400000
>>> text = line(request, Response(302), seconds=0.00316, service="resolve", base_url="https://id.example.org", now=when)
>>> print(text)  # doctest: +ELLIPSIS
{"timestamp":"2025-01-15T09:30:00.000Z","level":"INFO",...,"asked":"/go:0006915","status":302,"milliseconds":3.16}
"""

from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from time import gmtime, strftime, time_ns
from typing import Any, Final

from coolid.aws.settings import TelemetrySettings
from coolid.aws.telemetry.metrics import print_line
from coolid.aws.telemetry.redaction import redacted_path
from coolid.http.application import Reporter, ResponseListener
from coolid.http.caching import is_stale
from coolid.http.message import Request, Response
from coolid.metric_names import STALE_ANSWER, UNFORESEEN_ERROR
from coolid.ports import Count
from coolid.strict_json import dump

_MAX_ID_LENGTH: Final = 64
_MAX_METHOD_LENGTH: Final = 16
_STALE: Final = ',"cache":"stale"'


def reporter(settings: TelemetrySettings, count: Count, write: Callable[[str], None] = print_line) -> Reporter:
    """Return a function that logs and counts an application's unforeseen errors."""

    def report(error: Exception, request: Request) -> None:
        head = {"timestamp": _time(_now()), "level": "ERROR", "service": settings.service}
        write(dump(head | error_fields(error, request)))
        count(UNFORESEEN_ERROR)

    return report


def error_fields(error: Exception, request: Request) -> dict[str, Any]:
    """Return the log members of an unforeseen error: its trace, but not its message, which may quote the client."""
    import traceback

    return {
        "request": request.request_id,
        "method": request.method,
        "error": type(error).__name__,
        "trace": traceback.format_tb(error.__traceback__),
    }


def request_logger(
    settings: TelemetrySettings, base_url: str, count: Count, write: Callable[[str], None] = print_line
) -> ResponseListener:
    """Return a function that writes a line for each answer, if enabled, and counts stale answers."""

    def log_request(request: Request | None, response: Response, seconds: float) -> None:
        if is_stale(response):
            count(STALE_ANSWER)
        if settings.logs:
            write(line(request, response, seconds=seconds, service=settings.service, base_url=base_url, now=_now()))

    return log_request


def line(request: Request | None, response: Response, *, seconds: float, service: str, base_url: str, now: int) -> str:
    """Return the line of a request at `now`, in milliseconds since 1970. None stands for an event without a request."""
    request = request or Request("", "")
    stale = is_stale(response)
    level = "ERROR" if response.status >= 500 else "WARN" if stale else "INFO"
    return (
        f'{{"timestamp":"{_time(now)}","level":"{level}","service":"{service}",'
        f'"request":{_quoted(request.request_id[:_MAX_ID_LENGTH])},"method":{_quoted(request.method[:_MAX_METHOD_LENGTH])},'
        f'"asked":{_quoted(logged_path(request, response, base_url))},"status":{response.status},'
        f'"milliseconds":{seconds * 1000:.2f}{_STALE if stale else ""}}}'
    )


def logged_path(request: Request, response: Response, base_url: str) -> str:
    """Return the redacted path of the canonical link or of the new resource, if the answer has one, else the request's.

    >>> link = '<https://id.example.org/mp:tw0t-ywdj-94>; rel="canonical"'
    >>> logged_path(Request("GET", "/MP:TWOTYWDJ94"), Response(302, {"Link": link}), "https://id.example.org")
    '/mp:tw0t-ywdj-94'
    """
    link = response.headers.get("Link", "")
    end = link.find('>; rel="canonical"')
    if end > 0:
        return redacted_path(link[link.rfind("<", 0, end) + 1 : end].removeprefix(base_url))
    if response.status == 201:
        return redacted_path(response.headers.get("Location", request.path).removeprefix(base_url))
    return redacted_path(request.path)


def _now() -> int:
    return time_ns() // 1_000_000


def _time(milliseconds: int) -> str:
    """Return a time in milliseconds since 1970 in the form of RFC 3339, in UTC."""
    return f"{_second(milliseconds // 1000)}.{milliseconds % 1000:03}Z"


@lru_cache(maxsize=1)
def _second(second: int) -> str:
    """Return a second without its zone; cached, because requests of one second share it."""
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(second))


def _quoted(text: str) -> str:
    """Return a JSON string in printable ASCII. Lone surrogates become question marks, as strict parsers require."""
    return encode_basestring_ascii(text if text.isascii() else text.encode("utf-8", "replace").decode())
