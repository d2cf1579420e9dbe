"""Every example identifier of the Bioregistry leads to its URL, in every spelling."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest

from coolid.local import bioregistry_prefixes
from coolid.private_files import UnsuitableFile
from tests.support.builders.bioregistry_corrections import corrected_url
from tests.support.builders.file_obstacles import is_untouched, link
from tests.support.builders.samples import BASE_URL, PROVIDER_VECTORS, VECTORS, provider_prefix
from tests.support.effort import sample
from tests.support.fixtures.system import System

# RFC 3986, section 2: what may stand in a URL. Everything else must be escaped, a percent sign only if it begins none.
_UNSENDABLE = re.compile(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class Example:
    """An example identifier of a resource, and where the resource's default URL format puts it."""

    prefix: str
    identifier: str
    location: str
    synonyms: tuple[str, ...]


def escaped(url: str) -> str:
    """The URL with only those characters escaped that no URL can hold."""
    return _UNSENDABLE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), url)


@pytest.fixture(scope="session")
def resources() -> dict[str, Any]:
    """The Bioregistry's resources by prefix; imported by the worker that needs it, for it takes a while."""
    from bioregistry import manager

    return dict(manager.registry)


@pytest.fixture(scope="session")
def examples(resources: dict[str, Any]) -> list[Example]:
    return list(collected(resources))


def collected(resources: dict[str, Any]) -> Iterator[Example]:
    for prefix, resource in resources.items():
        pattern = resource.get_default_format()
        identifiers = [resource.get_example(), *(resource.get_example_extras() or [])]
        for identifier in dict.fromkeys(filter(None, identifiers)):
            if pattern:
                synonyms = tuple(sorted(set(resource.get_synonyms()) - resources.keys()))
                location = corrected_url(prefix, "default", pattern.replace("$1", identifier), identifier)
                yield Example(prefix, identifier, escaped(location), synonyms)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "with nothing left unescaped": lambda text: quote(text, safe=""),
    "with slashes and colons as they are": lambda text: quote(text, safe="/:"),
}


def test_there_are_at_least_three_thousand_examples(examples: list[Example]) -> None:
    assert len(examples) >= 3_000


def test_spaces_percent_signs_hashes_colons_and_slashes_are_among_them(examples: list[Example]) -> None:
    text = "".join(example.identifier for example in examples)
    assert set(" %#:/") <= set(text)
    assert any(example.identifier.startswith("/") for example in examples)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_example_goes_where_the_default_url_format_puts_it(
    world: System, examples: list[Example], spelling: str
) -> None:
    assert differences(world, examples, lambda example: [example.prefix], SPELLINGS[spelling]) == []


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_upper_case_prefixes_mean_the_same(world: System, examples: list[Example], spelling: str) -> None:
    assert differences(world, examples, lambda example: [example.prefix.upper()], SPELLINGS[spelling]) == []


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_synonym_means_the_same(world: System, examples: list[Example], spelling: str) -> None:
    assert sum(len(example.synonyms) for example in examples) > 1_000
    assert differences(world, examples, lambda example: example.synonyms, SPELLINGS[spelling]) == []


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_synonym_in_upper_case_means_the_same(world: System, examples: list[Example], spelling: str) -> None:
    def in_upper_case(example: Example) -> list[str]:
        return [synonym.upper() for synonym in example.synonyms]

    assert differences(world, examples, in_upper_case, SPELLINGS[spelling]) == []


def test_a_slash_after_the_prefix_means_the_same_as_a_colon(world: System, examples: list[Example]) -> None:
    spell = SPELLINGS["with nothing left unescaped"]
    assert differences(world, examples, lambda example: [example.prefix], spell, "/") == []


def test_the_canonical_link_of_every_example_leads_to_the_same_place(world: System, examples: list[Example]) -> None:
    wrong = []
    for example in examples:
        link = world.get(f"/{quote(example.prefix)}:{quote(example.identifier, safe='')}").canonical
        answer = world.get(link.removeprefix(BASE_URL))
        if (answer.headers.get("location"), answer.canonical) != (example.location, link):
            wrong.append((example, link, answer))
    assert wrong == []


