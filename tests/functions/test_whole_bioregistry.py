"""The whole Bioregistry: responses for each prefix's example, compared with those of the package."""

import json
from typing import Any
from urllib.parse import quote, unquote

import curies
import pytest
from bioregistry.schema.struct import Resource

from coolid.local import bioregistry_prefixes
from coolid.model.prefixes import ProviderPrefix, join
from coolid.recognition.page_urls import PAGES
from coolid.resolution.url_patterns import UrlPatternIndex
from tests.support.builders.bioregistry_corrections import corrected_url
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

OF_OTHERS = {
    "bioregistry": "its own address for the identifier; ours is the canonical link",
    "": "a provider without a code cannot be named",
    "rrid.resource": "called `rrid` here",
    "rdf": "where there is no default, a name in RDF that may lead nowhere",
}
"""Providers that the package tells and we do not, and why."""
OF_IDENTIFIERS_ORG = ("bptl", "ols")
"""Codes of identifiers.org for providers that the package leaves out of a prefix or names otherwise."""


@pytest.fixture(scope="session")
def manager() -> Any:
    """The package's registry; imported by the worker that needs it, for it takes a while."""
    from bioregistry import manager

    return manager


@pytest.fixture(scope="session")
def examples(manager: Any) -> dict[str, str]:
    """An example identifier for each prefix that has one."""
    found = ((name, resource.get_example()) for name, resource in manager.registry.items())
    return {name: example for name, example in found if example}


@pytest.fixture(scope="session")
def locations(world: System, examples: dict[str, str]) -> dict[str, str | None]:
    """Where each of the examples is redirected to; None where it is not."""
    return {name: world.get(path_of(name, example)).headers.get("location") for name, example in examples.items()}


def path_of(name: str, example: str) -> str:
    return f"/{quote(name, safe='')}:{quote(example, safe='')}"


def same(ours: str, theirs: str | None) -> bool:
    """Whether it is the same URL, but for escapes of what no URL may hold, which the package leaves out."""
    return theirs is not None and (ours == theirs or unquote(ours) == unquote(theirs))


def test_every_redirect_is_the_packages_own_or_goes_where_the_package_has_no_default(
    locations: dict[str, str | None], manager: Any, examples: dict[str, str]
) -> None:
    different, more = [], []
    for name, location in locations.items():
        default = manager.get_default_iri(name, examples[name])
        default = default and corrected_url(name, "default", default, examples[name])
        if default is None and location is not None:
            more.append((name, location))
        elif location is not None and not same(location, default):
            different.append((name, location, default))
        elif location is None:
            assert default is None, name
    assert different == []
    assert len(more) < 20, "prefixes without a default format, of which another registry or provider knows the place"


def test_every_default_of_the_package_is_its_iri_where_it_is_no_address_of_bioregistry(
    manager: Any, examples: dict[str, str]
) -> None:
    """`get_iri` is what we hold ourselves to: where it differs from the default, it is of bioregistry.io itself."""
    for name, example in examples.items():
        iri, default = manager.get_iri(name, example), manager.get_default_iri(name, example)
        assert iri == default or (default is None and "bioregistry.io" in iri), name


def test_every_reference_has_the_providers_of_the_package(
    world: System, manager: Any, examples: dict[str, str]
) -> None:
    different: list[tuple[str, ...]] = []
    for name, example in examples.items():
        answer = world.get(path_of(name, example), query="format=json")
        urls = manager.get_providers(name, example).items()
        theirs = {code: corrected_url(name, code, url, example) for code, url in urls}
        if answer.status != 200:
            assert theirs.keys() <= OF_OTHERS.keys(), name
            continue
        document = answer.json()
        returned = document["providers"]
        assert document["query"]["prefix"] == name.casefold()
        if " " not in example:  # which the package's model refuses, though its registry has some
            curies.Reference.model_validate(document["query"])
        for code, location in theirs.items():
            if code not in returned:
                if code not in OF_OTHERS:
                    different.append((name, code, location))
            elif not same(returned[code], location):
                different.append((name, code, returned[code], location))
        assert returned.keys() <= {*theirs, "rrid", *OF_IDENTIFIERS_ORG}
        assert returned.get("bptl") in (None, theirs.get("bioportal"))
    assert different == []


def test_every_entry_is_one_of_the_packages_model(world: System, manager: Any) -> None:
    for name, resource in manager.registry.items():
        entry = world.get(f"/api/registry/{quote(name, safe='')}").json()
        returned = Resource.model_validate(entry)
        assert returned.model_dump(exclude_unset=True).keys() == entry.keys()
        assert returned.prefix == name.casefold()
        assert (returned.pattern, returned.example, returned.homepage) == (
            resource.get_pattern(), resource.get_example(), resource.get_homepage()
        )  # fmt: skip
        assert bool(returned.deprecated) == resource.is_deprecated()


def test_deprecated_prefixes_are_among_them_and_resolve(world: System, manager: Any, examples: dict[str, str]) -> None:
    deprecated = [name for name, resource in manager.registry.items() if resource.is_deprecated()]
    assert len(deprecated) > 200
    name = next(name for name in deprecated if name in examples and manager.get_default_iri(name, examples[name]))
    answer = world.get(f"/{name}:{examples[name]}")
    assert answer.status == 302
    assert 'rel="deprecation"' in answer.headers["link"]


@pytest.fixture(scope="session")
def listed(world: System) -> str:
    answer = world.get("/api/v1/converter")
    assert answer.status == 200
    return answer.body


