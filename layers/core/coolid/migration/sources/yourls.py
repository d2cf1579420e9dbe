"""The source `yourls`: the links of YOURLS, as SQL dump, CSV or JSON.

Sources: YOURLS 1.10, `includes/functions-install.php`, which defines the table `yourls_url` (`keyword`, `url`, `title`,
`timestamp`, `ip`, `clicks`; the prefix of its name is a setting), and its API, action `stats`, whose answer has the
links below `links`. Times without a zone count as UTC. The addresses of clients (`ip`) are personal data, which are
never read into an entry.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from coolid.migration.dumps.dump_rows import DumpRow, moment_of, read_rows
from coolid.migration.source_identifiers import Entry, Loss, SourceIdentifier, SourceVersion, UnreadableEntry
from coolid.migration.sources.short_links import first_text, path_in
from coolid.model.records import Location

_TABLE: Final = "url"
_JSON_PATH: Final = ("links", "*")
_KEYWORDS: Final = ("keyword", "shorturl", "short_url", "short url")
_TARGETS: Final = ("url", "longurl", "long_url", "original url", "long url")


def read(path: Path) -> Iterator[Entry]:
    """See `Source`. The position of an entry is the number of its row."""
    return map(_entry, read_rows(path, lambda table: table.split("_")[-1] == _TABLE, _JSON_PATH, (_KEYWORDS, _TARGETS)))


def _entry(row: DumpRow) -> Entry:
    if row.values is None:
        return UnreadableEntry(row.number, row.reason)
    keyword = path_in(first_text(row.values, _KEYWORDS)).rpartition("/")[2]
    target = first_text(row.values, _TARGETS)
    if not keyword or not target:
        return UnreadableEntry(row.number, "it has no keyword or no URL", keyword)
    title = first_text(row.values, ("title",))
    has_title = title not in ("", target)
    version = SourceVersion(locations=(Location(target),), metadata={"what": title} if has_title else {})
    losses = (Loss("title", "it is not UTF-8"),) if isinstance(row.values.get("title"), bytes) else ()
    created = moment_of(row.values.get("timestamp"))
    return SourceIdentifier(row.number, keyword, (version,), losses, created)
