"""Answers to the public: redirects, metadata, tombstones, and their headers."""

import json
import re
from typing import Any

import pytest

from tests.e2e import localstack
from tests.e2e.created_records import HERE, Holding, Minted, hold
from tests.e2e.service import Service
from tests.support.servers.responses import Reply

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PDF = "application/pdf"
LASTING = {"etag", "cache-control", "vary", "link", "location", "last-modified"}
TYPES = {
    "application/linkid+json": "linkid",
    "application/json": "linkid",
    "application/linkset+json": "linkset",
    "application/ld+json": "jsonld",
    "text/turtle": "ttl",
    "text/plain": "erc",
    "application/jose": "jws",
}


@pytest.fixture(scope="module")
def forms(holding: Holding) -> Minted:
    """A record of many locations."""
    places = (
        ("en3.pdf", PDF, "en", "3"),
        ("de3.pdf", PDF, "de", "3"),
        ("en2.pdf", PDF, "en", "2"),
        ("en.html", "text/html", "en", "3"),
    )
    return holding.mint(
        records=[
            {"uri": f"{HERE}/{name}", "mediaType": media_type, "language": language, "version": version}
            for name, media_type, language, version in places
        ]
    )


class TestRedirects:
    def test_clients_without_preferences_are_redirected(self, service: Service, thing: Minted) -> None:
        for headers in ({}, {"Accept": "*/*"}, {"Accept": BROWSER}):
            reply = service.get(thing.path, **headers)
            assert (reply.status, reply.headers["location"]) == (302, HERE)
            assert HERE in reply.text

    def test_they_say_how_long_they_hold_what_they_depend_on_and_what_else_there_is(
        self, service: Service, thing: Minted
    ) -> None:
        headers = service.get(thing.path).headers
        stored = "public, max-age=300, s-maxage=300, stale-while-revalidate=60, stale-if-error=86400"
        assert headers["cache-control"] == stored
        assert headers["vary"] == "Accept, Accept-Language, Accept-Datetime"
        assert re.fullmatch(r'"[!#-~]{16,}"', headers["etag"])
        assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", headers["last-modified"])
        assert headers["x-content-type-options"] == "nosniff"
        relations = set(re.findall(r'rel="([a-z-]+)"', headers["link"]))
        assert {"canonical", "cite-as", "describedby", "linkset"} <= relations
        assert len(headers["link"].encode()) <= 8_192

    def test_the_repository_says_which_status_and_whether_to_offer_a_choice(self, service: Service) -> None:
        own = hold(service, redirect=308, choices=True)
        assert service.get(own.mint().path).status == 308
        places = [{"uri": f"{HERE}/{number}"} for number in range(2)]
        reply = service.get(own.mint(records=places).path)
        assert (reply.status, [each["uri"] for each in reply.json()["choices"]]) == (300, [f"{HERE}/0", f"{HERE}/1"])

    def test_what_extends_a_record_is_passed_through_where_the_repository_says_so(self, service: Service) -> None:
        own = hold(service, passthrough=True)
        minted = own.mint(uri=f"{HERE}?x=1")
        reply = service.get(f"{minted.path}/chapter%201/part")
        assert (reply.status, reply.headers["location"]) == (302, f"{HERE}/chapter%201/part?x=1")

    def test_elsewhere_it_is_not(self, service: Service, thing: Minted) -> None:
        assert service.get(f"{thing.path}/chapter").status == 400


class TestConditions:
    @pytest.mark.parametrize("query", ["", "?format=linkid", "?info"])
    def test_a_conditional_request_gets_304(self, service: Service, thing: Minted, query: str) -> None:
        whole = service.get(thing.path + query)
        for method in ("GET", "HEAD"):
            for tags in (whole.headers["etag"], f'"other", W/{whole.headers["etag"]}', "*"):
                reply = service.request(method, thing.path + query, If_None_Match=tags)
                assert (reply.status, reply.body) == (304, b"")
                for name in LASTING - localstack.drops_from_304(service):
                    assert reply.headers.get(name) == whole.headers.get(name)
        assert service.get(thing.path + query, If_None_Match='"other"').status == whole.status

    def test_a_tag_is_of_one_representation(self, service: Service, thing: Minted) -> None:
        tags = [
            service.get(thing.path + query).headers["etag"] for query in ("", *(f"?format={f}" for f in TYPES.values()))
        ]
        assert len(set(tags)) == len({"", *TYPES.values()})

    def test_a_tombstone_is_a_tombstone_whatever_one_has(self, service: Service, tombstone: Minted) -> None:
        tag = service.get(tombstone.path).headers["etag"]
        assert service.get(tombstone.path, If_None_Match=tag).status == 410


