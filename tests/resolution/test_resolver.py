"""The resolver: the longest registered prefix wins in every spelling, and every refusal has its reason."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import (
    BadReference,
    InvalidCheck,
    InvalidIdentifier,
    InvalidPattern,
    NoProvider,
    NotFound,
    StoreUnavailable,
    UnknownPrefix,
    UnknownProvider,
    UnregisteredIdentifier,
)
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.schemes import lui
from coolid.model.locations import valid_locations
from coolid.model.prefixes import DATA, Namespace, Provider, ProviderPrefix
from coolid.model.records import RESERVED, WITHDRAWN, Location, Withdrawal
from coolid.registry.references import parse_reference
from coolid.registry.registration import MAX_PARTS
from coolid.resolution.resolver import Decision, DescribePrefix, FoundRecord, ProviderRedirect, WithdrawnRecord, resolve
from tests.support.builders.samples import LATER, MOMENT, namespace, provider_prefix, record, repository
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore


def register(store: MemoryStore, *prefixes: Namespace | ProviderPrefix) -> None:
    for prefix in prefixes:
        if isinstance(prefix, Namespace):
            owner = store.repositories.setdefault(prefix.repository.id, prefix.repository)
            store.put_prefix(replace(prefix, repository=owner), None)
        else:
            store.put_prefix(prefix, None)


def row(store: MemoryStore, name: str) -> Any:
    """The registered prefix of this name."""
    return store.rows[name]


def to(store: MemoryStore, path: str, **options: Any) -> Decision:
    return resolve(parse_reference(path), store, **options)


def location(store: MemoryStore, path: str, **options: Any) -> str:
    decision = to(store, path, **options)
    if isinstance(decision, FoundRecord):
        return valid_locations(decision.locations, MOMENT)[0].uri
    assert isinstance(decision, ProviderRedirect)
    return decision.location


class TestThePrefix:
    def test_the_longest_registered_one_wins(self, store: MemoryStore) -> None:
        register(
            store,
            provider_prefix("a", "https://short.example/{$id}"),
            provider_prefix("a/b", "https://longer.example/{$id}"),
            provider_prefix("a/b:c", "https://longest.example/{$id}"),
        )
        assert location(store, "a/x") == "https://short.example/x"
        assert location(store, "a/b/x") == "https://longer.example/x"
        assert location(store, "a/b:c/x") == "https://longest.example/x"
        assert location(store, "a/b:cc/x") == "https://longer.example/cc/x"
        assert location(store, "a:b/c") == "https://short.example/b/c"

    def test_an_unregistered_name_between_two_registered_ones_is_no_obstacle(self, store: MemoryStore) -> None:
        register(
            store,
            provider_prefix("a", "https://short.example/{$id}"),
            provider_prefix("a/b/c/d", "https://long.example/{$id}"),
        )
        assert location(store, "a/b/c/d/x") == "https://long.example/x"
        assert location(store, "a/b/c/x") == "https://short.example/b/c/x"
        assert to(store, "a/b/c/d") == DescribePrefix(row(store, "a/b/c/d"))

    @given(st.integers(1, MAX_PARTS))
    def test_a_prefix_of_every_allowed_number_of_parts_is_found(self, parts: int) -> None:
        store = MemoryStore()
        name = "/".join("abcdefghij"[:parts])
        register(store, provider_prefix(name, "https://long.example/{$id}"))
        assert to(store, name) == DescribePrefix(row(store, name))
        assert location(store, f"{name}/x/y") == "https://long.example/x/y"

    @pytest.mark.parametrize("spelling", ["go", "GO", "Go", "gene_ontology", "GENE_Ontology"])
    @pytest.mark.parametrize("separator", [":", "/", "%3A"])
    def test_case_and_synonyms_do_not_matter(self, store: MemoryStore, spelling: str, separator: str) -> None:
        register(store, provider_prefix("go", "https://go.example/{$id}", synonyms=("gene_ontology",)))
        assert location(store, f"{spelling}{separator}0006915") == "https://go.example/0006915"

    def test_a_prefix_alone_is_described_by_any_of_its_names(self, store: MemoryStore) -> None:
        register(store, provider_prefix("go", "https://go.example/{$id}", synonyms=("gene_ontology",)))
        for path in ("go", "GO", "go:", "go/", "gene_ontology", "Gene_Ontology:"):
            assert to(store, path) == DescribePrefix(row(store, "go"))

    @pytest.mark.parametrize("path", ["nobodys:1", "nobodys", "2021", "2021/06", "2021/06/other/x", "10.9999/x", ""])
    def test_an_unregistered_prefix_is_unknown_and_a_stem_is_none(self, store: MemoryStore, path: str) -> None:
        register(store, namespace("2021/06/mp"))
        with pytest.raises(UnknownPrefix):
            to(store, path)

    def test_finding_it_takes_one_batch_of_at_most_a_hundred_names(self, store: MemoryStore) -> None:
        register(store, provider_prefix("a", "https://a.example/{$id}"))
        store.calls.clear()
        location(store, "a/b:c/d:e/f:g/h:i/j:k/l:m/n")
        assert store.calls == {"prefixes": 1}

    @pytest.mark.parametrize("failing", ["prefixes", "record"])
    def test_a_store_that_does_not_answer_is_never_taken_for_one_that_has_nothing(
        self, store: MemoryStore, failing: str
    ) -> None:
        register(store, namespace("demo"))
        with pytest.raises(StoreUnavailable):
            resolve(parse_reference("demo:tw0t-ywdj-94"), FailingStore(store, "before", failing))


class TestProviders:
    @pytest.fixture
    def go(self, store: MemoryStore) -> MemoryStore:
        providers = (
            Provider("default", "https://default.example/{$id}"),
            Provider("OLS", "https://ols.example/{$id}"),
        )
        register(
            store,
            replace(provider_prefix("go", synonyms=("gene_ontology",)), providers=providers),
            provider_prefix("ols", "https://other.example/{$id}"),
            namespace("demo"),
        )
        return store

    def test_the_first_is_taken_unless_one_is_named(self, go: MemoryStore) -> None:
        assert location(go, "go:1") == "https://default.example/1"
        assert location(go, "go:1", provider="ols") == "https://ols.example/1"
        assert location(go, "go:1", provider="OLS") == "https://ols.example/1"
        assert location(go, "ols/go:1") == "https://ols.example/1"
        assert location(go, "OLS/GENE_ontology:1") == "https://ols.example/1"

    def test_the_parameter_wins_over_the_path(self, go: MemoryStore) -> None:
        assert location(go, "ols/go:1", provider="default") == "https://default.example/1"

    def test_a_prefix_of_the_same_name_as_a_provider_still_serves_its_own_identifiers(self, go: MemoryStore) -> None:
        assert location(go, "ols/1") == "https://other.example/1"
        assert location(go, "ols:go:1") == "https://other.example/go:1"
        assert location(go, "ols/nobodys:1") == "https://other.example/nobodys:1"

    def test_an_unknown_provider_is_refused_with_the_known_ones(self, go: MemoryStore) -> None:
        attempts: tuple[Callable[[], object], ...] = (
            lambda: to(go, "go:1", provider="nobody"),
            lambda: to(go, "nobody/go:1"),
            lambda: to(go, "nobody/GO:1"),
        )
        for attempt in attempts:
            with pytest.raises(UnknownProvider) as raised:
                attempt()
            assert (raised.value.prefix, raised.value.codes) == ("go", ("default", "ols"))

    @pytest.mark.parametrize(
        "path", ["ols/go/1", "OLS/GO/1", "ols/gene_ontology/1", "ols/go:GO:1", "ols/go/GO:1", "ols/GO:go:1"]
    )
    def test_both_separators_lead_to_a_named_provider(self, go: MemoryStore, path: str) -> None:
        assert location(go, path) == "https://ols.example/1"

    @pytest.mark.parametrize("path", ["nobody/go/1", "nobody/go/1/2", "nobody/go/a:b", "default/demo/tw0t-ywdj-94"])
    def test_a_provider_that_does_not_serve_the_prefix_is_unknown_with_slashes_too(
        self, go: MemoryStore, path: str
    ) -> None:
        with pytest.raises(UnknownProvider):
            to(go, path)

    @pytest.mark.parametrize(
        ("pattern", "example", "accepted"),
        [
            (r"^[0-9][A-Za-z0-9]{3}$", "2gc4", ""),
            (r"^[a-z0-9:/_.-]+$", "pubmed", ""),
            (None, "chebi", ""),
            (None, "a:b", ":"),
            (None, "a/b", "/"),
            (r"^[a-z]+(/[a-z0-9]+)?$", "a", "/"),
            (r"^.+$", "a", ""),
            (r"^(ZFA|GO):\d+$", "ZFA:1", ":"),
            (r"^C?\d+$|^go[:/]\d+$", "C023", ":/"),
        ],
    )
    def test_the_name_of_another_prefix_is_part_of_an_identifier_only_on_evidence(
        self, go: MemoryStore, pattern: str | None, example: str, accepted: str
    ) -> None:
        register(go, provider_prefix("pdb", "https://pdb.example/{$id}", pattern=pattern, example=example))
        for separator in ":/":
            path = f"pdb/{'GO' if pattern and 'ZFA' in pattern else 'go'}{separator}1"
            if separator in accepted:
                assert location(go, path) == f"https://pdb.example/{path[4:]}"
            else:
                with pytest.raises(UnknownProvider) as raised:
                    to(go, path)
                assert raised.value.prefix == "go"

    def test_an_identifier_that_names_no_prefix_stays_with_the_first_name(self, go: MemoryStore) -> None:
        register(go, provider_prefix("pdb", "https://pdb.example/{$id}", pattern="^[0-9]{4}$", example="1234"))
        assert location(go, "pdb/other:1") == "https://pdb.example/other:1"
        assert location(go, "pdb/other/1") == "https://pdb.example/other/1"

    def test_our_own_identifiers_have_no_provider_to_choose(self, go: MemoryStore) -> None:
        with pytest.raises(UnknownProvider):
            to(go, "demo:tw0t-ywdj-94", provider="default")
        with pytest.raises(UnknownProvider):
            to(go, "default/demo:tw0t-ywdj-94")

    def test_a_prefix_without_a_provider_is_distinguished_from_an_unknown_one(self, store: MemoryStore) -> None:
        register(store, provider_prefix("orphan"))
        with pytest.raises(NoProvider) as raised:
            to(store, "orphan:1")
        assert not isinstance(raised.value, UnknownPrefix)
        assert to(store, "orphan") == DescribePrefix(row(store, "orphan"))


class TestDoisAndHandles:
    @pytest.fixture
    def world(self, store: MemoryStore) -> MemoryStore:
        register(
            store,
            provider_prefix("doi", "https://doi.example/{$id}", encoding=DATA),
            provider_prefix("hdl", "https://hdl.example/{$id}", encoding=DATA, synonyms=("handle",)),
        )
        return store

    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            ("doi:10.5281/zenodo.31780", "https://doi.example/10.5281/zenodo.31780"),
            ("DOI:10.5281/zenodo.31780", "https://doi.example/10.5281/zenodo.31780"),
            ("doi/10.5281/zenodo.31780", "https://doi.example/10.5281/zenodo.31780"),
            ("10.5281/zenodo.31780", "https://doi.example/10.5281/zenodo.31780"),
            ("10.5281%2Fzenodo.31780", "https://doi.example/10.5281/zenodo.31780"),
            ("doi:doi:10.5281/zenodo.31780", "https://doi.example/10.5281/zenodo.31780"),
            ("hdl:102.100.272/Y35XYS0QH", "https://hdl.example/102.100.272/Y35XYS0QH"),
            ("hdl/102.100.272/Y35XYS0QH", "https://hdl.example/102.100.272/Y35XYS0QH"),
            ("handle:102.100.272/Y35XYS0QH", "https://hdl.example/102.100.272/Y35XYS0QH"),
        ],
    )
    def test_they_go_to_their_provider(self, world: MemoryStore, path: str, expected: str) -> None:
        assert location(world, path) == expected

    @pytest.mark.parametrize(
        "path",
        ["10.5072/tw0t-ywdj-94", "doi:10.5072/TWOTYWDJ94", "DOI/10.5072/tw0tywdj94", "hdl:10.5072/tw0t-ywdj-94"],
    )
    def test_a_prefix_of_our_own_comes_before_the_provider(self, world: MemoryStore, path: str) -> None:
        register(world, namespace("10.5072"))
        world.create_record(record())
        decision = to(world, path)
        assert isinstance(decision, FoundRecord)
        assert decision.record == record()

    def test_what_is_unregistered_under_our_own_prefix_is_not_sent_to_the_provider(self, world: MemoryStore) -> None:
        register(world, namespace("10.5072"))
        with pytest.raises(UnregisteredIdentifier):
            to(world, "doi:10.5072/tw0t-ywdj-94")

    def test_only_a_namespace_comes_before_the_provider(self, world: MemoryStore) -> None:
        register(world, provider_prefix("10.5072", "https://other.example/{$id}"))
        assert location(world, "doi:10.5072/x") == "https://doi.example/10.5072/x"
        assert location(world, "10.5072/x") == "https://other.example/x"


class TestRepeatedPrefixes:
    @pytest.mark.parametrize("path", ["go:GO:1", "GO/go:1", "go:go:1", "Gene_ontology:GO:1", "go:gene_ontology:1"])
    def test_a_repeated_prefix_is_understood(self, store: MemoryStore, path: str) -> None:
        register(store, provider_prefix("go", "https://go.example/{$id}", synonyms=("gene_ontology",)))
        assert location(store, path) == "https://go.example/1"

    def test_a_repetition_that_the_pattern_calls_for_stays(self, store: MemoryStore) -> None:
        register(store, provider_prefix("mp", "https://mp.example/{$id}", pattern=r"^(mp:)?\d+$"))
        register(store, provider_prefix("x", "https://x.example/{$id}", pattern=r"^X:\d+$"))
        assert location(store, "mp:mp:1") == "https://mp.example/1"
        assert location(store, "x:X:1") == "https://x.example/X:1"

    def test_a_repetition_without_a_colon_goes_only_where_the_pattern_says_so(self, store: MemoryStore) -> None:
        register(store, provider_prefix("hgnc", "https://a.example/{$id}", pattern=r"^\d+$", redundant=("HGNC_",)))
        register(store, provider_prefix("free", "https://b.example/{$id}", redundant=("FREE_",)))
        assert location(store, "hgnc:HGNC_12") == "https://a.example/12"
        assert location(store, "free:FREE_12") == "https://b.example/FREE_12"

    def test_a_repetition_alone_is_an_identifier(self, store: MemoryStore) -> None:
        register(store, provider_prefix("go", "https://go.example/{$id}"))
        assert location(store, "go:go:") == "https://go.example/go:"
        assert location(store, "go:go") == "https://go.example/go"

    def test_a_repetition_in_letters_that_fold_to_more_is_cut_where_it_ends(self, store: MemoryStore) -> None:
        register(store, provider_prefix("strasse", "https://s.example/{$id}"))
        assert location(store, quote("straße:STRAßE:123")) == "https://s.example/123"
        assert location(store, quote("STRASSE:straße:1")) == "https://s.example/1"

    def test_a_repeated_prefix_of_this_service_is_understood(self, store: MemoryStore) -> None:
        register(store, namespace("demo"))
        store.create_record(record())
        assert (
            to(store, "demo:demo:tw0t-ywdj-94") == to(store, "demo/DEMO:tw0t-ywdj-94") == to(store, "demo:tw0tywdj94")
        )


class TestPatterns:
    @pytest.mark.parametrize(("strict", "requested"), [(True, False), (False, True), (True, True)])
    def test_a_pattern_is_enforced_where_the_prefix_or_the_request_is_strict(
        self, store: MemoryStore, strict: bool, requested: bool
    ) -> None:
        register(store, provider_prefix("go", "https://go.example/{$id}", pattern=r"^\d{7}$", strict=strict))
        assert location(store, "go:0006915", strict=requested) == "https://go.example/0006915"
        for wrong in ("1", "00069155", "x0006915", "0006915%0a"[:7] + "x", "٠٠٠٦٩١٥"):
            with pytest.raises(InvalidPattern) as raised:
                to(store, f"go:{quote(wrong)}", strict=requested)
            assert (raised.value.identifier, raised.value.pattern) == (wrong, r"^\d{7}$")

    def test_a_foreign_pattern_stops_nobody_otherwise(self, store: MemoryStore) -> None:
        register(store, provider_prefix("go", "https://go.example/{$id}", pattern=r"^\d{7}$"))
        assert location(store, "go:whatever") == "https://go.example/whatever"

    def test_a_pattern_that_only_a_backtracking_engine_takes_is_never_enforced(self, store: MemoryStore) -> None:
        register(store, provider_prefix("x", "https://x.example/{$id}", pattern=r"^(a)\1$", strict=True))
        assert location(store, "x:b") == "https://x.example/b"

    def test_a_pattern_made_to_explode_is_judged_nevertheless(self, store: MemoryStore) -> None:
        register(store, provider_prefix("x", "https://x.example/{$id}", pattern=r"^(a+)+$", strict=True))
        with pytest.raises(InvalidPattern):
            to(store, "x:" + "a" * 2_000 + "!")


class TestOurOwn:
    @pytest.fixture
    def ours(self, store: MemoryStore) -> MemoryStore:
        register(store, namespace("2021/06/mp"), namespace("mp"))
        return store

    def test_a_record_is_found_by_every_alias_and_spelling(self, ours: MemoryStore) -> None:
        ours.create_record(record())
        for path in ("2021/06/mp/tw0t-ywdj-94", "mp:TWOTYWDJ94", "MP/tw0t-ywdj94", "2021/06/MP:tw0tywdj94"):
            decision = to(ours, path)
            assert isinstance(decision, FoundRecord)
            assert (decision.locations, decision.record) == (record().records, record())

    def test_an_inactive_location_is_passed_over(self, ours: MemoryStore) -> None:
        places = (Location("https://a.example/", "inactive"), Location("https://b.example/"))
        ours.create_record(record(records=places))
        assert location(ours, "mp:tw0t-ywdj-94") == "https://b.example/"

    @pytest.mark.parametrize("places", [(), (Location("https://a.example/", "inactive"),)])
    def test_a_record_without_a_place_to_go_has_none_to_offer(
        self, ours: MemoryStore, places: tuple[Location, ...]
    ) -> None:
        ours.create_record(record(records=places))
        assert to(ours, "mp:tw0t-ywdj-94") == FoundRecord(row(ours, "mp"), record(records=places), places)
        assert valid_locations(places, MOMENT) == ()

    def test_a_reserved_record_looks_as_if_it_were_not_there(self, ours: MemoryStore) -> None:
        with pytest.raises(UnregisteredIdentifier) as absent:
            to(ours, "mp:tw0t-ywdj-94")
        ours.create_record(record(status=RESERVED))
        with pytest.raises(UnregisteredIdentifier) as reserved:
            to(ours, "mp:tw0t-ywdj-94")
        assert vars(reserved.value) == vars(absent.value)
        assert str(reserved.value) == str(absent.value)

    def test_a_withdrawn_record_is_gone_whatever_places_it_had(self, ours: MemoryStore) -> None:
        tombstone = record(status=WITHDRAWN, withdrawn=Withdrawal(LATER, "a mistake"), version=2, updated=LATER)
        ours.create_record(tombstone)
        assert to(ours, "mp:tw0t-ywdj-94") == WithdrawnRecord(row(ours, "mp"), tombstone)

    @pytest.mark.parametrize("status", [RESERVED, WITHDRAWN])
    def test_invalid_identifiers_are_refused_before_the_store_is_read(self, ours: MemoryStore, status: str) -> None:
        ours.create_record(record(status=status, withdrawn=Withdrawal(MOMENT, "x")))
        ours.calls.clear()
        with pytest.raises(InvalidCheck):
            to(ours, "mp:tw0t-ywdj-95")
        assert ours.calls["record"] == 0

    def test_the_same_key_in_another_repository_is_another_record(self, ours: MemoryStore) -> None:
        ours.create_record(record())
        register(ours, namespace("other", repository("zzzz-zzzz-90")))
        with pytest.raises(UnregisteredIdentifier):
            to(ours, "other:tw0t-ywdj-94")

    @given(st.integers(0, 32**6 - 1))
    def test_the_width_of_the_repository_decides(self, number: int) -> None:
        store = MemoryStore()
        register(store, namespace("six", repository(rules=LuiRules(6))))
        key = lui.encode(number, 6)
        store.create_record(record(key))
        assert location(store, f"six:{lui.format(key)}") == "https://content.example.org/v1"
        with pytest.raises(InvalidIdentifier):
            to(store, f"six:{lui.encode(number)}")


class TestAnythingAtAll:
    @given(st.text(max_size=40), st.sampled_from(["", "demo:", "go:", "ols/go:", "doi:", "10.5072/", "a/b/"]))
    def test_every_text_is_resolved_or_refused_by_a_kind_that_says_why(self, text: str, beginning: str) -> None:
        store = MemoryStore()
        register(
            store,
            namespace("demo"),
            namespace("10.5072"),
            provider_prefix("go", "https://go.example/{$id}", pattern=r"^\d+$", synonyms=("a/b",)),
            provider_prefix("doi", "https://doi.example/{$id}", encoding=DATA),
        )
        try:
            decision = to(store, beginning + text)
        except (BadReference, InvalidIdentifier, NotFound) as error:
            refused = str(error)
            assert refused
        else:
            assert isinstance(
                decision, ProviderRedirect | DescribePrefix
            )  # nothing is registered under a namespace here
