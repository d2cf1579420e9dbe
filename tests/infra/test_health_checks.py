"""Looking whether things are there: the function has the time and the rights for it, and no more of either."""

from typing import Any

import pytest

from coolid.aws.check_function import RESERVE_SECONDS
from coolid.health.address_check import CHECK_TIMEOUT_SECONDS
from coolid.health.schedule import TICK_SECONDS, CheckSchedule
from coolid.store.rows import CURRENT, PROVIDER
from coolid.wiring.check_service import allowed_networks, check_schedule
from tests.infra.stack import environment, granted, resources, statements, template

PROBE = resources()["ProbeFunction"]["Properties"]
TICKS, LETTERS = (PROBE["Events"][name]["Properties"] for name in ("Tick", "Letters"))
QUEUE, FAILURES = (resources()[name]["Properties"] for name in ("ProbeQueue", "ProbeFailures"))


def test_the_function_may_do_what_it_does_and_nothing_else() -> None:
    assert granted("ProbeFunction") == {
        "PrefixTable": {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:UpdateItem"},
        "ByKind": {"dynamodb:Query"},
        "LuiTable": {"dynamodb:BatchGetItem", "dynamodb:UpdateItem"},
        "ByRepository": {"dynamodb:Query"},
        "ByChange": {"dynamodb:Query"},
        "PulseTable": {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"},
        "ByAiling": {"dynamodb:Query"},
        "ProbeQueue": {"sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
        "ProbeLogs": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }


@pytest.mark.parametrize("table", ["PrefixTable", "LuiTable"])
def test_it_may_write_only_the_health_and_index_place_of_prefixes_and_records(
    table: str,
) -> None:
    """No text, no status, no target can be in a request of its; a condition looks at what it is a condition on."""
    (updating,) = [
        each
        for each in statements("ProbeFunction")
        if each["Action"] == "dynamodb:UpdateItem" and each["Resource"] == {"Fn::GetAtt": [table, "Arn"]}
    ]
    named = updating["Condition"]["ForAllValues:StringEquals"]["dynamodb:Attributes"]
    keys = {each["AttributeName"] for each in resources()[table]["Properties"]["KeySchema"]}
    compared = {"PrefixTable": {"kind", "revision"}, "LuiTable": {"revision"}}[table]
    indexed = {"PrefixTable": set(), "LuiTable": {"changed"}}[table]
    assert set(named) == {*keys, *compared, *indexed, "health"}
    assert (CURRENT, PROVIDER) == (0, "provider")


class TestTheSchedule:
    def test_it_rings_at_each_tick_and_on_its_stroke(self) -> None:
        """A rate would begin anywhere, and might ring on both sides of a tick's border, or on neither."""
        assert TICKS["Schedule"] == f"cron(0/{TICK_SECONDS // 60} * * * ? *)"
        assert 3600 % TICK_SECONDS == 0

    def test_a_tick_that_could_not_be_planned_in_its_time_is_not_planned_any_more(self) -> None:
        assert TICKS["RetryPolicy"]["MaximumEventAgeInSeconds"] <= TICK_SECONDS


class TestTheQueue:
    def test_a_message_stays_hidden_for_as_long_as_it_may_be_worked_on(self) -> None:
        assert QUEUE["VisibilityTimeout"] >= 6 * PROBE["Timeout"]

    def test_there_is_time_to_make_checks_and_to_write_them_down(self) -> None:
        assert PROBE["Timeout"] - CHECK_TIMEOUT_SECONDS - RESERVE_SECONDS >= 60

    def test_a_group_is_processed_in_order_and_messages_fail_one_by_one(self) -> None:
        assert QUEUE["FifoQueue"] is FAILURES["FifoQueue"] is True
        assert (QUEUE["DeduplicationScope"], QUEUE["FifoThroughputLimit"]) == ("messageGroup", "perMessageGroupId")
        assert (LETTERS["BatchSize"], LETTERS["FunctionResponseTypes"]) == (1, ["ReportBatchItemFailures"])

    def test_notices_are_retried_for_a_day_and_not_lost_before(self) -> None:
        tried = QUEUE["RedrivePolicy"]["maxReceiveCount"] * QUEUE["VisibilityTimeout"]
        assert 86_400 < tried < QUEUE["MessageRetentionPeriod"] < FAILURES["MessageRetentionPeriod"]

    @pytest.mark.parametrize("queue", [QUEUE, FAILURES])
    def test_messages_are_encrypted_at_rest(self, queue: Any) -> None:
        assert queue["SqsManagedSseEnabled"] is True


class TestSwitches:
    def test_it_is_done_unless_it_is_switched_off(self) -> None:
        assert template["Parameters"]["Probing"]["Default"] == "on"
        assert "ProbeFunction" in resources()

    def test_it_gets_the_home_region_because_it_writes_nothing_elsewhere(self) -> None:
        assert environment("ProbeFunction")["HOME_REGION"] == {"Ref": "AWS::Region"}
        assert environment("ProbeFunction", HomeRegion="eu-west-1")["HOME_REGION"] == {"Ref": "HomeRegion"}

    def test_without_it_there_is_none_of_it(self) -> None:
        assert not [name for name in resources(Probing="off") if name.startswith("Probe")]

    def test_what_an_operator_can_give_is_what_the_function_takes(self) -> None:
        returned = environment("ProbeFunction")
        assert {name: returned[name] for name in ("PROBE_HOURS", "PROBE_TARGETS", "PROBE_NETWORKS")} == {
            "PROBE_HOURS": {"Ref": "ProbeHours"},
            "PROBE_TARGETS": {"Ref": "ProbeTargets"},
            "PROBE_NETWORKS": {"Ref": "ProbeNetworks"},
        }
        for end in ("MinValue", "MaxValue"):
            hours, targets = (str(template["Parameters"][name][end]) for name in ("ProbeHours", "ProbeTargets"))
            assert check_schedule({"PROBE_HOURS": hours, "PROBE_TARGETS": targets}) == CheckSchedule(
                TICK_SECONDS, int(hours), int(targets)
            )
        assert check_schedule({}) == CheckSchedule(
            hours=template["Parameters"]["ProbeHours"]["Default"],
            targets=template["Parameters"]["ProbeTargets"]["Default"],
        )
        assert allowed_networks({"PROBE_NETWORKS": template["Parameters"]["ProbeNetworks"]["Default"]}) == ()
