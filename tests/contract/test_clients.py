"""The contract of `ClientStore`."""

from datetime import date
from time import time
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.model.clients import Client, Quota
from coolid.store.client_rows import day_of
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


class TestUses:
    CLIENT = Client("abcdefgh", "00" * 32, ("mint:demo",), MOMENT, "a note", Quota(1, 2))

    def test_the_day_of_the_last_use_is_stored_beside_the_other_members(self, store: Store) -> None:
        for stored in (self.CLIENT, replace(self.CLIENT, last_used=date(2020, 1, 1))):
            store.clients.put_client(stored)
            store.clients.record_use(stored)
            assert store.clients.client("abcdefgh") == replace(self.CLIENT, last_used=day_of(time()))

    def test_a_later_day_is_not_replaced(self, store: Store) -> None:
        future = replace(self.CLIENT, last_used=date(2999, 1, 1))
        store.clients.put_client(future)
        store.clients.record_use(self.CLIENT)
        assert store.clients.client("abcdefgh") == future

    def test_the_use_of_a_missing_client_creates_none(self, store: Store) -> None:
        store.clients.record_use(self.CLIENT)
        assert store.clients.client("abcdefgh") is None
        assert store.clients.list_clients(10, None) == ([], None)

    def test_a_change_of_a_client_that_was_read_keeps_the_day(self, store: Store) -> None:
        store.clients.put_client(self.CLIENT)
        store.clients.record_use(self.CLIENT)
        read = store.clients.client("abcdefgh")
        assert read is not None
        store.clients.put_client(replace(read, revoked=LATER))
        assert store.clients.client("abcdefgh") == replace(read, revoked=LATER)


class TestLists:
    @pytest.mark.parametrize("limit", [1, 3, 7, 100])
    def test_every_client_is_listed_once(self, store: Store, limit: int) -> None:
        clients = [Client(each * 8, "00" * 32, (f"mint:{each}",), MOMENT, each, Quota(1)) for each in "cadbefg"]
        for client in clients:
            store.clients.put_client(client)
        store.clients.put_client(revoked := replace(clients[0], revoked=LATER, quota=None))
        found: list[Client] = []
        after = None
        while True:
            page, after = store.clients.list_clients(limit, after)
            assert len(page) <= limit
            found += page
            if after is None:
                break
        assert sorted(found, key=lambda each: each.id) == sorted([*clients[1:], revoked], key=lambda each: each.id)
