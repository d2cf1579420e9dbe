"""Repositories and prefixes through the functions: created, read, changed, and visible to resolving at once."""

import json
from typing import Any

import pytest

from coolid.identifiers.schemes import lui
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

PREFIXES = "/api/v1/prefixes"
REPOSITORIES = "/api/v1/repositories"
PROVIDER = {
    "kind": "provider",
    "title": "Gene Ontology",
    "pattern": r"^\d{7}$",
    "example": "0006915",
    "synonyms": ["gene_ontology"],
    "providers": [
        {"code": "amigo", "title": "AmiGO", "url": "https://amigo.example/term/{$id}"},
        {"code": "ols", "title": "OLS", "url": "https://ols.example/terms?id={$id}"},
    ],
}


def repository(system: System, **members: Any) -> str:
    answer = system.admin("POST", REPOSITORIES, {"title": "A repository"} | members)
    assert answer.status == 201
    identifier: str = answer.json()["id"]
    return identifier


def alias(system: System, name: str, owner: str) -> Any:
    return system.admin("PUT", f"{PREFIXES}/{name}", {"kind": "namespace", "repository": owner})


class TestRepositories:
    def test_one_is_created_with_an_opaque_id_and_read_back(self, light: System) -> None:
        rules = {
            "title": "é",
            "scheme": "lui",
            "rules": {"symbols": 6},
            "ttl": 0,
            "redirect": 303,
            "domains": ["a.example"],
        }
        answer = light.admin("POST", REPOSITORIES, rules)
        document = answer.json()
        assert answer.status == 201
        assert lui.is_valid(document["id"])
        assert answer.headers["location"] == f"{BASE_URL}{REPOSITORIES}/{document['id']}"
        assert {name: document[name] for name in rules} == rules
        assert document["canonical"] is None
        read = light.admin("GET", f"{REPOSITORIES}/{document['id']}")
        assert (read.status, read.json(), read.headers["etag"]) == (200, document, answer.headers["etag"])

    def test_its_rules_hold_for_what_is_minted_and_resolved(self, light: System) -> None:
        owner = repository(
            light, rules={"symbols": 3}, ttl=7, redirect=307, domains=["content.example.org", "other.example"]
        )
        alias(light, "rules", owner)
        minted = light.mint({"prefix": "rules", "uri": "https://www.content.example.org/"}).json()
        assert lui.is_valid(minted["id"], 3)
        answer = light.get(f"/rules:{minted['id']}")
        assert answer.status == 307
        assert "max-age=7," in answer.headers["cache-control"]
        assert light.mint({"prefix": "rules", "uri": "https://example.net/"}).is_problem(422)
        assert light.get("/rules:tw0t-ywdj-94").is_problem(400, "invalid-length")

    def test_an_unknown_one_is_not_found(self, light: System) -> None:
        assert light.admin("GET", f"{REPOSITORIES}/zzzz-zzzz-90").is_problem(404, "unknown-repository")

    @pytest.mark.parametrize(
        ("members", "pointer"),
        [
            ({"scheme": "nonsense"}, "/scheme"),
            ({"rules": {"symbols": 0}}, "/rules"),
            ({"rules": {"symbols": 13}}, "/rules"),
            ({"rules": {"symbols": "8"}}, "/rules/symbols"),
            ({"rules": {"symbols": 8.0}}, "/rules/symbols"),
            ({"rules": {"symbols": True}}, "/rules/symbols"),
            ({"rules": {"color": 1}}, "/rules/color"),
            ({"rules": {"a/b~c": 1}}, "/rules/a~1b~0c"),
            ({"rules": []}, "/rules"),
            ({"title": ""}, "/title"),
            ({"color": 1}, "/color"),
        ],
    )
    def test_bad_rules_are_refused_with_their_place_and_nothing_is_written(
        self, light: System, members: dict[str, Any], pointer: str
    ) -> None:
        before = light.contents()
        answer = light.admin("POST", REPOSITORIES, {"title": "A repository"} | members)
        assert answer.is_problem(422, "invalid-input")
        (error,) = answer.json()["errors"]
        assert error["pointer"] == pointer or error["pointer"].startswith(f"{pointer}/")
        assert light.contents() == before


class TestAliases:
    def test_a_new_alias_is_seen_by_resolving_at_once(self, light: System) -> None:
        owner = repository(light)
        assert light.get("/2025/01/event").is_problem(404)
        assert light.get("/2025/01/event/tw0t-ywdj-94").is_problem(404, "unknown-prefix")
        answer = alias(light, "2025/01/event", owner)
        assert answer.status == 201
        assert answer.headers["location"] == f"{BASE_URL}{PREFIXES}/2025/01/event"
        assert light.get("/2025/01/event").status == 200
        assert light.get("/2025/01/event/tw0t-ywdj-94").is_problem(404, "unregistered-identifier")

    def test_the_first_is_the_canonical_one(self, light: System) -> None:
        owner = repository(light)
        for name in ("2025/02/first", "second", "10.5072", "ark:99999/fk4"):
            document = alias(light, name, owner).json()
            assert (document["prefix"], document["canonical"]) == (name, "2025/02/first")
        minted = light.mint({"prefix": "second"}).json()
        assert minted["pid"] == f"{BASE_URL}/2025/02/first/{minted['id']}"
        for path in (f"/second:{minted['id']}", f"/10.5072/{minted['id']}", f"/doi:10.5072/{minted['id']}"):
            assert light.get(path).canonical == minted["pid"]
        assert light.admin("GET", f"{REPOSITORIES}/{owner}").json()["canonical"] == "2025/02/first"

    def test_registering_it_again_changes_it_and_another_repository_does_not_get_it(self, light: System) -> None:
        owner, other = repository(light), repository(light)
        assert alias(light, "mine", owner).status == 201
        assert alias(light, "MINE", owner).status == 200
        before = light.contents()
        assert alias(light, "mine", other).is_problem(409, "prefix-taken")
        assert light.admin("PUT", f"{PREFIXES}/mine", PROVIDER).is_problem(409, "prefix-taken")
        assert light.contents() == before

    def test_an_alias_of_nothing_is_refused(self, light: System) -> None:
        answer = alias(light, "nothing", "zzzz-zzzz-90")
        assert answer.is_problem(422)
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/repository"]


