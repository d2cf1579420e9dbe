"""The page of a prefix: its rules, its providers and its links."""

import re
from html import unescape
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coolid.http.application import Application
from coolid.http.formats import prefixes
from coolid.http.message import Request, Response
from coolid.http.pages.prefix_page import confusables, ignored, page
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.contextual import ContextualRules
from coolid.identifiers.rules.cooldoi import CoolDoiRules
from coolid.identifiers.rules.digest import DigestRules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.pilin import PilinRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import lui
from coolid.model.prefixes import DATA, Namespace, Provider, ProviderPrefix, fold, path_of
from tests.support.builders.samples import BASE_URL, namespace, provider_prefix, repository, text
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import System
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
SCHEMES: list[tuple[str, Rules]] = [
    ("2021/06/mp", LuiRules()),
    ("mp", LuiRules(symbols=12)),
    ("10.5072", CoolDoiRules()),
    ("102.100.272", PilinRules()),
    ("ark:99999/fk4", NoidRules(naan="99999", shoulder="fk4")),
    ("ark:99999", NoidRules(template=".zek", naan="99999")),
    ("ark:77913/r7", NoidRules(".reedk", "77913", shoulder="r7", sequence="perl", first=9, grows=3)),
    ("ark:77913/x1", NoidRules(".reedk", "77913", shoulder="x1", also="[!-~]+")),
    ("lid", UuidRules()),
    ("digests", DigestRules()),
    ("fabio", ContextualRules(prefix="fabio", object_types=("PositionPaper",))),
    ("IGSN", ContextualRules(prefix="IGSN", object_id="[A-Z0-9]{9}")),
    ("old", ChosenRules(pattern="[a-z]+-[0-9]{4}", example="abc-2021", ignores_hyphens=None)),
    ("ark:12345", ChosenRules(ignores_hyphens=True)),
]


def shown(prefix: Namespace | ProviderPrefix) -> str:
    """The page, as it is sent."""
    answer = page(prefix, {}, BASE_URL, MemoryStore())
    assert answer.status == 200
    assert isinstance(answer.body, str)
    return answer.body


def said(prefix: Namespace | ProviderPrefix) -> str:
    """The text of the page's main part."""
    main = shown(prefix).partition('<main id="main">')[2].partition("</main>")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", main)).split())


def links(prefix: Namespace | ProviderPrefix) -> list[str]:
    return [unescape(each) for each in re.findall(r'href="([^"]*)"', shown(prefix))]


def ours(rules: Rules | None = None, name: str = "2021/06/mp", **members: Any) -> Namespace:
    return namespace(name, repository(rules=rules or LuiRules(), **members))


def test_the_lengths_of_a_template_that_grows_are_listed() -> None:
    rules = NoidRules(".reedk", "77913", shoulder="r7", sequence="perl", first=9, grows=3)
    assert "4, 7, 10 or 13 characters" in said(ours(rules, "ark:77913/r7"))


def theirs(*urls: str, **members: Any) -> ProviderPrefix:
    return provider_prefix(
        "go", *urls, **{"example": "0006915", "pattern": r"^\d{7}$", "title": "Gene Ontology"} | members
    )


