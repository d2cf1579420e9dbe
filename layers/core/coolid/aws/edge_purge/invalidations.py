"""Invalidations: what makes CloudFront forget answers, with few and cheap requests.

Source: Amazon CloudFront Developer Guide, "Invalidating content by cache tags", "Pay for file invalidation",
"Concurrent invalidation request maximum"; API reference, `CreateInvalidation`. Every item costs half a cent after the
first thousand of a month, whatever it reaches; 3,000 may be under way at a time, 15 with a `*`.
"""

from collections import Counter
from collections.abc import Collection
from hashlib import sha256
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from coolid.http.cache_tags import repository_of, repository_tag

MOST_RECORDS: Final = 20
"""Records of one repository beyond which all of its answers are forgotten: giving them anew costs less than items."""
MOST_ITEMS: Final = 100
"""Items beyond which everything is forgotten."""
EVERYTHING: Final = "/*"

_LATER: Final = frozenset(
    {"TooManyInvalidationsInProgress", "Throttling", "ThrottlingException", "RequestLimitExceeded"}
)


class RetryLater(Exception):
    """CloudFront has too much to do, or did not answer; what was asked for may have been done nevertheless."""


class Distribution:
    """A distribution of CloudFront, over a low-level boto3 client."""

    def __init__(self, client: Any, distribution_id: str) -> None:
        self._client = client
        self._id = distribution_id

    def invalidate(self, items: Collection[str], occasion: str) -> None:
        """Make it forget the items, once for an `occasion`, however often it is asked.

        Raises `RetryLater`, or botocore's `ClientError` for what no repetition will mend.
        """
        reference = sha256("\n".join([occasion, *items]).encode()).hexdigest()
        batch = {"Paths": {"Quantity": len(items), "Items": [*items]}, "CallerReference": reference}
        try:
            self._client.create_invalidation(DistributionId=self._id, InvalidationBatch=batch)
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            if code in _LATER or status >= 500:
                raise RetryLater(f"CloudFront refused: {code}") from error
            raise
        except BotoCoreError as error:
            raise RetryLater(f"CloudFront did not answer: {type(error).__name__}") from error


def collapsed(tags: Collection[str]) -> frozenset[str]:
    """The fewest tags that reach at least the answers with these; among them `EVERYTHING` may stand, or come to stand.

    >>> sorted(collapsed(["record:r4k2/x5", "repository:r4k2", "prefix:mp"]))
    ['prefix:mp', 'repository:r4k2']
    >>> collapsed([f"record:r4k2/{number}" for number in range(1000)])
    frozenset({'repository:r4k2'})
    """
    owners = {tag: repository_tag(owner) for tag in tags if (owner := repository_of(tag)) is not None}
    counts = Counter(owners.values())
    whole = {owner for owner, count in counts.items() if owner in tags or count > MOST_RECORDS}
    kept = frozenset(owners[tag] if owners.get(tag) in whole else tag for tag in tags)
    return frozenset([EVERYTHING]) if EVERYTHING in kept or len(kept) > MOST_ITEMS else kept


def items_of(tags: Collection[str]) -> tuple[str, ...]:
    """The same as CloudFront's items, in order.

    >>> items_of(["record:r4k2/x5", "prefix:mp"])
    ('#prefix:mp', '#record:r4k2/x5')
    """
    return tuple(sorted(tag if tag == EVERYTHING else f"#{tag}" for tag in collapsed(tags)))