def test_every_prefix_describes_itself_with_its_example_and_pattern(world: System, resources: dict[str, Any]) -> None:
    for prefix, resource in resources.items():
        document = world.get(f"/{quote(prefix, safe='')}", accept="application/json").json()
        assert document["prefix"] == prefix.casefold()
        assert document["kind"] == "provider"
        assert document["example"] == resource.get_example()
        assert document["pattern"] == resource.get_pattern()


@pytest.mark.parametrize("separator", ["", "-", "_", ".", " "])
def test_every_name_that_the_bioregistry_normalises_leads_to_its_prefix(
    world: System, resources: dict[str, Any], separator: str
) -> None:
    wrong = []
    for prefix, resource in sample(list(resources.items()), 300):
        for name in (prefix, *(each for each in resource.get_synonyms() if "/" not in each)):
            written = re.sub("[ ._-]", separator, name).strip(" -_.") or name
            answer = world.get(f"/{quote(written.upper() if len(name) % 2 else written)}", accept="application/json")
            if answer.status != 200 or answer.json()["prefix"] != prefix.casefold():
                wrong.append((written, prefix, answer.status))
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("GO_REF", "go.ref"),
        ("vmhreaction", "vmh.reaction"),
        ("ice.chem", "icechem"),
        ("mgnify.genome", "mgnifygenome"),
        ("psimi", "mi"),
        ("apollo_sv", "apollosv"),
        ("Uni-Prot", "uniprot"),
    ],
)
def test_separators_and_case_of_a_name_do_not_matter(world: System, name: str, prefix: str) -> None:
    example = world.get(f"/{prefix}", accept="application/json").json()["example"]
    assert world.get(f"/{name}:{example}").canonical == f"{BASE_URL}/{prefix}:{quote(example)}"
    assert world.get(f"/api/v1/prefixes/{name}").status == 401
    assert world.get(f"/api/registry/{name}").json()["prefix"] == prefix


def test_a_name_that_only_another_registry_has_leads_to_the_prefix_and_is_marked(world: System) -> None:
    document = world.get("/P818", accept="application/json").json()
    assert document["prefix"] == "arxiv"
    assert document["mapped"]["p818"] == ["wikidata.property"]
    assert "p818" in document["synonyms"]
    assert "<code>p818</code> (at wikidata.property)" in world.get("/arxiv", accept="text/html").body
    assert world.get("/ncbi.taxonomy:9606").canonical == f"{BASE_URL}/ncbitaxon:9606"


def test_a_mapped_name_is_no_accession_number_and_no_name_of_another_prefix() -> None:
    prefixes = list(bioregistry_prefixes.prefixes())
    names = {name: prefix.name for prefix in prefixes for name in (prefix.name, *prefix.synonyms)}
    assert names["geo"] == "geo"
    assert names.keys().isdisjoint({"r3d100010741", "q42", "6.73", "217", "fairsharing.mxx5rp"})
    assert sum(len(prefix.synonyms) + 1 for prefix in prefixes) == len(names)


@pytest.mark.parametrize("separator", [":", "/"])
def test_every_provider_code_of_identifiers_org_leads_to_its_host(world: System, separator: str) -> None:
    cases = [(code, case) for code, cases in PROVIDER_VECTORS["providers"].items() for case in cases]
    wrong = []
    for code, case in cases:
        answer = world.get(f"/{code}/{case['prefix']}{separator}{quote(case['example'], safe='')}")
        if urlsplit(answer.headers.get("location", "")).hostname != case["host"]:
            wrong.append((code, case, answer))
    assert wrong == []
    assert len(cases) >= 75


@pytest.mark.parametrize("code", PROVIDER_VECTORS["unknown"])
def test_unknown_provider_codes_are_refused(world: System, code: str) -> None:
    for reference in ("pdb:2gc4", "pdb/2gc4", "go:0006915", "uniprot:P0DP23"):
        assert world.get(f"/{code}/{reference}").is_problem(404, "unknown-provider"), reference


