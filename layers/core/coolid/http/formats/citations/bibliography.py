"""`text/x-bibliography`: the work as a line of a bibliography.

Source: DataCite Metadata Schema 4.6, the recommended citation: creators, year, title, version, publisher, general type,
identifier; unknown parts are omitted. `coolid.http.parameters` offers other styles.

>>> from datetime import UTC, datetime
>>> when = datetime(2025, 1, 15, 9, 30, tzinfo=UTC)
>>> print(write(Record("x5", "https://id.example.org/mp:x5", "r4k2", 1, when, when, "https://id.example.org", "active",
...     metadata={"what": "Tea", "who": ["Lee, Ann", "CERN"], "when": "2024-05", "type": "Dataset"})), end="")
Lee, Ann; CERN (2024): Tea. Dataset. https://id.example.org/mp:x5
"""

from coolid.http.formats.citations.work_types import ANY
from coolid.http.formats.citations.works import work_of
from coolid.model.records import Record


def write(record: Record) -> str:
    """Return the citation on one line."""
    work = work_of(record)
    head = _joined("; ".join(each.name for each in work.creators), work.when and f"({work.year or work.when})")
    container = work.container
    parts = [
        work.title,
        work.version and f"Version {work.version}",
        _joined(container.title, container.volume, container.issue and f"({container.issue})"),
        work.publisher,
        work.kind.general if work.kind != ANY else "",
    ]
    sentences = [text if text.endswith((".", "!", "?")) else f"{text}." for text in parts if text]
    return _joined(head and f"{head}:", *sentences, work.pid, work.withdrawal and f"[{work.withdrawal}]") + "\n"


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))
