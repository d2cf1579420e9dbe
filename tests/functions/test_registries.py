"""Other registries' ways to ask, through the functions: Bioregistry, identifiers.org, N2T, lists for `curies`."""

from typing import Any

import pytest
import yaml

from tests.outages import outage
from tests.samples import BASE_URL
from tests.systems import Answer, System

OBO, OLS = "http://purl.example.org/obo/GO_", "https://ols.example.org/go?id=GO:"
HERE = "https://content.example.org/a"
JSON, YAML = "application/json", "application/yaml"
REFERENCE = {
    "query": {"prefix": "gene", "identifier": "0006915"},
    "providers": {"obo": OBO + "0006915", "ols": OLS + "0006915"},
}


@pytest.fixture(scope="module", autouse=True)
def registered(light: System) -> None:
    """`gene`, with two providers; `oldgene`, which is deprecated; `nobody`, whom nobody resolves."""
    meaning = {"kind": "provider", "title": "Genes", "homepage": "https://genes.example.org/", "pattern": "^\\d{7}$"}
    providers = [{"code": "obo", "url": OBO + "{$id}"}, {"code": "ols", "title": "OLS", "url": OLS + "{$id}"}]
    more = {"example": "0006915", "synonyms": ["genes"], "providers": providers}
    old = {
        "kind": "provider",
        "deprecated": True,
        "providers": [{"code": "old", "url": "https://old.example.org/{$id}"}],
    }
    for name, document in (("gene", meaning | more), ("oldgene", old), ("nobody", {"kind": "provider"})):
        assert light.admin("PUT", f"/api/v1/prefixes/{name}", document).status in {200, 201}


@pytest.fixture(scope="module")
def ours(light: System) -> str:
    return light.mint({"prefix": "demo", "uri": HERE}).json()["id"]


@pytest.fixture(scope="module")
def withdrawn(light: System) -> str:
    minted = light.mint({"prefix": "demo", "uri": HERE}).json()["id"]
    path = f"/api/v1/records/demo/{minted}"
    body = b'{"reason": "Published by mistake"}'
    headers = [("If-Match", "*"), ("Content-Type", JSON)]
    assert light.request("DELETE", path, headers=headers, body=body, key=light.admin_key).status == 200
    return minted


class TestReferences:
    @pytest.mark.parametrize(
        "accept", [JSON, "text/json", "application/json, */*;q=0.5", "Application/JSON;charset=utf-8"]
    )
    def test_who_names_json_gets_all_providers(self, light: System, accept: str) -> None:
        answer = light.get("/gene:0006915", accept=accept)
        assert (answer.status, answer.headers["content-type"], answer.json()) == (200, JSON, REFERENCE)
        assert answer.canonical == f"{BASE_URL}/gene:0006915"
        assert answer.headers["vary"] == "Accept, Accept-Language"

    @pytest.mark.parametrize("accept", [YAML, "application/x-yaml", "text/yaml;q=0.9, */*;q=0.8"])
    def test_who_names_yaml_gets_them_as_yaml(self, light: System, accept: str) -> None:
        answer = light.get("/gene:0006915", accept=accept)
        assert (answer.status, answer.headers["content-type"]) == (200, YAML)
        assert yaml.safe_load(answer.body) == REFERENCE

    @pytest.mark.parametrize(
        "accept",
        [
            None,
            "*/*",
            "application/json, text/plain, */*",
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
            "application/ld+json, application/json;q=0.9",
            "text/html, application/json;q=0.5",
            "application/*",
            "application/vnd.citationstyles.csl+json",
        ],
    )
    def test_everybody_else_is_sent_on(self, light: System, accept: str | None) -> None:
        answer = light.get("/gene:0006915", accept=accept)
        assert (answer.status, answer.headers["location"]) == (302, OBO + "0006915")

    @pytest.mark.parametrize(("name", "media_type"), [("json", JSON), ("yaml", YAML), ("yml", YAML), ("YAML", YAML)])
    def test_a_parameter_comes_before_the_header(self, light: System, name: str, media_type: str) -> None:
        for path in ("/gene:0006915", "/api/reference/gene:0006915"):
            answer = light.get(path, query=f"format={name}", accept="text/html")
            assert (answer.status, answer.headers["content-type"]) == (200, media_type)
            assert yaml.safe_load(answer.body) == REFERENCE

    @pytest.mark.parametrize("curie", ["gene:0006915", "GENES:0006915", "gene:gene:0006915", "gene:%30006915"])
    def test_the_api_tells_the_same_of_every_spelling(self, light: System, curie: str) -> None:
        assert light.get(f"/api/reference/{curie}").json() == REFERENCE

    @pytest.mark.parametrize(
        ("curie", "status", "slug"),
        [
            ("gene:7", 400, "invalid-pattern"),
            ("gene", 404, "no-provider"),
            ("nobody:1", 404, "no-provider"),
            ("unknown:1", 404, "unknown-prefix"),
        ],
    )
    def test_what_the_api_refuses(self, light: System, curie: str, status: int, slug: str) -> None:
        assert light.get(f"/api/reference/{curie}").is_problem(status, slug)

    def test_there_is_no_other_form(self, light: System) -> None:
        assert light.get("/api/reference/gene:0006915", query="format=turtle").is_problem(406)
        assert light.get("/api/reference/gene:0006915", accept="text/turtle").is_problem(406)

    def test_records_of_ours_answer_as_they_did(self, light: System, ours: str) -> None:
        record = light.get(f"/demo:{ours}", accept=JSON).json()
        assert record["id"] == ours
        assert light.get(f"/demo:{ours}", query="format=json").json() == record


