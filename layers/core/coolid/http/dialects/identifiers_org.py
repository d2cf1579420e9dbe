"""What the resolution API of identifiers.org answers of a compact identifier: an envelope round resolved resources.

Source: identifiers.org, resolution API 1.0 (`ServiceResponseResolve`, `ResolvedResource`, `ParsedCompactIdentifier` of
the repositories identifiers-org/cloud-ws-resolver and monorepo; docs.identifiers.org). Every member is there, null
where we do not know; a refusal has the same envelope with `errorMessage` and the status, 400 for what is no compact
identifier of a namespace that we know and 404 for what nobody resolves.

Two things are ours: `localId` never repeats the namespace, so that `namespaceEmbeddedInLui` is never true; and
`recommendationIndex`, from 100 downwards, is the order in which providers are taken: the best first by what is known of
their health, and then as they are registered. `official` is the first that is registered, whatever its health.

>>> envelope([], error="no such namespace")["payload"]
{'resolvedResources': [], 'parsedCompactIdentifier': None}
"""

from collections.abc import Sequence
from typing import Any, Final

from coolid.model.conditions import UP, Condition
from coolid.model.prefixes import Namespace, ProviderPrefix, path_of
from coolid.model.records import Location
from coolid.resolution.provider_failover import condition_of, describe_condition, taken

API_VERSION: Final = "1.0"
MOST_RECOMMENDED: Final = 100
EXPLANATION: Final = "Providers are registered in order of preference"
AILING: Final = "The provider is {}"

_NOWHERE: Final = {"countryCode": None, "countryName": None}
_MISSING: Final = {
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
    """The answer to one request."""
    return {
        "apiVersion": API_VERSION,
        "errorMessage": error,
        "payload": {"resolvedResources": list(resources), "parsedCompactIdentifier": parsed},
    }


def parsed(
    prefix: Namespace | ProviderPrefix, identifier: str | None, provider: str | None, request: str
) -> dict[str, Any]:
    """What was understood of the request: the provider that it names, the namespace, the identifier."""
    return {
        "providerCode": provider,
        "namespace": prefix.name,
        "localId": identifier,
        "rawRequest": request,
        "namespaceEmbeddedInLui": False,
        "deprecatedNamespace": _is_deprecated(prefix),
        "namespaceDeprecationDate": None,
        "renderDeprecatedLanding": False,
    }


def elsewhere(prefix: ProviderPrefix, identifier: str, only: str | None = None) -> list[dict[str, Any]]:
    """A resource for each provider, the one that is taken first; or for the one of the code `only`."""
    return [
        _resource(
            prefix,
            prefix.providers.index(each),
            each.location(identifier, prefix.encoding),
            code=each.code,
            description=each.title or prefix.title or prefix.name,
            institution=each.title or None,
            home=prefix.homepage if each is prefix.providers[0] else None,
            rank=rank,
            explanation=_explanation(condition_of(prefix, each)),
        )
        for rank, each in enumerate(taken(prefix, identifier))
        if only in (None, each.code)
    ]


def here(prefix: Namespace, locations: Sequence[Location]) -> list[dict[str, Any]]:
    """A resource for each location of a record of ours."""
    return [
        _resource(prefix, position, each.uri, description=prefix.repository.title, institution=prefix.repository.title)
        for position, each in enumerate(locations)
    ]


def itself(prefix: Namespace | ProviderPrefix, base_url: str) -> dict[str, Any]:
    """The resource of a namespace alone: its description here, as identifiers.org leads to its own registry's."""
    title = prefix.title or prefix.name
    return _resource(prefix, 0, f"{base_url}/{path_of(prefix.name)}", description=title, home=base_url + "/")


def _resource(
    prefix: Namespace | ProviderPrefix,
    position: int,
    url: str,
    *,
    description: str,
    code: str | None = None,
    institution: str | None = None,
    home: str | None = None,
    rank: int | None = None,
    explanation: str = EXPLANATION,
) -> dict[str, Any]:
    return {
        "id": position + 1,
        "mirId": None,
        "providerCode": code,
        "compactIdentifierResolvedUrl": url,
        "description": description,
        "institution": {
            "id": None,
            "name": institution,
            "homeUrl": None,
            "description": None,
            "rorId": None,
            "location": _NOWHERE,
        },
        "location": _NOWHERE,
        "official": position == 0,
        "resourceHomeUrl": home,
        "recommendation": {
            "recommendationIndex": max(0, MOST_RECOMMENDED - (position if rank is None else rank)),
            "recommendationExplanation": explanation,
        },
        "namespacePrefix": prefix.name,
        "deprecatedNamespace": _is_deprecated(prefix),
        **_MISSING,
    }


def _explanation(condition: Condition | None) -> str:
    return (
        AILING.format(describe_condition(condition)) if condition is not None and condition.state != UP else EXPLANATION
    )


def _is_deprecated(prefix: Namespace | ProviderPrefix) -> bool:
    return isinstance(prefix, ProviderPrefix) and prefix.deprecated
