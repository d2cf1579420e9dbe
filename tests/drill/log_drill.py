"""The drill of the sequencer: many writers, overlapping sequencers that are killed, and ports with faults.

`python -m tests.drill.log_drill` runs its long form. A seed determines the run. `--break` removes a guard, and the
drill must then fail.
"""

import argparse
import sys
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from datetime import timedelta
from random import Random
from time import perf_counter
from types import SimpleNamespace
from typing import Any, Final

from msgspec import Struct

from coolid.errors import SignerUnavailable, StoreUnavailable
from coolid.log.batches import BatchReader
from coolid.log.sequencer import InconsistentLog, Sequencer
from coolid.log.signed_notes import ED25519, SignedNote, VerifierKey
from coolid.log.subject_entries import repository_entry, version_entry
from coolid.log.sweep import Sweep
from coolid.log.tiles import TileReader
from coolid.model.records import ACTIVE, RESERVED, WITHDRAWN, Record
from coolid.store.log import LogAccess, WaitingEntry
from tests.drill.faults import Faults
from tests.drill.log_guards import LOG_GUARDS
from tests.drill.log_oracle import LogOracle, WatchedFiles
from tests.drill.log_ports import LOG_FAULTS, FaultyCalls, FaultyLogFiles, FaultyLogRows, RunKilled, WrittenRecords
from tests.drill.oracle import Violation
from tests.drill.scheduler import Scheduler
from tests.support.builders.samples import MOMENT, record, repository
from tests.support.builders.transparency_log import MessageLog
from tests.support.fixtures.note_keys import NoteKey
from tests.support.stores.memory_log import MemoryLogRows

VERSIONS: Final = 100_000
WRITERS: Final = 12
SEQUENCERS: Final = 3
_SWEEP_SECONDS: Final = 20
_PAUSE_SECONDS: Final = 0.5
_WITNESS_SECONDS: Final = 5
_ORIGIN: Final = "id.example.org/log"
_OWNER: Final = repository()


class LogOutcome(Struct):
    """The result of a drill that passed."""

    versions: int
    records: int
    checkpoints: int
    runs: int
    fired: Counter[str]
    checks: int


class DrillClock:
    """The wall clock of the scheduler."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def milliseconds(self) -> int:
        return round((MOMENT.timestamp() + self._scheduler.now) * 1000)


class SlowWitness:
    """Lets others run during a request for cosignatures, and does not cosign."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def cosigned(self, checkpoint: SignedNote, tree: TileReader) -> SignedNote:
        if self._scheduler.task:
            self._scheduler.sleep(self._scheduler.rng.random() ** 4 * _WITNESS_SECONDS)
        return checkpoint


