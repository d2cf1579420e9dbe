"""Link sets: all links of a record in one document (RFC 9264), as JSON (section 4.2) or text (section 4.1).

The JSON has a context object for each anchor, the PID's first, which lists the targets of each relation. `hreflang` is
a list (section 4.2.4.1). `profile` is omitted, because section 4.2.4.3 requires a list, but programs for the FAIR
Signposting Profile expect a text and fail on a list. The text form has it: each line is a value of a `Link` header with
its context as `anchor`, so that the document is valid at any URL.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
>>> write_json(record, ())[:88]
'{"linkset":[{"anchor":"https://id.example.org/mp:x5","cite-as":[{"href":"https://id.exam'
>>> print(write_text(record, ()).partition(",")[0])
<https://id.example.org/mp:x5>; rel="cite-as"; anchor="https://id.example.org/mp:x5"
"""

from collections.abc import Sequence
from typing import Any

from coolid.http.formats.links import LINKS, LINKSET, linkset_links
from coolid.http.formats.representation import Representation
from coolid.model.records import Record
from coolid.strict_json import dump


def write_json(record: Record, representations: Sequence[Representation]) -> str:
    """Return the link set as JSON (`application/linkset+json`), with links to the other `representations`."""
    contexts: dict[str | None, dict[str, Any]] = {}
    for link in linkset_links(record, representations, LINKSET):
        target: dict[str, Any] = {"href": link.href}
        if link.type:
            target["type"] = link.type
        if link.hreflang:
            target["hreflang"] = [link.hreflang]
        contexts.setdefault(link.anchor, {"anchor": link.anchor}).setdefault(link.rel, []).append(target)
    return dump({"linkset": list(contexts.values())})


def write_text(record: Record, representations: Sequence[Representation]) -> str:
    """Return the link set as text (`application/linkset`), with links to the other `representations`."""
    return ",\n".join(map(str, linkset_links(record, representations, LINKS))) + "\n"
