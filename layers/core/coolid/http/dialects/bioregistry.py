"""The answers of the Bioregistry API about an identifier and about a prefix, in JSON or YAML.

Source: the package `bioregistry`, its models `IdentifierResponse` (`/api/reference/{curie}`) and `Resource`
(`/api/registry/{prefix}`), which omit unknown members. The placeholder of the identifier is `$1`. bioregistry.io
accepts `application/json` and `application/yaml`, each also by older names, and `?format=json`, `yaml` or `yml`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from coolid.http.accept import JSON, choose_format
from coolid.http.errors import NotAcceptable, UnknownFormat
from coolid.http.formats import yaml
from coolid.http.message import Request, Response
from coolid.model.prefixes import PLACEHOLDER, Namespace, Provider, ProviderPrefix, as_path, join
from coolid.model.records import Location
from coolid.resolution.content_negotiation import ClientPreferences
from coolid.resolution.provider_failover import usable_providers
from coolid.strict_json import dump

IDENTIFIER_PLACEHOLDER: Final = "$1"
DEFAULT: Final = "default"
"""The code of the first provider, and of the first location of a record; further locations have numbers."""
FORMS: Final[Mapping[str, str]] = {"json": JSON, "yaml": yaml.MEDIA_TYPE, "yml": yaml.MEDIA_TYPE}
"""The media types by their names in `?format=`."""

_TYPES: Final[Mapping[str, str]] = {
    JSON: JSON,
    "text/json": JSON,
    **dict.fromkeys((yaml.MEDIA_TYPE, *yaml.OTHER_MEDIA_TYPES), yaml.MEDIA_TYPE),
}
"""The media types of the answers by those in `Accept`."""


def provider_reference(prefix: ProviderPrefix, identifier: str) -> dict[str, Any]:
    """Return the URL of an identifier at each provider; skip providers whose URL base the identifier would leave."""
    urls = {each.code: each.location(identifier, prefix.encoding) for each in usable_providers(prefix, identifier)}
    return _reference(prefix.name, identifier, urls)


def record_reference(name: str, identifier: str, locations: Sequence[Location]) -> dict[str, Any]:
    """Return the URLs of the locations of a record.

    >>> record_reference("mp", "x", (Location("https://a.example/"), Location("https://b.example/")))["providers"]
    {'default': 'https://a.example/', '2': 'https://b.example/'}
    """
    codes = (DEFAULT, *map(str, range(2, len(locations) + 1)))
    return _reference(name, identifier, {code: each.uri for code, each in zip(codes, locations, strict=False)})


def prefix_resource(prefix: Namespace | ProviderPrefix, base_url: str) -> dict[str, Any]:
    """Return the description of a prefix; a namespace has the pattern and example of its repository's rules."""
    if isinstance(prefix, Namespace):
        rules = prefix.rules.describe()
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
            "uri_format": _uri_format(prefix.providers[0]) if prefix.providers else None,
            "providers": [
                {"code": each.code, "name": each.title or each.code, "uri_format": _uri_format(each)}
                for each in prefix.providers[1:]
            ],
            "homepage": prefix.homepage,
            "example": prefix.example,
            "deprecated": prefix.deprecated,
            "synonyms": list(prefix.synonyms),
        }
    present = {name: value for name, value in members.items() if value not in (None, "", [], False)}
    return {"prefix": prefix.name, "preferred_prefix": prefix.name, **present}


def preferred_media_type(preferences: ClientPreferences) -> str | None:
    """Return the media type that a client prefers to a redirect, or None for a redirect.

    The client must name the type with a greater weight than `*/*` and with at least the weight of every other type.

    >>> preferred_media_type(ClientPreferences(types=(("text/yaml", 0.9), ("*/*", 0.8))))
    'application/yaml'
    >>> preferred_media_type(ClientPreferences(types=(("application/json", 1.0), ("*/*", 1.0)))) is None
    True
    """
    types = [(name.partition(";")[0].strip(), weight) for name, weight in preferences.types or ()]
    best = max((weight for _, weight in types), default=0.0)
    wildcard = max((weight for name, weight in types if name == "*/*"), default=0.0)
    named = (_TYPES[name] for name, weight in types if weight == best and name in _TYPES)
    return next(named, None) if best > wildcard else None


def requested_media_type(request: Request) -> str:
    """Return the media type of an answer without a redirect; raise `UnknownFormat` or `NotAcceptable`."""
    name = request.parameter("format")
    if name is not None:
        if name.lower() not in FORMS:
            raise UnknownFormat(name, tuple(FORMS))
        return FORMS[name.lower()]
    chosen = choose_format(request.headers.get("accept"), tuple(_TYPES))
    if chosen is None:
        raise NotAcceptable((JSON, yaml.MEDIA_TYPE))
    return _TYPES[chosen]


def document_response(
    document: Mapping[str, Any], media_type: str, headers: Mapping[str, str], *, status: int = 200
) -> Response:
    """Return a response with the document in JSON or YAML."""
    body = dump(document) if media_type == JSON else yaml.write(document)
    return Response(status, {**headers, "Content-Type": media_type}, body)


def _reference(name: str, identifier: str, providers: dict[str, str]) -> dict[str, Any]:
    return {"query": {"prefix": name, "identifier": identifier}, "providers": providers}


def _uri_format(provider: Provider) -> str:
    return provider.url.replace(PLACEHOLDER, IDENTIFIER_PLACEHOLDER)
