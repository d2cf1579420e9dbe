"""The sweep: what it finds, and when."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.errors import StoreUnavailable
from coolid.log.subject_entries import version_entry
from coolid.log.sweep import ATTEMPTS, INTERVAL_SECONDS, OVERLAP_SECONDS, Sweep
from coolid.model.clients import Client
from coolid.model.records import RESERVED
from tests.support.builders.samples import LATER, MOMENT, namespace, provider_prefix, record, repository
from tests.support.builders.transparency_log import MemoryLog
from tests.support.stores.memory_store import whole

OWNER = repository()


@pytest.fixture
def log() -> MemoryLog:
    """The log of a service of an earlier release, which has records, and no entries."""
    log = MemoryLog()
    log.store.create_repository(OWNER)
    log.store.put_prefix(namespace("mp", OWNER), None)
    log.store.put_prefix(provider_prefix("go", "https://example.org/{$id}", synonyms=("gene_ontology",)), None)
    log.store.put_client(Client("abcdefgh", "0" * 64, ("admin",), MOMENT))
    for number in range(3):
        log.mint(f"x{number}", waits=False)
        log.change(f"x{number}", waits=False)
    log.mint("hidden", RESERVED, waits=False)
    return log


def sweep_all(log: MemoryLog, limit: int = 500) -> int:
    """Finish a pass; return the number of calls."""
    sweep, calls = Sweep(log.rows, whole(log.store), log.clock), 1
    while sweep.run(limit):
        calls += 1
    return calls


def subjects(log: MemoryLog) -> list[str]:
    return sorted(name for name in {**log.rows.waiting, **log.rows.settled})


EVERYTHING = [
    "key/abcdefgh#1",
    "prefix/go#1",
    "prefix/mp#1",
    "repository/r4k2-9m3x-62#1",
    "synonym/gene_ontology#go#1",
    *(f"version/r4k2-9m3x-62/x{number}#{version}" for number in range(3) for version in (1, 2)),
]


@pytest.mark.parametrize("limit", [1, 3, 500])
def test_the_first_pass_adds_everything_that_exists(log: MemoryLog, limit: int) -> None:
    calls = sweep_all(log, limit)
    assert (calls > 3) == (limit < 500)
    assert all(entry.since == log.clock.milliseconds() for entry in log.rows.waiting.values())
    log.sequence()
    key = f"public_key/{log.keys.public_key()['kid']}#1"
    assert subjects(log) == sorted([*EVERYTHING, key])


def test_a_pass_is_due_after_a_while_and_adds_only_what_is_missing(log: MemoryLog) -> None:
    sweep_all(log)
    log.sequence()
    size = len(log.rows.settled)
    log.clock.moment += timedelta(seconds=INTERVAL_SECONDS - 1)
    log.mint("x9", waits=False)
    sweep_all(log)
    assert not log.rows.waiting
    log.clock.moment += timedelta(seconds=1)
    sweep_all(log)
    assert [*log.rows.waiting] == ["version/r4k2-9m3x-62/x9#1"]
    assert log.sequence() == size + 1


def test_a_later_pass_has_an_overlap_and_leaves_out_what_is_older(log: MemoryLog) -> None:
    sweep_all(log)
    begun = log.clock.moment
    log.rows.waiting.clear()
    log.clock.moment += timedelta(seconds=INTERVAL_SECONDS)
    for number, age in enumerate((OVERLAP_SECONDS, OVERLAP_SECONDS + 1)):
        moment = begun - timedelta(seconds=age)
        log.store.create_record(log.prover.prove(record(f"y{number}", created=moment, updated=moment)))
    sweep_all(log)
    waiting = log.rows.waiting["version/r4k2-9m3x-62/y0#1"]
    assert waiting.since == round((begun.timestamp() - OVERLAP_SECONDS) * 1000)
    assert "version/r4k2-9m3x-62/y1#1" not in log.rows.waiting


def test_revocations_and_later_revisions_are_found(log: MemoryLog) -> None:
    sweep_all(log)
    log.sequence()
    log.clock.moment = LATER
    client = log.store.clients["abcdefgh"]
    log.store.put_client(replace(client, revoked=LATER))
    log.store.change_repository(replace(OWNER, title="Other", revision=2, updated=LATER), OWNER)
    sweep_all(log)
    assert sorted(log.rows.waiting) == ["key/abcdefgh#2", "prefix/mp#2", "repository/r4k2-9m3x-62#2"]


def test_a_clock_that_was_ahead_delays_no_pass(log: MemoryLog) -> None:
    log.clock.moment = LATER + timedelta(days=36_500)
    sweep_all(log)
    log.clock.moment = LATER
    log.mint("y1", waits=False)
    sweep_all(log)
    assert "version/r4k2-9m3x-62/y1#1" in log.rows.waiting


@pytest.mark.parametrize("position", ["", "{", '{"begun":1,"stage":"of a later release"}', '{"begun":"x"}'])
def test_a_position_that_cannot_be_used_begins_a_pass(log: MemoryLog, position: str) -> None:
    log.rows.set_sweep_position(position)
    sweep_all(log)
    assert len(log.rows.waiting) > 3


def test_a_version_without_a_proof_has_no_entry() -> None:
    assert version_entry(record("x5"), 0) is None


def test_records_that_cannot_be_read_delay_no_other_repository(log: MemoryLog) -> None:
    other = repository("z9z9-9z9z-99")
    log.store.create_repository(other)
    list_records, is_broken = log.store.list_records, True

    def unreadable(repository: str, limit: int, after: str | None) -> Any:
        if is_broken and repository == OWNER.id:
            raise StoreUnavailable("a row cannot be read")
        return list_records(repository, limit, after)

    log.store.list_records = unreadable  # type: ignore[method-assign]
    sweep = Sweep(log.rows, whole(log.store), log.clock)
    for _ in range(ATTEMPTS):
        with pytest.raises(StoreUnavailable):
            sweep.run()
    assert not sweep.run()
    assert {"prefix/go#1", "key/abcdefgh#1", "repository/z9z9-9z9z-99#1"} <= {*log.rows.waiting}
    is_broken, log.clock.moment = False, log.clock.moment + timedelta(seconds=INTERVAL_SECONDS)
    assert not sweep.run()
    log.sequence()
    assert {*EVERYTHING} <= {*subjects(log)}
