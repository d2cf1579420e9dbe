"""The ports of counters, which number identifiers, and of the usage of clients' quotas."""

from typing import Protocol

from coolid.model.quota_usage import Usage


class CounterStore(Protocol):
    """The counters of repositories, whose numbers become identifiers."""

    def reserve(self, counter_id: str, floor: int, count: int) -> int:
        """Reserve `count` successive numbers, none of them below `floor`, for ever; return the first."""


class QuotaStore(Protocol):
    """The usage of quotas."""

    def usage(self, counter_id: str) -> Usage:
        """Return a counter's usage (consistent); an empty one if nothing was spent yet."""

    def spend(self, counter_id: str, before: Usage, after: Usage, ceiling: int) -> int | None:
        """Add the difference between `after` and `before` to a counter's `spent`; return the new `spent`.

        Also write the windows of `after`, and its `latest` unless the counter has a later one. Return None and write
        nothing unless the revision is that of `before` and `spent` is at most `ceiling`. `spent` may have grown since
        `before` was read.
        """
