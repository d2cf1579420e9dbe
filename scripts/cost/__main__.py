"""Print the cost of a month: python -m scripts.cost [--resolutions N] [--edge-answers PERCENT] [--plan] …"""

import argparse
import json
from fractions import Fraction
from typing import Any

from scripts.cost.assumptions import INVOCATION_MS
from scripts.cost.months import WAYS, Month, parts, total
from scripts.cost.plans import NoPlanError
from scripts.cost.prices import PRICES_FROM
from scripts.cost.tables import HIT_RATES, RESOLUTIONS, itemised, report


def main(arguments: list[str] | None = None) -> None:
    """Print the tables or the months that the options request."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.resolutions is None and not chosen.json:
        print(report())
        return
    months = [
        Month(
            way,
            number,
            chosen.hit_rate,
            chosen.edge_answers,
            chosen.architecture,
            chosen.records,
            chosen.mints,
            chosen.changes,
            chosen.milliseconds,
            chosen.providers,
            chosen.store_requests,
            chosen.plan,
            not chosen.no_waf,
        )
        for number in (RESOLUTIONS if chosen.resolutions is None else (chosen.resolutions,))
        for way in WAYS
    ]
    try:
        print(json.dumps([_document(month) for month in months], indent=2) if chosen.json else itemised(months))
    except NoPlanError as error:
        parser.error(str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.cost", description="What a month costs at AWS; without options, the guide's tables."
    )
    add = parser.add_argument
    add("--resolutions", type=_number, help="requests for identifiers in the month")
    add("--hit-rate", type=_percentage, default=HIT_RATES[2], help="percentage that CloudFront serves from its cache")
    add(
        "--edge-answers",
        type=_percentage,
        default=Month.edge_share,
        help="percentage of the requests that CloudFront's function redirects; the hit rate is of the others",
    )
    add("--architecture", choices=("arm64", "x86_64"), default=Month.architecture)
    add("--records", type=_number, default=Month.records, help="records that are stored")
    add("--mints", type=_number, default=Month.mints, help="records minted in the month")
    add("--changes", type=_number, default=Month.changes, help="records changed in the month")
    add("--providers", type=_number, default=Month.providers, help="providers that are checked; 0 for Probing=off")
    add("--milliseconds", type=_number, default=INVOCATION_MS, help="that an invocation takes, according to CloudWatch")
    add("--store-requests", type=_number, help="to KeyValueStore's API in the month, instead of the model's estimate")
    add("--plan", action="store_true", help="CloudFront has a flat-rate plan")
    add("--no-waf", action="store_true", help="the edge has no web ACL; a plan always has one")
    add("--json", action="store_true", help="print JSON")
    return parser


def _number(text: str) -> int:
    if (number := int(text)) < 0:
        raise ValueError(text)
    return number


def _percentage(text: str) -> Fraction:
    if not 0 <= float(text) <= 100:
        raise ValueError(text)
    return Fraction(text.strip())


def _document(month: Month) -> dict[str, Any]:
    values: dict[str, Any] = {"way": month.way, "resolutions": month.resolutions, "hit_rate": float(month.hit_rate)}
    values |= {"edge_share": float(month.edge_share), "plan": month.plan and month.has_edge}
    bill = {name: round(float(amount), 2) for name, amount in parts(month).items()}
    return {**values, "parts": bill, "total": round(float(total(month)), 2), "prices": PRICES_FROM}


if __name__ == "__main__":
    main()
