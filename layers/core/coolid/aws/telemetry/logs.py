"""Log lines without a logging stack: one JSON object for each request, and one for each error that nobody foresaw.

A line tells what was asked for, never who asked: no address, no key, no header, no query, no body. Texts of the client
are bounded and escaped to printable ASCII, so that a line is always one line, whoever reads it with whatever.
`timestamp` and `level` are called as Lambda reads them (its developer guide, "Log-level filtering").

>>> request, when = Request("GET", "/go:0006915", request_id="1f3a"), datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> said = line(request, Response(302), seconds=0.00316, service="resolve", base_url="https://id.example.org", now=when)
>>> print(said)  # doctest: +ELLIPSIS
{"timestamp":"2025-01-15T09:30:00.000Z","level":"INFO",...,"asked":"/go:0006915","status":302,"milliseconds":3.16}
"""

from collections.abc import Callable
from datetime import UTC, datetime
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from coolid.aws.api_gateway import Teller
from coolid.aws.telemetry.metrics import print_line
from coolid.aws.telemetry.redaction import redacted_path
from coolid.aws.telemetry.telemetry_settings import TelemetrySettings
from coolid.http.application import Reporter
from coolid.http.caching import is_stale
from coolid.http.message import Request, Response
from coolid.metric_names import STALE_ANSWER, UNFORESEEN_ERROR
from coolid.ports import Count
from coolid.strict_json import dump

_CANONICAL: Final = '>; rel="canonical"'
_MOST_ID: Final = 64
_MOST_METHOD: Final = 16
_STALE: Final = ',"cache":"stale"'


def reporter(watched: TelemetrySettings, count: Count) -> Reporter:
    """What tells an application's unforeseen errors to the function's log, and counts them."""

    def report(error: Exception, request: Request) -> None:
        known = {"timestamp": _time(datetime.now(UTC)), "level": "ERROR", "service": watched.service}
        print_line(dump(known | facts(error, request)))
        count(UNFORESEEN_ERROR)

    return report


def facts(error: Exception, request: Request) -> dict[str, Any]:
    """What is told of an unforeseen error: with a trace, but without its own words, which may be the client's."""
    import traceback

    return {
        "request": request.request_id,
        "method": request.method,
        "error": type(error).__name__,
        "trace": traceback.format_tb(error.__traceback__),
    }


def request_logger(
    watched: TelemetrySettings, base_url: str, count: Count, write: Callable[[str], None] = print_line
) -> Teller:
    """What tells of each answer: a line, if lines are wanted, and a count if the answer is stale."""

    def tell(request: Request | None, response: Response, seconds: float) -> None:
        if is_stale(response):
            count(STALE_ANSWER)
        if watched.logs:
            now = datetime.now(UTC)
            write(line(request, response, seconds=seconds, service=watched.service, base_url=base_url, now=now))

    return tell


def line(
    request: Request | None, response: Response, *, seconds: float, service: str, base_url: str, now: datetime
) -> str:
    """The line that tells of a request; None stands for an event that was none."""
    request = request or Request("", "")
    stale = is_stale(response)
    level = "ERROR" if response.status >= 500 else "WARN" if stale else "INFO"
    return (
        f'{{"timestamp":"{_time(now)}","level":"{level}","service":"{service}",'
        f'"request":{_quoted(request.request_id[:_MOST_ID])},"method":{_quoted(request.method[:_MOST_METHOD])},'
        f'"asked":{_quoted(request_fields(request, response, base_url))},"status":{response.status},'
        f'"milliseconds":{seconds * 1000:.2f}{_STALE if stale else ""}}}'
    )


def request_fields(request: Request, response: Response, base_url: str) -> str:
    """What was asked for, as a path: the canonical one where the answer names it, else the one that came.

    >>> link = '<https://id.example.org/mp:tw0t-ywdj-94>; rel="canonical"'
    >>> request_fields(Request("GET", "/MP:TWOTYWDJ94"), Response(302, {"Link": link}), "https://id.example.org")
    '/mp:tw0t-ywdj-94'
    """
    link = response.headers.get("Link", "")
    end = link.find(_CANONICAL)
    if end > 0:
        return redacted_path(link[link.rfind("<", 0, end) + 1 : end].removeprefix(base_url))
    if response.status == 201:  # of what was made
        return redacted_path(response.headers.get("Location", request.path).removeprefix(base_url))
    return redacted_path(request.path)


def _time(moment: datetime) -> str:
    """RFC 3339, of a moment in UTC."""
    return moment.isoformat(timespec="milliseconds")[:-6] + "Z"


def _quoted(text: str) -> str:
    """A JSON string in printable ASCII; halves of surrogates, which strict readers refuse, become question marks."""
    return encode_basestring_ascii(text if text.isascii() else text.encode("utf-8", "replace").decode())