class TestMethods:
    @pytest.mark.parametrize("query", ["", "?format=linkid", "?format=nonsense"])
    def test_head_is_get_without_its_body(self, service: Service, thing: Minted, query: str) -> None:
        whole, head = (service.request(method, thing.path + query) for method in ("GET", "HEAD"))
        assert (head.status, head.body) == (whole.status, b"")
        for name in LASTING | {"content-type"}:
            assert head.headers.get(name) == whole.headers.get(name)

    def test_reads_are_open_to_every_origin(self, service: Service, thing: Minted) -> None:
        for path in (thing.path, f"{thing.path}?format=linkid", "/resolve/short", "/.well-known/jwks.json"):
            headers = service.get(path, Origin="https://elsewhere.example").headers
            assert headers["access-control-allow-origin"] == "*"
            exposed = set(headers["access-control-expose-headers"].split(", "))
            assert {"ETag", "Link", "Location", "Retry-After"} <= exposed

    def test_options_lists_the_methods_and_lets_origins_read_but_not_write(
        self, service: Service, thing: Minted
    ) -> None:
        asking: dict[str, Any] = {"Origin": "https://elsewhere.example", "Access_Control_Request_Method": "GET"}
        reply = service.request("OPTIONS", thing.path, **asking)
        assert (reply.status, reply.body) == (204, b"")
        assert reply.headers["allow"] == "GET, HEAD, OPTIONS"
        assert reply.headers["access-control-allow-origin"] == "*"
        assert reply.headers["access-control-allow-methods"] == "GET, HEAD"
        management = service.request("OPTIONS", thing.stored, **asking)
        assert management.status == 204
        assert {"GET", "PUT", "PATCH", "DELETE"} <= set(management.headers["allow"].split(", "))
        assert "PUT" not in management.headers.get("access-control-allow-methods", "")

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
    def test_nothing_is_written_outside_the_management_api(self, service: Service, thing: Minted, method: str) -> None:
        reply = service.request(method, thing.path, body=b"{}")
        assert reply.refusal == (405, "method-not-allowed")
        assert reply.headers["allow"] == "GET, HEAD, OPTIONS"


class TestMetadata:
    @pytest.mark.parametrize(("media_type", "name"), TYPES.items())
    def test_each_form_is_had_by_its_type_and_by_its_name(
        self, service: Service, thing: Minted, tombstone: Minted, *, media_type: str, name: str
    ) -> None:
        for minted, status in ((thing, 200), (tombstone, 410)):
            accepted = service.get(minted.path, Accept=f"{media_type}, */*;q=0.1")
            named = service.get(f"{minted.path}?format={name}", Accept="image/png")
            assert (accepted.status, accepted.media_type) == (status, media_type)
            assert named.status == status
            assert named.body == accepted.body
            assert accepted.canonical == minted.pid

    def test_the_page_is_for_people(self, service: Service, thing: Minted, tombstone: Minted) -> None:
        page = service.get(f"{thing.path}?format=html")
        assert (page.status, page.media_type) == (200, "text/html")
        assert "A thing" in page.text
        assert service.get(tombstone.path, Accept=BROWSER).media_type == "text/html"

    def test_the_record_is_that_which_was_minted(self, service: Service, thing: Minted) -> None:
        assert service.get(f"{thing.path}?format=linkid").json() == thing.document
        assert service.get(f"{thing.path}?format=jws").text == thing.document["proof"]

    @pytest.mark.parametrize("query", ["?info", "?info=", "??", "?%3F"])
    def test_inflections_request_the_description(self, service: Service, thing: Minted, query: str) -> None:
        reply = service.get(thing.path + query)
        assert (reply.status, reply.media_type) == (200, "text/plain")
        assert reply.text.startswith("erc:\nwho: Lee, Ann\nwhat: A thing\nwhen: 2025\nwhere: ")
        assert reply.headers["thump-status"] == "0.6 200 OK"
        assert service.get(thing.path + query, Accept=BROWSER).media_type == "text/html"

    def test_a_bare_question_mark_is_no_inflection(self, service: Service, thing: Minted) -> None:
        """The ARK draft's single `?` cannot be told from no query: the events of API Gateway do not have it."""
        assert service.get(f"{thing.path}?").headers["location"] == HERE

    @pytest.mark.parametrize(
        ("query", "kind"), [("?format=nonsense", "unknown-format"), ("?format=docx", "no-such-form")]
    )
    def test_a_form_that_there_is_not_is_406(self, service: Service, thing: Minted, query: str, kind: str) -> None:
        typed = thing.path + query
        assert service.get(typed).refusal == (406, kind)

    def test_excluding_everything_is_406(self, service: Service, thing: Minted) -> None:
        assert service.get(thing.path, Accept="*/*;q=0").refusal == (406, "not-acceptable")


