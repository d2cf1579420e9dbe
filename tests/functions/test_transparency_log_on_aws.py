"""The transparency log by the deployed handlers, over a table and a bucket: from streams and by the sweep to proofs."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from coolid.aws.transparency_log.log_location import OtherLog
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.signed_notes import VerifierKey
from tests.support.fixtures.functions import FOLDER, Functions, load_handler
from tests.support.fixtures.note_keys import NoteKey
from tests.support.fixtures.system import TablesSystem, new_bucket
from tests.support.stores.table_streams import Streams

SCHEDULE = {"source": "aws.events", "time": "2026-01-02T03:04:05Z"}
SETTINGS = {"LOG_BUCKET": "", "LOG_KEY_ID": "arn:aws:kms:us-east-1:123456789012:key/1"}


class Context:
    """The context of an invocation that may take as long as the sequence function's timeout."""

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        return 58_000


class Deployed:
    """The functions of a system, whose tables have streams."""

    def __init__(self, tables: TablesSystem) -> None:
        self.environment = {**tables.surroundings, **tables.environment, **SETTINGS, "LOG_BUCKET": new_bucket()}
        with patch.dict(os.environ, self.environment, clear=True):
            self.system = replace(tables, invoke=Functions.load().invoke)
            self.index, self.sequence = (load_handler(FOLDER / name) for name in ("index", "sequence"))
        self.streams = Streams(tables.tables)

    def deliver(self) -> None:
        """Send the changes of the tables to the index function, as their streams do."""
        for table in ("PrefixTable", "LuiTable"):
            self.index({"Records": self.streams.read(table)}, Context())

    def publish(self) -> int:
        """Run the sequencer as its schedule does. Return the size of the log."""
        return int(self.sequence(SCHEDULE, Context())["size"])

    def mint(self) -> Mapping[str, Any]:
        """Return a new record."""
        minted: dict[str, Any] = self.system.mint({"prefix": "demo", "uri": "https://content.example.org/"}).json()
        return minted

    def require_inclusion(self, minted: Mapping[str, Any]) -> None:
        """Fail unless the served proof shows that the log has the record."""
        path = minted["pid"].removeprefix(minted["issuer"])
        reply = self.system.get(path, query="format=tlog-proof")
        assert reply.status == 200, reply
        log = self.system.get("/.well-known/linkid-resolver").json()["log"]
        proof = InclusionProof.parse(reply.content or reply.body.encode())
        proof.verify(minted["proof"].encode(), VerifierKey.parse(log["verifier_key"]))


@pytest.fixture
def deployed(fresh_tables: TablesSystem, monkeypatch: pytest.MonkeyPatch) -> Deployed:
    key = NoteKey()
    monkeypatch.setattr("coolid.aws.kms_note_signer.KmsNoteSigner", lambda *_: key)
    return Deployed(fresh_tables)


def test_changes_of_the_streams_are_in_the_log_after_the_next_run(deployed: Deployed) -> None:
    begun = deployed.publish()  # with what exists already, by the sweep
    minted = deployed.mint()
    path = f"{minted['pid'].removeprefix(minted['issuer'])}"
    assert deployed.system.get(path, query="format=tlog-proof").is_problem(503)
    for _ in range(2):
        deployed.deliver()
    assert deployed.publish() == begun + 1
    deployed.require_inclusion(minted)
    assert deployed.publish() == begun + 1


def test_the_sweep_adds_what_no_stream_delivered(deployed: Deployed) -> None:
    minted = deployed.mint()
    deployed.publish()
    deployed.require_inclusion(minted)


def test_another_deployment_does_not_begin_a_second_log(deployed: Deployed) -> None:
    deployed.publish()
    with patch.dict(os.environ, {**deployed.environment, "LOG_BUCKET": new_bucket()}, clear=True):
        another = load_handler(FOLDER / "sequence")
    with pytest.raises(OtherLog, match=f"LogBucketName={deployed.environment['LOG_BUCKET']} "):
        another(SCHEDULE, Context())
