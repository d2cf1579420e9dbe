"""The interfaces of other registries, through the functions: Bioregistry, identifiers.org, N2T, lists for `curies`."""

import re
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System
from tests.support.stores.outages import outage

OBO, OLS = "http://purl.example.org/obo/GO_", "https://ols.example.org/go?id=GO:"
HERE = "https://content.example.org/a"
OLD_AT_HAND = "https://identifiers.org/"
JSON, YAML = "application/json", "application/yaml"
REFERENCE = {
    "query": {"prefix": "gene", "identifier": "0006915"},
    "providers": {"obo": OBO + "0006915", "ols": OLS + "0006915"},
}


@pytest.fixture(scope="session")
def registry(untouched: System) -> System:
    """A system with `gene`, of two providers; `oldgene`, which is deprecated; `nobody`, whom nobody resolves."""
    running = untouched.copied()
    meaning = {"kind": "provider", "title": "Genes", "homepage": "https://genes.example.org/", "pattern": "^\\d{7}$"}
    providers = [{"code": "obo", "url": OBO + "{$id}"}, {"code": "ols", "title": "OLS", "url": OLS + "{$id}"}]
    more = {"example": "0006915", "synonyms": ["genes"], "providers": providers}
    old = {
        "kind": "provider",
        "deprecated": True,
        "providers": [{"code": "old", "url": "https://old.example.org/{$id}"}],
    }
    for name, document in (("gene", meaning | more), ("oldgene", old), ("nobody", {"kind": "provider"})):
        assert running.admin("PUT", f"/api/v1/prefixes/{name}", document).status == 201
    return running


@pytest.fixture(scope="session")
def ours(registry: System) -> str:
    identifier: str = registry.mint({"prefix": "demo", "uri": HERE}).json()["id"]
    return identifier


@pytest.fixture(scope="session")
def withdrawn(registry: System) -> str:
    minted: str = registry.mint({"prefix": "demo", "uri": HERE}).json()["id"]
    path = f"/api/v1/records/demo/{minted}"
    body = b'{"reason": "Published by mistake"}'
    headers = [("If-Match", "*"), ("Content-Type", JSON)]
    assert registry.request("DELETE", path, headers=headers, body=body, key=registry.admin_key).status == 200
    return minted


@pytest.fixture(scope="session")
def handles(untouched: System) -> System:
    """A system in which others keep Handles."""
    running = untouched.copied()
    for name in ("doi", "hdl", "handle"):
        providers = [{"code": "own", "url": f"https://{name}.example/{{$id}}"}]
        meaning = {"kind": "provider", "encoding": "data", "providers": providers}
        assert running.admin("PUT", f"/api/v1/prefixes/{name}", meaning).status in {200, 201}
    return running


