"""Records over DynamoDB, minted, changed, withdrawn and read in any order, compared with a simple model.

After all successful and refused operations every history equals the model's, every proof verifies with the published
keys, and every chain is complete back to its first version.
"""

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from coolid.errors import AlreadyWithdrawn, IdentifierTaken, InvalidInput, Outdated, StoreUnavailable
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from coolid.model.records import ACTIVE, INACTIVE, RESERVED, WITHDRAWN, Content, Location, Record
from coolid.proofs.statements import Prover
from coolid.proofs.verification import verify
from coolid.records.amendment import RecordAmender
from coolid.records.minter import Minter, MintRequest
from coolid.store.store import Store
from tests.support.builders.samples import BASE_URL, json_values, namespace, repository
from tests.support.effort import examples
from tests.support.fixtures.ports import FixedClock, KeySigner, SeededEntropy
from tests.support.fixtures.system import empty, new_tables, store_over
from tests.support.stores.store_wrappers import FailingStore

OWNER = repository(rules=LuiRules(symbols=2))  # so few identifiers that draws meet those that exist
PREFIX = "2021/06/mp"


@dataclass(frozen=True)
class Version:
    """What the model knows of a version."""

    status: str
    uris: tuple[str, ...]
    metadata: Mapping[str, Any]
    ttl: int | None
    reason: str | None = None

    def content(self) -> Content:
        places = tuple(Location(uri) for uri in self.uris)
        return Content(places, self.metadata, (), self.status, self.ttl)

    def withdrawn(self, reason: str) -> "Version":
        """What was never public is not told of by its tombstone either."""
        returned = replace(self, uris=(), metadata={}) if self.status == RESERVED else self
        return replace(returned, status=WITHDRAWN, reason=reason)


versions = st.builds(
    Version,
    status=st.sampled_from([ACTIVE, ACTIVE, RESERVED]),
    uris=st.lists(st.sampled_from(["https://a.example/", "https://b.example/%2F"]), max_size=2).map(tuple),
    metadata=st.dictionaries(st.sampled_from(["what", "n"]), json_values, max_size=2),
    ttl=st.none() | st.sampled_from([0, 60]),
)
spellings = st.sampled_from([str.upper, str.lower, lui.format])


@cache
def _tables() -> dict[str, str]:
    """Tables that one history after the other has for itself."""
    return new_tables()


