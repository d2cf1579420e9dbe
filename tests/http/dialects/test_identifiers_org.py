"""Compact identifiers have the same parts as at identifiers.org."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from coolid.errors import UnknownPrefix
from coolid.http.dialects.identifiers_org import embedded_label, parsed_identifier
from coolid.model.prefixes import Provider
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import parse_reference
from coolid.resolution.resolver import ProviderRedirect, decide
from tests.support.builders.samples import ROOT, provider_prefix
from tests.support.stores.memory_store import MemoryStore

VECTORS = json.loads((ROOT / "tests/vectors/identifiers_org.json").read_text(encoding="utf-8"))["parsed"]
MIRROR = (Provider("default", "https://default.example/{$id}"), Provider("mirror", "https://mirror.example/{$id}"))


def store() -> MemoryStore:
    store = MemoryStore()
    for name, redundant in (("plain", ()), ("embedded", ("EMBEDDED:",))):
        prefix = provider_prefix(name, pattern=r"^\d+$", redundant=redundant)
        store.put_prefix(replace(prefix, providers=MIRROR), None)
    return store


STORE = store()


@pytest.mark.parametrize(("request_text", "expected"), VECTORS)
def test_the_parts_of_a_compact_identifier(request_text: str, expected: list[Any] | None) -> None:
    reference = parse_reference(request_text)
    if expected is None:
        with pytest.raises(UnknownPrefix):
            find_prefix(reference, STORE)
        return
    match = find_prefix(reference, STORE)
    decision = decide(match, STORE)
    identifier = decision.identifier if isinstance(decision, ProviderRedirect) else None
    parsed = parsed_identifier(decision.prefix, identifier, match.provider, request_text)
    assert [parsed["providerCode"], parsed["namespace"], parsed["localId"]] == expected
    assert parsed["namespaceEmbeddedInLui"] is (expected[1] == "embedded")
    if isinstance(decision, ProviderRedirect):
        assert decision.location.startswith(f"https://{expected[0] or 'default'}.example/")


@pytest.mark.parametrize(
    ("text", "local_id"),
    [("embedded:EMBEDDED:1", "EMBEDDED:1"), ("https://id.example.org/embedded:1", "EMBEDDED:1")],
)
def test_other_spellings_have_the_registered_name(text: str, local_id: str) -> None:
    assert parsed_identifier(STORE.rows["embedded"], "1", None, text)["localId"] == local_id  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "redundant", "label"),
    [
        ("go", ("GO:", "GO_"), "GO:"),
        ("obi", ("OBI_",), None),
        ("doi", ("doi:",), None),
        ("miriam.resource", ("MIR:",), None),
        ("vario", ("VariO:",), "VariO:"),
    ],
)
def test_only_the_name_of_the_namespace_is_embedded(name: str, redundant: tuple[str, ...], label: str | None) -> None:
    assert embedded_label(provider_prefix(name, redundant=redundant)) == label
