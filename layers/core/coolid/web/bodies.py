"""Bodies of requests: one JSON value, within the size that is read."""

from typing import Any

from coolid.domain.documents import MOST_BYTES, NotJson, load
from coolid.web.errors import BodyTooLarge, MalformedBody
from coolid.web.message import Request


def json_of(request: Request) -> Any:
    """The JSON value of the body; `BodyTooLarge`, `MalformedBody`."""
    if len(request.body) > MOST_BYTES:
        raise BodyTooLarge(f"the body has {len(request.body)} bytes, more than the {MOST_BYTES} that are read")
    try:
        return load(request.body)
    except NotJson as error:
        raise MalformedBody(f"the body is not JSON: {error}") from error