class TestRules:
    @pytest.mark.parametrize(("name", "rules"), SCHEMES, ids=lambda each: each if isinstance(each, str) else "")
    def test_every_scheme_has_words_and_its_example_is_shown(self, name: str, rules: Rules) -> None:
        prefix = ours(rules, fold(name))
        text = said(prefix)
        assert f"Scheme {rules.scheme} " not in text  # it has words, not just a name
        described = rules.describe()
        if described.alphabet:
            assert " ".join(described.alphabet) in text
        if described.example:
            assert f"{BASE_URL}/{path_of(prefix.name, described.example)}" in text
        assert (described.check or "None. A typing error") in text

    def test_characters_read_as_others_are_listed(self) -> None:
        text = said(ours())
        assert "Read as 0 : o O . Read as 1 : i I l L ." in text
        assert "10 characters, hyphens not counted" in text
        assert "Hyphens are allowed anywhere" in text
        assert "Upper and lower case are the same." in text
        assert "ISO 7064 MOD 97-10" in text
        assert "They reveal every single wrong character" in text

    @pytest.mark.parametrize("rules", [rules for _, rules in SCHEMES])
    def test_listed_characters_are_really_ignored_or_read_as_others(self, rules: Rules) -> None:
        described = rules.describe()
        for each in ignored(described):
            assert rules.compact(each) == ""
        for ones, other in confusables(described):
            assert {rules.compact(one) for one in ones} == {other}

    @given(number=st.integers(0, 32**8 - 1), data=st.data())
    def test_mistakes_of_which_it_says_that_they_are_noticed_are(self, number: int, data: st.DataObject) -> None:
        key = lui.encode(number)
        place = data.draw(st.integers(0, 9))
        wrong = data.draw(st.sampled_from([each for each in lui.ALPHABET if each != key[place]]))
        assert not lui.is_valid(key[:place] + wrong + key[place + 1 :])
        one, other = data.draw(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] < pair[1]))
        swapped = key[:one] + key[other] + key[one + 1 : other] + key[one] + key[other + 1 :]
        assert swapped == key or not lui.is_valid(swapped)


class TestOurs:
    def test_it_is_cited_under_its_canonical_prefix(self) -> None:
        owner = repository(canonical="2021/06/mp")
        alias = namespace("mp", owner)
        assert f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94" in said(alias)
        assert "Cite them with 2021/06/mp" in said(alias)
        assert "Cite them with" not in said(namespace("2021/06/mp", owner))

    def test_its_example_is_led_to_where_there_is_one_that_everybody_may_read(self, fresh: System) -> None:
        example = f"{BASE_URL}/2021/06/demo/tw0t-ywdj-94"
        there = fresh.get("/demo", accept=BROWSER).body
        assert f'href="{example}"' in there
        assert "only shows the form" not in there
        rules = {"title": "R", "scheme": "lui", "rules": {"symbols": 6}}
        owner = fresh.admin("POST", "/api/v1/repositories", rules).json()["id"]
        assert fresh.admin("PUT", "/api/v1/prefixes/six", {"kind": "namespace", "repository": owner}).status == 201
        example = LuiRules(symbols=6).describe().example
        for status, is_led_to in ((None, False), ("reserved", False), ("active", True)):
            if status is not None:
                identifier = example
                sent = {"prefix": "six", "id": identifier, "status": "reserved", "uri": "https://a.example/"}
                if status == "reserved":
                    assert fresh.mint(sent).status == 201
                else:
                    headers = [("If-Match", "*")]
                    path, patch = f"/api/v1/records/six:{identifier}", b'{"status": "active"}'
                    changed = fresh.request("PATCH", path, headers=headers, body=patch, key=fresh.admin_key)
                    assert changed.status == 200
            body = fresh.copied().get("/six", accept=BROWSER).body
            assert (f'href="{BASE_URL}/six:{example}"' in body) == is_led_to
            assert ("only shows the form" in body) != is_led_to

    def test_where_the_store_cannot_say_it_the_rest_is_said(self) -> None:
        prefix, store = ours(), FailingStore(MemoryStore(), "before", "record")
        answer = page(prefix, {}, BASE_URL, store)
        assert answer.status == 200

    def test_its_promise_is_shown(self) -> None:
        promise = {"who": "The library", "what": "For good", "when": "2021", "where": "https://library.example/promise"}
        prefix = ours(support=promise)
        assert all(each in said(prefix) for each in promise.values())
        assert promise["where"] in links(prefix)
        assert "has published no commitment" in said(ours())

    def test_a_mint_begins_under_it(self) -> None:
        assert f"{BASE_URL}/pages/mint?prefix=ark%3A99999%2Ffk4" in links(ours(NoidRules(), "ark:99999/fk4"))

    def test_schemas_are_there_to_be_taken(self) -> None:
        for name in ("regex", "jsonschema", "schematron"):
            assert f"{BASE_URL}/api/v1/schemas/2021/06/mp?format={name}" in links(ours())


