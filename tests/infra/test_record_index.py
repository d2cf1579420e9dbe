"""The index for searches: every change of a current record gets to its function, which can write nothing else."""

import json
from typing import Any

import pytest

from tests.infra.stack import environment, granted, resources
from tests.support.builders.samples import record
from tests.support.stores.table_streams import passes, row_of, stream_record

INDEX = resources()["IndexFunction"]["Properties"]
STREAMS = {name: each["Properties"] for name, each in INDEX["Events"].items() if each["Type"] == "DynamoDB"}


def patterns(stream: str) -> list[Any]:
    """Return the filters of a stream."""
    return [json.loads(each["Pattern"]) for each in STREAMS[stream]["FilterCriteria"]["Filters"]]


def test_the_filter_passes_current_versions_and_public_keys_and_no_archived_versions() -> None:
    def change(version: int) -> Any:
        return stream_record(None, row_of(record(), version=version))

    assert passes(patterns("Records"), change(0))
    assert not passes(patterns("Records"), change(1))
    assert passes(patterns("Records"), stream_record(None, {"pid": {"S": "/keys"}, "version": {"N": "77"}}))


def test_the_filter_passes_prefixes_and_repositories_and_no_synonyms_or_stems() -> None:
    def change(**attributes: str) -> Any:
        row = {name: {"S": text} for name, text in attributes.items()}
        return stream_record(None, {"name": {"S": "mp"}, **row})

    assert all(passes(patterns("Prefixes"), change(kind=kind)) for kind in ("namespace", "provider", "repository"))
    assert not any(passes(patterns("Prefixes"), each) for each in (change(kind="synonym"), change()))


def test_the_filter_passes_new_and_revoked_clients_and_not_each_day_of_use() -> None:
    client = {"id": {"S": "k3x9"}, "last_used": {"S": "2025-07-10"}}
    assert passes(patterns("Clients"), stream_record(None, client))
    assert passes(patterns("Clients"), stream_record(client, {**client, "revoked": {"S": "2025-07-11T00:00:00Z"}}))
    assert not passes(patterns("Clients"), stream_record(client, {**client, "last_used": {"S": "2025-07-11"}}))


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS.keys())
def test_a_failing_change_is_retried_alone_until_the_stream_almost_forgets_it_and_then_announced(stream: Any) -> None:
    assert stream["BisectBatchOnFunctionError"] is True
    assert stream["MaximumRecordAgeInSeconds"] < 86_400
    assert stream["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": ["IndexFailures", "Arn"]}


def test_a_completion_ends_before_the_next_one_begins() -> None:
    assert INDEX["Events"]["Completion"]["Properties"]["Schedule"] == "rate(15 minutes)"
    assert INDEX["Timeout"] < 900


def test_the_function_may_read_records_write_postings_add_entries_of_the_log_and_nothing_else() -> None:
    reads = {"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"}
    assert granted("IndexFunction") == {
        "LuiTableStream": reads,
        "PrefixTableStream": reads,
        "ClientTableStream": reads,
        "LogTable": {"dynamodb:PutItem"},
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