def test_the_curies_package_takes_the_list_and_agrees_with_our_redirects(
    listed: str, locations: dict[str, str | None], manager: Any, examples: dict[str, str]
) -> None:
    assert len(listed.encode()) < 6_000_000
    records = json.loads(listed)
    # What its strict loading looks for, in time that grows with the square of the list: no prefix twice, no URI prefix.
    for canonical, synonyms in (("prefix", "prefix_synonyms"), ("uri_prefix", "uri_prefix_synonyms")):
        returned = [text for record in records for text in (record[canonical], *record[synonyms])]
        assert len(returned) == len(set(returned))
    converter = curies.Converter.from_extended_prefix_map(records, strict=False)
    assert {record.prefix for record in converter.records} >= {name.casefold() for name in manager.registry}
    beginnings = converter.prefix_map  # once, for `expand_pair` makes it anew each time
    compared = 0
    for name, example in examples.items():
        expanded = beginnings[name.casefold()] + example
        if expanded.startswith(BASE_URL):  # the first provider's pattern is none that begins a URL, or another's, too
            continue
        assert same(locations[name] or "", expanded), name
        assert converter.compress(f"{BASE_URL}/{name.casefold()}:{example}") == f"{name.casefold()}:{example}"
        compared += 1
    assert compared > 2_000


def test_the_url_of_every_provider_leads_back_to_its_identifier(
    world: System, locations: dict[str, str | None], manager: Any, examples: dict[str, str]
) -> None:
    urls: list[tuple[str, str]] = []
    for name, location in locations.items():
        if location and location.startswith("http") and manager.get_resource(name).is_valid_identifier(examples[name]):
            urls.append((f"{name.casefold()}:{examples[name]}", location))
    assert len(urls) > 2_500
    missing = []
    remaining = urls
    while remaining:
        some = remaining[:1_000]
        texts = {"ids": [url for _, url in some]}
        results = world.request("POST", "/api/v1/parse", document=texts).json()["results"]
        tried = [
            (curie, url, result) for (curie, url), result in zip(some, results, strict=True) if "problem" not in result
        ]
        assert tried, "each request gets further"
        remaining = [pair for pair, result in zip(some, results, strict=True) if "problem" in result] + remaining[
            1_000:
        ]
        for curie, url, result in tried:
            if curie not in result["curies"] and result["canonical"] is None:
                missing.append((curie, url, result["curies"]))
    # `afo`, `cora`, `prima`: identifiers with a `#`, of which no pattern says that they may have one. `cog.pathway`:
    # its example is escaped, and what is read from a URL is not. `pesticides`: its example has a `%2F`, and would lead
    # elsewhere to who pastes it. `bioregistry.schema`: a resolver's address of another.
    known = {"afo", "bioregistry.schema", "cog.pathway", "cora", "pesticides", "prima"}
    assert {curie.partition(":")[0] for curie, _, _ in missing} <= known, missing


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/hdl:4263537/4000", "http://hdl.handle.net/4263537/4000"),
        ("/handle:4263537/4000", "http://hdl.handle.net/4263537/4000"),
        ("/HDL:4263537/4000", "http://hdl.handle.net/4263537/4000"),
        ("/doi:10.5281/zenodo.31780", "https://doi.org/10.5281/zenodo.31780"),
        ("/ark:/53355/cl010066723", "http://n2t.net/ark:/53355/cl010066723"),
        ("/pmid:16333295", None),
        ("/taxonomy:9606", None),
    ],
)
def test_the_names_that_n2t_knows_resolve_by_the_registry(world: System, path: str, location: str | None) -> None:
    answer = world.get(path)
    assert answer.status == 302
    if location is not None:
        assert answer.headers["location"] == location
    assert world.get(f"/.info{path}").json()["target"] == answer.headers["location"]


def test_purl_is_no_prefix_of_anybodys(world: System) -> None:
    """N2T led `purl:` to purl.org; the Bioregistry has no such prefix, and an operator may register one."""
    assert world.get("/purl:x").is_problem(404, "unknown-prefix")


@pytest.fixture(scope="session")
def prefixes() -> list[ProviderPrefix]:
    """The prefixes with an example and a pattern."""
    return [each for each in bioregistry_prefixes.prefixes() if each.example and each.pattern]


@pytest.fixture(scope="session")
def index(prefixes: list[ProviderPrefix]) -> UrlPatternIndex:
    return UrlPatternIndex(prefixes)


class TestUrls:
    def test_every_page_that_is_recognised_has_a_registered_prefix(self, world: System) -> None:
        templates = {page.template.partition(":")[0] for pages in PAGES.values() for page in pages}
        assert [name for name in templates if "{" not in name and world.get(f"/{name}").status != 200] == []

    @pytest.mark.parametrize("tail", ["", "?x=1", "#y"])
    def test_nearly_every_url_with_a_tail_leads_back_to_its_curie(
        self, prefixes: list[ProviderPrefix], index: UrlPatternIndex, tail: str
    ) -> None:
        urls, lost = 0, []
        for prefix in prefixes:
            for provider in prefix.providers:
                url = provider.location(str(prefix.example), prefix.encoding)
                written = url + ("&" + tail[1:] if tail.startswith("?") and "?" in url else tail)
                urls += 1
                if join(prefix.name, str(prefix.example)) not in index.curies(written):
                    lost.append(written)
        assert len(lost) < urls / 500, lost
