"""The tables of the operator's guide, in Markdown."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from coolid.log.batches import MAX_ENTRIES
from scripts.cost.answers import ANSWERS, million
from scripts.cost.assumptions import ANSWER_BYTES, INVOCATION_MS, LOG_GROWTH, LOG_SIZES
from scripts.cost.months import WAYS, EdgeUse, Month, edge_parts, parts, total
from scripts.cost.plans import PLANS, NoPlanError, plan_for
from scripts.cost.prices import BILLION, GB, MILLION, PRICES_FROM, TB, listed, price
from scripts.cost.probing import probes
from scripts.cost.sequencing import Sequencing, sequencing

RESOLUTIONS = (MILLION, 100 * MILLION, 10 * BILLION)
HIT_RATES = (Fraction(0), Fraction(50), Fraction(90), Fraction(99))
EDGE_SHARES = (Fraction(0), Fraction(50))
CHOSEN_HIT_RATE = Fraction(50)
PLAN_SIZES = (10 * MILLION, 100 * MILLION, 125 * MILLION, 500 * MILLION, 2 * BILLION, 6 * BILLION, 10 * BILLION)


def dollars(amount: Fraction) -> str:
    """Return an amount for people, with cents only if it is small.

    >>> dollars(Fraction("3.5")), dollars(Fraction("1234.56"))
    ('3.50', '1,235')
    """
    return f"{float(amount):,.2f}" if amount < 100 else f"{float(amount):,.0f}"


def rounded(number: int) -> str:
    """Return 1 M, 1.25 B, 10 B, or the number.

    >>> rounded(1_250 * MILLION), rounded(1_500)
    ('1.25 B', '1,500')
    """
    for size, letter in ((BILLION, "B"), (MILLION, "M")):
        if number >= size and number % (size // 100) == 0:
            return f"{number / size:g} {letter}"
    return f"{number:,}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """Return a table whose first columns are texts and whose others are figures.

    >>> print(table(["a", "b"], [["x", "1"]]))
    | a | b |
    |---|---:|
    | x | 1 |
    """
    rule = f"|{'---|' * texts}{'---:|' * (len(head) - texts)}"
    return "\n".join([f"| {' | '.join(head)} |", rule, *[f"| {' | '.join(row)} |" for row in rows]])


def label(month: Month) -> str:
    """Return what the operator chose, for people."""
    text = WAYS[month.way]
    if month.has_edge and month.edge_share:
        text += f", {float(month.edge_share):g} % redirected at the edge"
    if month.has_edge and (month.plan or not month.firewall):
        text += ", flat-rate plan" if month.plan else ", no WAF"
    return text


def totals() -> str:
    """Return the table of sums."""
    rows = []
    for number in RESOLUTIONS:
        for way, name in WAYS.items():
            for share in EDGE_SHARES[:1] if way == "api" else EDGE_SHARES:
                sums = [dollars(total(Month(way, number, rate, share))) for rate in HIT_RATES]
                shown = [sums[0], *["" for _ in sums[1:]]] if way == "api" else sums
                rows.append([rounded(number), name, "" if way == "api" else f"{share} %", *shown])
    return table(["requests", "way in", "redirected at the edge", *[f"{rate} %" for rate in HIT_RATES]], rows, 3)


def options() -> list[Month]:
    """Return what an operator can choose, for no requests."""
    base = Month("api", 0, CHOSEN_HIT_RATE)
    url = replace(base, way="edge-function")
    edges = [replace(base, way="edge"), replace(url, firewall=False), url, replace(url, plan=True)]
    return [base, *[replace(each, edge_share=share) for share in EDGE_SHARES for each in edges]]


def offers(number: int) -> dict[Month, Fraction]:
    """Return what an operator can choose for so many requests, with dollars a month."""
    found = {}
    for option in options():
        month = replace(option, resolutions=number)
        with suppress(NoPlanError):
            found[month] = total(month)
    return found


def recommended() -> str:
    """Return the table of the cheapest choices, without and with WAF."""
    rows = []
    for number in RESOLUTIONS:
        found = offers(number)
        planned = min((amount for month, amount in found.items() if month.plan), default=None)
        for need, months in (("no WAF", list(found)), ("WAF", [each for each in found if has_firewall(each)])):
            best = min(months, key=lambda each: found[each])
            shown = "none" if planned is None else dollars(planned)
            rows.append([rounded(number), need, label(best), dollars(found[best]), shown])
    return table(["requests a month", "you need", "choose", "dollars", "with a flat-rate plan"], rows, 3)


def choices() -> str:
    """Return the table that compares what an operator can choose."""
    columns = [offers(number) for number in RESOLUTIONS]
    rows = []
    for option in options():
        months = [replace(option, resolutions=number) for number in RESOLUTIONS]
        sums = [found.get(month) for month, found in zip(months, columns, strict=True)]
        rows.append([label(option), *["none" if each is None else dollars(each) for each in sums]])
    return table(["a month of", *map(rounded, RESOLUTIONS)], rows)


def has_firewall(month: Month) -> bool:
    """Return whether WAF protects the service."""
    return month.has_edge and (month.plan or month.firewall)


def answered() -> str:
    """Return the table of the price of a million requests, by what answers them."""
    bills = {name: million(answer) for answer, name in ANSWERS.items()}
    names = list(dict.fromkeys(part for bill in bills.values() for part in bill))
    rows = [[name, *[dollars(bill[name]) if name in bill else "" for bill in bills.values()]] for name in names]
    sums = [f"**{dollars(sum(bill.values(), Fraction(0)))}**" for bill in bills.values()]
    return table(["a million requests answered by", *bills], [*rows, ["**together**", *sums]])


def plans() -> str:
    """Return the table of CloudFront's flat-rate plans."""
    rows = [
        [
            plan.name,
            f"{plan.dollars:,}",
            rounded(plan.requests),
            f"{plan.size // TB} TB" if plan.size >= TB else f"{plan.size // GB} GB",
            str(plan.behaviors),
            "yes" if plan.policies else "no",
            "yes" if plan.store else "no",
            "yes" if plan.fits else "no",
        ]
        for plan in PLANS
    ]
    head = ["plan", "dollars", "requests", "transfer", "cache behaviors", "own policies", "KeyValueStore"]
    return table([*head, "fits the template"], rows)


