"""Names of the metrics that functions count (`docs/operating/watching.md`).

Dashboards and alarms of `infra/` use the same names, so they do not change.
"""

from typing import Final

MINTED: Final = "Minted"
MINT_CONFLICT: Final = "MintConflict"
"""An identifier that exists was chosen, or was drawn and drawn again."""
SIGNER_ERROR: Final = "SignerError"
STORE_ERROR: Final = "StoreError"
STALE_ANSWER: Final = "StaleAnswer"
"""The store failed, and memory answered."""
UNFORESEEN_ERROR: Final = "UnforeseenError"

CHANGES: Final = "Changes"
"""Changed rows that concern answers."""
UNREADABLE: Final = "PurgeUnreadable"
"""Records of the streams, and letters, that made no sense."""
PURGED: Final = "Purged"
"""Items that CloudFront was told to forget; each has its price."""
POSTPONED: Final = "PurgePostponed"
"""Letters that CloudFront had no time for; they come again."""
AGE: Final = "PurgeAge"
"""Seconds from the oldest change to its invalidation."""

PROBED: Final = "Probed"
"""Looks at providers and targets."""
WENT_DOWN: Final = "WentDown"
"""Providers and targets that are down now and were not before."""
PROBE_BUSY: Final = "ProbeBusy"
"""Looks that were refused for now (429, 503)."""
PROBE_BLIND: Final = "ProbeBlind"
"""Letters whose hosts were well, and of which none answered at all: nothing was concluded."""
PROBE_DROPPED: Final = "ProbeDropped"
"""Looks that waited for so long that they were not made."""
PROBE_UNREADABLE: Final = "ProbeUnreadable"
"""Messages of the queue that made no sense."""
UNDELIVERED: Final = "Undelivered"
"""Letters to webhooks that were given up."""
