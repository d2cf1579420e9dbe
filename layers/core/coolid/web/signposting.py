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

from collections.abc import Iterable
from functools import cache
from typing import Final

from coolid.domain.records import Record
from coolid.web.representations.links import Link, facts_of, forms_of, profile_of
from coolid.web.representations.representation import Representation
from coolid.web.representations.table import REPRESENTATIONS, Forms, forms
from coolid.web.representations.uris import escape

MOST_BYTES: Final = 7_000

_SEPARATOR: Final = ", "
_PID: Final = "\0"
"""Stands for the PID; no URI has it."""
_LEAST: Final = 40
"""No link worth having is shorter, with its relation and separator."""


def link_header(record: Record, *, canonical: str) -> str:
    """The value of the header; `canonical` is the link that the record is to be known by."""
    first = _value(Link("canonical", escape(canonical)))
    head = first + _SEPARATOR + _told(forms(record)).replace(_PID, escape(record.pid))
    if len(head) <= MOST_BYTES:
        return _filled(head, facts_of(record))
    # So long a PID that there is no room for all forms.
    return _filled(first, profile_of(record, _announced(REPRESENTATIONS)))


def _filled(head: str, links: Iterable[Link]) -> str:
    """The header that begins so, with as many of the links as it has room for."""
    values = [head]
    room = MOST_BYTES - len(head)
    for link in links:
        if room < _LEAST:
            break
        value = _value(link)
        if len(value) + len(_SEPARATOR) <= room:
            values.append(value)
            room -= len(value) + len(_SEPARATOR)
    return _SEPARATOR.join(values)


@cache
def _told(those: Forms) -> str:
    """The part of the header that tells of the forms."""
    return _SEPARATOR.join(map(_value, forms_of(_PID, _announced(those.representations))))


def _announced(representations: Iterable[Representation]) -> list[Representation]:
    return [each for each in representations if each.announced]


def _value(link: Link) -> str:
    """A link value; targets and attributes are printable ASCII without quotes and angle brackets (`profile_of`)."""
    value = f'<{link.href}>; rel="{link.rel}"'
    if link.type:
        value += f'; type="{link.type}"'
    return f'{value}; hreflang="{link.hreflang}"' if link.hreflang else value
