"""`coolid bulk`: an operation on each row of a file, carried out by the service in the background."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from coolid.cli.bulk_jobs import JobOptions, print_preview, run_job, run_rows, write_results
from coolid.cli.help_pages import Command, group
from coolid.cli.output import print_members, print_result
from coolid.cli.result_file import Results as Output
from coolid.cli.row_output import print_rows
from coolid.cli.service_connection import Json, KeyFile, Profile, Url, service
from coolid.errors import UsageError

app: Final = group("bulk", help="Mint or change many records by bulk jobs.")

_File = Annotated[Path, typer.Argument(dir_okay=False, exists=True, help="CSV with a header, or JSON Lines.")]
_Prefix = Annotated[str | None, typer.Option(help="The prefix of rows without one.")]
_Columns = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=FIELD", help="The field of a column, such as Title=what; Notes= leaves it out."),
]
_SkipErrors = Annotated[bool, typer.Option("--skip-errors", help="Carry out the other rows if some are wrong.")]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the preview only.")]
_Yes = Annotated[bool, typer.Option("--yes", help="Carry the job out without a question.")]
_Again = Annotated[bool, typer.Option("--again", help="Start a new job, even if one for this file exists.")]
_Results = Annotated[
    Path | None, typer.Option(metavar="FILE", dir_okay=False, help="Also write the results to this new file.")
]
_Job = Annotated[str, typer.Argument(metavar="JOB", help="The id of the job.")]

_MINTS = {
    "mint": """Mint a record for each row of a file.

    The service validates all rows first, and the command shows a preview. After a question, the service carries the
    job out in the background. If the command is interrupted, repeat it within a day, or use `coolid bulk resume`: no
    row is carried out twice. Exits with 1 if a row is wrong or was refused.

    The columns are those of `coolid records import`: prefix, id, uri, status, ttl, who, what, when, and metadata.NAME.

        $ coolid bulk mint photos.csv --prefix ark:99999/fk4 --results arks.csv
        $ coolid bulk mint list.csv --columns Title=what --columns Notes=
    """,
    "reserve": """Reserve an identifier for each row of a file.

    Reserved identifiers do not resolve until `coolid bulk publish`. The columns are those of `coolid bulk mint`.

        $ coolid bulk reserve planned.csv --prefix demo --results reserved.csv
    """,
}
_CHANGES = {
    "update": """Change a record for each row of a file.

    The columns are pid, and those to replace: uri, status, ttl, who, what, when, and metadata.NAME. See `coolid bulk
    mint` for the steps of a job.

        $ coolid bulk update titles.csv --dry-run
    """,
    "withdraw": """Withdraw a record for each row of a file.

    The columns are pid, reason, successor and state. A withdrawal is permanent.

        $ coolid bulk withdraw lost.csv --results withdrawn.csv
    """,
    "publish": """Publish reserved records.

    The column is pid. A file with the results of `coolid bulk reserve` serves, too.

        $ coolid bulk publish pids.csv --yes
        $ coolid bulk publish reserved.csv
    """,
}


def _columns(columns: Sequence[str] | None) -> dict[str, str]:
    """Return the fields by column. Exits with 2 for an option without an equals sign."""
    found: dict[str, str] = {}
    for each in columns or ():
        column, sign, field = each.rpartition("=")
        if not sign or not column:
            raise UsageError(f"--columns is COLUMN=FIELD, such as Title=what; {each!a} is not")
        found[column] = field
    return found


def _read(file: Path) -> bytes:
    """Return the content of a file. Exits with 2 if it is larger than a service accepts."""
    from coolid.client.bulk_jobs.job_operations import MAX_FILE_BYTES

    size = file.stat().st_size
    if size > MAX_FILE_BYTES:
        raise UsageError(f"{file} has {size:,} bytes; a job has at most {MAX_FILE_BYTES:,}, so divide the file")
    return file.read_bytes()


def _mint_command(operation: str) -> Callable[..., None]:
    def command(
        file: _File,
        prefix: _Prefix = None,
        columns: _Columns = None,
        skip_errors: _SkipErrors = False,
        dry_run: _DryRun = False,
        yes: _Yes = False,
        again: _Again = False,
        results: _Results = None,
        url: Url = None,
        key_file: KeyFile = None,
        profile: Profile = None,
        json: Json = False,
    ) -> None:
        options = JobOptions(yes, dry_run, skip_errors, again, results, json)
        members: dict[str, Any] = {"columns": _columns(columns)} | ({"prefix": prefix} if prefix else {})
        with service(url, key_file, profile) as client:
            run_rows(client, operation, _read(file), members, options)

    return command


def _change_command(operation: str) -> Callable[..., None]:
    mint = _mint_command(operation)

    def command(
        file: _File,
        columns: _Columns = None,
        skip_errors: _SkipErrors = False,
        dry_run: _DryRun = False,
        yes: _Yes = False,
        again: _Again = False,
        results: _Results = None,
        url: Url = None,
        key_file: KeyFile = None,
        profile: Profile = None,
        json: Json = False,
    ) -> None:
        mint(file, None, columns, skip_errors, dry_run, yes, again, results, url, key_file, profile, json)

    return command


def _add(operation: str, text: str, command: Callable[..., None]) -> None:
    command.__doc__ = text
    app.command(operation, cls=Command)(command)


for _operation, _text in _MINTS.items():
    _add(_operation, _text, _mint_command(_operation))
for _operation, _text in _CHANGES.items():
    _add(_operation, _text, _change_command(_operation))


@app.command(cls=Command)
def retarget(
    file: Annotated[Path | None, typer.Argument(dir_okay=False, exists=True, help="CSV with pid and uri.")] = None,
    prefix: Annotated[str | None, typer.Option(help="The prefix whose records a rule changes.")] = None,
    from_: Annotated[str | None, typer.Option("--from", metavar="URL", help="The old beginning of URLs.")] = None,
    to: Annotated[str | None, typer.Option(metavar="URL", help="The new beginning.")] = None,
    pattern: Annotated[str | None, typer.Option(metavar="RE2", help="The part of the URLs to replace.")] = None,
    replacement: Annotated[str | None, typer.Option(metavar="TEXT", help=r"What replaces it; \1 is a group.")] = None,
    columns: _Columns = None,
    skip_errors: _SkipErrors = False,
    dry_run: _DryRun = False,
    yes: _Yes = False,
    again: _Again = False,
    results: _Results = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Change the targets of many records.

    The targets come from a file, or from a rule for all records of a prefix: --from and --to, or --pattern and
    --replacement.

        $ coolid bulk retarget moved.csv
        $ coolid bulk retarget --prefix demo --pattern ^http: --replacement https:
    """
    named = {"from": from_, "to": to, "pattern": pattern, "replacement": replacement}
    rule = {name: value for name, value in named.items() if value is not None}
    if (file is None) == (not rule):
        raise UsageError("which targets? Name a file, or --prefix with --from and --to, or --pattern and --replacement")
    members = {"columns": _columns(columns)} | ({"prefix": prefix} if prefix else {}) | ({"rule": rule} if rule else {})
    options = JobOptions(yes, dry_run, skip_errors, again, results, json)
    with service(url, key_file, profile) as client:
        run_rows(client, "retarget", _read(file) if file else None, members, options)