class LogDrill:
    """One run of the drill."""

    def __init__(self, seed: int, versions: int) -> None:
        self.rng = Random(seed)
        self.scheduler = Scheduler(self.rng)
        self.faults = Faults(self.rng, self.scheduler)
        self.faults.rate_factor = 0.6
        self.rows, self.files, self.signer = MemoryLogRows(), WatchedFiles(), NoteKey()
        key = VerifierKey(_ORIGIN, ED25519, self.signer.public_key())
        self.oracle = self.files.oracle = LogOracle(self.files, key, self.scheduler)
        self.records = WrittenRecords()
        self.events: deque[WaitingEntry] = deque()
        self.remaining = versions
        self.writing = 0
        self.signatures = self.runs = self.revision = 0

    def run(self) -> LogOutcome:
        """Run all tasks; return the outcome, or raise `Violation`."""
        try:
            return self._run()
        except InconsistentLog as error:
            raise Violation(str(error)) from error

    def _run(self) -> LogOutcome:
        self.faults.quiet = False
        tasks = [*([self._write] * WRITERS), self._feed, self._feed, self._sweep, *([self._sequence] * SEQUENCERS)]
        self.scheduler.run(tasks)
        self.faults.quiet = True
        sequencer, sweep = self._processes()
        self.scheduler.now += _SWEEP_SECONDS
        while sweep.run() or sequencer.run().has_more:
            pass
        self.oracle.check_end(self.rows.settled)
        written = sum(map(len, self.records.versions.values()))
        counts = len(self.records.versions), self.oracle.checkpoints, self.runs
        return LogOutcome(written, *counts, self.faults.fired, len(self.oracle.places))

    def _write(self) -> None:
        """Write versions: new records, some of them reserved, and changes."""
        while self.remaining > 0:
            self.remaining -= 1
            self.writing += 1
            self.scheduler.sleep(self.rng.random() * _PAUSE_SECONDS)
            version = self._next_version()
            self.records.write(version)
            entry = version_entry(version, 0)
            if version.status != RESERVED:
                assert version.proof
                self.oracle.public[version.proof.encode()] = version
            if entry and self.rng.random() < 0.97:
                self.events.append(entry)
            if self.rng.random() < 0.01:
                self.revision += 1
                self.events.append(repository_entry(repository(revision=self.revision), 0))
            self.writing -= 1

    def _goes_on(self) -> bool:
        return bool(self.remaining > 0 or self.writing or self.events)

    def _next_version(self) -> Record:
        updated = MOMENT + timedelta(seconds=int(self.scheduler.now))
        keys = self.records.changes[-200:]
        if not keys or self.rng.random() < 0.5:
            key = f"k{len(self.records.versions)}"
            status = RESERVED if self.rng.random() < 0.3 else ACTIVE
            return record(key, status=status, proof=f"proof.{key}#1.x", created=updated, updated=updated)
        current = self.records.versions[self.rng.choice(keys)[1]][-1]
        number = current.version + 1
        statuses = (RESERVED, ACTIVE, WITHDRAWN) if current.status == RESERVED else (ACTIVE, WITHDRAWN)
        previous = None if current.status == RESERVED else "a digest"  # whether the version before must be in the log
        members: dict[str, Any] = {"version": number, "proof": f"proof.{current.key}#{number}.x", "previous": previous}
        return record(current.key, status=self.rng.choice(statuses), updated=updated, **members)

    def _feed(self) -> None:
        """Deliver events, some twice, until the writers have ended."""
        rows = FaultyLogRows(self.rows, FaultyCalls(self.scheduler, self.faults))
        while self._goes_on():
            batch = [self.events.popleft() for _ in range(min(len(self.events), 1 + int(self.rng.random() * 25)))]
            if self.rng.random() < 0.1:
                batch += batch
            while batch:
                try:
                    rows.add_entries(batch)
                    break
                except StoreUnavailable:
                    self.scheduler.sleep(0.1)
            self.scheduler.sleep(self.rng.random() / 5)

    def _sequence(self) -> None:
        """Run sequencers, each in a process that may be killed."""
        while self._goes_on():
            sequencer, _ = self._processes(may_kill=True)
            with suppress(RunKilled, StoreUnavailable, SignerUnavailable):
                for _ in range(20):
                    self.runs += 1
                    if not sequencer.run().has_more:
                        self.scheduler.sleep(self.rng.random())
            self.scheduler.sleep(self.rng.random() / 2)

    def _sweep(self) -> None:
        while self.remaining > 0:
            self.scheduler.sleep(self.rng.random() * 30)
            with suppress(StoreUnavailable):
                while self._processes()[1].run():
                    pass

    def _processes(self, *, may_kill: bool = False) -> tuple[Sequencer, Sweep]:
        """Return a sequencer and a sweep of a new process."""
        calls = FaultyCalls(self.scheduler, self.faults, may_kill=may_kill)
        rows, files = FaultyLogRows(self.rows, calls), FaultyLogFiles(self.files, calls)
        access: Any = LogAccess(_ORIGIN, rows, files, self.signer)
        records: Any = WrittenRecords(calls, self.records)
        limit = 1 + int(self.rng.random() * 300)
        batches = BatchReader(rows, records, self._sign, MessageLog(), limit)
        store: Any = SimpleNamespace(records=records, changes=records, **dict.fromkeys(_OTHERS, _NothingElse()))
        clock: Any = DrillClock(self.scheduler)
        return Sequencer(access, batches, SlowWitness(self.scheduler)), Sweep(rows, store, clock, _SWEEP_SECONDS)

    def _sign(self, statement: str) -> str:
        """Return a statement with a signature that is another one each time, as of ES256."""
        self.signatures += 1
        return f"statement.{statement}.{self.signatures}"


_OTHERS: Final = ("public_keys", "repositories", "prefixes", "clients")


class _NothingElse:
    """The other ports that the sweep reads: one repository, without an entry of its own."""

    def public_keys(self) -> Sequence[Any]:
        return ()

    def list_repositories(self, _limit: int, after: str | None) -> tuple[Sequence[Any], str | None]:
        return ([] if after else [_OWNER]), None

    def list_prefixes(self, _limit: int, _after: str | None) -> tuple[Sequence[Any], str | None]:
        return (), None

    list_clients = list_prefixes


def main() -> int:
    """Run the drill that the command line describes. Return 0 if it passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.drill.log_drill", description="Break the sequencer.")
    parser.add_argument("--seed", type=int, action="append", help="a seed; may be given several times; else 1, 2, 3")
    parser.add_argument("--versions", type=int, default=VERSIONS, help=f"of each seed; {VERSIONS} unless given")
    parser.add_argument("--break", dest="broken", choices=sorted(LOG_GUARDS), help="remove this guard")
    arguments = parser.parse_args()
    failed = 0
    for seed in arguments.seed or (1, 2, 3):
        begun = perf_counter()
        try:
            with LOG_GUARDS[arguments.broken]() if arguments.broken else nullcontext():
                outcome = LogDrill(seed, arguments.versions).run()
            missing = [kind for kind in LOG_FAULTS if not outcome.fired[kind]]
            result = f"FAILED: these faults never occurred: {missing}" if missing else f"passed: {outcome}"
            failed += bool(missing)
        except Violation as error:
            result = f"FAILED: {error}"
            failed += 1
        sys.stdout.write(f"log, seed {seed} {result} ({perf_counter() - begun:.0f} s)\n")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
