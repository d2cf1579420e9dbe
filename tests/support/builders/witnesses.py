"""A witness over a state in a file, and requests to it."""

from collections.abc import Sequence
from pathlib import Path

from coolid.http.message import Request, Response
from coolid.log.signed_notes import COSIGNATURE, SignedNote
from coolid.log.submissions import Submission
from coolid.witness.application import WitnessApplication
from coolid.witness.evidence import Evidence
from coolid.witness.state import WitnessState
from coolid.witness.witness import Witness
from tests.support.builders.signed_logs import SignedLog
from tests.support.fixtures.note_keys import NoteKey
from tests.support.fixtures.ports import FixedClock

WITNESS = NoteKey("witness.example/w1", kind=COSIGNATURE)


def body_of(log: SignedLog, old: int, new: int, proof: Sequence[bytes] | None = None) -> bytes:
    """Return a request for a cosignature of a size of the log, with the right proof from the old size by default."""
    hashes = log.proof(old, new) if proof is None and old < new else proof or ()
    return Submission(old, tuple(hashes), SignedNote.parse(log.note(new).encode())).to_bytes()


class WitnessService:
    """A witness over a state. `reports` are the evidence that it reported."""

    def __init__(self, path: Path, *logs: SignedLog) -> None:
        self.state = WitnessState.open(path)
        self.clock = FixedClock()
        self.reports: list[Evidence] = []
        self.state.change(lambda rows: [rows.add_key(log.key.verifier()) for log in logs])
        self.witness = Witness(self.state, WITNESS.verifier(), WITNESS.sign, self.clock, self.reports.append)
        self.application = WitnessApplication(self.witness)

    def post(self, body: bytes) -> Response:
        return self.application.answer(Request("POST", "/add-checkpoint", body=body))

    def submit(self, log: SignedLog, old: int, new: int, proof: Sequence[bytes] | None = None) -> int:
        """Return the status for a checkpoint of the log."""
        return self.post(body_of(log, old, new, proof)).status

    def size(self, log: SignedLog) -> int | None:
        latest = self.state.read(lambda rows: rows.latest(log.origin))
        return latest.checkpoint.size if latest else None
