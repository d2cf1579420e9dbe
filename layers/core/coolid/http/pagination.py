"""Pagination of lists: page sizes and cursors.

A cursor is opaque to clients: base64url of its list's name and the position to continue from. It contains no secrets.

>>> read_cursor("prefixes", cursor("prefixes", "namespace mp"))
'namespace mp'
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from itertools import accumulate, takewhile
from typing import Any, Final

from coolid.errors import InvalidInput
from coolid.http.errors import BadCursor
from coolid.http.message import NUMBER, Request
from coolid.strict_json import dump

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
MAX_POSITION_BYTES: Final = 1000
"""A little less than the limit of DynamoDB for the sort key of an index."""
MAX_PAGE_BYTES: Final = 4_000_000
"""Bytes of the members on one page; the response of a Lambda function has at most 6 MB."""
_NUMBER: Final = re.compile(NUMBER)


def page_parameters(request: Request, name: str) -> tuple[int, str | None]:
    """Return `?limit=`, and the position in the list `name` by `?cursor=`. Raises `InvalidInput`, `BadCursor`."""
    limit = request.parameter("limit")
    if limit is not None and not (_NUMBER.fullmatch(limit) and int(limit) <= MAX_LIMIT):
        raise InvalidInput.at("", f"limit is a number from 1 to {MAX_LIMIT}")
    text = request.parameter("cursor")
    return int(limit) if limit else DEFAULT_LIMIT, read_cursor(name, text) if text else None


def page_length(sizes: Iterable[int]) -> int:
    """Return how many of the first members, of these sizes in bytes, fit on a page; at least one."""
    totals = takewhile(lambda total: total <= MAX_PAGE_BYTES, accumulate(sizes))
    return max(1, sum(1 for _ in totals))


def fitting(documents: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first documents, as many as fit on a page; at least one if there is any. Takes at most one more."""
    fitted: list[dict[str, Any]] = []
    size = 0
    for document in documents:
        size += len(dump(document).encode())
        if fitted and size > MAX_PAGE_BYTES:
            break
        fitted.append(document)
    return fitted


def cursor(name: str, after: str) -> str:
    """Return the cursor of the page after the position `after` in the list `name`, which has no line break."""
    return urlsafe_b64encode(f"{name}\n{after}".encode()).rstrip(b"=").decode()


def read_cursor(name: str, text: str) -> str:
    """Return the position in a cursor. Raises `BadCursor` if it is malformed or of another list."""
    try:
        decoded = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)).decode()
    except ValueError as error:
        raise BadCursor("the cursor is malformed") from error
    list_name, _, after = decoded.partition("\n")
    if list_name != name or not after or len(after.encode()) > MAX_POSITION_BYTES or cursor(name, after) != text:
        raise BadCursor("the cursor belongs to another list")
    return after
