"""Registration: an alias never changes its repository, and no name is registered twice."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import Contended, InvalidInput, PrefixTaken, StoreUnavailable
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.schemes import lui
from coolid.model.prefixes import MAX_LISTED, MAX_NAME_BYTES, Namespace, Provider, ProviderPrefix, Stem, Synonym, fold
from coolid.registry import registration
from coolid.registry.registration import (
    RESERVED_NAMES,
    create_repository,
    register_namespace,
    register_provider_prefix,
    validated_name,
    validated_providers,
)
from tests.support.builders.samples import LATER, MOMENT, names, namespace, provider_prefix, repository
from tests.support.fixtures.ports import FixedClock, ScriptedEntropy, SeededEntropy, StuckEntropy
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore, Interfering


def founded(store: MemoryStore, seed: int = 1) -> str:
    """A new repository; its id."""
    return create_repository(repository(""), store, SeededEntropy(seed)).id


def alias(store: Any, name: str, owner: str, title: str = "", clock: FixedClock | None = None) -> Namespace:
    return register_namespace(name, owner, title, prefixes=store, repositories=store, clock=clock or FixedClock())


def put(store: Any, name: str, *urls: str, clock: FixedClock | None = None, **members: Any) -> ProviderPrefix:
    return register_provider_prefix(provider_prefix(name, *urls, **members), store, clock or FixedClock())


def pointers(error: InvalidInput) -> list[str]:
    return [violation.pointer for violation in error.violations]


class TestRepositories:
    def test_the_id_is_a_lui_and_opaque(self, store: MemoryStore) -> None:
        identifier = founded(store)
        assert lui.is_valid(identifier)
        assert identifier == lui.format(identifier)
        assert store.repositories[identifier] == repository(identifier)

    def test_an_id_that_exists_is_generated_again(self, store: MemoryStore) -> None:
        entropy = ScriptedEntropy(1, 1, 2)
        first = create_repository(repository(""), store, entropy)
        second = create_repository(repository(""), store, entropy)
        assert (first.id, second.id) == ("0000-0001-95", "0000-0002-92")

    def test_a_generator_that_can_only_repeat_itself_ends_in_a_refusal(self, store: MemoryStore) -> None:
        create_repository(repository(""), store, StuckEntropy())
        with pytest.raises(Contended):
            create_repository(repository(""), store, StuckEntropy())
        assert len(store.repositories) == 1


class TestNamespaces:
    def test_the_first_alias_becomes_canonical_and_stays_so(self, store: MemoryStore) -> None:
        owner = founded(store)
        for name in ("2021/06/mp", "mp", "10.5072", "a:b"):
            assert alias(store, name, owner).repository.canonical == "2021/06/mp"
            assert store.rows[name].repository.canonical == "2021/06/mp"  # type: ignore[attr-defined]
        assert store.repositories[owner].canonical == "2021/06/mp"

    def test_an_alias_from_before_shoulders_were_rules_keeps_its_repository(self, store: MemoryStore) -> None:
        """Its rules are for ever: to refuse them now would only forbid to give it another title."""
        rules = NoidRules(".reedeedk", "99999", "00" * 16)
        owner = create_repository(repository("", rules=rules), store, SeededEntropy())
        with pytest.raises(InvalidInput) as raised:
            alias(store, "ark:99999/fk4", owner.id)
        assert pointers(raised.value) == ["/repository"]
        store.put_prefix(namespace("ark:99999/fk4", replace(owner, canonical=None)), None)
        assert alias(store, "ark:99999/fk4", owner.id, "Plates").title == "Plates"

    def test_an_alias_is_never_pointed_at_another_repository(self, store: MemoryStore) -> None:
        owner, other = founded(store, 1), founded(store, 2)
        alias(store, "mp", owner)
        before = dict(store.rows), dict(store.repositories)
        for spelling in ("mp", "MP"):
            with pytest.raises(PrefixTaken):
                alias(store, spelling, other)
        assert (store.rows, store.repositories) == before

    def test_registering_it_again_changes_its_title_and_nothing_else(self, store: MemoryStore) -> None:
        owner = founded(store)
        first = alias(store, "mp", owner, "Old")
        second = alias(store, "MP", owner, "New", FixedClock(LATER))
        assert second == replace(first, title="New", updated=LATER, revision=2)

    def test_it_has_a_copy_of_its_repository(self, store: MemoryStore) -> None:
        owner = founded(store)
        row = alias(store, "mp", owner)
        assert row.repository == store.repositories[owner]

    @pytest.mark.parametrize(("name", "rule"), [("ark:99999/x5", "ignores_hyphens"), ("10.5072", "folds_case")])
    def test_rules_that_distinguish_equal_names_are_refused_with_the_missing_rule(
        self, store: MemoryStore, name: str, rule: str
    ) -> None:
        owner = create_repository(repository("", rules=ChosenRules("[!-~]+")), store, SeededEntropy())
        with pytest.raises(InvalidInput, match=rule):
            alias(store, name, owner.id)

    def test_a_repository_that_does_not_exist_is_refused_with_its_place(self, store: MemoryStore) -> None:
        with pytest.raises(InvalidInput) as raised:
            alias(store, "mp", "zzzz-zzzz-90")
        assert pointers(raised.value) == ["/repository"]
        assert "mp" not in store.rows

    def test_it_may_take_over_a_prefix_of_the_world_with_its_synonyms_released(self, store: MemoryStore) -> None:
        owner = founded(store)
        put(store, "mp", "https://mp.example/{$id}", synonyms=("mammalian",))
        taken = alias(store, "mp", owner)
        assert store.rows["mp"] == taken
        assert not isinstance(store.rows.get("mammalian"), Synonym)

    @pytest.mark.parametrize("name", ["m p", "mp!", "é", "-mp", ".mp", "mp//x", "mp/", "/mp", "mp:", "a/-b", "%6d"])
    def test_its_name_is_made_of_plain_parts(self, store: MemoryStore, name: str) -> None:
        owner = founded(store)
        with pytest.raises(InvalidInput):
            alias(store, name, owner)
        assert store.rows == {}

    @pytest.mark.parametrize("name", ["2021/06/mp", "mp", "ark:99999/fk4", "10.5072", "a.b_c-d", "0", "MP"])
    def test_names_that_the_contract_shows_are_taken(self, store: MemoryStore, name: str) -> None:
        assert alias(store, name, founded(store)).name == fold(name)


class TestProviderPrefixes:
    def test_never_replaces_a_namespace(self, store: MemoryStore) -> None:
        owner = founded(store)
        alias(store, "mp", owner)
        before = dict(store.rows)
        with pytest.raises(PrefixTaken):
            put(store, "mp", "https://mp.example/{$id}")
        assert store.rows == before

    def test_may_be_changed_and_keeps_when_it_was_made(self, store: MemoryStore) -> None:
        put(store, "go", "https://old.example/{$id}")
        changed = put(store, "GO", "https://new.example/{$id}", clock=FixedClock(LATER))
        assert (changed.name, changed.created, changed.updated, changed.revision) == ("go", MOMENT, LATER, 2)
        assert store.rows["go"] == changed

    def test_synonyms_are_rows_of_their_own_and_go_when_they_are_dropped(self, store: MemoryStore) -> None:
        put(store, "go", synonyms=("Gene_Ontology", "gobp", "GO", "gobp"))
        assert store.rows["gene_ontology"] == Synonym(name="gene_ontology", target="go")
        assert store.rows["go"].synonyms == ("gene_ontology", "gobp")  # type: ignore[attr-defined]
        put(store, "go", synonyms=("gobp",))
        assert not isinstance(store.rows.get("gene_ontology"), Synonym)
        assert isinstance(store.rows["gobp"], Synonym)
        put(store, "other", synonyms=("gene_ontology",))

    @pytest.mark.parametrize("taken", ["mp", "other", "others_synonym"])
    def test_a_synonym_that_is_registered_as_something_else_is_refused_and_nothing_changes(
        self, store: MemoryStore, taken: str
    ) -> None:
        alias(store, "mp", founded(store))
        put(store, "other", synonyms=("others_synonym",))
        before = dict(store.rows)
        with pytest.raises(PrefixTaken) as raised:
            put(store, "go", "https://go.example/{$id}", synonyms=("free", taken))
        assert raised.value.prefix == taken
        assert store.rows == before

    def test_a_name_that_is_a_synonym_is_not_registered_a_second_time(self, store: MemoryStore) -> None:
        put(store, "go", synonyms=("gene_ontology",))
        owner = founded(store)
        with pytest.raises(PrefixTaken):
            put(store, "gene_ontology")
        with pytest.raises(PrefixTaken):
            alias(store, "Gene_Ontology", owner)

    @pytest.mark.parametrize("pattern", [r"(a)\1", r"(?=a)", "(", "[", "a{2000}", r"\p{Nope}"])
    def test_a_pattern_that_re2_does_not_take_is_refused_with_its_place(self, store: MemoryStore, pattern: str) -> None:
        with pytest.raises(InvalidInput) as raised:
            put(store, "go", pattern=pattern)
        assert pointers(raised.value) == ["/pattern"]
        assert store.rows == {}

    def test_a_name_below_it_may_be_registered_before_or_after(self, store: MemoryStore) -> None:
        put(store, "a/b/c")
        assert store.rows["a"] == Stem(name="a", longer=frozenset({"a/b"}))
        put(store, "a/b")
        assert isinstance(store.rows["a/b"], ProviderPrefix)
        assert store.rows["a/b"].longer == {"a/b/c"}
        put(store, "a/b:d")
        assert store.rows["a/b"].longer == {"a/b/c", "a/b:d"}


class TestTheUrls:
    @pytest.mark.parametrize(
        "url",
        [
            "https://content.example.org/",
            "https://content.example.org/{id}",
            "https://{$id}.example.org/",
            "https://{$id}",
            "https://example.org{$id}",
            "https://example.org:{$id}/",
            "{$id}",
            "//example.org/{$id}",
            "ftp://example.org/{$id}",
            "javascript:{$id}",
            "https://user@example.org/{$id}",
            "https://example.org\\@evil.example/{$id}",
            "http://0x7f000001/{$id}",
            "https://example.org:99999/{$id}",
            "https://example.org/ {$id}",
            "https://example.org/é{$id}",
        ],
    )
    def test_one_that_could_send_people_elsewhere_is_refused_with_its_place(self, store: MemoryStore, url: str) -> None:
        with pytest.raises(InvalidInput) as raised:
            put(store, "go", "https://go.example/{$id}", url)
        assert pointers(raised.value) == ["/providers/1/url"]
        assert store.rows == {}

    @pytest.mark.parametrize(
        "url",
        [
            "https://example.org/{$id}",
            "http://example.org:8080/x/{$id}.html?a={$id}&b=%20#part",
            "https://example.org/?q={$id}",
            "https://example.org?q={$id}",
            "https://example.org#{$id}",
        ],
    )
    def test_one_that_stays_with_its_host_is_taken(self, store: MemoryStore, url: str) -> None:
        assert put(store, "go", url).providers == (Provider("p0", url),)

    def test_codes_are_distinct_in_any_case(self) -> None:
        twice = [Provider("OLS", "https://a.example/{$id}"), Provider("ols", "https://b.example/{$id}")]
        with pytest.raises(InvalidInput) as raised:
            validated_providers(twice)
        assert pointers(raised.value) == ["/providers/1/code"]


class TestNames:
    @given(names)
    def test_a_checked_name_is_folded_and_checking_it_again_changes_nothing(self, name: str) -> None:
        reserved = name.partition("/")[0].partition(":")[0] in {*RESERVED_NAMES, "lid"}
        if not reserved:
            assert validated_name(name.upper()) == validated_name(name) == fold(name)

    @pytest.mark.parametrize(
        "name",
        [
            "",
            " ",
            " go",
            "go ",
            "\u00a0go",
            "g\no",
            "g\x00o",
            "g\u200bo",
            "/go",
            "go/",
            "go//x",
            "go:/x",
            ":",
            "a/" * 10 + "a",
        ],
    )
    def test_one_that_no_request_could_mean_is_refused(self, name: str) -> None:
        with pytest.raises(InvalidInput):
            validated_name(name)

    @pytest.mark.parametrize(
        "name", ["api", "API/x", "resolve", "lid:x", "problems", "health", "static/x", ".well-known"]
    )
    def test_the_addresses_of_the_service_itself_are_refused(self, name: str) -> None:
        with pytest.raises(InvalidInput):
            validated_name(name)

    @given(st.sampled_from(["a", "é", "ß", "ΐ"]), st.integers(1, MAX_NAME_BYTES))
    def test_the_limit_counts_bytes_of_the_folded_name(self, letter: str, count: int) -> None:
        name = letter * count
        if len(fold(name).encode()) <= MAX_NAME_BYTES:
            assert validated_name(name) == fold(name)
        else:
            with pytest.raises(InvalidInput):
                validated_name(name)


class TestNamesThatWereFree:
    """Names that an earlier release accepted, and that cannot be registered any more."""

    @pytest.mark.parametrize("name", ["log", "ID/x", "login:y", "status", "2021/13", "2021/00/mp", "2021/13/mp/more"])
    def test_new_ones_are_refused(self, store: MemoryStore, name: str) -> None:
        owner = founded(store)
        for register in (
            lambda: alias(store, name, owner),
            lambda: put(store, name, "https://x.example/{$id}"),
            lambda: put(store, "other", "https://x.example/{$id}", synonyms=(name,)),
        ):
            with pytest.raises(InvalidInput, match=r"reserved|no month"):
                register()
        assert store.rows == {}

    @pytest.mark.parametrize("name", ["log", "2021/13/mp"])
    def test_a_stored_one_can_be_changed(self, store: MemoryStore, name: str) -> None:
        owner = founded(store)
        with pytest.MonkeyPatch.context() as earlier:
            earlier.setattr(registration, "_refuse_as_new", lambda *_: None)
            alias(store, f"{name}/a", owner)
            put(store, f"{name}/b", "https://x.example/{$id}", synonyms=(f"{name}/c",))
        assert alias(store, f"{name}/a", owner, "New").title == "New"
        assert put(store, f"{name}/b", synonyms=(f"{name}/c",)).revision == 2
        with pytest.raises(InvalidInput):  # a new meaning would be a new registration
            alias(store, f"{name}/b", owner)
        with pytest.raises(InvalidInput) as refused:
            put(store, f"{name}/b", synonyms=(f"{name}/c", f"{name}/d"))
        assert pointers(refused.value) == ["/synonyms/1"]

    @pytest.mark.parametrize("name", ["2021/01", "2021/12/mp", "logs", "mp/log", "2021/130/x", "20210/13/x"])
    def test_similar_ones_are_accepted(self, store: MemoryStore, name: str) -> None:
        assert alias(store, name, founded(store)).name == name


class TestOthersAtTheSameTime:
    def test_a_change_in_between_is_seen_and_taken_into_account(self, store: MemoryStore) -> None:
        owner = founded(store)
        meddling = Interfering(store, "put_prefix", [lambda: alias(store, "mp", owner, "Theirs")])
        mine = alias(meddling, "mp", owner, "Mine")
        assert (mine.revision, mine.title) == (2, "Mine")
        assert store.rows["mp"] == mine

    def test_of_two_who_register_one_name_for_different_repositories_the_first_keeps_it(
        self, store: MemoryStore
    ) -> None:
        mine, theirs = founded(store, 1), founded(store, 2)
        meddling = Interfering(store, "put_prefix", [lambda: alias(store, "mp", theirs)])
        with pytest.raises(PrefixTaken):
            alias(meddling, "mp", mine)
        assert store.rows["mp"].repository.id == theirs  # type: ignore[attr-defined]

    def test_of_two_first_aliases_of_one_repository_one_is_canonical_for_both(self, store: MemoryStore) -> None:
        owner = founded(store)
        meddling = Interfering(store, "put_prefix", [lambda: alias(store, "theirs", owner)])
        assert alias(meddling, "mine", owner).repository.canonical == "theirs"
        assert store.repositories[owner].canonical == "theirs"

    def test_one_that_keeps_changing_ends_in_a_refusal_with_nothing_written(self, store: MemoryStore) -> None:
        owner = founded(store)

        def meddle() -> None:
            alias(store, "mp", owner, "Theirs")

        with pytest.raises(Contended):
            alias(Interfering(store, "put_prefix", [meddle] * 10), "mp", owner, "Mine")
        assert store.rows["mp"].title == "Theirs"  # type: ignore[attr-defined]

    @pytest.mark.parametrize("call", ["prefixes", "put_prefix"])
    def test_a_store_that_does_not_answer_is_reported_as_such_and_nothing_is_written(
        self, store: MemoryStore, call: str
    ) -> None:
        owner = founded(store)
        with pytest.raises(StoreUnavailable):
            alias(FailingStore(store, "before", call), "mp", owner)
        assert store.rows == {}


class TestHiding:
    """What is, or could become, somebody's identifier is never hidden behind a longer prefix."""

    @pytest.mark.parametrize("name", ["mp:tw0t-ywdj-94", "mp/TWOTYWDJ94", "2021/06/mp/tw0t-ywdj-94"])
    def test_a_name_that_is_an_identifier_of_a_repository_here_is_refused(self, name: str) -> None:
        store, clock = MemoryStore(), FixedClock()
        store.create_repository(repository())
        for alias in ("2021/06/mp", "mp"):
            register_namespace(alias, repository().id, "", prefixes=store, repositories=store, clock=clock)
        with pytest.raises(PrefixTaken, match="would hide an identifier"):
            register_provider_prefix(provider_prefix(name, "https://x.example/{$id}"), store, clock)
        draft = provider_prefix("other", "https://x.example/{$id}", synonyms=(name,))
        with pytest.raises(PrefixTaken, match="would hide an identifier"):
            register_provider_prefix(draft, store, clock)
        register_namespace(
            "2021/06/mp/calculations", repository().id, "", prefixes=store, repositories=store, clock=clock
        )

    def test_names_that_a_full_row_does_not_list_are_compared(self) -> None:
        store = MemoryStore()
        for number in range(MAX_LISTED):
            store.put_prefix(provider_prefix(f"ark:99999/other.{number}"), None)
        store.put_prefix(provider_prefix("ark:99999/zz9", "https://x.example/{$id}"), None)
        owner = create_repository(
            repository("", rules=ChosenRules("[a-z0-9]+", ignores_hyphens=True)), store, SeededEntropy()
        ).id
        with pytest.raises(PrefixTaken, match="hidden by ark:99999/zz9"):
            alias(store, "ark:99999", owner)

    @pytest.mark.parametrize("name", ["robots.txt", "favicon.ico", "https", "api/x", "a/..", "a/../b", "./a"])
    def test_an_address_of_the_service_or_a_step_in_a_path_is_no_prefix(self, name: str) -> None:
        with pytest.raises(InvalidInput):
            validated_name(name)

    @pytest.mark.parametrize("name", ["doi", "hdl", "handle", "ark", "doi:10.7777", "hdl/102.100"])
    def test_what_leads_to_everybodys_identifiers_is_no_alias(self, name: str) -> None:
        store = MemoryStore()
        with pytest.raises(InvalidInput, match="everybody"):
            alias(store, name, founded(store))