class Histories(RuleBasedStateMachine):
    """One repository in a store of its own; `model` has the versions of each record by its key, first to last."""

    keys: Bundle[str] = Bundle("keys")
    used: Bundle[tuple[str, Record, Version]] = Bundle("used")
    """What was done: the key, the version that it was made from, what was wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[str, list[Version]] = {}
        self.touched: set[str] = set()
        self.signers: list[KeySigner] = []
        self.clock = FixedClock()
        self.entropy = SeededEntropy()
        tables = _tables()
        empty(tables)
        self.store: Store = store_over(tables)
        self.store.repositories.create_repository(OWNER)
        self.store.prefixes.put_prefix(namespace(PREFIX, OWNER), None)
        self._rotate()

    @rule()
    def a_new_key_signs_from_now_on(self) -> None:
        self._rotate()

    def _rotate(self) -> None:
        self.signers.append(KeySigner())
        prover = Prover(self.signers[-1], self.store.public_keys, self.clock)
        self.minter = Minter(
            self.store.records,
            self.store.prefixes,
            self.store.counters,
            clock=self.clock,
            entropy=self.entropy,
            prover=prover,
            base_url=BASE_URL,
        )
        self.amender = RecordAmender(self.store.records, self.clock, prover)

    @rule(seconds=st.integers(-100, 1_000))
    def time_goes_by_and_clocks_differ(self, seconds: int) -> None:
        self.clock.moment += timedelta(seconds=seconds)

    @rule(target=keys, wanted=versions)
    def mint_a_drawn_one(self, wanted: Version) -> str:
        return self._mint(wanted, None)

    @rule(target=keys, wanted=versions, number=st.integers(0, 7), spelled=spellings)
    def mint_a_chosen_one(self, wanted: Version, number: int, spelled: Any) -> Any:
        key = lui.encode(number, 2)
        if key in self.model:
            with self._refused(key, IdentifierTaken):
                self._mint(wanted, spelled(key))
            return multiple()
        assert self._mint(wanted, spelled(key)) == key
        return key

    @rule(target=used, key=keys, wanted=versions)
    def update(self, key: str, wanted: Version) -> Any:
        was, current = self.model[key][-1], self._current(key)
        if was.status == WITHDRAWN:
            with self._refused(key, AlreadyWithdrawn):
                self.amender.update(current, wanted.content())
        elif wanted.status == RESERVED != was.status:
            with self._refused(key, InvalidInput):
                self.amender.update(current, wanted.content())
        else:
            changed = self.amender.update(current, wanted.content())
            self.touched.add(key)
            if changed != current:
                self.model[key].append(wanted)
                return key, current, wanted
        return multiple()

    @rule(target=used, key=keys, reason=st.sampled_from(["It was wrong", "Ä"]))
    def withdraw(self, key: str, reason: str) -> Any:
        was, current = self.model[key][-1], self._current(key)
        if was.status == WITHDRAWN:
            with self._refused(key, AlreadyWithdrawn):
                self.amender.withdraw(current, reason)
            return multiple()
        self.amender.withdraw(current, reason)
        self.touched.add(key)
        self.model[key].append(was.withdrawn(reason))
        return key, current, was.withdrawn(reason)

    @rule(target=used, key=consumes(keys))
    def withdraw_though_the_answer_is_lost(self, key: str) -> Any:
        was, current = self.model[key][-1], self._current(key)
        if was.status == WITHDRAWN:
            return multiple()
        deaf: Any = FailingStore(self.store.records, "after", "replace_record")
        amender = RecordAmender(deaf, self.clock, Prover(self.signers[-1], self.store.public_keys, self.clock))
        with pytest.raises(StoreUnavailable):
            amender.withdraw(current, "why")
        self.touched.add(key)
        self.model[key].append(was.withdrawn("why"))
        return key, current, was.withdrawn("why")

    @rule(once=used)
    def replay(self, once: tuple[str, Record, Version]) -> None:
        """A request that succeeded comes a second time, made from the version that it was made from at first."""
        key, current, wanted = once
        with self._refused(key, Outdated):
            if wanted.reason is None:
                self.amender.update(current, wanted.content())
            else:
                self.amender.withdraw(current, wanted.reason)

    @rule(key=keys)
    def replay_a_mint(self, key: str) -> None:
        with self._refused(key, IdentifierTaken):
            self._mint(self.model[key][0], lui.format(key))

    @rule(number=st.integers(8, 31), version=st.integers(-1, 9))
    def read_what_nobody_may_have(self, number: int, version: int) -> None:
        key = lui.encode(number, 2)
        if key not in self.model:
            assert self.store.records.record(OWNER.id, key) is None
            assert self.store.records.records(OWNER.id, [key]) == {}
            assert self.store.records.superseded(OWNER.id, key, version) is None

    @rule(key=keys, beyond=st.integers(0, 5))
    def read_versions_that_are_not_superseded(self, key: str, beyond: int) -> None:
        assert self.store.records.superseded(OWNER.id, key, len(self.model[key]) + beyond) is None
        assert self.store.records.superseded(OWNER.id, key, -beyond) is None

    @invariant()
    def whatever_was_touched_is_as_the_model_has_it(self) -> None:
        while self.touched:
            self._check(self.touched.pop())

    @invariant()
    def every_key_that_signed_is_published_in_its_turn(self) -> None:
        expected = [signer.public_key() for signer in self.signers if signer.signed]
        assert list(self.store.public_keys.public_keys()) == expected

    def teardown(self) -> None:
        """Every history, with the keys as they are in the end."""
        batch = self.store.records.records(OWNER.id, list(self.model)) if self.model else {}
        for key in self.model:
            self._check(key)
            assert batch[key] == self._current(key)

    def _mint(self, wanted: Version, chosen: str | None) -> str:
        request = MintRequest(wanted.content(), chosen)
        minted = self.minter.mint(request, self.minter.namespace(PREFIX))
        key = lui.compact(minted.id)
        assert key not in self.model
        self.model[key] = [wanted]
        self.touched.add(key)
        return key

    def _current(self, key: str) -> Record:
        record = self.store.records.record(OWNER.id, key, consistent=True)
        assert record is not None
        return record

    @contextmanager
    def _refused(self, key: str, kind: type[Exception]) -> Any:
        """Refused, and nothing changed."""
        before = self._current(key)
        with pytest.raises(kind):
            yield
        assert self._current(key) == before
        self.touched.add(key)

    def _check(self, key: str) -> None:
        expected = self.model[key]
        older = [self.store.records.superseded(OWNER.id, key, number) for number in range(1, len(expected))]
        history = [*(each for each in older if each), self._current(key)]
        assert len(history) == len(expected)
        for number, (record, version) in enumerate(zip(history, expected, strict=True), 1):
            assert record.version == number
            assert record.pid == f"{BASE_URL}/{PREFIX}/{lui.format(key)}"
            assert (record.status, record.ttl) == (version.status, version.ttl)
            assert record.metadata == version.metadata
            lives = INACTIVE if version.status == WITHDRAWN else ACTIVE
            assert record.records == tuple(Location(uri, lives) for uri in version.uris)
            assert (record.withdrawn.reason if record.withdrawn else None) == version.reason
        assert [each.updated for each in history] == sorted(each.updated for each in history)
        assert {each.created for each in history} == {history[0].created}
        documents = [each.to_document() for each in history]
        keys = {"keys": list(self.store.public_keys.public_keys())}
        assert verify(documents[-1], keys, documents[:-1], pid=history[0].pid, issuer=BASE_URL).complete


Histories.TestCase.settings = examples(
    12,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=set(Phase) - {Phase.explain},  # which takes minutes where every step costs several calls
)
TestHistories = pytest.mark.usefixtures("moto_tables")(Histories.TestCase)
