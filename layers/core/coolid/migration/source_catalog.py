"""The catalog of sources: the service of each, the files that it reads, and its reader.

The module of a reader is imported when the reader is looked up.

>>> source_entry("ezid").service
'EZID'
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final, NamedTuple

from coolid.errors import UsageError
from coolid.migration.source_identifiers import Source

_PACKAGE: Final = "coolid.migration.sources"


class SourceEntry(NamedTuple):
    """A source: the name of its service, the files that it reads, and its reader.

    `target` is a module of `coolid.migration.sources` and a `Source` in it. `not_kept` names what no import of it
    keeps, so that the report need not repeat this for each identifier. `restores` if a withdrawn identifier can become
    active again there, and an update follows.
    """

    service: str
    files: str
    target: str
    not_kept: str = ""
    restores: bool = False


SOURCES: Final[Mapping[str, SourceEntry]] = MappingProxyType({
    "arklet": SourceEntry("arklet", "an SQL dump, CSV, or JSON of Django", "arklet:read", "users and keys"),
    "csv": SourceEntry("a table", "CSV with a header, or JSON Lines", "csv_table:read"),
    "datacite": SourceEntry(
        "DataCite", "JSON of the REST API, XML, or a ZIP of them", "datacite.reader:read",
        "clients and counts of views, downloads and citations",
    ),
    "ezid": SourceEntry(
        "EZID", "a batch download as ANVL, CSV or XML", "ezid.reader:read", "owners and groups", restores=True
    ),
    "handle": SourceEntry("a Handle server", "a batch file, listing, SQL dump, CSV or JSON", "handle.reader:read"),
    "noid": SourceEntry("Noid", "a Berkeley DB file, the text of db_dump, or of noid fetch", "noid:read", "contacts"),
    "shlink": SourceEntry("Shlink", "JSON of the REST API, or CSV", "shlink:read", "visits and their counts"),
    "yourls": SourceEntry(
        "YOURLS", "an SQL dump, CSV or JSON", "yourls:read", "addresses of clients, visits and their counts"
    ),
})  # fmt: skip
"""By name, in alphabetical order."""


def source_entry(name: str) -> SourceEntry:
    """Return the entry of a source. Raises `UsageError` for a name that is not in the catalog."""
    if name not in SOURCES:
        raise UsageError(f"{name[:100]!a} is no source; the sources are {', '.join(SOURCES)}")
    return SOURCES[name]


def source(name: str) -> Source:
    """Return the reader of a source. Raises `UsageError` for a name that is not in the catalog."""
    module, _, member = source_entry(name).target.partition(":")
    reader: Source = getattr(import_module(f"{_PACKAGE}.{module}"), member)
    return reader
