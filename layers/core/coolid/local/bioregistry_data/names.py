"""The names under which a prefix of the Bioregistry is found.

The Bioregistry compares names without case and separators, so it accepts `GO_REF` and `goref` for `go.ref`. A prefix
therefore has its synonyms and, for each of its names, the form without separators (`coolid.model.prefixes.compact`).
A lookup by another spelling of the separators finds that form.

Other registries have names of their own for a prefix. Such a name becomes a synonym if no other prefix has it and all
registries use it for the same prefix. Registries that list databases by accession number are left out, because such a
number is an identifier and not a prefix: `r3d100010741` is `re3data:r3d100010741`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from coolid.errors import InvalidInput
from coolid.model.prefixes import compact, fold, is_handle_prefix, parent
from coolid.registry.registration import validated_name

ACCESSION_REGISTRIES: Final = frozenset({
    "bartoc", "cheminf", "edam.data", "fairsharing", "hl7", "integbio", "pathguide", "re3data", "uniprot.resource",
    "wikidata.entity",
})  # fmt: skip

Names = Mapping[str, tuple[str, ...]]
MappedNames = Mapping[str, Mapping[str, tuple[str, ...]]]


def synonyms_by_prefix(resources: Mapping[str, Any]) -> Names:
    """Return the folded synonyms of each prefix, in order of the alphabet, without those of `mapped_names`."""
    canonical = frozenset(map(fold, resources))
    return {
        name: tuple(sorted({form for each in _own_names(resource) for form in _forms(each)} - canonical))
        for name, resource in resources.items()
    }


def mapped_names(resources: Mapping[str, Any], synonyms: Names) -> MappedNames:
    """Return, for each prefix, the names that only other registries have for it, each with these registries."""
    taken = {fold(name) for name in resources}.union(*synonyms.values())
    taken |= set(map(_spelled_out, taken))
    owners: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for prefix, registry, name in _mappings(resources):
        for form in _forms(name):
            owners[form][prefix].add(registry)
    mapped: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for form, prefixes in sorted(owners.items()):
        if len(prefixes) == 1 and _spelled_out(form) not in taken:
            ((prefix, registries),) = prefixes.items()
            mapped[prefix][form] = tuple(sorted(registries))
    return mapped


def _own_names(resource: Any) -> Iterator[str]:
    yield resource.prefix
    yield from resource.get_synonyms()


def _mappings(resources: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield prefix, registry and name of each mapping whose name can be a prefix."""
    for prefix, resource in resources.items():
        for registry, name in resource.get_mappings().items():
            folded = fold(name)
            is_number = folded.isdigit() or is_handle_prefix(folded)
            if registry not in ACCESSION_REGISTRIES and not is_number and parent(folded) is None:
                yield prefix, registry, folded


def _forms(name: str) -> Iterable[str]:
    """Return the folded name and its form without separators, as far as they can be prefixes."""
    forms = []
    for form in (fold(name), _spelled_out(fold(name))):
        with suppress(InvalidInput):
            forms.append(validated_name(form))
    return forms


def _spelled_out(name: str) -> str:
    """Return the form by which the Bioregistry compares names; it ignores slashes, too."""
    return compact(name).replace("/", "")
