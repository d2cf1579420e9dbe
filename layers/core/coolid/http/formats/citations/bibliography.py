"""`text/x-bibliography`: the work as a line of a bibliography.

Source: DataCite Metadata Schema 4.6, the recommended citation: creators, year, title, version, publisher, general type,
identifier; unknown parts are omitted. `coolid.http.parameters` offers other styles.
"""

from coolid.http.formats.description.metadata_reader import describe
from coolid.http.formats.description.work_types import ANY
from coolid.model.records import Record


def write(record: Record) -> str:
    """Return the citation on one line."""
    about = describe(record)
    head = _joined("; ".join(each.name for each in about.creators), about.when and f"({about.year or about.when})")
    container = about.container
    parts = [
        about.title,
        about.version and f"Version {about.version}",
        _joined(container.title, container.volume, container.issue and f"({container.issue})"),
        about.publisher,
        about.kind.general if about.kind != ANY else "",
    ]
    sentences = [text if text.endswith((".", "!", "?")) else f"{text}." for text in parts if text]
    return _joined(head and f"{head}:", *sentences, about.pid, about.withdrawal and f"[{about.withdrawal}]") + "\n"


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))
