"""Bulk jobs on the deployed stack, with a manage function whose process ends in the middle of every tenth slice."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.deployed import localstack_session, sam
from tests.e2e.bulk_jobs import results, start, wait_for
from tests.e2e.created_records import HERE, fresh_name, hold
from tests.e2e.service import Service, connected

ROWS = 600
PATIENCE = 300
FAULTY = """
import os, threading
from sound_handler import handler as sound

DIES_AT = 10
SLICE_MILLISECONDS = 9_500
slices = 0


class Context:
    def get_remaining_time_in_millis(self):
        return SLICE_MILLISECONDS  # so that there are many slices


def handler(event, context):
    global slices
    if not event.get("Records"):
        return sound(event, context)
    slices += 1
    death = threading.Timer(0.7, os._exit, [1])
    if slices % DIES_AT == DIES_AT // 2:
        death.start()
    try:
        return sound(event, Context())
    finally:
        death.cancel()  # or it would end another invocation
"""
"""A handler in the place of the manage function's own, which is `sound_handler` then."""


@pytest.fixture(scope="module")
def faulty(stack: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a stack with the faulty handler."""
    template = sam.built()
    folder = tmp_path_factory.mktemp("faulty") / "build"
    shutil.copytree(template.parent, folder)
    function = folder / "ManageFunction"
    shutil.rmtree(function / "__pycache__", ignore_errors=True)
    (function / "handler.py").rename(function / "sound_handler.py")
    (function / "handler.py").write_text(FAULTY, encoding="utf-8")
    own = f"{stack}-jobs"
    sam.deploy(folder / template.name, own)
    queue = sam.resources(own)["JobQueue"][1]
    # A slice that ended early comes again when its lease has expired, and not after a minute.
    localstack_session.client("sqs").set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "31"})
    return own


@pytest.fixture(scope="module")
def service(faulty: str) -> Iterator[Service]:
    with connected(sam.api_url(faulty), sam.admin_key(faulty), 5) as there:
        yield there


def minted(stack: str, prefix: str) -> Counter[str]:
    """Return how many records have each target, from the table itself."""
    pages = (
        localstack_session.client("dynamodb")
        .get_paginator("scan")
        .paginate(TableName=sam.resources(stack)["LuiTable"][1])
    )
    bodies = [item["body"]["S"] for page in pages for item in page["Items"]]
    return Counter(body.partition('"uri":"')[2].partition('"')[0] for body in bodies if f"{HERE}/{prefix}/" in body)


def test_a_job_loses_no_row_and_carries_out_none_twice_whenever_its_function_ends(
    service: Service, faulty: str, tmp_path: Path
) -> None:
    name = fresh_name()
    holding = hold(service, name)
    lines = ["uri,metadata.row", *(f"{HERE}/{name}/{at},{at}" for at in range(ROWS))]
    job = start(service, "mint", "\n".join(lines).encode(), prefix=holding.prefix)
    done: Any = wait_for(service, job["id"], "done", PATIENCE)
    assert (done["counts"]["succeeded"], done["counts"]["refused"]) == (ROWS, 0)
    rows = results(service, job["id"])
    assert [row["metadata.row"] for row in rows] == [str(at) for at in range(ROWS)]
    assert len({row["pid"] for row in rows}) == ROWS
    assert minted(faulty, name) == Counter(f"{HERE}/{name}/{at}" for at in range(ROWS))
