"""Reverse lookup: every URL of a provider's pattern leads back to its CURIE, and no other URL does."""

from collections.abc import Sequence
from string import ascii_letters, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import StoreUnavailable
from coolid.model.prefixes import DATA, URI, Namespace, ProviderPrefix, join
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from coolid.resolution.reverse_lookup import url_index
from coolid.resolution.url_patterns import MAX_CURIES, UrlPatternIndex
from tests.support.builders.samples import namespace, provider_prefix
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import CountedReads, FailingStore

GO = provider_prefix(
    "go",
    "http://purl.example.org/obo/GO_{$id}",
    "https://tree.example.org/{$id}/tree/{$id}",
    "https://ols.example.org/terms/?id=GO:{$id}",
    pattern="^[0-9]{7}$",
)
OBO = provider_prefix("obo", "http://purl.example.org/obo/{$id}")
ALL = UrlPatternIndex((GO, OBO, namespace("mp")))

heads = st.text(ascii_letters + digits + "/=?:_-.", max_size=12).map("https://a.example/{}".format)
tails = st.sampled_from(["", "/", ".html", "/tree", "&x=1"])
identifiers = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="?#"), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("url", "curies"),
    [
        ("http://purl.example.org/obo/GO_0006915", ("go:0006915", "obo:GO_0006915")),
        ("https://purl.example.org/obo/GO_0006915", ("go:0006915", "obo:GO_0006915")),
        ("HTTP://Purl.Example.org/obo/GO_0006915/", ("go:0006915", "obo:GO_0006915/", "obo:GO_0006915")),
        ("http://purl.example.org/OBO/GO_0006915", ()),
        ("http://purl.example.org/obo/MP_1", ("obo:MP_1",)),
        ("http://purl.example.org/obo/a%20b", ("obo:a b",)),
        ("http://purl.example.org/obo/a b", ("obo:a b",)),
        ("http://purl.example.org/obo/größe", ("obo:größe",)),
        ("http://purl.example.org/obo/a\ud800", ()),
        ("http://purl.example.org:80/obo/a", ("obo:a",)),
        ("http://purl.example.org:443/obo/a", ()),
        ("http://purl.example.org/obo/a?b", ()),
        ("http://purl.example.org/obo/", ()),
        ("https://tree.example.org/0006915/tree/0006915", ("go:0006915",)),
        ("https://tree.example.org/0006915/tree/0006916", ()),
        ("https://ols.example.org/terms/?id=GO%3a0006915", ("go:0006915",)),
        ("ftp://purl.example.org/obo/GO_0006915", ()),
        ("purl.example.org/obo/GO_0006915", ()),
        ("https://", ()),
    ],
)
def test_a_url_leads_to_the_curies_whose_patterns_make_it_the_closest_first(url: str, curies: tuple[str, ...]) -> None:
    assert tuple(ALL.curies(url)) == curies


FREE = provider_prefix("free", "https://free.example.org/{$id}", example="ab-1")
QUERY = provider_prefix("query", "https://q.example.org/view?db=x&id={$id}&v=1", pattern="^[0-9]+$")
MORE = UrlPatternIndex((GO, FREE, QUERY))


@pytest.mark.parametrize(
    ("url", "curies"),
    [
        ("https://www.purl.example.org/obo/GO_0006915", ("go:0006915",)),
        ("http://purl.example.org/obo/GO_0006915#x", ("go:0006915",)),
        ("http://purl.example.org/obo/GO_0006915?x=1", ("go:0006915",)),
        ("http://purl.example.org/obo/GO_0006915.rdf", ("go:0006915",)),
        ("http://purl.example.org/obo/GO_0006915/about?x=1#y", ("go:0006915",)),
        ("http://purl.example.org/obo/GO_GO:0006915", ("go:0006915",)),
        ("http://purl.example.org/obo/GO_00069155", ()),
        ("http://purl.example.org/obo/GO_0006915x", ()),
        ("http://purl.example.org/obo/GO_about/0006915", ()),
        ("https://ols.example.org/terms/?x=1&id=GO:0006915&y=2", ("go:0006915",)),
        ("https://ols.example.org/terms?id=GO:0006915&y=2#z", ("go:0006915",)),
        ("https://ols.example.org/terms/?id=GO:691&y=2", ()),
        ("https://q.example.org/view?v=1&id=5&x=1&db=x", ("query:5",)),
        ("https://q.example.org/view?id=5&db=y&v=1", ()),
        ("https://free.example.org/cd-2#y", ("free:cd-2",)),
        ("https://free.example.org/cd-2?x=1", ("free:cd-2",)),
        ("https://free.example.org/about?utm_source=x", ("free:about",)),
        ("https://free.example.org/about?x=1", ()),
        ("https://free.example.org/index.php?id=2", ()),
        ("https://free.example.org/cd-2/about?x=1", ()),
    ],
)
def test_a_tail_is_cut_off_if_what_is_left_can_be_an_identifier(url: str, curies: tuple[str, ...]) -> None:
    assert tuple(MORE.curies(url)) == curies


