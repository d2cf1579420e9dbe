"""The page of all prefixes: its lists, its search, and missing pages."""

import re
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.prefix_browser import MAX_SUGGESTIONS, PAGE_SIZE, PREFIXES, PrefixBrowser, PrefixCatalog
from coolid.model.prefixes import fold
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from tests.support.builders.samples import BASE_URL, names, namespace, provider_prefix, repository
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

LONG = 10_000.0
MANY = 120


def shelves(many: int = MANY) -> MemoryStore:
    """Two namespaces, and prefixes of the world in number."""
    store = MemoryStore()
    owner = repository(title="A museum", canonical="zoo")
    store.repositories[owner.id] = owner
    for name in ("2021/06/mp", "zoo"):
        store.put_prefix(namespace(name, owner), None)
    known = provider_prefix(
        "go", "https://go.example/{$id}", title="Gene <Ontology>", example="a b/1", synonyms=("gene_ontology",)
    )
    store.put_prefix(known, None)
    store.put_prefix(provider_prefix("amigo", title="A browser of the GO", deprecated=True), None)
    for number in range(many - 4):
        store.put_prefix(provider_prefix(f"sample{number:03}"), None)
    return store


class Page:
    """A page as its readers see it."""

    def __init__(self, answer: Response) -> None:
        self.answer = answer
        self.body = str(answer.body)
        self.names = re.findall(r'<th scope="row"><a [^>]*><code>([^<]*)', self.body)
        self.ways = {kind: unescape(way) for way, kind in re.findall(r'<a href="([^"]*)" rel="(\w+)"', self.body)}


def ask(store: Any, **parameters: str) -> Page:
    def unforeseen(error: Exception, _: Request) -> None:
        raise AssertionError("nobody foresaw this") from error

    routes = PrefixBrowser(store, BASE_URL, Directory()).routes()
    accept = {"accept": "text/html"}
    return Page(
        Application(routes, BASE_URL, unforeseen, public=True)(
            Request("GET", PREFIXES, tuple(parameters.items()), accept)
        )
    )


@pytest.fixture(scope="module")
def library() -> MemoryStore:
    return shelves()


class TestTheList:
    def test_our_own_come_first_then_the_others_by_name(self, library: MemoryStore) -> None:
        page = ask(library)
        assert page.answer.status == 200
        assert page.names[:5] == ["2021/06/mp", "zoo", "amigo", "go", "sample000"]
        assert page.body.count('<strong class="kind">maintained here</strong>') == 2
        assert f"{MANY} prefixes are registered here. 2 of them belong to this service" in page.body

    def test_each_leads_to_its_page_and_its_example(self, library: MemoryStore) -> None:
        body = ask(library).body
        assert f'<a href="{BASE_URL}/2021/06/mp"><code>2021/06/mp</code>' in body
        assert f'<a href="{BASE_URL}/go:a%20b/1"><code>go:a b/1</code>' in body
        assert "<td><code>2021/06/mp/" in body  # which need not be registered
        assert "Gene &lt;Ontology&gt;" in body
        assert "A museum" in body
        assert body.count("(deprecated)") == 1

    def test_pages_together_have_every_prefix_once(self, library: MemoryStore) -> None:
        page, listed, numbers = ask(library), [], []
        while True:
            listed += page.names
            numbers += re.findall(r"<span>(\d+ of \d+)</span>", page.body)
            if "next" not in page.ways:
                break
            page = ask(library, page=page.ways["next"].rpartition("page=")[2])
        assert listed == [each.name for each in library.all_prefixes()]
        assert numbers == ["1 of 3", "2 of 3", "3 of 3"]
        assert page.ways["prev"] == f"{BASE_URL}{PREFIXES}?page=2"

    @pytest.mark.parametrize("page", ["0", "4", "-1", "x", "", "1.0", "01", "\u0661", "9" * 30])
    def test_a_page_that_is_not_there_says_which_are(self, library: MemoryStore, page: str) -> None:
        returned = ask(library, page=page)
        assert returned.answer.status == 404
        assert returned.answer.headers["Cache-Control"] == "public, max-age=10, stale-if-error=0"
        assert "This page does not exist." in returned.body
        assert "The pages are numbered from 1 to 3." in returned.body
        assert f'href="{BASE_URL}{PREFIXES}?page=3"' in returned.body

    def test_a_service_that_has_none_says_so(self) -> None:
        page = ask(MemoryStore())
        assert page.answer.status == 200
        assert "No prefix is registered yet." in page.body


