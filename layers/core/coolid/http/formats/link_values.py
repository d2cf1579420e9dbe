"""`application/linkset`: all links of a record in the syntax of a `Link` header (RFC 9264, section 4.1).

Each line is a link value with its context as `anchor`, so that the document is valid at any URL.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
>>> print(write(record, ()).partition(",")[0])
<https://id.example.org/mp:x5>; rel="cite-as"; anchor="https://id.example.org/mp:x5"
"""

from collections.abc import Sequence
from typing import Final

from coolid.http.formats.links import LINKS, linkset_links
from coolid.http.formats.representation import Representation
from coolid.model.records import Record

_SEPARATOR: Final = ",\n"


def write(record: Record, representations: Sequence[Representation]) -> str:
    """Return the link set as text, with links to the other `representations`."""
    return _SEPARATOR.join(map(str, linkset_links(record, representations, LINKS))) + "\n"
