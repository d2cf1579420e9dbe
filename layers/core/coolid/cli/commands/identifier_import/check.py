"""`coolid import --check`: the targets of two services, compared for every identifier of a dump."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from coolid.cli.commands.identifier_import.request import ImportRequest
from coolid.cli.output import print_line
from coolid.cli.progress import progress
from coolid.cli.row_output import print_rows
from coolid.migration.source_catalog import source

if TYPE_CHECKING:
    from coolid.migration.comparison.identifier_comparison import AnswerDifference


def check_import(request: ImportRequest, url: str, old: str | None, parallel: int) -> bool:
    """Print the differences between the service at `url` and the old one, or the dump. Return whether there are any."""
    from coolid.client.url_policy import checked, service_url
    from coolid.migration.comparison.identifier_comparison import Comparison
    from coolid.migration.identifier_namespaces import with_prefix

    if old is not None:
        checked(old.replace("{$id}", "x"))
    read = source(request.source)
    with progress("Reading", None, "identifiers", on_stdout=True) as show:
        total = 0
        for total, _ in enumerate(read(request.file), 1):
            show(total, total)
    comparison = Comparison(service_url(url), old, lambda identifier: with_prefix(identifier, request.prefix), parallel)
    with (
        request.report.open("wb") if request.report else nullcontext() as opened,
        progress("Comparing", total, "identifiers", on_stdout=True) as show,
    ):
        entries = (each for count, each in enumerate(read(request.file), 1) if show(count, count) is None)
        rows = _rows(comparison.differences(entries), opened)
        count = print_rows(
            ("identifier", "expected", "found", "reason"), rows, as_json=request.json, nothing="differences"
        )
    print_line(f"coolid: {comparison.compared} identifiers compared, {count} differ")
    if comparison.unreadable:
        print_line(f"coolid: {comparison.unreadable} entries of the dump cannot be read, and were not compared")
    return count > 0


def _rows(
    differences: "Iterable[AnswerDifference]", report: BinaryIO | None
) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    for each in differences:
        document = {
            "position": each.position,
            "identifier": each.identifier,
            "expected": each.expected,
            "found": each.found,
            "reason": each.reason,
        }
        if report is not None:
            report.write(orjson.dumps(document) + b"\n")
        yield document, (each.identifier, each.expected, each.found, each.reason)