class TestSearch:
    @pytest.mark.parametrize(
        ("sought", "found"),
        [
            ("go", ["go", "amigo"]),
            ("GO", ["go", "amigo"]),
            (" gene ont ", ["go"]),
            ("gene_ontology", ["go"]),
            ("ontology gene", ["go"]),
            ("<ontology>", ["go"]),
            ("museum", ["2021/06/mp", "zoo"]),
            ("2021/06/mp", ["2021/06/mp"]),
            ("nothing like it", []),
            ("x" * 300, []),
        ],
    )
    def test_names_come_before_what_only_mentions_them(
        self, library: MemoryStore, sought: str, found: list[str]
    ) -> None:
        page = ask(library, q=sought)
        assert (page.answer.status, page.names) == (200, found)

    @pytest.mark.parametrize("sought", ["amgio", "Amig", "amigoo", "omigo"])
    def test_where_nothing_is_found_names_that_are_nearly_alike_are(self, library: MemoryStore, sought: str) -> None:
        page = ask(library, q=sought)
        if sought != "Amig":  # which is a part of it
            assert not page.names
            assert "Did you mean this one?" in page.body
        assert f'<a href="{BASE_URL}/amigo"><code>amigo</code></a>' in page.body

    def test_only_a_few_are_and_for_very_short_names_none(self, library: MemoryStore) -> None:
        assert ask(library, q="sampel01").body.count("<li><a") == 0
        assert 1 < ask(library, q="sample01x").body.count("<code>sample01") <= MAX_SUGGESTIONS
        assert "Nothing was found." in ask(library, q="gx").body

    def test_other_names_are_shown_where_they_may_be_what_was_found(self, library: MemoryStore) -> None:
        assert "(also gene_ontology)" in ask(library, q="gene_ontology").body
        assert "also gene_ontology" not in ask(library).body

    def test_the_form_and_the_pages_keep_the_query(self, library: MemoryStore) -> None:
        page = ask(library, q="sample", page="2")
        assert page.names[0] == f"sample{PAGE_SIZE:03}"
        assert 'value="sample"' in page.body
        assert page.ways == {
            "prev": f"{BASE_URL}{PREFIXES}?q=sample&page=1",
            "next": f"{BASE_URL}{PREFIXES}?q=sample&page=3",
        }
        assert f"{MANY - 4} prefixes contain" in page.body

    def test_the_query_stays_text(self, library: MemoryStore) -> None:
        page = ask(library, q='"&/><script>')
        assert page.names == []
        assert "<script>" not in page.body
        assert 'value="&#34;&amp;/&gt;&lt;script&gt;"' in page.body
        assert "Nothing was found." in page.body
        way = re.search(
            rf'href="{BASE_URL}{PREFIXES}\?q=([^"&]*)&amp;page=1"', ask(library, q="a&b/\u00e9 #", page="9").body
        )
        assert way is not None
        assert way[1] == "a%26b%2F%C3%A9%20%23"

    @given(st.lists(names, unique=True, max_size=20), st.data())
    def test_every_prefix_is_found_first_by_its_name(self, known: list[str], data: st.DataObject) -> None:
        catalogue = PrefixCatalog([provider_prefix(name) for name in sorted(known)])
        for name in known:
            assert catalogue.search(name.upper())[0].name == name
        part = data.draw(st.text("abc019/:", min_size=1, max_size=3))
        assert {entry.name for entry in catalogue.search(part)} == {name for name in known if fold(part) in name}


class TestCaches:
    def test_it_is_cached_for_as_long_as_lists_are(self, library: MemoryStore) -> None:
        headers = ask(library).answer.headers
        assert headers["Cache-Control"].startswith("public, max-age=300, ")
        assert headers["Vary"] == "Accept, Accept-Language"
        assert "Cache-Status" not in headers

    def test_the_list_is_read_and_sorted_once(self, library: MemoryStore) -> None:
        reader, directory, now = CachingReader(library, lambda: 1000.0), Directory(), Request("GET", PREFIXES)
        browsing = PrefixBrowser(reader, BASE_URL, directory)
        browsing.prefixes(now, "")
        reader.reader = FailingStore(library, "before", "all_prefixes")
        assert browsing.prefixes(now, "").status == 200

    def test_an_old_list_serves_where_no_other_can_be_had_and_says_so(self, library: MemoryStore) -> None:
        moment = [1000.0]
        reader = CachingReader(library, lambda: moment[0])
        assert "Cache-Status" not in ask(reader).answer.headers
        moment[0] += LONG
        reader.reader = FailingStore(library, "before", "all_prefixes")
        assert "fwd=stale" in ask(reader).answer.headers["Cache-Status"]
        assert ask(FailingStore(library, "before", "all_prefixes")).answer.status == 503
