"""CloudFront invalidations by cache tag, with few items.

Source: Amazon CloudFront Developer Guide, "Invalidating content by cache tags", "Pay for file invalidation",
"Concurrent invalidation request maximum"; API reference, `CreateInvalidation`. Every item costs half a cent after the
first thousand of a month, however many answers it matches. 3,000 may be in progress at a time, 15 with a `*`.
"""

from collections import Counter
from collections.abc import Collection
from hashlib import sha256
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from coolid.http.caching import repository_of, repository_tag

MAX_RECORDS: Final = 20
"""The most records of one repository that are purged singly. Beyond, purging the whole repository is cheaper."""
MAX_ITEMS: Final = 100
"""The most items of one invalidation. Beyond, everything is purged."""
EVERYTHING: Final = "/*"

_RETRIABLE_CODES: Final = frozenset(
    {"TooManyInvalidationsInProgress", "Throttling", "ThrottlingException", "RequestLimitExceeded"}
)


class RetryLater(Exception):
    """CloudFront is throttling or did not answer. The invalidation may have been created nevertheless."""


class Distribution:
    """A CloudFront distribution, over a low-level boto3 client."""

    def __init__(self, client: Any, distribution_id: str) -> None:
        self._client = client
        self._id = distribution_id

    def invalidate(self, items: Collection[str], deduplication_key: str) -> None:
        """Invalidate the items, once for each `deduplication_key`. Raises `RetryLater`, or `ClientError` if useless."""
        reference = sha256("\n".join([deduplication_key, *items]).encode()).hexdigest()
        batch = {"Paths": {"Quantity": len(items), "Items": [*items]}, "CallerReference": reference}
        try:
            self._client.create_invalidation(DistributionId=self._id, InvalidationBatch=batch)
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            if code in _RETRIABLE_CODES or status >= 500:
                raise RetryLater(f"CloudFront refused: {code}") from error
            raise
        except BotoCoreError as error:
            raise RetryLater(f"CloudFront did not answer: {type(error).__name__}") from error


def collapse(tags: Collection[str]) -> frozenset[str]:
    """Return fewer tags that match at least the same answers. The input and the result may contain `EVERYTHING`."""
    owners = {tag: repository_tag(owner) for tag in tags if (owner := repository_of(tag)) is not None}
    counts = Counter(owners.values())
    whole = {owner for owner, count in counts.items() if owner in tags or count > MAX_RECORDS}
    result = frozenset(owners[tag] if owners.get(tag) in whole else tag for tag in tags)
    return frozenset([EVERYTHING]) if EVERYTHING in result or len(result) > MAX_ITEMS else result


def invalidation_items(tags: Collection[str]) -> tuple[str, ...]:
    """Return the collapsed tags as CloudFront's items, sorted."""
    return tuple(sorted(tag if tag == EVERYTHING else f"#{tag}" for tag in collapse(tags)))