@app.command("list", cls=Command)
def list_jobs(url: Url = None, key_file: KeyFile = None, profile: Profile = None, json: Json = False) -> None:
    """List your bulk jobs, the newest first.

    Administrators see all jobs. With --json, each line is a job.

        $ coolid bulk list
    """
    headings = ("job", "operation", "state", "rows", "refused", "created")
    with service(url, key_file, profile) as client:
        rows = (
            (job.document, (job.id, job.operation, job.state, str(job.rows or ""), str(job.counts.refused), created))
            for job in client.jobs.list()
            for created in [str(job.document.get("created", ""))]
        )
        print_rows(headings, rows, as_json=json, nothing="bulk jobs")


@app.command(cls=Command)
def show(job: _Job, url: Url = None, key_file: KeyFile = None, profile: Profile = None, json: Json = False) -> None:
    """Show a bulk job with its first errors.

    $ coolid bulk show k3x9
    """
    with service(url, key_file, profile) as client:
        found = client.jobs.get(job)
    if json:
        print_result(found.document, "", as_json=True)
        return
    print_members({name: value for name, value in found.document.items() if name not in ("errors", "preview")})
    print_preview(found)


@app.command(cls=Command)
def resume(
    job: _Job,
    skip_errors: _SkipErrors = False,
    yes: _Yes = False,
    results: _Results = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
    json: Json = False,
) -> None:
    """Continue with a bulk job.

    Asks, and then starts a job that stopped at its preview. Waits for the end of a running job. Exits with 1 if rows
    were refused.

        $ coolid bulk resume k3x9 --yes --results arks.csv
    """
    with service(url, key_file, profile) as client:
        options = JobOptions(yes=yes, skip_errors=skip_errors, results=results, json=json)
        run_job(client, client.jobs.get(job), options)


@app.command(cls=Command)
def cancel(job: _Job, url: Url = None, key_file: KeyFile = None, profile: Profile = None, json: Json = False) -> None:
    """Cancel a bulk job.

    Rows that were carried out stay as they are.

        $ coolid bulk cancel k3x9
    """
    with service(url, key_file, profile) as client:
        found = client.jobs.cancel(job)
    print_result(found.document, f"{found.id} is cancelled after {found.counts.succeeded} rows", as_json=json)


@app.command(cls=Command)
def results(
    job: _Job,
    form: Annotated[
        Literal["csv", "jsonl"] | None, typer.Option("--format", help="By default, the format of the rows.")
    ] = None,
    results: Output = None,
    url: Url = None,
    key_file: KeyFile = None,
    profile: Profile = None,
) -> None:
    """Write the results of a bulk job.

    They are the rows of its file with pid, status and error. The service stores them for 30 days.

        $ coolid bulk results k3x9 > arks.csv
        $ coolid bulk results k3x9 --format jsonl
    """
    with service(url, key_file, profile) as client:
        write_results(client, job, results, form)
