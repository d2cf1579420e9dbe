"""The contract of `PrefixStore`."""

import pytest
from msgspec.structs import replace

from coolid.errors import Contended, PrefixTaken
from coolid.model.prefixes import MAX_LISTED, UNLISTED, Namespace, Prefix, ProviderPrefix, Stem, Synonym
from coolid.model.repositories import Repository
from coolid.store.store import Store
from tests.contract.concurrency import at_once
from tests.contract.stores import MANY_WRITES
from tests.support.builders.samples import LATER, namespace, provider_prefix, repository

OWNER = "r4k2-9m3x-62"


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

    def test_the_aliases_of_a_repository_are_listed_at_once(self, store: Store) -> None:
        assert store.prefixes.aliases(OWNER) == []
        owner = repository(OWNER)
        store.repositories.create_repository(owner)
        assert store.prefixes.aliases(OWNER) == []
        for name in ("mp", "2021/06/mp"):
            registered(store, namespace(name, replace(owner, canonical="mp")))
        registered(store, provider_prefix("go"))
        assert store.prefixes.aliases(OWNER) == ["2021/06/mp", "mp"]

    def test_a_batch_of_a_hundred_names_contains_those_that_exist(self, store: Store) -> None:
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
        outcomes = at_once([lambda each=each: store.prefixes.put_prefix(each, None) for each in wanted])
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

    @MANY_WRITES
    def test_a_stem_lists_a_bounded_number_and_that_there_are_more(self, store: Store) -> None:
        names = [f"2021/06/a{number:04}" for number in range(MAX_LISTED + 20)]
        for start in range(0, len(names), 90):
            registered(store, provider_prefix(f"p{start}", synonyms=tuple(names[start : start + 90])))
        registered(store, provider_prefix("2021/06/b"))
        stem = row(store, "2021/06")
        assert stem is not None
        assert stem.longer == {*names[:MAX_LISTED], UNLISTED}
        assert all(map(stem.may_begin, (*names, "2021/06/b")))
        assert row(store, "2021") == Stem(name="2021", longer=frozenset({"2021/06"}))

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
    def test_a_taken_name_is_refused_and_nothing_is_written(self, store: Store, taken: str) -> None:
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

    @MANY_WRITES
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
        outcomes = at_once([lambda each=each: store.prefixes.put_prefix(each, None) for each in aliases])
        (winner,) = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert store.repositories.repository(OWNER) == repository(canonical=f"alias{winner}")
