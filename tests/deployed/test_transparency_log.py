"""The deployed transparency log: changes get into it by the streams or by the sweep, and `coolid verify` finds them."""

import os
from pathlib import Path

import pytest

from coolid.store.log import STAGING, staged_size
from tests.deployed import localstack_session, sam
from tests.deployed import transparency_log as log
from tests.deployed.invocations import change, invoke
from tests.e2e.created_records import dated, fresh_name, hold
from tests.e2e.service import connected

LAG = 5

pytestmark = pytest.mark.skipif(
    "COOLID_E2E_FOLDED" in os.environ,
    reason="stock LocalStack has no keys on Edwards25519 (infra/localstack/edwards_keys.py)",
)


def test_versions_get_into_the_log_by_the_stream_and_by_the_sweep(stack: str, tmp_path: Path) -> None:
    location = log.location(stack)
    log.sequence(stack)
    with connected(sam.api_url(stack), sam.admin_key(stack), LAG) as service:
        before = log.checkpoint(service)
        name = fresh_name()
        holding = hold(service, dated(name), name)
        streamed, lost = (holding.mint(metadata={"what": what}) for what in ("of the stream", "whose event was lost"))
        row, minting = change(stack, streamed, None)
        holding.changed("PATCH", streamed, {"metadata": {"what": "of the stream, too"}})
        _, update = change(stack, streamed, row)
        for _ in range(2):  # Lambda may send an event again
            invoke(stack, "IndexFunction", {"Records": [minting, update]})
        assert log.sequence(stack) >= before.size + 2
        verdict = log.verify(service, streamed, tmp_path)
        assert (verdict["ok"], verdict["version"]) == (True, 2)
        assert "inclusion" in str(verdict["checks"])

        waiting = service.get(f"{lost.path}?format=tlog-proof")
        assert waiting.status == 503
        assert int(waiting.headers["retry-after"]) > 0
        log.make_sweep_due(location)
        log.sequence(stack)
        assert log.verify(service, lost, tmp_path)["ok"]
        log.require_continuation(location, before, log.checkpoint(service))


def test_overtaken_staging_files_are_deleted_and_nothing_else_is(stack: str) -> None:
    """Overlapping runs may leave files of the latest trees, which the next growth deletes."""
    log.sequence(stack)
    client = localstack_session.client("s3")
    listed = client.list_objects_v2(Bucket=log.location(stack)["LogBucketName"])["Contents"]
    names = [each["Key"] for each in listed]
    assert 0 not in {staged_size(name) for name in names if name.startswith(STAGING)}
    assert {name.partition("/")[0] for name in names} <= {"checkpoint", "tile", "staging"}
