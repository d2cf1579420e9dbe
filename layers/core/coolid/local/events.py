"""Conversion between HTTP and the events of a REST API's proxy integration (payload 1.0).

The path stays percent-encoded, as in a REST API; query parameters are decoded and headers keep their names.

>>> event = to_event("GET", "/a%2Fb", "x=1&x=2", headers=[("Accept", "*/*")], body=b"", request_id="1")
>>> event["path"], event["multiValueQueryStringParameters"], event["headers"]
('/a%2Fb', {'x': ['1', '2']}, {'Accept': '*/*'})
"""

from base64 import b64decode, b64encode
from typing import Any
from urllib.parse import parse_qsl

Headers = list[tuple[str, str]]


def to_event(method: str, path: str, query: str, *, headers: Headers, body: bytes, request_id: str) -> dict[str, Any]:
    """Return the event of a request."""
    many_headers = _grouped(headers)
    many_parameters = _grouped(parse_qsl(query, keep_blank_values=True))
    text, is_base64 = _text_of(body)
    return {
        "resource": "/{proxy+}",
        "path": path,
        "httpMethod": method,
        "headers": {name: values[-1] for name, values in many_headers.items()},
        "multiValueHeaders": many_headers,
        "queryStringParameters": {name: values[-1] for name, values in many_parameters.items()} or None,
        "multiValueQueryStringParameters": many_parameters or None,
        "pathParameters": {"proxy": path.lstrip("/")},
        "stageVariables": None,
        "requestContext": {
            "requestId": request_id,
            "stage": "local",
            "httpMethod": method,
            "path": f"/local{path}",
            "protocol": "HTTP/1.1",
            "identity": {},
        },
        "body": text,
        "isBase64Encoded": is_base64,
    }


def from_answer(answer: dict[str, Any]) -> tuple[int, Headers, bytes]:
    """Return status, headers and body of a function's result."""
    headers = [(name, value) for name, values in answer.get("multiValueHeaders", {}).items() for value in values]
    body = answer.get("body", "")
    return answer["statusCode"], headers, b64decode(body) if answer.get("isBase64Encoded") else body.encode()


def _grouped(pairs: Headers) -> dict[str, list[str]]:
    gathered: dict[str, list[str]] = {}
    for name, value in pairs:
        gathered.setdefault(name, []).append(value)
    return gathered


def _text_of(body: bytes) -> tuple[str | None, bool]:
    if not body:
        return None, False
    try:
        return body.decode(), False
    except UnicodeDecodeError:
        return b64encode(body).decode(), True
