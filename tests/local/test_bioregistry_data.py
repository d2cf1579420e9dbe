"""Faults of the Bioregistry's data that the import finds, and those that it corrects."""

from typing import Any

import orjson
import pytest
from typer import Exit

from coolid.cli.commands import registry
from coolid.errors import UsageError
from coolid.local import bioregistry_prefixes
from coolid.local.bioregistry_data.faults import KINDS, Fault, all_faults, faults_of


class Resource:
    """An entry as the package `bioregistry` has it, without faults unless members say otherwise."""

    prefix = "x"

    def __init__(self, url: str = "https://x.example/$1", **members: Any) -> None:
        self.url = url
        self.pattern: str = members.get("pattern", r"^\d+$")
        self.examples: list[str] = members.get("examples", ["1"])
        self.banana: str | None = members.get("banana")
        self.external: dict[str, dict[str, Any]] = members.get("external", {})

    def get_default_format(self) -> str:
        return self.url

    def get_pattern(self) -> str:
        return self.pattern

    def get_example(self) -> str:
        return self.examples[0]

    def get_example_extras(self) -> list[str]:
        return self.examples[1:]

    def get_banana(self) -> str | None:
        return self.banana

    def get_banana_peel(self) -> str:
        return "_"

    def get_extra_providers(self) -> list[Any]:
        return []

    def get_external(self, registry: str) -> dict[str, Any] | None:
        return self.external.get(registry)

    def get_n2t_uri_format(self) -> str | None:
        return "https://n2t.net/x:$1" if "n2t" in self.external else None


ELSEWHERE = {"pattern": r"^X_\d+$", "uri_format": "https://x.example/$1"}


@pytest.mark.parametrize(
    ("resource", "kinds"),
    [
        (Resource(), []),
        (Resource(examples=["1", "a"]), ["example-refused"]),
        (Resource(pattern="("), ["pattern-invalid"]),
        (Resource(pattern=r"^(\d)|(\w)$"), ["pattern-open"]),
        (Resource(pattern=r"^\d$|^\w$"), []),
        (Resource(pattern=r"^[|\]]|1$"), ["pattern-open"]),
        (Resource("https://x.example/"), ["slot-missing"]),
        (Resource("https://$1.example/"), ["slot-in-host"]),
        (Resource("https://x.example/1234#$1", examples=["1234"]), ["example-in-url"]),
        (Resource("https://x.example/terms/$1", examples=["term"], pattern="term"), []),
        (Resource("https://x.example/a b/$1"), ["url-invalid"]),
        (Resource("x.example/$1"), ["url-invalid"]),
        (Resource("https://x.example/X:$1", examples=["X:1"], pattern=r"^X:\d$"), ["beginning-repeated"]),
        (Resource(banana="X", external={"miriam": ELSEWHERE}), ["beginning-missing"]),
        (Resource(banana="X", external={"miriam": ELSEWHERE, "n2t": ELSEWHERE}), ["beginning-missing"] * 2),
        (Resource("https://own.example/$1", banana="X", external={"miriam": ELSEWHERE}), []),
        (Resource(external={"miriam": ELSEWHERE}), ["pattern-differs"]),
        (Resource(banana="X", external={"miriam": ELSEWHERE | {"extras": {"namespaceEmbeddedInLui": True}}}), []),
    ],
)
def test_each_kind_of_fault_is_found(resource: Resource, kinds: list[str]) -> None:
    assert [fault.kind for fault in faults_of(resource)] == kinds
    assert KINDS.keys() >= {*kinds}


@pytest.fixture(scope="module")
def faults() -> list[Fault]:
    return all_faults(bioregistry_prefixes.bioregistry_manager().registry)


def test_the_faults_of_lrg_and_biodeep_are_found_and_corrected(faults: list[Fault]) -> None:
    found = {(fault.prefix, fault.member): fault for fault in faults}
    assert found["lrg", "uri_format"].fix == "http://ftp.ebi.ac.uk/pub/databases/lrgex/LRG_$1.xml"
    assert found["biodeep", "uri_format"].corrected
    prefixes = {each.name: each for each in bioregistry_prefixes.prefixes()}
    assert prefixes["biodeep"].providers[0].url == "https://query.biodeep.cn/metabolite/BioDeep_{$id}"
    assert next(each.url for each in prefixes["imex"].providers if each.code == "ebi").endswith("query=IM-{$id}")


def test_the_faults_are_printed_as_text_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="the kinds are beginning-missing"):
        registry.check(kind="nonsense")
    with pytest.raises(Exit):
        registry.check(kind="beginning-missing", prefix="biodeep", json=True)
    with pytest.raises(Exit):
        registry.check(prefix="biodeep", json=False)
    document, line = capsys.readouterr().out.splitlines()
    assert orjson.loads(document)["fix"] == "https://query.biodeep.cn/metabolite/BioDeep_$1"
    assert line.split("\t")[:3] == ["biodeep", "beginning-missing", "uri_format"]
    assert line.endswith("\tyes")
