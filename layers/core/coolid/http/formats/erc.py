"""`text/plain`: an Electronic Resource Citation in ANVL, the answer to `?info` of an ARK.

Specification: draft-kunze-ark, sections 5.2 (who, what, when, where; `where` is the identifier, not its target) and
5.3; DCMI Kernel, "Kernel Metadata and Electronic Resource Citations", 9.1 (semicolons separate values), 9.3 (`(:unav)`
for an unknown value) and 9.5 (`%sc` for a literal semicolon and `%pe` for a percent sign, unless two hexadecimal digits
follow it, as in a URL); draft-kunze-anvl. A value is written on one line, so that it cannot begin another element.

The answer to an inflection (`?info`, `??`) has a second segment, `erc-support`: who makes which commitment, since when,
and where it is described (draft, "Overview of THUMP"). It describes the repository and is not part of a record's ERC.
Headers replace the THUMP line of the draft (`coolid.http.record_view`).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.model import ISSUED
from coolid.http.formats.metadata_text import on_one_line
from coolid.http.formats.uris import escape
from coolid.model.records import WITHDRAWN, Record, format_time

UNAVAILABLE: Final = "(:unav)"

_OWN_PERCENT: Final = re.compile("%(?![0-9A-Fa-f]{2})")


def write(record: Record) -> str:
    """Return the ERC; for a tombstone with its status, time, reason and successor."""
    about = describe(record)
    issued = [each.date for each in about.dates if each.type == ISSUED] or [about.when]
    elements = {
        "who": _values([each.name for each in about.creators]),
        "what": _values([each.text for each in about.titles]),
        "when": _values(issued),
        "where": about.pid,
    }
    if about.methods:
        elements["how"] = _values(about.methods)
    if record.status == WITHDRAWN:
        elements["status"] = WITHDRAWN
        if gone := record.withdrawn:
            elements["withdrawn"] = format_time(gone.at)
            elements["reason"] = _line(gone.reason) or UNAVAILABLE
            if successor := _line(gone.successor or ""):
                elements["successor"] = successor
    return _block("erc", elements)


def write_foreign(title: str, location: str, pid: str) -> str:
    """Return the ERC of an identifier of another service, of which only the prefix is known."""
    elements = {"who": UNAVAILABLE, "what": _values([title]), "when": UNAVAILABLE, "where": escape(pid)}
    return _block("erc", {**elements, "location": escape(location)})


def write_support(support: Mapping[str, str] | None) -> str:
    """Return the segment `erc-support` about the repository's commitment, with `(:unav)` for missing parts."""
    parts = support or {}
    elements = {label: _values([parts.get(label, "")]) for label in ("who", "what", "when")}
    return _block("erc-support", {**elements, "where": escape(parts.get("where", "")) or UNAVAILABLE})


def _block(segment: str, elements: Mapping[str, str]) -> str:
    return f"{segment}:\n" + "".join(f"{label}: {value}\n" for label, value in elements.items())


def _values(texts: Sequence[str]) -> str:
    """Return the values of an element on one line; a single value keeps its semicolons."""
    lines = [line for text in texts if (line := _line(text))]
    if len(lines) > 1:
        lines = [line.replace(";", "%sc") for line in lines]
    return "; ".join(lines) or UNAVAILABLE


def _line(text: str) -> str:
    return _OWN_PERCENT.sub("%pe", on_one_line(text))
