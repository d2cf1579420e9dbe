"""Events: requests as a REST API's proxy integration hands them to a function (payload format 1.0).

>>> sent = build_event(Request("GET", "/a%2Fb", query="x=1&x=2", headers={"Accept": "*/*"}), "an-id")
>>> sent["path"], sent["multiValueQueryStringParameters"], sent["headers"]
('/a%2Fb', {'x': ['1', '2']}, {'Accept': '*/*'})
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl


@dataclass(frozen=True)
class Request:
    """A request; the path is percent-encoded. A header may have several values."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str | list[str]] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """An answer; the names of the headers are in lower case, each with its values."""

    status: int
    headers: Mapping[str, list[str]]
    body: bytes

    def header(self, name: str) -> str:
        """Return the value of a header, or an empty text."""
        return ", ".join(self.headers.get(name, ()))

    def json(self) -> Any:
        """Return the body as JSON, or None."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def member(self, name: str) -> str:
        """Return a text of the body's JSON object, or `missing`: a recording goes on after an unexpected answer."""
        document = self.json()
        value = document.get(name) if isinstance(document, dict) else None
        return value if isinstance(value, str) else "missing"


def build_event(request: Request, identifier: str) -> dict[str, Any]:
    """Return the event of a request."""
    headers = {name: value if isinstance(value, list) else [value] for name, value in request.headers.items()}
    parameters: dict[str, list[str]] = {}
    for name, value in parse_qsl(request.query, keep_blank_values=True):
        parameters.setdefault(name, []).append(value)
    text, is_base64 = _text(request.body)
    return {
        "resource": "/{proxy+}",
        "path": request.path,
        "httpMethod": request.method,
        "headers": {name: values[-1] for name, values in headers.items()},
        "multiValueHeaders": headers,
        "queryStringParameters": {name: values[-1] for name, values in parameters.items()} or None,
        "multiValueQueryStringParameters": parameters or None,
        "pathParameters": {"proxy": request.path.lstrip("/")},
        "stageVariables": None,
        "requestContext": {
            "requestId": identifier,
            "stage": "v1",
            "httpMethod": request.method,
            "path": f"/v1{request.path}",
            "protocol": "HTTP/1.1",
            "identity": {},
        },
        "body": text,
        "isBase64Encoded": is_base64,
    }


def parse_answer(returned: Mapping[str, Any]) -> Answer:
    """Return what a function returned, in either payload format, as an answer."""
    headers = {name.lower(): list(values) for name, values in (returned.get("multiValueHeaders") or {}).items()}
    headers |= {name.lower(): [value] for name, value in (returned.get("headers") or {}).items()}
    body = returned.get("body") or ""
    content = b64decode(body) if returned.get("isBase64Encoded") else body.encode()
    return Answer(returned["statusCode"], headers, content)


def _text(body: bytes) -> tuple[str | None, bool]:
    if not body:
        return None, False
    try:
        return body.decode(), False
    except UnicodeDecodeError:
        return b64encode(body).decode(), True
