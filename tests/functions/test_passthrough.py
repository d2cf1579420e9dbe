"""Suffix pass-through over HTTP: an extension of a registered identifier leads into its target."""

from itertools import count
from typing import Any

import pytest

from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
SET = "https://content.example.org/set"

_numbers = count(1)


def alias(system: System, prefix: str, **members: Any) -> str:
    """A prefix of a new repository that passes on, unless `members` say otherwise."""
    document = {"title": prefix, "scheme": "lui", "passthrough": True} | members
    made = system.admin("POST", "/api/v1/repositories", document)
    assert made.status == 201, made.body
    named = {"kind": "namespace", "repository": made.json()["id"]}
    assert system.admin("PUT", f"/api/v1/prefixes/{prefix}", named).status == 201
    return prefix


def chosen(system: System, **members: Any) -> str:
    """A prefix of identifiers that are chosen, with slashes in them."""
    rules = {"pattern": "[A-Za-z0-9/]+", "example": "set"}
    return alias(system, f"beyond{next(_numbers)}", scheme="chosen", rules=rules, **members)


def mint(system: System, prefix: str, identifier: str | None = None, uri: str = SET, **members: Any) -> str:
    document = {"prefix": prefix, **({"id": identifier} if identifier else {}), **members}
    if "records" not in members:
        document["uri"] = uri
    minted = system.mint(document)
    assert minted.status == 201, minted.body
    return str(minted.json()["id"])


def withdraw(system: System, path: str) -> None:
    at = f"/api/v1/records/{path}"
    tag = system.request("GET", at, key=system.admin_key).headers["etag"]
    gone = system.request(
        "DELETE", at, document={"reason": "It was wrong"}, key=system.admin_key, headers=[("If-Match", tag)]
    )
    assert gone.status == 200, gone.body


@pytest.fixture(scope="session")
def base(light: System) -> str:
    """The path of a record that is passed through, whose target has a query and a fragment."""
    return f"beyond:{mint(light, alias(light, 'beyond'), uri=SET + '?v=1#top')}"


@pytest.fixture(scope="session")
def ark(light: System) -> str:
    """A NAAN whose ARKs are passed through."""
    return alias(light, "ark:99997", scheme="noid", rules={"template": "fk4.reedeedk", "naan": "99997"})


class TestTargets:
    @pytest.mark.parametrize(
        ("beyond", "location"),
        [
            ("", f"{SET}?v=1#top"),
            ("/chapter/1", f"{SET}/chapter/1?v=1#top"),
            (".pdf", f"{SET}.pdf?v=1#top"),
            ("/a%20b", f"{SET}/a%20b?v=1#top"),
            ("/%C3%A9", f"{SET}/%C3%A9?v=1#top"),
            ("/50%25", f"{SET}/50%25?v=1#top"),
            ("/a%3Fb%23c", f"{SET}/a%3Fb%23c?v=1#top"),
            ("/File-Name.PDF", f"{SET}/File-Name.PDF?v=1#top"),
            ("//evil.example", f"{SET}//evil.example?v=1#top"),
            ("/@evil.example", f"{SET}/@evil.example?v=1#top"),
            ("/x:y", f"{SET}/x:y?v=1#top"),
        ],
    )
    def test_the_rest_goes_to_the_end_of_the_path_and_the_query_stays(
        self, light: System, base: str, beyond: str, location: str
    ) -> None:
        for prefix in ("/", "/resolve/"):
            answer = light.get(f"{prefix}{base}{beyond}")
            assert (answer.status, answer.headers["location"]) == (302, location)

    def test_the_pasted_url_of_an_extension_leads_to_the_same(self, light: System, base: str) -> None:
        for prefix in (f"/{BASE_URL}/", f"/resolve/{BASE_URL}/", f"/{BASE_URL}/resolve/"):
            assert light.get(f"{prefix}{base}/a%20b.pdf").headers["location"] == f"{SET}/a%20b.pdf?v=1#top"

    def test_the_parameters_of_the_request_are_not_passed_on(self, light: System, base: str) -> None:
        assert light.get(f"/{base}/x", query="w=2&v=9").headers["location"] == f"{SET}/x?v=1#top"

    @pytest.mark.parametrize(
        "beyond",
        [
            "/..",
            "/../admin",
            "/%2e%2e/admin",
            "/.%2E",
            "/x/%2e%2e%2f..",
            "/%252e%252e/admin",
            "/..%5Cadmin",
            "/%5C..",
            "/..;/admin",
            "../admin",
            "/.",
        ],
    )
    def test_nothing_climbs(self, light: System, base: str, beyond: str) -> None:
        answer = light.get(f"/{base}{beyond}")
        assert (answer.status in (400, 404), "location" in answer.headers) == (True, False)

    @pytest.mark.parametrize("beyond", ["/%00", "/%0D%0ASet-Cookie:x", "/%7F", "/%C2%85", "/%zz", "/%FF"])
    def test_control_characters_and_bad_escapes_are_refused(self, light: System, base: str, beyond: str) -> None:
        assert light.get(f"/{base}{beyond}").is_problem(400)

    @pytest.mark.parametrize("beyond", [".evil.example", ".evil.example/x", "%2eevil.example"])
    def test_nobody_gets_to_another_host_by_a_target_without_a_path(self, light: System, beyond: str) -> None:
        prefix = chosen(light)
        mint(light, prefix, "root", "https://content.example.org")
        assert light.get(f"/{prefix}:root{beyond}").is_problem(400)
        assert light.get(f"/{prefix}:root/x").headers["location"] == "https://content.example.org/x"

    def test_a_default_target_is_extended_like_any_other(self, light: System) -> None:
        prefix = alias(light, f"beyond{next(_numbers)}", target="https://content.example.org/{$id}?raw")
        identifier = mint(light, prefix, records=[])
        answer = light.get(f"/{prefix}:{identifier}/1")
        assert answer.headers["location"] == f"https://content.example.org/{identifier}/1?raw"


