"""`coolid import`: identifiers of other services, with their targets and histories, directly into the store."""

from pathlib import Path
from typing import Annotated

import typer

from coolid.cli.commands.identifier_import.check import check_import
from coolid.cli.commands.identifier_import.request import ImportRequest, require_consistent
from coolid.cli.commands.identifier_import.run import run_import
from coolid.cli.service_connection import Json, Profile, Url, service_and_key
from coolid.cli.store_options import Data, Stack, transfer_settings
from coolid.cli.store_transfer import require_other_file
from coolid.migration.source_catalog import SOURCES

_File = Annotated[Path, typer.Argument(dir_okay=False, help="The dump, plain, with gzip, or in a ZIP archive.")]
_From = Annotated[
    str,
    typer.Option(
        "--from", metavar="SOURCE", autocompletion=lambda: list(SOURCES), help=f"One of {', '.join(SOURCES)}."
    ),
]
_Prefix = Annotated[str | None, typer.Option(metavar="PREFIX", help="The prefix of names that have none.")]
_Preview = Annotated[bool, typer.Option("--preview", help="Show what an import would do, and write nothing.")]
_Update = Annotated[
    bool, typer.Option("--update", help="Also write what the source changed since an import, as new versions.")
]
_Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="Where to write each finding, as JSON Lines."),
]
_Check = Annotated[bool, typer.Option("--check", help="Compare what the service at --url answers for each identifier.")]
_Old = Annotated[
    str | None,
    typer.Option(metavar="URL", help="With --check: compare with this service, not with the dump."),
]
_Parallel = Annotated[int, typer.Option(metavar="N", min=1, max=64, help="With --check: the most requests at a time.")]
_EncodeTargets = Annotated[
    bool, typer.Option("--encode-targets", help="Encode spaces and the like in targets, as browsers do.")
]
_CreatePrefixes = Annotated[bool, typer.Option("--create-prefixes", help="Create the prefixes that are missing.")]


_Minters = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        dir_okay=False,
        help="With --create-prefixes: continue the minters in this file (Noid, EZID, arklet).",
    ),
]


def import_(
    file: _File,
    source: _From,
    prefix: _Prefix = None,
    preview: _Preview = False,
    update: _Update = False,
    report: _Report = None,
    create_prefixes: _CreatePrefixes = False,
    minters: _Minters = None,
    encode_targets: _EncodeTargets = False,
    check: _Check = False,
    old: _Old = None,
    url: Url = None,
    profile: Profile = None,
    parallel: _Parallel = 8,
    stack: Stack = None,
    data: Data = None,
    json: Json = False,
) -> None:
    """Import identifiers from another service.

    Each becomes a signed record with its target, metadata and history. Nothing that exists is overwritten. Repeat the
    command to continue an import. With --update, identifiers that the source changed since get a new version. The
    report lists what is left out. Exits with 1 if an identifier was refused. `coolid records mint` mints new
    identifiers for a table, and `coolid records import` restores an export of coolid.

    With --check, nothing is imported. The command prints each difference between the new service's answers and the
    dump, or those of the old service (--old). Exits with 1 if there is one.

        $ coolid import --from ezid ezid.gz --preview --data .local/coolid.db
        $ coolid import --from ezid ezid.gz --create-prefixes --stack coolid
        $ coolid import --from ezid ezid.gz --check --url https://id.example.org
    """
    request = ImportRequest(file, source, prefix or "", report, preview, update, encode_targets, json)
    require_other_file(report, file, minters, data)
    require_consistent(request, minters, old, creates_prefixes=create_prefixes, checks=check)
    if check:
        check_import(request, service_and_key(url, None, profile, needs_key=False)[0], old, parallel)
    else:
        run_import(request, transfer_settings(stack, data, signs=True), minters, create_prefixes)