class TestReferences:
    @pytest.mark.parametrize(
        "accept", [JSON, "text/json", "application/json, */*;q=0.5", "Application/JSON;charset=utf-8"]
    )
    def test_a_request_for_json_gets_all_providers(self, registry: System, accept: str) -> None:
        answer = registry.get("/gene:0006915", accept=accept)
        assert (answer.status, answer.headers["content-type"], answer.json()) == (200, JSON, REFERENCE)
        assert answer.canonical == f"{BASE_URL}/gene:0006915"
        assert answer.headers["vary"] == "Accept, Accept-Language"

    @pytest.mark.parametrize("accept", [YAML, "application/x-yaml", "text/yaml;q=0.9, */*;q=0.8"])
    def test_a_request_for_yaml_gets_them_as_yaml(self, registry: System, accept: str) -> None:
        answer = registry.get("/gene:0006915", accept=accept)
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
    def test_everybody_else_is_sent_on(self, registry: System, accept: str | None) -> None:
        answer = registry.get("/gene:0006915", accept=accept)
        assert (answer.status, answer.headers["location"]) == (302, OBO + "0006915")

    @pytest.mark.parametrize(("name", "media_type"), [("json", JSON), ("yaml", YAML), ("yml", YAML), ("YAML", YAML)])
    def test_a_parameter_comes_before_the_header(self, registry: System, name: str, media_type: str) -> None:
        for path in ("/gene:0006915", "/api/reference/gene:0006915"):
            answer = registry.get(path, query=f"format={name}", accept="text/html")
            assert (answer.status, answer.headers["content-type"]) == (200, media_type)
            assert yaml.safe_load(answer.body) == REFERENCE

    @pytest.mark.parametrize("curie", ["gene:0006915", "GENES:0006915", "gene:gene:0006915", "gene:%30006915"])
    def test_the_api_returns_the_same_for_every_spelling(self, registry: System, curie: str) -> None:
        assert registry.get(f"/api/reference/{curie}").json() == REFERENCE

    @pytest.mark.parametrize(
        ("curie", "status", "slug"),
        [
            ("gene:7", 400, "invalid-pattern"),
            ("gene", 400, "bad-reference"),
            ("2021/06/demo", 400, "bad-reference"),
            ("demo:tw0t-ywdj-95", 400, "invalid-check"),
            ("demo:zzzz-zzzz-90", 404, "unregistered-identifier"),
            ("nobody:1", 404, "no-provider"),
            ("unknown:1", 404, "unknown-prefix"),
        ],
    )
    def test_what_the_api_refuses(self, registry: System, curie: str, status: int, slug: str) -> None:
        assert registry.get(f"/api/reference/{curie}").is_problem(status, slug)

    def test_there_is_no_other_form(self, registry: System) -> None:
        assert registry.get("/api/reference/gene:0006915", query="format=turtle").is_problem(406)
        assert registry.get("/api/reference/gene:0006915", accept="text/turtle").is_problem(406)

    def test_records_of_this_service_answer_as_they_did(self, registry: System, ours: str) -> None:
        record = registry.get(f"/demo:{ours}", accept=JSON).json()
        assert record["id"] == ours
        assert registry.get(f"/demo:{ours}", query="format=json").json() == record

    def test_the_api_returns_the_locations_of_a_record(self, registry: System, ours: str) -> None:
        answer = registry.get(f"/api/reference/demo:{ours.upper()}")
        assert (answer.status, answer.json()) == (
            200,
            {"query": {"prefix": "2021/06/demo", "identifier": ours}, "providers": {"default": HERE}},
        )
        owner = registry.get(f"/demo:{ours}", accept=JSON).json()["repository"]
        assert f"record:{owner}" in answer.headers["cache-tag"]

    @pytest.mark.parametrize(
        ("records", "status", "providers"),
        [
            ([], 200, {}),
            ([{"uri": HERE}, {"uri": f"{HERE}b"}], 200, {"default": HERE, "2": f"{HERE}b"}),
            ([{"uri": HERE, "validUntil": "2020-01-01T00:00:00Z"}], 404, None),
        ],
    )
    def test_it_lists_all_usable_locations(
        self, registry: System, records: list[dict[str, str]], status: int, providers: dict[str, str] | None
    ) -> None:
        minted = registry.mint({"prefix": "demo", "records": records}).json()["id"]
        answer = registry.get(f"/api/reference/demo:{minted}")
        assert (answer.status, answer.json().get("providers")) == (status, providers)

    def test_what_was_withdrawn_is_gone_here_too(self, registry: System, withdrawn: str) -> None:
        for form in ("json", "yaml"):
            answer = registry.get(f"/api/reference/demo:{withdrawn}", query=f"format={form}")
            assert (answer.status, answer.headers["cache-control"]) == (410, "no-store")
            assert yaml.safe_load(answer.body)["providers"] == {}

    @pytest.mark.parametrize("name", ["doi", "hdl", "handle"])
    @pytest.mark.parametrize("accept", [JSON, YAML, "text/json", "application/json, text/html;q=0.5"])
    def test_handles_are_redirected_to_their_proxies(self, handles: System, name: str, accept: str) -> None:
        answer = handles.get(f"/{name}:10.1000/182", accept=accept)
        assert (answer.status, answer.headers["location"]) == (302, f"https://{name}.example/10.1000/182")
        returned = {
            "query": {"prefix": name, "identifier": "10.1000/182"},
            "providers": {"own": answer.headers["location"]},
        }
        for path in (f"/{name}:10.1000/182", f"/api/reference/{name}:10.1000/182"):
            assert handles.get(path, query="format=json", accept=accept).json() == returned


@pytest.mark.parametrize(
    ("address", "status"),
    [("/api/reference/", 404), ("/api/identifiers.org/", 404), ("/.info/", 404), ("/api/v1/parse?id=", 200)],
)
def test_the_target_of_a_reserved_record_is_not_revealed(registry: System, address: str, status: int) -> None:
    minted = registry.mint({"prefix": "demo", "uri": HERE, "status": "reserved"}).json()["id"]
    path, _, query = f"{address}demo:{minted}".partition("?")
    answer = registry.get(path, query=query)
    assert answer.status == status
    assert HERE not in answer.body


