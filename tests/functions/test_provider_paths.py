"""Paths that name a provider, and texts with more than an identifier, against the whole Bioregistry."""

import json
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from tests.support.builders.samples import BASE_URL, PROVIDER_VECTORS, ROOT
from tests.support.effort import sample
from tests.support.fixtures.system import System

CASES = [(code, case) for code, cases in PROVIDER_VECTORS["providers"].items() for case in cases]
PASTES = [each["text"] for each in json.loads((ROOT / "tests/vectors/pastes.json").read_text("utf-8"))["pastes"]]


def encoded(text: str) -> str:
    return quote(text, safe="")


def location(world: System, path: str, query: str = "") -> str | None:
    return world.get(path, query=query).headers.get("location")


@pytest.fixture(scope="session")
def prefixes(world: System) -> list[dict[str, Any]]:
    """The descriptions of prefixes with an example and providers: all in a drill."""
    from bioregistry import manager

    names = sample(sorted(name.casefold() for name in manager.registry), 60)
    described = [world.get(f"/{encoded(name)}", accept="application/json").json() for name in names]
    return [each for each in described if each.get("example") and each.get("providers")]


def spellings(prefix: str, example: str, code: str) -> list[str]:
    """The paths that name a provider: with both separators, in other case, and with a repeated prefix."""
    name, identifier = encoded(prefix), encoded(example)
    return [
        f"/{code}/{name}:{identifier}",
        f"/{code}/{name}/{identifier}",
        f"/{code.upper()}/{name.upper()}:{identifier}",
        f"/{code.upper()}/{name.upper()}/{identifier}",
        f"/{code}/{name}:{name}:{identifier}",
        f"/{code}/{name}/{name}:{identifier}",
        f"/{code}/{name}%3A{identifier}",
    ]


def test_every_provider_of_identifiers_org_is_reached_in_every_spelling(world: System) -> None:
    wrong = []
    for code, case in CASES:
        prefix, example = case["prefix"], case["example"]
        expected = location(world, f"/{encoded(prefix)}:{encoded(example)}", f"provider={code}")
        assert urlsplit(expected or "").hostname == case["host"], case
        paths = spellings(prefix, example, code)
        wrong += [(path, found) for path in paths if (found := location(world, path)) != expected]
    assert wrong == []


def test_every_provider_of_every_prefix_is_reached_in_every_spelling(
    world: System, prefixes: list[dict[str, Any]]
) -> None:
    wrong = []
    for prefix in prefixes:
        name, example = prefix["prefix"], prefix["example"]
        codes = [each["code"] for each in prefix["providers"] if each["code"] != "api"]  # reserved in paths
        for code in sample(codes, 3):
            expected = location(world, f"/{encoded(name)}:{encoded(example)}", f"provider={encoded(code)}")
            paths = spellings(name, example, encoded(code))
            wrong += [(path, found, expected) for path in paths if (found := location(world, path)) != expected]
    assert wrong == []


def test_every_other_provider_is_unknown(world: System, prefixes: list[dict[str, Any]]) -> None:
    # GitHub has repositories with the names of prefixes, and its pattern and example have a slash.
    codes = [*PROVIDER_VECTORS["providers"], *PROVIDER_VECTORS["unknown"], "ols", "n2t", "obo", "miriam", "rrid", "pdb"]
    found = []
    for prefix in prefixes:
        name, example = encoded(prefix["prefix"]), encoded(prefix["example"])
        served = {each["code"].casefold() for each in prefix["providers"]} | {prefix["prefix"], *prefix["synonyms"]}
        for code in sample([each for each in codes if each not in served], 8):
            for path, query in (
                (f"/{code}/{name}:{example}", ""),
                (f"/{code}/{name}/{example}", ""),
                (f"/{name}:{example}", f"provider={code}"),
            ):
                answer = world.get(path, query=query)
                if not answer.is_problem(404, "unknown-provider"):
                    found.append((path, query, answer))
    assert found == []


@pytest.mark.parametrize(
    "path",
    ["/go/GO:0006915", "/go/go/0006915", "/GO:GO:0006915", "/go:GO_0006915", "/vario:VariO:0376", "/vario/0376",
     "/orphanet.ordo:Orphanet_C023", "/did:did:sov:WRfXPg8dantKVubE3HX8pw", "/did:sov:WRfXPg8dantKVubE3HX8pw",
     "/ark:/53355/cl010066723", "/ark/53355/cl010066723", "/bgee.organ/EHDAA:2185", "/gramene.gene/GR:0080039",
     "/kegg.environ/ev:E00032", "/github/biopragmatics/bioregistry",
     "/pephub/geo/gse185244", "/ctri:CTRI/2023/04/052053", "/hdl/2381/12775"],
)  # fmt: skip
def test_an_identifier_with_separators_stays_whole(world: System, path: str) -> None:
    prefix, _, identifier = path[1:].replace("/", ":", 1).partition(":") if ":" not in path else path[1:].partition(":")
    answer = world.get(path)
    assert answer.status == 302, (prefix, identifier)
    assert answer.headers["location"].endswith(identifier.rpartition(":")[2].rpartition("_")[2].rpartition("/")[2])


def test_every_paste_is_redirected_as_its_identifier_is(world: System) -> None:
    """By its path, in a list, and by its explanation; and never to this service itself."""
    wrong = []
    for text in sample(PASTES, 150):
        parsed = world.get("/api/v1/parse", query=f"id={encoded(text)}").json()
        (result,) = world.request("POST", "/api/v1/resolve", document={"ids": [text]}).json()["results"]
        canonical = parsed["canonical"]
        plain = location(world, f"/{quote(canonical, safe=':/')}") if canonical is not None else None
        path = location(world, f"/{quote(text, safe=':/')}") if "%" not in text else None
        found = {"parse": parsed["location"], "list": result.get("location"), "path": path}
        # A clean identifier is redirected as written: without the letters of its prefix, or as an ISBN of ten digits.
        if canonical == "pmc:PMC3084216" or str(canonical).startswith("isbn:"):
            continue
        for way, target in found.items():
            if target is not None and (target.startswith(BASE_URL) or (plain is not None and target != plain)):
                wrong.append((text, way, target, plain))
    assert wrong == []


def test_every_example_is_redirected_with_a_label_and_punctuation_around_it(
    world: System, prefixes: list[dict[str, Any]]
) -> None:
    wrong = []
    for prefix in prefixes:
        name, example = prefix["prefix"], prefix["example"]
        plain = location(world, f"/{encoded(name)}:{encoded(example)}")
        for text in (f"{name}: {example}", f" {name}:{example} ", f"“{name}:{example}”", f"{name}:{example}</p>"):
            target = location(world, f"/{encoded(text)}")
            if target not in (plain, None):
                wrong.append((text, target, plain))
    assert wrong == []
