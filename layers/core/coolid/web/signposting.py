"""The `Link` header of a record, its page and its redirect (RFC 8288), by the FAIR Signposting Profile, level 1.

It is at most 7,000 bytes long, so that a `Location` of 2,048 bytes and all other headers find room in the 10,240 bytes
that API Gateway lets pass. What finds none here is in the link set, which the header names (level 2).

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
>>> for link in link_header(record, canonical="https://id.example.org/mp:x5").split(", ")[:3]:
...     print(link)
<https://id.example.org/mp:x5>; rel="canonical"
<https://id.example.org/mp:x5>; rel="cite-as"
<https://id.example.org/mp:x5?format=linkset>; rel="linkset"; type="application/linkset+json"
"""

from typing import Final

from coolid.domain.records import Record
from coolid.web.representations.links import Link, links_of
from coolid.web.representations.table import REPRESENTATIONS
from coolid.web.representations.uris import escape

MOST_BYTES: Final = 7_000

_SEPARATOR: Final = ", "
_LEAST: Final = 40
"""No link worth having is shorter, with its relation and separator."""
_LEFT_OUT: Final = "alternate"
"""A relation for the link set alone."""


def link_header(record: Record, *, canonical: str) -> str:
    """The value of the header; `canonical` is the link that the record is to be known by."""
    values = [_value(Link("canonical", escape(canonical)))]
    room = MOST_BYTES - len(values[0])
    for link in links_of(record, REPRESENTATIONS):
        if room < _LEAST:
            break
        value = _value(link)
        if link.rel != _LEFT_OUT and len(value) + len(_SEPARATOR) <= room:
            values.append(value)
            room -= len(value) + len(_SEPARATOR)
    return _SEPARATOR.join(values)


def _value(link: Link) -> str:
    """A link value; targets and attributes are printable ASCII without quotes and angle brackets (`links_of`)."""
    attributes = {"rel": link.rel, "type": link.type, "hreflang": link.hreflang}
    return f"<{link.href}>" + "".join(f'; {name}="{value}"' for name, value in attributes.items() if value)
