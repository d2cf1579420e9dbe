"""The `curies` package loads our list over HTTP; our answers over HTTP beside those of the `bioregistry` package."""

import json
from typing import Any
from urllib.parse import quote

import curies
import pytest
import yaml
from bioregistry.schema.struct import Resource

from coolid.local import bioregistry_prefixes
from coolid.model.prefixes import ProviderPrefix
from tests.support.builders.bioregistry_corrections import corrected_url
from tests.support.servers.coolid_server import Server

NAMES = ("chebi", "efo", "hgnc", "mesh", "ncbitaxon", "obi", "orcid", "pubmed", "swh", "uniprot")
"""Some that have something of their own: an RDF URI, repeated prefixes, colons, a slash behind the identifier."""
AS_JSON = {"Accept": "application/json"}


@pytest.fixture(scope="session")
def manager() -> Any:
    """The package's registry; imported by the worker that needs it, for it takes a while."""
    from bioregistry import manager

    return manager


@pytest.fixture(scope="session")
def some(server: Server, manager: Any) -> dict[str, str]:
    """The Bioregistry's own entries of some prefixes, registered at the server; their examples by name."""
    for prefix in bioregistry_prefixes.prefixes():
        if prefix.name in NAMES:
            register(server, prefix)
    return {name: manager.get_example(name) for name in NAMES}


def register(server: Server, prefix: ProviderPrefix) -> None:
    document = {
        "kind": "provider",
        "title": prefix.title,
        "pattern": prefix.pattern,
        "example": prefix.example,
        "synonyms": list(prefix.synonyms),
        "deprecated": prefix.deprecated,
        "providers": [{"code": each.code, "url": each.url, "title": each.title} for each in prefix.providers],
    }
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    path = f"/api/v1/prefixes/{prefix.name}"
    assert server.request("PUT", path, json.dumps(document).encode(), headers).status in {200, 201}


@pytest.fixture(scope="session")
def converter(server: Server, some: dict[str, str]) -> curies.Converter:
    """As anybody would make it, strictly."""
    return curies.Converter.from_extended_prefix_map(f"{server.url}/api/v1/converter")


def location(server: Server, path: str) -> str:
    answer = server.request("GET", path)
    assert answer.status == 302, answer
    return answer.headers["location"]


def parsed(server: Server, text: str) -> Any:
    body = json.dumps({"id": text}).encode()
    answer = server.request("POST", "/api/v1/parse", body, {"Content-Type": "application/json"})
    assert answer.status == 200
    return json.loads(answer.body)


@pytest.mark.parametrize("name", NAMES)
def test_a_converter_expands_a_curie_to_where_it_is_redirected_and_compresses_that_again(
    server: Server, converter: curies.Converter, some: dict[str, str], name: str
) -> None:
    curie = f"{name}:{some[name]}"
    expanded = converter.expand(curie, strict=True)
    redirected = location(server, f"/{name}:{quote(some[name], safe=':')}")
    # Where something follows the identifier, our own address stands for it, and leads there.
    assert expanded == (f"{server.url}/{curie}" if redirected.endswith("/") else redirected)
    assert converter.compress(expanded, strict=True) == curie
    assert converter.expand(f"{name.upper()}:{some[name]}") == expanded
    assert curie in parsed(server, redirected)["curies"]


@pytest.mark.parametrize("name", NAMES)
def test_a_converter_compresses_our_own_addresses_and_those_of_all_providers(
    server: Server, converter: curies.Converter, some: dict[str, str], name: str
) -> None:
    curie = f"{name}:{some[name]}"
    assert converter.compress(f"{server.url}/{curie}", strict=True) == curie
    returned = json.loads(server.request("GET", f"/api/reference/{curie}").body)
    for url in returned["providers"].values():
        compressed = converter.compress(url) or ""
        if compressed.startswith(f"{name}:"):  # and not another prefix's, which has the beginning, too
            assert compressed.rstrip("/") == curie


def test_a_converter_knows_our_own_namespaces(server: Server, converter: curies.Converter) -> None:
    pid = json.loads(server.mint().body)["pid"]
    assert converter.compress(pid, strict=True).startswith("2021/06/demo:")
    assert converter.expand("demo:tw0t-ywdj-94") == f"{server.url}/demo:tw0t-ywdj-94"


@pytest.mark.parametrize("name", NAMES)
def test_a_reference_and_a_redirect_are_those_of_the_package(
    server: Server, manager: Any, some: dict[str, str], name: str
) -> None:
    path = f"{name}:{quote(some[name], safe=':')}"
    urls = manager.get_providers(name, some[name]).items()
    theirs = {code: corrected_url(name, code, url, some[name]) for code, url in urls}
    assert location(server, f"/{path}") == manager.get_iri(name, some[name]) == theirs["default"]
    returned = json.loads(server.request("GET", f"/{path}", headers=AS_JSON).body)
    if "bptl" in returned["providers"]:  # as identifiers.org calls BioPortal
        theirs["bptl"] = theirs["bioportal"]
    assert curies.Reference.model_validate(returned["query"]).curie == f"{name}:{some[name]}"
    assert returned["providers"].items() <= {**theirs, "rrid": theirs.get("rrid.resource")}.items()
    assert theirs.keys() - returned["providers"].keys() <= {"bioregistry", "rrid.resource", ""}
    written = server.request("GET", f"/api/reference/{path}", headers={"Accept": "application/yaml"})
    assert written.headers["content-type"] == "application/yaml"
    assert yaml.safe_load(written.body) == returned


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_is_one_of_the_packages_model(server: Server, manager: Any, some: dict[str, str], name: str) -> None:
    returned = Resource.model_validate(json.loads(server.request("GET", f"/api/registry/{name}").body))
    assert (returned.get_name(), returned.get_pattern(), returned.get_example()) == (
        manager.get_name(name), manager.get_pattern(name), some[name]
    )  # fmt: skip
    assert returned.get_default_uri(some[name]) == manager.get_default_iri(name, some[name])


def test_identifiers_org_gives_a_resource_for_each_provider(server: Server, some: dict[str, str]) -> None:
    curie = f"uniprot:{some['uniprot']}"
    answer = json.loads(server.request("GET", f"/api/identifiers.org/{curie}").body)
    urls = [each["compactIdentifierResolvedUrl"] for each in answer["payload"]["resolvedResources"]]
    assert urls[0] == location(server, f"/{curie}")
    for resource in answer["payload"]["resolvedResources"]:
        assert location(server, f"/{resource['providerCode']}/{curie}") == resource["compactIdentifierResolvedUrl"]
