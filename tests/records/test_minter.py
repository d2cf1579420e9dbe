"""The minter: an identifier is minted exactly once, for any random numbers and store failures."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import DrawsExhausted, IdentifierTaken, InvalidInput, StoreUnavailable
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from coolid.model.prefixes import Namespace
from coolid.model.records import ACTIVE, Content, Location, Record
from coolid.model.repositories import Repository
from coolid.records.minter import Minter, MintRequest
from coolid.registry.registration import create_repository, register_namespace
from tests.support.builders.samples import BASE_URL, MOMENT, provider_prefix
from tests.support.fixtures.ports import FixedClock, ScriptedEntropy, SeededEntropy, StuckEntropy, prover
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

WANTED = MintRequest(Content((Location("https://content.example.org/v1"),), {"what": "A thing"}))


def founded(store: MemoryStore, symbols: int = 8) -> Namespace:
    """A repository under `2021/06/mp` and `mp`; the namespace of the second."""
    draft = Repository("", "A repository", MOMENT, MOMENT, LuiRules(symbols))
    owner = create_repository(draft, store, SeededEntropy(99))
    register_namespace("2021/06/mp", owner.id, "", prefixes=store, repositories=store, clock=FixedClock())
    return register_namespace("mp", owner.id, "", prefixes=store, repositories=store, clock=FixedClock())


def minter(store: Any, entropy: Any) -> Minter:
    return Minter(store, store, store, clock=FixedClock(), entropy=entropy, prover=prover(store), base_url=BASE_URL)


def mint(store: Any, entropy: Any, request: MintRequest = WANTED, prefix: str = "mp") -> Record:
    maker = minter(store, entropy)
    return maker.mint(request, maker.namespace(prefix))


class TestWhatIsWritten:
    def test_the_record_is_the_request_with_the_identifier_that_was_generated(self, store: MemoryStore) -> None:
        owner = founded(store).repository
        minted = mint(store, ScriptedEntropy(923446243762))
        assert minted.proof is not None
        assert replace(minted, proof=None) == Record(
            id="tw0t-ywdj-94",
            pid=f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94",
            repository=owner.id,
            version=1,
            created=MOMENT,
            updated=MOMENT,
            issuer=BASE_URL,
            status=ACTIVE,
            records=WANTED.content.records,
            metadata=WANTED.content.metadata,
        )
        assert store.record(owner.id, "tw0tywdj94") == minted

    def test_the_link_is_under_the_first_alias_whichever_is_used(self, store: MemoryStore) -> None:
        founded(store)
        links = {
            mint(store, SeededEntropy(seed), MintRequest(), prefix).pid.rpartition("/")[0]
            for seed, prefix in enumerate(("mp", "MP", "2021/06/mp", "2021/06/MP"))
        }
        assert links == {f"{BASE_URL}/2021/06/mp"}

    @given(st.integers(1, 12), st.integers(0, 2**32))
    def test_generated_identifiers_follow_the_rules_of_the_repository(self, symbols: int, seed: int) -> None:
        store = MemoryStore()
        founded(store, symbols)
        minted = mint(store, SeededEntropy(seed))
        assert lui.is_valid(minted.id, symbols)
        assert minted.id == lui.format(minted.id)

    def test_a_chosen_identifier_is_stored_in_its_canonical_form(self, store: MemoryStore) -> None:
        owner = founded(store).repository
        minted = mint(store, StuckEntropy(), MintRequest(id="TWOTYWDJ94"))
        assert minted.id == "tw0t-ywdj-94"
        assert store.record(owner.id, "tw0tywdj94") == minted


class TestTheDice:
    def test_a_generator_that_repeats_itself_still_gives_distinct_identifiers(self, store: MemoryStore) -> None:
        founded(store)
        entropy = ScriptedEntropy(1, 1, 2, 1, 2, 2, 1, 3)
        assert [mint(store, entropy).id for _ in range(3)] == ["0000-0001-95", "0000-0002-92", "0000-0003-89"]

    def test_generators_seeded_alike_give_distinct_identifiers(self, store: MemoryStore) -> None:
        founded(store)
        minted = [mint(store, entropy).id for entropy in [SeededEntropy(5) for _ in range(8)] for _ in range(25)]
        assert len(set(minted)) == 200

    def test_many_writers_with_generators_seeded_alike_give_distinct_identifiers(self, store: MemoryStore) -> None:
        founded(store)
        with ThreadPoolExecutor(16) as threads:
            minted = list(threads.map(lambda _: mint(store, SeededEntropy(5)).id, range(200)))
        assert len(set(minted)) == len(store.records_by_key) == 200

    def test_one_that_can_only_repeat_itself_ends_in_a_clear_refusal_after_few_writes(self, store: MemoryStore) -> None:
        founded(store)
        mint(store, StuckEntropy(7))
        store.calls.clear()
        entropy = StuckEntropy(7)
        with pytest.raises(DrawsExhausted) as raised:
            mint(store, entropy)
        assert raised.value.draws == entropy.throws
        assert entropy.throws <= 1_000
        assert store.calls["create_record"] == 1
        assert len(store.records_by_key) == 1

    def test_a_repository_is_filled_to_its_last_identifier(self, store: MemoryStore) -> None:
        founded(store, 1)
        entropy = SeededEntropy(3)
        assert len({mint(store, entropy).id for _ in range(32)}) == 32
        with pytest.raises(DrawsExhausted):
            mint(store, entropy)


class TestChoosing:
    @pytest.mark.parametrize("status", ["active", "reserved"])
    @pytest.mark.parametrize("spelling", ["tw0t-ywdj-94", "TWOTYWDJ94"])
    def test_one_that_exists_is_refused_in_any_spelling_whatever_its_status(
        self, store: MemoryStore, status: str, spelling: str
    ) -> None:
        founded(store)
        first = mint(store, StuckEntropy(), MintRequest(Content(status=status), id="tw0t-ywdj-94"))
        with pytest.raises(IdentifierTaken):
            mint(store, StuckEntropy(), MintRequest(id=spelling), "2021/06/mp")
        assert [*store.records_by_key.values()] == [first]

    @pytest.mark.parametrize("chosen", ["", "-", "tw0t-ywdj-95", "tw0t ywdj 94", "079j-xh42", "é"])
    def test_one_that_breaks_the_rules_is_refused_with_its_place(self, store: MemoryStore, chosen: str) -> None:
        founded(store)
        with pytest.raises(InvalidInput) as raised:
            mint(store, StuckEntropy(), MintRequest(id=chosen))
        assert [violation.pointer for violation in raised.value.violations] == ["/id"]
        assert store.records_by_key == {}

    def test_it_uses_no_random_numbers(self, store: MemoryStore) -> None:
        founded(store)
        entropy = StuckEntropy()
        mint(store, entropy, MintRequest(id="tw0t-ywdj-94"))
        assert entropy.throws == 0


class TestThePrefix:
    @pytest.mark.parametrize("prefix", ["nobodys", "2021", "go", "gene_ontology"])
    def test_one_that_is_no_namespace_here_is_refused_with_its_place(self, store: MemoryStore, prefix: str) -> None:
        founded(store)
        store.put_prefix(provider_prefix("go", "https://go.example/{$id}", synonyms=("gene_ontology",)), None)
        with pytest.raises(InvalidInput) as raised:
            mint(store, StuckEntropy(), MintRequest(), prefix)
        assert [violation.pointer for violation in raised.value.violations] == ["/prefix"]


class TestAFailingStore:
    @pytest.mark.parametrize("chosen", [None, "tw0t-ywdj-94"])
    def test_one_that_fails_before_writing_leaves_nothing(self, store: MemoryStore, chosen: str | None) -> None:
        founded(store)
        with pytest.raises(StoreUnavailable):
            mint(FailingStore(store, "before", "create_record"), SeededEntropy(), MintRequest(id=chosen))
        assert store.records_by_key == {}

    @pytest.mark.parametrize("chosen", [None, "tw0t-ywdj-94"])
    def test_one_that_fails_after_writing_leaves_exactly_one_whole_record(
        self, store: MemoryStore, chosen: str | None
    ) -> None:
        owner = founded(store).repository
        request = MintRequest(WANTED.content, id=chosen)
        with pytest.raises(StoreUnavailable):
            mint(FailingStore(store, "after", "create_record"), ScriptedEntropy(923446243762), request)
        ((key, written),) = store.records_by_key.items()
        assert key == (owner.id, "tw0tywdj94")
        assert written.records == WANTED.content.records

    def test_the_same_chosen_mint_sent_again_after_that_finds_its_identifier_taken(self, store: MemoryStore) -> None:
        founded(store)
        failing = FailingStore(store, "after", "create_record", times=1)
        request = MintRequest(id="tw0t-ywdj-94")
        with pytest.raises(StoreUnavailable):
            mint(failing, StuckEntropy(), request)
        with pytest.raises(IdentifierTaken):
            mint(failing, StuckEntropy(), request)
        assert len(store.records_by_key) == 1

    def test_one_that_recovers_serves_the_next_caller(self, store: MemoryStore) -> None:
        founded(store)
        failing = FailingStore(store, "before", "create_record", times=1)
        with pytest.raises(StoreUnavailable):
            mint(failing, ScriptedEntropy(1))
        assert mint(failing, ScriptedEntropy(1)).id == "0000-0001-95"
