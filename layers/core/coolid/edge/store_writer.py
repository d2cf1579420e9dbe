"""Conditional updates of the store at the edge, each recorded in the ledger.

The ledger has the contents and the version of the store, so an update is one call. It is written before the call,
with the planned changes and the price, and after it, with the new version. After a crash between these, the plan shows
that the ledger may be wrong. After a write by somebody else, the version shows it. Then the store's version and state
decide whether the store has the contents before the plan or those after it. If neither is certain, the store is listed.

A correction of the ledger begins only if a call is left for repairs. It is then completed, whatever it costs. The token
bucket owes what it lacks, and nothing else begins until this has come in. So retries cannot use up the calls of a list.

If a planned update was not applied, its updater may still be about to apply it. A new version prevents that.

An entity tag never comes back, so an update with an outdated ledger always fails (`VersionConflict`).
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.edge.batches import AllowanceExhausted, Changes, changed, digest_of, spent
from coolid.edge.redirect_store import PAGE_KEYS, Ledger, LedgerFile, RedirectStore, VersionConflict
from coolid.edge.state import FORMAT, STATE_KEY, EdgeState
from coolid.ports import Clock

CHANGES: Final = "for_changes"
REPAIRS: Final = "for_repairs"
LIMITS: Final = {CHANGES: (60, 10), REPAIRS: (600, 20)}
"""The capacity of each token bucket in calls, and the calls that it gains in an hour."""

Allowances = Mapping[str, tuple[int, int]]


class OpenLedger(Struct, frozen=True):
    """A ledger, and the version of its file."""

    ledger: Ledger
    version: str | None


class StoreWriter:
    """Writes the store named `name`, with entries of the service at `base_url`."""

    def __init__(
        self,
        store: RedirectStore,
        file: LedgerFile,
        name: str,
        base_url: str,
        clock: Clock,
        limits: Allowances = LIMITS,
    ) -> None:
        self._store = store
        self._file = file
        self._name = name
        self._base_url = base_url
        self._clock = clock
        self._limits = limits
        self._written: tuple[str, Mapping[str, str], EdgeState] | None = None

    def now(self) -> int:
        """Return the time in seconds since 1970."""
        return self._clock.milliseconds() // 1000

    def is_usable(self, opened: OpenLedger) -> bool:
        """Return whether the entries have this release's format and the service's base URL."""
        return (opened.ledger.format, opened.ledger.base_url) == (FORMAT, self._base_url)

    def open(self) -> OpenLedger | None:
        """Return the ledger, corrected if it may be wrong. None if the store has none yet.

        Raises `VersionConflict`, `AllowanceExhausted` and `StoreUnavailable`.
        """
        loaded = self._file.load()
        if loaded is None or loaded[0].store != self._name:
            return None
        opened = OpenLedger(*loaded)
        return opened if opened.ledger.planned is None else self._correct(opened)

    def create(self) -> OpenLedger:
        """Return a new ledger of a store that has none, and save it. Lists the store.

        Raises `VersionConflict`, `AllowanceExhausted` and `StoreUnavailable`.
        """
        loaded = self._file.load()
        # After a crash, `open` continues, because a change is planned.
        new = Ledger(store=self._name, version="", format=FORMAT, base_url=self._base_url, planned={})
        return self._listed(OpenLedger(new, loaded and loaded[1]))

    def write(self, opened: OpenLedger, changes: Changes, bucket: str, valid_until: int) -> OpenLedger:
        """Apply at most `MAX_GROUP_KEYS` changes to the store, and write its state.

        Raises `AllowanceExhausted` if the `bucket` is empty; nothing was written then. An empty name of a bucket needs
        no allowance. Raises `VersionConflict` if another update came first, and `StoreUnavailable`.
        """
        plan = replace(opened.ledger, planned=changes, planned_until=valid_until)
        planned = self._saved(opened, self._paid(plan, bucket, 1))
        entries, state = self._planned(plan)
        puts = {key: value for key, value in changes.items() if value is not None}
        version = self._store.update(plan.version, {**puts, STATE_KEY: state.text()}, changes.keys() - puts.keys())
        self._written = version, entries, state
        return self._saved(planned, _of_state(planned.ledger, *self._written))

    def _correct(self, opened: OpenLedger) -> OpenLedger:
        """Return the ledger with the contents of the store: those before the planned update, or those after it."""
        paid = self._saved(opened, self._paid(opened.ledger, REPAIRS, 3))  # what follows is paid, but for a list
        ledger = paid.ledger
        version = self._store.version()
        if version == ledger.version:
            # The planned update may still be under way. One that writes nothing but another state makes it fail.
            until = max(ledger.valid_until - 1, 0) if self.is_usable(paid) else 0
            return self.write(paid, {}, "", until)
        if self._written and self._written[0] == version:
            return self._saved(paid, _of_state(ledger, *self._written))
        entries, state = self._planned(ledger)
        before = EdgeState(ledger.format, ledger.valid_until, digest_of(ledger.entries), ledger.base_url)
        # An update by somebody else leaves the state. So only a new state shows that the planned update took place.
        if state != before and self._store.value(STATE_KEY) == state.text():
            return self._saved(paid, _of_state(ledger, version, entries, state))
        return self._listed(paid)

    def _listed(self, opened: OpenLedger) -> OpenLedger:
        """Return the ledger with the entries that the store lists."""
        paid = self._saved(opened, self._charged(opened.ledger, REPAIRS, 3))
        pages = self._store.size() // PAGE_KEYS + 1  # charged before, because a list that fails has its price, too
        paid = self._saved(paid, self._charged(paid.ledger, REPAIRS, pages))
        version = self._store.version()
        entries = dict(self._store.entries())
        if self._store.version() != version:
            raise VersionConflict
        state = EdgeState.parse(entries.pop(STATE_KEY, ""))
        return self._saved(paid, _of_state(paid.ledger, version, entries, state))

    def _planned(self, ledger: Ledger) -> tuple[Mapping[str, str], EdgeState]:
        """Return the entries and the state after the planned update."""
        entries = changed(ledger.entries, ledger.planned or {})
        return entries, EdgeState(FORMAT, ledger.planned_until, digest_of(entries), self._base_url)

    def _paid(self, ledger: Ledger, bucket: str, calls: int) -> Ledger:
        """Return the ledger after some calls. Raises `AllowanceExhausted` if the bucket had none left."""
        if not bucket:
            return ledger
        charged = self._charged(ledger, bucket, calls)
        if getattr(charged, bucket).calls <= -calls:
            raise AllowanceExhausted
        return charged

    def _charged(self, ledger: Ledger, bucket: str, calls: int) -> Ledger:
        """Return the ledger after some calls, which the bucket owes if it has too few left."""
        left = spent(getattr(ledger, bucket), calls, self.now(), *self._limits[bucket])
        return replace(ledger, **{bucket: left})

    def _saved(self, opened: OpenLedger, ledger: Ledger) -> OpenLedger:
        return OpenLedger(ledger, self._file.save(ledger, opened.version))


def _of_state(ledger: Ledger, version: str, entries: Mapping[str, str], state: EdgeState | None) -> Ledger:
    """Return the ledger of a store with these entries and this state. A store without a state is switched off."""
    contents = replace(ledger, version=version, entries=entries, planned=None, valid_until=0)
    if state is None:
        return contents
    return replace(contents, valid_until=state.valid_until, format=state.format, base_url=state.base_url)
