"""The resolution protocol over HTTP: the forms of a LinkID, and the headers of every response."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.functions.managed_records import BROWSER, HERE, LINKID, alias, amend, gone, mint
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System, system

PDF = "application/pdf"
NOBODYS = "00000000000040008000000000000000"


@pytest.fixture(scope="session")
def plain(light: System) -> str:
    """A prefix of a repository without special rules."""
    return alias(light, "protocol")


@pytest.fixture(scope="session")
def thing(light: System, plain: str) -> str:
    return mint(light, plain, metadata={"who": "Lee, Ann", "what": "A thing", "when": "2025"})


@pytest.fixture(scope="session")
def tombstone(light: System, plain: str) -> str:
    return gone(light, plain, metadata={"what": "A thing"})


@pytest.fixture(scope="session")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system where `lid` is ours; in that of the other tests it is nobody's."""
    with system(tmp_path_factory.mktemp("resolver")) as running:
        alias(running, "lid", scheme="uuid", rules={"version": 4})
        yield running


@pytest.fixture(scope="session")
def lid(resolver: System) -> str:
    """A LinkID."""
    return mint(resolver, "lid").partition(":")[2]


class TestLinkIds:
    def test_every_form_of_it_reaches_the_record(self, resolver: System, lid: str) -> None:
        for path in (
            f"/lid:{lid}",
            f"/LID:{lid}",
            f"/lid/{lid}",
            f"/lid%3A{lid}",
            f"/resolve/{lid}",
            f"/resolve/lid:{lid}",
            f"/resolve/lid%3A{lid}",
            f"/resolve/%{ord(lid[0]):02X}{lid[1:]}",
            f"/{BASE_URL}/lid:{lid}",
            f"/{BASE_URL}/resolve/{lid}",
            f"/resolve/{BASE_URL}/lid:{lid}",
            f"/https://resolver.linkid.org/resolve/{lid}",
        ):
            answer = resolver.get(path)
            assert (answer.status, answer.headers["location"]) == (302, HERE), path
            assert answer.canonical == f"{BASE_URL}/lid:{lid}"

    def test_every_other_pid_resolves_behind_resolve_as_it_does_without(self, light: System, thing: str) -> None:
        light.admin(
            "PUT",
            "/api/v1/prefixes/gene",
            {"kind": "provider", "providers": [{"code": "own", "url": "https://gene.example/{$id}"}]},
        )
        for form in (
            thing[1:],
            thing[1:].replace(":", "/"),
            "gene:7",
            "own/gene:7",
            "gene/GENE:7",
            f"{BASE_URL}{thing}",
        ):
            behind, plainly = light.get(f"/resolve/{form}"), light.get(f"/{form}")
            assert behind == plainly
            assert behind.status == 302

    @pytest.mark.parametrize("short", ["short", "protocol", "a" * 31, "a" * 65, "%20" * 32, "a" * 31 + "%2B"])
    def test_a_text_that_is_no_linkid_is_400(self, resolver: System, lid: str, short: str) -> None:
        assert resolver.get(f"/resolve/{short}").is_problem(400)

    def test_one_that_does_not_exist_is_404(self, resolver: System, lid: str) -> None:
        for path in (f"/resolve/{NOBODYS}", f"/lid:{NOBODYS}"):
            assert resolver.get(path).is_problem(404, "unregistered-identifier")

    def test_one_that_is_gone_is_410_by_every_way(self, resolver: System, lid: str) -> None:
        identifier = gone(resolver, "lid").partition(":")[2]
        for path in (f"/resolve/{identifier}", f"/lid:{identifier}"):
            assert resolver.get(path).status == 410

    @pytest.mark.parametrize("scheme", ["lui", "cooldoi", "pilin"])
    def test_lid_is_never_an_alias_of_identifiers_that_are_none(self, light: System, scheme: str) -> None:
        made = light.admin("POST", "/api/v1/repositories", {"title": "x", "scheme": scheme})
        named = {"kind": "namespace", "repository": made.json()["id"]}
        assert light.admin("PUT", "/api/v1/prefixes/lid", named).is_problem(422, "invalid-input")

    def test_without_a_registered_lid_they_are_distinguished_nevertheless(self, light: System) -> None:
        assert light.get(f"/resolve/{NOBODYS}").is_problem(404)
        assert light.get("/resolve/short").is_problem(400)
        assert light.get("/resolve/nobodys:1").is_problem(404, "unknown-prefix")

    def test_parsing_explains_what_resolving_does(self, resolver: System, lid: str) -> None:
        for text in (f"lid:{lid}", f"{BASE_URL}/resolve/{lid}", f"https://resolver.linkid.org/resolve/{lid}"):
            parsed = resolver.get("/api/v1/parse", query=f"id={text}").json()
            assert (parsed["location"], parsed["prefix"], parsed["canonical"]) == (HERE, "lid", f"lid:{lid}")
            assert ("lid", True) in [(each["scheme"], each["valid"]) for each in parsed["candidates"]]
        assert resolver.get("/api/v1/parse", query="id=lid:short").json()["location"] is None


