"""The verification of a mirror from its files alone: manifest, files, log, and the proof of each record.

What it shows: the maker's key signed exactly these files; the checkpoint is signed by the log's key; its entries lead
to its root; each record's signature is by a key in the mirror, and its proof leads from that signature to a checkpoint
of the log. It does not show who the maker is, nor that the keys are the service's: both keys can be named.
"""

import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, Final

import msgspec

from coolid.errors import UsageError
from coolid.log.checkpoints import Checkpoint, read_checkpoint, verified_checkpoint
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import leaf_hash
from coolid.log.signed_notes import VerifierKey, verify
from coolid.log.tiles import CHECKPOINT, WIDTH, Tile, read_tiles
from coolid.log.tree_edge import TreeEdge
from coolid.mirror.description import FROM_LOG, MirrorDescription, read_description
from coolid.mirror.folder import MirrorFolder
from coolid.mirror.inventory import Inventory
from coolid.mirror.layout import (
    DOCUMENT,
    EVIDENCE,
    INCOMPLETE,
    INDEX,
    KEYS,
    LOG,
    MANIFEST,
    PROOF,
    RECORDS,
    SIGNATURE,
    SUMS,
    record_file,
    sums_file,
)
from coolid.mirror.manifest import Manifest, checkpoint_line
from coolid.mirror.records import MirroredRecord, record_of_line
from coolid.mirror.verdict import MirrorVerdict
from coolid.mirror.writer import read_sums
from coolid.proofs.custody_checks import is_received
from coolid.proofs.verification import verify as judge
from coolid.strict_json import NotJson, load

_INDEX: Final = re.compile(f"{RECORDS}/[0-9a-f]{{3}}/{INDEX}")
_LIST: Final = re.compile(f"{RECORDS}/[0-9a-f]{{3}}/{SUMS}")


def verify_mirror(
    folder: MirrorFolder, maker_key: str | None, log_key: str | None, show: Callable[[int], None]
) -> MirrorVerdict:
    """Return the verdict on a mirror. Without keys to trust, those in the mirror are used, and a note says so.

    Raises `UsageError` if the folder has no mirror.
    """
    description = read_description(folder)
    if description is None:
        raise UsageError(f"{folder.path} has no complete mirror")
    verdict = MirrorVerdict()
    _verify_manifest(folder, description, maker_key, verdict)
    key = _log_key(description, log_key, verdict)
    _verify_log(folder, description, key, verdict)
    keys = _keys(folder, verdict)
    for number, record in enumerate(mirrored_records(folder), 1):
        if description.made_from != FROM_LOG:
            _verify_record(folder, record, keys, description.service, verdict)
        if record.entry is not None:
            _verify_proof(folder, record, key, verdict)
        show(number)
        verdict.records = number
    if verdict.received:
        verdict.notes.append(f"{verdict.received:,} records have signatures of other services, which were not verified")
    if verdict.records != description.records:
        verdict.add(f"the indexes have {verdict.records:,} identifiers, the description {description.records:,}")
    return verdict


def mirrored_records(folder: MirrorFolder) -> Iterator[MirroredRecord]:
    """Yield the records in the indexes of a mirror. Raises `UsageError` for a damaged index."""
    for path in folder.paths(RECORDS):
        if not _INDEX.fullmatch(path):
            continue
        try:
            yield from map(record_of_line, (folder.read(path) or b"").splitlines())
        except msgspec.MsgspecError as error:
            raise UsageError(f"{folder.path / path} is damaged: {error}") from error


def _verify_manifest(
    folder: MirrorFolder, description: MirrorDescription, maker_key: str | None, verdict: MirrorVerdict
) -> None:
    """Check the signature of the manifest, and every file."""
    try:
        manifest, note = Manifest.parse(folder.read(MANIFEST) or b"")
        if maker_key is not None:
            key = VerifierKey.parse(maker_key)
            verify(note, key)
            verdict.notes.append(f"the manifest is signed by {key}")
        else:
            names = ", ".join(each.name for each in note.signatures)
            verdict.notes.append(
                f"the manifest's signature by {names} was not verified: name the maker's key by --maker-key"
            )
    except (MalformedData, FailedProof) as error:
        verdict.add(f"{MANIFEST}: {error}")
        return
    if manifest.service != description.service or manifest.checkpoint != description.checkpoint:
        verdict.add(f"{MANIFEST} is of another service or checkpoint than the description")
    content = folder.read(sums_file("")) or b""
    if sha256(content).hexdigest() != manifest.digest:
        verdict.add(f"{sums_file('')} is not the list that the manifest is about")
    with Inventory() as inventory:
        _verify_files(folder, inventory, verdict)
        if inventory.file_count() != manifest.files:
            verdict.add(f"the lists have {inventory.file_count():,} files, the manifest {manifest.files:,}")
        for path in folder.paths():
            if path == INCOMPLETE:
                verdict.add("an update was interrupted: complete it by --update")
            elif not inventory.has_file(path) and not _is_unlisted(path):
                verdict.add(f"{path} is not in the manifest")


def _is_unlisted(path: str) -> bool:
    """Return whether a file is in no list because it is the list itself, its signature, or evidence."""
    return path in (MANIFEST, sums_file("")) or path.startswith(f"{EVIDENCE}/")


