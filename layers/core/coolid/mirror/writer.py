"""The writer of a mirror's files: it writes what changed, and lists every file with its digest."""

import re
from collections.abc import Iterable
from functools import partial
from hashlib import sha256
from tempfile import TemporaryFile
from typing import Final

from coolid.errors import UsageError
from coolid.mirror.folder import MirrorFolder
from coolid.mirror.inventory import Inventory
from coolid.mirror.layout import INCOMPLETE, RECORDS, sums_file

_PART_BYTES: Final = 1 << 20
_SUM: Final = re.compile(rb"([0-9a-f]{64})  ([^\n\\]+)\n")
_SHARD: Final = re.compile(f"{RECORDS}/([0-9a-f]{{3}})/SHA256SUMS")


class MirrorWriter:
    """Writes files into `folder`, and lists them in `inventory`. `changed` counts those with new contents.

    With the first change, it marks the mirror as incomplete (`INCOMPLETE`).
    """

    def __init__(self, folder: MirrorFolder, inventory: Inventory) -> None:
        self.folder = folder
        self.inventory = inventory
        self.changed = 0

    def write(self, path: str, content: bytes, shard: str = "") -> None:
        """Write a file, unless it has this content, and list it with the files of a folder of records."""
        self.inventory.add_file(path, shard, sha256(content).hexdigest())
        if self.folder.read(path) != content:
            self._begin()
            self.folder.write(path, [content])

    def write_pieces(self, path: str, pieces: Iterable[bytes], *, is_listed: bool = True) -> str:
        """Write a large file from its pieces, unless it has this content. Return its digest."""
        with TemporaryFile() as file:
            digest = sha256()
            for piece in pieces:
                digest.update(piece)
                file.write(piece)
            if self.folder.digest(path) != digest.hexdigest():
                self._begin()
                file.seek(0)
                self.folder.write(path, iter(partial(file.read, _PART_BYTES), b""))
        if is_listed:
            self.inventory.add_file(path, "", digest.hexdigest())
        return digest.hexdigest()

    def _begin(self) -> None:
        if not self.changed:
            self.folder.write(INCOMPLETE, [])
        self.changed += 1

    def list_published(self) -> None:
        """List the files that the mirror has from earlier runs. Raises `UsageError` if a list is damaged."""
        for shard, lines in _published_sums(self.folder):
            for digest, path in lines:
                self.inventory.add_file(path, shard, digest)


def _published_sums(folder: MirrorFolder) -> Iterable[tuple[str, list[tuple[str, str]]]]:
    """Yield the shards of all lists of files, with their digests and paths."""
    top = read_sums(folder, sums_file("")) or []
    shards = [found[1] for _, path in top if (found := _SHARD.fullmatch(path))]
    yield "", [(digest, path) for digest, path in top if not _SHARD.fullmatch(path)]
    for shard in shards:
        yield shard, read_sums(folder, sums_file(shard)) or []


def read_sums(folder: MirrorFolder, path: str) -> list[tuple[str, str]] | None:
    """Return the digests and paths in a list of files, or None if there is none. Raises `UsageError`."""
    content = folder.read(path)
    if content is None:
        return None
    found = [(digest.decode(), name.decode()) for digest, name in _SUM.findall(content)]
    if sum(len(digest) + len(name.encode()) + len("  \n") for digest, name in found) != len(content):
        raise UsageError(f"{folder.path / path} is damaged: it is not a list of SHA-256 digests")
    return found
