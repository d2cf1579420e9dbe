"""Bulk jobs: the manage function has the time for their slices, and no message is lost."""

from typing import Any

import pytest

from coolid.aws.job_function import FORGOTTEN_AFTER, RESERVE_SECONDS
from coolid.aws.job_queue import MAX_DELAY_SECONDS
from tests.infra.stack import environment, resources

MANAGE = resources()["ManageFunction"]["Properties"]
SLICES, FORGOTTEN = (MANAGE["Events"][name]["Properties"] for name in ("Slices", "ForgottenJobs"))
QUEUE, FAILURES = (resources()[name]["Properties"] for name in ("JobQueue", "JobFailures"))


def test_the_function_gets_the_table_the_bucket_and_the_queue() -> None:
    returned = environment("ManageFunction")
    assert returned["JOB_TABLE"] == {"Ref": "JobTable"}
    assert returned["JOB_BUCKET"] == {"Ref": "JobBucket"}
    assert returned["JOB_QUEUE_URL"] == {"Ref": "JobQueue"}


def test_a_slice_has_most_of_the_functions_time_and_its_message_stays_hidden_meanwhile() -> None:
    assert SLICES["BatchSize"] == 1
    assert MANAGE["Timeout"] - RESERVE_SECONDS >= 20
    assert QUEUE["VisibilityTimeout"] > MANAGE["Timeout"]


def test_slices_fail_one_by_one_and_are_stored_for_inspection() -> None:
    assert SLICES["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert QUEUE["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["JobFailures", "Arn"]}


def test_no_message_expires_before_it_failed() -> None:
    tried = QUEUE["RedrivePolicy"]["maxReceiveCount"] * QUEUE["VisibilityTimeout"]
    assert tried < QUEUE["MessageRetentionPeriod"] < FAILURES["MessageRetentionPeriod"]


def test_a_job_that_waits_for_its_next_slice_is_not_announced_as_forgotten() -> None:
    assert FORGOTTEN_AFTER.total_seconds() > MAX_DELAY_SECONDS + MANAGE["Timeout"] + QUEUE["VisibilityTimeout"]
    assert FORGOTTEN["Schedule"] == "rate(15 minutes)"


def test_few_slices_run_at_once() -> None:
    assert SLICES["ScalingConfig"] == {"MaximumConcurrency": 2}


@pytest.mark.parametrize("queue", [QUEUE, FAILURES])
def test_messages_are_encrypted_at_rest(queue: Any) -> None:
    assert queue["SqsManagedSseEnabled"] is True


def test_the_pages_get_the_origin_to_which_browsers_send_files() -> None:
    assert environment("ResolveFunction")["UPLOAD_ORIGIN"] == {"Fn::Sub": "https://${JobBucket.RegionalDomainName}"}
