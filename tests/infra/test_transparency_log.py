"""The transparency log: one function grows it, in one region, and an earlier one can be continued."""

import json
from typing import Any

import pytest

from coolid.aws.transparency_log.sequence_function import RESERVE_SECONDS
from coolid.log.witnesses import TIME_LIMIT_SECONDS
from tests.infra.cloudformation import given, resolved
from tests.infra.stack import as_list, environment, granted, resources, statements, template

SEQUENCE = resources()["SequenceFunction"]["Properties"]
OTHER = {
    "LogTableName": "coolid-LogTable-1",
    "LogBucketName": "coolid-logbucket-1",
    "LogKeyArn": "arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d",
}
HERE = "eu-west-1"
"""The region of `tests.infra.cloudformation`."""


def test_the_function_runs_each_minute_and_ends_before_the_next() -> None:
    (schedule,) = SEQUENCE["Events"].values()
    assert schedule["Properties"]["Schedule"] == "rate(1 minute)"
    assert SEQUENCE["Timeout"] < 60
    assert RESERVE_SECONDS > TIME_LIMIT_SECONDS + 5


def test_one_execution_is_reserved_unless_the_account_has_too_few() -> None:
    assert SEQUENCE["ReservedConcurrentExecutions"] == {"Ref": "SequenceConcurrency"}
    assert template["Parameters"]["SequenceConcurrency"]["Default"] == 1
    none: Any = {"SequenceConcurrency": 0}  # a number, as in the template's condition
    assert "ReservedConcurrentExecutions" not in resources(**none)["SequenceFunction"]["Properties"]


def test_the_sequencer_may_write_the_log_and_sign_and_nothing_else() -> None:
    reads = {"dynamodb:GetItem", "dynamodb:BatchGetItem"}
    signs = {"kms:Sign", "kms:GetPublicKey"}
    assert granted("SequenceFunction") == {
        "PrefixTable": reads | {"dynamodb:Query"},
        "LuiTable": reads | {"dynamodb:Query", "dynamodb:PutItem"},
        "ByRepository": {"dynamodb:Query"},
        "ByChange": {"dynamodb:Query"},
        "ByKind": {"dynamodb:Query"},
        "ClientTable": {"dynamodb:Scan"},
        "PulseTable": {"dynamodb:GetItem"},
        "LogTable": reads | {"dynamodb:PutItem"},
        "ByWait": {"dynamodb:Query"},
        "LogBucket": {"s3:ListBucket"},
        "LogBucketFiles": {"s3:GetObject", "s3:PutObject"},
        "LogBucketStaging": {"s3:DeleteObject"},
        "SigningKey": signs,
        "LogKey": signs,
        "SequenceLogs": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }


def test_it_writes_no_record() -> None:
    (writing,) = [
        each
        for each in statements("SequenceFunction")
        if each["Resource"] == {"Fn::GetAtt": ["LuiTable", "Arn"]} and "dynamodb:PutItem" in as_list(each["Action"])
    ]
    assert writing["Condition"] == {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["/keys", "/log"]}}


@pytest.mark.parametrize("function", ["SequenceFunction", "ResolveFunction"])
def test_the_functions_get_the_log_of_the_stack_or_an_earlier_one(function: str) -> None:
    own, other = environment(function), environment(function, **OTHER)
    assert [own[name] for name in ("LOG_TABLE", "LOG_BUCKET", "LOG_KEY_ID")] == [
        {"Ref": "LogTable"},
        {"Ref": "LogBucket"},
        {"Fn::GetAtt": ["LogKey", "Arn"]},
    ]
    assert [other[name] for name in ("LOG_TABLE", "LOG_BUCKET", "LOG_KEY_ID")] == [{"Ref": name} for name in OTHER]
    allowed = json.dumps([each["Resource"] for each in statements(function, **OTHER)])
    assert all(name in allowed for name in OTHER)
    own_names = ("LogTable", "LogBucket", "LogKey")
    assert not any(f'["{name}", "Arn"]' in allowed or f"${{{name}.Arn}}" in allowed for name in own_names)


@pytest.mark.parametrize("function", ["SequenceFunction", "ResolveFunction", "IndexFunction"])
def test_a_function_is_published_again_if_the_log_is_another_one(function: str) -> None:
    """The names are too long for the description of a version."""

    def described(**parameters: str) -> Any:
        return resources(**parameters)[function]["Properties"]["VersionDescription"]

    assert described() != described(**OTHER)
    if function != "SequenceFunction":
        assert described(HomeRegion="us-east-1") not in (described(), described(**OTHER))


def test_one_region_has_the_log_the_home_of_the_names() -> None:
    assert {"SequenceFunction", "SequenceRole"} <= resources(HomeRegion=HERE).keys()
    elsewhere = resources(HomeRegion="us-east-1")
    assert not {"SequenceFunction", "SequenceRole", "SequenceLogs"} & elsewhere.keys()
    assert elsewhere["WatchStack"]["Properties"]["Parameters"]["SequenceFunctionName"] == ""
    for function in ("ResolveFunction", "IndexFunction"):
        assert environment(function, HomeRegion="us-east-1")["LOG_TABLE"] == ""


@pytest.mark.parametrize(
    ("parameters", "is_allowed"),
    [
        ({}, True),
        (OTHER, True),
        ({"LogKeyArn": OTHER["LogKeyArn"]}, True),
        ({name: OTHER[name] for name in ("LogTableName", "LogBucketName")}, False),
        ({name: OTHER[name] for name in ("LogTableName", "LogKeyArn")}, False),
        ({name: OTHER[name] for name in ("LogBucketName", "LogKeyArn")}, False),
    ],
)
def test_an_earlier_log_is_given_as_a_whole(parameters: dict[str, str], is_allowed: bool) -> None:
    (assertion,) = template["Rules"]["OtherLogIsWhole"]["Assertions"]
    values = given(template, PublicBaseUrl="https://id.example.org", **parameters)
    assert resolved(assertion["Assert"], values) is is_allowed


def test_the_outputs_are_the_parameters_that_continue_the_log() -> None:
    assert template["Outputs"].keys() >= OTHER.keys()
