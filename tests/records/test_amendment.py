"""Amendment: a verifiable chain of versions, permanent tombstones, and no partial change after failures."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import (
    AlreadyWithdrawn,
    CustodyElsewhere,
    CustodyOffered,
    InvalidInput,
    Outdated,
    SignerUnavailable,
    StoreUnavailable,
)
from coolid.model.custody import (
    NO_CUSTODY,
    REVOKED,
    Custody,
    CustodyOffer,
    CustodyTransfer,
    custody_of,
    with_custody,
)
from coolid.model.records import ACTIVE, INACTIVE, RESERVED, WITHDRAWN, Content, Location, Record, Withdrawal
from coolid.proofs.statements import InconsistentRecord, Prover, digest_of
from coolid.proofs.verification import verify
from coolid.records.amendment import RecordAmender
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, json_values, record
from tests.support.fixtures.ports import FixedClock, KeySigner
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore, Interfering

KEY = "tw0tywdj94"


def content(record: Record, **members: Any) -> Content:
    """What there is, changed."""
    present = Content(record.records, record.metadata, record.alternates, record.status, record.ttl)
    return replace(present, **members)


@pytest.fixture
def signer() -> KeySigner:
    return KeySigner()


@pytest.fixture
def amender(store: MemoryStore, clock: FixedClock, signer: KeySigner) -> RecordAmender:
    return amending(store, clock, signer)


def amending(store: Any, clock: FixedClock, signer: KeySigner) -> RecordAmender:
    return RecordAmender(store, clock, Prover(signer, store, clock))


def minted(amender: RecordAmender, **members: Any) -> Record:
    """A first version, signed and stored."""
    first = amender._prover.prove(record(**members))
    amender._records.create_record(first)
    return first


def documents(store: MemoryStore, current: Record) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any]]:
    """What anybody needs to check a history: the current version, the older ones, the keys."""
    older = [store.superseded(current.repository, KEY, version) for version in range(1, current.version)]
    return current.to_document(), [each.to_document() for each in older if each], {"keys": store.keys}


class TestUpdating:
    def test_a_new_version_has_what_is_new_and_keeps_what_never_changes(
        self, amender: RecordAmender, store: MemoryStore, clock: FixedClock
    ) -> None:
        first = minted(amender)
        clock.moment = LATER
        wanted = Content(
            records=(Location("https://content.example.org/v2", media_type="text/html"),),
            metadata={"what": "A thing"},
            alternates=({"scheme": "doi", "identifier": "10.1000/182"},),
            status=ACTIVE,
            ttl=60,
        )
        second = amender.update(first, wanted)
        assert replace(second, proof=None) == replace(
            first,
            version=2,
            updated=LATER,
            records=wanted.records,
            metadata=wanted.metadata,
            alternates=wanted.alternates,
            ttl=60,
            previous=digest_of(first.to_document()),
            proof=None,
        )
        assert store.record(first.repository, KEY) == second
        assert store.superseded(first.repository, KEY, 1) == first

    def test_the_first_version_names_none_before_it_and_each_other_the_one_before(self, amender: RecordAmender) -> None:
        versions = [minted(amender)]
        for number in range(5):
            versions.append(amender.update(versions[-1], content(versions[-1], metadata={"n": number})))
        assert versions[0].previous is None
        assert [each.previous for each in versions[1:]] == [digest_of(each.to_document()) for each in versions[:-1]]

    @given(st.lists(st.dictionaries(st.text(max_size=5), json_values, max_size=3), min_size=1, max_size=6))
    def test_a_history_of_any_length_verifies_to_its_beginning(self, changes: list[Mapping[str, Any]]) -> None:
        store, clock = MemoryStore(), FixedClock()
        amender = amending(store, clock, KeySigner())
        current = minted(amender)
        for change in changes:
            clock.pause(1000)
            current = amender.update(current, content(current, metadata=change))
        document, older, keys = documents(store, current)
        assert len(older) == current.version - 1
        assert verify(document, keys, older, pid=current.pid, issuer=BASE_URL).complete

    def test_the_digest_does_not_depend_on_who_signed_the_version_before(self, amender: RecordAmender) -> None:
        first = minted(amender)
        second = amender.update(first, content(first, ttl=1))
        assert second.previous == digest_of(replace(first, proof=None).to_document())

    def test_one_changed_letter_of_an_older_version_breaks_the_chain(
        self, amender: RecordAmender, store: MemoryStore
    ) -> None:
        first = minted(amender)
        second = amender.update(first, content(first, ttl=1))
        document, (older,), keys = documents(store, second)
        older["records"][0]["uri"] += "x"
        assert not verify(document, keys, [older]).ok

    def test_records_of_several_keys_verify_as_one_history(self, store: MemoryStore, clock: FixedClock) -> None:
        amenders = [amending(store, clock, KeySigner()) for _ in range(3)]
        current = minted(amenders[0])
        for amender in amenders:
            current = amender.update(current, content(current, ttl=current.version))
        document, older, keys = documents(store, current)
        assert len(keys["keys"]) == 3
        assert verify(document, keys, older).complete

    def test_what_changes_nothing_is_not_written_and_not_signed(
        self, amender: RecordAmender, store: MemoryStore, signer: KeySigner, clock: FixedClock
    ) -> None:
        first = minted(amender, metadata={"n": [1, 1.5, None], "what": "é"})
        clock.moment = LATER
        assert amender.update(first, content(first)) is first
        assert amender.update(first, content(first, metadata={"what": "é", "n": [1.0, 1.5, None]})) is first
        assert (signer.signed, store.calls["replace_record"]) == (1, 0)

    @pytest.mark.parametrize(
        ("was", "becomes"), [(1, True), (0, False), (True, 1), (0.0, False), ([1], [True]), ({"a": 0}, {"a": False})]
    )
    def test_values_that_json_distinguishes_differ_even_if_python_calls_them_equal(
        self, amender: RecordAmender, store: MemoryStore, was: Any, becomes: Any
    ) -> None:
        first = minted(amender, metadata={"n": was})
        second = amender.update(first, content(first, metadata={"n": becomes}))
        assert second.version == 2
        assert repr(second.to_document()["metadata"]) == repr({"n": becomes})
        assert verify(second.to_document(), {"keys": store.keys}).ok

    @pytest.mark.parametrize("seconds", [-86_400, -1, 0, 1])
    def test_no_version_is_older_than_the_one_before_whatever_the_clock_says(
        self, amender: RecordAmender, store: MemoryStore, clock: FixedClock, seconds: int
    ) -> None:
        first = minted(amender)
        clock.moment = MOMENT + timedelta(seconds=seconds)
        second = amender.update(first, content(first, ttl=1))
        third = amender.withdraw(second, "why")
        assert third.withdrawn is not None
        assert [second.updated, third.updated, third.withdrawn.at] == [max(MOMENT, clock.moment)] * 3
        document, older, keys = documents(store, third)
        assert verify(document, keys, older).complete

    def test_what_cannot_be_signed_is_refused_and_nothing_is_written(
        self, amender: RecordAmender, store: MemoryStore
    ) -> None:
        first = minted(amender)
        with pytest.raises(InvalidInput):
            amender.update(first, content(first, metadata={"n": 2**60}))
        assert store.calls["replace_record"] == 0


class TestReserved:
    def test_it_may_be_changed_and_stays_reserved_until_it_is_made_public(self, amender: RecordAmender) -> None:
        first = minted(amender, status=RESERVED)
        second = amender.update(first, content(first, ttl=5))
        third = amender.update(second, content(second, status=ACTIVE))
        assert [first.status, second.status, third.status] == [RESERVED, RESERVED, ACTIVE]

    def test_what_was_public_is_never_reserved_again(
        self, amender: RecordAmender, store: MemoryStore, signer: KeySigner
    ) -> None:
        first = minted(amender)
        with pytest.raises(InvalidInput) as raised:
            amender.update(first, content(first, status=RESERVED))
        assert [violation.pointer for violation in raised.value.violations] == ["/status"]
        assert (store.record(first.repository, KEY), signer.signed) == (first, 1)

    def test_a_withdrawn_reservation_has_an_empty_tombstone(self, amender: RecordAmender) -> None:
        first = minted(amender, status=RESERVED, metadata={"what": "A secret"}, alternates=({"scheme": "a"},))
        tombstone = amender.withdraw(first, "why")
        assert tombstone.status == WITHDRAWN
        assert (tombstone.records, dict(tombstone.metadata), tombstone.alternates) == ((), {}, ())


class TestWithdrawing:
    def test_a_tombstone_has_time_and_reason_and_the_metadata_and_no_target(
        self, amender: RecordAmender, store: MemoryStore, clock: FixedClock
    ) -> None:
        places = (
            Location("https://content.example.org/a", media_type="text/html", quality=0.5),
            Location("https://content.example.org/b", INACTIVE),
        )
        doi = {"scheme": "doi", "identifier": "10.1000/182"}
        first = minted(amender, records=places, metadata={"what": "A thing"}, alternates=(doi,), ttl=60)
        clock.moment = LATER
        tombstone = amender.withdraw(first, "It was wrong", f"{BASE_URL}/demo/2r4k-9m3x-17")
        assert replace(tombstone, proof=None) == replace(
            first,
            version=2,
            updated=LATER,
            status=WITHDRAWN,
            records=tuple(replace(place, status=INACTIVE) for place in places),
            withdrawn=Withdrawal(LATER, "It was wrong", f"{BASE_URL}/demo/2r4k-9m3x-17"),
            previous=digest_of(first.to_document()),
            proof=None,
        )
        assert store.superseded(first.repository, KEY, 1) == first
        document, older, keys = documents(store, tombstone)
        assert verify(document, keys, older).complete

    def test_it_does_not_change_any_more(self, amender: RecordAmender, store: MemoryStore, signer: KeySigner) -> None:
        tombstone = amender.withdraw(minted(amender), "why")
        attempts: tuple[Callable[[], object], ...] = (
            lambda: amender.withdraw(tombstone, "why"),
            lambda: amender.withdraw(tombstone, "another reason"),
            lambda: amender.update(tombstone, content(tombstone)),
            lambda: amender.update(tombstone, content(tombstone, status=ACTIVE)),
            lambda: amender.update(tombstone, content(tombstone, status=RESERVED)),
            lambda: amender.update(tombstone, content(tombstone, status=ACTIVE, metadata={"what": "else"})),
        )
        for attempt in attempts:
            with pytest.raises(AlreadyWithdrawn) as raised:
                attempt()
            assert raised.value.identifier == tombstone.id
        assert store.record(tombstone.repository, KEY) == tombstone
        assert (signer.signed, store.calls["replace_record"]) == (2, 1)

    def test_only_a_restoration_follows_it_and_the_history_keeps_it(
        self, amender: RecordAmender, store: MemoryStore, clock: FixedClock
    ) -> None:
        tombstone = amender.withdraw(minted(amender), "why")
        clock.moment = LATER
        restored = amender.restore(tombstone, content(tombstone, metadata={"what": "back"}), "client")
        assert (restored.status, restored.withdrawn, restored.version, restored.updated) == (ACTIVE, None, 3, LATER)
        assert (restored.author, dict(restored.metadata)) == ("client", {"what": "back"})
        assert store.superseded(tombstone.repository, KEY, 2) == tombstone
        document, older, keys = documents(store, restored)
        assert verify(document, keys, older).complete
        with pytest.raises(Outdated):
            amender.restore(tombstone, content(tombstone))

    def test_nothing_becomes_a_tombstone_by_a_mere_update(self, amender: RecordAmender, store: MemoryStore) -> None:
        first = minted(amender)
        with pytest.raises(InconsistentRecord):
            amender.update(first, content(first, status=WITHDRAWN))
        assert store.record(first.repository, KEY) == first


CHANGES = {
    "update": lambda amender, current: amender.update(current, content(current, ttl=7)),
    "withdraw": lambda amender, current: amender.withdraw(current, "why"),
}


@pytest.mark.parametrize("change", CHANGES)
class TestWhenThingsFail:
    def test_a_version_made_from_an_older_one_is_refused(
        self, amender: RecordAmender, store: MemoryStore, change: str
    ) -> None:
        first = minted(amender)
        second = amender.update(first, content(first, metadata={"what": "sooner"}))
        with pytest.raises(Outdated):
            CHANGES[change](amender, first)
        assert store.record(first.repository, KEY) == second
        assert store.superseded(first.repository, KEY, 1) == first

    def test_a_concurrent_change_wins(
        self, store: MemoryStore, clock: FixedClock, signer: KeySigner, change: str
    ) -> None:
        other = amending(store, clock, signer)
        first = minted(other)
        theirs = [lambda: other.update(first, content(first, metadata={"what": "theirs"}))]
        with pytest.raises(Outdated):
            CHANGES[change](amending(Interfering(store, "replace_record", theirs), clock, signer), first)
        current = store.record(first.repository, KEY)
        assert current is not None
        assert (current.version, current.metadata) == (2, {"what": "theirs"})

    def test_without_the_key_nothing_is_written(
        self, amender: RecordAmender, store: MemoryStore, signer: KeySigner, change: str
    ) -> None:
        first = minted(amender)
        signer.broken = True
        with pytest.raises(SignerUnavailable):
            CHANGES[change](amender, first)
        assert store.record(first.repository, KEY) == first
        assert store.archive == {}

    def test_a_store_that_fails_before_it_writes_has_changed_nothing(
        self, amender: RecordAmender, store: MemoryStore, clock: FixedClock, signer: KeySigner, change: str
    ) -> None:
        first = minted(amender)
        failing = amending(FailingStore(store, "before", "replace_record", times=1), clock, signer)
        with pytest.raises(StoreUnavailable):
            CHANGES[change](failing, first)
        assert (store.record(first.repository, KEY), store.archive) == (first, {})
        assert CHANGES[change](failing, first).version == 2

    def test_a_store_that_fails_after_it_wrote_has_changed_all_and_the_repetition_is_outdated(
        self, amender: RecordAmender, store: MemoryStore, clock: FixedClock, signer: KeySigner, change: str
    ) -> None:
        first = minted(amender)
        failing = amending(FailingStore(store, "after", "replace_record", times=1), clock, signer)
        with pytest.raises(StoreUnavailable):
            CHANGES[change](failing, first)
        current = store.record(first.repository, KEY)
        assert current is not None
        document, older, keys = documents(store, current)
        assert (current.version, len(older)) == (2, 1)
        assert verify(document, keys, older).complete
        with pytest.raises(Outdated):
            CHANGES[change](failing, first)
        assert store.record(first.repository, KEY) == current

    def test_without_a_published_key_nothing_is_signed_or_written(
        self, amender: RecordAmender, store: MemoryStore, clock: FixedClock, change: str
    ) -> None:
        first = minted(amender)
        new = KeySigner()
        failing = amending(FailingStore(store, "before", "add_public_key"), clock, new)
        with pytest.raises(StoreUnavailable):
            CHANGES[change](failing, first)
        assert (store.record(first.repository, KEY), store.archive, new.signed) == (first, {}, 0)


def transfer(sender: str, recipient: str) -> CustodyTransfer:
    """A transfer by version 1."""
    return CustodyTransfer(sender, recipient, "2026-10-08T12:00:00Z", 1, "a.b.c")


OFFERED = Custody(CustodyOffer("https://b.example", "2026-10-08T12:00:00Z"))
TRANSFERRED = Custody(transfers=(transfer(BASE_URL, "https://b.example"),))


@pytest.mark.parametrize("status", [ACTIVE, WITHDRAWN])
@pytest.mark.parametrize(
    ("custody", "origin", "refusal"),
    [
        (OFFERED, None, CustodyOffered),
        (TRANSFERRED, None, CustodyElsewhere),
        (OFFERED, "aaaa-aaaa-00", CustodyElsewhere),
        (NO_CUSTODY, "aaaa-aaaa-00", CustodyElsewhere),
    ],
)
def test_a_record_that_is_offered_or_of_another_service_does_not_change(
    custody: Custody, origin: str | None, refusal: type[Exception], status: str, amender: RecordAmender
) -> None:
    withdrawn = Withdrawal(MOMENT, "Gone") if status == WITHDRAWN else None
    current = replace(
        record(metadata=with_custody({}, custody)), status=status, withdrawn=withdrawn, stated_repository=origin
    )
    with pytest.raises(refusal):
        amender.update(current, content(current, metadata={"what": "B"}))
    with pytest.raises(refusal):
        amender.withdraw(current, "A mistake")
    with pytest.raises(refusal):
        amender.restore(current, content(current))


class TestCustody:
    """Only the service writes what metadata says about custody; clients keep it, whether they send it or not."""

    RECEIVED = with_custody({"what": "A"}, Custody(transfers=(transfer("https://a.example", BASE_URL),)))

    @pytest.mark.parametrize("sent", [{"what": "B"}, {**RECEIVED, "what": "B"}])
    def test_a_change_keeps_it(self, sent: Mapping[str, Any], amender: RecordAmender) -> None:
        current = record(metadata=self.RECEIVED)
        version = amender.next_version(current, content(current, metadata=sent))
        assert version.metadata == {**self.RECEIVED, "what": "B"}

    @pytest.mark.parametrize("sent", [{"linkid": {}}, {"linkid": "x"}, with_custody({}, Custody(state=REVOKED))])
    @pytest.mark.parametrize("present", [{}, RECEIVED])
    def test_clients_do_not_set_or_change_it(
        self, sent: Mapping[str, Any], present: Mapping[str, Any], amender: RecordAmender
    ) -> None:
        current = record(metadata=present)
        with pytest.raises(InvalidInput) as refusal:
            amender.next_version(current, content(current, metadata=sent))
        assert [each.pointer for each in refusal.value.violations] == ["/metadata/linkid"]

    def test_a_member_that_says_nothing_about_custody_can_be_removed(self, amender: RecordAmender) -> None:
        current = record(metadata={"linkid": "LinkId: 4711"})
        assert amender.next_version(current, content(current, metadata={})).metadata == {}

    @pytest.mark.parametrize("status", [ACTIVE, RESERVED])
    def test_a_tombstone_is_revoked_on_request_and_stays_so(self, status: str, amender: RecordAmender) -> None:
        current = minted(amender, status=status)
        tombstone = amender.withdraw(current, "Assigned in error", state=REVOKED)
        assert custody_of(tombstone.metadata).state == REVOKED
        with pytest.raises(AlreadyWithdrawn):
            amender.restore(tombstone, content(current))

    def test_a_tombstone_without_a_state_keeps_its_metadata(self, amender: RecordAmender) -> None:
        current = minted(amender)
        assert amender.withdraw(current, "Gone").metadata == current.metadata
