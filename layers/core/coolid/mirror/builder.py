"""The building of a mirror, new or from an earlier state, in an order that an interruption cannot harm.

First come the entries of the log and the records; then the configuration of the hosts; then the lists of files and the
manifest. The checkpoint comes last, because an update continues with the entries after it. So an update after an
interruption completes the mirror. Nothing that was published is removed.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import UsageError
from coolid.log.signed_notes import VerifierKey
from coolid.log.tiles import CHECKPOINT, ReadFiles
from coolid.mirror.collector import RecordCollector
from coolid.mirror.description import FROM_LOG, MirrorDescription, description_of, read_description
from coolid.mirror.folder import MirrorFolder
from coolid.mirror.hosts.catalog import write_hosts
from coolid.mirror.inventory import Inventory
from coolid.mirror.layout import DESCRIPTION, HOME, INCOMPLETE, KEYS, LOG, shard_index
from coolid.mirror.log_copy import CopiedLog, copy_log
from coolid.mirror.log_records import collect_from_log
from coolid.mirror.log_statements import LogStatements
from coolid.mirror.manifest import write_manifest
from coolid.mirror.pages import MirrorState, about_page, not_found_page
from coolid.mirror.records import Losses, record_of_line
from coolid.mirror.sources.record_proofs import ExportedProofs, TiledProofs
from coolid.mirror.sources.source import GET, NamedRepository, RecordSource
from coolid.mirror.writer import MirrorWriter
from coolid.model.prefixes import as_path
from coolid.model.records import format_time
from coolid.ports import NoteSigner
from coolid.strict_json import dump, load

ABOUT: Final = f"{HOME}/about.html"


class LogInput(Struct, frozen=True):
    """A log to copy: how to read its files, and its key, without which its checkpoint cannot be verified."""

    read: ReadFiles
    key: VerifierKey | None


class MirrorInput(Struct, frozen=True):
    """What to mirror: a `source`, or None for a mirror of the `log` alone. `made_from` is the kind of the source.

    `signer` signs the manifest. With `plain`, there are pages at the paths of identifiers.
    `proofs` are those of an export, for a mirror without the log.
    """

    made_from: str
    source: RecordSource | None
    log: LogInput | None
    signer: NoteSigner
    plain: bool = True
    proofs: ExportedProofs | None = None


class Hosted(Struct, frozen=True):
    """The prefixes of repositories as the source has them, and the `names` of those in the log."""

    namespaces: Sequence[NamedRepository]
    names: frozenset[str]


class MirrorReport(Struct, frozen=True):
    """What was done: the numbers of identifiers, of those that changed, and of changed files.

    `losses` are what is missing.
    """

    state: MirrorState
    updated: int
    changed_files: int
    losses: Losses


def build(folder: MirrorFolder, inputs: MirrorInput, show: Callable[[int], None]) -> MirrorReport:
    """Write the mirror into a folder, or update the one in it. Raises `UsageError` and the errors of the source."""
    before = read_description(folder)
    is_repeated = folder.read(INCOMPLETE) is not None
    with Inventory() as inventory:
        writer = MirrorWriter(folder, inventory)
        _load(writer)
        statements = LogStatements(inventory)
        if before is not None:
            _require_same(before, inputs)
            statements.namespaces |= set(before.namespaces)
        log = copy_log(inputs.log.read, inputs.log.key, writer, statements.add) if inputs.log else None
        state = _state(inputs, statements, log, before)
        losses = Losses()
        namespaces: Sequence[NamedRepository] = ()
        if inputs.source is None:
            assert log is not None
            updated = collect_from_log(writer, statements.namespaces, state, log, show)
        else:
            namespaces = inputs.source.namespaces(statements.namespaces)
            proofs = TiledProofs(writer, log) if log else inputs.proofs
            collector = RecordCollector(
                inputs.source, writer, namespaces, state, proofs, losses.add, rewrites=is_repeated
            )
            updated = collector.collect(_paths(inputs.source, inventory, statements), show)
        _write_keys(inputs.source, statements, writer)
        state = replace(state, records=inventory.record_count())
        _finish(inputs, state, Hosted(namespaces, frozenset(statements.namespaces)), writer, losses, log)
        return MirrorReport(state, updated, writer.changed, losses)


def _load(writer: MirrorWriter) -> None:
    """Load the files and records of the mirror in the folder, if there is one."""
    writer.list_published()
    for shard in writer.inventory.file_shards():
        for line in (writer.folder.read(shard_index(shard)) or b"").splitlines():
            writer.inventory.add_record(record_of_line(line))


def _require_same(before: MirrorDescription, inputs: MirrorInput) -> None:
    """Raise `UsageError` if the mirror in the folder is another one."""
    if inputs.source is not None and inputs.source.base_url != before.service:
        raise UsageError(f"the folder has a mirror of {before.service}, not of {inputs.source.base_url}")
    if inputs.source is None and before.made_from != FROM_LOG:
        raise UsageError("the folder has a mirror with targets, which a log alone cannot update")
    key = str(inputs.log.key) if inputs.log and inputs.log.key else ""
    if key and before.verifier_key and key != before.verifier_key:
        raise UsageError(
            f"the log has the key {key}, but the mirror was made with {before.verifier_key}: if this is intended, "
            "keep this mirror, whose proofs have the former key, and make another one in an empty folder"
        )


def _state(
    inputs: MirrorInput, statements: LogStatements, log: CopiedLog | None, before: MirrorDescription | None
) -> MirrorState:
    """Return what pages say about the mirror, which follows from its source alone."""
    service = inputs.source.base_url if inputs.source else statements.issuer or (before.service if before else "")
    if not service:
        raise UsageError("the log has no entries, so it does not say which service it is of")
    newest = inputs.source.newest() if inputs.source and not log else ""
    if statements.newest:
        newest = format_time(datetime.fromtimestamp(statements.newest, UTC))
    newest = max(newest, before.newest if before else "")
    exported = inputs.proofs.checkpoint if inputs.proofs else None
    return MirrorState(service, inputs.made_from, log.checkpoint if log else exported, newest)


def _paths(source: RecordSource, inventory: Inventory, statements: LogStatements) -> Iterator[str]:
    """Yield the paths of the identifiers whose answers may have changed since the mirror was made."""
    yield from source.paths(inventory)
    if source.lists_all:
        return
    for record in inventory.records():
        if inventory.entries_of(record.pid):
            continue
        if statements.has_changes or record.is_timed or record.entry is None:
            yield f"/{as_path(record.path)}"


def _write_keys(source: RecordSource | None, statements: LogStatements, writer: MirrorWriter) -> None:
    """Write the public keys of proofs: those of the source, or else of the log."""
    if source is not None:
        [answer] = source.answers([(GET, f"/{KEYS}")])
        content = answer.body if answer.status == 200 else b'{"keys":[]}'
    else:
        present = writer.folder.read(KEYS)
        found = {key["kid"]: key for key in load(present)["keys"]} if present else {}
        keys: list[Any] = [each for _, each in sorted((found | statements.keys).items())]
        content = dump({"keys": keys}).encode()
    writer.write(KEYS, content)


def _finish(
    inputs: MirrorInput,
    state: MirrorState,
    hosted: Hosted,
    writer: MirrorWriter,
    losses: Losses,
    log: CopiedLog | None,
) -> None:
    """Write all that follows from the records: indexes, hosts, pages, description, manifest, and the checkpoint."""
    inventory = writer.inventory
    for shard in inventory.shards():
        writer.write(shard_index(shard), inventory.lines_of(shard), shard)
    write_hosts(writer, state, hosted.namespaces, losses.add, plain=inputs.plain)
    for path in ("index.html", ABOUT):
        writer.write(path, about_page(state))
    writer.write("404.html", not_found_page(state))
    writer.write(".nojekyll", b"")
    key = str(inputs.log.key) if inputs.log and inputs.log.key else ""
    writer.write(DESCRIPTION, description_of(state, key, hosted.names))
    if log is not None:
        inventory.add_file(f"{LOG}/{CHECKPOINT}", "", sha256(log.note).hexdigest())
    write_manifest(writer, state.service, state.checkpoint, inputs.signer)
    if log is not None:
        writer.write(f"{LOG}/{CHECKPOINT}", log.note)
    writer.folder.remove(INCOMPLETE)
