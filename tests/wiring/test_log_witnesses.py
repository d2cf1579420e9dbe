"""The wiring of a log's witnesses: those of the policy are asked, and their failures are logged and counted."""

import pytest

from coolid.aws.settings import InvalidSettings
from coolid.log.sequencer import Sequencer
from coolid.log.signed_notes import COSIGNATURE
from coolid.metric_names import WITNESS_FAILED
from coolid.store.log import LogAccess
from coolid.wiring.log_sequencer import build_sequencer
from tests.support.builders.samples import BASE_URL
from tests.support.builders.transparency_log import MessageLog
from tests.support.fixtures.note_keys import NoteKey
from tests.support.fixtures.ports import prover
from tests.support.servers.loopback import nobody
from tests.support.stores.memory_log import MemoryLogFiles, MemoryLogRows
from tests.support.stores.memory_store import MemoryStore, whole


def sequencer(policy: str, store: MemoryStore, log: MessageLog, counted: list[str]) -> Sequencer:
    access = LogAccess("id.example.org/log", MemoryLogRows(), MemoryLogFiles(), NoteKey(), policy)
    return build_sequencer(
        access, whole(store), prover(store), BASE_URL, log, lambda name, *_, **__: counted.append(name)
    )


def test_a_witness_without_an_answer_is_logged_and_counted_and_the_log_is_published(store: MemoryStore) -> None:
    log, counted = MessageLog(), list[str]()
    with nobody() as url:
        policy = f"witness w {NoteKey('w.example').verifier(COSIGNATURE)} {url}\nquorum w\n"
        assert sequencer(policy, store, log, counted).run().size == 0
    assert counted == [WITNESS_FAILED]
    assert "w: it refuses the connection" in log.messages[0]


def test_a_policy_that_cannot_be_read_is_a_wrong_setting(store: MemoryStore) -> None:
    with pytest.raises(InvalidSettings, match=r"LOG_POLICY: line 1"):
        sequencer("witness w\n", store, MessageLog(), [])
