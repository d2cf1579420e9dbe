"""The records of a mirror that is made from a log alone: versions with their digests and proofs, but no targets."""

from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from coolid.identifiers.rules.chosen import ChosenRules
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.tiles import WIDTH, Tile, read_tiles
from coolid.migration.destinations.exported_identifiers import spellings
from coolid.mirror.inventory import paths_of
from coolid.mirror.layout import DOCUMENT, LOG, PAGE, PROOF, SIGNATURE, name_of, record_file, shard_of
from coolid.mirror.log_copy import CopiedLog, tile_reader
from coolid.mirror.pages import MirrorState, record_page
from coolid.mirror.records import NO_TARGET, MirroredRecord
from coolid.mirror.sources.source import statement_of
from coolid.mirror.writer import MirrorWriter
from coolid.model.prefixes import join
from coolid.strict_json import dump, load

_UNKNOWN_RULES: Final = ChosenRules()
"""A log has no rules of identifiers, so only the spellings of their prefixes are mirrored."""


def collect_from_log(
    writer: MirrorWriter, names: Iterable[str], state: MirrorState, log: CopiedLog, show: Callable[[int], None]
) -> int:
    """Collect what the new entries of a log say. `names` are the prefixes in it. Return the number of records."""
    prefixes = sorted(names, key=lambda name: (-len(name), name))
    tiles = tile_reader(writer, log.checkpoint.size)
    number = 0
    for number, path in enumerate(paths_of(writer.inventory.pids(), state.service), 1):
        pid = state.service + path
        text = unquote_to_bytes(path.removeprefix("/")).decode(errors="replace")
        versions = _versions(pid, text, writer, log)
        newest = versions[-1]
        record = MirroredRecord(
            text, pid, _spellings(text, prefixes), NO_TARGET, "", newest["version"], entry=newest["entry"]
        )
        writer.inventory.add_record(record)
        name, shard = record.name, shard_of(record.name)
        document = {"pid": pid, "versions": versions}
        writer.write(record_file(name, DOCUMENT), dump(document).encode(), shard)
        writer.write(record_file(name, SIGNATURE), _entry(newest["entry"], writer, log), shard)
        proof = InclusionProof.compute(newest["entry"], tiles, log.note)
        writer.write(record_file(name, PROOF), proof.to_bytes(), shard)
        page = record_page(record, document, state, has_proof=True, has_record=False)
        writer.write(record_file(name, PAGE), page, shard)
        show(number)
    return number


def _versions(pid: str, path: str, writer: MirrorWriter, log: CopiedLog) -> list[dict[str, Any]]:
    """Return the versions of an identifier, those of earlier runs included, in their order."""
    content = writer.folder.read(record_file(name_of(path), DOCUMENT)) if writer.inventory.record(path) else None
    found = {each["version"]: each for each in load(content)["versions"]} if content else {}
    for version, entry in writer.inventory.entries_of(pid):
        statement = statement_of(_entry(entry, writer, log)) or {}
        found.setdefault(
            version,
            {"version": version, "entry": entry, "digest": statement.get("digest"), "iat": statement.get("iat")},
        )
    return [found[version] for version in sorted(found)]


def _entry(index: int, writer: MirrorWriter, log: CopiedLog) -> bytes:
    """Return an entry from the mirrored bundles."""
    bundle = Tile.of_tree(log.checkpoint.size, None, index // WIDTH)
    [entries] = read_tiles([bundle], lambda paths: writer.folder.read_files(paths, f"{LOG}/"))
    return entries[index % WIDTH]


def _spellings(path: str, prefixes: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the spellings of a path under the longest prefix that it has."""
    folded = path.lower()
    for prefix in prefixes:
        for end in ("/", ":", ""):
            beginning = prefix + end
            if folded.startswith(beginning) and join(prefix, rest := path[len(beginning) :]) == path and rest:
                return tuple((each, len(prefix)) for each in spellings(prefix, rest, _UNKNOWN_RULES))
    return ((path, len(path)),)
