"""What an import or a comparison is requested to do."""

from pathlib import Path

from msgspec import Struct

from coolid.errors import UsageError
from coolid.migration.source_catalog import source_entry


class ImportRequest(Struct, frozen=True):
    """The dump of a source, the prefix of bare names or "", where findings are reported, and the options."""

    file: Path
    source: str
    prefix: str
    report: Path | None
    preview: bool
    update: bool
    encodes_targets: bool
    json: bool


def require_consistent(
    request: ImportRequest, minters: Path | None, old: str | None, *, creates_prefixes: bool, checks: bool
) -> None:
    """Raise `UsageError` for an unknown source, or options without effect."""
    source_entry(request.source)
    if old and not checks:
        raise UsageError("--old is for --check, which imports nothing")
    if checks and (request.preview or request.update or creates_prefixes or minters):
        raise UsageError("--check imports nothing, so it excludes --preview, --update, --create-prefixes and --minters")
    if minters and not (creates_prefixes or request.preview):
        raise UsageError("--minters is for prefixes that --create-prefixes creates")
