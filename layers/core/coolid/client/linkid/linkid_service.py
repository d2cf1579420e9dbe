"""The resolution of a LinkID by one service, with an error for each state that leads nowhere."""

from http import HTTPStatus
from typing import Final

from coolid.client.errors import DeniedByPolicy, FailedVerification, ResourceNotFound, Unreachable, Withdrawn
from coolid.client.flows import Flow
from coolid.client.linkid.answers import SECONDS
from coolid.client.linkid.linkid_options import LinkIdOptions, linkid_resolution, trusted_resolvers
from coolid.client.linkid.linkid_resolution import LinkIdResolution
from coolid.client.linkid.resolver_sources import ResolverSources
from coolid.client.service_api import ServiceApi
from coolid.linkid import states

_DECLINED: Final = {
    states.UNKNOWN: (ResourceNotFound, HTTPStatus.NOT_FOUND),
    states.DEPRECATED: (Withdrawn, HTTPStatus.GONE),
    states.REVOKED: (Withdrawn, HTTPStatus.GONE),
    states.TOMBSTONED: (Withdrawn, HTTPStatus.GONE),
    states.POLICY_DENIED: (DeniedByPolicy, HTTPStatus.FORBIDDEN),
}


def resolve_linkid(
    api: ServiceApi, linkid: str, options: LinkIdOptions, language: str | None = None
) -> Flow[LinkIdResolution]:
    """Return the resolution of a canonical LinkID that is active or inactive.

    The trusted resolvers of the options are queried before the service, in their order. Raises `ResourceNotFound`,
    `Withdrawn` or `DeniedByPolicy`, whose `problem` is the resolution as JSON; `Unreachable` if no resolver gives an
    answer now, and `FailedVerification`.
    """
    sources = ResolverSources(trusted_resolvers(options), [api.base_url])
    seconds = min(api.seconds, SECONDS)
    found = yield from linkid_resolution(
        linkid, sources, options, language=language, policy=api.policy, seconds=seconds
    )
    if found.status == states.TEMPORARILY_UNAVAILABLE:
        problems = "; ".join(f"{each.resolver}: {each.problem}" for each in found.attempts)
        raise Unreachable(f"{found.reason} ({problems})")
    if found.status == states.INTEGRITY_FAILURE:
        raise FailedVerification(found.reason, found.to_document())
    if found.status in _DECLINED:
        error, status = _DECLINED[found.status]
        raise error(status, found.to_document() | {"detail": f"{found.id} is {found.status}: {found.reason}"})
    return found
