"""Assembly of imports from other services over the store that the environment or a deployed stack names."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from coolid.aws.clock import SystemClock
from coolid.aws.entropy import SystemEntropy
from coolid.errors import HomeElsewhere, InvalidInput, PrefixTaken
from coolid.identifiers.rules.noid import NoidRules
from coolid.migration.cached_prefixes import CachedPrefixes
from coolid.migration.history_drafts import HistoryDrafter
from coolid.migration.history_updates import HistoryUpdater
from coolid.migration.identifier_namespaces import IdentifierNamespaces
from coolid.migration.import_report import ImportReport
from coolid.migration.importer import Importer
from coolid.migration.minter_states.minter_state import MinterState
from coolid.migration.minter_states.state_selection import reserved_identifiers
from coolid.migration.missing_prefixes import MissingPrefixes, PrefixPlan
from coolid.migration.source_catalog import source, source_entry
from coolid.migration.source_identifiers import Entry
from coolid.migration.survey import Survey
from coolid.model.prefixes import Namespace
from coolid.records.amendment import RecordAmender
from coolid.records.minter import home_check
from coolid.store.bulk import BulkWriter
from coolid.wiring.name_set import NameSet
from coolid.wiring.transfer import BulkAccess
from coolid.wiring.write_access import build_minter, prover

KMS_SIGNERS: Final = 8
"""How many versions are signed at a time with a key in KMS, where each signature takes a request."""
_NO_STATES: Final[Mapping[str, MinterState]] = MappingProxyType({})


class Migration:
    """The import of a dump into the store of `access`. `prefix` is that of bare names, or empty."""

    def __init__(
        self, access: BulkAccess, source_name: str, path: Path, prefix: str = "", *, encodes_targets: bool = False
    ) -> None:
        self._access = access
        self._read = source(source_name)
        self._source = source_entry(source_name)
        self._path = path
        self._encodes_targets = encodes_targets
        self._prefixes = CachedPrefixes(access.store.prefixes)
        self._namespaces = IdentifierNamespaces(self._prefixes, prefix)
        self._clock = SystemClock()
        self._states: Mapping[str, MinterState] = _NO_STATES

    def survey(self, on_entry: Callable[[int], None], states: Mapping[str, MinterState] = _NO_STATES) -> Survey:
        """Return the survey of the dump; `states` are the minters to continue, by prefix.

        Raises `UsageError` for a damaged dump, `StoreUnavailable`.
        """
        self._states = states
        found = Survey(missing=MissingPrefixes(states))
        found.add(_counted(self._read(self._path), on_entry), self._namespaces)
        return found

    def minters_not_continued(self, plans: Iterable[PrefixPlan]) -> list[str]:
        """Return the prefixes of minters that neither these plans nor registered rules continue, in their order."""
        planned = {plan.name for plan in plans}
        return sorted(
            name for name, state in self._states.items() if name not in planned and not self._is_continued(state)
        )

    def create(self, plans: Sequence[PrefixPlan]) -> dict[str, str]:
        """Create prefixes in their order. Return the reasons for those that cannot be created, by name.

        If the prefix of a continued minter cannot be created, nothing is created after it, so that no import follows.
        The names that continued minters hold back are reserved, so that they are never minted, also if an earlier run
        created the prefixes and was interrupted.
        """
        refused = {}
        for plan in plans:
            try:
                self._access.region.require_names_home(f"the prefix {plan.name}")
                plan.create(self._access.store, self._clock, SystemEntropy())
            except (HomeElsewhere, InvalidInput, PrefixTaken) as error:
                refused[plan.name] = str(error)
                if plan.state is not None:
                    return refused
        self._prefixes.clear()
        continued = [state for state in self._states.values() if self._is_continued(state)]
        importer = self._importer(ImportReport(), self._access.writer)
        importer.run(chain.from_iterable(map(reserved_identifiers, continued)))
        return refused

    def _is_continued(self, state: MinterState) -> bool:
        """Return whether the prefix of a minter is registered, with rules that continue it."""
        row = self._prefixes.prefixes((state.prefix,)).get(state.prefix) if state.prefix else None
        rules = row.repository.rules if isinstance(row, Namespace) else None
        return isinstance(rules, NoidRules) and replace(rules, also="", order="") == replace(
            state.rules, also="", order=""
        )

    def run(
        self,
        report: ImportReport,
        on_entry: Callable[[int], None],
        *,
        preview: Iterable[PrefixPlan] | None = None,
        updates: bool = False,
    ) -> None:
        """Import the dump. With `preview`, write nothing, as if these prefixes were registered.

        With `updates`, write what changed in the source since an earlier import.

        Raises `UsageError`, `StoreUnavailable`, `SignerUnavailable`; a new run continues.
        """
        for plan in preview or ():
            self._prefixes.add(plan.namespace(self._clock))
        importer = self._importer(report, self._access.writer if preview is None else None, updates=updates)
        importer.run(_counted(self._read(self._path), on_entry))

    def _importer(self, report: ImportReport, writer: BulkWriter | None, *, updates: bool = False) -> Importer:
        store, settings = self._access.store, self._access.settings
        require_home = home_check(self._access.region, store.repositories, self._clock)
        proving = prover(settings, store)
        minter = build_minter(settings, replace(store, prefixes=self._prefixes), proving, require_home)
        amender = RecordAmender(store.records, self._clock, proving)
        drafter = HistoryDrafter(minter, amender, self._source.service, encodes_targets=self._encodes_targets)
        updater = HistoryUpdater(store.records, amender, self._source, is_enabled=updates)
        signers = KMS_SIGNERS if settings.signing_key_id else 1
        return Importer(
            self._namespaces, drafter, updater, store.records, proving, writer, report, NameSet().add, signers
        )


def _counted(entries: Iterable[Entry], on_entry: Callable[[int], None]) -> Iterator[Entry]:
    for count, entry in enumerate(entries, 1):
        on_entry(count)
        yield entry
