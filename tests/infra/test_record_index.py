"""The index for searches: every change of a current record gets to its function, which can write nothing else."""

import json
from typing import Any

from tests.infra.stack import environment, granted, resources
from tests.support.builders.samples import record
from tests.support.stores.table_streams import passes, row_of, stream_record

INDEX = resources()["IndexFunction"]["Properties"]
STREAM = INDEX["Events"]["Records"]["Properties"]
PATTERNS = [json.loads(each["Pattern"]) for each in STREAM["FilterCriteria"]["Filters"]]


def test_the_filter_passes_current_versions_and_no_archived_ones() -> None:
    def change(version: int) -> Any:
        return stream_record(None, row_of(record(), version=version))

    assert passes(PATTERNS, change(0))
    assert not passes(PATTERNS, change(1))


def test_a_failing_change_is_retried_alone_until_the_stream_almost_forgets_it_and_then_announced() -> None:
    assert STREAM["BisectBatchOnFunctionError"] is True
    assert STREAM["MaximumRecordAgeInSeconds"] < 86_400
    assert STREAM["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": ["IndexFailures", "Arn"]}


def test_a_completion_ends_before_the_next_one_begins() -> None:
    assert INDEX["Events"]["Completion"]["Properties"]["Schedule"] == "rate(15 minutes)"
    assert INDEX["Timeout"] < 900


def test_the_function_may_read_records_and_write_postings_and_nothing_else() -> None:
    reads = {"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"}
    assert granted("IndexFunction") == {
        "LuiTableStream": reads,
        "LuiTable": {"dynamodb:BatchGetItem"},
        "ByRepository": {"dynamodb:Query"},
        "ByKind": {"dynamodb:Query"},
        "IndexTable": {"dynamodb:GetItem", "dynamodb:BatchWriteItem"},
        "IndexFailures": {"sqs:SendMessage"},
        "IndexLogs": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }


def test_it_exists_without_edge_and_checks() -> None:
    there = resources(Edge="off", Probing="off", Alarms="off")
    assert {"IndexFunction", "IndexTable", "IndexFailures"} <= there.keys()
    assert environment("ManageFunction")["INDEX_TABLE"] == {"Ref": "IndexTable"}
