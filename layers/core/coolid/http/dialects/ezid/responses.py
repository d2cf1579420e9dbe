"""EZID's responses: a status line, `success: …` or `error: …`, and elements below it, as plain text.

Specification: EZID API, version 2, "Request & response bodies" and "Error reporting". The lines of errors and their
HTTP statuses are EZID's: what a rule refuses is `error: bad request - ` with the reason.

>>> success("ark:/99999/fk4test", {"erc.who": "Proust, Marcel"}).body
'success: ark:/99999/fk4test\\nerc.who: Proust, Marcel\\n'
>>> refuse(errors.Forbidden("mint:mp")).body, refuse(errors.UnknownPrefix("x:1")).status
('error: forbidden', 400)
"""

from collections.abc import Mapping
from typing import Final

from coolid import errors
from coolid.http.caching import NO_STORE
from coolid.http.dialects.ezid.anvl import format_elements
from coolid.http.errors import MethodNotAllowed
from coolid.http.message import NO_HEADERS, Request, Response
from coolid.http.problem_types import problem_type_of

CHALLENGE: Final = 'Basic realm="EZID"'
MEDIA_TYPE: Final = "text/plain; charset=UTF-8"
UNAUTHORIZED: Final = "unauthorized"
FORBIDDEN: Final = "forbidden"
INVALID_IDENTIFIER: Final = "invalid identifier"
NO_IDENTIFIER: Final = "no such identifier"
NO_SHOULDER: Final = "no such shoulder"

_LINES: Final[Mapping[type[Exception], tuple[int, str]]] = {
    errors.Unauthenticated: (401, UNAUTHORIZED),
    errors.Forbidden: (403, FORBIDDEN),
    errors.JobsNotSetUp: (501, "batch downloads are not set up"),
    MethodNotAllowed: (405, "method not allowed"),
    errors.QuotaExceeded: (429, "concurrency limit exceeded"),
    errors.Outdated: (503, "concurrency limit exceeded"),
    errors.Contended: (503, "concurrency limit exceeded"),
    errors.Unavailable: (503, "server unavailable"),
}
"""The statuses and lines of errors that are not `bad request`."""
_REASONS: Final[Mapping[type[Exception], str]] = {
    errors.BadReference: INVALID_IDENTIFIER,
    errors.NotFound: NO_IDENTIFIER,
    errors.IdentifierTaken: "identifier already exists",
}
"""EZID's reasons of bad requests; other errors have their own text."""


def success(text: str, elements: Mapping[str, str] | None = None, status: int = 200) -> Response:
    """Return the response to a request that succeeded, with elements in lines after the first one."""
    return _response(status, f"success: {text}", "" if elements is None else format_elements(elements))


def refuse(error: Exception, _request: Request | None = None) -> Response:
    """Return the response to an error of a request; an unexpected error is an internal one."""
    kind = next((each for each in type(error).__mro__ if each in _LINES), None)
    if kind is not None:
        status, line = _LINES[kind]
        return _response(status, f"error: {line}", headers=_headers(error))
    problem_type = problem_type_of(error)
    if problem_type is None or problem_type.status >= 500:
        return _response(500, "error: internal server error")
    return _response(400, f"error: bad request - {_one_line(reason_of(error))}")


def reason_of(error: Exception) -> str:
    """Return why a request is bad, with EZID's names of the faulty elements."""
    if isinstance(error, errors.InvalidInput):
        return "; ".join(f"{_element(each.pointer)}{each.reason}" for each in error.violations)
    reasons = (_REASONS[each] for each in type(error).__mro__ if each in _REASONS)
    return next(reasons, str(error))


def _element(pointer: str) -> str:
    """Return the element at a JSON pointer into a record, with a colon; targets are those of locations."""
    if pointer.startswith("/records/") and pointer.endswith("/uri"):
        return "_target: "
    return f"{pointer.removeprefix('/')}: " if pointer else ""


def _headers(error: Exception) -> Mapping[str, str]:
    match error:
        case errors.Unauthenticated():
            return {"WWW-Authenticate": CHALLENGE}
        case errors.Unavailable() | errors.QuotaExceeded():
            return {"Retry-After": str(error.retry_after)}
        case MethodNotAllowed():
            return {"Allow": ", ".join(error.allowed)}
    return NO_HEADERS


def _response(status: int, line: str, elements: str = "", headers: Mapping[str, str] = NO_HEADERS) -> Response:
    common = {"Cache-Control": NO_STORE, "Content-Type": MEDIA_TYPE}
    return Response(status, {**common, **headers}, f"{line}\n{elements}" if elements else line)


def _one_line(text: str) -> str:
    return " ".join(text.split())
