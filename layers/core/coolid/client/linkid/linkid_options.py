"""The options of the resolution of LinkIDs, and the flow that applies them.

>>> trusted_resolvers(LinkIdOptions(resolvers='{"resolvers": [{"issuer": "https://a.example"}]}')).issuers
('https://a.example',)
"""

import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final, TypedDict

from coolid.client.flows import Flow
from coolid.client.linkid.answers import SECONDS
from coolid.client.linkid.key_trust import KeyTrust
from coolid.client.linkid.linkid_query import LinkIdQuery, QuerySettings
from coolid.client.linkid.linkid_resolution import LinkIdResolution
from coolid.client.linkid.resolver_sources import ResolverSources
from coolid.client.linkid.result_verifier import SeenResultVerifier
from coolid.client.linkid.target_rules import checked_schemes
from coolid.client.retries import RetryPolicy
from coolid.client.transparency.log_verifier import LogVerdict
from coolid.client.transparency.result_inclusion import verify_inclusion
from coolid.client.transparency.seen_logs import SeenLogs
from coolid.client.user_state.seen_keys import SeenKeyFiles
from coolid.client.user_state.seen_linkids import SeenLinkIds
from coolid.linkid.results import ResolutionResult
from coolid.linkid.trusted_resolvers import TrustedResolvers, parse_resolvers
from coolid.log.policies import Policy

ONE_TRY: Final = RetryPolicy(max_tries=1)
_NO_RESOLVERS: Final = TrustedResolvers()


class LinkIdOptions(TypedDict, total=False):
    """What to trust and to allow in the resolution of a LinkID.

    `resolvers` are trusted resolvers, or their list as JSON text; their order is that of trust. `allowed_schemes` are
    the schemes of targets beside https. With `signed_only`, answers of resolvers without keys are refused. `policy` is
    a tlog-policy, or its text; a result is then used only with the proof that its record is in a log of the policy.
    `state` is the folder with what was seen of LinkIDs, keys and logs, in place of the user's.
    """

    resolvers: TrustedResolvers | str | bytes | None
    allowed_schemes: Collection[str]
    signed_only: bool
    policy: Policy | str | bytes | None
    state: str | Path | None


def trusted_resolvers(options: LinkIdOptions) -> TrustedResolvers:
    """Return the trusted resolvers of the options. Raises `UsageError` for an invalid list."""
    resolvers = options.get("resolvers")
    if resolvers is None:
        return _NO_RESOLVERS
    return resolvers if isinstance(resolvers, TrustedResolvers) else parse_resolvers(resolvers)


def linkid_resolution(
    linkid: str,
    sources: ResolverSources,
    options: LinkIdOptions,
    *,
    language: str | None = None,
    policy: RetryPolicy = ONE_TRY,
    seconds: float = SECONDS,
) -> Flow[LinkIdResolution]:
    """Return the resolution of a canonical LinkID by the resolvers of these sources.

    Raises `RefusedByClient` for an invalid scheme, `ValueError` for a malformed policy, `UsageError` for a damaged file
    of the user's state, and `OSError`.
    """
    state = Path(folder) if (folder := options.get("state")) is not None else None
    keys = KeyTrust(sources.trusted, SeenKeyFiles(state and state / "issuers"), policy, seconds)
    seen = SeenLinkIds(state and state / "linkids")
    inclusion = _inclusion_check(options.get("policy"), SeenLogs(state))
    signed_only = options.get("signed_only", False)
    verifier = SeenResultVerifier(keys, seen, time.time, signed_only=signed_only, inclusion=inclusion)
    schemes = checked_schemes(options.get("allowed_schemes", ()))
    settings = QuerySettings(time.time, policy, seconds, language, schemes, with_inclusion=inclusion is not None)
    return LinkIdQuery(linkid, sources, verifier, settings).run()


def _inclusion_check(
    policy: Policy | str | bytes | None, seen: SeenLogs
) -> Callable[[ResolutionResult], Flow[LogVerdict]] | None:
    """Return the check of proofs that a policy requires, or None without one. Raises `ValueError`."""
    if policy is None:
        return None
    trusted = policy if isinstance(policy, Policy) else Policy.parse(policy)
    return lambda result: verify_inclusion(result, trusted, seen)
