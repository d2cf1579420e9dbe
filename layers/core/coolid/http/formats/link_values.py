"""`application/linkset`: all links of a record as a `Link` header would have them (RFC 9264, section 4.1).

A link value for each line, with its context as `anchor`, so that it can be read wherever the document lies.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active")
>>> print(write(record, ()).partition(",")[0])
<https://id.example.org/mp:x5>; rel="cite-as"; anchor="https://id.example.org/mp:x5"
"""

from collections.abc import Sequence
from typing import Final

from coolid.http.formats.links import LINKS, set_of
from coolid.http.formats.representation import Representation
from coolid.model.records import Record

_SEPARATOR: Final = ",\n"


def write(record: Record, representations: Sequence[Representation]) -> str:
    """The link set as text; `representations` are those that it tells of, itself excepted."""
    return _SEPARATOR.join(map(str, set_of(record, representations, LINKS))) + "\n"
