"""What bioregistry.io answers of an identifier and of a prefix, in its words.

Source: the package `bioregistry`, its models `IdentifierResponse` (`/api/reference/{curie}`) and `Resource`
(`/api/registry/{prefix}`), which leave out what is not known. A place for the identifier is `$1` there.

>>> from datetime import UTC, datetime
>>> moment = datetime(2026, 1, 1, tzinfo=UTC)
>>> go = ProviderPrefix(name="go", created=moment, updated=moment,
...     providers=(Provider("default", "https://go.example/{$id}"),))
>>> reference(go, "0006915")
{'query': {'prefix': 'go', 'identifier': '0006915'}, 'providers': {'default': 'https://go.example/0006915'}}
"""

from collections.abc import Sequence
from typing import Any, Final

from coolid.model.prefixes import PLACEHOLDER, Namespace, Provider, ProviderPrefix, as_path, join
from coolid.model.records import Location
from coolid.resolution.provider_failover import able_providers

PLACE: Final = "$1"
DEFAULT: Final = "default"
"""The code of the first provider there, and so of the first location of a record of ours; the others have numbers."""


def reference(prefix: ProviderPrefix, identifier: str) -> dict[str, Any]:
    """Return where each provider has the identifier, unless the identifier leads out of the provider's pattern."""
    return {
        "query": {"prefix": prefix.name, "identifier": identifier},
        "providers": {
            each.code: each.location(identifier, prefix.encoding) for each in able_providers(prefix, identifier)
        },
    }


def located(name: str, identifier: str, locations: Sequence[Location]) -> dict[str, Any]:
    """Where a record of ours is.

    >>> located("mp", "x", (Location("https://a.example/"), Location("https://b.example/")))["providers"]
    {'default': 'https://a.example/', '2': 'https://b.example/'}
    """
    codes = (DEFAULT, *map(str, range(2, len(locations) + 1)))
    providers = {code: each.uri for code, each in zip(codes, locations, strict=False)}
    return {"query": {"prefix": name, "identifier": identifier}, "providers": providers}


def resource(prefix: Namespace | ProviderPrefix, base_url: str) -> dict[str, Any]:
    """What a prefix means; of one of ours the rules' pattern and example, and our own address for a URL format."""
    if isinstance(prefix, Namespace):
        described = prefix.repository.rules.describe()
        told: dict[str, Any] = {
            "name": prefix.title or prefix.repository.title,
            "pattern": described.pattern,
            "uri_format": f"{base_url}/{as_path(join(prefix.name, ''))}{PLACE}",
            "example": described.example,
        }
    else:
        told = {
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
    known = {name: value for name, value in told.items() if value not in (None, "", [], False)}
    return {"prefix": prefix.name, "preferred_prefix": prefix.name, **known}


def _provider(provider: Provider) -> dict[str, Any]:
    return {"code": provider.code, "name": provider.title or provider.code, "uri_format": _format(provider)}


def _format(provider: Provider) -> str:
    return provider.url.replace(PLACEHOLDER, PLACE)