def planned() -> str:
    """Return the table that compares what a plan covers with its price."""
    rows = []
    for number in PLAN_SIZES:
        use = EdgeUse(Fraction(number), Fraction(0), Fraction(number, 2))
        covered, bare = (sum(edge_parts(replace(use, firewall=each)).values()) for each in (True, False))
        try:
            plan = plan_for(number, number * ANSWER_BYTES)
            shown = [plan.name, f"{plan.dollars:,}"]
        except NoPlanError:
            shown = ["none", ""]
        rows.append([rounded(number), dollars(Fraction(bare)), dollars(Fraction(covered)), *shown])
    return table(["requests", "by use, no WAF", "by use, WAF", "plan", "dollars"], rows)


def itemised(months: Sequence[Month]) -> str:
    """Return a table of the parts of some months."""
    bills = [parts(month) for month in months]
    rows = [[name, *[dollars(bill[name]) if bill[name] else "" for bill in bills]] for name in bills[0]]
    sums = [f"**{dollars(sum(bill.values(), Fraction(0)))}**" for bill in bills]
    return table(["part", *map(label, months)], [*rows, ["**together**", *sums]])


def probed(providers: int, architecture: str = Month.architecture) -> str:
    """Return the table of the resources and cost of checks."""
    taken = probes(providers)
    rows = (
        ("invocations", taken.invocations, listed("Lambda requests", taken.invocations)),
        ("GB-s", taken.gb_seconds, listed(f"Lambda GB-s, {architecture}", taken.gb_seconds)),
        ("HTTP requests to others", taken.requests, listed("Bytes out to the internet", taken.out_bytes)),
        ("SQS requests", taken.queue_requests, listed("SQS requests, FIFO", taken.queue_requests)),
        ("DynamoDB read units", taken.read_units, listed("DynamoDB read units", taken.read_units)),
        ("DynamoDB write units", taken.write_units, listed("DynamoDB write units", taken.write_units)),
        ("log bytes", taken.log_bytes, listed("CloudWatch log bytes", taken.log_bytes)),
    )
    lines = [[name, f"{round(number):,}", dollars(cost)] for name, number, cost in rows]
    together = dollars(sum((cost for _, _, cost in rows), Fraction(0)))
    purged = dollars(listed("CloudFront invalidations", taken.changes))
    lines += [["**together**", "", f"**{together}**"]]
    lines += [["with the edge: purged items", f"{round(taken.changes):,}", purged]]
    return table([f"checking {providers:,} providers", "a month", "dollars"], lines)


