"""The Bioregistry's prefixes (CC0 1.0), some of them, as documents of `PUT /api/v1/prefixes/{prefix}`."""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

EVERY: Final = 16
"""Of so many prefixes one is registered."""
ALWAYS: Final = (
    "go", "uniprot", "orcid", "chebi", "pubmed", "isbn", "issn", "ror", "arxiv", "wikidata", "igsn", "taxonomy",
)  # fmt: skip


@cache
def read_prefixes() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return names and documents, in the order of the names."""
    return tuple(_prefixes())


def list_examples() -> Iterator[tuple[str, str]]:
    """Return the names with an example of an identifier each."""
    for name, document in read_prefixes():
        if "example" in document:
            yield name, document["example"]


def _prefixes() -> Iterator[tuple[str, dict[str, Any]]]:
    from bioregistry import manager

    names = sorted(name for name in manager.registry if name.replace(".", "").isalnum())
    for number, name in enumerate(names):
        if number % EVERY and name not in ALWAYS:
            continue
        resource = manager.registry[name]
        default = resource.get_default_format()
        others = [(each.code or "other", each.uri_format, each.name) for each in resource.get_extra_providers()]
        urls = [("default", default, name), *others] if default else others
        document = {
            "kind": "provider",
            "title": resource.get_name(),
            "description": resource.get_description(),
            "homepage": resource.get_homepage(),
            "pattern": resource.get_pattern(),
            "example": resource.get_example(),
            "synonyms": sorted(each for each in resource.get_synonyms() if each.lower() != name)[:5],
            "providers": [
                {"code": code, "url": url.replace("$1", "{$id}"), "title": title or ""} for code, url, title in urls
            ],
        }
        yield name, {member: value for member, value in document.items() if value is not None}
