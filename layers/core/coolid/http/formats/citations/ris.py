"""`application/x-research-info-systems`: the work as a RIS record, for reference managers.

Source: the RIS format of Reference Manager and EndNote. Each line is a tag of two letters, two spaces, a hyphen, a
space and a value; `TY` comes first, `ER` last, and lines end with CR LF. A value is written on one line, so that it
cannot begin another tag.
"""

from coolid.http.formats.citations.works import Work, work_of
from coolid.model.records import Record


def write(record: Record) -> str:
    """Return the RIS record, with a line for each value of a tag."""
    work = work_of(record)
    container = work.container
    lines = [
        ("TY", work.kind.ris),
        ("TI", work.title),
        *(("AU", each.name) for each in work.creators),
        *(("A2", each.name) for each in work.editors),
        ("T2", container.title),
        ("VL", container.volume),
        ("IS", container.issue),
        ("SP", container.first_page),
        ("EP", container.last_page),
        ("PY", work.year),
        ("DA", _date(work)),
        ("PB", work.publisher),
        ("ET", work.version),
        ("LA", work.language),
        *(("KW", each) for each in work.subjects),
        ("AB", work.abstract),
        ("DO", work.doi),
        ("UR", work.pid),
        ("N1", work.withdrawal),
    ]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in lines if value) + "ER  - \r\n"


def _date(work: Work) -> str:
    """Return year, month and day separated by slashes, or the date's text after them if it has none of these."""
    if not work.issued:
        return f"///{work.when}" if work.when else ""
    year, *rest = work.issued
    month, day = [f"{part:02}" for part in rest] + [""] * (2 - len(rest))
    return f"{year:04}/{month}/{day}/"
