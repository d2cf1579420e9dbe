"""The contract of `SessionStore`."""

from datetime import timedelta

from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.records import Record
from coolid.model.sessions import Session
from coolid.store.store import Store
from tests.support.builders.samples import MOMENT, record

SESSION = Session("a" * 64, "abcdefgh", MOMENT + timedelta(days=1))


def test_a_session_is_read_until_it_is_deleted(store: Store) -> None:
    assert store.sessions.session(SESSION.digest) is None
    store.sessions.create_session(SESSION)
    assert store.sessions.session(SESSION.digest) == SESSION
    assert store.sessions.session("b" * 64) is None
    for _ in range(2):
        store.sessions.delete_session(SESSION.digest)
        assert store.sessions.session(SESSION.digest) is None


def test_a_session_is_no_idempotency_record_of_the_same_name(store: Store) -> None:
    session = Session("c" * 64, "abcdefgh", SESSION.expires)
    store.sessions.create_session(session)
    new: Record = record("r4k29m3x62")
    store.records.create_record(new, IdempotencyRecord(session.digest, "sha-256=:x:", "x/y", SESSION.expires))
    assert store.sessions.session(session.digest) == session
    store.sessions.delete_session(session.digest)
    assert store.records.idempotency_record(session.digest) is not None
