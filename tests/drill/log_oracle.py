"""The oracle of the transparency log: what each published checkpoint must be, and what the log has at the end."""

from collections.abc import Mapping

from coolid.log.checkpoints import verified_checkpoint
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import EMPTY_ROOT, check_consistency, check_inclusion, leaf_hash
from coolid.log.signed_notes import VerifierKey
from coolid.log.tiles import WIDTH, TileReader, bundle_path, entries_of
from coolid.log.tree_edge import TreeEdge
from coolid.model.records import Record
from tests.drill.oracle import Violation
from tests.drill.scheduler import Scheduler
from tests.support.stores.memory_log import MemoryLogFiles


class WatchedFiles(MemoryLogFiles):
    """Files whose published checkpoints are examined."""

    def __init__(self) -> None:
        super().__init__()
        self.oracle: LogOracle | None = None

    def publish(self, checkpoint: bytes, replaced: bytes | None) -> None:
        super().publish(checkpoint, replaced)
        if self.oracle:
            self.oracle.examine(checkpoint)


class LogOracle:
    """Reads the log as a monitor does, at each checkpoint. `public` has the public versions by their proofs."""

    def __init__(self, files: MemoryLogFiles, key: VerifierKey, scheduler: Scheduler) -> None:
        self._files = files
        self._key = key
        self._scheduler = scheduler
        self._edge = TreeEdge()
        self._roots: dict[int, bytes] = {0: EMPTY_ROOT}
        self._versions: dict[tuple[str, str], int] = {}
        self.public: dict[bytes, Record] = {}
        self.places: dict[bytes, int] = {}
        self.checkpoints = 0

    def examine(self, content: bytes) -> None:
        """Raise `Violation` unless a checkpoint continues all earlier ones, and each new entry may be in the log."""
        try:
            checkpoint, _ = verified_checkpoint(content, self._key)
            if checkpoint.size < self._edge.size:
                raise Violation(f"a checkpoint of {checkpoint.size} entries followed one of {self._edge.size}")
            if self._roots.setdefault(checkpoint.size, checkpoint.root) != checkpoint.root:
                raise Violation(f"two checkpoints of {checkpoint.size} entries differ")
            old, old_root = self._edge.size, self._edge.root()
            self._read(checkpoint.size)
            if self._edge.root() != checkpoint.root:
                raise Violation(f"the entries have another root than the checkpoint of {checkpoint.size}")
            tree = TileReader(checkpoint.size, self._files.read)
            check_consistency(old, old_root, checkpoint.size, checkpoint.root, tree.consistency_proof(old))
            self._check_one(tree, checkpoint.root)
        except (MalformedData, FailedProof) as error:
            raise Violation(f"the published tree cannot be verified: {error}") from error
        self.checkpoints += 1

    def check_end(self, settled: Mapping[str, int]) -> None:
        """Raise `Violation` unless the log has each public version once, in the place of its row."""
        missing = self.public.keys() - self.places.keys()
        if missing:
            raise Violation(f"{len(missing)} public versions are not in the log, such as {min(missing).decode()}")
        for leaf, record in self.public.items():
            name = f"version/{record.repository}/{record.key}#{record.version}"
            if settled.get(name) != self.places[leaf]:
                raise Violation(f"{name} has the row {settled.get(name)}, and the place {self.places[leaf]}")
        if sorted(settled.values()) != [*range(self._edge.size)]:
            raise Violation("the rows do not have each place once")

    def _read(self, size: int) -> None:
        """Read the new entries of a tree of this size."""
        leaves: list[bytes] = []
        for index in range(self._edge.size // WIDTH, -(-size // WIDTH)):
            width = min(WIDTH, size - index * WIDTH)
            path = bundle_path(index, width)
            if path not in self._files.contents:
                raise Violation(f"the file {path} is missing")
            leaves += entries_of(self._files.contents[path])[max(self._edge.size - index * WIDTH, 0) :]
        for place, leaf in enumerate(leaves, self._edge.size):
            self._accept(leaf, place)
        self._edge, _ = self._edge.extended(map(leaf_hash, leaves))

    def _accept(self, leaf: bytes, place: int) -> None:
        if leaf in self.places:
            raise Violation(f"{leaf.decode()} is at {self.places[leaf]} and at {place}")
        self.places[leaf] = place
        record = self.public.get(leaf)
        if record is None:
            if not leaf.startswith(b"statement."):
                raise Violation(f"{leaf.decode()} is in the log, but not public")
            statement = leaf.rpartition(b".")[0]  # without its signature, of which another run makes another
            if statement in self.places:
                raise Violation(f"{statement.decode()} is in the log twice")
            self.places[statement] = place
            return
        identity = record.repository, record.key
        if record.previous is not None and self._versions.get(identity, 0) != record.version - 1:
            raise Violation(f"version {record.version} of {record.key} follows {self._versions.get(identity, 0)}")
        self._versions[identity] = record.version

    def _check_one(self, tree: TileReader, root: bytes) -> None:
        """Verify the inclusion of an entry by the tiles."""
        if tree.size:
            index = int(self._scheduler.rng.random() * tree.size)
            check_inclusion(tree.leaf_hash(index), index, tree.size, tree.inclusion_proof(index), root)
