"""Prefixes and repositories: registered, described, listed, and permanent."""

from typing import Any

import pytest

from tests.e2e.created_records import HERE, THERE, Holding, dated, fresh_name, hold, register
from tests.e2e.service import PREFIXES, RECORDS, REPOSITORIES, Service

CHANGED_PREFIXES = 60  # seconds in which a change to a prefix is seen (docs/explanation/caching.md)

GENES: dict[str, Any] = {
    "title": "Genes",
    "pattern": r"^\d{7}$",
    "example": "0006915",
    "providers": [
        {"code": "own", "title": "Its own", "url": "https://genes.example/{$id}"},
        {"code": "other", "title": "Another", "url": "https://other.example/genes?id={$id}"},
    ],
}


@pytest.fixture(scope="module")
def name(service: Service) -> str:
    """A prefix of identifiers that are kept elsewhere."""
    name = fresh_name()
    document = register(service, name, synonyms=[f"{name}-too"], **GENES)
    assert {member: document[member] for member in GENES} == GENES
    return name


class TestIdentifiersKeptElsewhere:
    @pytest.mark.parametrize(
        "written",
        [
            "{name}:0006915",
            "{name}/0006915",
            "{upper}:0006915",
            "{name}:{upper}:0006915",
            "{name}/{name}:0006915",
            "{name}%3A0006915",
            "{name}-too:0006915",
            "own/{name}:0006915",
            "{name}:0006915?provider=own",
            "{name}:0006915?provider=%4Fwn",
            "resolve/{name}:0006915",
        ],
    )
    def test_every_spelling_leads_to_the_first_provider(self, service: Service, name: str, written: str) -> None:
        reply = service.get("/" + written.format(name=name, upper=name.upper()))
        assert (reply.status, reply.headers["location"]) == (302, "https://genes.example/0006915")
        assert reply.canonical == f"{service.issuer}/{name}:0006915"

    @pytest.mark.parametrize("written", ["other/{}:0006915", "{}:0006915?provider=other"])
    def test_another_provider_is_had_by_its_name(self, service: Service, name: str, written: str) -> None:
        reply = service.get("/" + written.format(name))
        assert (reply.status, reply.headers["location"]) == (302, "https://other.example/genes?id=0006915")

    @pytest.mark.parametrize("written", ["nobody/{}:0006915", "{}:0006915?provider=nobody"])
    def test_one_that_there_is_not_is_404(self, service: Service, name: str, written: str) -> None:
        reply = service.get("/" + written.format(name))
        assert reply.refusal == (404, "unknown-provider")
        assert reply.json()["providers"] == ["own", "other"]

    def test_a_pattern_warns_unless_it_is_strict(self, service: Service, name: str) -> None:
        assert service.get(f"/{name}:x").status == 302
        assert service.get(f"/{name}:x?strict=1").refusal == (400, "invalid-pattern")

    def test_the_prefix_describes_itself_to_programs_and_people(self, service: Service, name: str) -> None:
        returned = service.get(f"/{name}", Accept="application/json")
        assert (returned.status, returned.json()["prefix"], returned.json()["example"]) == (200, name, "0006915")
        page = service.get(f"/{name}", Accept="text/html")
        assert (page.status, page.media_type) == (200, "text/html")
        assert "0006915" in page.text

    def test_it_is_read_and_listed_as_it_was_registered(self, service: Service, name: str) -> None:
        read = service.admin("GET", f"{PREFIXES}/{name}")
        assert read.status == 200
        assert {member: read.json()[member] for member in GENES} == GENES
        assert service.admin("GET", f"{PREFIXES}/{name}-too").json() == read.json()
        listed = service.admin("GET", f"{PREFIXES}?q={name}").json()["prefixes"]
        assert name in [each["prefix"] for each in listed]

    def test_a_change_is_seen_within_the_promised_time(self, service: Service) -> None:
        name = fresh_name()
        register(service, name, providers=[{"code": "own", "url": "https://old.example/{$id}"}])
        assert service.get(f"/{name}:1").headers["location"] == "https://old.example/1"
        providers = [{"code": "own", "url": "https://new.example/{$id}"}]
        assert service.admin("PUT", f"{PREFIXES}/{name}", {"kind": "provider", "providers": providers}).status == 200
        seen = service.seen_within(
            CHANGED_PREFIXES, lambda: service.get(f"/{name}:1").headers["location"], "https://new.example/1"
        )
        assert seen == "https://new.example/1"


