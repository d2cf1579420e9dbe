"""Bulk resolution with a cold cache: more and more identifiers in a request, records and prefixes at the store."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from coolid.http.public.bulk_resolution import BULK
from scripts.benchmark.cliffs import Cliff, Workspace
from scripts.benchmark.handlers import REQUEST_ID, Event, cold, demand, own_path
from scripts.benchmark.parts.growth.prefixes import STEMS, path
from tests.support.fixtures.events import to_event

IDENTIFIERS: Final = 50
"""In a request; few enough for the limits of a request (`coolid.resolution.request_budget`)."""
REQUESTS: Final = 100
RECORDS: Final = 100_000


def _request(paths: Sequence[str]) -> Event:
    body = msgspec.json.encode({"ids": [path[1:] for path in paths]})
    headers = [("Content-Type", "application/json")]
    return to_event("POST", BULK, "", headers=headers, body=body, request_id=REQUEST_ID)


def _resolving(environment: Mapping[str, str], requests: Sequence[Event]) -> Callable[[], object]:
    """Return work that sends one request after the other, each with a cold cache; all results must be redirects."""
    resolve = cold(environment, requests, 200)
    for _ in range(3):
        results = msgspec.json.decode(demand(resolve(), 200)["body"])["results"]
        assert {each["status"] for each in results} == {302}
    return resolve


def _records(workspace: Workspace, identifiers: int, records: int) -> Callable[[], object]:
    view, dice = f"{identifiers}-{records}", random.Random(records)  # noqa: S311 - each run requests the same records
    store = workspace.store(f"luis-{records}")
    environment = store.environment(tls=False, prefixes=f"prefixes.{view}", luis=f"luis-{records}.{view}")
    lists = [dice.sample(range(records), identifiers) for _ in range(REQUESTS)]
    return _resolving(environment, [_request([own_path(number) for number in numbers]) for numbers in lists])


def _of_prefixes(shape: str, workspace: Workspace, prefixes: int) -> Callable[[], object]:
    table, dice = f"prefixes-{shape}-{prefixes}", random.Random(prefixes)  # noqa: S311 - as above
    environment = workspace.store(table).environment(tls=False, prefixes=f"{table}.bulk", luis=f"luis-1000.{table}")
    lists = [dice.sample(range(prefixes), IDENTIFIERS) for _ in range(REQUESTS)]
    return _resolving(environment, [_request([path(shape, number) for number in numbers]) for numbers in lists])


CLIFFS: Final = (
    Cliff(
        "bulk resolve, each",
        (IDENTIFIERS // 10, IDENTIFIERS, 4 * IDENTIFIERS),
        "identifiers",
        lambda workspace, size: _records(workspace, size, RECORDS),
        per_thing=True,
    ),
    Cliff(
        f"bulk resolve of {IDENTIFIERS}",
        (1_000, RECORDS),
        "records",
        lambda workspace, size: _records(workspace, IDENTIFIERS, size),
    ),
    *(
        Cliff(
            f"bulk resolve of {IDENTIFIERS} CURIEs", (100, 10_000), f"prefixes, {shape}", partial(_of_prefixes, shape)
        )
        for shape in STEMS
    ),
)
