"""The synchroniser of the store at the edge with the rows of prefixes.

A *change* writes the entries of some prefixes. A *sweep* compares the whole store with the table, and repairs what
changes have missed. The store's state is a lease: it is valid for `LEASE_SECONDS` after a sweep found no wrong entry.
The edge answers nothing after that. So a store that nobody updates stops answering, and no wrong entry lasts longer.

- The ledger is read before the rows, and an update requires the version in the ledger. So a value never replaces that
  of a later row, whichever update comes first.
- After an update, the rows are read again. A row changed back meanwhile required no update when its event came.
- All entries of a prefix are in one update, and edge locations apply it as a whole.
- Calls are limited by token buckets (`coolid.edge.store_writer.LIMITS`). If no call is left for changes, the store is
  switched off by one more call, until the next sweep. So costs are bounded, and no entry stays wrong.
- Everything may be done twice, in any order, and by several updaters at the same time.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from coolid.edge.batches import MAX_GROUP_KEYS, AllowanceExhausted, Changes, batches, differences, excess
from coolid.edge.current_entries import current_groups, read_rows
from coolid.edge.entries import entries_of
from coolid.edge.redirect_store import VersionConflict
from coolid.edge.store_writer import CHANGES, REPAIRS, OpenLedger, StoreWriter
from coolid.errors import StoreUnavailable
from coolid.model.prefixes import ProviderPrefix
from coolid.ports import Seconds
from coolid.store.prefixes import PrefixReader

LEASE_SECONDS: Final = 6 * 3600
"""The validity of the store after a sweep. It is renewed when less than half of it is left."""
STOP_SECONDS: Final = 20
"""A sweep begins no update with less time left. The next sweep continues."""
_CLOCK_SKEW_SECONDS: Final = 60
"""The most by which clocks differ. A state with a later end was not written by a correct clock."""
_REPAIRED_KEYS: Final = 2 * MAX_GROUP_KEYS
"""The keys that a sweep reads at once, which fill two updates."""
_MAX_ATTEMPTS: Final = 5


class SyncResult(Struct, frozen=True):
    """The keys that were `written`, those in the store, the prefixes `left_out`, and whether the edge uses the store.

    A suspended store was switched off because no call was left. A change is deferred if the edge does not use the
    store: it has to be repeated, because a sweep that switches the store on now may have read the rows before it.
    """

    written: int = 0
    keys: int = 0
    left_out: int = 0
    is_valid: bool = False
    is_suspended: bool = False
    is_deferred: bool = False


class Synchroniser:
    """Carries out changes and sweeps. `base_url` is the public base URL of the service."""

    def __init__(self, writer: StoreWriter, prefixes: PrefixReader, base_url: str) -> None:
        self._writer = writer
        self._prefixes = prefixes
        self._base_url = base_url

    def change(self, names: Collection[str]) -> SyncResult:
        """Write the entries of the prefixes with these names or synonyms. Raises `StoreUnavailable`.

        A store without a ledger is left to the first sweep.
        """
        return self._repeated(lambda: self._change(names))

    def sweep(self, seconds_left: Seconds) -> SyncResult:
        """Compare the store with all prefixes, repair it, and renew its validity. Raises `StoreUnavailable`."""
        return self._repeated(lambda: self._sweep(seconds_left))

    def _repeated(self, step: Callable[[], SyncResult]) -> SyncResult:
        for _ in range(_MAX_ATTEMPTS):
            try:
                return step()
            except VersionConflict:
                continue
            except AllowanceExhausted:
                break
        raise StoreUnavailable("the store at the edge is written by others, or its ledger allows no more calls")

    def _change(self, names: Collection[str]) -> SyncResult:
        opened = self._writer.open()
        if opened is None or not self._is_valid(opened):
            return SyncResult(is_deferred=opened is not None)
        written = 0
        for _ in range(_MAX_ATTEMPTS):
            groups = current_groups(self._prefixes, self._base_url, names)
            found = differences(opened.ledger.entries, groups, frozenset())
            if not found:
                return self._result(opened, written, 0)
            try:
                for batch in batches(found):
                    opened = self._writer.write(opened, batch, CHANGES, opened.ledger.valid_until)
            except AllowanceExhausted:
                return self._suspended(opened)
            written += sum(map(len, found))
        raise StoreUnavailable("the prefixes change while they are written")

    def _sweep(self, seconds_left: Seconds) -> SyncResult:
        now = self._writer.now()
        opened = self._writer.open() or self._writer.create()
        if not self._writer.is_usable(opened):
            opened = self._writer.write(opened, {}, REPAIRS, 0)
        listed = self._listed()
        out = excess(listed)
        excluded = frozenset(key for prefix, entries in listed if prefix.name in out for key in entries)
        wanted = {key: value for prefix, entries in listed if prefix.name not in out for key, value in entries.items()}
        entries = opened.ledger.entries
        wrong = [key for key in sorted(entries) if wanted.get(key) != entries[key]]
        repair = _Repair(self._writer, self._prefixes, self._base_url, excluded, seconds_left)
        try:
            opened, written, is_done = repair.run(opened, wrong)
            left = opened.ledger.valid_until - now
            if is_done and not LEASE_SECONDS // 2 <= left <= LEASE_SECONDS + _CLOCK_SKEW_SECONDS:
                opened = self._writer.write(opened, {}, REPAIRS, now + LEASE_SECONDS)
        except AllowanceExhausted:
            return self._suspended(opened)
        if is_done:
            with suppress(AllowanceExhausted):  # missing entries are no wrong ones
                opened, more, _ = repair.run(opened, sorted(wanted.keys() - entries.keys()))
                written += more
        return self._result(opened, written, len(out))

    def _listed(self) -> Sequence[tuple[ProviderPrefix, Mapping[str, str]]]:
        """Return the prefixes with their entries, which may be a little outdated."""
        prefixes = [each for each in self._prefixes.all_prefixes() if isinstance(each, ProviderPrefix)]
        synonyms = (name for each in prefixes for name in each.synonyms)
        rows = read_rows(self._prefixes, synonyms, consistent=False)
        listed = []
        for prefix in prefixes:
            own = [rows[name] for name in prefix.synonyms if name in rows]
            listed.append((prefix, entries_of(prefix, self._base_url, own)))
        return listed

    def _suspended(self, opened: OpenLedger) -> SyncResult:
        """Switch the store off, without an allowance."""
        if self._is_valid(opened):
            opened = self._writer.write(opened, {}, "", 0)
        return SyncResult(keys=len(opened.ledger.entries), is_suspended=True)

    def _result(self, opened: OpenLedger, written: int, left_out: int) -> SyncResult:
        return SyncResult(written, len(opened.ledger.entries), left_out, self._is_valid(opened))

    def _is_valid(self, opened: OpenLedger) -> bool:
        """Return whether the edge uses the store."""
        return opened.ledger.valid_until > self._writer.now() and self._writer.is_usable(opened)


class _Repair(Struct, frozen=True):
    """The writes of one sweep, each for keys whose entries differ from the list."""

    writer: StoreWriter
    prefixes: PrefixReader
    base_url: str
    excluded: frozenset[str]
    seconds_left: Seconds

    def run(self, opened: OpenLedger, keys: Sequence[str]) -> tuple[OpenLedger, int, bool]:
        """Write what the rows of the keys require now. Return the keys written, and whether the time sufficed.

        Raises `AllowanceExhausted`, `VersionConflict` and `StoreUnavailable`.
        """
        written = 0
        for start in range(0, len(keys), _REPAIRED_KEYS):
            some = keys[start : start + _REPAIRED_KEYS]
            while found := self._differences(opened, some):
                for batch in batches(found):
                    if self.seconds_left() < STOP_SECONDS:
                        return opened, written, False
                    opened = self.writer.write(opened, batch, REPAIRS, opened.ledger.valid_until)
                    written += len(batch)
        return opened, written, True

    def _differences(self, opened: OpenLedger, keys: Sequence[str]) -> Sequence[Changes]:
        groups = current_groups(self.prefixes, self.base_url, keys)
        return differences(opened.ledger.entries, groups, self.excluded)
