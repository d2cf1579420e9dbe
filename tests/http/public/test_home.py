"""The home page redirects a text to the address that resolves it, or explains why it does not resolve."""

import re
from typing import Any
from urllib.parse import quote

import can_ada
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from coolid.errors import CoolidError
from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.problems import describe
from coolid.http.public.home import HomePage
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.public.search import path_for
from coolid.model.prefixes import DATA
from coolid.recognition.extraction import MAX_IDENTIFIERS
from coolid.recognition.unwrap import strip_wrapping, unwrap, unwrap_reference
from coolid.registry.directory import Directory
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import Reference, parse_reference
from coolid.resolution.resolver import DescribePrefix, ProviderRedirect, decide
from tests.support.builders.samples import BASE_URL, namespace, provider_prefix, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import System
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

pytestmark = pytest.mark.filterwarnings("error")

PIECES = (
    "%",
    "%2F",
    "%41",
    "?",
    "#",
    "/",
    "//",
    ".",
    "..",
    "\\",
    ":",
    " ",
    "+",
    "&",
    "a",
    "GO",
    "\u00e9",
    "\U0001f600",
    "@",
    "[",
)
NOT_TYPED = re.compile("[^0-9A-Za-z/:-]")
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)


def shelves() -> MemoryStore:
    """`mp` and `2021/06/mp` are namespaces, the others prefixes of the world; `any` takes whatever there is."""
    store = MemoryStore()
    owner = repository(canonical="2021/06/mp")
    store.repositories[owner.id] = owner
    for name in ("2021/06/mp", "mp"):
        store.put_prefix(namespace(name, owner), None)
    store.put_prefix(provider_prefix("any", "https://any.example/{$id}", encoding=DATA), None)
    store.put_prefix(provider_prefix("pmid", "https://pubmed.example/{$id}", pattern=r"^\d+$"), None)
    store.put_prefix(provider_prefix("go", "https://go.example/GO_{$id}", "https://ols.example/{$id}"), None)
    for name in ("doi", "hdl", "isbn", "isni", "issn", "orcid", "ror"):
        store.put_prefix(provider_prefix(name, f"https://{name}.example/{{$id}}", encoding=DATA), None)
    return store


STORE = shelves()


def asking(path: str, store: Any = STORE, **parameters: str) -> Response:
    """GET of a path of the service."""

    def unforeseen(error: Exception, _: Request) -> None:
        raise AssertionError("nobody foresaw this") from error

    front = HomePage(store, FixedClock(), BASE_URL, Directory())
    routes = (*front.routes(), *ResolutionEndpoint(store, FixedClock(), BASE_URL).routes())
    application = Application(routes, BASE_URL, unforeseen, public=True)
    return application(Request("GET", path, tuple(parameters.items()), {"accept": "text/html"}))


def typing(text: str, store: Any = STORE) -> Response:
    """What is answered to a text in the box."""
    return asking("/", store, q=text)


def led(text: str) -> str | None:
    """The path that a text is led to, without the slash in front; None where it stays at the front door."""
    answer = typing(text)
    assert answer.status in (200, 303)
    if answer.status == 200:
        assert "Location" not in answer.headers
        return None
    assert answer.headers["Location"].startswith(f"{BASE_URL}/")
    return answer.headers["Location"].removeprefix(f"{BASE_URL}/")


def expected(text: str) -> tuple[int, str | None]:
    """The status and the location for a text that is an identifier."""
    try:
        returned = decide(find_prefix(Reference.of(text), STORE), STORE)
    except CoolidError as error:
        return describe(error, BASE_URL).status, None
    if isinstance(returned, DescribePrefix):
        return 200, None
    assert isinstance(returned, ProviderRedirect)
    return 302, returned.location


