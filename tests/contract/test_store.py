"""The duties of a store, held against every implementation: the one over DynamoDB and the tests' own in memory."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.aws.dynamodb.items import record_body
from coolid.aws.dynamodb.records import MAX_RECORD_BYTES
from coolid.errors import Contended, IdentifierTaken, InvalidInput, Outdated, PrefixTaken
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from coolid.model.clients import Client
from coolid.model.prefixes import Namespace, Prefix, ProviderPrefix, Stem, Synonym
from coolid.model.records import INACTIVE, RESERVED, WITHDRAWN, Location, Record, Withdrawal
from coolid.model.repositories import Repository
from coolid.store.store import Store
from tests.support.builders.samples import LATER, MOMENT, namespace, provider_prefix, record, repository
from tests.support.fixtures.system import store_over

OWNER = "r4k2-9m3x-62"
KEY = "tw0tywdj94"


def row(store: Store, name: str) -> Prefix | None:
    return store.prefixes.prefixes([name], consistent=True).get(name)


def registered(store: Store, prefix: Namespace | ProviderPrefix) -> Namespace | ProviderPrefix:
    """Register a new prefix, its repository if it has one, and give it back as it is stored."""
    if isinstance(prefix, Namespace) and store.repositories.repository(prefix.repository.id) is None:
        store.repositories.create_repository(replace(prefix.repository, canonical=None))
    store.prefixes.put_prefix(prefix, None)
    stored = row(store, prefix.name)
    assert isinstance(stored, Namespace | ProviderPrefix)
    return stored


def at_once(deeds: list[Callable[[], Any]]) -> list[Any]:
    """Do all of them at once; what each gave back or raised."""

    def outcome(deed: Callable[[], Any]) -> Any:
        try:
            return deed()
        except (IdentifierTaken, Contended, Outdated, PrefixTaken) as error:
            return error

    with ThreadPoolExecutor(16) as threads:
        return list(threads.map(outcome, deeds))


class TestRecords:
    def test_what_was_written_is_read_back_equal(self, store: Store) -> None:
        everything = record(
            records=(
                Location("https://a.example/%2F?x#y", "inactive", "text/html; a=b", "de", 0.5, "a", "b", "3",
                         {"algorithm": "sha256", "value": "00"}, 2**53 - 1, "c"),
                Location("https://b.example/"),
            ),
            metadata={"what": "é€𝄞\u0000", "n": [1, 1.5, -0.0, 1e300, None, True, {"": []}]},
            alternates=({"scheme": "doi", "identifier": "10.1000/182"},),
            updated=LATER,
        )  # fmt: skip
        store.records.create_record(everything, "tw0tywdj94")
        assert store.records.record(OWNER, "tw0tywdj94") == everything

    @pytest.mark.parametrize("status", [RESERVED, WITHDRAWN])
    def test_whatever_its_status(self, store: Store, status: str) -> None:
        other = record(status=status, withdrawn=Withdrawal(LATER, "why", None) if status == WITHDRAWN else None)
        store.records.create_record(other, "tw0tywdj94")
        assert store.records.record(OWNER, "tw0tywdj94") == other

    def test_absence_is_an_answer(self, store: Store) -> None:
        store.records.create_record(record(), "tw0tywdj94")
        assert store.records.record(OWNER, "0000000195") is None
        assert store.records.record("zzzz-zzzz-90", "tw0tywdj94") is None

    def test_a_key_is_written_once_and_the_first_stays(self, store: Store) -> None:
        store.records.create_record(record(), "tw0tywdj94")
        with pytest.raises(IdentifierTaken) as raised:
            store.records.create_record(record(metadata={"what": "another"}), "tw0tywdj94")
        assert raised.value.identifier == "tw0t-ywdj-94"
        assert store.records.record(OWNER, "tw0tywdj94") == record()

    def test_the_same_key_of_another_repository_is_another_record(self, store: Store) -> None:
        other = record(owner="zzzz-zzzz-90")
        store.records.create_record(record(), "tw0tywdj94")
        store.records.create_record(other, "tw0tywdj94")
        assert store.records.record(OWNER, "tw0tywdj94") == record()
        assert store.records.record("zzzz-zzzz-90", "tw0tywdj94") == other

    def test_of_sixteen_who_write_one_key_at_once_exactly_one_succeeds(self, store: Store) -> None:
        versions = [record(metadata={"writer": number}) for number in range(16)]
        outcomes = at_once([lambda each=each: store.records.create_record(each, "tw0tywdj94") for each in versions])  # type: ignore[misc]
        (winner,) = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert sum(isinstance(outcome, IdentifierTaken) for outcome in outcomes) == 15
        assert store.records.record(OWNER, "tw0tywdj94") == versions[winner]

    def test_a_batch_tells_of_those_that_exist(self, store: Store) -> None:
        keys = [lui.encode(number) for number in range(100)]
        written = {key: record(key) for key in keys[::3]}
        for key, each in written.items():
            store.records.create_record(each, key)
        assert store.records.records(OWNER, keys) == written
        assert store.records.records(OWNER, []) == {}
        assert store.records.records("zzzz-zzzz-90", keys) == {}

    def test_one_just_small_enough_is_kept_whole(self, store: Store) -> None:
        large = record(metadata={"what": "x" * 370_000})
        store.records.create_record(large, "tw0tywdj94")
        assert store.records.record(OWNER, "tw0tywdj94") == large


def version(number: int, **members: Any) -> Record:
    """A version of one record, told from the others by where it leads."""
    made = record(version=number, records=(Location(f"https://content.example.org/v{number}"),))
    return replace(made, **members)


def versions(store: Store, most: int = 6) -> list[Record | None]:
    """All that is kept of the record: the current version, then the others from 1 on."""
    return [
        store.records.record(OWNER, KEY, consistent=True),
        *(store.records.superseded(OWNER, KEY, n) for n in range(1, most)),
    ]


class TestVersions:
    def test_a_new_one_becomes_the_current_one_and_those_before_stay_as_they_were(self, store: Store) -> None:
        store.records.create_record(version(1), KEY)
        for number in range(2, 6):
            store.records.replace_record(version(number), KEY, version(number - 1))
        assert versions(store) == [version(5), *(version(number) for number in range(1, 5)), None]
        assert store.records.records(OWNER, [KEY]) == {KEY: version(5)}

    def test_what_was_replaced_is_read_back_with_all_its_members(self, store: Store) -> None:
        doi = {"scheme": "doi", "identifier": "10.1000/182"}
        first = version(1, metadata={"n": [1, 1.5, {"é": None}]}, ttl=0, proof="a.b.c", alternates=(doi,))
        second = version(
            2, previous="sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", updated=LATER, proof="d.e.f"
        )
        store.records.create_record(first, KEY)
        store.records.replace_record(second, KEY, first)
        assert versions(store, 3) == [second, first, None]

    def test_the_number_of_the_current_one_and_numbers_that_nobody_gave_find_nothing(self, store: Store) -> None:
        store.records.create_record(version(1), KEY)
        store.records.replace_record(version(2), KEY, version(1))
        assert [store.records.superseded(OWNER, KEY, number) for number in (-1, 0, 2, 3, 999_999_999)] == [None] * 5
        assert store.records.superseded(OWNER, "0000000195", 1) is None
        assert store.records.superseded("zzzz-zzzz-90", KEY, 1) is None

    def test_one_made_from_an_older_version_is_refused_and_nothing_is_written(self, store: Store) -> None:
        store.records.create_record(version(1), KEY)
        store.records.replace_record(version(2), KEY, version(1))
        with pytest.raises(Outdated) as raised:
            store.records.replace_record(version(2, metadata={"what": "late"}), KEY, version(1))
        assert raised.value.identifier == "tw0t-ywdj-94"
        assert versions(store, 4) == [version(2), version(1), None, None]

    def test_one_made_from_a_version_to_come_is_refused_and_nothing_is_written(self, store: Store) -> None:
        store.records.create_record(version(1), KEY)
        with pytest.raises(Outdated):
            store.records.replace_record(version(3), KEY, version(2))
        assert versions(store, 4) == [version(1), None, None, None]

    def test_one_of_a_record_that_does_not_exist_is_refused_and_nothing_is_written(self, store: Store) -> None:
        store.records.create_record(record("0000000195"), "0000000195")
        with pytest.raises(Outdated):
            store.records.replace_record(version(2), KEY, version(1))
        assert versions(store, 3) == [None, None, None]
        assert store.records.record(OWNER, "0000000195") == record("0000000195")

    def test_a_tombstone_is_a_version_like_any(self, store: Store) -> None:
        tombstone = version(2, status=WITHDRAWN, withdrawn=Withdrawal(LATER, "why", None))
        store.records.create_record(version(1), KEY)
        store.records.replace_record(tombstone, KEY, version(1))
        assert versions(store, 3) == [tombstone, version(1), None]
        with pytest.raises(IdentifierTaken):
            store.records.create_record(version(1), KEY)

    def test_of_sixteen_who_replace_one_version_at_once_exactly_one_succeeds(self, store: Store) -> None:
        store.records.create_record(version(1), KEY)
        wanted = [version(2, metadata={"writer": number}) for number in range(16)]
        outcomes = at_once([lambda each=each: store.records.replace_record(each, KEY, version(1)) for each in wanted])  # type: ignore[misc]
        (winner,) = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert sum(isinstance(outcome, Outdated) for outcome in outcomes) == 15
        assert versions(store, 4) == [wanted[winner], version(1), None, None]

    def test_whoever_asks_for_the_newest_gets_what_was_just_written(self, store: Store) -> None:
        assert store.records.record(OWNER, KEY, consistent=True) is None
        store.records.create_record(version(1), KEY)
        for number in range(2, 10):
            assert store.records.record(OWNER, KEY, consistent=True) == version(number - 1)
            store.records.replace_record(version(number), KEY, version(number - 1))


class TestPublicKeys:
    @staticmethod
    def key(number: int) -> dict[str, str]:
        return {"kty": "EC", "crv": "P-256", "x": f"x{number}", "y": "é", "kid": f"k{number}", "alg": "ES256"}

    def test_none_is_an_answer(self, store: Store) -> None:
        assert list(store.public_keys.public_keys()) == []

    def test_they_are_told_as_they_were_given_the_newest_last(self, store: Store) -> None:
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
        at_once([lambda number=number: store.public_keys.add_public_key(self.key(number)) for number in range(16)])  # type: ignore[misc]
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


class TestNumbers:
    def test_they_are_handed_out_in_runs_that_do_not_overlap(self, store: Store) -> None:
        assert [
            store.counters.reserve(OWNER, 0, 10),
            store.counters.reserve(OWNER, 0, 5),
            store.counters.reserve(OWNER, 0, 1),
        ] == [0, 10, 15]

    def test_none_is_below_the_floor_and_none_comes_back(self, store: Store) -> None:
        assert store.counters.reserve(OWNER, 1_000, 10) == 1_000
        assert store.counters.reserve(OWNER, 500, 10) == 1_010
        assert store.counters.reserve(OWNER, 1_020, 10) == 1_020
        assert store.counters.reserve(OWNER, 10**13, 1) == 10**13
        assert store.counters.reserve(OWNER, 0, 1) == 10**13 + 1

    def test_repositories_count_apart(self, store: Store) -> None:
        store.counters.reserve(OWNER, 7, 10)
        assert store.counters.reserve("zzzz-zzzz-90", 7, 10) == 7

    @pytest.mark.parametrize("floors", [(0,), (0, 40, 1_000)])
    def test_many_at_once_never_share_one(self, store: Store, floors: tuple[int, ...]) -> None:
        asked = [floors[number % len(floors)] for number in range(48)]
        firsts = at_once([lambda floor=floor: store.counters.reserve(OWNER, floor, 10) for floor in asked])  # type: ignore[misc]
        numbers = [number for first in firsts for number in range(first, first + 10)]
        assert len(set(numbers)) == 480
        assert all(first >= floor for first, floor in zip(firsts, asked, strict=True))


class TestRepositories:
    def test_what_was_written_is_read_back_equal(self, store: Store) -> None:
        other = repository("zzzz-zzzz-90", title="é", rules=LuiRules(12), ttl=0, redirect=308, domains=("a.example",))
        for each in (repository(), other):
            store.repositories.create_repository(each)
            assert store.repositories.repository(each.id) == each

    def test_absence_is_an_answer(self, store: Store) -> None:
        assert store.repositories.repository(OWNER) is None

    def test_an_id_is_given_once_and_the_first_stays(self, store: Store) -> None:
        store.repositories.create_repository(repository())
        with pytest.raises(IdentifierTaken):
            store.repositories.create_repository(repository(title="Another"))
        assert store.repositories.repository(OWNER) == repository()

    def test_of_sixteen_who_want_one_id_at_once_exactly_one_gets_it(self, store: Store) -> None:
        wanted = [repository(title=f"of {number}") for number in range(16)]
        outcomes = at_once([lambda each=each: store.repositories.create_repository(each) for each in wanted])  # type: ignore[misc]
        (winner,) = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert store.repositories.repository(OWNER) == wanted[winner]

    def test_no_prefix_can_read_or_write_a_repository(self, store: Store) -> None:
        store.repositories.create_repository(repository())
        assert store.prefixes.prefixes([f"/repositories/{OWNER}", OWNER, "repositories", "repositories/" + OWNER]) == {}


class TestPrefixes:
    def test_what_was_registered_is_read_back_equal(self, store: Store) -> None:
        everything = provider_prefix(
            "go", "https://a.example/{$id}", "https://b.example/{$id}", title="é", description="\n", homepage="https://x/",
            pattern=r"^\d+$", example="1", strict=True, encoding="data", synonyms=("b", "a"), redundant=("GO:", "go_"),
            ttl=0, source="a test", updated=LATER, revision=1,
        )  # fmt: skip
        assert registered(store, everything) == everything
        alias = namespace("2021/06/mp", title="An alias", updated=LATER)
        assert registered(store, alias) == alias

    def test_a_batch_of_a_hundred_names_tells_of_those_that_exist(self, store: Store) -> None:
        names = [f"p{number}" for number in range(100)]
        for name in names[::7]:
            registered(store, provider_prefix(name))
        for consistent in (False, True):
            assert store.prefixes.prefixes(names, consistent=consistent).keys() == set(names[::7])
        assert store.prefixes.prefixes(["p0", "p0", "p1"]).keys() == {"p0"}
        assert store.prefixes.prefixes([]) == {}

    def test_names_are_compared_exactly(self, store: Store) -> None:
        registered(store, provider_prefix("go"))
        assert store.prefixes.prefixes(["GO", "go ", "go/", "g", "gö"]) == {}

    def test_a_new_one_is_refused_where_there_is_one_already(self, store: Store) -> None:
        stored = registered(store, provider_prefix("go"))
        for attempt in (provider_prefix("go", title="Mine"), namespace("go")):
            if isinstance(attempt, Namespace):
                store.repositories.create_repository(replace(attempt.repository, canonical=None))
            with pytest.raises(Contended):
                store.prefixes.put_prefix(attempt, None)
        assert row(store, "go") == stored

    def test_a_change_is_written_where_nothing_changed_in_between(self, store: Store) -> None:
        first = registered(store, provider_prefix("go"))
        second = provider_prefix("go", title="New", revision=2)
        store.prefixes.put_prefix(second, first)
        assert row(store, "go") == second
        with pytest.raises(Contended):
            store.prefixes.put_prefix(provider_prefix("go", title="Late", revision=2), first)
        assert row(store, "go") == second

    def test_a_change_of_what_is_not_there_is_refused(self, store: Store) -> None:
        with pytest.raises(Contended):
            store.prefixes.put_prefix(provider_prefix("go", revision=2), provider_prefix("go"))
        assert row(store, "go") is None or isinstance(row(store, "go"), Stem)

    def test_one_of_another_kind_with_the_same_revision_is_a_change_in_between(self, store: Store) -> None:
        alias = registered(store, namespace("mp"))
        with pytest.raises(Contended):
            store.prefixes.put_prefix(provider_prefix("mp", revision=2), provider_prefix("mp"))
        assert row(store, "mp") == alias

    def test_a_namespace_may_replace_a_provider_prefix(self, store: Store) -> None:
        replaced = registered(store, provider_prefix("mp", synonyms=("mammalian",)))
        alias = namespace("mp", revision=2)
        store.repositories.create_repository(replace(alias.repository, canonical=None))
        store.prefixes.put_prefix(alias, replaced)
        assert row(store, "mp") == alias
        assert not isinstance(row(store, "mammalian"), Synonym)

    def test_of_sixteen_who_register_one_name_at_once_exactly_one_succeeds(self, store: Store) -> None:
        wanted = [provider_prefix("a/b", title=f"of {number}") for number in range(16)]
        outcomes = at_once([lambda each=each: store.prefixes.put_prefix(each, None) for each in wanted])  # type: ignore[misc]
        (winner,) = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert sum(isinstance(outcome, Contended) for outcome in outcomes) == 15
        assert row(store, "a/b") == wanted[winner]


class TestStems:
    def test_every_beginning_of_a_name_leads_one_boundary_further(self, store: Store) -> None:
        registered(store, provider_prefix("2021/06/mp:x"))
        assert store.prefixes.prefixes(["2021", "2021/06", "2021/06/mp"]) == {
            "2021": Stem(name="2021", longer=frozenset({"2021/06"})),
            "2021/06": Stem(name="2021/06", longer=frozenset({"2021/06/mp"})),
            "2021/06/mp": Stem(name="2021/06/mp", longer=frozenset({"2021/06/mp:x"})),
        }

    def test_many_names_share_their_stems(self, store: Store) -> None:
        for name in ("a/b", "a/c", "a:d", "a/b/e"):
            registered(store, provider_prefix(name))
        assert row(store, "a") == Stem(name="a", longer=frozenset({"a/b", "a/c", "a:d"}))

    @pytest.mark.parametrize("order", [("a", "a/b"), ("a/b", "a")])
    def test_a_stem_and_a_registered_name_go_together_in_any_order(self, store: Store, order: tuple[str, ...]) -> None:
        for name in order:
            registered(store, provider_prefix(name, title=name))
        shorter = row(store, "a")
        assert isinstance(shorter, ProviderPrefix)
        assert (shorter.title, shorter.longer) == ("a", frozenset({"a/b"}))

    def test_synonyms_of_many_parts_have_stems_too(self, store: Store) -> None:
        registered(store, provider_prefix("go", synonyms=("gene/ontology",)))
        assert row(store, "gene") == Stem(name="gene", longer=frozenset({"gene/ontology"}))
        assert row(store, "gene/ontology") == Synonym(name="gene/ontology", target="go")

    def test_a_change_keeps_what_is_longer(self, store: Store) -> None:
        registered(store, provider_prefix("a/b"))
        first = registered(store, provider_prefix("a"))
        store.prefixes.put_prefix(provider_prefix("a", revision=2), first)
        changed = row(store, "a")
        assert changed is not None
        assert changed.longer == {"a/b"}


class TestSynonyms:
    def test_they_are_rows_that_name_their_target(self, store: Store) -> None:
        registered(store, provider_prefix("go", synonyms=("gene_ontology", "gobp")))
        assert store.prefixes.prefixes(["gene_ontology", "gobp"]) == {
            "gene_ontology": Synonym(name="gene_ontology", target="go"),
            "gobp": Synonym(name="gobp", target="go"),
        }

    def test_those_no_longer_named_go_and_may_be_had_by_others(self, store: Store) -> None:
        first = registered(store, provider_prefix("go", synonyms=("gene_ontology", "gobp")))
        store.prefixes.put_prefix(provider_prefix("go", synonyms=("gobp", "gomf"), revision=2), first)
        assert not isinstance(row(store, "gene_ontology"), Synonym)
        assert row(store, "gobp") == Synonym(name="gobp", target="go")
        assert row(store, "gomf") == Synonym(name="gomf", target="go")
        registered(store, provider_prefix("other", synonyms=("gene_ontology",)))
        assert row(store, "gene_ontology") == Synonym(name="gene_ontology", target="other")

    @pytest.mark.parametrize("taken", ["mp", "other", "others_synonym"])
    def test_one_that_is_somebody_elses_is_refused_with_its_name_and_nothing_is_written(
        self, store: Store, taken: str
    ) -> None:
        registered(store, namespace("mp"))
        registered(store, provider_prefix("other", synonyms=("others_synonym",)))
        before = row(store, taken)
        with pytest.raises(PrefixTaken) as raised:
            store.prefixes.put_prefix(provider_prefix("go", synonyms=("free", taken)), None)
        assert raised.value.prefix == taken
        assert row(store, taken) == before
        assert row(store, "go") is None
        assert row(store, "free") is None

    def test_a_stem_may_become_a_synonym_and_leads_on(self, store: Store) -> None:
        registered(store, provider_prefix("a/b"))
        registered(store, provider_prefix("go", synonyms=("a",)))
        assert row(store, "a") == Synonym(name="a", target="go", longer=frozenset({"a/b"}))

    def test_fifty_may_be_exchanged_for_fifty_others(self, store: Store) -> None:
        old, new = ([f"{kind}{number}" for number in range(50)] for kind in ("old", "new"))
        first = registered(store, provider_prefix("go", synonyms=tuple(old)))
        store.prefixes.put_prefix(provider_prefix("go", synonyms=tuple(new), revision=2), first)
        assert store.prefixes.prefixes(new).keys() == set(new)
        assert not any(isinstance(each, Synonym) for each in store.prefixes.prefixes(old).values())


class TestCanonicalPrefixes:
    def test_the_first_alias_settles_it(self, store: Store) -> None:
        registered(store, namespace("2021/06/mp"))
        assert store.repositories.repository(OWNER) == repository(canonical="2021/06/mp")
        registered(store, namespace("mp", repository(canonical="2021/06/mp")))
        assert store.repositories.repository(OWNER) == repository(canonical="2021/06/mp")

    def test_an_alias_that_did_not_know_of_it_is_refused(self, store: Store) -> None:
        registered(store, namespace("2021/06/mp"))
        with pytest.raises(Contended):
            store.prefixes.put_prefix(namespace("mp"), None)
        assert row(store, "mp") is None
        assert store.repositories.repository(OWNER) == repository(canonical="2021/06/mp")

    @pytest.mark.parametrize("present", [None, repository(revision=2)])
    def test_an_alias_of_a_repository_that_is_not_there_as_it_was_is_refused(
        self, store: Store, present: Repository | None
    ) -> None:
        if present:
            store.repositories.create_repository(present)
        with pytest.raises(Contended):
            store.prefixes.put_prefix(namespace("mp"), None)
        assert row(store, "mp") is None
        assert store.repositories.repository(OWNER) == present

    def test_of_sixteen_first_aliases_at_once_exactly_one_settles_it(self, store: Store) -> None:
        store.repositories.create_repository(repository())
        aliases = [namespace(f"alias{number}") for number in range(16)]
        outcomes = at_once([lambda each=each: store.prefixes.put_prefix(each, None) for each in aliases])  # type: ignore[misc]
        (winner,) = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert store.repositories.repository(OWNER) == repository(canonical=f"alias{winner}")


class TestClients:
    CLIENT = Client("abcdefgh", "00" * 32, ("mint:2021/06/mp", "update:mp"), MOMENT, "a note")

    def test_what_was_written_is_read_back_equal(self, store: Store) -> None:
        for client in (self.CLIENT, Client("zzzzzzzz", "11" * 32, ("admin",), LATER)):
            store.clients.put_client(client)
            assert store.clients.client(client.id) == client

    def test_absence_is_an_answer(self, store: Store) -> None:
        assert store.clients.client("abcdefgh") is None

    def test_one_of_the_same_id_is_replaced(self, store: Store) -> None:
        store.clients.put_client(self.CLIENT)
        other = replace(self.CLIENT, digest="11" * 32, scopes=("admin",), note="")
        store.clients.put_client(other)
        assert store.clients.client("abcdefgh") == other

    @pytest.mark.parametrize("scopes", [("update:b", "mint:a"), ("mint:é",), ()])
    def test_all_scopes_are_kept_and_there_may_be_none(self, store: Store, scopes: tuple[str, ...]) -> None:
        store.clients.put_client(replace(self.CLIENT, scopes=scopes))
        stored = store.clients.client("abcdefgh")
        assert stored is not None
        assert sorted(stored.scopes) == sorted(scopes)


class TestLimits:
    """What only DynamoDB limits: an item has at most 400 KB."""

    @pytest.fixture
    def store(self, embedded_tables: dict[str, str]) -> Store:
        return store_over(embedded_tables)

    @pytest.mark.parametrize(
        "what", ["x" * 400_000, "é" * 200_000, '"' * 200_000, {str(n): "x" for n in range(40_000)}]
    )
    def test_a_record_larger_than_an_item_is_refused_as_such_and_nothing_is_written(
        self, store: Store, what: Any
    ) -> None:
        with pytest.raises(InvalidInput):
            store.records.create_record(record("0000000195", metadata={"what": what}), "0000000195")
        assert store.records.record(OWNER, "0000000195") is None

    def test_so_is_a_version_and_nothing_changes(self, store: Store) -> None:
        first = record("0000000292")
        store.records.create_record(first, "0000000292")
        with pytest.raises(InvalidInput):
            store.records.replace_record(
                replace(first, version=2, metadata={"what": "x" * 400_000}), "0000000292", first
            )
        assert store.records.record(OWNER, "0000000292", consistent=True) == first
        assert store.records.superseded(OWNER, "0000000292", 1) is None

    def test_the_largest_record_can_be_replaced_and_then_withdrawn_for_the_longest_of_reasons(
        self, store: Store
    ) -> None:
        """With one as large; and a tombstone says more than what it was made from."""
        locations = tuple(Location(f"https://content.example.org/{number}") for number in range(100))
        first = record("0000000389", records=locations, metadata={"what": ""})
        room = MAX_RECORD_BYTES - len(record_body(first))
        first = replace(first, metadata={"what": "x" * room})
        second = replace(first, version=2, metadata={"what": "y" * room})
        third = replace(
            second,
            version=3,
            status=WITHDRAWN,
            records=tuple(replace(location, status=INACTIVE) for location in locations),
            withdrawn=Withdrawal(LATER, "\U0001d11e" * 500, "\U0001d11e" * 2_048),
        )
        store.records.create_record(first, "0000000389")
        store.records.replace_record(second, "0000000389", first)
        store.records.replace_record(third, "0000000389", second)
        assert store.records.record(OWNER, "0000000389", consistent=True) == third
        assert [store.records.superseded(OWNER, "0000000389", number) for number in (1, 2)] == [first, second]
