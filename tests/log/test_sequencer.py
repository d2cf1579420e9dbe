"""The sequencer: order, crashes, overlapping runs, cosignatures, and what it refuses."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.errors import Outdated, SignerUnavailable, StoreUnavailable
from coolid.log.batches import MAX_SIGNATURES, BatchReader, EntryBatch
from coolid.log.merkle_tree import check_consistency, leaf_hash, root_of
from coolid.log.sequencer import InconsistentLog, Progress, Sequencer
from coolid.log.signed_notes import NoteSignature, SignedNote
from coolid.log.subject_entries import client_entries, prefix_entries, public_key_entry, repository_entry, version_entry
from coolid.log.tiles import CHECKPOINT, WIDTH, TileReader
from coolid.model.clients import Client
from coolid.model.records import RESERVED
from coolid.proofs.jws import read_proof
from coolid.store.log import STAGING, WaitingEntry
from tests.support.builders.samples import LATER, MOMENT, namespace, provider_prefix, record, repository
from tests.support.builders.transparency_log import MemoryLog
from tests.support.stores.faulty_log import FaultyPort, Outage


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


def statements(log: MemoryLog) -> list[dict[str, Any]]:
    """Return the payloads of all entries."""
    return [json.loads(read_proof(leaf.decode()).payload) for leaf in log.leaves()]


def versions(log: MemoryLog) -> list[int]:
    return [each["version"] for each in statements(log)]


def limited(log: MemoryLog, limit: int) -> Sequencer:
    return Sequencer(log.access, BatchReader(log.rows, log.store, log.sign, log.messages, limit))


def require_sound(log: MemoryLog) -> None:
    """Fail unless the published tree has the entries of its bundles, each once, and rows with their places."""
    leaves, checkpoint = log.leaves(), log.checkpoint()
    assert len(leaves) == checkpoint.size == len(set(leaves)) == len(log.rows.settled)
    assert root_of([*map(leaf_hash, leaves)]) == checkpoint.root == TileReader(checkpoint.size, log.files.read).root()
    assert sorted(log.rows.settled.values()) == [*range(checkpoint.size)]
    assert not log.rows.waiting


def test_the_first_run_publishes_an_empty_tree(log: MemoryLog) -> None:
    assert log.sequence() == 0
    assert log.checkpoint().size == 0
    assert log.sequencer.run().added == 0


@pytest.mark.parametrize("size", [1, 255, 256, 257, 515])
def test_the_log_grows_by_batches(log: MemoryLog, size: int) -> None:
    for number in range(size):
        log.rows.add_entries([WaitingEntry(f"version/r4k2/k{number}#1", number, leaf=f"eyJ.{number}.x")])
        if number in (0, 254, 300):
            log.sequence()
    assert log.sequence() == size
    require_sound(log)


def test_a_batch_has_a_limit_and_the_rest_follows(log: MemoryLog) -> None:
    log.rows.add_entries(
        [WaitingEntry(f"version/r4k2/k{number}#1", 5, leaf=f"eyJ.{number}.x") for number in range(600)]
    )
    small = limited(log, 250)
    sizes = []
    while (progress := small.run()).has_more:
        assert progress.since == 5
        sizes.append(progress.size)
    assert [*sizes, progress.size] == [250, 500, 600]
    require_sound(log)


def test_a_version_follows_the_one_before(log: MemoryLog) -> None:
    log.mint("x5")
    for _ in range(11):
        log.change("x5")
    log.sequence()
    assert versions(log) == [*range(1, 13)]


def test_lost_versions_are_taken_from_the_history(log: MemoryLog) -> None:
    log.mint("x5")
    log.sequence()
    for waits in (False, False, True, False, True):
        log.change("x5", waits=waits)
    log.sequence()
    assert versions(log) == [1, 2, 3, 4, 5, 6]
    require_sound(log)


def test_the_versions_that_are_in_the_log_are_not_read_again(log: MemoryLog) -> None:
    log.mint("x5")
    for _ in range(400):
        log.change("x5")
    log.sequence()
    log.change("x5", waits=False)
    log.change("x5", waits=False)
    log.change("x5")
    log.store.calls.clear()
    log.sequence()
    assert versions(log) == [*range(1, 405)]
    assert (log.store.calls["superseded_between"], log.store.calls["superseded"]) == (1, 1)
    require_sound(log)


def test_a_limit_cuts_a_long_history_in_order(log: MemoryLog) -> None:
    log.mint("x5")
    for number in range(9):
        log.change("x5", waits=number == 8)
    small = limited(log, 4)
    while small.run().has_more:
        pass
    assert versions(log) == [*range(1, 11)]
    require_sound(log)


def test_a_reserved_version_never_gets_into_the_log(log: MemoryLog) -> None:
    log.mint("x5", RESERVED)
    log.change("x5", RESERVED)
    assert log.sequence() == 0
    log.change("x5")
    log.change("x5")
    log.sequence()
    assert versions(log) == [3, 4]
    assert version_entry(log.prover.prove(record("x6", status=RESERVED)), 0) is None


def test_statements_are_signed_and_have_no_metadata(log: MemoryLog) -> None:
    owner = repository(title="Secret Maps", revision=2)
    client = Client("abcdefgh", "0" * 64, ("admin",), MOMENT, note="Zoë's", revoked=LATER)
    prefix = provider_prefix("go", "https://example.org/{$id}", synonyms=("gene_ontology",), title="Secret Genes")
    log.rows.add_entries(
        [
            repository_entry(owner, 0),
            *prefix_entries(namespace("mp", owner), 0),
            *prefix_entries(prefix, 0),
            *client_entries(client, 0),
            public_key_entry(log.keys.public_key(), 0),
        ]
    )
    log.sequence()
    found = statements(log)
    assert found[0]["jwk"] == log.keys.public_key()
    assert [(each.get("prefix"), each.get("kind"), each.get("target")) for each in found if "prefix" in each] == [
        ("mp", "namespace", "r4k2-9m3x-62"),
        ("go", "provider", None),
        ("gene_ontology", "synonym", "go"),
    ]
    assert [each["revision"] for each in found if "key" in each] == [1, 2]
    assert all({"digest", "iss", "iat"} <= each.keys() for each in found)
    public = json.dumps(found, ensure_ascii=False)
    assert not any(secret in public for secret in ("Secret Maps", "Secret Genes", "Zoë's", '"admin"', "0" * 64))


def test_a_synonym_that_moves_and_returns_has_an_entry_each_time(log: MemoryLog) -> None:
    template = "https://example.org/{$id}"
    for synonyms, others, revision in ((("s",), (), 1), ((), ("s",), 2), (("s",), (), 3)):
        for name, owned in (("go", synonyms), ("mesh", others)):
            prefix = replace(provider_prefix(name, template, synonyms=owned), revision=revision)
            log.rows.add_entries([*prefix_entries(prefix, 0), *prefix_entries(prefix, 1)])
        log.sequence()
    moves = [(each["target"], each["revision"]) for each in statements(log) if each["kind"] == "synonym"]
    assert moves == [("go", 1), ("mesh", 2), ("go", 3)]


def test_revisions_stay_in_order_when_the_list_lacks_an_earlier_one(log: MemoryLog) -> None:
    log.rows.add_entries([repository_entry(repository(revision=each), each) for each in (2, 3, 4, 6)])
    listed, missing = log.rows.waiting_entries, repository_entry(repository(revision=2), 0).name
    log.rows.waiting_entries = lambda limit: [each for each in listed(limit) if each.name != missing]  # type: ignore[method-assign]
    log.sequence()
    assert [each["revision"] for each in statements(log)] == []
    log.rows.waiting_entries = listed  # type: ignore[method-assign]
    log.sequence()
    assert [each["revision"] for each in statements(log)] == [2, 3, 4, 6]


def test_a_key_that_is_unavailable_delays_statements_only(log: MemoryLog) -> None:
    log.mint("x5")
    log.rows.add_entries([repository_entry(repository(), 0)])
    log.keys.broken = True
    assert log.sequencer.run() == Progress(1, 1, since=0, has_more=True)
    assert not log.sequencer.run().has_more
    log.keys.broken = False
    assert log.sequence() == 2


def test_a_batch_has_a_limit_of_signatures(log: MemoryLog) -> None:
    log.rows.add_entries([repository_entry(repository(revision=each), 0) for each in range(1, MAX_SIGNATURES + 6)])
    assert log.sequencer.run().added == MAX_SIGNATURES
    assert log.sequencer.run().added == 5
    assert [each["revision"] for each in statements(log)] == [*range(1, MAX_SIGNATURES + 6)]


def test_a_history_that_cannot_be_read_delays_only_its_record(log: MemoryLog) -> None:
    log.mint("x1", waits=False)
    log.change("x1")
    log.mint("x2")
    read = log.store.superseded_between

    def unreadable(*_: Any, **__: Any) -> Any:
        raise StoreUnavailable("a row cannot be read")

    log.store.superseded_between = unreadable  # type: ignore[method-assign]
    assert log.sequence() == 1
    assert "cannot be read" in log.messages.messages[0]
    log.store.superseded_between = read  # type: ignore[method-assign]
    assert log.sequence() == 3
    assert versions(log) == [1, 1, 2]


@pytest.mark.parametrize("statement", [json.dumps({"prefix": "x" * 5000}), "{", "[]", ""])
def test_an_invalid_statement_does_not_stop_the_others(log: MemoryLog, statement: str) -> None:
    log.rows.add_entries([WaitingEntry("prefix/x#1", 0, statement=statement)])
    log.mint("x5")
    assert log.sequence() == 1
    assert "invalid" in log.messages.messages[0]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_run_that_fails_at_any_call_is_completed_by_the_next(after: bool) -> None:
    number = 0
    while True:
        log, outage = MemoryLog(), Outage()
        log.mint("x0")
        log.sequence()
        for each in range(1, WIDTH + 2):
            log.rows.add_entries([WaitingEntry(f"version/r4k2/k{each}#1", each, leaf=f"eyJ.{each}.x")])
        access = replace(log.access, rows=FaultyPort(log.rows, outage), files=FaultyPort(log.files, outage))
        batches = BatchReader(FaultyPort(log.rows, outage), log.store, log.sign, log.messages)
        outage.plan(number, after=after)
        old = log.checkpoint()
        try:
            Sequencer(access, batches).run()
        except StoreUnavailable:
            between = log.checkpoint()
            log.sequence()
        else:
            assert outage.calls <= number
            assert number > 9
            return
        new = log.checkpoint()
        proof = TileReader(new.size, log.files.read).consistency_proof(old.size)
        check_consistency(old.size, old.root, new.size, new.root, proof)
        assert between in (old, new)
        assert new.size == WIDTH + 2
        require_sound(log)
        number += 1


def test_of_two_runs_that_grow_the_same_tree_one_ends(log: MemoryLog) -> None:
    log.mint("x5")
    log.sequence()
    log.mint("x6")

    class Overtaken(BatchReader):
        def next_batch(self) -> EntryBatch:
            batch = super().next_batch()
            log.mint("x7")
            log.sequence()
            return batch

    slow = Sequencer(log.access, Overtaken(log.rows, log.store, log.sign, log.messages))
    assert slow.run().has_more
    assert log.sequence() == 3
    require_sound(log)


def test_a_delayed_run_does_not_publish_an_older_checkpoint(log: MemoryLog) -> None:
    log.mint("x5")

    class Slow:
        def cosigned(self, checkpoint: SignedNote, tree: TileReader) -> SignedNote:
            log.mint("x6")
            log.sequence()
            return checkpoint

    Sequencer(log.access, log.batches, Slow()).run()
    assert log.checkpoint().size == 2
    require_sound(log)


def test_cosignatures_are_published_and_missing_ones_are_added_later() -> None:
    class Witness:
        def __init__(self) -> None:
            self.answers = False
            self.sizes: list[int] = []

        def cosigned(self, checkpoint: SignedNote, tree: TileReader) -> SignedNote:
            self.sizes.append(tree.size)
            has_line = len(checkpoint.signatures) > 1
            line = NoteSignature("witness.example", b"1234", b"signature")
            return (
                replace(checkpoint, signatures=(*checkpoint.signatures, line))
                if self.answers and not has_line
                else checkpoint
            )

    witness = Witness()
    log = MemoryLog(witness)
    log.mint("x5")
    log.sequence()
    assert b"witness" not in log.files.contents[CHECKPOINT]
    witness.answers = True
    log.sequence()
    assert b"witness.example" in log.files.contents[CHECKPOINT]
    log.mint("x6")
    log.sequence()
    assert log.checkpoint().size == 2
    assert b"witness.example" in log.files.contents[CHECKPOINT]
    assert witness.sizes[0] == 1


def test_a_cosigner_cannot_change_the_checkpoint() -> None:
    class Liar:
        def cosigned(self, checkpoint: SignedNote, tree: TileReader) -> SignedNote:
            return replace(checkpoint, text=checkpoint.text.replace("/log", "/other"))

    log = MemoryLog(Liar())
    log.mint("x5")
    log.sequence()
    assert log.checkpoint().size == 1


def test_old_staging_files_are_deleted(log: MemoryLog) -> None:
    for number in range(3):
        log.mint(f"x{number}")
        log.sequence()
    assert len([path for path in log.files.contents if path.startswith(STAGING)]) == 1


def test_rows_of_a_backup_are_refused_before_anything_is_signed(log: MemoryLog) -> None:
    log.mint("x5")
    log.sequence()
    earlier = log.rows.current
    log.mint("x6")
    log.sequence()
    log.rows.current = earlier
    log.mint("x7")
    with pytest.raises(InconsistentLog, match="restore rows and files"):
        log.sequence()
    log.rows.current = None
    with pytest.raises(InconsistentLog, match="restore rows and files"):
        log.sequence()
    assert log.checkpoint().size == 2


@pytest.mark.parametrize("path", ["tile/0/000.p/1", "tile/entries/000.p/1"])
@pytest.mark.parametrize("content", [None, b"\0\1" + b"x" * 30], ids=["absent", "other"])
def test_damaged_files_are_not_signed(log: MemoryLog, path: str, content: bytes | None) -> None:
    log.mint("x5")
    log.sequence()
    del log.files.contents[path]
    if content:
        log.files.contents[path] = content
    log.mint("x6")
    with pytest.raises(InconsistentLog):
        log.sequence()
    assert log.rows.current is not None
    assert log.rows.current.size == 1


def test_a_missing_or_foreign_staging_file_is_reported(log: MemoryLog) -> None:
    log.mint("x5")
    log.sequence()
    head = log.rows.current
    assert head is not None
    foreign = log.files.contents[head.staging]
    log.mint("x6")
    log.sequence()
    head = log.rows.current
    assert head is not None
    del log.files.contents[CHECKPOINT]
    log.files.contents[head.staging] = foreign
    with pytest.raises(InconsistentLog, match="another tree"):
        log.sequence()
    del log.files.contents[head.staging]
    with pytest.raises(InconsistentLog, match="missing"):
        log.sequence()


def test_without_the_log_key_nothing_is_signed_and_nothing_lost(log: MemoryLog) -> None:
    log.mint("x5")
    log.signer.broken = True
    with pytest.raises(SignerUnavailable):
        log.sequence()
    log.signer.broken = False
    assert log.sequence() == 1
    require_sound(log)


def test_a_head_of_another_run_is_no_error(log: MemoryLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.sequence()
    log.mint("x5")

    def refuse(*_: object) -> None:
        raise Outdated("the log's head")

    monkeypatch.setattr(log.rows, "replace_head", refuse)
    assert log.sequencer.run().has_more


def test_a_run_that_reads_an_overtaken_tree_ends_without_a_change(log: MemoryLog) -> None:
    log.mint("x1")
    log.sequence()
    next_batch = log.batches.next_batch

    def overtaken() -> EntryBatch:
        log.batches.next_batch = next_batch  # type: ignore[method-assign]
        batch = next_batch()
        assert Sequencer(log.access, log.batches).run().added == 1
        for path in [path for path in log.files.contents if path.endswith(".p/1")]:
            del log.files.contents[path]
        return batch

    log.mint("x2")
    log.batches.next_batch = overtaken  # type: ignore[method-assign]
    assert log.sequencer.run() == Progress(1, has_more=True)
    assert log.sequence() == 2