class TestTheWay:
    @given(texts)
    @example("a/../b")
    @example("../..")
    @example("%2e%2E/%2e")
    @example("https://doi.org/10.1/%2e%2e/x")
    def test_a_path_is_what_browsers_send_and_is_read_as_the_text(self, text: str) -> None:
        path = path_for(text, BASE_URL)
        assume(path is not None)
        assert path is not None
        try:
            inner = unwrap(text, BASE_URL).text
            reference = unwrap_reference(parse_reference(path), BASE_URL)
        except CoolidError:
            return
        url = can_ada.parse(f"{BASE_URL}/{path}")
        assert (url.href, url.search, url.hash) == (f"{BASE_URL}/{path}", "", "")
        assert reference.text == unwrap(inner, BASE_URL, is_decoded=True).text

    @given(texts, st.sampled_from(["any:", "any/", "ANY:", "doi:10.1234/", "10.1234/", "p0/any:"]))
    @example("..", "any:")
    @example("a/./b//c", "doi:10.1234/")
    @example("\ufeff", "any/")
    @example("x\u00a0", "10.1234/")
    def test_an_identifier_arrives_as_it_was_typed(self, behind: str, beginning: str) -> None:
        text = beginning + behind
        bare = strip_wrapping(text)
        assume(not any(map(str.isspace, bare)))  # no identifier of another organization has spaces
        assume("10." not in beginning or bare == f"{beginning}{NOT_TYPED.sub('', behind)}")  # what print adds to DOIs
        path = led(text)
        if path is None:  # it cannot be sent at all
            with pytest.raises(CoolidError):
                find_prefix(parse_reference(path_for(text, BASE_URL) or "%"), STORE)
            return
        answer = asking(f"/{path}")
        assert (answer.status, answer.headers.get("Location")) == expected(unwrap(text.strip(), BASE_URL).text)

    @pytest.mark.parametrize(
        ("text", "path"),
        [
            ("  uniprot  ", None),
            (" <mp:tw0t-ywdj-94> ", "mp:tw0t-ywdj-94"),
            ("mp:tw0t-ywdj-95", "mp:tw0t-ywdj-95"),  # whose page says what is wrong with it
            ("mp", "mp"),
            ("p0/go:1", "p0/go:1"),
            ("nobody/go:1", "nobody/go:1"),
            ("go:a%2Fb", "go:a%252Fb"),
            (f"{BASE_URL}/go:a%2Fb?format=qr#top", "go:a%2Fb?format=qr"),
            (f"{BASE_URL}/mp:tw0t-ywdj-94?utm_source=x&version=1&info", "mp:tw0t-ywdj-94?version=1&info"),
            (f"{BASE_URL}/mp:tw0t-ywdj-94??", "mp:tw0t-ywdj-94??"),
            ("id.example.org/mp:tw0t-ywdj-94?version=1", "mp:tw0t-ywdj-94?version=1"),
            ("https://doi.org/10.1002/x?info", "doi:10.1002/x"),
            (f"{BASE_URL}/pages/mint?prefix=mp&x=y", "pages/mint?prefix=mp"),
            (f"{BASE_URL}/pages/prefixes?q=go#main", "pages/prefixes?q=go"),
            (f"{BASE_URL}/?q=go", ""),
            (f"{BASE_URL}", ""),
            ("id.example.org/health", "health"),
            ("PMID: 12345", "PMID:12345"),
            ("GO:\u00a00006915", "GO:0006915"),
            ("mp:  tw0t-ywdj-94", "mp:tw0t-ywdj-94"),
            ("nobody: 12345", None),
            ("ISBN-13: 978-0-14-029161-2", "isbn:9780140291612"),
            ("ISBN-10 0-14-029161-X", "isbn:9780140291612"),
            ("978 0 14 029161 2", "isbn:9780140291612"),
            ("ISBN 978 0 14 029161 2", "isbn:9780140291612"),
            ("doi.org/10.5281/zenodo.31780", "doi:10.5281/zenodo.31780"),
            ("www.orcid.org/0000-0002-1825-0097", "orcid:0000-0002-1825-0097"),
            ("https://www.orcid.org/0000-0002-1825-0097", "orcid:0000-0002-1825-0097"),
            ("hdl.handle.net/20.1000/100", "hdl:20.1000/100"),
            ("go.example/GO_0006915", "go:0006915"),
            ("info:doi/10.1002/x%3C1%3E", "doi:10.1002/x%3C1%3E"),
            ("info:hdl/20.1000/100", "hdl:20.1000/100"),
            ("urn:doi:10.1002/x", "doi:10.1002/x"),
            ("10.5281/zenodo.31780.", "10.5281/zenodo.31780"),
            ("(https://doi.org/10.5281/zenodo.31780).", "doi:10.5281/zenodo.31780"),
            ("10.5281/zenodo.31780),", "10.5281/zenodo.31780"),
            ("10.1016/S0140-6736(05)67889-4", "10.1016/S0140-6736(05)67889-4"),
            ("PMID:12345.", "PMID:12345"),
            ("any:etc.", "any:etc."),
            ("mp:tw0t-ywdj-94.", "mp:tw0t-ywdj-94."),  # which is not registered without its dot either
            ("0000-0002-1825-0097.", "orcid:0000-0002-1825-0097"),
            ("/go:1", "go:1"),
            ("nobody.", None),
            ("mp:tw0t ywdj 95", "mp:tw0t%20ywdj%2095"),  # whose page says what is wrong with it
            ("any:a b.", "any:a%20b."),
            ("https://doi.org/10.1002/x%3C1%3E", "doi:10.1002/x%3C1%3E"),
            ("DOI: 10.5281/zenodo.31780", "doi:10.5281/zenodo.31780"),
            ("10.5281/zenodo.31780", "10.5281/zenodo.31780"),
            ("20.1000/100", "hdl:20.1000/100"),
            ("0000-0002-1825-0097", "orcid:0000-0002-1825-0097"),
            ("https://orcid.org/0000-0002-1825-0097", "orcid:0000-0002-1825-0097"),
            ("0000-0002-1825-0098", None),
            ("0000 0001 2281 955X", "isni:000000012281955X"),
            ("978-0-14-029161-2", "isbn:9780140291612"),
            ("ISBN 0-14-029161-X", "isbn:9780140291612"),
            ("urn:isbn:9780140291612", "isbn:9780140291612"),
            ("0378-5955", "issn:0378-5955"),
            ("03yrm5c26", "ror:03yrm5c26"),
            ("http://go.example/GO_0006915", "go:0006915"),
            ("https://go.example/", None),
            ("tw0t-ywdj-94", None),
            ("health", None),
            ("api/v1/prefixes", None),
            (f"{BASE_URL}/", ""),
            (".", None),
            ("mp:a\0b", None),
            ("mp:\ud800", None),
            ("mp:" + "x" * 2048, None),
            ("https://doi.org/10.1002/%zz", None),
        ],
    )
    def test_what_is_typed_is_led_to_where_it_belongs(self, text: str, path: str | None) -> None:
        assert led(text) == path

    @pytest.mark.parametrize(
        "text",
        ["//evil.example", "/\\evil.example", "https://evil.example/", "https:evil.example", "javascript:alert(1)",
         "@evil.example", ".evil.example", "https://id.example.org@evil.example/mp:x", "mp:x\r\nLocation: //x.example"],
    )  # fmt: skip
    def test_nobody_is_led_elsewhere(self, text: str) -> None:
        assert led(text) is None

    def test_it_takes_what_forms_send(self, light: System) -> None:
        text = "demo:a b+c%2F/é?#&=\\"
        answer = light.get("/", query=f"q={quote(text, safe=' ').replace(' ', '+')}&x=y")
        assert (answer.status, answer.headers["location"]) == (
            303,
            f"{BASE_URL}/demo:a%20b+c%252F/%C3%A9%3F%23&=%5C",
        )
        assert answer.headers["cache-control"] == "public, max-age=10, stale-if-error=0"