class TestBases:
    def test_the_longest_registered_one_wins(self, light: System) -> None:
        prefix = chosen(light)
        mint(light, prefix, "set", "https://a.example/set")
        mint(light, prefix, "set/1", "https://b.example/one")
        for beyond, location in (
            ("set/1", "https://b.example/one"),
            ("set/1/2", "https://b.example/one/2"),
            ("set/1.pdf", "https://b.example/one.pdf"),
            ("set/2/1", "https://a.example/set/2/1"),
        ):
            assert light.get(f"/{prefix}:{beyond}").headers["location"] == location

    @pytest.mark.parametrize("beyond", ["x", "-1", ":1", "%20", "%3F", "%23x"])
    def test_only_slash_and_point_are_boundaries(self, light: System, base: str, beyond: str) -> None:
        answer = light.get(f"/{base}{beyond}")
        assert (answer.status in (400, 404), "location" in answer.headers) == (True, False)

    def test_a_repository_without_passthrough_passes_nothing_on(self, light: System) -> None:
        prefix = chosen(light, passthrough=False)
        mint(light, prefix, "set")
        assert light.get(f"/{prefix}:set/1").is_problem(404, "unregistered-identifier")
        assert light.get(f"/{prefix}:set.pdf").is_problem(400)

    def test_prefixes_of_the_world_give_the_whole_identifier_to_their_provider(self, light: System) -> None:
        provider = {"code": "own", "url": "https://world.example/{$id}?q"}
        light.admin("PUT", "/api/v1/prefixes/beyondworld", {"kind": "provider", "providers": [provider]})
        assert light.get("/beyondworld:1/../2").headers["location"] == "https://world.example/1/../2?q"

    def test_what_extends_a_withdrawn_one_is_gone(self, light: System) -> None:
        prefix = chosen(light)
        mint(light, prefix, "set")
        withdraw(light, f"{prefix}:set")
        answer = light.get(f"/{prefix}:set/1", accept="application/linkid+json")
        assert (answer.status, answer.json()["withdrawn"]["reason"]) == (410, "It was wrong")
        assert answer.canonical == f"{BASE_URL}/{prefix}:set"

    def test_what_extends_a_reserved_one_is_not_there(self, light: System) -> None:
        prefix = chosen(light)
        mint(light, prefix, "set", status="reserved")
        assert light.get(f"/{prefix}:set/1").is_problem(404, "unregistered-identifier")

    def test_an_expired_location_is_not_extended_but_the_next_one_is(self, light: System) -> None:
        prefix = chosen(light)
        over = {"uri": "https://a.example/old", "validUntil": "2025-01-01T00:00:00Z"}
        mint(light, prefix, "set", records=[over, {"uri": "https://b.example/new"}])
        assert light.get(f"/{prefix}:set/1").headers["location"] == "https://b.example/new/1"
        mint(light, prefix, "over", records=[over])
        answer = light.get(f"/{prefix}:over/1")
        assert answer.is_problem(404, "no-location")
        assert answer.json()["record"] == f"{BASE_URL}/{prefix}:over?format=linkid"

    def test_it_leads_into_the_location_that_the_same_client_would_get(self, light: System) -> None:
        prefix = chosen(light)
        places = [
            {"uri": "https://a.example/en", "language": "en", "quality": 0.1, "version": "1"},
            {"uri": "https://a.example/de", "language": "de", "quality": 0.9, "version": "2"},
        ]
        mint(light, prefix, "set", records=places)
        for beyond in ("", "/1"):
            for query, language, place in (
                ("", None, "de"),
                ("", "en", "en"),
                ("lang=en", None, "en"),
                ("version=1", None, "en"),
            ):
                sent = {"Accept_Language": language} if language else {}
                answer = light.get(f"/{prefix}:set{beyond}", query=query, **sent)
                assert answer.headers["location"] == f"https://a.example/{place}{beyond}"

    @pytest.mark.parametrize("form", ["ark:/99997/{}", "ark:99997/{}", "ARK:99997//{}"])
    @pytest.mark.parametrize("beyond", ["/c3/s5.pdf", "/c3//s5-1.pdf/", ".v-2"])
    def test_arks_are_normalised_but_not_what_extends_them(
        self, light: System, ark: str, form: str, beyond: str
    ) -> None:
        identifier = mint(light, ark)
        for written in (identifier, f"{identifier[:4]}-{identifier[4:]}"):
            answer = light.get("/" + form.format(written) + beyond)
            assert (answer.status, answer.headers["location"]) == (302, SET + beyond)
            assert answer.canonical == f"{BASE_URL}/ark:99997/{identifier}{beyond}"


