"""Both clients over `coolid serve`: every operation, and the errors that programs branch on."""

import asyncio
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pytest

import coolid
from tests.support.servers.coolid_server import Server

PAGE = "https://content.example.org/"
OTHER = "https://b.example.org"


@pytest.fixture
def client(server: Server) -> Iterator[coolid.Client]:
    with coolid.Client(server.url, server.key) as running:
        yield running


@pytest.fixture
def reader(server: Server) -> Iterator[coolid.Client]:
    """A client without a key."""
    with coolid.Client(server.url) as running:
        yield running


@dataclass(frozen=True)
class Owned:
    """A prefix of the test's own, and its repository."""

    name: str
    repository: coolid.Repository


@pytest.fixture
def owned(client: coolid.Client) -> Owned:
    name = f"2025/01/p{secrets.token_hex(4)}"
    repository = client.repositories.create(title="A repository", scheme="lui", rules={"symbols": 6})
    client.prefixes.put(name, kind="namespace", repository=repository.id)
    return Owned(name, repository)


class TestRecords:
    def test_a_record_is_minted_read_changed_and_withdrawn(self, client: coolid.Client) -> None:
        minted = client.mint(prefix="demo", uri=PAGE, metadata={"what": "A thing"})
        assert (minted.version, minted.status, minted.target) == (1, "active", PAGE)
        assert client.get(minted.pid) == minted
        changed = client.update(minted, uri=PAGE + "moved")
        assert (changed.version, changed.target, changed.metadata) == (2, PAGE + "moved", {"what": "A thing"})
        assert client.get(minted.pid, version=1).target == PAGE
        tombstone = client.withdraw(changed, "A mistake", successor=PAGE)
        assert tombstone.withdrawn is not None
        assert (tombstone.withdrawn.reason, tombstone.withdrawn.successor) == ("A mistake", PAGE)
        assert [(each.version, each.record.status) for each in client.history(minted)] == [
            (3, "withdrawn"), (2, "active"), (1, "active"),
        ]  # fmt: skip

    def test_a_change_without_an_entity_tag_is_of_the_present_version(self, client: coolid.Client) -> None:
        pid = client.mint(prefix="demo", uri=PAGE).pid
        assert client.update(pid, {"metadata": {"what": "a"}}, ttl=60).version == 2
        assert client.withdraw(pid, "A mistake").status == "withdrawn"

    def test_an_old_version_is_not_changed(self, client: coolid.Client) -> None:
        first = client.mint(prefix="demo", uri=PAGE)
        client.update(first, ttl=60)
        with pytest.raises(coolid.PreconditionFailed) as failure:
            client.update(first, ttl=90)
        assert failure.value.kind == "outdated"

    def test_the_same_idempotency_key_mints_once(self, client: coolid.Client) -> None:
        key = secrets.token_hex(8)
        first, second = (client.mint(prefix="demo", uri=PAGE, idempotency_key=key) for _ in range(2))
        assert first == second

    def test_a_list_has_all_pages(self, client: coolid.Client, owned: Owned) -> None:
        minted = {client.mint(prefix=owned.name, uri=f"{PAGE}{number}").pid for number in range(5)}
        assert {record.pid for record in client.list(owned.name, page_length=2)} == minted
        found = client.search(
            "content", prefix=owned.name, updated_after=datetime(2025, 1, 1, tzinfo=UTC), page_length=2
        )
        assert {record.pid for record in found} == {record.pid for record in client.search(prefix=owned.name)} == minted
        assert not [*client.search(prefix=owned.name, status="withdrawn")]

    def test_lists_have_what_the_key_may_see(self, client: coolid.Client, owned: Owned) -> None:
        own = client.keys.create([f"mint:{owned.name}"], note="A form")
        assert own.key
        with coolid.Client(client.base_url, own.key) as limited:
            assert [(each.id, each.prefixes) for each in limited.repositories.list()] == [
                (owned.repository.id, (owned.name,))
            ]
            (listed,) = limited.keys.list()
            assert (listed.id, listed.note) == (own.id, None)
        day = next(each.last_used for each in client.keys.list() if each.id == own.id)
        assert isinstance(day, date)

    def test_without_a_key_public_records_are_read(self, client: coolid.Client, reader: coolid.Client) -> None:
        minted = client.mint(prefix="demo", uri=PAGE)
        shown = reader.get(minted.pid)
        assert (shown.pid, shown.etag) == (minted.pid, None)
        client.withdraw(minted, "A mistake")
        assert reader.get(minted.pid).status == "withdrawn"


