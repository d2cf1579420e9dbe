"""Limits of headers: what an answer leaves out so that API Gateway passes it on.

API Gateway passes 10,240 bytes of header names and values, its own headers included ("Quotas for configuring and
running a REST API"). It adds about 300 bytes: `Date`, `ContentDescription-Length`, `HttpConnection`, `x-amzn-RequestId`,
`x-amz-apigw-id` and `X-Amzn-Trace-Id`. Answers keep within `coolid.http.message.MOST_HEADER_BYTES`, to which an `ETag`
of 34 bytes is added.

Links are left out first, from the end, because those that write a `Link` put the most needed links first. Then go the
last members of `Target-Warning` and `Provider-Choice`, which are lists, too. No other header of an answer is that long:
a `Location` has at most 9,000 bytes (`coolid.http.redirects`).

>>> members('<https://a.example/,b>; rel="item"; title="x, <y", <https://b.example/>; rel="item"')
['<https://a.example/,b>; rel="item"; title="x, <y"', '<https://b.example/>; rel="item"']
>>> fitted({"Link": '<a>; rel="canonical", <b>; rel="item"'}, 40)
{'Link': '<a>; rel="canonical"'}
"""

import re
from collections.abc import Mapping
from typing import Final

from coolid.http.message import LINK, MOST_HEADER_BYTES, MOST_LINK_BYTES, header_bytes

_LISTS: Final = (LINK, "Target-Warning", "Provider-Choice")
"""The headers that may lose members, in the order in which they lose them."""
_SEPARATOR: Final = ", "
_MEMBER: Final = re.compile(r'(?:[^,"<]|<[^>]*>|"(?:[^"\\]|\\.)*"|["<])+')


def fitted(headers: Mapping[str, str], limit: int = MOST_HEADER_BYTES) -> dict[str, str]:
    """Return the headers without the members of lists for which there is no room in `limit` bytes.

    `Link` has at most `MOST_LINK_BYTES`. A header that loses all of its members is left out.
    """
    kept = dict(headers)
    for name in _LISTS:
        value = kept.pop(name, None)
        if value is None:
            continue
        room = limit - header_bytes({**kept, name: ""})
        shorter = _first_members(value, min(room, MOST_LINK_BYTES) if name == LINK else room)
        if shorter:
            kept[name] = shorter
    return kept


def members(value: str) -> list[str]:
    """Return the members of a list (RFC 9110, section 5.6.1): commas in quotes and in angle brackets separate none."""
    return [member.strip() for member in _MEMBER.findall(value) if member.strip()]


def _first_members(value: str, room: int) -> str:
    """Return the list with those of its members that fit into `room` bytes, the first ones first."""
    if len(value) <= room:
        return value
    kept: list[str] = []
    for member in members(value):
        length = len(member) + (len(_SEPARATOR) if kept else 0)
        if length <= room:
            kept.append(member)
            room -= length
    return _SEPARATOR.join(kept)
