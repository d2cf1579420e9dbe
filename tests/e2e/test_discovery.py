"""The service's descriptions of itself, for LinkID clients among others (`docs/reference/linkid.md`)."""

import re

from jwcrypto.jwk import JWK

from tests.e2e.created_records import Minted
from tests.e2e.service import DISCOVERY, Service


def test_it_contains_the_issuer_and_the_resolution_endpoint(service: Service, thing: Minted) -> None:
    reply = service.get(DISCOVERY)
    returned = reply.json()
    assert (reply.status, reply.media_type) == (200, "application/json")
    assert returned["jwks_uri"] == f"{service.issuer}/.well-known/jwks.json"
    endpoint = returned["resolution_endpoint"]
    assert endpoint.startswith(f"{service.issuer}/")
    resolved = service.get(service.path_of(endpoint.replace("{id}", thing.path[1:])))
    assert (resolved.status, resolved.canonical) == (302, thing.pid)
    assert returned["linkid"]["endpoint"] == f"{service.issuer}/resolve/{{identifier}}"
    assert returned["operator"]["policies"] == returned["policies"]
    for name, media_type in returned["formats"].items():
        assert service.get(f"{thing.path}?format={name}").media_type == media_type.partition(";")[0]


def test_public_keys_are_public_and_named_by_their_thumbprints(service: Service, thing: Minted) -> None:
    reply = service.get("/.well-known/jwks.json")
    assert (reply.status, reply.media_type) == (200, "application/jwk-set+json")
    keys = reply.json()["keys"]
    assert keys
    for key in keys:
        assert key.keys() == {"kty", "crv", "x", "y", "kid", "alg", "use"}
        assert (key["kty"], key["crv"], key["alg"]) == ("EC", "P-256", "ES256")
        assert JWK(**key).thumbprint() == key["kid"]


def test_clients_of_arks_and_crawlers_get_their_documents(service: Service) -> None:
    ark = service.get("/.well-known/ark")
    assert (ark.status, ark.media_type) == (200, "text/plain")
    assert f"{service.issuer}/".endswith(ark.text)
    robots = service.get("/robots.txt")
    assert (robots.status, robots.media_type) == (200, "text/plain")
    assert "Disallow: " in robots.text


def test_sitemaps_lead_to_the_public_records(service: Service, thing: Minted) -> None:
    index = service.get("/sitemap.xml")
    assert (index.status, index.media_type) == (200, "application/xml")
    assert f"Sitemap: {service.issuer}/sitemap.xml" in service.get("/robots.txt").text
    sitemaps = re.findall("<loc>([^<]+)</loc>", index.text)
    assert any(thing.pid in service.get(service.path_of(each)).text for each in sitemaps)
    assert service.get("/.well-known/resourcesync").media_type == "application/xml"


def test_policies_and_the_icon_have_their_addresses(service: Service) -> None:
    for url in service.get(DISCOVERY).json()["policies"].values():
        assert service.get(service.path_of(url)).media_type == "text/html"
    assert service.get("/favicon.ico").media_type == "image/x-icon"


def test_nothing_else_is_well_known(service: Service) -> None:
    for path in ("/.well-known/", "/.well-known/nonsense"):
        assert service.get(path).refusal == (404, "no-such-address")


def test_the_front_door_is_a_page(service: Service) -> None:
    reply = service.get("/", Accept="text/html")
    assert (reply.status, reply.media_type) == (200, "text/html")
    assert "default-src 'none'" in reply.headers["content-security-policy"]


def test_the_type_of_a_problem_leads_to_its_description(service: Service) -> None:
    problem = service.get("/.well-known/nonsense").json()
    described = service.get(service.path_of(problem["type"])).json()
    assert {member: described[member] for member in ("type", "title", "status")} == {
        member: problem[member] for member in ("type", "title", "status")
    }
