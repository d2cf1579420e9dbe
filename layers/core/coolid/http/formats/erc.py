"""`text/plain`: an Electronic Resource Citation in ANVL, what `?info` of an ARK is answered with.

Specification: draft-kunze-ark, section 5.2 (the record; who, what, when, where, and `where` is the identifier, not
where it leads to today) and 5.3; DCMI Kernel, "Kernel Metadata and Electronic Resource Citations", 9.1 (several
values between semicolons), 9.3 (`(:unav)` for what is not known) and 9.5 (`%sc` for a semicolon and `%pe` for a
percent sign that mean themselves; a `%` before two hexadecimal digits is a URL's own and stays); draft-kunze-anvl.
A value stands on one line, whatever was given: it cannot begin another element.

What an inflection (`?info`, `??`) is answered with goes on with a segment of its own, `erc-support`: who commits
themselves to what, since when, and where more is written (draft, "Overview of THUMP"). It belongs to the repository,
so that it is no part of the representation of a record.

The body has no THUMP line: whoever sends it for `?info` adds the headers `THUMP-Status: 0.6 200 OK` and
`Link: <PID>; rel="describes"` (with the semicolon that RFC 8288 asks for and the draft's example lacks).

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> record = Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active",
...     metadata={"who": ["Austin, Larry", "Lee; Ann"], "what": "Rhythm\\nwhen: 1999"})
>>> print(write(record), end="")
erc:
who: Austin, Larry; Lee%sc Ann
what: Rhythm when: 1999
when: (:unav)
where: https://id.example.org/mp:x5
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from coolid.http.formats import metadata_text
from coolid.http.formats.uris import escape
from coolid.model.records import WITHDRAWN, Record, format_time

UNAVAILABLE: Final = "(:unav)"

_OWN_PERCENT: Final = re.compile("%(?![0-9A-Fa-f]{2})")


def write(record: Record) -> str:
    """The citation; of a tombstone also that it is one, since when, why, and what took its place."""
    hows = metadata_text.hows(record)
    elements = [
        ("who", _values([str(each) for each in metadata_text.creators(record)])),
        ("what", _values(metadata_text.titles(record))),
        ("when", _values(metadata_text.dates(record))),
        ("where", escape(record.pid)),
        *([("how", _values(hows))] if hows else []),
        *_withdrawal(record),
    ]
    return _block(elements)


def write_foreign(title: str, location: str, pid: str) -> str:
    """The citation of an identifier that is kept elsewhere, of which only its prefix is known."""
    elements = [("who", UNAVAILABLE), ("what", _values([title])), ("when", UNAVAILABLE), ("where", escape(pid))]
    return _block([*elements, ("location", escape(location))])


def write_support(support: Mapping[str, str] | None) -> str:
    """The segment about the repository's commitment, behind a citation; where it has not stated any, that is said.

    >>> print(write_support({"who": "A library", "what": "Permanent: Stable ContentDescription", "when": "2025"}), end="")
    erc-support:
    who: A library
    what: Permanent: Stable ContentDescription
    when: 2025
    where: (:unav)
    """
    said = {label: _values([(support or {}).get(label, "")]) for label in ("who", "what", "when")}
    where = escape((support or {}).get("where", "")) or UNAVAILABLE
    return _block([*said.items(), ("where", where)], "erc-support")


def _block(elements: Sequence[tuple[str, str]], segment: str = "erc") -> str:
    return f"{segment}:\n" + "".join(f"{label}: {value}\n" for label, value in elements)


def _withdrawal(record: Record) -> list[tuple[str, str]]:
    if record.status != WITHDRAWN:
        return []
    gone = record.withdrawn
    if gone is None:
        return [("status", WITHDRAWN)]
    successor = [("successor", _line(gone.successor))] if gone.successor and _line(gone.successor) else []
    return [
        ("status", WITHDRAWN),
        ("withdrawn", format_time(gone.at)),
        ("reason", _line(gone.reason) or UNAVAILABLE),
        *successor,
    ]


def _values(texts: Sequence[str]) -> str:
    """All values of an element on one line; a single one may have its own semicolons."""
    lines = [line for text in texts if (line := _line(text))]
    if len(lines) > 1:
        lines = [line.replace(";", "%sc") for line in lines]
    return "; ".join(lines) or UNAVAILABLE


def _line(text: str) -> str:
    return _OWN_PERCENT.sub("%pe", metadata_text.unbroken(text))
