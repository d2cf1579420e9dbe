"""The sources of `coolid mirror`: a service, an export, a database or stack, and a log, as the options name them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from coolid.cli.log_checks import read_log_key
from coolid.errors import UsageError

if TYPE_CHECKING:
    from coolid.log.signed_notes import VerifierKey
    from coolid.log.tiles import ReadFiles
    from coolid.mirror.builder import LogInput
    from coolid.mirror.sources.fetcher import ParallelFetcher
    from coolid.mirror.sources.record_proofs import ExportedProofs
    from coolid.mirror.sources.source import RecordSource
    from coolid.wiring.transfer import BulkAccess

PARALLEL: Final = 16


class MirrorOptions(Struct, frozen=True):
    """What the options of `coolid mirror` name; see its help."""

    service: str | None = None
    export: Path | None = None
    log: str | None = None
    data: Path | None = None
    stack: str | None = None
    base_url: str = ""
    log_key: str | None = None
    parallel: int = PARALLEL

    def require_one(self) -> None:
        """Raise `UsageError` unless they name one source of records, or a log."""
        named = [each for each in (self.service, self.export, self.data, self.stack) if each]
        if len(named) > 1 or not (named or self.log):
            raise UsageError(
                "name one source: --from URL, --export FILE, --data FILE, --stack NAME, or --log URL alone"
            )


class OpenSource(Struct, frozen=True):
    """An open source of records, or None for a log alone, and the kind of the source.

    There may be a log, or the proofs of an export.
    """

    records: "RecordSource | None"
    made_from: str
    log: "LogInput | None"
    proofs: "ExportedProofs | None" = None


@contextmanager
def open_source(options: MirrorOptions) -> Iterator[OpenSource]:
    """Open the sources for the duration of the block. Raises `UsageError` and client errors."""
    from coolid.mirror.sources.fetcher import ParallelFetcher

    options.require_one()
    with ExitStack() as stack:
        fetcher = stack.enter_context(ParallelFetcher(options.parallel))
        log = _log_at(options, fetcher) if options.log else None
        if options.service:
            yield _service(options, fetcher, log)
        elif options.export or options.data or options.stack:
            access = stack.enter_context(_store_access(options))
            proofs = _proofs(options, stack) if options.export and log is None else None
            yield _store(options, access, log, proofs)
        else:
            yield OpenSource(None, "log", log)


def _service(options: MirrorOptions, fetcher: "ParallelFetcher", log: "LogInput | None") -> OpenSource:
    from coolid.log.entries import LOG_PATH
    from coolid.mirror.builder import LogInput
    from coolid.mirror.sources.service import ServiceSource

    source = ServiceSource(str(options.service), fetcher)
    if log is None:
        described = source.log
        if described is None:
            raise UsageError(
                "the service has no transparency log, so it does not list its identifiers: "
                "mirror an export (--export FILE), or its store (--data FILE or --stack NAME)"
            )
        key = _log_key(options) or read_log_key(str(described.get("verifier_key")), "what the service publishes")
        log = LogInput(_remote_files(source.url + LOG_PATH, fetcher), key)
    return OpenSource(source, "service", log)


def _proofs(options: MirrorOptions, stack: ExitStack) -> "ExportedProofs | None":
    """Return the proofs in an export, or None without any."""
    from coolid.mirror.sources.record_proofs import ExportedProofs

    proofs = stack.enter_context(ExportedProofs(Path(str(options.export)), _log_key(options)))
    return proofs if proofs.checkpoint is not None else None


def _store(
    options: MirrorOptions, access: "BulkAccess", log: "LogInput | None", proofs: "ExportedProofs | None"
) -> OpenSource:
    from coolid.aws.clock import SystemClock
    from coolid.mirror.sources.store import StoreSource

    source = StoreSource(access.store, access.reader, options.base_url, SystemClock())
    kind = "export" if options.export else "store"
    return OpenSource(source, kind, log or _log_of_store(options, access, source.base_url), proofs)


@contextmanager
def _store_access(options: MirrorOptions) -> Iterator["BulkAccess"]:
    """Open the store, or a temporary one with the records of an export."""
    from coolid.aws.settings import Settings
    from coolid.cli.store_options import transfer_settings
    from coolid.transfer.progress import Refusal, TransferProgress
    from coolid.wiring import transfer

    if options.export is None:
        with transfer.open_access(transfer_settings(options.stack, options.data, signs=False)) as access:
            yield access
        return
    refused: list[Refusal] = []
    with TemporaryDirectory(prefix="coolid-mirror-") as folder:
        settings = Settings("", "", "", database=f"{folder}/export.db")
        with transfer.open_access(settings, may_create=True) as access:
            transfer.restore(options.export, access, TransferProgress(refused.append))
            if refused:
                raise UsageError(f"{options.export}, line {refused[0].line}: {refused[0].reason}")
            yield access


def _log_of_store(options: MirrorOptions, access: "BulkAccess", base_url: str) -> "LogInput | None":
    """Return the published log of the service over a store, or None without one."""
    from coolid.log.tiles import CHECKPOINT
    from coolid.mirror.builder import LogInput

    if options.export is not None or access.log is None:
        return None
    _, files = access.log
    if not files.read([CHECKPOINT]):
        return None
    return LogInput(files.read, _log_key(options) or _key_beside(access, base_url))


def _key_beside(access: "BulkAccess", base_url: str) -> "VerifierKey | None":
    """Return the key of the log whose file is beside a database, or None."""
    from coolid.aws.key_file import KeyFileNoteSigner
    from coolid.local.service_files import log_key_file
    from coolid.log.entries import origin_of
    from coolid.log.signed_notes import ED25519, VerifierKey

    path = log_key_file(Path(access.settings.database)) if access.settings.database else None
    if path is None or not path.exists():
        return None
    return VerifierKey(origin_of(base_url), ED25519, KeyFileNoteSigner(path).public_key())


def _log_at(options: MirrorOptions, fetcher: "ParallelFetcher") -> "LogInput":
    """Return the log at a URL or in a folder."""
    from coolid.client.proof_sources import is_url
    from coolid.mirror.builder import LogInput
    from coolid.mirror.folder import MirrorFolder

    place = str(options.log).rstrip("/")
    if is_url(place):
        return LogInput(_remote_files(place, fetcher), _log_key(options))
    return LogInput(MirrorFolder(Path(place), may_create=False).read_files, _log_key(options))


def _log_key(options: MirrorOptions) -> "VerifierKey | None":
    return None if options.log_key is None else read_log_key(options.log_key, "--log-key")


def _remote_files(url: str, fetcher: "ParallelFetcher") -> "ReadFiles":
    def read(paths: Sequence[str]) -> Mapping[str, bytes]:
        found = zip(paths, fetcher.files([f"{url}/{path}" for path in paths]), strict=True)
        return {path: content for path, content in found if content is not None}

    return read
