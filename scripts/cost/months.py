"""The bill of a month: what it uses, at list prices, part by part."""

from dataclasses import dataclass
from fractions import Fraction

from scripts.cost.assumptions import (
    ACCESS_LINE_BYTES,
    ALARMS,
    ANSWER_BYTES,
    CHANGE_UNITS,
    COLD_SHARE,
    COLD_START_MS,
    INDEX_MS,
    INDEX_RUNS,
    INVOCATION_MS,
    JOB_POLLS,
    KEYS,
    LOG_LINE_BYTES,
    MEMORY_MB,
    METRICS,
    MINT_UNITS,
    PEAK,
    POSTING_BYTES,
    POSTINGS,
    PREFIX_BYTES,
    PREFIX_KEYS,
    PREFIXES_IN_USE,
    RECORD_BYTES,
    SNAPSHOT_MB,
    STORE_ALARMS,
    STORE_CHANGE_REQUESTS,
    STORE_METRICS,
    STORE_READS_ANSWERED,
    STORE_READS_PASSED_ON,
    STORE_RENEWALS,
    STORE_RUN_SECONDS,
    STORE_RUNS,
    SYNONYMS,
    WAF_RULES,
    WRITE_MS,
)
from scripts.cost.plans import plan_for
from scripts.cost.prices import MILLION, SECONDS, THOUSAND, price
from scripts.cost.probing import Probes, probes
from scripts.cost.sequencing import Sequencing, sequencing

WAYS = {"api": "REST API alone", "edge": "CloudFront, REST API", "edge-function": "CloudFront, function URL"}


@dataclass(frozen=True)
class Month:
    """The use of a month, and what the operator chose.

    `edge_share` is the percentage of requests that CloudFront's function redirects; 0 is without redirects at the edge.
    `hit_rate` is the percentage of the others that CloudFront answers from its cache. `store_requests` are those to
    KeyValueStore's API; None for as many as the providers need. With `plan` CloudFront has a flat-rate plan, whose
    web ACL is obligatory; otherwise `firewall` decides.
    """

    way: str
    resolutions: int
    hit_rate: Fraction = Fraction(0)
    edge_share: Fraction = Fraction(0)
    architecture: str = "arm64"
    records: int = MILLION
    mints: int = 10 * THOUSAND
    changes: int = THOUSAND
    milliseconds: int = INVOCATION_MS
    providers: int = 3 * THOUSAND
    store_requests: int | None = None
    plan: bool = False
    firewall: bool = True

    @property
    def has_edge(self) -> bool:
        return self.way != "api"

    @property
    def redirected(self) -> Fraction:
        """Requests that CloudFront's function answers."""
        return self.resolutions * self.edge_share / 100 if self.has_edge else Fraction(0)

    @property
    def invocations(self) -> Fraction:
        """Requests that reach the resolve function."""
        passed_on = self.resolutions - self.redirected
        return passed_on * (100 - self.hit_rate) / 100 if self.has_edge else passed_on


@dataclass(frozen=True)
class EdgeUse:
    """What CloudFront does in a month; `redirected` are the requests that its function answers out of the store."""

    requests: Fraction
    purges: Fraction
    redirected: Fraction = Fraction(0)
    store_requests: Fraction = Fraction(0)
    firewall: bool = True


def parts(month: Month) -> dict[str, Fraction]:
    """Return the cost of a month, part by part. Raises `NoPlanError` if no plan covers it."""
    invocations, writes = month.invocations, month.mints + month.changes
    seconds = invocations * (month.milliseconds + COLD_SHARE * COLD_START_MS) / 1000
    gb_seconds = seconds * MEMORY_MB / 1024 + Fraction(writes * WRITE_MS) / 1000
    runs = STORE_RUNS if month.redirected else Fraction(0)
    gb_seconds += runs * STORE_RUN_SECONDS / 2
    environments = 1 + invocations / SECONDS * month.milliseconds / 1000 * PEAK
    prefix_reads = min(invocations, environments * PREFIXES_IN_USE * SECONDS / 60)
    probing = probes(month.providers)
    logged = sequencing(month.records + month.changes, writes, month.providers)
    gb_seconds += probing.gb_seconds + logged.gb_seconds + (writes + INDEX_RUNS) * INDEX_MS / 1000
    swept = runs * month.providers * (Fraction(PREFIX_BYTES, 4096) + SYNONYMS) / 2
    api = month.way != "edge-function"
    log_bytes = (invocations + writes) * (LOG_LINE_BYTES + (ACCESS_LINE_BYTES if api else 0)) + probing.log_bytes
    polls = JOB_POLLS * (2 if month.redirected else 1)  # redirects at the edge have a queue of their own
    out_bytes = probing.out_bytes + (0 if month.has_edge else month.resolutions * ANSWER_BYTES)
    return {
        **web_parts(month, probing),
        "API Gateway requests": price("API Gateway requests", (invocations if api else 0) + writes),
        "Transfer to the internet": price("Bytes out to the internet", out_bytes),
        "Lambda requests": price(
            "Lambda requests", invocations + 2 * writes + INDEX_RUNS + probing.invocations + logged.runs + runs
        ),
        "Lambda time": price(f"Lambda GB-s, {month.architecture}", gb_seconds),
        "Lambda snapshots": price("Lambda SnapStart GB-s", Fraction(SNAPSHOT_MB * SECONDS) / 1024),
        **store_parts(month, (invocations + prefix_reads * PREFIX_KEYS) / 2 + swept, probing, logged),
        "SQS": price(
            "SQS requests, FIFO", probing.queue_requests + polls
        ),  # at the price of the more expensive kind of queue
        "KMS": price("KMS keys", KEYS) + price("KMS signatures", writes + logged.signatures),
        "CloudWatch logs": price("CloudWatch log bytes", log_bytes),
        "CloudWatch alarms, metrics": price("CloudWatch alarms", ALARMS + (STORE_ALARMS if month.redirected else 0))
        + price("CloudWatch metrics", METRICS + (STORE_METRICS if month.redirected else 0))
        + price("CloudWatch dashboards", 1),
    }


