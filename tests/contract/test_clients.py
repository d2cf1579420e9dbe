"""The contract of `ClientStore`."""

from typing import Any

import pytest
from msgspec.structs import replace

from coolid.model.clients import Client, Quota
from coolid.store.store import Store
from tests.support.builders.samples import LATER, MOMENT


class TestClients:
    CLIENT = Client("abcdefgh", "00" * 32, ("mint:2021/06/mp", "update:mp"), MOMENT, "a note")

    def test_what_was_written_is_read_back_equal(self, store: Store) -> None:
        for client in (self.CLIENT, Client("zzzzzzzz", "11" * 32, ("admin",), LATER)):
            store.clients.put_client(client)
            assert store.clients.client(client.id) == client

    def test_a_missing_row_is_none(self, store: Store) -> None:
        assert store.clients.client("abcdefgh") is None

    def test_one_of_the_same_id_is_replaced(self, store: Store) -> None:
        store.clients.put_client(self.CLIENT)
        other = replace(self.CLIENT, digest="11" * 32, scopes=("admin",), note="")
        store.clients.put_client(other)
        assert store.clients.client("abcdefgh") == other

    @pytest.mark.parametrize("scopes", [("update:b", "mint:a"), ("mint:é",), ()])
    def test_all_scopes_are_stored_even_if_there_are_none(self, store: Store, scopes: tuple[str, ...]) -> None:
        store.clients.put_client(replace(self.CLIENT, scopes=scopes))
        stored = store.clients.client("abcdefgh")
        assert stored is not None
        assert sorted(stored.scopes) == sorted(scopes)


class TestMembers:
    CLIENT = Client("abcdefgh", "00" * 32, ("mint:demo",), MOMENT)

    @pytest.mark.parametrize(
        "members",
        [
            {"quota": Quota(60, 1_000)},
            {"quota": Quota(minute=60)},
            {"quota": Quota(day=100_000_000)},
            {"revoked": LATER},
            {"revoked": LATER, "quota": Quota(1, 1), "note": "é", "scopes": ("admin", "mint:demo")},
        ],
    )
    def test_quota_and_revocation_are_read_back_equal(self, store: Store, members: dict[str, Any]) -> None:
        store.clients.put_client(replace(self.CLIENT, **members))
        assert store.clients.client("abcdefgh") == replace(self.CLIENT, **members)

    def test_what_a_change_takes_away_is_gone(self, store: Store) -> None:
        for members in ({"quota": Quota(1, 2), "note": "x", "revoked": LATER}, {"quota": Quota(day=3)}, {}):
            store.clients.put_client(replace(self.CLIENT, **members))
            assert store.clients.client("abcdefgh") == replace(self.CLIENT, **members)