class TestRegistry:
    def test_a_prefix_is_told_in_bioregistrys_words(self, light: System) -> None:
        entry = {
            "prefix": "gene",
            "preferred_prefix": "gene",
            "name": "Genes",
            "homepage": "https://genes.example.org/",
            "pattern": "^\\d{7}$",
            "example": "0006915",
            "uri_format": OBO + "$1",
            "providers": [{"code": "ols", "name": "OLS", "uri_format": OLS + "$1"}],
            "synonyms": ["genes"],
        }
        assert light.get("/api/registry/GENES").json() == entry
        assert yaml.safe_load(light.get("/api/registry/gene", accept=YAML).body) == entry

    def test_so_are_those_of_ours_and_those_that_are_deprecated(self, light: System) -> None:
        assert light.get("/api/registry/oldgene").json()["deprecated"] is True
        entry = light.get("/api/registry/2021/06/demo").json()
        assert (entry["uri_format"], entry["example"]) == (f"{BASE_URL}/2021/06/demo/$1", "tw0t-ywdj-94")

    def test_an_unknown_one_is_none(self, light: System) -> None:
        assert light.get("/api/registry/unknown").is_problem(404, "unknown-prefix")


class TestDeprecation:
    def test_a_deprecated_prefix_resolves_and_says_so(self, light: System) -> None:
        answer = light.get("/oldgene:1")
        assert (answer.status, answer.headers["location"]) == (302, "https://old.example.org/1")
        assert f'<{BASE_URL}/oldgene>; rel="deprecation"' in answer.headers["link"]
        assert light.get("/oldgene", accept=JSON).json()["deprecated"] is True
        assert light.get("/gene", accept=JSON).json()["deprecated"] is False
        steps = light.get("/api/v1/parse", query="id=oldgene:1").json()["steps"]
        assert "deprecated" in [step["step"] for step in steps]

    def test_the_release_before_can_read_every_other_prefix(self, light: System) -> None:
        rows = [row for row in light.contents()["PrefixTable"] if '"provider"' in row]
        assert [row for row in rows if "deprecated" in row] == [row for row in rows if "old.example.org" in row]


def resolution(system: System, text: str) -> tuple[Answer, Any]:
    answer = system.get(f"/api/identifiers.org/{text}")
    assert answer.headers["content-type"] == JSON
    document = answer.json()
    assert document.keys() == {"apiVersion", "errorMessage", "payload"}
    assert document["payload"].keys() == {"resolvedResources", "parsedCompactIdentifier"}
    return answer, document


class TestIdentifiersOrg:
    def test_every_provider_is_a_resource_the_preferred_one_most_recommended(self, light: System) -> None:
        answer, document = resolution(light, "gene:0006915")
        assert (answer.status, document["errorMessage"]) == (200, None)
        first, second = document["payload"]["resolvedResources"]
        assert (first["providerCode"], first["compactIdentifierResolvedUrl"]) == ("obo", OBO + "0006915")
        assert (first["official"], first["resourceHomeUrl"]) == (True, "https://genes.example.org/")
        assert (second["providerCode"], second["official"], second["description"]) == ("ols", False, "OLS")
        indexes = [each["recommendation"]["recommendationIndex"] for each in (first, second)]
        assert indexes == [100, 99]

    def test_what_was_understood_is_told(self, light: System) -> None:
        _, document = resolution(light, "ols/GENES:GENE:0006915")
        parsed = document["payload"]["parsedCompactIdentifier"]
        assert (parsed["providerCode"], parsed["namespace"], parsed["localId"]) == ("ols", "gene", "0006915")
        assert parsed["rawRequest"] == "ols/GENES:GENE:0006915"
        assert [each["providerCode"] for each in document["payload"]["resolvedResources"]] == ["ols"]

    def test_a_deprecated_namespace_is_told_as_one(self, light: System) -> None:
        _, document = resolution(light, "oldgene:1")
        assert document["payload"]["parsedCompactIdentifier"]["deprecatedNamespace"] is True
        assert document["payload"]["resolvedResources"][0]["deprecatedNamespace"] is True

    def test_a_namespace_alone_leads_to_its_description(self, light: System) -> None:
        _, document = resolution(light, "gene")
        (resource,) = document["payload"]["resolvedResources"]
        assert resource["compactIdentifierResolvedUrl"] == f"{BASE_URL}/gene"
        assert document["payload"]["parsedCompactIdentifier"]["localId"] is None

    def test_a_record_of_ours_leads_to_its_locations(self, light: System, ours: str) -> None:
        answer, document = resolution(light, f"2021/06/demo/{ours.upper()}")
        (resource,) = document["payload"]["resolvedResources"]
        assert resource["compactIdentifierResolvedUrl"] == HERE
        assert document["payload"]["parsedCompactIdentifier"]["localId"] == ours
        assert f"record:{light.get(f'/demo:{ours}', accept=JSON).json()['repository']}" in answer.headers["cache-tag"]

    @pytest.mark.parametrize(
        ("text", "status"),
        [
            ("unknown:1", 400),
            ("nobody:1", 404),
            ("other/gene:0006915", 400),
            ("gene:%zz", 400),
            ("demo:tw0t-ywdj-95", 400),
            ("demo:zzzz-zzzz-90", 404),
        ],
    )
    def test_a_refusal_has_its_reason_in_the_envelope(self, light: System, text: str, status: int) -> None:
        answer, document = resolution(light, text)
        assert answer.status == status
        assert document["errorMessage"]
        assert document["payload"]["resolvedResources"] == []

    def test_what_was_withdrawn_leads_nowhere(self, light: System, withdrawn: str) -> None:
        answer, document = resolution(light, f"demo:{withdrawn}")
        assert answer.status == 410
        assert document["payload"]["resolvedResources"] == []
        assert HERE not in answer.body


