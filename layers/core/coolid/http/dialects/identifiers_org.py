"""The answers of the identifiers.org resolution API: an envelope with the resolved resources of a compact identifier.

Source: identifiers.org, resolution API 1.0 (`ServiceResponseResolve`, `ResolvedResource`, `ParsedCompactIdentifier` of
the repositories identifiers-org/cloud-ws-resolver and monorepo; docs.identifiers.org). Every member is present, null
if unknown. An error has the same envelope with `errorMessage`; its status is 400 for an invalid identifier or unknown
namespace and 404 for an unregistered identifier.

If identifiers of a namespace contain its name (`GO:0006915`), `namespaceEmbeddedInLui` is true. `localId` is then the
request without its provider. As at identifiers.org, it keeps the case and the separator of the request.

Two differences: `recommendationIndex` counts down from 100 in the resolver's order of providers: by health, then by
registration. `official` is the first registered provider, whatever its health.

>>> envelope([], error="no such namespace")["payload"]
{'resolvedResources': [], 'parsedCompactIdentifier': None}
"""

from collections.abc import Sequence
from typing import Any, Final

from coolid.model.conditions import UP
from coolid.model.prefixes import HANDLES, Namespace, ProviderPrefix, fold, path_of
from coolid.model.records import Location
from coolid.resolution.provider_failover import condition_of, describe_condition, ranked_providers

MAX_RECOMMENDATION: Final = 100
EXPLANATION: Final = "Providers are registered in order of preference"

_UNKNOWN_LOCATION: Final = {"countryCode": None, "countryName": None}
_UNKNOWN_INSTITUTION: Final = {
    "id": None,
    "name": None,
    "homeUrl": None,
    "description": None,
    "rorId": None,
    "location": _UNKNOWN_LOCATION,
}
_DEFAULT_MEMBERS: Final = {
    "namespaceDeprecationDate": None,
    "deprecatedResource": False,
    "resourceDeprecationDate": None,
    "renderDeprecatedLanding": False,
    "protectedUrls": False,
    "renderProtectedLanding": False,
    "authHelpUrl": None,
    "authHelpDescription": None,
}


def envelope(
    resources: Sequence[dict[str, Any]], parsed: dict[str, Any] | None = None, error: str | None = None
) -> dict[str, Any]:
    """Return the envelope of an answer."""
    payload = {"resolvedResources": list(resources), "parsedCompactIdentifier": parsed}
    return {"apiVersion": "1.0", "errorMessage": error, "payload": payload}


def parsed_identifier(
    prefix: Namespace | ProviderPrefix, identifier: str | None, provider: str | None, request: str
) -> dict[str, Any]:
    """Return the parts of the requested identifier: the provider that it names, the namespace, the local identifier."""
    label = embedded_label(prefix)
    if label and identifier:
        curie = request[len(provider) + 1 :] if provider else request
        name = fold(curie[: -len(identifier) - 1])
        is_written = isinstance(prefix, ProviderPrefix) and name in (prefix.name, *prefix.synonyms)
        identifier = curie if is_written and curie.endswith(identifier) else label + identifier
    return {
        "providerCode": provider,
        "namespace": prefix.name,
        "localId": identifier,
        "rawRequest": request,
        "namespaceEmbeddedInLui": bool(label),
        "deprecatedNamespace": _is_deprecated(prefix),
        "namespaceDeprecationDate": None,
        "renderDeprecatedLanding": False,
    }


def embedded_label(prefix: Namespace | ProviderPrefix) -> str | None:
    """Return the name of a namespace, with its colon, that is part of its identifiers; None for most namespaces.

    In DOIs it is optional.
    """
    if not isinstance(prefix, ProviderPrefix) or prefix.name in HANDLES:
        return None
    names = (prefix.name, *prefix.synonyms)
    labels = (each for each in prefix.redundant if each.endswith(":"))
    return next((each for each in labels if {fold(each[:-1]), fold(each[:-1]).replace("_", "")} & {*names}), None)


def provider_resources(prefix: ProviderPrefix, identifier: str, only: str | None = None) -> list[dict[str, Any]]:
    """Return a resource for each provider in order of preference, or only for the provider with the code `only`."""
    resources = []
    for rank, each in enumerate(ranked_providers(prefix, identifier)):
        if only not in (None, each.code):
            continue
        condition, position = condition_of(prefix, each), prefix.providers.index(each)
        explanation = EXPLANATION
        if condition is not None and condition.state != UP:
            explanation = f"The provider is {describe_condition(condition)}"
        resource = _resource(
            prefix,
            position,
            each.location(identifier, prefix.encoding),
            each.title or prefix.title or prefix.name,
            institution=each.title or None,
            home=prefix.homepage if position == 0 else None,
        )
        resource["providerCode"] = each.code
        resource["recommendation"] = {
            "recommendationIndex": max(0, MAX_RECOMMENDATION - rank),
            "recommendationExplanation": explanation,
        }
        resources.append(resource)
    return resources


def location_resources(prefix: Namespace, locations: Sequence[Location]) -> list[dict[str, Any]]:
    """Return a resource for each location of a record."""
    title = prefix.repository.title
    return [_resource(prefix, at, each.uri, title, institution=title) for at, each in enumerate(locations)]


def prefix_resource(prefix: Namespace | ProviderPrefix, base_url: str) -> dict[str, Any]:
    """Return the resource of a prefix without an identifier: the URL of its description here."""
    url = f"{base_url}/{path_of(prefix.name)}"
    return _resource(prefix, 0, url, prefix.title or prefix.name, home=base_url + "/")


def _resource(
    prefix: Namespace | ProviderPrefix,
    position: int,
    url: str,
    description: str,
    *,
    institution: str | None = None,
    home: str | None = None,
) -> dict[str, Any]:
    return {
        "id": position + 1,
        "mirId": None,
        "providerCode": None,
        "compactIdentifierResolvedUrl": url,
        "description": description,
        "institution": {**_UNKNOWN_INSTITUTION, "name": institution},
        "location": _UNKNOWN_LOCATION,
        "official": position == 0,
        "resourceHomeUrl": home,
        "recommendation": {
            "recommendationIndex": max(0, MAX_RECOMMENDATION - position),
            "recommendationExplanation": EXPLANATION,
        },
        "namespacePrefix": prefix.name,
        "deprecatedNamespace": _is_deprecated(prefix),
        **_DEFAULT_MEMBERS,
    }


def _is_deprecated(prefix: Namespace | ProviderPrefix) -> bool:
    return isinstance(prefix, ProviderPrefix) and prefix.deprecated