@pytest.mark.parametrize("address", ["/api/reference/", "/api/identifiers.org/", "/.info/"])
@pytest.mark.parametrize("accept", [None, "text/html, */*;q=0.1"])
def test_all_responses_of_an_address_depend_on_the_same_headers(
    registry: System, ours: str, address: str, accept: str | None
) -> None:
    paths = ("gene:0006915", f"demo:{ours}", "gene:7", "nobody:1", "unknown:1", "demo:zzzz-zzzz-90", "demo:x")
    answers = [registry.get(f"{address}{path}", accept=accept) for path in paths]
    assert {answer.headers["vary"] for answer in answers} == {"Accept, Accept-Language"}
    assert len({answer.status for answer in answers}) > 1


class TestDots:
    @pytest.mark.parametrize(
        "path",
        [
            "/oldgene:..",
            "/oldgene:../../x",
            "/oldgene:..%2F..%2F",
            "/oldgene:a/../../b",
            "/oldgene:%252E%252e/x",
            "/oldgene:.%252e%5Cx",
            "/oldgene:..%3Fx",
            "/oldgene:..;a/x",
            "/oldgene:a%252Fb/../..",
            "/oldgene:a%255Cb/../..",
            "/oldgene:a%253F/../..",
            "/oldgene:%25252e%25252e/x",
            "/oldgene:x//../..",
            "/gene:1/../../x",
            "/gene:1/../x",
            "/api/reference/oldgene:../x",
        ],
    )
    def test_dots_never_lead_out_of_a_providers_pattern(self, registry: System, path: str) -> None:
        assert registry.get(path).is_problem(400, "bad-reference")

    @pytest.mark.parametrize("identifier", ["a/../b", "a/./b", "..a/b..", "...", "a..b", "a/b/../../c", "a?x=../.."])
    def test_others_arrive_as_they_were_sent(self, registry: System, identifier: str) -> None:
        answer = registry.get(f"/oldgene:{identifier.replace('?', '%3F')}")
        assert (answer.status, answer.headers["location"]) == (302, f"https://old.example.org/{identifier}")

    def test_no_list_has_a_place_that_dots_lead_to(self, registry: System) -> None:
        query = {"code": "query", "url": "https://query.example/?q={$id}"}
        path = {"code": "path", "url": "https://path.example/items/{$id}"}
        document = {"kind": "provider", "providers": [query, path]}
        assert registry.admin("PUT", "/api/v1/prefixes/dotted", document).status == 201
        there = "https://query.example/?q=../admin"
        assert registry.get("/dotted:../admin").headers["location"] == there
        assert registry.get("/dotted:../admin", query="provider=path").is_problem(400, "bad-reference")
        listed = registry.get("/api/reference/dotted:../admin").json()["providers"]
        assert listed == {"query": there}
        envelope = registry.get("/api/identifiers.org/dotted:../admin").json()["payload"]
        places = [each["compactIdentifierResolvedUrl"] for each in envelope["resolvedResources"]]
        assert places == [there]
        page = registry.get("/dotted:../admin", query="format=html").body
        assert "query.example" in page
        assert "path.example" not in page

    def test_where_the_identifier_is_no_part_of_the_path_it_may_be_anything(self, registry: System) -> None:
        assert registry.get("/ols/gene:../..").headers["location"] == f"{OLS}../.."


class TestRegistry:
    def test_a_prefix_is_described_in_bioregistrys_vocabulary(self, registry: System) -> None:
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
        assert registry.get("/api/registry/GENES").json() == entry
        assert yaml.safe_load(registry.get("/api/registry/gene", accept=YAML).body) == entry

    def test_so_are_those_of_this_service_and_those_that_are_deprecated(self, registry: System) -> None:
        assert registry.get("/api/registry/oldgene").json()["deprecated"] is True
        entry = registry.get("/api/registry/2021/06/demo").json()
        assert (entry["uri_format"], entry["example"]) == (f"{BASE_URL}/2021/06/demo/$1", "tw0t-ywdj-94")

    def test_an_unknown_one_is_none(self, registry: System) -> None:
        assert registry.get("/api/registry/unknown").is_problem(404, "unknown-prefix")


