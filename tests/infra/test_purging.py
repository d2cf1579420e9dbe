"""Purging: every change that concerns an answer gets to the function, which has the time and the rights for it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.aws.edge_purge.table_streams import change_of
from coolid.http.caching import CACHE_TAG
from coolid.store.rows import KEYS
from tests.infra.cloudformation import load
from tests.infra.stack import ROOT, granted, resources
from tests.support.builders.samples import namespaces, provider_prefixes, record, records
from tests.support.effort import examples
from tests.support.stores.table_streams import passes, row_of, stream_record

PURGE = resources()["PurgeFunction"]["Properties"]
EVENTS = {name: event["Properties"] for name, event in PURGE["Events"].items()}
QUEUE, FAILURES = (resources()[name]["Properties"] for name in ("PurgeQueue", "PurgeFailures"))
STREAMS = ("Records", "Prefixes")

stems = st.just({"name": {"S": "2021"}, "longer": {"SS": ["2021/06"]}})
synonyms = st.just({"name": {"S": "mp"}, "kind": {"S": "synonym"}, "target": {"S": "go"}})
keys = st.just({"pid": {"S": KEYS}, "version": {"N": "7"}, "status": {"S": "key"}, "body": {"S": "{}"}})
rows: dict[str, Any] = {
    "Records": st.none() | records.map(row_of) | keys,
    "Prefixes": st.none() | namespaces.map(row_of) | provider_prefixes.map(row_of) | stems | synonyms,
}


def patterns(stream: str) -> list[Any]:
    return [json.loads(each["Pattern"]) for each in EVENTS[stream]["FilterCriteria"]["Filters"]]


class TestStreams:
    @pytest.mark.parametrize("stream", STREAMS)
    @examples(50)
    @given(st.data())
    def test_filtered_events_need_no_purge(self, stream: str, data: Any) -> None:
        old, new = data.draw(rows[stream]), data.draw(rows[stream])
        place = (old or new or {}).keys() & {"pid", "name"}
        if not place or (new and not new.keys() & place):
            return
        new = new and new | {name: (old or new)[name] for name in place}
        change = stream_record(old, new)
        assert passes(patterns(stream), change) or change_of(change) is None

    def test_the_filters_keep_back_mints_and_versions_that_are_archived(self) -> None:
        for version in (0, 1):
            assert not passes(patterns("Records"), stream_record(None, row_of(record(), version=version)))

    @pytest.mark.parametrize("stream", STREAMS)
    def test_failures_are_retried_for_hours_and_then_stored(self, stream: str) -> None:
        assert EVENTS[stream]["DestinationConfig"]["OnFailure"]["Destination"] == {
            "Fn::GetAtt": ["PurgeFailures", "Arn"]
        }
        assert EVENTS[stream]["MaximumRecordAgeInSeconds"] < 86_400  # streams forget after a day
        assert EVENTS[stream]["BisectBatchOnFunctionError"] is True


class TestTheQueue:
    def test_a_message_stays_hidden_for_as_long_as_it_may_be_worked_on(self) -> None:
        # AWS Lambda Developer Guide, "Creating and configuring an Amazon SQS event source mapping"
        assert QUEUE["VisibilityTimeout"] >= 6 * PURGE["Timeout"] + EVENTS["Due"]["MaximumBatchingWindowInSeconds"]

    def test_messages_fail_one_by_one_and_are_stored_for_inspection(self) -> None:
        assert EVENTS["Due"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert QUEUE["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["PurgeFailures", "Arn"]}

    def test_no_message_expires_before_it_failed(self) -> None:
        tried = QUEUE["RedrivePolicy"]["maxReceiveCount"] * QUEUE["VisibilityTimeout"]
        assert tried < QUEUE["MessageRetentionPeriod"] < FAILURES["MessageRetentionPeriod"]

    @pytest.mark.parametrize("queue", [QUEUE, FAILURES])
    def test_messages_are_encrypted_at_rest(self, queue: Any) -> None:
        assert queue["SqsManagedSseEnabled"] is True


def test_the_function_may_do_what_it_does_and_nothing_else() -> None:
    hears = {"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"}
    expected = {
        "LuiTableStream": hears,
        "PrefixTableStream": hears,
        "PurgeQueue": {"sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
        "PurgeFailures": {"sqs:SendMessage"},
        "Distribution": {"cloudfront:CreateInvalidation"},
        "PurgeLogs": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }
    assert granted("PurgeFunction", EdgeRedirects="off") == expected
    assert granted("PurgeFunction") == expected | {"RedirectsQueue": {"sqs:SendMessage"}}


def test_without_an_edge_there_is_none_of_it() -> None:
    assert not [name for name in resources(Edge="off") if name.startswith("Purge")]


def test_the_edge_reads_the_header_with_the_cache_tags() -> None:
    edge = load(ROOT / "infra" / "edge.yaml")["Resources"]["Distribution"]["Properties"]["DistributionConfig"]
    assert edge["CacheTagConfig"]["HeaderName"].lower() == CACHE_TAG.lower()