class TestHeaders:
    EVERY = (
        ("{thing}", "", None, 302),
        ("{thing}", "", BROWSER, 302),
        ("{thing}", "", LINKID, 200),
        ("{thing}", "format=html", None, 200),
        ("{thing}", "info", None, 200),
        ("{tombstone}", "", None, 410),
        ("{tombstone}", "", BROWSER, 410),
        ("/protocol", "", None, 200),
        ("/protocol:zzzz-zzzz-90", "", None, 404),
        ("/protocol:tw0t-ywdj-95", "", BROWSER, 400),
        ("/nobodys:1", "", None, 404),
        ("/nobodys:1", "", BROWSER, 404),
        ("/%zz", "", None, 400),
        ("{thing}", "format=nonsense", None, 406),
        ("{thing}", "", "*/*;q=0", 406),
        ("/" + "a" * 2_100, "", None, 414),
    )

    @pytest.fixture
    def ask(self, light: System, thing: str, tombstone: str) -> Any:
        def ask(path: str, query: str, accept: str | None, method: str = "GET", **headers: str) -> Answer:
            sent = [(name.replace("_", "-"), value) for name, value in headers.items()]
            sent += [("Accept", accept)] if accept is not None else []
            path = path.replace("{thing}", thing).replace("{tombstone}", tombstone)
            return light.request(method, path, query=query, headers=sent)

        return ask

    @pytest.mark.parametrize(("path", "query", "accept", "status"), EVERY)
    def test_every_response_says_how_long_it_may_be_cached_and_who_may_read_it(
        self, ask: Any, path: str, query: str, accept: str | None, status: int
    ) -> None:
        answer = ask(path, query, accept)
        assert answer.status == status
        control = answer.headers["cache-control"]
        stored = "public, max-age=300, s-maxage=300, stale-while-revalidate=60, stale-if-error=86400"
        assert control == (stored if status in (200, 302, 410) else "public, max-age=10, stale-if-error=0")
        assert answer.headers["access-control-allow-origin"] == "*"
        exposed = set(answer.headers["access-control-expose-headers"].split(", "))
        assert {"ETag", "Link", "Location", "Retry-After"} <= exposed
        assert "Accept" in answer.headers["vary"].split(", ")
        assert answer.headers["x-content-type-options"] == "nosniff"

    @pytest.mark.parametrize(("path", "query", "accept", "status"), EVERY)
    def test_answers_that_last_have_a_strong_tag_a_date_and_links(
        self, ask: Any, path: str, query: str, accept: str | None, status: int
    ) -> None:
        answer = ask(path, query, accept)
        lasting = status in (200, 302, 410)
        assert bool(re.fullmatch(r'"[!#-~]{16,}"', answer.headers.get("etag", ""))) is lasting
        assert ("last-modified" in answer.headers) is lasting
        assert ("link" in answer.headers) is lasting
        if lasting:
            assert answer.headers["vary"].startswith("Accept, Accept-Language")
            assert answer.canonical.startswith(f"{BASE_URL}/protocol")
            assert ask(path, query, accept).headers == answer.headers

    @pytest.mark.parametrize(("path", "query", "accept", "status"), EVERY)
    def test_head_is_get_without_its_body(
        self, ask: Any, path: str, query: str, accept: str | None, status: int
    ) -> None:
        whole, head = ask(path, query, accept), ask(path, query, accept, "HEAD")
        assert (head.status, head.headers, head.body) == (status, whole.headers, "")

    @pytest.mark.parametrize(("path", "query", "accept", "status"), EVERY)
    def test_only_redirects_and_metadata_are_304(
        self, ask: Any, path: str, query: str, accept: str | None, status: int
    ) -> None:
        whole = ask(path, query, accept)
        for method in ("GET", "HEAD"):
            known = ask(path, query, accept, method, If_None_Match=whole.headers.get("etag", "*"))
            assert known.status == (304 if status in (200, 302) else status)
            for name in ("etag", "cache-control", "vary", "link", "location", "last-modified"):
                assert known.headers.get(name) == whole.headers.get(name)

    @pytest.mark.parametrize(("path", "query", "accept", "status"), EVERY)
    def test_nothing_comes_from_what_the_client_says_of_hosts(
        self, ask: Any, path: str, query: str, accept: str | None, status: int
    ) -> None:
        lies = {
            "Host": "evil.example",
            "X_Forwarded_Host": "evil.example",
            "X_Forwarded_Proto": "gopher",
            "X_Forwarded_Port": "666",
            "Forwarded": "host=evil.example;proto=gopher",
        }
        answer = ask(path, query, accept, **lies)
        assert answer == ask(path, query, accept)
        assert "evil.example" not in json.dumps(dict(answer.headers)) + answer.body

    def test_representations_of_one_record_have_different_tags(self, light: System, thing: str) -> None:
        cited = ("csl", "bibtex", "ris", "datacite", "citation")
        names = ("linkid", "linkset", "jsonld", "ttl", "erc", "jws", *cited, "html")
        tags = [light.get(thing, query=f"format={name}").headers["etag"] for name in names]
        assert len({*tags, light.get(thing).headers["etag"]}) == len(names) + 1

    def test_the_tag_changes_with_the_response_and_comes_back_with_it(self, light: System, plain: str) -> None:
        path = mint(light, plain)
        first = light.get(path).headers
        amend(light, "PATCH", path, {"ttl": 7})
        stored = light.get(path).headers
        assert stored["cache-control"] != first["cache-control"]
        assert stored["etag"] == first["etag"]
        amend(light, "PATCH", path, {"records": [{"uri": f"{HERE}/2"}]})
        assert light.get(path).headers["etag"] != first["etag"]
        amend(light, "PATCH", path, {"records": [{"uri": HERE}]})
        assert light.get(path).headers["etag"] == first["etag"]

    @pytest.mark.parametrize("query", ["", "format=linkid", "format=erc", "format=html", "info"])
    def test_links_have_at_most_8_kb_however_many_locations_there_are(
        self, light: System, plain: str, query: str
    ) -> None:
        places = [{"uri": f"{HERE}/{number}/" + "x" * 1_900, "mediaType": PDF} for number in range(100)]
        path = mint(light, plain, records=places)
        answer = light.get(path, query=query)
        assert answer.status in (200, 302)
        assert len(answer.headers["link"].encode()) <= 8_192
        assert {"canonical", "cite-as", "linkset"} <= set(re.findall(r'rel="([a-z-]+)"', answer.headers["link"]))
        amend(light, "DELETE", path, {"reason": "It was too much"})
        assert len(light.get(path, query=query).headers["link"].encode()) <= 8_192

    def test_links_have_at_most_8_kb_however_long_the_identifier_is(self, light: System) -> None:
        prefix = alias(light, scheme="chosen", rules={"pattern": ".{1,200}", "example": "x"}, passthrough=True)
        minted = light.mint({"prefix": prefix, "id": "\U0001f4c4" * 100, "uri": HERE}).json()
        path = minted["pid"].removeprefix(BASE_URL)
        for beyond in ("", "/" + "%F0%9F%93%84" * 150):
            for query in ("", "info", "format=erc", "format=html"):
                answer = light.get(path + beyond, query=query)
                assert answer.status in (200, 302)
                assert len(answer.headers["link"]) <= 8_192
