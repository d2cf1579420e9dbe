"""Submissions: what a witness reads is what a log wrote, and nothing else is read."""

from hypothesis import given, settings
from hypothesis import strategies as st

from coolid.log.malformed_data import MalformedData
from coolid.log.signed_notes import SignedNote
from coolid.log.submissions import Submission
from tests.support.builders.signed_logs import SignedLog
from tests.support.builders.witnesses import body_of

LOG = SignedLog()
NOTE = SignedNote.parse(LOG.note(9).encode())


@given(st.integers(0, 2**63 - 1), st.lists(st.binary(min_size=32, max_size=32), max_size=63))
@settings(max_examples=50)
def test_a_submission_is_read_as_it_was_written(old: int, proof: list[bytes]) -> None:
    submission = Submission(old, tuple(proof), NOTE)
    assert Submission.parse(submission.to_bytes()) == submission


@given(st.integers(0, len(body_of(LOG, 5, 9))), st.binary(max_size=3), st.integers(0, 3))
@settings(max_examples=300)
def test_a_changed_body_is_refused_or_means_something_else(at: int, inserted: bytes, removed: int) -> None:
    body = body_of(LOG, 5, 9)
    changed = body[:at] + inserted + body[at + removed :]
    try:
        submission = Submission.parse(changed)
    except MalformedData:
        return
    assert submission.to_bytes() == changed
    assert (submission == Submission.parse(body)) is (changed == body)