class TestCustody:
    def test_an_offered_record_cannot_be_changed_until_the_offer_is_revoked(self, client: coolid.Client) -> None:
        minted = client.mint(prefix="linkid", uri=PAGE)
        offered = client.custody.offer(minted, OTHER)
        assert (offered.version, offered.metadata["linkid"]["offer"]["to"]) == (2, OTHER)
        assert client.custody.offer(minted.pid, OTHER) == offered
        with pytest.raises(coolid.ResourceConflict) as change:
            client.update(offered, ttl=60)
        with pytest.raises(coolid.ResourceConflict) as another:
            client.custody.offer(offered, PAGE)
        assert change.value.kind == another.value.kind == "custody-offered"
        revoked = client.custody.revoke(offered)
        assert (revoked.version, revoked.metadata) == (3, {})
        assert client.update(revoked, ttl=60).version == 4

    def test_what_cannot_be_offered_or_accepted_is_an_error(self, client: coolid.Client) -> None:
        with pytest.raises(coolid.ValidationFailed):
            client.custody.offer(client.mint(prefix="demo", uri=PAGE), OTHER)
        minted = client.mint(prefix="linkid", uri=PAGE)
        with pytest.raises(coolid.ResourceConflict) as conflict:
            client.custody.revoke(minted)
        assert conflict.value.kind == "no-such-offer"


class TestResolution:
    def test_the_target_is_returned_and_not_requested(self, client: coolid.Client, reader: coolid.Client) -> None:
        minted = client.mint(prefix="demo", uri="https://unreachable.invalid/")
        resolution = reader.resolve(minted.pid)
        assert (resolution.outcome, resolution.target) == (coolid.Outcome.FOUND, "https://unreachable.invalid/")
        assert len(resolution.hops) == 1

    def test_a_record_can_be_requested(self, client: coolid.Client, reader: coolid.Client) -> None:
        minted = client.mint(prefix="demo", uri=PAGE)
        resolution = reader.resolve(minted.pid, format="linkid", version=1)
        assert resolution.record is not None
        assert resolution.record["pid"] == minted.pid

    def test_what_the_service_does_not_resolve_is_an_error(self, client: coolid.Client, reader: coolid.Client) -> None:
        with pytest.raises(coolid.ResourceNotFound) as unknown:
            reader.resolve("nobodys:x")
        assert unknown.value.kind == "unknown-prefix"
        with pytest.raises(coolid.BadRequest):
            reader.resolve("demo:tw0t-ywdj-95")
        minted = client.mint(prefix="demo", uri=PAGE)
        client.withdraw(minted, "A mistake")
        with pytest.raises(coolid.Withdrawn) as gone:
            reader.resolve(minted.pid)
        assert gone.value.problem["withdrawn"]["reason"] == "A mistake"


class TestRegistry:
    def test_a_prefix_is_registered_read_and_listed(self, client: coolid.Client, owned: Owned) -> None:
        found = client.prefixes.get(owned.name)
        assert (found.name, found.kind, found.repository) == (owned.name, "namespace", owned.repository.id)
        assert [each.name for each in client.prefixes.list(owned.name)] == [owned.name]
        with pytest.raises(coolid.AlreadyExists):
            client.prefixes.put("demo", kind="namespace", repository=owned.repository.id)

    def test_a_prefix_is_public(self, reader: coolid.Client) -> None:
        assert [each["code"] for each in reader.prefixes.get("go").providers] != []
        with pytest.raises(coolid.ResourceNotFound):
            reader.prefixes.get("nobodys")

    def test_a_repository_is_changed(self, client: coolid.Client, owned: Owned) -> None:
        assert owned.repository.rules["symbols"] == 6
        first = client.repositories.get(owned.repository.id)
        assert client.repositories.update(first, title="Another title").title == "Another title"
        assert client.repositories.update(first.id, {"ttl": 60}).ttl == 60
        with pytest.raises(coolid.PreconditionFailed):
            client.repositories.update(first, ttl=90)

    def test_a_repository_is_created_once_for_an_idempotency_key(self, client: coolid.Client) -> None:
        key = secrets.token_hex(8)
        created = [client.repositories.create(title="One", idempotency_key=key).id for _ in range(2)]
        assert created[0] == created[1]

    def test_a_key_is_created_used_and_revoked(self, client: coolid.Client, server: Server) -> None:
        created = client.keys.create(["mint:demo"], note="For a test", quota={"minute": 1, "day": None})
        assert created.key is not None
        assert created.key not in repr(created)
        with coolid.Client(server.url, created.key, wait=lambda _: None) as limited:
            own = limited.keys.own()
            assert own is not None
            assert (own.id, own.scopes) == (created.id, ("mint:demo",))
            limited.mint(prefix="demo", uri=PAGE)
            with pytest.raises(coolid.MintQuotaExceeded) as spent:
                limited.mint(prefix="demo", uri=PAGE)
            assert 30 < spent.value.retry_after <= 60
            with pytest.raises(coolid.InsufficientScope):
                limited.repositories.create(title="x")
        assert client.keys.revoke(created.id).revoked is not None
        assert client.keys.get(created.id).key is None

    def test_links_are_reported(self, client: coolid.Client, owned: Owned) -> None:
        assert list(client.reports.links(owned.name, ["down"])) == []
        assert "<feed" in client.reports.feed(owned.name)


