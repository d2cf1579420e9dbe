"""A DynamoDB table: partitions with limits of their own, splits for heat, and the capacity of the table."""

import math

from scripts.simulation.quotas import (
    BURST_SECONDS,
    NEW_TABLE_READ_UNITS,
    PARTITION_BYTES,
    PARTITION_READ_UNITS,
    PARTITION_WRITE_UNITS,
    SPLIT_SECONDS,
    TABLE_READ_UNITS,
)
from scripts.simulation.token_bucket import TokenBucket

_HASH = 0x9E3779B97F4A7C15  # Fibonacci hashing: spreads numbers that follow one another
_MASK = 2**64 - 1


class Partition:
    """One partition. Adaptive capacity gives it all of its limit, whatever the table's other partitions get."""

    __slots__ = ("first_throttle", "halves", "reads", "writes")

    def __init__(self) -> None:
        self.reads = TokenBucket(PARTITION_READ_UNITS, PARTITION_READ_UNITS)
        self.writes = TokenBucket(PARTITION_WRITE_UNITS, PARTITION_WRITE_UNITS)
        self.first_throttle: float | None = None
        self.halves: tuple[Partition, Partition] | None = None


class Table:
    """A table of `items` of `item_bytes`; `provisioned` read units a second, or None for on-demand capacity."""

    def __init__(self, items: int, item_bytes: int, provisioned: float | None = None) -> None:
        number = max(
            math.ceil(items * item_bytes / PARTITION_BYTES), math.ceil(NEW_TABLE_READ_UNITS / PARTITION_READ_UNITS)
        )
        self.partitions = [Partition() for _ in range(number)]
        self.throttled, self.read_units, self.write_units, self.splits = 0, 0.0, 0.0, 0
        if provisioned is None:
            self._capacity = TokenBucket(TABLE_READ_UNITS, TABLE_READ_UNITS)
        else:
            self._capacity = TokenBucket(provisioned, provisioned * BURST_SECONDS)
            self._capacity.level = provisioned  # a run is short: it must not live on capacity saved before

    def partition(self, key: int) -> Partition:
        """Return the partition that has this key now."""
        number = (key + 1) * _HASH & _MASK
        found, bits = self.partitions[(number >> 32) % len(self.partitions)], number
        while found.halves:
            found, bits = found.halves[bits & 1], bits >> 1
        return found

    def read(self, key: int, units: float, now: float) -> bool:
        """Consume read units and return True, or return False if the read is throttled."""
        partition = self.partition(key)
        if self._capacity.take(now, units) and partition.reads.take(now, units):
            self.read_units += units
            return True
        self._throttle(partition, now)
        return False

    def write(self, key: int, units: float, now: float) -> bool:
        """Consume write units and return True, or return False if the write is throttled."""
        partition = self.partition(key)
        if partition.writes.take(now, units):
            self.write_units += units
            return True
        self._throttle(partition, now)
        return False

    def _throttle(self, partition: Partition, now: float) -> None:
        self.throttled += 1
        if partition.first_throttle is None:
            partition.first_throttle = now
        elif now - partition.first_throttle >= SPLIT_SECONDS:
            partition.halves = (Partition(), Partition())
            self.splits += 1