def sequenced(architecture: str = Month.architecture) -> str:
    """Return the table of the cost of transparency logs of several sizes."""
    months = [sequencing(size, int(size * LOG_GROWTH), Month.providers) for size in LOG_SIZES]
    # When a service begins its log, all entries come at once, in full batches.
    begins = [sequencing(size, size, runs=Fraction(math.ceil(size / MAX_ENTRIES))) for size in LOG_SIZES]
    bills = [_logged(month, architecture) for month in months]
    rows = [["new entries a month", *[f"{int(size * LOG_GROWTH):,}" for size in LOG_SIZES]]]
    rows += [[name, *[dollars(bill[name]) for bill in bills]] for name in bills[0]]
    rows += [["**together**", *[f"**{dollars(sum(bill.values(), Fraction(0)))}**" for bill in bills]]]
    lasting = {"KMS key", "S3 storage", "DynamoDB storage"}
    once = [
        sum((cost for name, cost in _logged(each, architecture).items() if name not in lasting), Fraction(0))
        for each in begins
    ]
    rows += [["once, to add all entries", *map(dollars, once)]]
    return table(["a log of", *[f"{size:,}" for size in LOG_SIZES]], rows)


def _logged(log: Sequencing, architecture: str) -> dict[str, Fraction]:
    """Return the cost of the log, part by part, at list prices."""
    return {
        "Lambda": listed("Lambda requests", log.runs) + listed(f"Lambda GB-s, {architecture}", log.gb_seconds),
        "KMS signatures": listed("KMS signatures", log.signatures),
        "S3 requests": listed("S3 writes", log.file_writes) + listed("S3 reads", log.file_reads),
        "DynamoDB reads, writes": listed("DynamoDB read units", log.read_units)
        + listed("DynamoDB write units", log.write_units),
        "KMS key": listed("KMS keys", Fraction(1)),
        "S3 storage": listed("S3 bytes", log.file_bytes),
        "DynamoDB storage": listed("DynamoDB bytes", log.row_bytes)
        + listed("DynamoDB bytes, point-in-time recovery", log.row_bytes),
    }


def sections() -> dict[str, str]:
    """Return the tables of the operator's guide, each with the sentence before it."""
    number, rate = RESOLUTIONS[1], HIT_RATES[2]
    arm, x86 = (price(f"Lambda GB-s, {each}", 10 * MILLION) for each in ("arm64", "x86_64"))
    shown = [Month(way, number, rate) for way in WAYS]
    shown.append(replace(shown[-1], edge_share=EDGE_SHARES[1]))
    return {
        f"The cheapest choice at a hit rate of {CHOSEN_HIT_RATE} %, in dollars a month:": recommended(),
        f"All choices, in dollars a month, {PRICES_FROM}, at the same hit rate:": choices(),
        "Dollars for a million requests, without free tiers, by what answers them:": answered(),
        "CloudFront's flat-rate plans:": plans(),
        "What a plan covers, in dollars a month with half of the requests redirected at the edge:": planned(),
        "Dollars a month by hit rate, pay-as-you-go with WAF:": totals(),
        f"The parts at {rounded(number)} requests and a hit rate of {rate} %:": itemised(shown),
        f"An invocation takes {INVOCATION_MS} ms; ten million GB-s cost ${dollars(arm)} on arm64 and ${dollars(x86)} "
        "on x86_64. Checks of providers, at list prices, without free tiers:": probed(Month.providers),
        "The transparency log, likewise:": sequenced(),
    }


def report() -> str:
    """Return all tables with the sentences before them."""
    return "\n\n".join(f"{sentence}\n\n{shown}" for sentence, shown in sections().items())
