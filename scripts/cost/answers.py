"""The price of a million requests, by the part of the service that answers them: list prices, without free tiers."""

from fractions import Fraction

from scripts.cost.assumptions import (
    ACCESS_LINE_BYTES,
    ANSWER_BYTES,
    INVOCATION_MS,
    LOG_LINE_BYTES,
    MEMORY_MB,
    STORE_READS_ANSWERED,
    STORE_READS_PASSED_ON,
)
from scripts.cost.prices import MILLION, listed

ANSWERS = {
    "edge": "CloudFront's function",
    "cache": "CloudFront's cache",
    "edge-function": "resolve function, by its URL",
    "edge-api": "resolve function, by the REST API",
    "api": "REST API alone",
}


def million(answer: str) -> dict[str, Fraction]:
    """Return dollars for a million requests, part by part, with redirects at the edge switched on; see `ANSWERS`.

    An invocation reads one item of up to 4 KB.

    >>> float(sum(million("edge").values())) < float(sum(million("edge-function").values()))
    True
    """
    bill: dict[str, Fraction] = {}
    number = Fraction(MILLION)
    if answer != "api":
        reads = STORE_READS_ANSWERED if answer == "edge" else STORE_READS_PASSED_ON
        bill |= {
            "CloudFront requests": listed("CloudFront requests", number),
            "CloudFront transfer": listed("CloudFront bytes", number * ANSWER_BYTES),
            "WAF requests": listed("WAF requests", number),
            "CloudFront function": listed("CloudFront function calls", number),
            "KeyValueStore reads": listed("CloudFront KeyValueStore reads", number * reads),
        }
    if answer in {"edge", "cache"}:
        return bill
    api = answer != "edge-function"
    bill |= {
        "Lambda": listed("Lambda requests", number)
        + listed("Lambda GB-s, arm64", number * INVOCATION_MS / 1000 * MEMORY_MB / 1024),
        "DynamoDB reads": listed("DynamoDB read units", number / 2),
        "CloudWatch logs": listed(
            "CloudWatch log bytes", number * (LOG_LINE_BYTES + (ACCESS_LINE_BYTES if api else 0))
        ),
    }
    if api:
        bill["API Gateway requests"] = listed("API Gateway requests", number)
    if answer == "api":
        bill["Transfer to the internet"] = listed("Bytes out to the internet", number * ANSWER_BYTES)
    return bill
