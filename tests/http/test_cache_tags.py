"""Cache tags: valid for caches and unambiguous, for any names."""

from hypothesis import assume, given
from hypothesis import strategies as st

from coolid.http.caching import cache_tags_of, is_tag, prefix_tag, record_tag, repository_of, repository_tag
from coolid.identifiers.schemes import lui
from coolid.model.prefixes import Namespace
from tests.support.builders.samples import names, namespace, provider_prefix, record, repository, text

ids = st.integers(0, 32**8 - 1).map(lambda number: lui.format(lui.encode(number, 8)))


class TestTags:
    @given(ids, text, text)
    def test_each_is_one_that_a_cache_takes(self, owner: str, key: str, name: str) -> None:
        assert all(map(is_tag, (record_tag(owner, key), repository_tag(owner), prefix_tag(name))))

    @given(ids, text, text)
    def test_different_records_have_different_ones_but_for_case(self, owner: str, one: str, other: str) -> None:
        assume(one.lower() != other.lower())
        assert record_tag(owner, one).lower() != record_tag(owner, other).lower()

    @given(ids, text)
    def test_a_records_names_the_repository_whose_tag_stands_beside_it(self, owner: str, key: str) -> None:
        assert repository_of(record_tag(owner, key)) == owner

    @given(names)
    def test_those_of_other_things_name_no_repository(self, name: str) -> None:
        assert repository_of(prefix_tag(name)) is repository_of(repository_tag(name)) is None


class TestHeaders:
    @given(names, st.integers(0, 32**8 - 1))
    def test_a_record_has_the_tags_of_its_repository_and_its_prefix(self, name: str, number: int) -> None:
        key = lui.encode(number, 8)
        found: Namespace = namespace(name, repository())
        owner = found.repository.id
        tags = cache_tags_of(found, record(key, owner)).split(",")
        assert tags == [prefix_tag(name), repository_tag(owner), record_tag(owner, key)]

    def test_identifiers_of_another_service_have_the_tag_of_their_prefix(self) -> None:
        assert cache_tags_of(provider_prefix("go", "https://go.example/{$id}")) == "prefix:go"