class TestTheirs:
    def test_every_provider_is_shown_with_the_example_at_it(self) -> None:
        prefix = theirs("https://go.example/{$id}", "https://ols.example/?q={$id}")
        text = said(prefix)
        assert "https://ols.example/?q=0006915" in text
        assert f"{BASE_URL}/go:0006915?provider=p1" in links(prefix)
        assert text.count("first choice") == 1

    def test_without_a_provider_it_says_so(self) -> None:
        assert "No provider is registered." in said(theirs())

    def test_its_pattern_comes_with_a_warning_unless_it_is_strict(self) -> None:
        assert "often wrong" in said(theirs())
        assert "often wrong" not in said(theirs(strict=True))
        assert "is refused" in said(theirs(strict=True))
        assert "No pattern is registered" in said(theirs(pattern=None))

    def test_deprecation_and_synonyms_are_shown(self) -> None:
        text = said(theirs(deprecated=True, synonyms=("gene_ontology",)))
        assert "deprecated" in text
        assert "gene_ontology" in text

    def test_its_source_is_shown(self) -> None:
        prefix = theirs(source="Bioregistry 0.12 (CC0 1.0)")
        assert "Bioregistry 0.12 (CC0 1.0)" in said(prefix)
        assert "https://bioregistry.io/go" in links(prefix)

    @pytest.mark.parametrize("homepage", ["javascript:alert(1)", "data:text/html,x", "ftp://a.example/"])
    def test_a_home_page_is_linked_only_if_it_is_of_the_web(self, homepage: str) -> None:
        assert homepage not in links(theirs(homepage=homepage))
        assert "https://go.example/" in links(theirs(homepage="https://go.example/"))

    @given(example=text.filter(bool), title=text, encoding=st.sampled_from(("uri", DATA)))
    def test_whatever_they_say_of_themselves_is_text_and_is_led_to_rightly(
        self, example: str, title: str, encoding: str
    ) -> None:
        providers = (Provider("ols", "https://ols.example/?q={$id}", title),)
        prefix = theirs(example=example, title=title, description=title, encoding=encoding, providers=providers)
        assert f"{BASE_URL}/{path_of('go', example)}?provider=ols" in links(prefix)
        (heading,) = re.findall("<h1>(.*?)</h1>", shown(prefix), re.DOTALL)
        assert unescape(heading) == (title or "go")


class TestWithoutProviders:
    @pytest.mark.parametrize("example", ["0006915", None])
    def test_no_target_is_claimed(self, example: str | None) -> None:
        prefix = theirs(example=example)
        text = said(prefix)
        assert "They have no provider" in text
        assert "redirects them" not in text
        assert "is redirected" not in text
        assert "still redirected" not in text
        assert "Look up an identifier" not in text
        assert f"{BASE_URL}/go:0006915" not in links(prefix)
        assert "go:" in text


