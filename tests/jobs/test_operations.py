"""What the operations of jobs do, and what they refuse: the same as single requests."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.model.jobs import Job, RetargetRule
from coolid.model.records import RESERVED, WITHDRAWN
from coolid.records.custody.versions import CustodyVersions
from tests.jobs.bench import JobBench


@pytest.fixture
def bench() -> JobBench:
    return JobBench(domains=("example.org", "new.example"))


def errors(job: Job) -> list[tuple[int, str]]:
    """Return the rows and columns of the errors."""
    return [(error.row, error.column) for error in job.progress.errors]


class TestMints:
    def test_rows_become_records_and_results_have_the_given_columns(self, bench: JobBench) -> None:
        rows = 'Link,Titel,weg\r\nhttps://example.org/1,"a, ""é""\r\nb",x\r\n\r\nhttps://example.org/2,=1+1,\r\n'
        job = bench.carried_out(
            "mint", "\ufeff" + rows, prefix="mp", columns={"Link": "uri", "Titel": "what", "weg": ""}
        )
        assert (job.state, job.rows, job.progress.valid, job.progress.succeeded) == ("done", 2, 2, 2)
        first, second = bench.results("jsonl")
        assert list(first) == ["Link", "Titel", "weg", "pid", "status", "error"]
        assert (first["Titel"], first["weg"], first["status"], first["error"]) == ('a, "é"\r\nb', "x", "succeeded", "")
        assert [row["Titel"] for row in bench.results()] == ['a, "é"\r\nb', "'=1+1"]
        records = {record.pid: record for record in bench.records()}
        assert {each["pid"]: each["Titel"] for each in (first, second)} == {
            pid: record.metadata["what"] for pid, record in records.items()
        }
        assert {record.author for record in records.values()} == {"epyx6gxg"}

    def test_what_is_wrong_is_found_before_anything_is_minted(self, bench: JobBench) -> None:
        (taken,) = bench.mint("https://example.org/0")
        lines = [
            f",https://example.org/1,{taken.id}",
            ",https://example.org/2,tw0t-ywdj-94",
            ",https://example.org/3,TW0T-ywdj-94",
            ",https://example.org/4,tw0t-ywdj-95",
            ",https://evil.example/,",
            ",ftp://example.org/,",
            "other,https://example.org/5,",
            "absent,https://example.org/6,",
            ",https://example.org/7,,more",
            "mp,,",
        ]
        job = bench.carried_out("mint", "\n".join(["prefix,uri,id", *lines]), prefix="mp")
        assert (job.state, job.progress.valid, job.progress.invalid, job.progress.outside_domains) == (
            "previewed",
            1,
            9,
            1,
        )
        assert errors(job) == [
            (1, "id"), (3, "id"), (4, "id"), (5, "uri"), (6, "uri"), (7, ""), (8, "prefix"), (9, ""), (10, "uri")
        ]  # fmt: skip
        assert bench.records() == [taken]

    def test_with_skipped_errors_the_other_rows_are_carried_out(self, bench: JobBench) -> None:
        rows = "uri,id\nhttps://example.org/1,tw0t-ywdj-94\nhttps://example.org/2,tw0t-ywdj-94\nx,\n"
        job = bench.carried_out("mint", rows, prefix="mp", skip_errors=True)
        assert (job.state, job.progress.succeeded, job.progress.refused) == ("done", 1, 2)
        assert [row["status"] for row in bench.results()] == ["succeeded", "refused", "refused"]
        assert bench.results()[1]["error"] == "an earlier row has the same identifier"
        assert len(bench.records()) == 1

    def test_json_lines_are_the_documents_of_the_api(self, bench: JobBench) -> None:
        rows = (
            '{"who": "A", "uri": "https://example.org/1", "metadata": {"what": [1]}, "T": "x"}\n{"uri": 1}\nnot json\n'
        )
        job = bench.carried_out("mint", rows, prefix="mp", columns={"T": "metadata.subject"}, skip_errors=True)
        assert (job.is_csv, errors(job)) == (False, [(2, "uri"), (3, "")])
        (record,) = bench.records()
        assert record.metadata == {"what": [1], "subject": "x", "who": "A"}
        assert bench.results("jsonl")[0]["metadata"] == {"what": [1]}
        assert bench.results("csv")[0]["metadata"] == '{"what":[1]}'

    def test_errors_name_the_missing_column_and_the_wrong_member(self, bench: JobBench) -> None:
        (record,) = bench.mint("https://example.org/0")
        without_prefix = bench.carried_out("mint", "uri\nhttps://example.org/1\n", "a")
        assert errors(without_prefix) == [(1, "prefix")]
        wrong_type = bench.carried_out("mint", '{"who": "A", "metadata": 1}\n', "b", prefix="mp")
        assert errors(wrong_type) == [(1, "metadata")]
        unknown = bench.carried_out("publish", f'{{"pid": "{record.pid}", "key": "x"}}\n', "c")
        assert errors(unknown) == [(1, "key")]

    def test_a_repeated_identifier_is_an_error_of_its_member(self, bench: JobBench) -> None:
        row = '{"id": "tw0t-ywdj-94", "uri": "https://example.org/1"}\n'
        assert errors(bench.carried_out("mint", row * 2, prefix="mp")) == [(2, "id")]

    def test_reserved_ones_are_published_later(self, bench: JobBench) -> None:
        job = bench.carried_out("reserve", "what\nA\nB\n", prefix="mp")
        assert (job.state, {record.status for record in bench.records()}) == ("done", {RESERVED})
        rows = "".join(",".join(row.values()) + "\n" for row in bench.results())
        again = bench.carried_out("publish", f"what,pid,status,error\n{rows}", "p")
        assert (again.state, again.progress.succeeded) == ("done", 2)
        assert {record.status for record in bench.records()} == {"active"}

    @given(texts=st.lists(st.text(alphabet="'=+-@a,\"", min_size=1), min_size=1, max_size=3))
    def test_unedited_results_change_nothing(self, texts: list[str]) -> None:
        """In CSV, texts that begin like formulas are escaped."""
        bench = JobBench()
        rows = [json.dumps({"uri": "https://example.org/", "what": text, "=1": "x"}) for text in texts]
        bench.carried_out("mint", "\n".join(rows), prefix="mp", columns={"=1": "metadata.subject"})
        minted = bench.records()
        columns = {"=1": "metadata.subject"}
        again = bench.carried_out("update", bench.file("csv"), "again", columns=columns)
        assert (again.state, again.progress.succeeded) == ("done", len(texts))
        assert [each.metadata for each in bench.records()] == [each.metadata for each in minted]
        assert [row["what"] for row in bench.results("jsonl", "again")] == texts
        assert bench.file("csv", "again") == bench.file("csv")

    @pytest.mark.parametrize(
        ("content", "named"),
        [
            (b"", "empty"),
            (b"uri\n", "no rows"),
            (b"uri;what\n1;2\n", "semicolons"),
            (b"uri\twhat\n1\t2\n", "tabs"),
            (b"colour,uri\n1,2\n", "colour"),
            (b"uri,uri\n1,2\n", "repeated"),
            (b'[{"uri": "x"}]', "JSON array"),
            ("uri\nx\n".encode("utf-16"), "UTF-16"),
            ("Grüße,uri\nx,y\n".encode("latin-1"), "UTF-8"),
        ],
    )
    def test_a_file_that_is_no_table_fails_the_job(self, bench: JobBench, content: bytes, named: str) -> None:
        job = bench.carried_out("mint", content, prefix="mp")
        assert job.state == "failed"
        assert named in str(job.failure)

    def test_a_row_after_which_no_other_can_be_found_is_reported(self, bench: JobBench) -> None:
        job = bench.carried_out("mint", 'uri\nhttps://example.org/1\n"a"b\nhttps://example.org/2\n', prefix="mp")
        assert (job.state, job.rows, errors(job)) == ("previewed", 2, [(2, "")])


class TestChanges:
    def test_given_cells_change_a_record_and_empty_ones_nothing(self, bench: JobBench) -> None:
        one, two = bench.mint("https://example.org/1", "https://example.org/2")
        rows = f"pid,uri,what\n{one.pid},https://new.example/1,New\nmp:{two.id.upper()},,Second\n"
        job = bench.carried_out("update", rows)
        assert (job.state, job.progress.succeeded) == ("done", 2)
        changed = {record.key: record for record in bench.records()}
        assert (changed[one.key].records[0].uri, changed[one.key].metadata) == (
            "https://new.example/1",
            {"what": "New"},
        )
        assert (changed[two.key].records, changed[two.key].metadata) == (two.records, {"what": "Second"})
        assert [(each.pid, each.before, each.after) for each in job.progress.changes] == [
            (one.pid, "https://example.org/1", "https://new.example/1")
        ]

    def test_targets_move_by_a_table_or_a_rule(self, bench: JobBench) -> None:
        targets = [f"https://old.example.org/a/{at}" for at in range(12)]
        records = bench.mint(*targets, "https://old.example.org.new.example/x")
        table = "pid,uri\n" + "".join(f"{record.pid},https://new.example/t\n" for record in records[:2])
        assert bench.carried_out("retarget", table, "t").progress.succeeded == 2
        prefix = RetargetRule(from_prefix="https://old.example.org", to_prefix="https://new.example/p")
        job = bench.carried_out("retarget", None, "r", prefix="mp", rule=prefix)
        assert (job.state, job.rows, job.progress.succeeded, len(job.progress.changes)) == ("done", 10, 10, 10)
        pattern = RetargetRule(pattern=r"^https://new\.example/p/a/(\d)(\d)?$", replacement=r"https://new.example/\2\1")
        job = bench.carried_out("retarget", None, "q", prefix="mp", rule=pattern)
        now = {record.key: record.records[0].uri for record in bench.records()}
        assert [now[record.key] for record in records] == [
            *["https://new.example/t"] * 2,
            *[f"https://new.example/{str(at)[::-1]}" for at in range(2, 12)],
            "https://old.example.org.new.example/x",
        ]
        assert bench.results("jsonl", "q")[0].keys() == {"before", "after", "pid", "status", "error"}

    def test_what_would_leave_the_domains_is_counted(self, bench: JobBench) -> None:
        bench.mint("https://example.org/1", "https://example.org/2")
        rule = RetargetRule(from_prefix="https://example.org/", to_prefix="https://elsewhere.example/")
        job = bench.carried_out("retarget", None, prefix="mp", rule=rule)
        assert (job.state, job.progress.invalid, job.progress.outside_domains) == ("previewed", 2, 2)

    def test_withdrawals_have_reasons_and_successors(self, bench: JobBench) -> None:
        one, two, three = bench.mint(*(f"https://example.org/{at}" for at in range(3)))
        rows = f"pid,reason,successor\n{one.pid},old,{three.pid}\n{two.pid},,\n{three.pid},x,{three.pid}\nmp:0,x,\n"
        job = bench.carried_out("withdraw", rows, skip_errors=True)
        assert errors(job) == [(2, "reason"), (3, "successor"), (4, "pid")]
        tombstone = next(record for record in bench.records() if record.key == one.key)
        assert (tombstone.status, tombstone.withdrawn and tombstone.withdrawn.successor) == (WITHDRAWN, three.pid)
        again = bench.carried_out("withdraw", rows, "again")
        assert errors(again)[0] == (1, "pid")

    def test_a_record_that_is_offered_to_another_service_stays(self, bench: JobBench) -> None:
        record, other = bench.mint("https://example.org/1", "https://example.org/2")
        CustodyVersions(bench.amender, bench.clock).offer(record, "https://b.example")
        for operation, rows in (
            ("update", f"pid,what\n{record.pid},x\n"),
            ("withdraw", f"pid,reason\n{record.pid},x\n"),
        ):
            assert errors(bench.carried_out(operation, rows, operation)) == [(1, "pid")]
        rule = RetargetRule(from_prefix="https://example.org/", to_prefix="https://new.example/")
        bench.carried_out("retarget", None, "r", prefix="mp", rule=rule, skip_errors=True)
        found = {each.key: each.records[0].uri for each in bench.records()}
        assert found == {record.key: "https://example.org/1", other.key: "https://new.example/2"}

    def test_a_key_changes_nothing_of_another_prefix(self, bench: JobBench) -> None:
        stranger: Any = bench.mint("https://example.org/1")[0]
        rows = f"pid,what\nother:{stranger.id},x\nmp:{stranger.id},x\n{stranger.pid},y\n"
        job = bench.carried_out("update", rows)
        assert errors(job) == [(1, "pid"), (3, "pid")]
        job = bench.carried_out("update", rows, "p", prefix="other")
        assert errors(job) == [(1, "pid"), (2, "pid"), (3, "pid")]
