"""`coolid mirror`: a static site that answers a service's identifiers without the service."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from coolid.cli.exit_codes import NO
from coolid.cli.mirror_sources import PARALLEL, MirrorOptions, open_source
from coolid.cli.output import print_json, print_line
from coolid.cli.progress import progress
from coolid.cli.service_connection import Json
from coolid.errors import UsageError

if TYPE_CHECKING:
    from coolid.mirror.builder import MirrorReport
    from coolid.mirror.folder import MirrorFolder

KEY: Final = "mirror-key"
_MAX_PRINTED: Final = 20

_Folder = Annotated[Path, typer.Argument(metavar="DIR", file_okay=False, help="The folder of the mirror.")]
_From = Annotated[str | None, typer.Option("--from", metavar="URL", help="The service to mirror.")]
_Export = Annotated[
    Path | None, typer.Option(metavar="FILE", dir_okay=False, help="An export of `coolid records export` to mirror.")
]
_Log = Annotated[
    str | None, typer.Option(metavar="URL|DIR", help="A log: alone, or beside an export that lacks its entries.")
]
_Data = Annotated[Path | None, typer.Option(metavar="FILE", dir_okay=False, help="A database of `coolid serve`.")]
_Stack = Annotated[str | None, typer.Option(help="Name of a deployed stack, whose tables to mirror.")]
_BaseUrl = Annotated[str, typer.Option(metavar="URL", help="The base URL of the identifiers in a store or export.")]
_LogKey = Annotated[str | None, typer.Option(metavar="KEY", help="The verifier key of the log to trust.")]
_Key = Annotated[
    Path | None,
    typer.Option(metavar="FILE", dir_okay=False, help="Your Ed25519 key for the manifest (PEM); created if missing."),
]
_Update = Annotated[bool, typer.Option("--update", help="Update the mirror in the folder.")]
_Check = Annotated[bool, typer.Option("--check", help="Verify the mirror from its files alone.")]
_Url = Annotated[str | None, typer.Option(metavar="URL", help="With --check: the service to compare it with.")]
_MakerKey = Annotated[
    str | None, typer.Option(metavar="KEY", help="With --check: the verifier key of the mirror's maker to trust.")
]
_Plain = Annotated[bool, typer.Option(help="Write pages at the paths of identifiers, for servers without redirects.")]
_Parallel = Annotated[int, typer.Option(min=1, max=256, help="How many requests are sent at the same time.")]


def mirror(
    folder: _Folder,
    service: _From = None,
    export: _Export = None,
    log: _Log = None,
    data: _Data = None,
    stack: _Stack = None,
    base_url: _BaseUrl = "",
    log_key: _LogKey = None,
    key: _Key = None,
    update: _Update = False,
    check: _Check = False,
    url: _Url = None,
    maker_key: _MakerKey = None,
    plain: _Plain = True,
    parallel: _Parallel = PARALLEL,
    json: Json = False,
) -> None:
    """Mirror a service as a static site.

    The site has all public records, the log and proofs, and the configuration of nginx, Apache, S3 and others. The
    manifest is signed with your key. `--update` writes what changed, and removes nothing. From a log alone, there are
    no targets. `--check` verifies the site from its files alone. With `--url`, it also compares each answer with that
    of a service, and exits with 1 if something differs.

        $ coolid mirror site --from https://id.example.org
        $ coolid mirror site --check --url https://id.example.org
    """
    options = MirrorOptions(service, export, log, data, stack, base_url, log_key, parallel)
    if check:
        if update or any((service, export, data, stack, key)):
            raise UsageError("--check takes no source: name the service to compare with by --url")
        _check(folder, options, url, maker_key, as_json=json)
    elif url or maker_key:
        raise UsageError(
            "--url and --maker-key are for --check; a source is named by --from, --export, --data or --log"
        )
    else:
        _build(folder, options, key, update=update, plain=plain, as_json=json)


def _build(path: Path, options: MirrorOptions, key: Path | None, *, update: bool, plain: bool, as_json: bool) -> None:
    from coolid.mirror.builder import MirrorInput, build
    from coolid.mirror.folder import MirrorFolder
    from coolid.mirror.manifest import verifier_key

    options.require_one()
    signer = _signer(key)
    with MirrorFolder(path, may_create=True) as folder:
        _require_state(folder, update=update)
        with open_source(options) as opened, progress("Mirroring", None, "identifiers") as show:
            inputs = MirrorInput(opened.made_from, opened.records, opened.log, signer, plain, opened.proofs)
            report = build(folder, inputs, lambda done: show(done, done))
    maker = str(verifier_key(signer, report.state.service))
    _print_report(path, report, maker, is_verified=opened.log is None or opened.log.key is not None, as_json=as_json)


def _require_state(folder: "MirrorFolder", *, update: bool) -> None:
    """Raise `UsageError` for an update of another folder, and for a new mirror in one that is not empty."""
    from coolid.mirror.layout import HOME

    is_mirror = folder.has(HOME)
    if not update and not folder.is_empty():
        advice = "update it by --update" if is_mirror else "choose an empty or a new one"
        raise UsageError(f"{folder.path} is not empty: {advice}")
    if update and not is_mirror and not folder.is_empty():
        raise UsageError(f"{folder.path} has no mirror to update")


def _signer(key: Path | None) -> Any:
    """Return the signer of manifests; its key is created if there is none."""
    from coolid.aws import key_file
    from coolid.cli.profiles import config_file

    path = key or config_file().with_name(KEY)
    key_file.ensure_note_key(path)
    return key_file.KeyFileNoteSigner(path)


def _print_report(path: Path, report: "MirrorReport", maker: str, *, is_verified: bool, as_json: bool) -> None:
    state = report.state
    size = state.checkpoint.size if state.checkpoint else None
    if as_json:
        losses = [
            {"reason": reason, "count": count, "example": report.losses.examples[reason]}
            for reason, count in report.losses.counts.most_common()
        ]
        print_json(
            {
                "service": state.service,
                "records": state.records,
                "updated": report.updated,
                "changed_files": report.changed_files,
                "checkpoint": size,
                "verifier_key": maker,
                "losses": losses,
            }
        )
        return
    of = f"the checkpoint of {size:,} entries" if size is not None else "no checkpoint, because there is no log"
    print_line(f"coolid: {path} mirrors {state.records:,} identifiers of {state.service}, by {of}")
    print_line(f"coolid: {report.updated:,} identifiers and {report.changed_files:,} files changed")
    print_line(f"coolid: verifier key of the manifest: {maker}")
    if not is_verified:
        print_line("coolid: nothing shows whose log it is: name its verifier key by --log-key")
    if state.made_from == "log":
        print_line("coolid: the log alone has no targets, so no identifier is redirected")
    for reason, count in report.losses.counts.most_common():
        print_line(f"coolid: {count:,} × {reason} (such as {report.losses.examples[reason]})")


def _check(path: Path, options: MirrorOptions, url: str | None, maker_key: str | None, *, as_json: bool) -> None:
    from coolid.mirror.folder import MirrorFolder
    from coolid.mirror.verification import verify_mirror

    with MirrorFolder(path, may_create=False) as folder, progress("Verifying", None, "identifiers") as show:
        verdict = verify_mirror(folder, maker_key, options.log_key, lambda done: show(done, done))
        if url is not None:
            from coolid.mirror.comparison import compare

            verdict = compare(folder, url, options.parallel, verdict, lambda done: show(done, done))
    if as_json:
        print_json(verdict.document())
    else:
        for problem in verdict.problems[:_MAX_PRINTED]:
            print_line(f"coolid: {problem}")
        if verdict.count > _MAX_PRINTED:
            print_line(f"coolid: and {verdict.count - _MAX_PRINTED:,} others")
        print_line(f"coolid: {verdict.summary()}; {verdict.count:,} problems")
        for note in verdict.notes:
            print_line(f"coolid: {note}")
    if verdict.count:
        raise typer.Exit(NO)