class TestIdentifiersElsewhere:
    """`?info` of an identifier that others keep, by people."""

    STORE = MemoryStore()
    for each in (
        theirs("https://go.example/GO_{$id}", "https://ols.example/?q={$id}"),
        provider_prefix("orcid", "https://orcid.org/{$id}"),
        provider_prefix("doi", "https://doi.org/{$id}", pattern=r"^\d{2,9}.*$"),
        provider_prefix("old", "https://old.example/{$id}", deprecated=True),
    ):
        STORE.put_prefix(each, None)

    def requested(self, path: str, accept: str = BROWSER, **query: str) -> Response:
        routes = ResolutionEndpoint(self.STORE.uncached, FixedClock(), BASE_URL).routes()
        application = Application(routes, BASE_URL, lambda error, _: pytest.fail(repr(error)), public=True)
        return application(Request("GET", path, tuple(query.items()), {"accept": accept}))

    def said(self, path: str, **query: str) -> str:
        answer = self.requested(path, **(query or {"info": ""}))
        assert answer.status == 200
        main = str(answer.body).partition('<main id="main">')[2].partition("</main>")[0]
        return " ".join(unescape(re.sub("<[^>]*>", " ", main)).split())

    def test_it_is_about_the_identifier_that_was_requested(self) -> None:
        body = str(self.requested("/GO:0000001", info="").body)
        assert "0006915" not in body
        assert "<title>go:0000001" in body
        assert "<h1><code>go:0000001</code></h1>" in body
        for url in (
            "https://go.example/GO_0000001",
            f"{BASE_URL}/go:0000001?provider=p1",
            f"{BASE_URL}/go:0000001",
            f"{BASE_URL}/go",
        ):
            assert f'href="{url}"' in body
        assert "https://ols.example/?q=0000001" in body
        text = self.said("/go:0000001")
        assert "It matches the pattern of its prefix." in text

    def test_the_provider_that_is_requested_comes_first(self) -> None:
        text = self.said("/go:0000001", info="", provider="p1")
        assert text.index("https://ols.example/?q=0000001") < text.index("https://go.example/GO_0000001")

    @pytest.mark.parametrize(
        ("path", "sentence"),
        [
            ("/go:x", "It does not match the pattern of its prefix."),
            ("/orcid:0000-0002-1825-0097", "Yes. Its form and its check character are correct (ORCID iD)."),
            ("/doi:10.5281/zenodo.31780", "Its form is correct (DOI). It contains no check"),
            ("/old:x", "Its prefix is deprecated"),
            ("/old:x", "No pattern is registered for this prefix."),
        ],
    )  # fmt: skip
    def test_it_says_whether_it_is_written_rightly(self, path: str, sentence: str) -> None:
        assert sentence in self.said(path)

    @pytest.mark.parametrize(
        ("path", "sentence"),
        [
            ("/orcid:0000-0002-1825-0098", "Its check digits are 8, but the other symbols call for 7"),
            ("/orcid:0000-0002-1825-009%E2%80%93", "U+2013 EN DASH"),
        ],
    )
    def test_one_that_breaks_its_standard_is_refused_with_the_reason(self, path: str, sentence: str) -> None:
        page = self.requested(path, info="")
        assert (page.status, sentence in page.body) == (400, True)

    def test_it_is_the_page_that_is_requested_by_name(self) -> None:
        requested = self.requested("/go:0000001", accept="*/*", format="html")
        assert (requested.status, requested.body) == (200, self.requested("/go:0000001", info="").body)
        assert requested.headers["Content-Type"].startswith("text/html")

    def test_programs_get_the_same_as_before(self) -> None:
        answer = self.requested("/go:0000001", accept="*/*", info="")
        assert answer.headers["Content-Type"].startswith("text/plain")
        assert self.requested("/go:0000001").status == 302

    @given(identifier=text.filter(bool))
    def test_whatever_it_is_it_stays_text(self, identifier: str) -> None:
        answer = self.requested(f"/{path_of('old', identifier)}", info="")
        assume(answer.status == 200)
        (heading,) = re.findall("<h1><code>(.*?)</code></h1>", str(answer.body), re.DOTALL)
        assert unescape(heading).startswith("old:")
        assert "<script>a" not in str(answer.body)


class TestAnswers:
    def test_browsers_get_the_page_and_programs_what_they_got(self, light: System) -> None:
        for path in ("/demo", "/2021/06/demo"):
            browser = light.get(path, accept=BROWSER)
            assert browser.headers["content-type"].startswith("text/html")
            assert f'value="{"demo:" if path == "/demo" else "2021/06/demo/"}"' in browser.body
            program = light.get(path)
            assert program.json()["kind"] == "namespace"
            assert program.headers["vary"] == browser.headers["vary"]

    def test_all_that_it_offers_is_there(self, light: System) -> None:
        body = light.get("/demo", accept=BROWSER).body
        for address in re.findall(rf'(?:href|src)="{BASE_URL}([^"#]*)', body):
            path, _, query = unescape(address).partition("?")
            if path.startswith(("/demo", "/api/", "/2021", "/static/", "/pages/mint")):
                assert light.get(path, query=query).status in (200, 302), address

    def test_programs_get_the_commitment_too(self) -> None:
        promise = {"who": "The library", "what": "For good"}
        assert prefixes.prefix_document(ours(support=promise))["support"] == promise
        assert "support" not in prefixes.prefix_document(ours())
