"""Names of the metrics that the functions emit (`docs/how-to/operator/monitoring.md`).

Dashboards and alarms of `infra/` use the same names, so they do not change.
"""

from typing import Final

MINTED: Final = "Minted"
MINT_CONFLICT: Final = "MintConflict"
"""Mints whose chosen or drawn identifier existed already."""
SIGNER_ERROR: Final = "SignerError"
STORE_ERROR: Final = "StoreError"
STALE_ANSWER: Final = "StaleAnswer"
"""Answers from the reader cache because the store failed."""
UNFORESEEN_ERROR: Final = "UnforeseenError"

CHANGES: Final = "Changes"
"""Changed rows that affect cached answers."""
UNREADABLE: Final = "PurgeUnreadable"
"""Stream records and purge messages that could not be parsed."""
PURGED: Final = "Purged"
"""Items that CloudFront invalidated; each has a price."""
POSTPONED: Final = "PurgePostponed"
"""Purge messages that CloudFront throttled; the queue redelivers them."""
AGE: Final = "PurgeAge"
"""Seconds from the oldest change to its invalidation."""

PROBED: Final = "Probed"
"""Checks of providers and targets."""
WENT_DOWN: Final = "WentDown"
"""Providers and targets whose state changed to down."""
PROBE_BUSY: Final = "ProbeBusy"
"""Checks that got 429 or 503."""
PROBE_BLIND: Final = "ProbeBlind"
"""Check batches with healthy hosts of which none answered; their results are discarded."""
PROBE_DROPPED: Final = "ProbeDropped"
"""Checks that waited too long in the queue and were dropped."""
PROBE_UNREADABLE: Final = "ProbeUnreadable"
"""Queue messages that could not be parsed."""
UNDELIVERED: Final = "Undelivered"
"""Webhook notices that were given up."""

JOB_ROWS: Final = "JobRows"
"""Rows of bulk jobs that were carried out or refused."""
JOB_FAILED: Final = "JobFailed"
"""Bulk jobs that ended because of a failure."""
