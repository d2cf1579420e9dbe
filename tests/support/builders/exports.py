"""Exports of installations to other services and web servers."""

from coolid.migration.destinations.catalog import StoreExport
from coolid.migration.destinations.exported_identifiers import LossListener
from coolid.wiring import transfer
from tests.support.fixtures.installations import SqliteInstallation


def written(installation: SqliteInstallation, destination: str, on_loss: LossListener) -> bytes:
    """The file of a destination."""
    with transfer.open_access(installation.settings) as access:
        export = StoreExport(access.store.prefixes, access.reader, None, installation.clock.now(), on_loss)
        return b"".join(export.pieces(destination))
