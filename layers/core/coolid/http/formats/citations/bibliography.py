"""`text/x-bibliography`: the work as a line of a bibliography.

Source: DataCite Metadata Schema 4.6, the recommended citation: creators, year, title, version, publisher, general type,
identifier; unknown parts are omitted. `coolid.http.parameters` offers other styles.
"""

from coolid.http.formats.citations.works import work_of
from coolid.http.formats.description.work_types import ANY
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
