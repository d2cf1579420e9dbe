"""The destinations by name, and the export of a store to one of them."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final

from msgspec import Struct

from coolid.http.dialects.ezid.download_formats import ANVL, XML
from coolid.migration.destinations import csv_table, ezid_download, htaccess, nginx_map
from coolid.migration.destinations.exported_identifiers import (
    Destination,
    ExportedIdentifier,
    LossListener,
    Redirect,
    exported_identifiers,
    redirects,
)
from coolid.store.bulk import BulkReader
from coolid.store.prefixes import PrefixReader

RedirectWriter = Callable[[Iterable[Redirect], LossListener], Iterator[bytes]]
"""Writes the configuration of a web server."""
_REDIRECTS: Final[dict[str, RedirectWriter]] = {"htaccess": htaccess.write, "nginx": nginx_map.write}
_TABLES: Final[dict[str, Destination]] = {
    "csv": csv_table.write,
    "ezid": ezid_download.writer(ANVL),
    "ezid-xml": ezid_download.writer(XML),
}


class StoreExport(Struct, frozen=True):
    """An export of a store's identifiers, or of those of one `prefix`.

    Redirects are those at the moment `now`. `on_loss` receives what the destination cannot keep.
    """

    prefixes: PrefixReader
    reader: BulkReader
    prefix: str | None
    now: datetime
    on_loss: LossListener

    def pieces(self, destination: str) -> Iterator[bytes]:
        """Yield the pieces of the file for a destination by its name. Raises `UsageError`, `StoreUnavailable`."""
        if destination in _REDIRECTS:
            found = redirects(self._identifiers(all_prefixes=True), self.now, self.on_loss)
            return _REDIRECTS[destination](found, self.on_loss)
        return _TABLES[destination](self._identifiers(all_prefixes=False), self.on_loss)

    def _identifiers(self, *, all_prefixes: bool) -> Iterator[ExportedIdentifier]:
        return exported_identifiers(self.prefixes, self.reader, self.prefix, all_prefixes=all_prefixes)
