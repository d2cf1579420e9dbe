"""Bulk jobs over a file: minted, moved to other targets, and withdrawn."""

import pytest

from tests.e2e.bulk_jobs import JOBS, results, start, wait_for
from tests.e2e.created_records import HERE, THERE, Holding
from tests.e2e.service import Service

ROWS = 120
PATIENCE = 120


@pytest.fixture(scope="module")
def pids(service: Service, holding: Holding) -> list[str]:
    """The PIDs of a job's records, in the order of its rows."""
    lines = ["Link,Titel", *(f"{HERE}/{at},Ding {at}" for at in range(ROWS))]
    columns = {"Link": "uri", "Titel": "what"}
    job = start(service, "mint", "\r\n".join(lines).encode(), prefix=holding.prefix, columns=columns)
    done = wait_for(service, job["id"], "done", PATIENCE)
    assert done["counts"]["succeeded"] == done["rows"] == ROWS
    rows = results(service, job["id"])
    assert [row["Titel"] for row in rows] == [f"Ding {at}" for at in range(ROWS)]
    assert {row["status"] for row in rows} == {"succeeded"}
    return [row["pid"] for row in rows]


def test_each_row_is_a_record_that_resolves(service: Service, pids: list[str]) -> None:
    assert len({*pids}) == ROWS
    for at in (0, 1, ROWS // 2, ROWS - 1):
        assert service.get(service.path_of(pids[at])).headers["location"] == f"{HERE}/{at}"


def test_a_preview_changes_nothing_until_its_job_is_run(service: Service, pids: list[str]) -> None:
    content = "\n".join(["pid,uri", *(f"{pid},{THERE}" for pid in pids[:3]), f"{pids[3]},javascript:alert(1)"])
    job = start(service, "retarget", content.encode(), dry_run=True)
    preview = wait_for(service, job["id"], "previewed", PATIENCE)
    assert (preview["counts"]["valid"], preview["counts"]["invalid"]) == (3, 1)
    assert preview["errors"][0]["row"] == 4
    assert preview["preview"][0]["after"] == THERE
    assert service.admin("GET", f"/api/v1/records{service.path_of(pids[0])}").json()["version"] == 1
    assert service.admin("POST", f"{JOBS}/{job['id']}/run").status == 202
    done = wait_for(service, job["id"], "done", PATIENCE)
    assert (done["counts"]["succeeded"], done["counts"]["refused"]) == (3, 1)
    assert service.admin("GET", f"/api/v1/records{service.path_of(pids[0])}").json()["version"] == 2


def test_a_cancelled_job_stays_as_it_is(service: Service, holding: Holding) -> None:
    content = "\n".join(["uri", *[HERE] * 3])
    job = start(service, "mint", content.encode(), prefix=holding.prefix, dry_run=True)
    wait_for(service, job["id"], "previewed", PATIENCE)
    assert service.admin("DELETE", f"{JOBS}/{job['id']}").json()["state"] == "cancelled"
    assert service.admin("POST", f"{JOBS}/{job['id']}/run").status == 409