class TestLocations:
    @pytest.mark.parametrize(
        ("query", "headers", "name"),
        [
            ("", {}, "en3.pdf"),
            ("", {"Accept": "text/html"}, "en.html"),
            ("", {"Accept": "text/html;q=0.1, application/pdf"}, "en3.pdf"),
            ("", {"Accept": PDF, "Accept_Language": "de, en;q=0.5"}, "de3.pdf"),
            ("", {"Accept": "application/pdf, text/html;q=0", "Accept_Language": "de;q=0, en"}, "en3.pdf"),
            ("?format=pdf&lang=de", {"Accept": "text/html", "Accept_Language": "en"}, "de3.pdf"),
            ("?format=application%2Fpdf&lang=%64e", {}, "de3.pdf"),
            ("?format=text/html", {}, "en.html"),
            ("?version=2", {}, "en2.pdf"),
        ],
    )
    def test_the_best_is_chosen(
        self, service: Service, forms: Minted, query: str, headers: dict[str, str], name: str
    ) -> None:
        reply = service.get(forms.path + query, **headers)
        assert (reply.status, reply.headers.get("location")) == (302, f"{HERE}/{name}")

    def test_those_that_are_not_valid_now_take_no_part(self, service: Service, holding: Holding) -> None:
        places = [
            {"uri": f"{HERE}/past", "validUntil": "2001-01-01T00:00:00Z"},
            {"uri": f"{HERE}/off", "status": "inactive"},
            {"uri": f"{HERE}/now", "validFrom": "2001-01-01T00:00:00Z"},
        ]
        assert service.get(holding.mint(records=places).path).headers["location"] == f"{HERE}/now"
        assert service.get(holding.mint(records=places[:2]).path).refusal == (404, "no-location")


LIES = {"X_Forwarded_Host": "evil.example", "X_Forwarded_Proto": "gopher", "Forwarded": "host=evil.example"}


class TestHosts:
    @staticmethod
    def said(reply: Reply) -> str:
        return json.dumps(reply.headers) + reply.text

    @pytest.mark.parametrize("query", ["", "?format=linkid", "?format=html", "?info", "?format=nonsense"])
    def test_nothing_comes_from_what_the_client_says_of_them(self, service: Service, thing: Minted, query: str) -> None:
        truth, lied = service.get(thing.path + query), service.get(thing.path + query, **LIES)
        assert (lied.status, lied.body) == (truth.status, truth.body)
        for name in ("location", "link", "etag"):
            assert lied.headers.get(name) == truth.headers.get(name)
        assert "evil.example" not in self.said(lied)
        assert "gopher" not in self.said(lied)

    def test_no_url_comes_from_the_requested_host(self, service: Service, thing: Minted) -> None:
        """AWS refuses a host that is none of its APIs before anybody of ours is asked."""
        for path in (thing.path, f"{thing.path}?format=linkid", "/", "/nobodys:1"):
            reply = service.get(path, Host="evil.example")
            assert "evil.example" not in self.said(reply)


def test_a_citation_in_a_style_is_here_or_where_the_styles_are(holding: Holding) -> None:
    cited = holding.mint(metadata={"who": "Lovelace, Ada", "what": "Notes", "when": "1843"})
    reply = holding.service.get(f"{cited.path}?format=citation&style=apa&locale=en-US")
    if reply.status == 303:
        reply = holding.service.get(holding.service.path_of(reply.headers["location"]))
    assert (reply.status, reply.media_type) == (200, "text/x-bibliography")
    assert reply.text == f"Lovelace, A. (1843). Notes. {cited.pid}\n"