class TestErrors:
    def test_an_invalid_document_has_pointers(self, client: coolid.Client) -> None:
        with pytest.raises(coolid.ValidationFailed) as failure:
            client.mint({"colour": "red"}, prefix="demo", uri="javascript:alert(1)")
        assert [pointer for pointer, _ in failure.value.violations] == ["/colour"]
        with pytest.raises(coolid.ValidationFailed) as failure:
            client.mint(prefix="demo", uri="javascript:alert(1)")
        assert [pointer for pointer, _ in failure.value.violations] == ["/uri"]

    def test_a_chosen_identifier_exists_once(self, client: coolid.Client) -> None:
        minted = client.mint(prefix="demo", uri=PAGE)
        with pytest.raises(coolid.AlreadyExists):
            client.mint(prefix="demo", uri=PAGE, id=minted.id)

    def test_a_withdrawn_record_does_not_change(self, client: coolid.Client) -> None:
        minted = client.mint(prefix="demo", uri=PAGE)
        client.withdraw(minted, "A mistake")
        with pytest.raises(coolid.Withdrawn):
            client.update(minted, ttl=60)
        with pytest.raises(coolid.Withdrawn):
            client.withdraw(minted, "Again")

    def test_a_key_is_needed_and_must_be_valid(self, server: Server, reader: coolid.Client) -> None:
        with pytest.raises(coolid.InvalidKey):
            reader.mint(prefix="demo", uri=PAGE)
        with coolid.Client(server.url, "cool_abcdefgh_" + "x" * 43) as stranger, pytest.raises(coolid.InvalidKey):
            stranger.get("demo:x")

    def test_a_large_document_is_refused(self, client: coolid.Client) -> None:
        with pytest.raises(coolid.PayloadTooLarge):
            client.mint(prefix="demo", metadata={"what": "x" * 1_000_000})


def test_the_asynchronous_client_has_the_same_operations(server: Server) -> None:
    async def manage() -> None:
        async with coolid.AsyncClient(server.url, server.key) as client:
            name = f"2025/01/p{secrets.token_hex(4)}"
            repository = await client.repositories.create(title="A repository")
            repository = await client.repositories.update(repository, ttl=60)
            assert await client.repositories.get(repository.id) == repository
            prefix = await client.prefixes.put(name, kind="namespace", repository=repository.id)
            assert await client.prefixes.get(name) == prefix
            assert [each.name async for each in client.prefixes.list(name)] == [name]
            minted = await asyncio.gather(*(client.mint(prefix=name, uri=f"{PAGE}{number}") for number in range(5)))
            assert {each.pid async for each in client.list(name, page_length=2)} == {each.pid for each in minted}
            assert {each.pid async for each in client.search(prefix=name)} == {each.pid for each in minted}
            assert repository.id in [each.id async for each in client.repositories.list()]
            assert [each.last_used async for each in client.keys.list()]
            first = minted[0]
            assert await client.get(first.pid) == first
            assert (await client.resolve(first.pid)).target == first.target
            changed = await client.update(first, uri=PAGE)
            await client.withdraw(changed, "A mistake")
            assert [each.version for each in await client.history(first)] == [3, 2, 1]
            with pytest.raises(coolid.Withdrawn):
                await client.resolve(first.pid)
            key = await client.keys.create([f"mint:{name}"])
            assert (await client.keys.get(key.id)).scopes == key.scopes
            assert (await client.keys.revoke(key.id)).revoked is not None
            assert await client.keys.own() is not None
            assert [each async for each in client.reports.links(name)] == []
            assert "<feed" in await client.reports.feed(name)

    asyncio.run(manage())