def _verify_files(folder: MirrorFolder, inventory: Inventory, verdict: MirrorVerdict) -> None:
    """Check the digest of each listed file, and add the files to an inventory."""
    remaining = [sums_file("")]
    while remaining:
        for digest, path in read_sums(folder, remaining.pop()) or []:
            inventory.add_file(path, "", digest)
            found = folder.digest(path)
            if found is None:
                verdict.add(f"{path} is missing")
            elif found != digest:
                verdict.add(f"{path} was changed")
            elif _LIST.fullmatch(path):
                remaining.append(path)


def _log_key(description: MirrorDescription, named: str | None, verdict: MirrorVerdict) -> VerifierKey | None:
    """Return the key of the log: the one that the user named, or the one in the mirror, with a note."""
    text = named or description.verifier_key
    if not named and description.checkpoint != "none":
        verdict.notes.append(
            f"the log's key is the one in the mirror, {text}: name the key that you trust by --log-key"
            if text
            else "the mirror has no key of the log, so no signature of a checkpoint was verified"
        )
    try:
        return VerifierKey.parse(text) if text else None
    except MalformedData as error:
        raise UsageError(f"the key of the log cannot be used: {error}") from error


def _verify_log(
    folder: MirrorFolder, description: MirrorDescription, key: VerifierKey | None, verdict: MirrorVerdict
) -> None:
    """Check checkpoint, tiles and entries."""
    content = folder.read(f"{LOG}/{CHECKPOINT}")
    if content is None:
        verdict.notes.append("the mirror has no copy of the log, so its entries were not compared with the records")
        return
    try:
        checkpoint = (verified_checkpoint(content, key) if key else read_checkpoint(content))[0]
        if checkpoint_line(checkpoint) != description.checkpoint:
            verdict.add("the checkpoint is not the one of the description")
        _verify_tree(folder, checkpoint, verdict)
    except (MalformedData, FailedProof) as error:
        verdict.add(f"{LOG}: {error}")
        return
    verdict.checkpoint = checkpoint.size


def _verify_tree(folder: MirrorFolder, checkpoint: Checkpoint, verdict: MirrorVerdict) -> None:
    """Check that the entries lead to the root, and that the tiles are those of the entries. Raises `MalformedData`."""
    edge = TreeEdge()
    for index in range(-(-checkpoint.size // WIDTH)):
        bundle = Tile.of_tree(checkpoint.size, None, index)
        [entries] = read_tiles([bundle], lambda paths: folder.read_files(paths, f"{LOG}/"))
        edge, tiles = edge.extended(map(leaf_hash, entries))
        for tile, content in tiles.items():
            if tile.width == WIDTH and folder.read(f"{LOG}/{tile.path}") != content:
                verdict.add(f"{LOG}/{tile.path} is not the tile of the entries")
    for tile in TreeEdge.tiles_of(edge.size):
        if folder.read(f"{LOG}/{tile.path}") != b"".join(edge.hashes[tile.level or 0]):
            verdict.add(f"{LOG}/{tile.path} is not the tile of the entries")
    if edge.root() != checkpoint.root:
        verdict.add("the entries do not lead to the root of the checkpoint")


def _keys(folder: MirrorFolder, verdict: MirrorVerdict) -> Any:
    """Return the key set of the records."""
    try:
        return load(folder.read(KEYS) or b"")
    except NotJson as error:
        verdict.add(f"{KEYS}: {error}")
        return {"keys": []}


def _verify_record(
    folder: MirrorFolder, record: MirroredRecord, keys: Any, service: str, verdict: MirrorVerdict
) -> None:
    """Check the signature of a record, and that it is the record of its index.

    A record that another service offers to this one has the signature of that service, whose keys are not here.
    """
    try:
        document = load(folder.read(record_file(record.name, DOCUMENT)) or b"")
    except NotJson as error:
        verdict.add(f"{record.path}: its document is not JSON: {error}")
        return
    checked = judge(document, keys, pid=record.pid)
    is_of_other = isinstance(document, dict) and is_received(document, service, keys)
    verdict.received += is_of_other
    for check in checked.checks:
        if not check.passed and not (is_of_other and check.name == "key"):
            verdict.add(f"{record.path}: {check.detail}")
    if isinstance(document, dict) and document.get("version") != record.version:
        verdict.add(f"{record.path}: its document is of another version than its index")


def _verify_proof(
    folder: MirrorFolder, record: MirroredRecord, key: VerifierKey | None, verdict: MirrorVerdict
) -> None:
    """Check the proof that a record's signature is in the log."""
    proof = folder.read(record_file(record.name, PROOF))
    signature = folder.read(record_file(record.name, SIGNATURE))
    if proof is None or signature is None:
        verdict.add(f"{record.path}: its proof is missing")
        return
    try:
        found = InclusionProof.parse(proof)
        if key is not None:
            found.verify(signature, key)
        else:
            found.check(signature)
    except (MalformedData, FailedProof) as error:
        verdict.add(f"{record.path}: {error}")
        return
    verdict.proofs += 1
    if found.index != record.entry:
        verdict.add(f"{record.path}: its proof is of entry {found.index}, not {record.entry}")
