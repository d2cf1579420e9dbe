"""The answers of the Bioregistry API about an identifier and about a prefix.

Source: the package `bioregistry`, its models `IdentifierResponse` (`/api/reference/{curie}`) and `Resource`
(`/api/registry/{prefix}`), which omit unknown members. The placeholder of the identifier is `$1`.

>>> from datetime import UTC, datetime
>>> moment = datetime(2026, 1, 1, tzinfo=UTC)
>>> go = ProviderPrefix(name="go", created=moment, updated=moment,
...     providers=(Provider("default", "https://go.example/{$id}"),))
>>> provider_reference(go, "0006915")
{'query': {'prefix': 'go', 'identifier': '0006915'}, 'providers': {'default': 'https://go.example/0006915'}}
"""

from collections.abc import Sequence
from typing import Any, Final

from coolid.model.prefixes import PLACEHOLDER, Namespace, Provider, ProviderPrefix, as_path, join
from coolid.model.records import Location
from coolid.resolution.provider_failover import usable_providers

IDENTIFIER_PLACEHOLDER: Final = "$1"
DEFAULT: Final = "default"
"""The code of the first provider, and of the first location of a record; further locations have numbers."""


def provider_reference(prefix: ProviderPrefix, identifier: str) -> dict[str, Any]:
    """Return the URL of an identifier at each provider; skip providers whose URL base the identifier would leave."""
    return {
        "query": {"prefix": prefix.name, "identifier": identifier},
        "providers": {
            each.code: each.location(identifier, prefix.encoding) for each in usable_providers(prefix, identifier)
        },
    }


def record_reference(name: str, identifier: str, locations: Sequence[Location]) -> dict[str, Any]:
    """Return the URLs of the locations of a record.

    >>> record_reference("mp", "x", (Location("https://a.example/"), Location("https://b.example/")))["providers"]
    {'default': 'https://a.example/', '2': 'https://b.example/'}
    """
    codes = (DEFAULT, *map(str, range(2, len(locations) + 1)))
    providers = {code: each.uri for code, each in zip(codes, locations, strict=False)}
    return {"query": {"prefix": name, "identifier": identifier}, "providers": providers}


def prefix_resource(prefix: Namespace | ProviderPrefix, base_url: str) -> dict[str, Any]:
    """Return the description of a prefix; a namespace has the pattern and example of its repository's rules."""
    if isinstance(prefix, Namespace):
        rules = prefix.repository.rules.describe()
        members: dict[str, Any] = {
            "name": prefix.title or prefix.repository.title,
            "pattern": rules.pattern,
            "uri_format": f"{base_url}/{as_path(join(prefix.name, ''))}{IDENTIFIER_PLACEHOLDER}",
            "example": rules.example,
        }
    else:
        members = {
            "name": prefix.title,
            "description": prefix.description,
            "pattern": prefix.pattern,
            "uri_format": _format(prefix.providers[0]) if prefix.providers else None,
            "providers": [_provider(each) for each in prefix.providers[1:]],
            "homepage": prefix.homepage,
            "example": prefix.example,
            "deprecated": prefix.deprecated,
            "synonyms": list(prefix.synonyms),
        }
    present = {name: value for name, value in members.items() if value not in (None, "", [], False)}
    return {"prefix": prefix.name, "preferred_prefix": prefix.name, **present}


def _provider(provider: Provider) -> dict[str, Any]:
    return {"code": provider.code, "name": provider.title or provider.code, "uri_format": _format(provider)}


def _format(provider: Provider) -> str:
    return provider.url.replace(PLACEHOLDER, IDENTIFIER_PLACEHOLDER)