class TestN2T:
    def test_the_service_tells_what_identifiers_begin_with(self, light: System) -> None:
        document = light.get("/.info").json()
        assert document.keys() == {"about", "api", "schemes"}
        assert {"demo", "2021/06/demo", "gene", "oldgene"} <= set(document["schemes"])

    def test_an_identifier_is_told_in_parts_with_where_it_leads(self, light: System) -> None:
        document = light.get("/.info/genes:0006915").json()
        told = {name: document[name] for name in ("pid", "scheme", "content", "target", "canonical", "status_code")}
        assert told == {
            "pid": "genes:0006915", "scheme": "genes", "content": "0006915", "target": OBO + "0006915",
            "canonical": "gene:0006915", "status_code": 302,
        }  # fmt: skip
        assert document["properties"]["title"] == "Genes"
        assert document["definition"]["target"] == OBO + "${content}"
        assert document["definition"]["synonym_for"] == "gene"

    def test_so_are_those_of_ours_and_prefixes(self, light: System, ours: str) -> None:
        document = light.get(f"/.info/demo:{ours}").json()
        assert (document["target"], document["canonical"]) == (HERE, f"2021/06/demo/{ours}")
        described = light.get("/.info/gene").json()
        assert (described["content"], described["target"]) == (None, f"{BASE_URL}/gene")

    def test_what_was_withdrawn_leads_nowhere(self, light: System, withdrawn: str) -> None:
        document = light.get(f"/.info/demo:{withdrawn}").json()
        assert (document["target"], document["status_code"]) == (None, 410)

    def test_what_begins_with_nothing_that_is_known_is_told_as_an_error(self, light: System) -> None:
        answer = light.get("/.info/unknown:1/x")
        assert answer.status == 404
        assert answer.json() == {
            "pid": "unknown:1/x", "scheme": "unknown", "content": "1/x", "prefix": "1", "value": "x",
            "error": "No match was found for unknown:1/x",
        }  # fmt: skip

    def test_no_prefix_can_be_registered_at_its_address(self, light: System) -> None:
        assert light.admin("PUT", "/api/v1/prefixes/.info", {"kind": "provider"}).status == 422


class TestReverse:
    @pytest.mark.parametrize("url", [OBO + "0006915", OBO.replace("http", "https") + "0006915/", OLS + "0006915"])
    def test_a_url_leads_back_to_its_curie(self, light: System, url: str) -> None:
        document = light.request("POST", "/api/v1/parse", document={"id": url}).json()
        assert document["curies"] == ["gene:0006915"]
        assert "curie" in [step["step"] for step in document["steps"]]

    def test_the_url_of_a_known_resolver_is_an_identifier_already(self, light: System) -> None:
        document = light.get("/api/v1/parse", query="id=https://identifiers.org/gene:0006915").json()
        assert (document["canonical"], document["curies"]) == ("gene:0006915", ["gene:0006915"])

    @pytest.mark.parametrize("text", ["gene:0006915", "", "https://elsewhere.example.org/", OBO + "7"])
    def test_nothing_else_leads_to_any(self, light: System, text: str) -> None:
        assert light.request("POST", "/api/v1/parse", document={"ids": [text]}).json()["results"][0]["curies"] == []


class TestOutages:
    def test_what_needs_all_prefixes_is_503_while_nobody_can_tell_them(self, fresh: System) -> None:
        with outage():
            for path in ("/api/v1/converter", "/.info"):
                assert fresh.get(path).is_problem(503, "store-unavailable")
            assert fresh.request("POST", "/api/v1/parse", document={"id": OBO + "1"}).is_problem(503)

    def test_the_list_is_read_once_for_some_minutes(self, fresh: System) -> None:
        whole = fresh.get("/api/v1/converter")
        assert whole.status == 200
        with outage():
            assert fresh.get("/api/v1/converter").body == whole.body
            assert fresh.get("/.info").status == 200