class TestDeprecation:
    def test_a_deprecated_prefix_resolves_and_says_so(self, registry: System) -> None:
        answer = registry.get("/oldgene:1")
        assert (answer.status, answer.headers["location"]) == (302, "https://old.example.org/1")
        assert f'<{BASE_URL}/oldgene>; rel="deprecation"' in answer.headers["link"]
        assert registry.get("/oldgene", accept=JSON).json()["deprecated"] is True
        assert registry.get("/gene", accept=JSON).json()["deprecated"] is False
        steps = registry.get("/api/v1/parse", query="id=oldgene:1").json()["steps"]
        assert "deprecated" in [step["step"] for step in steps]

    def test_the_previous_release_can_read_every_other_prefix(self, registry: System) -> None:
        rows = [row for row in registry.contents()["PrefixTable"] if '"provider"' in row]
        assert [row for row in rows if "deprecated" in row] == [row for row in rows if "old.example.org" in row]


def resolution(system: System, text: str) -> tuple[Answer, Any]:
    answer = system.get(f"/api/identifiers.org/{text}")
    assert answer.headers["content-type"] == JSON
    document = answer.json()
    assert document.keys() == {"apiVersion", "errorMessage", "payload"}
    assert document["payload"].keys() == {"resolvedResources", "parsedCompactIdentifier"}
    return answer, document


class TestIdentifiersOrg:
    def test_every_provider_is_a_resource_the_preferred_one_most_recommended(self, registry: System) -> None:
        answer, document = resolution(registry, "gene:0006915")
        assert (answer.status, document["errorMessage"]) == (200, None)
        first, second = document["payload"]["resolvedResources"]
        assert (first["providerCode"], first["compactIdentifierResolvedUrl"]) == ("obo", OBO + "0006915")
        assert (first["official"], first["resourceHomeUrl"]) == (True, "https://genes.example.org/")
        assert (second["providerCode"], second["official"], second["description"]) == ("ols", False, "OLS")
        indexes = [each["recommendation"]["recommendationIndex"] for each in (first, second)]
        assert indexes == [100, 99]

    def test_the_parsed_identifier_is_returned(self, registry: System) -> None:
        _, document = resolution(registry, "ols/GENES:GENE:0006915")
        parsed = document["payload"]["parsedCompactIdentifier"]
        assert (parsed["providerCode"], parsed["namespace"], parsed["localId"]) == ("ols", "gene", "0006915")
        assert parsed["rawRequest"] == "ols/GENES:GENE:0006915"
        assert [each["providerCode"] for each in document["payload"]["resolvedResources"]] == ["ols"]

    def test_a_deprecated_namespace_is_marked(self, registry: System) -> None:
        _, document = resolution(registry, "oldgene:1")
        assert document["payload"]["parsedCompactIdentifier"]["deprecatedNamespace"] is True
        assert document["payload"]["resolvedResources"][0]["deprecatedNamespace"] is True

    def test_a_namespace_alone_leads_to_its_description(self, registry: System) -> None:
        _, document = resolution(registry, "gene")
        (resource,) = document["payload"]["resolvedResources"]
        assert resource["compactIdentifierResolvedUrl"] == f"{BASE_URL}/gene"
        assert document["payload"]["parsedCompactIdentifier"]["localId"] is None

    def test_a_record_of_this_service_leads_to_its_locations(self, registry: System, ours: str) -> None:
        answer, document = resolution(registry, f"2021/06/demo/{ours.upper()}")
        (resource,) = document["payload"]["resolvedResources"]
        assert resource["compactIdentifierResolvedUrl"] == HERE
        assert document["payload"]["parsedCompactIdentifier"]["localId"] == ours
        owner = registry.get(f"/demo:{ours}", accept=JSON).json()["repository"]
        assert f"record:{owner}" in answer.headers["cache-tag"]

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
    def test_a_refusal_has_its_reason_in_the_envelope(self, registry: System, text: str, status: int) -> None:
        answer, document = resolution(registry, text)
        assert answer.status == status
        assert document["errorMessage"]
        assert document["payload"]["resolvedResources"] == []

    def test_a_withdrawn_record_has_no_target(self, registry: System, withdrawn: str) -> None:
        answer, document = resolution(registry, f"demo:{withdrawn}")
        assert answer.status == 410
        assert document["payload"]["resolvedResources"] == []
        assert HERE not in answer.body


