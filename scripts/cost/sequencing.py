"""The resources that the transparency log takes in a month."""

import math
from dataclasses import dataclass
from fractions import Fraction

from coolid.log.merkle_tree import HASH_BYTES
from coolid.log.sweep import INTERVAL_SECONDS
from coolid.log.tiles import HEIGHT, WIDTH
from scripts.cost.assumptions import (
    BATCH_MS,
    ENTRY_BYTES,
    ENTRY_MS,
    ENTRY_READS,
    ENTRY_WRITES,
    IDLE_MS,
    IDLE_READS,
    LOG_ROW_BYTES,
    LOG_YEARS,
    PREFIX_BYTES,
    SEQUENCE_MB,
    SEQUENCE_RUNS,
    SWEEP_READS,
    SWEPT,
)


@dataclass(frozen=True)
class Sequencing:
    """The resources that the transparency log takes in a month; the bytes are those that are stored."""

    runs: Fraction
    gb_seconds: Fraction
    signatures: Fraction
    file_writes: Fraction
    file_reads: Fraction
    read_units: Fraction
    write_units: Fraction
    file_bytes: Fraction
    row_bytes: Fraction


def sequencing(size: int, entries: int, listed: int = 0, runs: Fraction = SEQUENCE_RUNS) -> Sequencing:
    """Return the resources for a log of `size` entries, and `entries` new ones in `runs`, as far apart as possible.

    The sweep also reads `listed` prefixes each time.
    """
    batches = min(runs, Fraction(entries))
    levels = math.ceil(size.bit_length() / HEIGHT)
    leaf_bytes = ENTRY_BYTES + 2 + HASH_BYTES
    partial = batches * 12 * LOG_YEARS * WIDTH / 2 * leaf_bytes
    sweeps = runs * 60 / INTERVAL_SECONDS
    return Sequencing(
        runs=runs,
        gb_seconds=(runs * IDLE_MS + batches * BATCH_MS + entries * ENTRY_MS) / 1000 * SEQUENCE_MB / 1024,
        signatures=batches,
        file_writes=batches * (3 + levels) + Fraction(2 * entries, WIDTH),  # staging, bundle, tiles, checkpoint
        file_reads=runs + batches * (2 + levels),
        read_units=runs * IDLE_READS
        + entries * (ENTRY_READS + SWEPT * SWEEP_READS)
        + sweeps * Fraction(listed * PREFIX_BYTES, 2 * 4096),
        write_units=Fraction(entries * ENTRY_WRITES) + sweeps,
        file_bytes=size * leaf_bytes * (1 + Fraction(1, WIDTH)) + partial,
        row_bytes=Fraction(size * LOG_ROW_BYTES),
    )
