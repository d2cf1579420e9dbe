"""`text/x-bibliography`: the work as a line of a bibliography.

Source: DataCite Metadata Schema 4.6, the recommended citation: creators, year, title, version, publisher, general type,
identifier; unknown parts are omitted. `coolid.http.citation_parameter` offers other styles.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> print(write(Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active",
...     metadata={"what": "Tea", "who": ["Lee, Ann", "CERN"], "when": "2024-05", "type": "Dataset"})), end="")
Lee, Ann; CERN (2024): Tea. Dataset. https://id.example.org/mp:x5
"""

from typing import Final

from coolid.http.formats.citations.work_types import ANY
from coolid.http.formats.citations.works import work_of
from coolid.model.records import Record

_ENDS: Final = ".!?"


def write(record: Record) -> str:
    """Return the citation on one line."""
    work = work_of(record)
    who = "; ".join(each.name for each in work.creators)
    when = f"({work.year or work.when})" if work.when else ""
    container = work.container
    source = " ".join(filter(None, (container.title, container.volume, container.issue and f"({container.issue})")))
    parts = [
        work.title,
        f"Version {work.version}" if work.version else "",
        source,
        work.publisher,
        work.kind.general if work.kind != ANY else "",
    ]
    head = " ".join(filter(None, (who, when)))
    sentences = [text if text[-1] in _ENDS else f"{text}." for text in parts if text]
    opening = [f"{head}:"] if head else []
    withdrawal = [f"[{work.withdrawal}]"] if work.withdrawal else []
    return " ".join([*opening, *sentences, work.pid, *withdrawal]) + "\n"
