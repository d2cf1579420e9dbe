"""Answers of the public side: statuses, headers and bodies."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.discovery import DiscoveryEndpoint
from coolid.http.public.home import HomePage
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.model.records import RESERVED, WITHDRAWN, Location, Record, Withdrawal
from coolid.registry.directory import Directory
from tests.support.builders.samples import BASE_URL, LATER, MOMENT, namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import canonical_of
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import FailingStore

PLACE = "https://content.example.org/v1"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

Get = Callable[..., Response]


def canonical(answer: Response) -> str:
    return canonical_of(answer.headers["Link"])


def unforeseen(error: Exception, _: Request) -> None:
    raise AssertionError("nobody foresaw this") from error


def application(store: Any) -> Application:
    clock = FixedClock()
    front = HomePage(store, clock, BASE_URL, Directory())
    routes = (
        *front.routes(),
        *DiscoveryEndpoint(store, BASE_URL).routes(),
        *ResolutionEndpoint(store, clock, BASE_URL).routes(),
    )
    return Application(routes, BASE_URL, unforeseen, public=True)


@pytest.fixture
def get(store: MemoryStore) -> Get:
    """GET from an application over `store`, where `mp` is a namespace and `go` a prefix of the world."""
    owner = repository(ttl=600, canonical="2021/06/mp")
    store.repositories[owner.id] = owner
    for name in ("2021/06/mp", "mp"):
        store.put_prefix(namespace(name, owner, title="An alias"), None)
    store.put_prefix(provider_prefix("go", "https://go.example/{$id}", pattern=r"^\d+$", title="Genes", ttl=60), None)
    store.put_prefix(provider_prefix("odd", "https://odd.example/{$id}", example="\"><script=,; '"), None)
    store.put_prefix(provider_prefix("orphan"), None)
    answer = application(store)

    def get(path: str, accept: str | None = None, method: str = "GET", **headers: str) -> Response:
        path, _, query = path.partition("?")
        pairs = tuple(tuple(pair.partition("=")[::2]) for pair in query.split("&") if pair)
        sent = {name.replace("_", "-").lower(): value for name, value in headers.items()}
        sent |= {"accept": accept} if accept is not None else {}
        return answer(Request(method, path, pairs, sent))  # type: ignore[arg-type]

    return get


def put(store: MemoryStore, **members: Any) -> Record:
    """Put the example record into the store, whatever was there before."""
    written = record(**members)
    store.records_by_key[written.repository, "tw0tywdj94"] = written
    return written


class TestWithoutMetadata:
    BIBTEX = "application/x-bibtex"

    @pytest.mark.parametrize("query", ["info", "?=", "info&x=1"])
    @pytest.mark.parametrize(
        ("accept", "media_type"),
        [
            (BIBTEX, "text/plain"),
            (f"{BIBTEX}, text/plain;q=0.5", "text/plain"),
            (f"{BIBTEX}, application/ld+json;q=0.5", "application/ld+json"),
            (f"{BIBTEX}, text/x-bibliography;q=0.9, */*;q=0.1", "text/plain"),
            (f"{BIBTEX}, text/html;q=0.5", "text/html"),
        ],
    )
    def test_an_inflection_is_answered_with_what_there_is(
        self, store: MemoryStore, get: Get, query: str, accept: str, media_type: str
    ) -> None:
        put(store, metadata={})
        answer = get(f"/mp:tw0t-ywdj-94?{query}", accept)
        assert (answer.status, answer.headers["Content-Type"].partition(";")[0]) == (200, media_type)
        put(store, metadata={"what": "Tea"})
        assert get(f"/mp:tw0t-ywdj-94?{query}", self.BIBTEX).headers["Content-Type"] == self.BIBTEX

    def test_no_content_is_a_response_like_others(self, store: MemoryStore, get: Get) -> None:
        put(store, metadata={})
        answer = get("/mp:tw0t-ywdj-94", self.BIBTEX)
        assert answer.status == 204
        assert {"ETag", "Vary", "Cache-Tag", "Cache-Control", "Last-Modified", "Link"} <= answer.headers.keys()
        again = get("/mp:tw0t-ywdj-94", self.BIBTEX, If_None_Match=answer.headers["ETag"])
        assert again.status == 304


class TestRedirects:
    def test_a_namespace_has_all_documented_members(self, store: MemoryStore, get: Get) -> None:
        put(store, updated=LATER)
        answer = get("/mp:tw0t-ywdj-94")
        assert answer.status == 302
        assert re.fullmatch(r'"[^"]{16,}"', answer.headers["ETag"])
        assert canonical(answer) == f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94"
        assert {name: value for name, value in answer.headers.items() if name not in ("ETag", "Link")} == {
            "Location": PLACE,
            "Cache-Control": "public, max-age=600, s-maxage=600, stale-while-revalidate=60, stale-if-error=86400",
            "Last-Modified": "Fri, 02 Jan 2026 03:04:05 GMT",
            "Cache-Tag": "prefix:mp,repository:r4k2-9m3x-62,record:r4k2-9m3x-62/tw0tywdj94",
            "Vary": "Accept, Accept-Language, Accept-Datetime",
            "Content-Type": "text/html; charset=utf-8",
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Expose-Headers": (
                "Cache-Status, ETag, Link, Location, Memento-Datetime, Provider-Choice, Retry-After, THUMP-Status, "
                "Target-Warning"
            ),
            "X-Content-Type-Options": "nosniff",
        }
        assert f'href="{PLACE}"' in answer.body

    def test_all_headers_together_are_no_more_than_the_gateway_lets_pass(self, store: MemoryStore, get: Get) -> None:
        longest = Location(f"{PLACE}/".ljust(2048, "x"))
        others = tuple(Location(f"{PLACE}/{number}".ljust(500, "y")) for number in range(50))
        put(store, records=(longest, *others))
        answer = get("/mp:tw0t-ywdj-94")
        assert answer.headers["Location"] == longest.uri
        assert sum(len(f"{name}: {value}\r\n".encode()) for name, value in answer.headers.items()) < 10_240 - 500

    def test_so_are_those_of_a_redirect_elsewhere_however_long_its_identifier_becomes(self, get: Get) -> None:
        answer = get("/go:" + "é" * 1_000)
        assert answer.headers["Location"] == "https://go.example/" + "%C3%A9" * 1_000
        assert sum(len(f"{name}: {value}\r\n".encode()) for name, value in answer.headers.items()) < 10_240 - 500

    def test_a_description_of_a_foreign_identifier_never_redirects(self, get: Get) -> None:
        for query in ("info", "?"):
            text = get(f"/go:0006915?{query}")
            assert (text.status, text.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
            assert "what: Genes: 0006915\n" in text.body
            assert "location: https://go.example/0006915\n" in text.body
            assert text.headers["THUMP-Status"] == "0.6 200 OK"
            assert get(f"/go:0006915?{query}", BROWSER).headers["Content-Type"] == "text/html; charset=utf-8"

    def test_one_of_the_worlds_has_its_prefixs_lifetime(self, get: Get) -> None:
        answer = get("/GO:7")
        assert (answer.status, answer.headers["Location"]) == (302, "https://go.example/7")
        assert canonical(answer) == f"{BASE_URL}/go:7"
        assert answer.headers["Cache-Control"].startswith("public, max-age=60, s-maxage=60,")
        assert answer.headers["Last-Modified"] == "Thu, 10 Jul 2025 14:22:30 GMT"

    @pytest.mark.parametrize("accept", [None, "*/*", BROWSER, "text/html", "application/pdf", "image/*"])
    def test_browsers_and_clients_without_preferences_are_redirected(
        self, store: MemoryStore, get: Get, accept: str | None
    ) -> None:
        put(store)
        assert get("/mp:tw0t-ywdj-94", accept).status == 302

    def test_an_identifier_is_linked_without_breaking_out_of_the_page_or_the_header(self, get: Get) -> None:
        answer = get("/odd:%22%3E%3Cscript=%2C%3B%20'x")
        assert "<script" not in answer.body
        assert '"' not in answer.headers["Location"]
        assert canonical(answer).startswith(f"{BASE_URL}/odd:%22%3E%3Cscript=")

    def test_markup_is_no_identifier(self, get: Get) -> None:
        answer = get("/go:%22%3E%3Cscript%3Ealert(1)%3C/script%3E%2C%3B%20'")
        assert (answer.status, "Location" in answer.headers) == (400, False)
        page = str(get("/go:%3Cscript%3E7%3C/script%3E", BROWSER).body)
        assert "<script>" not in page.partition("<main")[2]


class TestRecords:
    @pytest.mark.parametrize(
        ("path", "accept", "kind"),
        [
            ("/mp:tw0t-ywdj-94", "application/linkid+json", "application/linkid+json"),
            ("/mp:tw0t-ywdj-94", "application/json", "application/json"),
            ("/mp:tw0t-ywdj-94?format=linkid", None, "application/linkid+json"),
            ("/mp:tw0t-ywdj-94?format=linkid", BROWSER, "application/linkid+json"),
            ("/mp:tw0t-ywdj-94?format=html", None, "text/html; charset=utf-8"),
            ("/mp:tw0t-ywdj-94?format=html", "application/json", "text/html; charset=utf-8"),
        ],
    )
    def test_metadata_is_returned_on_request(
        self, store: MemoryStore, get: Get, path: str, accept: str | None, kind: str
    ) -> None:
        put(store, metadata={"what": "A thing"})
        answer = get(path, accept)
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
        assert "A thing" in answer.body
        assert answer.headers["Vary"] == "Accept, Accept-Language, Accept-Datetime"
        assert canonical(answer) == f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94"
        assert answer.headers["Cache-Control"].startswith("public, max-age=600,")
        assert "ETag" in answer.headers
        assert "Last-Modified" in answer.headers

    def test_a_record_without_a_place_to_go_is_shown(self, store: MemoryStore, get: Get) -> None:
        put(store, records=())
        assert get("/mp:tw0t-ywdj-94").status == 200
        assert get("/mp:tw0t-ywdj-94", BROWSER).headers["Content-Type"] == "text/html; charset=utf-8"

    def test_a_withdrawn_one_is_gone_with_its_tombstone(self, store: MemoryStore, get: Get) -> None:
        put(
            store,
            status=WITHDRAWN,
            withdrawn=Withdrawal(LATER, "It was <b>wrong</b>", "https://new.example/"),
            updated=LATER,
        )
        answer = get("/mp:tw0t-ywdj-94")
        assert answer.status == 410
        assert '"reason":"It was <b>wrong</b>"' in answer.body
        assert '"successor":"https://new.example/"' in answer.body
        assert "2026-01-02T03:04:05Z" in answer.body
        assert answer.headers["Cache-Control"].startswith("public, max-age=600,")
        assert "ETag" in answer.headers
        assert "Location" not in answer.headers
        page = get("/mp:tw0t-ywdj-94", BROWSER)
        assert page.status == 410
        assert "It was &lt;b&gt;wrong&lt;/b&gt;" in page.body

    def test_excluding_everything_lists_the_available_forms(self, store: MemoryStore, get: Get) -> None:
        put(store)
        for path in ("/mp:tw0t-ywdj-94", "/mp"):
            answer = get(path, "*/*;q=0")
            assert answer.status == 406
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert answer.headers["Vary"] == get(path).headers["Vary"]

    @pytest.mark.parametrize("query", ["version=9", "lang=fr", "format=csv", "version=1&lang=de", "format=pdf&lang=fr"])
    @pytest.mark.parametrize("accept", [None, "*/*", BROWSER])
    def test_a_parameter_without_a_matching_location_is_named(
        self, store: MemoryStore, get: Get, query: str, accept: str | None
    ) -> None:
        put(store, records=(Location(PLACE, media_type="application/pdf", language="de", version="2"),))
        answer = get(f"/mp:tw0t-ywdj-94?{query}", accept)
        assert (answer.status, answer.headers["Vary"]) == (406, "Accept, Accept-Language, Accept-Datetime")
        assert "Accept" not in answer.body
        if accept != BROWSER:
            returned = json.loads(answer.body)
            assert returned["type"] == f"{BASE_URL}/problems/no-such-form"
            assert returned["parameters"] == dict(pair.split("=") for pair in query.split("&"))
            assert all(f"?{name}='{value}'" in returned["detail"] for name, value in returned["parameters"].items())

    def test_a_record_without_locations_is_in_no_form_but_this_service(self, store: MemoryStore, get: Get) -> None:
        put(store, records=())
        answer = get("/mp:tw0t-ywdj-94?format=pdf")
        assert answer.status == 406
        assert f'"type":"{BASE_URL}/problems/no-such-form"' in answer.body
        assert get("/mp:tw0t-ywdj-94?lang=de").status == 200

    def test_an_unknown_format_is_not_acceptable(self, store: MemoryStore, get: Get) -> None:
        put(store)
        for path in (
            "/mp:tw0t-ywdj-94?format=nonsense",
            "/mp?format=docx",
            "/go?format=",
            "/go?format=linkid",
            "/go:1?format=nonsense",
            "/go:1?format=",
        ):
            answer = get(path)
            assert answer.status == 406
            assert f'"type":"{BASE_URL}/problems/unknown-format"' in answer.body
            assert "html" in json.loads(answer.body)["detail"]  # it lists those that there are

    @pytest.mark.parametrize(
        ("path", "name", "status"),
        [("/mp:tw0t-ywdj-94", "linkid", 200), ("/go:1", "linkid", 302), ("/go", "json", 200), ("/mp", "html", 200)],
    )
    def test_case_does_not_matter_in_a_format(
        self, store: MemoryStore, get: Get, path: str, name: str, status: int
    ) -> None:
        put(store)
        answers = [get(f"{path}?format={written}") for written in (name, name.upper(), name.title())]
        assert {answer.status for answer in answers} == {status}
        assert len({answer.headers["ETag"] for answer in answers}) == 1

    def test_a_form_that_a_record_has_not_is_refused_with_those_that_it_has(self, store: MemoryStore, get: Get) -> None:
        put(store)
        answer = get("/mp:tw0t-ywdj-94?format=JWS")
        assert answer.status == 406
        assert "there are: linkid, linkset, links, jsonld, dcat, ttl, erc, html" in answer.body

    def test_the_version_decides_in_which_forms_it_is(self, store: MemoryStore, get: Get) -> None:
        unsigned = put(store)
        store.replace_record(replace(unsigned, version=2, proof="e.e.s"), unsigned)
        assert get("/mp:tw0t-ywdj-94?format=jws").body == "e.e.s"
        for path, accept in (("?format=jws&version=1", None), ("?version=1", "application/jose")):
            answer = get(f"/mp:tw0t-ywdj-94{path}", accept)
            assert (answer.status, "unknown-format" in answer.body) == (406, True)


class TestPrefixes:
    def test_one_of_the_world_describes_itself(self, get: Get) -> None:
        answer = get("/go", "application/json")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
        assert canonical(answer) == f"{BASE_URL}/go"
        assert answer.headers["Cache-Control"].startswith("public, max-age=60,")
        assert '"kind":"provider"' in answer.body
        assert '"url":"https://go.example/{$id}"' in answer.body

    def test_a_namespace_names_its_repository_and_its_rules(self, get: Get) -> None:
        answer = get("/mp", "application/json")
        assert '"kind":"namespace"' in answer.body
        assert '"repository":"r4k2-9m3x-62"' in answer.body
        assert '"symbols":8' in answer.body

    def test_browsers_get_a_page(self, get: Get) -> None:
        for path in ("/go", "/mp", "/orphan"):
            answer = get(path, BROWSER)
            assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")

    def test_nothing_in_it_breaks_out_of_the_page(self, store: MemoryStore, get: Get) -> None:
        evil = '"><script>alert(1)</script>'
        texts = dict.fromkeys(("title", "description", "pattern", "example", "source"), evil)
        store.put_prefix(provider_prefix("evil", "https://x.example/{$id}", synonyms=("x",), **texts), None)
        page = get("/evil", BROWSER).body
        assert "<script" not in page
        assert "&lt;script&gt;" in page


class TestTags:
    def test_the_tag_changes_exactly_when_the_response_changes(self, store: MemoryStore, get: Get) -> None:
        put(store)
        first = get("/mp:tw0t-ywdj-94").headers["ETag"]
        assert get("/2021/06/mp/TWOTYWDJ94").headers["ETag"] == first
        assert get("/mp:tw0t-ywdj-94", "*/*").headers["ETag"] == first
        put(store, records=(Location("https://content.example.org/v2"),), version=2, updated=LATER)
        second = get("/mp:tw0t-ywdj-94").headers["ETag"]
        assert second != first
        put(store)
        assert get("/mp:tw0t-ywdj-94").headers["ETag"] == first

    def test_the_redirect_the_record_and_its_page_have_different_tags(self, store: MemoryStore, get: Get) -> None:
        put(store)
        tags = [get(f"/mp:tw0t-ywdj-94{query}").headers["ETag"] for query in ("", "?format=linkid", "?format=html")]
        assert len(set(tags)) == 3

    def test_records_of_different_kinds_with_the_same_place_have_the_same_tag_only_if_the_response_is_the_same(
        self, store: MemoryStore, get: Get
    ) -> None:
        put(store)
        redirect = get("/mp:tw0t-ywdj-94").headers["ETag"]
        put(store, status=WITHDRAWN, withdrawn=Withdrawal(LATER, "x"))
        assert get("/mp:tw0t-ywdj-94").headers["ETag"] != redirect

    @pytest.mark.parametrize(
        ("path", "accept"),
        [
            ("/mp:tw0t-ywdj-94", None),
            ("/mp:tw0t-ywdj-94", "application/json"),
            ("/go:7", None),
            ("/go", None),
            ("/", None),
        ],
    )
    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    def test_a_conditional_request_gets_304_with_its_headers(
        self, store: MemoryStore, get: Get, path: str, accept: str | None, method: str
    ) -> None:
        put(store)
        whole = get(path, accept)
        for known in (whole.headers["ETag"], f"W/{whole.headers['ETag']}", f'"x", {whole.headers["ETag"]}', "*"):
            answer = get(path, accept, method, if_none_match=known)
            assert (answer.status, answer.body) == (304, "")
            for name in ("ETag", "Cache-Control", "Vary", "Link", "Location", "Last-Modified"):
                assert answer.headers.get(name) == whole.headers.get(name)
            assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert get(path, accept, method, if_none_match='"other"').status == whole.status

    def test_a_refusal_is_never_304(self, store: MemoryStore, get: Get) -> None:
        for path in ("/mp:tw0t-ywdj-94", "/mp:x", "/nobodys:1"):
            assert get(path, if_none_match="*").status >= 400


class TestMethods:
    @pytest.mark.parametrize(
        ("path", "accept"),
        [
            ("/", None),
            ("/mp:tw0t-ywdj-94", None),
            ("/mp:tw0t-ywdj-94", "application/json"),
            ("/go:7", None),
            ("/go", BROWSER),
            ("/nobodys:1", None),
            ("/mp:x", BROWSER),
            ("/%zz", None),
        ],
    )
    def test_head_is_get_without_its_body(self, store: MemoryStore, get: Get, path: str, accept: str | None) -> None:
        put(store)
        head, whole = get(path, accept, "HEAD"), get(path, accept)
        assert head == replace(whole, body="")
        assert whole.body

    @pytest.mark.parametrize("path", ["/", "/mp:tw0t-ywdj-94", "/nobodys:1", "/%zz", "/go"])
    def test_options_answers_everywhere(self, get: Get, path: str) -> None:
        answer = get(path, method="OPTIONS")
        assert (answer.status, answer.body) == (204, "")
        assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD"

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "get", "QUERY"])
    @pytest.mark.parametrize("path", ["/", "/mp:tw0t-ywdj-94", "/%zz"])
    def test_other_methods_are_refused_with_those_there_are(self, get: Get, path: str, method: str) -> None:
        answer = get(path, method=method)
        assert answer.status == 405
        assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
        assert answer.headers["Content-Type"] == "application/problem+json"


OURS = "Accept, Accept-Language, Accept-Datetime"
FOREIGN = "Accept, Accept-Language"


class TestVary:
    """All answers at one address depend on the same headers, or a cache would give one of them in place of another."""

    PATH = "/mp:tw0t-ywdj-94"
    GOOD = (Location(PLACE, media_type="application/pdf", language="de", version="2"),)
    PASSED = (Location(PLACE, valid_until="2020-01-01T00:00:00Z"),)
    MOMENT = "Thu, 01 Jan 2026 00:00:00 GMT"

    @pytest.mark.parametrize("accept", [None, BROWSER])
    @pytest.mark.parametrize(
        ("query", "status"),
        [
            ("", 302),
            ("format=linkid", 200),
            ("info", 200),
            ("format=qr", 200),
            ("provider=nobody", 404),
            ("version=7&format=linkid", 404),
            ("version=x&info", 404),
            ("format=nonsense", 406),
            ("format=jws", 406),
            ("format=qr&style=gif", 406),
            ("format=citation&style=apa-1", 406),
            ("format=csv", 406),
            ("lang=fr", 406),
            ("version=9", 406),
        ],
    )
    def test_refusals_about_a_record_have_that_of_its_other_responses(
        self, store: MemoryStore, get: Get, query: str, status: int, accept: str | None
    ) -> None:
        put(store, records=self.GOOD, metadata={"what": "Tea"})
        for method in ("GET", "HEAD"):
            answer = get(f"{self.PATH}?{query}", accept, method)
            assert (answer.status, answer.headers["Vary"]) == (status, OURS)
            for moment in (self.MOMENT, "yesterday"):
                assert get(f"{self.PATH}?{query}", accept, method, Accept_Datetime=moment).headers["Vary"] == OURS

    @pytest.mark.parametrize("accept", [None, BROWSER])
    def test_so_have_those_about_what_is_not_acceptable_or_nowhere_or_gone_or_not_registered(
        self, store: MemoryStore, get: Get, accept: str | None
    ) -> None:
        assert (get(self.PATH, accept).status, get(self.PATH, accept).headers["Vary"]) == (404, OURS)
        put(store, records=self.PASSED)
        assert (get(self.PATH, accept).status, get(self.PATH, accept).headers["Vary"]) == (404, OURS)
        assert get(self.PATH, "*/*;q=0").headers["Vary"] == OURS
        store.records_by_key.clear()
        put(store, records=(), status=WITHDRAWN, withdrawn=Withdrawal(LATER, "It was wrong"))
        assert (get(self.PATH, accept).status, get(self.PATH, accept).headers["Vary"]) == (410, OURS)
        tag = get(self.PATH, accept, If_None_Match="*")
        assert tag.headers["Vary"] == OURS

    @pytest.mark.parametrize("path", [PATH, "/resolve/mp:tw0t-ywdj-94"])
    @pytest.mark.parametrize("call", ["prefixes", "record"])
    @pytest.mark.parametrize("accept", [None, BROWSER])
    @pytest.mark.usefixtures("get")
    def test_so_has_that_of_a_store_that_fails(
        self, store: MemoryStore, path: str, call: str, accept: str | None
    ) -> None:
        request = Request("GET", path, headers={"accept": accept} if accept else {})
        answer = application(FailingStore(store, "before", call))(request)
        assert (answer.status, answer.headers["Vary"], answer.headers["Cache-Control"]) == (503, OURS, "no-store")

    def test_so_has_that_of_a_method_that_is_not_possible(self, store: MemoryStore, get: Get) -> None:
        put(store, records=self.GOOD)
        assert get(self.PATH, method="DELETE").headers["Vary"] == OURS

    def test_a_304_has_that_of_the_response(self, store: MemoryStore, get: Get) -> None:
        put(store, records=self.GOOD)
        for query, vary in (("", OURS), ("?format=linkid", OURS), ("?memento=1", FOREIGN)):
            answer = get(self.PATH + query)
            again = get(self.PATH + query, If_None_Match=answer.headers["ETag"])
            assert (again.status, again.headers["Vary"], answer.headers["Vary"]) == (304, vary, vary)

    @pytest.mark.parametrize("accept", [None, BROWSER])
    @pytest.mark.parametrize("query", ["memento=1", "memento=7", "memento=x", "memento=1&format=nonsense"])
    def test_a_memento_has_no_versions(self, store: MemoryStore, get: Get, query: str, accept: str | None) -> None:
        put(store, records=self.GOOD)
        assert get(f"{self.PATH}?{query}", accept).headers["Vary"] == FOREIGN

    @pytest.mark.parametrize("accept", [None, BROWSER])
    @pytest.mark.parametrize(
        "path",
        [
            *("/go:1", "/go:1?info", "/go:1?format=html", "/go:1?format=json", "/go:1?provider=nobody", "/orphan:1"),
            *(
                "/go:x?strict=1",
                "/go:1?format=qr&style=gif",
                "/go:..%2F",
                "/go",
                "/go?format=qr",
                "/mp",
                "/go?provider=x",
            ),
            *("/mp?format=nonsense", "/mp?format=json"),
        ],
    )
    def test_prefixes_and_identifiers_of_others_have_none_either(self, get: Get, path: str, accept: str | None) -> None:
        assert get(path, accept).headers["Vary"] == FOREIGN
        assert get(path, "*/*;q=0").headers["Vary"] == FOREIGN


class TestRefusals:
    REFUSED = (
        ("/%zz", 400),
        ("/%00", 400),
        ("/%C0%AF", 400),
        ("/" + "a" * 3_000, 414),
        ("/mp:tw0t-ywdj-95", 400),
        ("/go:x?strict=1", 400),
        ("/mp:zzzz-zzzz-90", 404),
        ("/nobodys:1", 404),
        ("/lid:short", 400),
        ("/resolve/short", 400),
        (f"/LID:{'a' * 32}", 404),
        (f"/resolve/{'a' * 32}", 404),
        ("/orphan:1", 404),
        ("/nobody/go:1", 404),
        ("/go:1?provider=nobody", 404),
    )

    @pytest.mark.parametrize(("path", "status"), REFUSED)
    def test_programs_get_a_problem_and_browsers_a_page_of_the_same_status(
        self, get: Get, path: str, status: int
    ) -> None:
        problem, page = get(path), get(path, BROWSER)
        assert problem.status == page.status == status
        assert problem.headers["Content-Type"] == "application/problem+json"
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert (
            problem.headers["Vary"]
            == page.headers["Vary"]
            == (FOREIGN if path.startswith(("/go:", "/orphan:")) else OURS)
        )
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]

    @pytest.mark.parametrize(("path", "status"), REFUSED)
    def test_they_are_cached_for_ten_seconds_at_most(self, get: Get, path: str, status: int) -> None:
        control = get(path).headers["Cache-Control"]
        assert control in ("no-store", "public, max-age=10, stale-if-error=0")
        assert "ETag" not in get(path).headers

    @pytest.mark.parametrize(("path", "status"), REFUSED)
    def test_any_origin_may_read_them(self, get: Get, path: str, status: int) -> None:
        assert get(path).headers["Access-Control-Allow-Origin"] == "*"

    @pytest.mark.parametrize("path", [f"/lid:{'a' * 32}", f"/resolve/{'a' * 32}", "/nobodys:1"])
    def test_an_unregistered_prefix_differs_from_an_unregistered_identifier(self, get: Get, path: str) -> None:
        assert f'"type":"{BASE_URL}/problems/unknown-prefix"' in get(path).body
        assert f'"type":"{BASE_URL}/problems/unregistered-identifier"' in get("/mp:zzzz-zzzz-90").body

    def test_a_reserved_record_is_refused_as_if_it_were_absent(self, store: MemoryStore, get: Get) -> None:
        absent = get("/mp:tw0t-ywdj-94")
        put(store, status=RESERVED)
        assert get("/mp:tw0t-ywdj-94") == absent

    def test_nothing_in_the_request_breaks_out_of_the_page(self, get: Get) -> None:
        for path in (
            "/%3Cscript%3Ealert(1)%3C/script%3E",
            "/mp:%3Cscript%3E",
            "/go:1?provider=<script>",
            "/mp?format=<script>",
        ):
            assert "<script" not in get(path, BROWSER).body

    @pytest.mark.parametrize("call", ["prefixes", "record"])
    def test_a_store_that_does_not_answer_is_503_and_never_404(self, store: MemoryStore, get: Get, call: str) -> None:
        answer = application(FailingStore(store, "before", call))(Request("GET", "/mp:tw0t-ywdj-94"))
        assert answer.status == 503
        assert answer.headers["Cache-Control"] == "no-store"
        assert int(answer.headers["Retry-After"]) > 0


class TestPages:
    def test_every_page_allows_nothing_but_what_is_this_service(self, store: MemoryStore, get: Get) -> None:
        put(store)
        for path in ("/", "/mp", "/go", "/mp:tw0t-ywdj-94?format=html", "/nobodys:1"):
            policy = get(path, BROWSER).headers["Content-Security-Policy"]
            ours = f"{BASE_URL}/static/"
            assert policy.startswith(f"default-src 'none'; script-src {ours}; style-src {ours}; ")
            assert "unsafe" not in policy

    def test_metadata_cannot_break_out_of_the_page(self, store: MemoryStore, get: Get) -> None:
        evil = "</title><script>alert(1)</script>\"'"
        put(store, metadata={"what": evil, evil: [evil, {evil: evil}]}, records=(Location(PLACE, media_type=evil),))
        page = str(get("/mp:tw0t-ywdj-94?format=html").body)
        assert "alert(1)</script>" not in page
        assert "<script>" not in page
        assert page.count("</title>") == 1

    @pytest.mark.parametrize("metadata", [{}, {"what": None}, {"what": {"en": "x"}}, {"items": 1, "get": 2, "keys": 3}])
    def test_metadata_of_any_shape_is_shown(self, store: MemoryStore, get: Get, metadata: dict[str, Any]) -> None:
        put(store, metadata=metadata)
        assert get("/mp:tw0t-ywdj-94?format=html").status == 200


class TestWhereWeAre:
    @pytest.mark.parametrize("accept", [None, BROWSER, "application/json"])
    @pytest.mark.parametrize("path", ["/", "/mp", "/go", "/mp:tw0t-ywdj-94", "/go:7", "/nobodys:1", "/%zz"])
    def test_no_response_uses_the_clients_host_headers(
        self, store: MemoryStore, get: Get, path: str, accept: str | None
    ) -> None:
        put(store)
        lies = {
            "host": "evil.example",
            "x_forwarded_host": "evil.example",
            "x_forwarded_proto": "gopher",
            "x_forwarded_prefix": "/evil.example",
            "x_forwarded_for": "192.0.2.66",
            "forwarded": "host=evil.example;proto=gopher",
            "x_original_url": "/evil.example",
            "x_rewrite_url": "/evil.example",
        }
        assert get(path, accept, **lies) == get(path, accept)

    def test_every_problem_has_a_type_that_leads_to_its_description(self, get: Get) -> None:
        from coolid.http.problem_types import PROBLEM_TYPES, UNKNOWN

        for kind in (*PROBLEM_TYPES.values(), UNKNOWN):
            answer = get(f"/problems/{kind.slug}")
            assert answer.status == 200
            assert kind.title in answer.body
        assert get("/problems/nonsense").status == 404


def test_what_the_fixtures_register_is_of_both_kinds(store: MemoryStore, get: Get) -> None:
    assert isinstance(store.rows["mp"], Namespace)
    assert isinstance(store.rows["go"], ProviderPrefix)
    assert store.rows["mp"].created == MOMENT
