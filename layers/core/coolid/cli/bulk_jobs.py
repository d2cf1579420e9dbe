"""Bulk jobs of the commands `coolid bulk …`: creation, preview, confirmation, progress and results.

A job is created as a dry run, so that its preview can be shown first. Its idempotency key derives from the file and the
arguments, so a repeated command continues with the same job.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

import orjson
import typer
from msgspec import Struct

from coolid.cli.exit_codes import NO
from coolid.cli.output import err, on_screen, print_json, print_line, print_table
from coolid.cli.progress import progress
from coolid.cli.result_file import result_file
from coolid.errors import UsageError

if TYPE_CHECKING:  # help pages need no client
    from coolid.client.client import Client
    from coolid.client.documents import BulkJob

_MAX_ERRORS: Final = 10
_DOING: Final = {
    "mint": "Minting",
    "update": "Changing",
    "retarget": "Retargeting",
    "withdraw": "Withdrawing",
    "reserve": "Reserving",
    "publish": "Publishing",
}


class JobOptions(Struct, frozen=True):
    """The options of a command: `yes` omits the question, and `again` starts a new job for the same file."""

    yes: bool = False
    dry_run: bool = False
    skip_errors: bool = False
    again: bool = False
    results: Path | None = None
    json: bool = False


def run_rows(
    client: "Client", operation: Any, rows: bytes | None, members: Mapping[str, Any], options: JobOptions
) -> None:
    """Create the job of a file, or continue with it, show its preview, and carry it out.

    Exits with 1 if a row is wrong or was refused, or if the job failed.
    """
    _require_new(options.results)
    key = _idempotency_key(operation, rows, members)
    if options.again:
        key += token_hex(8)
    job = client.jobs.create(operation, rows, idempotency_key=key, dry_run=True, **members)
    run_job(client, job, options)


def run_job(client: "Client", job: "BulkJob", options: JobOptions) -> None:
    """Show the preview of a job, carry it out, and write its results. Exits as `run_rows`."""
    _require_new(options.results)
    with _advice(job):
        if job.state == "validating":
            job = _followed(client, job, "Validating")
        if job.state == "previewed":
            print_preview(job)
            if options.dry_run:
                _end(job, options, refused=job.counts.invalid)
                return
            _confirm(job, options)
            job = client.jobs.start(job.id)
        if job.state == "running":
            job = _followed(client, job, _DOING.get(job.operation, "Working"))
    if options.results is not None:
        write_results(client, job.id, options.results)
    _print_end(job, options.results)
    _end(job, options, refused=max(job.counts.refused, job.counts.invalid))


def _require_new(results: Path | None) -> None:
    """Exit with 2 before anything is done if the file for the results exists."""
    if results is not None and results.exists():
        raise UsageError(f"{results} exists, and may contain PIDs; name another file")


def write_results(client: "Client", job_id: str, path: Path | None, form: Any = None) -> None:
    """Write the results of a job to a new file, or to standard output."""
    with result_file(path) as written:
        written.write(client.jobs.results(job_id, form))
        written.flush()


def print_preview(job: "BulkJob") -> None:
    """Print the counts of a validated job, its first errors, and the first changes."""
    counts = job.counts
    outside = f", {counts.outside_domains} of them outside the repository's domains" if counts.outside_domains else ""
    print_line(f"{counts.valid} rows are right; {counts.invalid} are wrong{outside}")
    errors = [(str(each.get("row")), str(each.get("column") or ""), str(each.get("reason"))) for each in job.errors]
    changes = [tuple(str(each.get(name) or "") for name in ("pid", "before", "after")) for each in job.preview]
    _print_rows(("row", "column", "reason"), errors[:_MAX_ERRORS], "row {}, {}: {}")
    _print_rows(("pid", "before", "after"), changes, "{}: {} -> {}")
    if counts.invalid > _MAX_ERRORS:
        print_line(f"coolid: after the end, the results list all wrong rows: coolid bulk results {job.id}")


def _print_rows(headings: Sequence[str], rows: Sequence[Sequence[str]], line: str) -> None:
    if rows and on_screen(err):
        print_table(headings, rows, to=err)
    else:
        for row in rows:
            print_line(f"  {line.format(*row)}")


def _confirm(job: "BulkJob", options: JobOptions) -> None:
    """Ask whether to carry out a job. Exits with 1 if rows are wrong that may not be skipped."""
    again = f"coolid bulk resume {job.id}"
    if job.counts.invalid and not options.skip_errors:
        print_line("coolid: nothing was done. Correct the rows, or use --skip-errors to leave them out:")
        print_line(f"  {again} --skip-errors")
        _end(job, options, refused=job.counts.invalid)
    if not job.counts.valid:
        print_line("coolid: no row can be carried out")
        _end(job, options, refused=job.counts.invalid)
        raise typer.Exit
    if options.yes:
        return
    if not is_interactive():
        raise UsageError(f"nothing was done: --yes carries out the job without a question, such as {again} --yes")
    typer.confirm(f"Carry out {job.counts.valid} rows?", abort=True, err=True)


def is_interactive() -> bool:
    """Return whether a question can be answered."""
    return sys.stdin.isatty()


def _followed(client: "Client", job: "BulkJob", what: str) -> "BulkJob":
    """Show the progress of a job until it waits or has ended, and return it."""
    is_running = job.state == "running"
    with progress(what, job.rows, "rows") as show:
        for each in client.jobs.follow(job):
            job = each
            counts = each.counts
            done = counts.succeeded + counts.refused if is_running else counts.valid + counts.invalid
            show(done, done)
    return job


@contextmanager
def _advice(job: "BulkJob") -> Iterator[None]:
    """Print how to continue with a job if its command ends early."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if not isinstance(error, UsageError | typer.Exit | typer.Abort):
            print_line(f"coolid: the job continues on the service. To follow it: coolid bulk resume {job.id}")
            print_line(f"  To cancel it: coolid bulk cancel {job.id}")
        raise


def _print_end(job: "BulkJob", results: Path | None) -> None:
    counts = job.counts
    reason = f": {job.failure}" if job.failure else ""
    print_line(f"{job.state}{reason}; {counts.succeeded} succeeded, {counts.refused} refused")
    if results is None and (counts.succeeded or counts.refused):
        print_line(f"  results, for 30 days: coolid bulk results {job.id}")
    if job.state in ("cancelled", "failed"):
        succeeded = ", and leave out the rows that succeeded" if counts.succeeded else ""
        print_line(f"  to start again with the same file, add --again{succeeded}")


def _end(job: "BulkJob", options: JobOptions, *, refused: int) -> None:
    """Print the job as JSON if requested. Exits with 1 if rows were refused, or if the job did not end well."""
    if options.json:
        print_json(job.document)
    if refused or job.state in ("cancelled", "failed"):
        raise typer.Exit(NO)


def _idempotency_key(operation: str, rows: bytes | None, members: Mapping[str, Any]) -> str:
    digest = sha256(orjson.dumps([operation, {**members}], option=orjson.OPT_SORT_KEYS))
    digest.update(rows or b"")
    return f"bulk-{digest.hexdigest()}"
