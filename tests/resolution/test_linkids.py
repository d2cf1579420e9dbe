"""LinkIDs of revision 01 (`linkid:`): the resolver accepts their strict syntax in any case, and corrects nothing."""

from contextlib import suppress
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import CoolidError, InvalidIdentifier, UnknownPrefix, UnregisteredIdentifier
from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.model.prefixes import Namespace, join
from coolid.model.records import RESERVED
from coolid.recognition.unwrap import reference_of
from coolid.registry.references import parse_reference
from coolid.resolution.resolver import DescribePrefix, FoundRecord, resolve
from tests.support.builders.naughty_strings import ALL
from tests.support.builders.samples import BASE_URL, namespace, record, repository
from tests.support.stores.memory_store import MemoryStore

KEY: Final = "00c538ea846b47a6a3d470a9ebd29d7c"
UUID: Final = "00c538ea-846b-47a6-a3d4-70a9ebd29d7c"
LINKID: Final = f"linkid:{UUID}"
OTHER_VERSIONS: Final = ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "1bc2f359-47e4-5da6-a748-74676b7c8c5d")

ANY: Final = ChosenRules(pattern="[0-9A-Za-z._~-]{32,64}")
"""Rules of revision 00, which tell a UUID with hyphens from one without."""


def store_of(rules: Rules, *keys: str, **members: object) -> MemoryStore:
    """A store with a repository under `lid` and `linkid` that has records under these keys."""
    store = MemoryStore()
    owner = replace(repository(rules=rules), canonical="lid", **members)
    store.repositories[owner.id] = owner
    for name in ("lid", "linkid"):
        store.put_prefix(namespace(name, owner), None)
    for key in keys:
        store.create_record(replace(record(key, owner.id), id=key, key=key, pid=f"{BASE_URL}/lid:{key}"), None)
    return store


def key_of(store: MemoryStore, path: str) -> str:
    decision = resolve(reference_of(path, BASE_URL), store)
    assert isinstance(decision, FoundRecord)
    return decision.record.key


class TestASpelling:
    @pytest.mark.parametrize(
        "path",
        [
            LINKID,
            LINKID.upper(),
            f"LinkID:{UUID.title()}",
            f"linkid%3A{UUID}",
            f"resolve/{LINKID}",
            f"resolve/linkid%3a{UUID.upper()}",
            f"linkid/{UUID}",
            f"LINKID/{UUID.upper()}",
            f"{BASE_URL}/{LINKID}",
            f"{BASE_URL}/resolve/linkid%3A{UUID}",
            f"https://elsewhere.example/{LINKID}",
            f"https://elsewhere.example/resolve/LINKID%3A{UUID.upper()}",
            f"https://linkid.io/api/public/resolve/{UUID}",
            f"https://resolver.linkid.org/resolve/{LINKID}",
            f"lid:{KEY}",
            f"resolve/{KEY}",
            f"resolve/{UUID}",
        ],
    )
    def test_leads_to_the_one_record(self, path: str) -> None:
        assert key_of(store_of(UuidRules(version=4), KEY), path) == KEY

    @pytest.mark.parametrize(
        "path",
        [
            "linkid:",
            "linkid:4711",
            "LinkId:%204711",
            f"linkid:{KEY}",
            f"linkid:%7B{UUID}%7D",
            f"{LINKID}%20",
            f"linkid:%20{UUID}",
            f"{LINKID}/",
            f"{LINKID}/chapter",
            f"{LINKID}.pdf",
            f"{LINKID}%3Fa=b",
            f"{LINKID}%23a",
            f"linkid:{UUID[:-1]}",
            f"linkid:{UUID}0",
            f"linkid:{UUID.replace('-', '%252D', 1)}",
            f"linkid:{UUID.replace('-', '‑')}",
            f"linkid:{LINKID}",
            f"linkid:urn:uuid:{UUID}",
            f"linkid://{UUID}",
            f"linkid/{KEY}",
            f"linkid/{LINKID}",
            f"linkid/{UUID}/",
            f"linkid/{UUID}.pdf",
            f"lin\u212aid:{UUID}",
            f"lin\u212aid/{UUID}",
            f"{BASE_URL}/linkid:4711",
        ],
    )
    @pytest.mark.parametrize("rules", [UuidRules(version=4), ANY], ids=["uuid", "chosen"])
    @pytest.mark.parametrize("passthrough", [True, False])
    def test_that_is_malformed_is_refused_without_suggestions(self, path: str, rules: Rules, passthrough: bool) -> None:
        store = store_of(rules, KEY, passthrough=passthrough)
        with pytest.raises(InvalidIdentifier) as refusal:
            resolve(reference_of(path, BASE_URL), store)
        assert not refusal.value.suggestions

    @pytest.mark.parametrize("path", [f"%20{LINKID}", f"%3C{LINKID}%3E", f'"{LINKID}"', f"/{LINKID}", f"see {LINKID}"])
    def test_with_other_text_before_it_has_no_prefix(self, path: str) -> None:
        with pytest.raises(UnknownPrefix):
            resolve(reference_of(path, BASE_URL), store_of(UuidRules(version=4), KEY))

    def test_of_the_prefix_alone_is_its_description(self) -> None:
        store = store_of(UuidRules(version=4))
        found = store.rows["linkid"]
        assert isinstance(found, Namespace)
        assert resolve(parse_reference("LinkID"), store) == DescribePrefix(found)

    @given(st.sampled_from(ALL) | st.text(max_size=50))
    def test_of_anything_else_is_never_one(self, text: str) -> None:
        store = store_of(UuidRules(version=4), KEY)
        for path in (f"linkid:{text}", f"linkid:{UUID}{text}" if text.strip("?#/") else "linkid:"):
            with suppress(CoolidError):
                decision = resolve(parse_reference(path), store)
                raise AssertionError(f"{path!r} leads to {decision}")


