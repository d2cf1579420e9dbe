"""`application/linkset+json`: all links of a record in one document (RFC 9264, section 4.2).

It has a context object for each anchor, the PID's first, which lists the targets of each relation. `hreflang` is a list
(section 4.2.4.1). `profile` is omitted, because section 4.2.4.3 requires a list, but programs for the FAIR Signposting
Profile expect a text and fail on a list. The text form (`link_values`) has it.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
>>> write(record, ())[:88]
'{"linkset":[{"anchor":"https://id.example.org/mp:x5","cite-as":[{"href":"https://id.exam'
"""

from collections.abc import Sequence
from typing import Any

from coolid.http.formats.links import LINKSET, TypedLink, linkset_links
from coolid.http.formats.representation import Representation
from coolid.model.records import Record
from coolid.strict_json import dump


def write(record: Record, representations: Sequence[Representation]) -> str:
    """Return the link set as JSON, with links to the other `representations`."""
    contexts: dict[str | None, dict[str, Any]] = {}
    for link in linkset_links(record, representations, LINKSET):
        context = contexts.setdefault(link.anchor, {"anchor": link.anchor})
        context.setdefault(link.rel, []).append(_target(link))
    return dump({"linkset": list(contexts.values())})


def _target(link: TypedLink) -> dict[str, Any]:
    target: dict[str, Any] = {"href": link.href}
    if link.type:
        target["type"] = link.type
    if link.hreflang:
        target["hreflang"] = [link.hreflang]
    return target