class TestThePage:
    def test_it_explains_the_text_and_why_it_does_not_resolve(self) -> None:
        answer = typing("0000-0002-1825-0098")
        assert answer.status == 200
        assert answer.headers["Cache-Control"] == "public, max-age=10, stale-if-error=0"
        assert answer.headers["Vary"] == "Accept, Accept-Language"
        body = str(answer.body)
        assert 'value="0000-0002-1825-0098"' in body
        assert "mistyped identifier (ORCID iD)" in body
        assert "Its check digits are 8, but the other symbols call for 7." in body
        assert "It does not begin with a prefix that is registered here." in body

    def test_what_is_typed_stays_text(self) -> None:
        body = str(typing('"><script>alert(1)</script>').body)
        assert "<script>alert" not in body
        assert "&#34;&gt;&lt;script&gt;" in body

    def test_no_content_reverses_the_direction_of_text(self) -> None:
        body = str(typing("<nobody:a\u202eb>").body)
        assert body.count("\u202e") == 1  # in the box, as it was typed
        assert "a⟨U+202E⟩b" in body

    def test_a_text_that_is_too_long_is_not_said_again(self) -> None:
        answer = typing("x" * 9000)
        assert answer.status == 200
        assert "A text of 9000 characters is too long for an identifier." in str(answer.body)
        assert "xxx" not in str(answer.body)

    @pytest.mark.parametrize("query", [{}, {"q": ""}, {"q": " \t"}, {"x": "mp:x"}])
    def test_without_a_text_it_is_the_plain_one(self, query: dict[str, str]) -> None:
        answer = asking("/", **query)
        assert (answer.status, answer.body) == (200, asking("/").body)
        assert re.fullmatch("public, max-age=300, .*", answer.headers["Cache-Control"])
        assert "leads nowhere" not in str(answer.body)

    def test_its_examples_and_ways_are_addresses_of_the_service(self) -> None:
        found = re.findall(r'href="([^"#]+)"', str(asking("/").body))
        assert all(each.startswith(f"{BASE_URL}/") for each in found)
        assert {f"{BASE_URL}/{path}" for path in ("pages/prefixes", "pages/mint", "pages/api")} < {*found}


