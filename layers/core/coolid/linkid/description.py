"""The members of the discovery document that are about LinkIDs of revision 01, the operator and its peers.

The draft defines no discovery (draft-linkgenetic-linkid-uri-01, section 5.1). These members describe one operator. They
give no authority over a LinkID, and which resolvers are trusted remains configuration.

>>> linkid_description("https://id.example.org")["endpoint"]
'https://id.example.org/resolve/{identifier}'
"""

from collections.abc import Sequence
from typing import Any, Final

from coolid.linkid import states
from coolid.linkid.trusted_resolvers import DEFAULT_PATH

REVISION: Final = "01"
DRAFT: Final = f"draft-linkgenetic-linkid-uri-{REVISION}"
STATUSES: Final = (
    states.ACTIVE,
    states.UNKNOWN,
    states.INACTIVE,
    states.DEPRECATED,
    states.REVOKED,
    states.TOMBSTONED,
    states.TEMPORARILY_UNAVAILABLE,
    states.POLICY_DENIED,
    states.INTEGRITY_FAILURE,
)
EXTENSIONS: Final = ("targets", "record", "inclusion", "custody", "conflicts")
"""The members of results beyond those of the draft that need a description (`docs/reference/linkid-results.md`)."""


def linkid_description(base_url: str) -> dict[str, Any]:
    """Return how LinkIDs are resolved at a service. The endpoints are URI templates (RFC 6570)."""
    return {
        "revision": REVISION,
        "draft": DRAFT,
        "endpoint": f"{base_url}{DEFAULT_PATH}",
        "public_endpoint": f"{base_url}/api/public/resolve/{{uuid}}",
        "statuses": list(STATUSES),
        "extensions": list(EXTENSIONS),
    }


def custody_description(base_url: str) -> dict[str, str]:
    """Return where a transfer of custody is offered, accepted and completed; the last one is public."""
    custody = f"{base_url}/api/v1/custody"
    return {
        "offers": f"{custody}/{{+pid}}",
        "acceptances": f"{custody}/acceptances",
        "transfers": f"{custody}/transfers",
    }


def operator_description(name: str, contact: str, policies: dict[str, str]) -> dict[str, Any]:
    """Return who operates a service: the name and contact, if they are set, and the pages of its policies."""
    return {member: value for member, value in (("name", name), ("contact", contact)) if value} | {"policies": policies}


def peer_descriptions(issuers: Sequence[str]) -> list[dict[str, str]]:
    """Return the peers that a service queries for LinkIDs of others, in order of trust."""
    return [{"issuer": issuer} for issuer in issuers]
