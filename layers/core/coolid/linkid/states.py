"""The states in which the resolution of a LinkID may end.

Specification: draft-linkgenetic-linkid-uri-01, section 6.
"""

from typing import Final

ACTIVE: Final = "active"
"""The current mapping is valid."""
UNKNOWN: Final = "unknown"
"""There is no record. Also the state of a reserved record."""
INACTIVE: Final = "inactive"
"""Assigned, without a location that is valid now."""
DEPRECATED: Final = "deprecated"
"""Withdrawn, superseded by its successor."""
REVOKED: Final = "revoked"
"""Withdrawn by the authority for the identifier."""
TOMBSTONED: Final = "tombstoned"
"""Withdrawn, because the resource no longer exists."""
TEMPORARILY_UNAVAILABLE: Final = "temporarily-unavailable"
"""The resolution is not possible now; nothing follows for the identifier."""
POLICY_DENIED: Final = "policy-denied"
"""The repository forbids the hosts of all locations."""
INTEGRITY_FAILURE: Final = "integrity-failure"
"""The record, or its origin, failed verification."""

WITHDRAWN: Final = frozenset({DEPRECATED, REVOKED, TOMBSTONED})
WITH_RECORD: Final = WITHDRAWN | {ACTIVE, INACTIVE}
"""States that a result must prove with the signed record."""
WITHOUT_RECORD: Final = frozenset({UNKNOWN, TEMPORARILY_UNAVAILABLE, POLICY_DENIED, INTEGRITY_FAILURE})
"""States that need no record, because they lead nowhere."""


def withdrawn_state(successor: object, *, revoked: bool) -> str:
    """Return the state of a withdrawn record with this successor, None without one.

    >>> withdrawn_state(None, revoked=False), withdrawn_state("https://b.example/", revoked=False)
    ('tombstoned', 'deprecated')
    """
    if revoked:
        return REVOKED
    return TOMBSTONED if successor is None else DEPRECATED