class TestProse:
    CITATION = "Smith, J. (2020). A title: with a colon. Journal 12(3), 4-5. https://doi.org/10.5281/zenodo.31780. "

    def offered(self, text: str) -> list[str]:
        answer = typing(text)
        assert answer.status == 200
        section = str(answer.body).partition('id="message"')[2].partition('id="more"')[0]
        return re.findall(rf'<li><a href="{BASE_URL}/([^"]*)">', section)

    def test_what_is_found_in_a_citation_is_offered_and_nobody_is_led(self) -> None:
        assert self.offered(self.CITATION) == ["doi:10.5281/zenodo.31780"]
        body = str(typing(self.CITATION).body).partition('id="message"')[2].partition('id="more"')[0]
        assert "mistyped" not in body
        assert "Perhaps its prefix is missing" not in body

    @pytest.mark.parametrize(
        ("text", "paths"),
        [
            ("see (PMID: 12345; GO:0006915) and mp:tw0t-ywdj-94.", ["PMID:12345", "GO:0006915", "mp:tw0t-ywdj-94"]),
            ("Carberry, J. (orcid.org/0000-0002-1825-0097)", ["orcid:0000-0002-1825-0097"]),
            ("Carberry, 0000-0002-1825-0097, isbn 978-0-14-029161-2",
             ["orcid:0000-0002-1825-0097", "isbn:9780140291612"]),
            ("PMID: 12345 and more", ["PMID:12345"]),
            ("twice doi:10.1/x, DOI:10.1/X", ["doi:10.1/x"]),
            ("a title: without any of them (2020), and/or go/no-go", []),
        ],
    )  # fmt: skip
    def test_whatever_has_a_registered_prefix_is_found(self, text: str, paths: list[str]) -> None:
        assert self.offered(text) == paths

    def test_there_are_never_many(self) -> None:
        assert len(self.offered("in " + " ".join(f"GO:{number}" for number in range(800)))) == MAX_IDENTIFIERS

    def test_the_store_is_not_read_for_every_word(self) -> None:
        requested = []

        class Counting(MemoryStore):
            def prefixes(self, names: Any, **more: Any) -> Any:
                requested.append(names)
                return super().prefixes(names, **more)

        typing(" ".join(f"nobody{number}:x" for number in range(500)), Counting())
        assert len(requested) < 60

    def test_a_symbol_is_shown_as_it_is_named(self) -> None:
        body = str(typing("0000-0002-1825-009\u2013").body)
        assert "\\u2013" not in body


class TestExamples:
    def test_only_those_that_lead_somewhere_are_shown(self) -> None:
        body = str(asking("/").body)
        assert 'href="https://id.example.org/doi:10.5281/zenodo.31780"' in body
        assert "uniprot" not in body
        for text in re.findall(r'<li><a href="https://id.example.org(/[^"]*)"><code>', body):
            assert asking(text).status in (200, 302)

    def test_without_any_there_are_none(self) -> None:
        store = MemoryStore()
        store.put_prefix(provider_prefix("doi"), None)  # which nobody resolves
        body = str(asking("/", store).body)
        assert "Examples" not in body
        assert "<code>doi:" not in body

    def test_the_page_comes_without_them_while_the_store_fails_and_is_not_stored(self) -> None:
        answer = asking("/", FailingStore(STORE, "before", "prefixes"))
        assert answer.status == 200
        assert "Examples" not in str(answer.body)
        assert answer.headers["Cache-Control"] == "no-store"


class TestKnowledge:
    def test_with_info_it_redirects_to_the_description(self) -> None:
        assert asking("/", q="go:0006915", info="1").headers["Location"] == f"{BASE_URL}/go:0006915?info"
        assert asking("/", q="0000-0002-1825-0097", info="").headers["Location"].endswith("?info")
        page = asking("/go:0006915", info="")
        assert page.status == 200
        assert "<h1><code>go:0006915</code></h1>" in str(page.body)


class TestOutages:
    def test_the_address_of_the_text_answers_for_itself(self) -> None:
        answer = typing("go:0006915", FailingStore(STORE, "before", "prefixes"))
        assert (answer.status, answer.headers["Location"]) == (303, f"{BASE_URL}/go:0006915")
        assert answer.headers["Cache-Control"] == "no-store"

    @pytest.mark.parametrize("text", ["..", "mp:" + "\u00e9" * 2048, "mp:a\0b", "https://doi.org/%zz"])
    def test_what_has_no_address_does_not_lead_anywhere(self, text: str) -> None:
        store = FailingStore(STORE, "before", "prefixes", "all_prefixes")
        answer = typing(text, store)
        assert "Location" not in answer.headers
        assert answer.status == (503 if text in ("..", "https://doi.org/%zz") else 200)  # where the store has a say
