"""The limits and prices of AWS that the simulation uses, each with its source, and the assumptions.

Times are in seconds, sizes in bytes. Prices that `scripts/cost` has are not repeated here.
"""

from fractions import Fraction
from typing import Final

# Amazon API Gateway Developer Guide, "Amazon API Gateway quotas": 10,000 requests a second for an account in a region,
# and a token bucket of 5,000. Both can be increased.
GATEWAY_RATE: Final = 10_000
GATEWAY_BURST: Final = 5_000

# AWS Lambda Developer Guide, "Lambda quotas": concurrent executions of an account in a region, by default.
# "Understanding Lambda function scaling": "Across all functions in your account, Lambda enforces a requests per second
# limit that's equal to 10 times your account concurrency." "Creating and managing Lambda function URLs": with reserved
# concurrency "your function's maximum request rate per second (RPS) is equivalent to 10 times the configured reserved
# concurrency". That the latter also holds behind API Gateway is likely, but nowhere said.
LAMBDA_CONCURRENCY: Final = 1_000
LAMBDA_RATE_PER_CONCURRENCY: Final = 10
# AWS Lambda Developer Guide, "Lambda scaling behavior": 1,000 new environments every 10 seconds for a function,
# refilled continuously, never more than 1,000 at once.
LAMBDA_SCALING: Final = 1_000
LAMBDA_SCALING_SECONDS: Final = 10

# Amazon DynamoDB Developer Guide, "Best practices for designing and using partition keys effectively". In a test of AWS
# (AWS Database Blog, "Scaling DynamoDB", part 2) one partition answered 4,500 units a second of eventually consistent
# reads, because three copies answer them. That is not promised, and not used here.
PARTITION_READ_UNITS: Final = 3_000
PARTITION_WRITE_UNITS: Final = 1_000
# Amazon DynamoDB Developer Guide, "Partitions and data distribution" and "Service, account, and table quotas".
PARTITION_BYTES: Final = 10 * 10**9
TABLE_READ_UNITS: Final = 40_000
# Amazon DynamoDB Developer Guide, "Understanding DynamoDB warm throughput in
# different scenarios": a new on-demand table.
NEW_TABLE_READ_UNITS: Final = 12_000
# Amazon DynamoDB Developer Guide, "DynamoDB burst and adaptive capacity": unused capacity of five minutes.
BURST_SECONDS: Final = 300
# Amazon DynamoDB Developer Guide, "DynamoDB read consistency" and "Capacity unit consumption": 4 KB for a unit; half
# of it if eventually consistent.
READ_UNIT_BYTES: Final = 4_096
EVENTUAL: Final = 0.5

# Amazon Route 53 Developer Guide, "Values that you specify when you create or update health checks": fast interval of
# 10 s, failure threshold 3.
FAILOVER_SECONDS: Final = 30

# "Pricing for Provisioned Capacity" of Amazon DynamoDB, us-east-1: dollars for a read capacity unit and an hour.
PROVISIONED_READ_UNIT_HOUR: Final = Fraction("0.00013")
# "Amazon CloudFront Pricing" (pay-as-you-go), Origin Shield, United States: dollars for a request that reaches it.
SHIELD_REQUEST: Final = Fraction("0.0075") / 10_000

# ---- Assumptions: AWS publishes no figure ------------------------------------------------------------------------

EDGES: Final = 48  # locations with an equal share of the requests
REGIONAL_CACHES: Final = 12  # each for an equal number of edges; CloudFront has about a dozen
VIEWER_SECONDS: Final = 0.015  # from a client to its edge and back
REGIONAL_SECONDS: Final = 0.020  # from an edge to its regional cache and back
ORIGIN_SECONDS: Final = 0.080  # from a regional cache, or a client without the edge, to the service and back
SHIELD_SECONDS: Final = 0.060  # from a regional cache to the shield and back; the shield is near the service
SHIELD_ORIGIN_SECONDS: Final = 0.020
SPLIT_SECONDS: Final = 600.0  # of throttling until a hot partition is split; for ten minutes AWS's own test saw none
FUNCTION_SECONDS: Final = 0.001  # for a redirect at the edge; a CloudFront function may not take longer
PROVIDER_PREFIXES: Final = 500  # prefixes of providers in use, of some 3,000
RETRY_SECONDS: Final = 0.05  # pause of the store's client before its only second attempt
STORE_SPREAD: Final = 0.5  # sigma of the lognormal time of a read; its mean is STORE_MS of scripts/cost

ASSUMPTIONS: Final = (
    f"{EDGES} edges with equal traffic behind {REGIONAL_CACHES} regional caches; no cache evicts a fresh response",
    (
        f"round trips: to an edge {VIEWER_SECONDS * 1000:.0f} ms, regional cache {REGIONAL_SECONDS * 1000:.0f} ms, "
        f"regional cache or client to service {ORIGIN_SECONDS * 1000:.0f} ms, with a shield "
        f"{SHIELD_SECONDS * 1000:.0f} + {SHIELD_ORIGIN_SECONDS * 1000:.0f} ms"
    ),
    "a copy expires everywhere when the first one does, because `Age` is passed on",
    "Lambda uses the environment that became idle last, and none ends during a run",
    f"a hot partition is split after {SPLIT_SECONDS:.0f} s of throttling; a single item cannot be split",
    "a read takes 4 ms on average (lognormal), an invocation the processor time of `scripts/cost`",
    "the store's client repeats a throttled read once, after 50 ms",
    (
        f"all clients send the same `Accept`; 20 prefixes of records and {PROVIDER_PREFIXES} of providers are in use, "
        "with equal traffic"
    ),
    f"CloudFront's function answers within {FUNCTION_SECONDS * 1000:.0f} ms, and passes on 10 % of the redirects",
)
