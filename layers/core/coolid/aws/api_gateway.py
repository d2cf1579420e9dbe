"""API Gateway: events of REST APIs (payload 1.0), HTTP APIs and function URLs (2.0) to requests, and responses back.

A REST API hands over the path percent-encoded as the client sent it, which identifiers need; so does a function's URL.
HTTP APIs decode it first, so that an identifier with an encoded `%`, `?` or `/` may arrive changed: their events are
understood, but the stack deploys none.
"""

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from msgspec import Struct

from coolid.http.application import Application
from coolid.http.errors import MalformedBody, MalformedEvent
from coolid.http.message import Request, Response

Event = Mapping[str, Any]
Handler = Callable[[Event, Any], dict[str, Any]]

Teller = Callable[[Request | None, Response, float], None]
"""What is told of every answer: the request (None for an event that is none), the response, the seconds between."""


def untold(_request: Request | None, _response: Response, _seconds: float) -> None:
    """Tell nobody."""


class ApiGatewayHandler(Struct, frozen=True):
    """A Lambda handler round an application; `tell` hears of every answer."""

    application: Application
    tell: Teller = untold

    def __call__(self, event: Event, _context: Any) -> dict[str, Any]:
        """Answer an event."""
        begun = perf_counter()
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
        self.tell(request, response, perf_counter() - begun)
        return answer_v2(response) if is_v2 else answer_v1(response)


def request_of_v1(event: Event) -> Request:
    """A REST API's proxy event as a request."""
    return Request(
        method=_text(event["httpMethod"]),
        path=_text(event["path"]) or "/",
        query=_query(event),
        headers=_joined(event.get("multiValueHeaders") or _listed(event.get("headers"))),
        body=_body(event),
        request_id=(event.get("requestContext") or {}).get("requestId", ""),
    )


def request_of_v2(event: Event) -> Request:
    """An HTTP API's or function URL's event as a request."""
    from urllib.parse import parse_qsl  # which no event of a REST API needs

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
    """A response as a REST API's integration expects it."""
    return {
        "statusCode": response.status,
        "multiValueHeaders": {name: [value] for name, value in response.headers.items()},
        **_sent(response.body),
    }


def answer_v2(response: Response) -> dict[str, Any]:
    """A response as payload format 2.0 has it."""
    return {
        "statusCode": response.status,
        "headers": dict(response.headers),
        **_sent(response.body),
    }


def _sent(body: str | bytes) -> dict[str, Any]:
    """The body of an answer: a text as it is, bytes in base64."""
    if isinstance(body, str):
        return {"body": body, "isBase64Encoded": False}
    return {"body": b2a_base64(body, newline=False).decode("ascii"), "isBase64Encoded": True}


def _query(event: Event) -> tuple[tuple[str, str], ...]:
    """The parameters, repeated ones too, in their order."""
    many = event.get("multiValueQueryStringParameters") or _listed(event.get("queryStringParameters"))
    return tuple([(_text(name), _text(value)) for name, values in many.items() for value in values or ()])


def _listed(single: Mapping[str, str] | None) -> Mapping[str, list[str]]:
    return {name: [value] for name, value in single.items()} if single else {}


def _joined(many: Mapping[str, Any]) -> dict[str, str]:
    """Headers by lower-case names, whose case may differ within one event."""
    joined = dict(zip(map(str.lower, many), map(", ".join, many.values()), strict=True))
    if len(joined) < len(many):
        repeated: dict[str, list[str]] = {}
        for name, values in many.items():
            repeated.setdefault(name.lower(), []).extend(values)
        joined = {name: ", ".join(values) for name, values in repeated.items()}
    _text("".join(joined.values()))
    return joined


def _text(value: Any) -> str:
    """The same text; `ValueError` for one that has halves of surrogates, and that no answer could therefore name."""
    if not isinstance(value, str):
        raise TypeError("a text is missing from the event")
    if not value.isascii():
        value.encode()
    return value


def _body(event: Event) -> bytes:
    body = event.get("body")
    if not body:
        return b""
    if not event.get("isBase64Encoded"):
        return body.encode("utf-8", "surrogatepass")
    try:
        return a2b_base64(body, strict_mode=True)
    except ValueError as error:
        raise MalformedBody("the body is not base64, though the event says so") from error