class TestN2T:
    def test_the_service_lists_all_prefixes(self, registry: System) -> None:
        document = registry.get("/.info").json()
        assert document.keys() == {"about", "api", "schemes"}
        assert {"demo", "2021/06/demo", "gene", "oldgene"} <= set(document["schemes"])

    def test_an_identifier_is_described_by_its_parts_and_its_target(self, registry: System) -> None:
        document = registry.get("/.info/genes:0006915").json()
        returned = {name: document[name] for name in ("pid", "scheme", "content", "target", "canonical", "status_code")}
        assert returned == {
            "pid": "genes:0006915", "scheme": "genes", "content": "0006915", "target": OBO + "0006915",
            "canonical": "gene:0006915", "status_code": 302,
        }  # fmt: skip
        assert document["properties"]["title"] == "Genes"
        assert document["definition"]["target"] == OBO + "${content}"
        assert document["definition"]["synonym_for"] == "gene"

    def test_so_are_those_of_this_service_and_prefixes(self, registry: System, ours: str) -> None:
        document = registry.get(f"/.info/demo:{ours}").json()
        assert (document["target"], document["canonical"]) == (HERE, f"2021/06/demo/{ours}")
        described = registry.get("/.info/gene").json()
        assert (described["content"], described["target"]) == (None, f"{BASE_URL}/gene")

    def test_a_withdrawn_record_has_no_target(self, registry: System, withdrawn: str) -> None:
        document = registry.get(f"/.info/demo:{withdrawn}").json()
        assert (document["target"], document["status_code"]) == (None, 410)

    @pytest.mark.parametrize(
        ("records", "status"), [([], 200), ([{"uri": HERE, "validUntil": "2020-01-01T00:00:00Z"}], 404)]
    )
    def test_without_a_place_to_lead_to_it_has_the_status_of_the_response(
        self, registry: System, records: list[dict[str, str]], status: int
    ) -> None:
        minted = registry.mint({"prefix": "demo", "records": records}).json()["id"]
        document = registry.get(f"/.info/demo:{minted}").json()
        assert (document["target"], document["status_code"]) == (None, status)
        assert registry.get(f"/demo:{minted}").status == status

    def test_an_unknown_prefix_is_an_error(self, registry: System) -> None:
        answer = registry.get("/.info/unknown:1/x")
        assert answer.status == 404
        assert answer.json() == {
            "pid": "unknown:1/x", "scheme": "unknown", "content": "1/x", "prefix": "1", "value": "x",
            "error": "No match was found for unknown:1/x",
        }  # fmt: skip

    def test_no_prefix_can_be_registered_at_its_address(self, registry: System) -> None:
        assert registry.admin("PUT", "/api/v1/prefixes/.info", {"kind": "provider"}).status == 422


class TestLifetimes:
    @pytest.mark.parametrize(("ttl", "seconds"), [(5, 5), (0, 0), (86_400, 60)])
    def test_nothing_is_stored_longer_than_the_record_allows(self, registry: System, ttl: int, seconds: int) -> None:
        minted = registry.mint({"prefix": "demo", "uri": HERE, "ttl": ttl}).json()["id"]
        for address in ("/.info/", "/api/identifiers.org/", "/api/reference/"):
            answer = registry.get(f"{address}demo:{minted}")
            assert f"max-age={seconds}, s-maxage={seconds}," in answer.headers["cache-control"], address

    def test_nor_longer_than_the_repository_or_the_prefix_does(self, registry: System) -> None:
        made = registry.admin("POST", "/api/v1/repositories", {"title": "Changes often", "ttl": 7}).json()
        meaning = {"kind": "namespace", "repository": made["id"]}
        assert registry.admin("PUT", "/api/v1/prefixes/moving", meaning).status == 201
        minted = registry.mint({"prefix": "moving", "uri": HERE}).json()["id"]
        providers = [{"code": "own", "url": "https://a.example/{$id}"}]
        meaning = {"kind": "provider", "ttl": 7, "providers": providers}
        assert registry.admin("PUT", "/api/v1/prefixes/brief", meaning).status == 201
        for pid in (f"moving:{minted}", "moving", "brief:1", "brief"):
            for address in ("/.info/", "/api/identifiers.org/"):
                assert "max-age=7," in registry.get(address + pid).headers["cache-control"], address + pid
        for name in ("moving", "brief"):
            assert "max-age=7," in registry.get(f"/api/registry/{name}").headers["cache-control"]


