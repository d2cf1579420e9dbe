"""Response codes of the Handle protocol with their HTTP statuses, and answers in its JSON.

Specification: RFC 3652, section 2.2.2.2; Handle.Net Technical Manual, section 14. Each answer is an object with a
`responseCode`, the requested `handle`, and a `message` or the result. With `?callback=` it is JavaScript that calls a
function with the object (JSONP), with `?pretty` it is indented.

>>> answer(Request("GET", "/", query=(("callback", "show"),)), 200, SUCCESS, "10.5072/x").body
'/**/show({"responseCode":1,"handle":"10.5072/x"});'
>>> error_answer(Request("GET", "/"), errors.UnknownPrefix("x"), "11.1/x").status
400
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from msgspec import json

from coolid import errors
from coolid.http.application import ErrorListener
from coolid.http.caching import NO_STORE
from coolid.http.dialects.handle.values import parse_number
from coolid.http.errors import BodyTooLarge, MalformedBody
from coolid.http.message import NO_HEADERS, Request, Response
from coolid.http.problem_types import UNKNOWN, problem_type_of
from coolid.http.problems import sentence
from coolid.http.routes import Endpoint
from coolid.model.records import Record, format_time
from coolid.strict_json import dump

SUCCESS: Final = 1
ERROR: Final = 2
TOO_BUSY: Final = 3
PROTOCOL_ERROR: Final = 4
NOT_FOUND: Final = 100
EXISTS: Final = 101
INVALID_HANDLE: Final = 102
VALUES_NOT_FOUND: Final = 200
VALUE_EXISTS: Final = 201
INVALID_VALUE: Final = 202
NOT_RESPONSIBLE: Final = 301
NOT_PERMITTED: Final = 401
AUTHENTICATION_NEEDED: Final = 402

CHALLENGE: Final = 'Basic realm="coolid", charset="UTF-8", Bearer realm="coolid"'

_CODES: Final[dict[type[Exception], tuple[int, int]]] = {
    errors.BadReference: (INVALID_HANDLE, 400),
    errors.InvalidIdentifier: (INVALID_HANDLE, 400),
    errors.UnknownPrefix: (NOT_RESPONSIBLE, 400),
    errors.UnknownProvider: (NOT_RESPONSIBLE, 400),
    errors.NoProvider: (NOT_RESPONSIBLE, 400),
    errors.NotFound: (NOT_FOUND, 404),
    errors.InvalidInput: (INVALID_VALUE, 400),
    errors.QuotaExceeded: (TOO_BUSY, 429),
    errors.IdentifierTaken: (EXISTS, 409),
    errors.AlreadyWithdrawn: (EXISTS, 409),
    errors.Conflict: (ERROR, 409),
    errors.Unauthenticated: (AUTHENTICATION_NEEDED, 401),
    errors.Forbidden: (NOT_PERMITTED, 403),
    errors.Unavailable: (ERROR, 503),
    MalformedBody: (PROTOCOL_ERROR, 400),
    BodyTooLarge: (PROTOCOL_ERROR, 413),
}
_STATUS: Final = {NOT_FOUND: 404, EXISTS: 409, VALUE_EXISTS: 409}
"""The HTTP statuses of codes other than 400."""
_CALLBACK: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,99}(\.[A-Za-z_$][A-Za-z0-9_$]{0,99}){0,9}")


class HandleError(Exception):
    """An error of the Handle protocol with its response `code` and HTTP `status`."""

    def __init__(self, code: int, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status or _STATUS.get(code, 400)


def responding(work: Endpoint, on_error: ErrorListener) -> Endpoint:
    """Return an endpoint like `work`, whose errors reach `on_error` and are answered in Handle JSON."""

    def respond(request: Request, path: str) -> Response:
        handle = unquote(path, errors="replace").encode(errors="replace").decode()  # even if it is invalid
        if request.parameter("callback") is not None and _callback(request) is None:  # checked before any work
            message = "The callback is not the name of a function in JavaScript."
            return answer(request, 400, PROTOCOL_ERROR, handle, message=message)
        try:
            return work(request, path)
        except HandleError as refusal:
            return answer(request, refusal.status, refusal.code, handle, message=sentence(str(refusal)))
        except errors.CoolidError as error:
            on_error(error)
            return error_answer(request, error, handle)

    return respond


def error_answer(request: Request, error: errors.CoolidError, handle: str) -> Response:
    """Return the answer for an error."""
    code, status = code_of(error)
    response = answer(request, status, code, handle, message=sentence(str(error)))
    if isinstance(error, errors.Unauthenticated):
        return response.with_headers(WWW_Authenticate=CHALLENGE)
    if isinstance(error, errors.Unavailable | errors.QuotaExceeded):
        return response.with_headers(Retry_After=str(error.retry_after))
    return response


def code_of(error: errors.CoolidError) -> tuple[int, int]:
    """Return the response code and the HTTP status of an error, by default those of its problem."""
    for ancestor in type(error).__mro__:
        if ancestor in _CODES:
            return _CODES[ancestor]
    problem_type = problem_type_of(error) or UNKNOWN
    return (PROTOCOL_ERROR if problem_type.status < 500 else ERROR), problem_type.status


def answer(
    request: Request, status: int, code: int, handle: str, headers: Mapping[str, str] = NO_HEADERS, **members: Any
) -> Response:
    """Return an answer in the requested form; it is not cacheable unless `headers` allow it."""
    text = dump({"responseCode": code, "handle": handle, **members})
    if is_set(request, "pretty"):
        text = json.format(text, indent=2)
    media_type, callback = "application/json", _callback(request)
    if callback is not None:
        for separator in "\u2028\u2029":  # valid in JSON strings, but not in older JavaScript
            text = text.replace(separator, f"\\u{ord(separator):x}")
        media_type, text = "application/javascript; charset=utf-8", f"/**/{callback}({text});"
    return Response(status, {"Cache-Control": NO_STORE, **headers, "Content-Type": media_type}, text)


def withdrawal(record: Record, code: int = NOT_FOUND, consequence: str = "") -> HandleError:
    """Return the error for a withdrawn handle: when and why it was withdrawn, its successor, and a `consequence`."""
    assert record.withdrawn is not None
    message = f"the handle was withdrawn at {format_time(record.withdrawn.at)}: {record.withdrawn.reason}"
    successor = f"; its successor is {record.withdrawn.successor}" if record.withdrawn.successor else ""
    return HandleError(code, message + successor + consequence)


def is_set(request: Request, name: str) -> bool:
    """Return whether a parameter is present and empty, `true` or `yes`."""
    value = request.parameter(name)
    return value is not None and value.lower() in ("", "true", "yes")


def indexes_of(request: Request) -> tuple[int, ...]:
    """Return the values of `?index=`; raise `HandleError` unless all are numbers."""
    return tuple([require_number(text, "the index") for text in request.parameters("index")])


def require_number(text: str, name: str) -> int:
    """Return the whole number in a parameter; raise `HandleError`."""
    number = parse_number(text)
    if number is None:
        raise HandleError(PROTOCOL_ERROR, f"{name} {text[:20]!a} is not a whole number")
    return number


def _callback(request: Request) -> str | None:
    """Return the JSONP function, or None if there is none or its name is invalid."""
    name = request.parameter("callback")
    return name if name is not None and _CALLBACK.fullmatch(name) else None