@given(heads, tails, identifiers, st.sampled_from([URI, DATA]))
def test_what_a_pattern_makes_of_an_identifier_leads_back_to_it(
    head: str, tail: str, identifier: str, encoding: str
) -> None:
    prefix = provider_prefix("p", head + "{$id}" + tail, encoding=encoding)
    location = prefix.providers[0].location(identifier, encoding)
    found = tuple(UrlPatternIndex((prefix,)).curies(location))
    assert found
    again = [prefix.providers[0].location(each.partition(":")[2], encoding) for each in found]
    assert location in again
    if "%" not in identifier:
        assert join("p", identifier) in found


@given(heads, tails, st.text(max_size=40))
def test_any_text_has_a_response(head: str, tail: str, text: str) -> None:
    index = UrlPatternIndex((provider_prefix("p", head + "{$id}" + tail), GO, OBO))
    for url in (text, head + text, f"{head}{text}{tail}"):
        assert len(index.curies(url)) <= MAX_CURIES


def test_a_pattern_that_re2_refuses_refuses_nothing() -> None:
    prefix = provider_prefix("p", "https://a.example/{$id}", pattern=r"(a)\1")
    assert tuple(UrlPatternIndex((prefix,)).curies("https://a.example/b")) == ("p:b",)


def test_a_deprecated_prefix_comes_after_equally_specific_ones() -> None:
    old = provider_prefix("a", "https://a.example/{$id}", deprecated=True)
    new = provider_prefix("b", "https://c.example/{$id}", "https://a.example/{$id}")
    assert tuple(UrlPatternIndex((old, new)).curies("https://a.example/1")) == ("b:1", "a:1")


def test_a_very_long_text_is_no_url_of_anything() -> None:
    assert tuple(ALL.curies("http://purl.example.org/obo/" + "a" * 100_000)) == ()


def test_the_number_of_curies_is_limited() -> None:
    index = UrlPatternIndex([provider_prefix(f"p{number}", "https://a.example/{$id}") for number in range(50)])
    assert len(index.curies("https://a.example/1")) == MAX_CURIES


def test_the_prefixes_of_all_curies_are_read_in_one_batch() -> None:
    store, read = MemoryStore(), list[int]()
    for number in range(50):
        store.put_prefix(provider_prefix(f"p{number}", "https://a.example/{$id}"), None)
    watch = CachingReader(CountedReads(store, read.append), lambda: 0.0).for_request()
    reverse = url_index(Directory(), watch)
    assert len(reverse("https://a.example/1/2:3")) == MAX_CURIES
    assert read == [1, MAX_CURIES]  # the list of all, and the rows


class Lasting(MemoryStore):
    """Gives the very same list whenever it is asked, as memory does."""

    def __init__(self, *prefixes: Namespace | ProviderPrefix) -> None:
        super().__init__()
        self.prefixes_there = prefixes

    def all_prefixes(self) -> Sequence[Namespace | ProviderPrefix]:
        return self.prefixes_there


class TestDirectory:
    def test_what_is_made_of_a_list_is_made_once(self) -> None:
        made: list[int] = []

        def make(prefixes: object) -> int:
            made.append(1)
            return len(made)

        directory, store = Directory(), Lasting(GO)
        assert [directory.derive(make, store), directory.derive(make, store)] == [1, 1]
        assert directory.derive(make, Lasting(GO, OBO)) == 2

    def test_a_failing_store_gives_no_empty_list(self) -> None:
        with pytest.raises(StoreUnavailable):
            Directory().derive(len, FailingStore(MemoryStore(), "before", "all_prefixes"))
