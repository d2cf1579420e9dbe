"""Worlds: what the processes of a drill stand on. One in memory; that over the embedded DynamoDB is in `tables`.

A world gives processes, keys to sign with, and afterwards everything that is stored (`Contents`), as it is stored.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from random import Random
from typing import Any, Protocol
from unittest.mock import patch

from msgspec import Struct

from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.prefixes import Prefix
from coolid.model.records import Record
from coolid.model.repositories import Repository
from coolid.store.store import Store
from coolid.transfer.bulk_minter import BulkMinter
from coolid.transfer.journal import Journal
from coolid.transfer.progress import TransferProgress
from tests.drill.baton import Baton
from tests.drill.faults import CLOCKS, KEY, KILLS, NONSENSE, OUTAGE, STORE, Faults
from tests.drill.processes import Process
from tests.drill.signers import FaultySigner, SeededSigner
from tests.drill.sites import FaultyStore, Heard, Shelf, Site
from tests.drill.turns import Pool, TurnLock
from tests.support.stores.memory_store import MemoryStore, whole


class Contents(Struct):
    """All that is stored: `records` by repository and key, `archive` by these and the version, and so on."""

    records: Mapping[tuple[str, str], Record]
    archive: Mapping[tuple[str, str, int], Record]
    receipts: Mapping[str, IdempotencyRecord]
    prefixes: Mapping[str, Prefix]
    repositories: Mapping[str, Repository]
    keys: list[Mapping[str, Any]]
    counters: Mapping[str, int]


class World(Protocol):
    """What a drill needs of the place that it happens in."""

    kinds: tuple[str, ...]
    plain: Store
    """The store without faults, to furnish it with."""

    def turns(self) -> AbstractContextManager[None]:
        """While this lasts, what waits and what is held in the product does so by the baton."""
        ...

    def process(self) -> Process:
        """A new process, as the stack is deployed at the moment."""
        ...

    def importing(self, process: Process, journal: Journal, tally: TransferProgress) -> BulkMinter:
        """An import of new records, in a process."""
        ...

    def rotate(self, process: Process) -> None:
        """Make a key, publish it, and deploy it for processes to come."""
        ...

    def contents(self) -> Contents:
        """What there is."""
        ...


class MemoryWorld:
    """Over a `MemoryStore`."""

    kinds = (*STORE, *KEY, NONSENSE, *CLOCKS, OUTAGE, *KILLS)

    def __init__(self, baton: Baton, faults: Faults, dice: Random, heard: Heard) -> None:
        self._baton = baton
        self._faults = faults
        self._dice = dice
        self._heard = heard
        self._shelf = Shelf()
        self._signer = self._new_signer()
        self._memory = MemoryStore()
        self.plain = whole(self._memory)

    def turns(self) -> AbstractContextManager[None]:
        """As of `World`."""
        return taking_turns(self._baton)

    def process(self) -> Process:
        """As of `World`."""
        site = Site(self._baton, self._faults, self._dice)
        store: Any = FaultyStore(self._memory, site, self._shelf, self._heard)
        return Process(site, whole(store), store, FaultySigner(self._signer, site), self._dice.getrandbits(32))

    def importing(self, process: Process, journal: Journal, tally: TransferProgress) -> BulkMinter:
        """As of `World`."""
        from tests.drill.imports import memory_minter

        return memory_minter(process, self._memory, journal, tally)

    def rotate(self, process: Process) -> None:
        """As of `World`; what a service makes for nobody is no key of ours."""
        signer = self._new_signer()
        key = FaultySigner(signer, process.site).public_key()
        process.store.public_keys.add_public_key(key)
        process.site.step()
        self._signer = signer

    def contents(self) -> Contents:
        """As of `World`."""
        store = self._memory
        return Contents(
            store.records_by_key,
            store.archive,
            store.receipts,
            store.rows,
            store.repositories,
            store.keys,
            store.counters,
        )

    def _new_signer(self) -> SeededSigner:
        return SeededSigner(self._dice.getrandbits(200) + 1)


@contextmanager
def taking_turns(baton: Baton) -> Iterator[None]:
    """As of `World.turns`, for what all worlds have."""
    with ExitStack() as ends:
        ends.enter_context(patch("coolid.http.management.mint_batch.ThreadPoolExecutor", partial(Pool, baton)))
        ends.enter_context(patch("coolid.records.counters.Lock", partial(TurnLock, baton)))
        ends.enter_context(patch("coolid.registry.directory.Lock", partial(TurnLock, baton)))
        ends.enter_context(patch("coolid.aws.dynamodb.bulk_writer.sleep", baton.sleep))
        yield


Make = Callable[[Baton, Faults, Random, Heard], World]