def differences(
    world: System,
    examples: list[Example],
    names: Callable[[Example], Iterable[str]],
    spell: Callable[[str], str],
    separator: str = ":",
) -> list[Any]:
    """The examples whose answer under one of these names is not the redirect it should be."""
    wrong = []
    for example in sample(examples, 600):
        for name in names(example):
            path = f"/{spell(name)}{separator}{spell(example.identifier)}"
            answer = world.get(path)
            if (answer.status, answer.headers.get("location")) != (302, example.location):
                wrong.append((path, example.location, answer))
    return wrong


def test_the_escaping_that_these_tests_use_escapes_only_what_no_url_may_hold() -> None:
    allowed = "https://a.example/x:/?#[]@!$&'()*+,;=-._~%41"
    assert escaped(allowed) == allowed
    assert escaped('é %"<>\\^`{|}') == "%C3%A9%20%25%22%3C%3E%5C%5E%60%7B%7C%7D"


@pytest.mark.parametrize("doi", VECTORS["doi"]["valid"])
@pytest.mark.parametrize(
    "path",
    [
        lambda doi: f"/doi:{quote(doi, safe='')}",
        lambda doi: f"/doi:{quote(doi, safe='/:;()')}",
        lambda doi: f"/DOI/{quote(doi)}",
        lambda doi: f"/doi:DOI:{quote(doi)}",
        lambda doi: f"/{quote(doi)}",
        lambda doi: f"/{quote(doi, safe='')}",
    ],
    ids=["doi:, all escaped", "doi:, little escaped", "doi/", "doi:doi:", "bare", "bare, all escaped"],
)
def test_the_known_dois_arrive_whole_at_their_provider(world: System, path: Callable[[str], str], doi: str) -> None:
    """`<`, `>`, `;`, `#`, `/` and all: decoding what stands behind the provider's address gives the DOI."""
    answer = world.get(path(doi))
    assert answer.status == 302
    location = answer.headers["location"]
    assert location.startswith("https://doi.org/")
    assert unquote(urlsplit(location).path.removeprefix("/")) == doi
    assert urlsplit(location).fragment == urlsplit(location).query == ""
    assert answer.canonical == f"{BASE_URL}/doi:{quote(doi, safe='/:;()')}"


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("12345/a%3Fb%23c", "12345/a%3Fb%23c"),
        ("12345/a%2541%25", "12345/a%2541%25"),
        ("/12345/a%26b+c", "/12345/a%26b%2Bc"),
        ("53355/cl010066723", "53355/cl010066723"),
    ],
)
def test_the_arks_of_others_arrive_whole_at_their_provider(world: System, path: str, end: str) -> None:
    answer = world.get(f"/ark:{path}")
    assert (answer.status, answer.headers["location"]) == (302, f"http://n2t.net/ark:{end}")
    again = world.get(answer.canonical.removeprefix(BASE_URL))
    assert again.headers["location"] == answer.headers["location"]


def test_what_a_registry_row_says_is_the_same_at_every_start(world: System, tmp_path: Path) -> None:
    assert bioregistry_prefixes.cached_rows(tmp_path) == bioregistry_prefixes.cached_rows(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[", b"\x00"])
def test_a_torn_cache_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(bioregistry_prefixes, "prefixes", lambda: [provider_prefix("go", "https://go.example/{$id}")])
    rows = bioregistry_prefixes.cached_rows(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert bioregistry_prefixes.cached_rows(tmp_path) == rows


def test_links_in_the_way_of_the_cache_are_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bioregistry_prefixes, "prefixes", lambda: [provider_prefix("go", "https://go.example/{$id}")])
    bioregistry_prefixes.cached_rows(tmp_path)
    (file,) = tmp_path.iterdir()
    file.unlink()
    link(file.with_suffix(".new"))
    bioregistry_prefixes.cached_rows(tmp_path)
    assert is_untouched("link", file.with_suffix(".new"))
    file.unlink()
    link(file)
    with pytest.raises(UnsuitableFile):
        bioregistry_prefixes.cached_rows(tmp_path)
    assert is_untouched("link", file)
