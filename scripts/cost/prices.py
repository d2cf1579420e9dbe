"""List prices of AWS in US dollars: us-east-1; for CloudFront, North America and Europe.

They were looked up in November 2026, none from a bill: in copies of AWS's own pages ("Amazon CloudFront Pricing", "AWS
KMS Pricing", "Amazon CloudWatch Pricing", "Amazon DynamoDB Pricing"; for API Gateway the whitepaper "Best Practices for
Designing Amazon API Gateway Private APIs"), for Lambda in copies of the AWS Price List of September 2026, for
KeyValueStore, WAF, Route 53, SQS, S3 and transfer in guides that quote AWS. Scheduled rules of EventBridge and function
URLs cost nothing. A first tier at 0 is what is always free. What is free for a year, or by credits, is not counted.

>>> price("Lambda requests", 3_000_000)
Fraction(2, 5)
"""

from fractions import Fraction

THOUSAND, MILLION, BILLION = 10**3, 10**6, 10**9
GB = 2**30
TB = 1024 * GB
HOURS = 730  # in a month, as AWS counts
SECONDS = HOURS * 3600

PRICES_FROM = "list prices of us-east-1, looked up in November 2026"

Tiers = tuple[tuple[int | None, Fraction], ...]
"""The size of each tier and the price of a unit in it; the last tier has no end."""


def _tiers(*tiers: tuple[int | None, str], per: int = 1) -> Tiers:
    return tuple((size, Fraction(price) / per) for size, price in tiers)


PRICES: dict[str, Tiers] = {
    "Lambda requests": _tiers((MILLION, "0"), (None, "0.20"), per=MILLION),
    "Lambda GB-s, arm64": _tiers(
        (400 * THOUSAND, "0"),
        (7_500 * MILLION - 400 * THOUSAND, "0.0000133334"),
        (11_250 * MILLION, "0.0000120001"),
        (None, "0.0000106667"),
    ),
    "Lambda GB-s, x86_64": _tiers(
        (400 * THOUSAND, "0"),
        (6_000 * MILLION - 400 * THOUSAND, "0.0000166667"),
        (9_000 * MILLION, "0.0000150000"),
        (None, "0.0000133334"),
    ),
    "Lambda SnapStart GB-s": _tiers((None, "0.0000015046")),
    "API Gateway requests": _tiers(
        (333 * MILLION, "3.50"), (667 * MILLION, "2.80"), (19 * BILLION, "2.38"), (None, "1.51"), per=MILLION
    ),
    "Bytes out to the internet": _tiers(
        (100 * GB, "0"), (10 * TB - 100 * GB, "0.09"), (40 * TB, "0.085"), (100 * TB, "0.07"), (None, "0.05"), per=GB
    ),
    "CloudFront requests": _tiers((10 * MILLION, "0"), (None, "1.00"), per=MILLION),
    "CloudFront bytes": _tiers(
        (TB, "0"),
        (9 * TB, "0.085"),
        (40 * TB, "0.080"),
        (100 * TB, "0.060"),
        (350 * TB, "0.040"),
        (524 * TB, "0.030"),
        (4096 * TB, "0.025"),
        (None, "0.020"),
        per=GB,
    ),
    "CloudFront function calls": _tiers((2 * MILLION, "0"), (None, "0.10"), per=MILLION),
    "CloudFront KeyValueStore reads": _tiers((2 * MILLION, "0"), (None, "0.03"), per=MILLION),
    "CloudFront KeyValueStore requests": _tiers((None, "1.00"), per=THOUSAND),
    "CloudFront invalidations": _tiers((1_000, "0"), (None, "0.005")),
    "WAF web ACL": _tiers((None, "5.00")),
    "WAF rules": _tiers((None, "1.00")),
    "WAF requests": _tiers((None, "0.60"), per=MILLION),
    "DynamoDB read units": _tiers((None, "0.125"), per=MILLION),
    "DynamoDB write units": _tiers((None, "0.625"), per=MILLION),
    "DynamoDB bytes": _tiers((25 * GB, "0"), (None, "0.25"), per=GB),
    "DynamoDB bytes, point-in-time recovery": _tiers((None, "0.20"), per=GB),
    "KMS keys": _tiers((None, "1.00")),
    "KMS signatures": _tiers((None, "0.15"), per=10 * THOUSAND),
    "CloudWatch log bytes": _tiers(
        (5 * GB, "0"), (10 * TB - 5 * GB, "0.50"), (20 * TB, "0.25"), (20 * TB, "0.10"), (None, "0.05"), per=GB
    ),
    "CloudWatch alarms": _tiers((10, "0"), (None, "0.10")),
    "CloudWatch metrics": _tiers((10, "0"), (None, "0.30")),
    "CloudWatch dashboards": _tiers((3, "0"), (None, "3.00")),
    "Route 53 zones": _tiers((None, "0.50")),
    "S3 writes": _tiers((None, "0.005"), per=THOUSAND),
    "S3 reads": _tiers((None, "0.0004"), per=THOUSAND),
    "S3 bytes": _tiers((50 * TB, "0.023"), (450 * TB, "0.022"), (None, "0.021"), per=GB),
    "SQS requests, FIFO": _tiers((MILLION, "0"), (None, "0.50"), per=MILLION),
}


def price(of: str, quantity: Fraction | int) -> Fraction:
    """Return the price of a quantity, each tier at its own price."""
    left, total = Fraction(quantity), Fraction(0)
    for size, unit in PRICES[of]:
        within = left if size is None else min(left, Fraction(size))
        total += within * unit
        left -= within
    return total


def listed(of: str, quantity: Fraction) -> Fraction:
    """Return the price of a quantity without the free tier."""
    return quantity * next(unit for _, unit in PRICES[of] if unit)
