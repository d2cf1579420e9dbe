"""Header limits: shortens headers that API Gateway would reject.

API Gateway passes 10,240 bytes of header names and values, its own headers included ("Quotas for configuring and
running a REST API"). It adds about 300 bytes: `Date`, `Content-Length`, `Connection`, `x-amzn-RequestId`,
`x-amz-apigw-id` and `X-Amzn-Trace-Id`. Responses have at most `coolid.http.message.MAX_HEADER_BYTES`, plus an `ETag` of
34 bytes.

Links are left out first, from the end, because the most important links come first. Then go the last members of
`Target-Warning` and `Provider-Choice`, which are lists, too. No other header is that long: a `Location` has at most
9,000 bytes (`coolid.http.redirects`).

>>> members('<https://a.example/,b>; rel="item"; title="x, <y", <https://b.example/>; rel="item"')
['<https://a.example/,b>; rel="item"; title="x, <y"', '<https://b.example/>; rel="item"']
>>> shortened_headers({"Link": '<a>; rel="canonical", <b>; rel="item"'}, 40)
{'Link': '<a>; rel="canonical"'}
"""

import re
from collections.abc import Mapping
from typing import Final

from coolid.http.message import LINK, MAX_HEADER_BYTES, MAX_LINK_BYTES, header_bytes

_LISTS: Final = (LINK, "Target-Warning", "Provider-Choice")
"""The headers that may lose members, in the order in which they lose them."""
_SEPARATOR: Final = ", "
_MEMBER: Final = re.compile(r'(?:[^,"<]|<[^>]*>|"(?:[^"\\]|\\.)*"|["<])+')


def shortened_headers(headers: Mapping[str, str], limit: int = MAX_HEADER_BYTES) -> dict[str, str]:
    """Return the headers without the list members that exceed `limit` bytes.

    `Link` has at most `MAX_LINK_BYTES`. A header that loses all of its members is left out.
    """
    shortened = dict(headers)
    for name in _LISTS:
        value = shortened.pop(name, None)
        if value is None:
            continue
        remaining = limit - header_bytes({**shortened, name: ""})
        shorter = _first_members(value, min(remaining, MAX_LINK_BYTES) if name == LINK else remaining)
        if shorter:
            shortened[name] = shorter
    return shortened


def members(value: str) -> list[str]:
    """Return the members of a list (RFC 9110, section 5.6.1), not split at commas in quotes or angle brackets."""
    return [member.strip() for member in _MEMBER.findall(value) if member.strip()]


def _first_members(value: str, remaining: int) -> str:
    """Return the list with the members that fit into `remaining` bytes, in order."""
    if len(value) <= remaining:
        return value
    chosen: list[str] = []
    for member in members(value):
        length = len(member) + (len(_SEPARATOR) if chosen else 0)
        if length <= remaining:
            chosen.append(member)
            remaining -= length
    return _SEPARATOR.join(chosen)