class TestRepositories:
    def test_one_has_an_opaque_id_and_is_read_back(self, service: Service) -> None:
        terms = {"title": "é", "scheme": "lui", "rules": {"symbols": 6}, "ttl": 0, "redirect": 303}
        made = service.admin("POST", REPOSITORIES, terms)
        assert made.status == 201
        assert {member: made.json()[member] for member in terms} == terms
        read = service.admin("GET", service.path_of(made.headers["location"]))
        assert (read.status, read.json(), read.headers["etag"]) == (200, made.json(), made.headers["etag"])
        assert made.headers["location"].endswith(f"/{made.json()['id']}")

    def test_its_rules_hold(self, service: Service) -> None:
        own = hold(service, rules={"symbols": 3}, ttl=7, redirect=307, domains=["content.example.org"])
        minted = own.mint()
        assert len(minted.id.replace("-", "")) == 5
        reply = service.get(minted.path)
        assert (reply.status, reply.headers["location"]) == (307, HERE)
        assert "max-age=7," in reply.headers["cache-control"]
        elsewhere = service.admin("POST", RECORDS, {"prefix": own.prefix, "uri": "https://evil.example/"})
        assert elsewhere.refusal == (422, "invalid-input")
        assert elsewhere.pointers == ["/uri"]
        assert service.get(f"/{own.prefix}:tw0t-ywdj-94").refusal == (400, "invalid-length")

    def test_what_is_no_rule_is_refused_with_its_place(self, service: Service) -> None:
        reply = service.admin("POST", REPOSITORIES, {"title": "x", "rules": {"symbols": "8"}})
        assert reply.refusal == (422, "invalid-input")
        assert reply.pointers == ["/rules/symbols"]


class TestNamespaces:
    def test_a_date_qualified_name_and_a_short_one_are_the_same_repository(self, service: Service) -> None:
        name = fresh_name()
        own = hold(service, dated(name), name)
        for prefix in own.prefixes:
            read = service.admin("GET", f"{PREFIXES}/{prefix}").json()
            assert (read["prefix"], read["canonical"]) == (prefix, own.prefix)
            assert service.get(f"/{prefix}").status == 200
        minted = own.mint(prefix=name)
        assert minted.pid == f"{service.issuer}/{own.prefix}/{minted.id}"

    def test_a_name_once_used_is_never_given_to_another_repository(self, service: Service, holding: Holding) -> None:
        other = service.admin("POST", REPOSITORIES, {"title": "Another"}).json()["id"]
        for prefix in holding.prefixes:
            for document in (
                {"kind": "namespace", "repository": other},
                {"kind": "provider", "providers": [{"code": "x", "url": THERE + "/{$id}"}]},
            ):
                assert service.admin("PUT", f"{PREFIXES}/{prefix}", document).refusal == (409, "prefix-taken")
            again = {"kind": "namespace", "repository": holding.repository}
            assert service.admin("PUT", f"{PREFIXES}/{prefix}", again).status == 200

    def test_an_unknown_prefix_differs_from_an_unknown_identifier(self, service: Service, holding: Holding) -> None:
        assert service.get(f"/{fresh_name()}:tw0t-ywdj-94").refusal == (404, "unknown-prefix")
        assert service.get(f"/{holding.prefix}/0000-0000-98").refusal == (404, "unregistered-identifier")

    @pytest.mark.parametrize("name", ["api", "problems/x", "resolve", "health", "%20x", "a//b"])
    def test_a_name_that_no_request_could_mean_is_refused(self, service: Service, holding: Holding, name: str) -> None:
        document = {"kind": "namespace", "repository": holding.repository}
        assert service.admin("PUT", f"{PREFIXES}/{name}", document).refusal == (422, "invalid-input")