class TestProviderPrefixes:
    def test_one_is_registered_read_resolved_and_changed(self, fresh: System) -> None:
        answer = fresh.admin("PUT", f"{PREFIXES}/go", PROVIDER)
        assert answer.status == 201
        document = answer.json()
        assert {name: document[name] for name in PROVIDER} == PROVIDER
        read = fresh.admin("GET", f"{PREFIXES}/GO")
        assert (read.json(), read.headers["etag"]) == (document, answer.headers["etag"])
        assert fresh.admin("GET", f"{PREFIXES}/gene_ontology").json() == document
        assert fresh.get("/go:0006915").headers["location"] == "https://amigo.example/term/0006915"
        assert fresh.get("/ols/go:0006915").headers["location"] == "https://ols.example/terms?id=0006915"
        assert fresh.get("/go:GO:0006915", query="provider=OLS").headers["location"].endswith("?id=0006915")
        assert fresh.get("/go:x", query="strict=1").is_problem(400, "invalid-pattern")
        changed = fresh.admin(
            "PUT", f"{PREFIXES}/go", PROVIDER | {"providers": PROVIDER["providers"][1:], "synonyms": []}
        )
        assert changed.status == 200
        assert fresh.get("/go:0006915").headers["location"] == "https://ols.example/terms?id=0006915"
        assert fresh.get("/gene_ontology:0006915").is_problem(404, "unknown-prefix")

    @pytest.mark.parametrize(
        "name", ["api", "API/x", "problems", "resolve", "%20go", "go%20", "a//b", "go:", ".x", "%E2%80%8B"]
    )
    def test_a_name_that_no_request_could_mean_is_refused_and_nothing_is_written(
        self, light: System, name: str
    ) -> None:
        before = light.contents()
        assert light.admin("PUT", f"{PREFIXES}/{name}", PROVIDER).is_problem(422)
        assert light.contents() == before

    @pytest.mark.parametrize(
        "document", [{}, [], None, 1, "namespace", {"kind": None}, {"kind": "alias"}, {"kind": []}]
    )
    def test_a_kind_that_there_is_not_is_refused(self, light: System, document: Any) -> None:
        answer = light.request("PUT", f"{PREFIXES}/kindless", body=json.dumps(document).encode(), key=light.admin_key)
        assert answer.is_problem(422)
        assert [error["pointer"] for error in answer.json()["errors"]] in (["/kind"], [""])

    def test_a_pattern_that_could_not_be_enforced_is_refused(self, light: System) -> None:
        answer = light.admin("PUT", f"{PREFIXES}/patterned", PROVIDER | {"pattern": r"(a)\1", "synonyms": []})
        assert answer.is_problem(422)
        assert [error["pointer"] for error in answer.json()["errors"]] == ["/pattern"]

    def test_an_unknown_prefix_is_not_found(self, light: System) -> None:
        for name in ("nobodys", "2021", "2021/06", "%2Frepositories%2Fx"):
            assert light.admin("GET", f"{PREFIXES}/{name}").is_problem(404)


class TestAddresses:
    @pytest.mark.parametrize(
        ("path", "allowed"),
        [
            ("/api/v1/records", {"POST", "OPTIONS"}),
            (f"{REPOSITORIES}", {"POST", "OPTIONS"}),
            (f"{PREFIXES}/demo", {"GET", "HEAD", "PUT", "OPTIONS"}),
            ("/2021/06/demo", {"GET", "HEAD", "OPTIONS"}),
        ],
    )
    def test_other_methods_are_refused_with_those_there_are(self, light: System, path: str, allowed: set[str]) -> None:
        answer = light.admin("TRACE", path)
        assert answer.is_problem(405)
        assert set(answer.headers["allow"].split(", ")) >= allowed
        options = light.request("OPTIONS", path)
        assert options.status == 204
        assert options.headers["allow"] == answer.headers["allow"]

    @pytest.mark.parametrize(
        "path", ["/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/records", "/api/v1/nonsense", "/api/v1/prefixes/"]
    )
    def test_an_address_that_there_is_not_is_a_problem(self, light: System, path: str) -> None:
        for method in ("GET", "POST"):
            answer = light.admin(method, path)
            assert answer.is_problem(answer.status)
            assert answer.status in (404, 405)

    def test_writes_are_not_open_to_other_origins(self, light: System) -> None:
        answer = light.request("OPTIONS", "/api/v1/records", headers=[("Origin", "https://evil.example")])
        assert "POST" not in answer.headers.get("access-control-allow-methods", "")
