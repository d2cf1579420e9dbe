"""The contract of `PublicKeyStore`."""

from coolid.store.store import Store
from tests.contract.concurrency import at_once

OWNER = "r4k2-9m3x-62"
KEY = "tw0tywdj94"


class TestPublicKeys:
    @staticmethod
    def key(number: int) -> dict[str, str]:
        return {"kty": "EC", "crv": "P-256", "x": f"x{number}", "y": "é", "kid": f"k{number}", "alg": "ES256"}

    def test_no_row_gives_an_empty_result(self, store: Store) -> None:
        assert list(store.public_keys.public_keys()) == []

    def test_they_are_returned_unchanged_newest_last(self, store: Store) -> None:
        order = [3, 1, 2]
        for number in order:
            store.public_keys.add_public_key(self.key(number))
        assert list(store.public_keys.public_keys()) == [self.key(number) for number in order]

    def test_one_that_is_there_already_stays_where_it_is(self, store: Store) -> None:
        for number in (1, 2, 1, 2, 1):
            store.public_keys.add_public_key(self.key(number))
        assert list(store.public_keys.public_keys()) == [self.key(1), self.key(2)]

    def test_of_sixteen_who_add_others_at_once_nobody_loses_one(self, store: Store) -> None:
        store.public_keys.add_public_key(self.key(100))
        at_once([lambda number=number: store.public_keys.add_public_key(self.key(number)) for number in range(16)])
        first, *others = store.public_keys.public_keys()
        assert first == self.key(100)
        assert sorted(key["kid"] for key in others) == sorted(f"k{number}" for number in range(16))

    def test_sixteen_who_add_the_same_at_once_add_one(self, store: Store) -> None:
        outcomes = at_once([lambda: store.public_keys.add_public_key(self.key(1))] * 16)
        assert outcomes == [None] * 16
        assert list(store.public_keys.public_keys()) == [self.key(1)]

    def test_no_record_is_where_they_are(self, store: Store) -> None:
        store.public_keys.add_public_key(self.key(1))
        assert store.records.record("", KEY) is None
        assert store.records.record(OWNER, "keys") is None
        assert store.records.superseded(OWNER, "keys", 1) is None