def store_parts(month: Month, reads: Fraction, probing: Probes, logged: Sequencing) -> dict[str, Fraction]:
    """Return the cost of tables and files; resolutions take so many `reads`."""
    mints, changes = month.mints * (MINT_UNITS + POSTINGS), month.changes * (CHANGE_UNITS + 2 * POSTINGS)
    stored = month.records * RECORD_BYTES + logged.row_bytes
    return {
        "DynamoDB reads": price("DynamoDB read units", reads + probing.read_units + logged.read_units),
        "DynamoDB writes": price("DynamoDB write units", mints + changes + probing.write_units + logged.write_units),
        "DynamoDB storage": price("DynamoDB bytes", stored + month.records * POSTINGS * POSTING_BYTES)
        + price("DynamoDB bytes, point-in-time recovery", stored),
        "S3": price("S3 writes", logged.file_writes)
        + price("S3 reads", logged.file_reads)
        + price("S3 bytes", logged.file_bytes),
    }


def web_parts(month: Month, probing: Probes) -> dict[str, Fraction]:
    """Return the cost of CloudFront and of what its plans cover, which is nothing without it but the hosted zone."""
    requests, store_requests = Fraction(month.resolutions), Fraction(0)
    if month.redirected:
        store_requests = store_use(probing.changes) if month.store_requests is None else Fraction(month.store_requests)
    use = EdgeUse(requests, month.changes + probing.changes, month.redirected, store_requests, month.firewall)
    bill = {"CloudFront plan": Fraction(0), **edge_parts(use), "Route 53": price("Route 53 zones", 1)}
    if not month.has_edge:
        return {name: amount if name == "Route 53" else Fraction(0) for name, amount in bill.items()}
    if month.plan:
        covered = dict.fromkeys(bill, Fraction(0))
        dollars = Fraction(plan_for(month.resolutions, month.resolutions * ANSWER_BYTES).dollars)
        return covered | {"CloudFront plan": dollars, "KeyValueStore requests": bill["KeyValueStore requests"]}
    return bill


def store_use(changes: Fraction) -> Fraction:
    """Return the requests to KeyValueStore's API in a month with so many changes of prefixes."""
    return STORE_RENEWALS + changes * STORE_CHANGE_REQUESTS


def edge_parts(use: EdgeUse) -> dict[str, Fraction]:
    """Return what CloudFront costs by use."""
    passed_on = use.requests - use.redirected if use.redirected else 0
    reads = use.redirected * STORE_READS_ANSWERED + passed_on * STORE_READS_PASSED_ON
    firewall = price("WAF web ACL", 1) + price("WAF rules", WAF_RULES) + price("WAF requests", use.requests)
    return {
        "CloudFront requests": price("CloudFront requests", use.requests),
        "CloudFront transfer": price("CloudFront bytes", use.requests * ANSWER_BYTES),
        "CloudFront function": price("CloudFront function calls", use.requests),
        "CloudFront invalidations": price("CloudFront invalidations", use.purges),
        "KeyValueStore reads": price("CloudFront KeyValueStore reads", reads),
        "KeyValueStore requests": price("CloudFront KeyValueStore requests", use.store_requests),
        "WAF": firewall if use.firewall else Fraction(0),
    }


def total(month: Month) -> Fraction:
    """Return the cost of a month. Raises `NoPlanError` if no plan covers it."""
    return sum(parts(month).values(), Fraction(0))
