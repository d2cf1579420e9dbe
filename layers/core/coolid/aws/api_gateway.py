"""Conversions of API Gateway events to requests, and of responses back.

Supports REST APIs (payload format 1.0), HTTP APIs and function URLs (2.0). REST APIs and function URLs pass the path
percent-encoded as the client sent it. HTTP APIs decode it, which can change an identifier with an encoded `%`, `?` or
`/`, so the stack deploys none.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from msgspec import Struct

from coolid.http.application import Application, ResponseListener
from coolid.http.errors import MalformedBody, MalformedEvent
from coolid.http.message import Request, Response

Event = Mapping[str, Any]
Handler = Callable[[Event, Any], dict[str, Any]]


class ApiGatewayHandler(Struct, frozen=True):
    """A Lambda handler for an application. It calls `on_response` after each response."""

    application: Application
    on_response: ResponseListener = lambda *_: None

    def __call__(self, event: Event, _context: Any) -> dict[str, Any]:
        """Return the response to an event."""
        start = perf_counter()
        is_v2 = event.get("version") == "2.0"
        request = None
        try:
            request = request_of_v2(event) if is_v2 else request_of_v1(event)
        except MalformedBody as error:
            response = self.application.refuse(error)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            refusal = MalformedEvent(f"the event is not one of API Gateway: {type(error).__name__}")
            response = self.application.refuse(refusal)
        else:
            response = self.application(request)
        self.on_response(request, response, perf_counter() - start)
        return answer_v2(response) if is_v2 else answer_v1(response)


def request_of_v1(event: Event) -> Request:
    """Return the request of a REST API's proxy event."""
    return Request(
        method=_text(event["httpMethod"]),
        path=_text(event["path"]) or "/",
        query=_query(event),
        headers=_joined(event.get("multiValueHeaders") or _listed(event.get("headers"))),
        body=_body(event),
        request_id=(event.get("requestContext") or {}).get("requestId", ""),
    )


def request_of_v2(event: Event) -> Request:
    """Return the request of an HTTP API's or function URL's event."""
    from urllib.parse import parse_qsl  # not needed for REST APIs

    context = event["requestContext"]
    stage = "/" + context.get("stage", "")
    path = _text(event["rawPath"])
    if stage not in ("/", "/$default") and (path == stage or path.startswith(stage + "/")):
        path = path[len(stage) :] or "/"
    return Request(
        method=_text(context["http"]["method"]),
        path=path,
        query=tuple(parse_qsl(event.get("rawQueryString", ""), keep_blank_values=True)),
        headers={name.lower(): _text(value) for name, value in (event.get("headers") or {}).items()},
        body=_body(event),
        request_id=context.get("requestId", ""),
    )


def answer_v1(response: Response) -> dict[str, Any]:
    """Return a response in payload format 1.0."""
    headers = {name: [value] for name, value in response.headers.items()}
    if response.cookies:
        headers["Set-Cookie"] = list(response.cookies)
    return {
        "statusCode": response.status,
        "multiValueHeaders": headers,
        **_body_members(response),
    }


def answer_v2(response: Response) -> dict[str, Any]:
    """Return a response in payload format 2.0."""
    return {
        "statusCode": response.status,
        "headers": dict(response.headers),
        **({"cookies": list(response.cookies)} if response.cookies else {}),
        **_body_members(response),
    }


def _body_members(response: Response) -> dict[str, Any]:
    """Return the members for a body: a string unchanged, bytes in base64."""
    body = response.body if response.stream is None else b"".join(response.stream)
    if isinstance(body, str):
        return {"body": body, "isBase64Encoded": False}
    return {"body": b2a_base64(body, newline=False).decode("ascii"), "isBase64Encoded": True}


def _query(event: Event) -> tuple[tuple[str, str], ...]:
    """Return the query parameters in order, including repeated ones."""
    many = event.get("multiValueQueryStringParameters") or _listed(event.get("queryStringParameters"))
    if not many:
        return ()
    return tuple([(_text(name), _text(value)) for name, values in many.items() for value in values or ()])


def _listed(single: Mapping[str, str] | None) -> Mapping[str, list[str]]:
    return {name: [value] for name, value in single.items()} if single else {}


def _joined(many: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers by lower-case name. Join headers whose names differ only in case."""
    joined = dict(zip(map(str.lower, many), map(", ".join, many.values()), strict=True))
    if len(joined) < len(many):
        repeated: dict[str, list[str]] = {}
        for name, values in many.items():
            repeated.setdefault(name.lower(), []).extend(values)
        joined = {name: ", ".join(values) for name, values in repeated.items()}
    _text("".join(joined.values()))
    return joined


def _text(value: Any) -> str:
    """Return the text. Raise `ValueError` for lone surrogates, because a response cannot encode them."""
    if not isinstance(value, str):
        raise TypeError("a text is missing from the event")
    if not value.isascii():
        value.encode()
    return value


def _body(event: Event) -> bytes:
    body: str | None = event.get("body")
    if not body:
        return b""
    if not event.get("isBase64Encoded"):
        return body.encode("utf-8", "surrogatepass")
    try:
        return a2b_base64(body, strict_mode=True)
    except ValueError as error:
        raise MalformedBody("the body is not base64, though the event says so") from error
