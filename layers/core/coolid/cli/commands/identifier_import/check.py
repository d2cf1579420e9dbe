"""`coolid import --check`: the targets of two services, compared for every identifier of a dump."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson
import typer
from msgspec.structs import asdict

from coolid.cli.commands.identifier_import.request import ImportRequest
from coolid.cli.exit_codes import NO
from coolid.cli.output import print_line
from coolid.cli.progress import progress, with_progress
from coolid.cli.row_output import print_rows
from coolid.cli.store_transfer import open_report
from coolid.migration.source_catalog import source

if TYPE_CHECKING:
    from coolid.migration.comparison.identifier_comparison import AnswerDifference


def check_import(request: ImportRequest, url: str, old: str | None, parallel: int) -> None:
    """Print the differences between the service at `url` and the old one, or the dump. Exit with 1 if there are any."""
    from coolid.client.url_policy import checked, service_url
    from coolid.migration.comparison.identifier_comparison import Comparison
    from coolid.migration.encoded_targets import entry_with_encoded_targets
    from coolid.migration.identifier_namespaces import with_prefix

    if old is not None:
        checked(old.replace("{$id}", "x"))
    read = source(request.source)
    total = sum(1 for _ in with_progress(read(request.file), "Reading", None, "identifiers", on_stdout=True))
    comparison = Comparison(service_url(url), old, lambda identifier: with_prefix(identifier, request.prefix), parallel)
    with (
        open_report(request.report) as opened,
        progress("Comparing", total, "identifiers", on_stdout=True) as show,
    ):
        found = (each for count, each in enumerate(read(request.file), 1) if show(count, count) is None)
        entries = map(entry_with_encoded_targets, found) if request.encodes_targets else found
        rows = _rows(comparison.differences(entries), opened)
        count = print_rows(
            ("identifier", "expected", "found", "reason"), rows, as_json=request.json, nothing="differences"
        )
    print_line(f"coolid: compared: {comparison.compared}, different: {count}")
    if comparison.unreadable:
        print_line(f"coolid: {comparison.unreadable} entries of the dump cannot be read, and were not compared")
    if count:
        raise typer.Exit(NO)


def _rows(
    differences: "Iterable[AnswerDifference]", report: BinaryIO | None
) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    for each in differences:
        document = asdict(each)
        if report is not None:
            report.write(orjson.dumps(document) + b"\n")
        yield document, (each.identifier, each.expected, each.found, each.reason)