def plain(url: str) -> str:
    """Without what makes no difference to the lookup."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    rest = re.sub("%(?![0-9A-Fa-f]{2})", "%25", url.partition("://")[2].partition("/")[2])
    for escape, sign in (("%3a", ":"), ("%2e", "."), (" ", "%20"), ("é", "%C3%A9")):
        rest = rest.replace(escape, sign)
    return f"{parts.hostname}/{rest}".rstrip("/")


class TestReverse:
    @pytest.mark.parametrize("url", [OBO + "0006915", OBO.replace("http", "https") + "0006915/", OLS + "0006915"])
    def test_a_url_leads_back_to_its_curie(self, registry: System, url: str) -> None:
        document = registry.request("POST", "/api/v1/parse", document={"id": url}).json()
        assert document["curies"] == ["gene:0006915"]
        assert "curie" in [step["step"] for step in document["steps"]]

    def test_the_url_of_a_known_resolver_is_an_identifier_already(self, registry: System) -> None:
        document = registry.get("/api/v1/parse", query="id=https://identifiers.org/gene:0006915").json()
        assert (document["canonical"], document["curies"]) == ("gene:0006915", ["gene:0006915"])

    @pytest.mark.parametrize(
        "url",
        [
            OBO.replace("http://", "http://user@"),
            OBO.replace(".org/", ".org:443/") + "0006915",
            OBO.replace("http:", "https:").replace(".org/", ".org:80/") + "0006915",
            "https://old.example.org/What%3F",
            "https://old.example.org/a%2520b",
            "https://old.example.org/a%0A",
            "https://old.example.org/a\x0bb",
            "https://old.example.org/../old",
            "https://old.example.org/oldgene:1",
            "https://identifiers.org/oldgene:a%253Fb",
        ],
    )
    def test_no_curie_leads_elsewhere(self, registry: System, url: str) -> None:
        assert registry.request("POST", "/api/v1/parse", document={"id": url}).json()["curies"] == []

    def test_a_percent_sign_is_escaped_for_pasting(self, registry: System) -> None:
        document = registry.request("POST", "/api/v1/parse", document={"id": "https://old.example.org/100%25"}).json()
        assert document["curies"] == ["oldgene:100%25"]

    @pytest.mark.parametrize(
        "url", [OBO.replace(".org/", ".org:80/"), OBO.replace(".org/", ".org:443/").replace("http:", "HTTPS:")]
    )
    def test_the_port_of_the_scheme_makes_no_difference(self, registry: System, url: str) -> None:
        document = registry.request("POST", "/api/v1/parse", document={"id": url + "0006915"}).json()
        assert document["curies"] == ["gene:0006915"]

    @given(
        st.sampled_from([OBO, OLS, "https://old.example.org/", "http://OLD.example.org:80/", f"{OLD_AT_HAND}oldgene:"]),
        st.lists(st.sampled_from([*"aZ09.:/?#&=+%;~é ", "%25", "%3F", "%2e", "%3a", "%0A", "%E9", ".."])).map("".join)
        | st.from_regex(r"[0-9]{7}/?", fullmatch=True),
    )
    @example("https://old.example.org/", "%3F")
    @example("https://old.example.org/", "x%0A")
    def test_every_curie_leads_back_escaped_or_pasted(self, registry: System, beginning: str, rest: str) -> None:
        document = registry.request("POST", "/api/v1/parse", document={"id": beginning + rest}).json()
        # The CURIE of a resolver's URL leads where the URL does, others to the URL or to its beginning before a tail.
        is_resolvers = beginning.startswith(OLD_AT_HAND)
        goal = plain((is_resolvers and document["location"]) or (beginning + rest).strip())
        for curie in document["curies"]:
            provider = "ols" if beginning == OLS else ""
            for path in (quote(curie, safe="/:"), quote(curie, safe="/:%")):
                answer = registry.get(f"/{path}", query=f"provider={provider}" if provider else "")
                assert answer.status == 302
                reached = plain(answer.headers["location"])
                assert goal.startswith(reached)
                assert goal == reached or (goal[len(reached)] in "/.?#;&" and not is_resolvers)

    @pytest.mark.parametrize("text", ["gene:0006915", "", "https://elsewhere.example.org/", OBO + "7"])
    def test_nothing_else_leads_to_any(self, registry: System, text: str) -> None:
        assert registry.request("POST", "/api/v1/parse", document={"ids": [text]}).json()["results"][0]["curies"] == []


class TestOutages:
    def test_requests_that_need_all_prefixes_are_503_in_an_outage(self, fresh: System) -> None:
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
