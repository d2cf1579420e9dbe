"""The redirects function: names of changed prefixes reach it, and it may do what it needs and nothing else."""

import json
from typing import Any

import pytest

from coolid.aws.edge_redirects.ledger_file import LEDGER
from coolid.edge.synchroniser import LEASE_SECONDS, STOP_SECONDS
from tests.infra.stack import environment, granted, layers, resources

FUNCTION = resources()["RedirectsFunction"]["Properties"]
EVENTS = {name: event["Properties"] for name, event in FUNCTION["Events"].items()}
QUEUE, FAILURES = (resources()[name]["Properties"] for name in ("RedirectsQueue", "RedirectsFailures"))


def test_the_purge_function_passes_names_on_to_the_queue() -> None:
    expected = {"Fn::If": ["RedirectsOn", {"Ref": "RedirectsQueue"}, ""]}
    assert environment("PurgeFunction")["EDGE_QUEUE_URL"] in (expected, {"Ref": "RedirectsQueue"})
    assert EVENTS["Changes"]["Queue"] == {"Fn::GetAtt": ["RedirectsQueue", "Arn"]}
    assert EVENTS["Changes"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_failures_are_retried_while_sweeps_run_and_then_stored() -> None:
    assert FUNCTION["Timeout"] <= QUEUE["VisibilityTimeout"]
    assert QUEUE["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["RedirectsFailures", "Arn"]}
    tried = QUEUE["RedrivePolicy"]["maxReceiveCount"] * QUEUE["VisibilityTimeout"]
    assert 3600 < tried < QUEUE["MessageRetentionPeriod"] < FAILURES["MessageRetentionPeriod"]
    assert all(queue["SqsManagedSseEnabled"] is True for queue in (QUEUE, FAILURES))


def test_several_sweeps_may_fail_before_the_store_becomes_invalid() -> None:
    assert EVENTS["Sweep"]["Schedule"] == "rate(30 minutes)"
    assert LEASE_SECONDS // 2 >= 4 * 1800
    assert FUNCTION["Timeout"] > 2 * STOP_SECONDS


def test_the_function_may_do_what_it_does_and_nothing_else() -> None:
    api = "DescribeKeyValueStore", "GetKey", "ListKeys", "UpdateKeys"
    assert granted("RedirectsFunction") == {
        "PrefixTable": {"dynamodb:BatchGetItem"},
        "ByKind": {"dynamodb:Query"},
        "JobBucketLedger": {"s3:GetObject", "s3:PutObject"},
        "JobBucket": {"s3:ListBucket"},
        "RedirectStore": {f"cloudfront-keyvaluestore:{each}" for each in api},
        "RedirectsQueue": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
        "RedirectsLogs": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }
    assert f"${{JobBucket.Arn}}/{LEDGER}" in json.dumps(resources()["RedirectsRole"])


def test_only_this_function_has_the_layer_that_signs() -> None:
    assert "SigningLayer" in layers("RedirectsFunction")
    assert len(layers("RedirectsFunction")) <= 5  # Lambda takes no more


@pytest.mark.parametrize("off", [{"Edge": "off"}, {"EdgeRedirects": "off"}])
def test_without_an_edge_or_its_redirects_there_is_none_of_it(off: dict[str, str]) -> None:
    there: dict[str, Any] = resources(**off)
    assert not [name for name in there if name.startswith(("Redirects", "SigningLayer"))]
