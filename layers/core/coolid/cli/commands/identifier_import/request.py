"""What an import or a comparison is requested to do."""

from pathlib import Path

from msgspec import Struct

from coolid.cli.store_transfer import require_other_file
from coolid.errors import UsageError
from coolid.migration.source_catalog import source_entry


class ImportRequest(Struct, frozen=True):
    """The dump of a source, the prefix of bare names or "", and where findings are reported and how."""

    file: Path
    source: str
    prefix: str
    report: Path | None
    preview: bool = False
    json: bool = False
    encodes_targets: bool = False


def require_consistent(request: ImportRequest, unused_minters: Path | None) -> None:
    """Raise `UsageError` for an unknown source, and for files that would be overwritten or not used."""
    source_entry(request.source)
    require_other_file(request.report, request.file)
    if unused_minters:
        raise UsageError("--minters is for prefixes that --create-prefixes creates")
