"""Pages of lists: how many there are on one, and where the next one begins.

A cursor is opaque to clients: base64url of the list that it belongs to and where to go on in it. It holds nothing that
a client may not know.

>>> read_cursor("prefixes", cursor("prefixes", "namespace mp"))
'namespace mp'
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from coolid.errors import InvalidInput
from coolid.http.errors import BadCursor
from coolid.http.message import Request
from coolid.http.tokens import NUMBER

USUAL: Final = 100
MOST: Final = 1000
MOST_BYTES: Final = 1000
"""What DynamoDB has room for in the sort key of an index, less a little."""
_NUMBER: Final = re.compile(NUMBER)


def page_of(request: Request, name: str) -> tuple[int, str | None]:
    """How many are asked for (`?limit=`) of the list `name`, and behind what (`?cursor=`).

    `InvalidInput`, `BadCursor`.
    """
    limit = request.parameter("limit")
    if limit is not None and not (_NUMBER.fullmatch(limit) and int(limit) <= MOST):
        raise InvalidInput.at("", f"limit is a number from 1 to {MOST}")
    text = request.parameter("cursor")
    return int(limit) if limit else USUAL, read_cursor(name, text) if text else None


def cursor(name: str, behind: str) -> str:
    """The cursor for what comes behind this in the list of this name, which has no line break."""
    return urlsafe_b64encode(f"{name}\n{behind}".encode()).rstrip(b"=").decode()


def read_cursor(name: str, text: str) -> str:
    """The inverse of `cursor`; `BadCursor` for what is none, or is of another list."""
    try:
        place = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)).decode()
    except ValueError as error:
        raise BadCursor("the cursor is not one of ours") from error
    of, _, behind = place.partition("\n")
    if of != name or not behind or len(behind.encode()) > MOST_BYTES or cursor(name, behind) != text:
        raise BadCursor("the cursor is not one of this list")
    return behind
