"""The resources that health checks of providers take in a month."""

from dataclasses import dataclass
from fractions import Fraction

from coolid.aws.fifo_queue import MAX_MESSAGES
from coolid.health.checker import REWRITE_AFTER
from coolid.health.messages import MAX_BATCH_TASKS, SHARDS
from coolid.health.schedule import TICK_SECONDS, CheckSchedule
from coolid.net.rate_limit import GAP_SECONDS
from scripts.cost.assumptions import (
    AILING,
    ANSWER_SECONDS,
    AT_ONCE,
    BATCH_SECONDS,
    CHANGES_PER_OUTAGE,
    CHECK_READS,
    CONDITION_UNITS,
    METRIC_LINE_BYTES,
    OUTAGES,
    POLLERS,
    PREFIX_BYTES,
    PROBE_MEMORY_MB,
    REQUEST_BYTES,
    REQUESTS_PER_CHECK,
)
from scripts.cost.prices import HOURS, SECONDS


@dataclass(frozen=True)
class Probes:
    """The resources that checks of providers take in a month; no two prefixes share a provider."""

    invocations: Fraction
    requests: Fraction
    gb_seconds: Fraction
    queue_requests: Fraction
    read_units: Fraction
    write_units: Fraction
    log_bytes: Fraction
    out_bytes: Fraction
    changes: Fraction


def probes(providers: int) -> Probes:
    """Return the resources for this number of providers, with the default schedule."""
    if not providers:
        return Probes(*[Fraction(0)] * 9)
    ticks = Fraction(SECONDS, TICK_SECONDS)
    ailing = AILING * providers
    checks = (providers - ailing) * Fraction(HOURS, CheckSchedule().hours) + ailing * HOURS
    per_tick = checks / ticks
    batches = ticks * min(SHARDS + per_tick / MAX_BATCH_TASKS, per_tick)
    check_seconds = REQUESTS_PER_CHECK * ANSWER_SECONDS + (REQUESTS_PER_CHECK - 1) * Fraction(GAP_SECONDS)
    seconds = checks * check_seconds / AT_ONCE + (batches + ticks) * BATCH_SECONDS
    written = (providers - ailing) * Fraction(SECONDS, int(REWRITE_AFTER.total_seconds())) + ailing * HOURS * 2
    changes = providers * OUTAGES * CHANGES_PER_OUTAGE
    return Probes(
        invocations=ticks + batches,
        requests=checks * REQUESTS_PER_CHECK,
        gb_seconds=seconds * PROBE_MEMORY_MB / 1024,
        queue_requests=batches / MAX_MESSAGES + ticks + 2 * batches + Fraction(POLLERS * SECONDS, 20),
        read_units=ticks * Fraction(providers * PREFIX_BYTES, 2 * 4096) + checks * CHECK_READS,
        write_units=written + changes * CONDITION_UNITS,
        log_bytes=(ticks + batches) * METRIC_LINE_BYTES,
        out_bytes=checks * REQUESTS_PER_CHECK * REQUEST_BYTES,
        changes=changes,
    )
