"""`application/linkset+json`: all links of a record in one document (RFC 9264, section 4.2).

One context object, whose anchor is the PID; each relation has its targets, and `hreflang` is a list, as section
4.2.4.1 says.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
>>> write(record, ())[:88]
'{"linkset":[{"anchor":"https://id.example.org/mp:x5","cite-as":[{"href":"https://id.exam'
"""

from collections.abc import Sequence
from typing import Any

from coolid.domain.documents import dump
from coolid.domain.records import Record
from coolid.web.representations.links import Link, links_of
from coolid.web.representations.representation import Representation
from coolid.web.representations.uris import escape


def write(record: Record, representations: Sequence[Representation]) -> str:
    """The link set as JSON; `representations` are those that it tells of, itself excepted."""
    context: dict[str, Any] = {"anchor": escape(record.pid)}
    for link in links_of(record, representations):
        if link.rel != "linkset":
            context.setdefault(link.rel, []).append(_target(link))
    return dump({"linkset": [context]})


def _target(link: Link) -> dict[str, Any]:
    target: dict[str, Any] = {"href": link.href}
    if link.type:
        target["type"] = link.type
    if link.hreflang:
        target["hreflang"] = [link.hreflang]
    return target
