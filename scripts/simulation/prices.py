"""The cost of a run, extrapolated to a month, at the prices of `scripts/cost`."""

from dataclasses import dataclass
from fractions import Fraction

from scripts.cost.assumptions import ACCESS_LINE_BYTES, ANSWER_BYTES, LOG_LINE_BYTES, MEMORY_MB
from scripts.cost.months import EdgeUse, Month, edge_parts, store_use
from scripts.cost.prices import HOURS, SECONDS, price
from scripts.cost.probing import probes
from scripts.simulation.quotas import PROVISIONED_READ_UNIT_HOUR, SHIELD_REQUEST

PROVIDERS = Month.providers


@dataclass(frozen=True)
class Usage:
    """What `seconds` of simulated time used, in all regions."""

    seconds: float
    requests: int
    edge: bool
    gateway: int | None
    """Requests that API Gateway bills; None if CloudFront calls the function's URL."""
    invocations: int
    billed_ms: int
    read_units: float
    shield: int = 0
    purges: int = 0
    redirected: int = 0
    """Requests that CloudFront's function answers."""


def parts(usage: Usage) -> dict[str, Fraction]:
    """Return dollars a month for what depends on the number of requests, part by part.

    API Gateway and Lambda do not bill what they throttle (Amazon API Gateway Pricing; AWS Lambda Pricing).
    """
    month = Fraction(SECONDS) / Fraction(usage.seconds)
    gb_seconds = usage.billed_ms * month / 1000 * MEMORY_MB / 1024
    url = usage.gateway is None
    lines = usage.invocations * month * (LOG_LINE_BYTES + (0 if url else ACCESS_LINE_BYTES))
    bill: dict[str, Fraction] = {
        "API Gateway requests": price("API Gateway requests", (usage.gateway or 0) * month),
        "Lambda requests": price("Lambda requests", usage.invocations * month),
        "Lambda time": price("Lambda GB-s, arm64", gb_seconds),
        "DynamoDB reads": price("DynamoDB read units", Fraction(usage.read_units) * month),
        "CloudWatch logs": price("CloudWatch log bytes", lines),
    }
    if usage.edge:
        store_requests = store_use(probes(PROVIDERS).changes) if usage.redirected else Fraction(0)
        use = EdgeUse(usage.requests * month, usage.purges * month, usage.redirected * month, store_requests)
        bill |= edge_parts(use)
        bill["Origin Shield"] = usage.shield * month * SHIELD_REQUEST
    else:
        bill["Transfer to the internet"] = price("Bytes out to the internet", usage.requests * month * ANSWER_BYTES)
    return bill


def total(usage: Usage) -> Fraction:
    return sum(parts(usage).values(), Fraction(0))


def provisioned(read_units_a_second: float, utilisation: float) -> Fraction:
    """Return dollars a month for provisioned read capacity of which `utilisation` is used."""
    return Fraction(read_units_a_second / utilisation) * PROVISIONED_READ_UNIT_HOUR * Fraction(HOURS)


def on_demand(read_units_a_second: float) -> Fraction:
    """Return dollars a month for as many read units on demand."""
    return price("DynamoDB read units", Fraction(read_units_a_second) * SECONDS)
