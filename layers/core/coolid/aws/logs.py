"""A log line without a logging stack, for the resolve function: one JSON object, with a trace, no personal data."""

import sys
from collections.abc import Callable

from coolid.domain.documents import dump
from coolid.web.message import Request


def reporter(service: str) -> Callable[[Exception, Request], None]:
    """What tells an application's unforeseen errors to the function's log, under the function's name."""

    def report(error: Exception, request: Request) -> None:
        import traceback

        line = {
            "level": "ERROR",
            "service": service,
            "request": request.request_id,
            "method": request.method,
            "error": type(error).__name__,
            "trace": traceback.format_tb(error.__traceback__),
        }
        sys.stdout.write(dump(line) + "\n")
        sys.stdout.flush()

    return report