class TestDescriptions:
    def test_the_canonical_link_is_that_of_the_extension_and_resolves(self, light: System, base: str) -> None:
        for spelling in (base, base.upper().replace("BEYOND", "Beyond"), base.replace("-", "")):
            answer = light.get(f"/{spelling}/a%20b%3F/%25c.pdf")
            assert answer.canonical == f"{BASE_URL}/{base}/a%20b%3F/%25c.pdf"
        again = light.get(answer.canonical.removeprefix(BASE_URL))
        assert again.headers["location"] == answer.headers["location"]
        assert f'<{BASE_URL}/{base}>; rel="cite-as"' in answer.headers["link"]

    @pytest.mark.parametrize(
        ("query", "accept", "kind"),
        [
            ("format=linkid", None, "application/linkid+json"),
            ("", "application/ld+json", "application/ld+json"),
            ("info", None, "text/plain; charset=utf-8"),
            ("info", BROWSER, "text/html; charset=utf-8"),
        ],
    )
    def test_metadata_describes_the_base(
        self, light: System, base: str, query: str, accept: str | None, kind: str
    ) -> None:
        extended, plain = (light.get(f"/{base}{beyond}", query=query, accept=accept) for beyond in ("/1", ""))
        assert (extended.status, extended.headers["content-type"]) == (200, kind)
        assert extended.canonical == f"{BASE_URL}/{base}"
        assert extended == plain

    def test_parsing_explains_what_resolving_does(self, light: System, base: str) -> None:
        for beyond in ("/chapter/1", ".pdf", "/..", "/a b"):
            parsed = light.get("/api/v1/parse", query=f"id={base}{beyond.replace(' ', '%20')}").json()
            answer = light.get(f"/{base}{beyond.replace(' ', '%20')}")
            assert parsed.get("location") == answer.headers.get("location")
            assert ("extension" in [step["step"] for step in parsed["steps"]]) is (answer.status == 302)
            if answer.status == 302:
                assert parsed["canonical"] == base + beyond
