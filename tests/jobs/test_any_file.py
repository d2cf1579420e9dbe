"""Any file leads to a job that ends, with one result for each row and without an unexpected error."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.model.jobs import Operation
from tests.jobs.bench import JobBench
from tests.support.builders.naughty_strings import STRINGS
from tests.support.builders.samples import json_values

OPERATIONS: list[Operation] = ["mint", "reserve", "update", "retarget", "withdraw", "publish"]
COLUMNS = ["prefix", "id", "uri", "status", "ttl", "what", "metadata.a", "pid", "reason", "successor"]

cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["mp:tw0t-ywdj-94", "https://example.org/", "mp", "active", "reserved", '"', "[1", '{"a": 1}', "7"]
)
headers = st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=4, unique=True)
tables = st.tuples(headers, st.lists(st.lists(cells, max_size=5), max_size=4)).map(
    lambda table: "\n".join(",".join(row) for row in (table[0], *table[1])).encode()
)
members = st.dictionaries(st.sampled_from([*COLUMNS, "metadata", "records"]), json_values, max_size=4)
objects = st.lists(members, max_size=4).map(lambda rows: "\n".join(map(json.dumps, rows)).encode())


def ends_well(operation: Operation, content: bytes, **columns: str) -> JobBench:
    """Run a job with this file, and check what holds for every file."""
    bench = JobBench()
    job = bench.carried_out(operation, content, prefix="mp", skip_errors=True, columns=columns)
    assert bench.reported == []
    assert job.state == ("failed" if job.failure else "done")
    assert job.progress.succeeded + job.progress.refused == (job.rows or 0)
    for form in ("csv", "jsonl"):
        results = bench.results(form)
        assert len(results) == (job.rows or 0)
        assert all((row["status"] == "succeeded") == (row["error"] == "") for row in results)
    return bench


@given(operation=st.sampled_from(OPERATIONS), content=st.binary(max_size=60) | tables | objects)
def test_any_file(operation: Operation, content: bytes) -> None:
    ends_well(operation, content)


@pytest.mark.parametrize("operation", ["mint", "update", "withdraw"])
def test_naughty_strings_in_every_field(operation: Operation) -> None:
    for field in ("uri", "what", "id", "pid", "reason", "successor", "prefix"):
        rows = b"\n".join(json.dumps({"pid": "mp:x", "reason": "x", field: text}).encode() for text in STRINGS)
        ends_well(operation, rows)


def test_naughty_names_of_columns() -> None:
    for text in STRINGS:
        quoted = '"' + text.replace('"', '""') + '"'
        ends_well("mint", f"uri,{quoted}\nhttps://example.org/,x\n".encode(errors="surrogatepass"), **{text: ""})