class TestAnUnregisteredLinkid:
    def test_is_not_found_without_guesses(self) -> None:
        store = store_of(UuidRules(version=4), KEY)
        for written in (f"{UUID[:-1]}d", *OTHER_VERSIONS):
            with pytest.raises(UnregisteredIdentifier) as refusal:
                resolve(parse_reference(f"linkid:{written.upper()}"), store)
            assert (refusal.value.identifier, refusal.value.suggestions) == (written, ())

    def test_is_not_found_if_its_record_is_reserved(self) -> None:
        store = store_of(UuidRules(version=4))
        store.create_record(replace(record(KEY, status=RESERVED), key=KEY), None)
        with pytest.raises(UnregisteredIdentifier):
            resolve(parse_reference(LINKID), store)

    def test_is_unknown_where_the_prefix_is_but_a_malformed_one_is_invalid(self) -> None:
        with pytest.raises(UnknownPrefix):
            resolve(parse_reference(LINKID), MemoryStore())
        with pytest.raises(InvalidIdentifier):
            resolve(parse_reference("linkid:4711"), MemoryStore())


class TestARepositoryOfChosenIdentifiers:
    @pytest.mark.parametrize("key", [KEY, UUID])
    def test_has_linkids_with_and_without_hyphens(self, key: str) -> None:
        store = store_of(ANY, key)
        assert key_of(store, LINKID.upper()) == key_of(store, f"lid:{key}") == key

    def test_prefers_the_identifier_without_hyphens(self) -> None:
        store = store_of(ANY, KEY, UUID)
        assert (key_of(store, LINKID), key_of(store, f"lid:{UUID}")) == (KEY, UUID)

    def test_that_ignores_hyphens_has_one_key(self) -> None:
        rules = ChosenRules(pattern="[0-9a-f]{32}", folds_case=True, ignores_hyphens=True)
        assert key_of(store_of(rules, KEY), LINKID) == KEY


@pytest.mark.parametrize("written", [KEY, UUID, UUID.upper()])
def test_the_name_of_a_record_is_canonical(written: str) -> None:
    assert join("linkid", written) == LINKID
