"""infra/watch.yaml: every function is monitored, by existing metrics, and every alarm has advice."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from coolid import metric_names
from coolid.aws.telemetry import metrics
from tests.infra.cloudformation import TEMPLATE, deployed, given, load, resolved

WATCH = TEMPLATE.parent / "infra" / "watch.yaml"
watch = load(WATCH)
stack = load()
DOCUMENT = (TEMPLATE.parent / "docs" / "how-to" / "operator" / "monitoring.md").read_text(encoding="utf-8")
ALARMS = DOCUMENT.partition("| alarm |")[2]

FUNCTIONS = ["Resolve", "Cite", "Mint", "Manage", "Index", "Sequence", "Purge", "Redirects", "Probe"]
GIVEN = {
    "StackName": "coolid",
    "ApiName": "coolid",
    "StageName": "v1",
    "ResolveFunctionName": "coolid-Resolve",
    "CiteFunctionName": "coolid-Cite",
    "MintFunctionName": "coolid-Mint",
    "ManageFunctionName": "coolid-Manage",
    "JobFailuresName": "coolid-unfinished",
    "IndexFunctionName": "coolid-Index",
    "IndexFailuresName": "coolid-unindexed",
}
EDGE = {"PurgeFunctionName": "coolid-Purge", "PurgeFailuresName": "coolid-lost"}
REDIRECTS = {"RedirectsFunctionName": "coolid-Redirects", "RedirectsFailuresName": "coolid-unwritten"}
PROBE = {"ProbeFunctionName": "coolid-Probe", "ProbeFailuresName": "coolid-unprobed"}
LOG = {"SequenceFunctionName": "coolid-Sequence"}
EVERYTHING = EDGE | REDIRECTS | PROBE | LOG

# Who emits which of ours: `coolid.wiring` and, for who can sign, `template.yaml`.
EVERYBODY = {"Resolve", "Cite", "Mint", "Manage"}
OURS = {
    metric_names.MINTED: {"Mint"},
    metric_names.MINT_CONFLICT: {"Mint"},
    metric_names.SIGNER_ERROR: {"Mint", "Manage", "Sequence"},
    metric_names.STORE_ERROR: {*EVERYBODY, "Probe"},
    metric_names.STALE_ANSWER: {"Resolve"},
    metric_names.UNFORESEEN_ERROR: EVERYBODY,
    metric_names.PEERS_UNAVAILABLE: {"Resolve"},
    metric_names.CLAIMS_REFUSED: {"Resolve"},
    metric_names.CHANGES: {"Purge"},
    metric_names.PURGED: {"Purge"},
    metric_names.POSTPONED: {"Purge"},
    metric_names.UNREADABLE: {"Purge"},
    metric_names.AGE: {"Purge"},
    metric_names.EDGE_NOT_NOTIFIED: {"Purge"},
    metric_names.EDGE_AGE: {"Redirects"},
    metric_names.EDGE_VALID: {"Redirects"},
    metric_names.EDGE_KEYS: {"Redirects"},
    metric_names.EDGE_REPAIRED: {"Redirects"},
    metric_names.EDGE_LEFT_OUT: {"Redirects"},
    metric_names.EDGE_SUSPENDED: {"Redirects"},
    metric_names.PROBED: {"Probe"},
    metric_names.WENT_DOWN: {"Probe"},
    metric_names.PROBE_BUSY: {"Probe"},
    metric_names.PROBE_BLIND: {"Probe"},
    metric_names.PROBE_DROPPED: {"Probe"},
    metric_names.PROBE_UNREADABLE: {"Probe"},
    metric_names.UNDELIVERED: {"Probe"},
    metric_names.JOB_ROWS: {"Manage"},
    metric_names.JOB_FAILED: {"Manage"},
    metric_names.INDEXED: {"Index"},
    metric_names.INDEX_UNREADABLE: {"Index"},
    metric_names.LOG_ENTRIES: {"Sequence"},
    metric_names.LOG_WAIT: {"Sequence"},
    metric_names.LOG_UNREADABLE: {"Index"},
    metric_names.WITNESS_FAILED: {"Sequence"},
}
# AWS's own, with the dimensions that they go by: the developer guides of API Gateway, Lambda and SQS.
API = {"ApiName", "Stage"}
AMAZONS = {
    ("AWS/ApiGateway", "Count"): API,
    ("AWS/ApiGateway", "4XXError"): API,
    ("AWS/ApiGateway", "5XXError"): API,
    ("AWS/ApiGateway", "Latency"): API,
    ("AWS/Lambda", "Duration"): {"FunctionName"},
    ("AWS/Lambda", "Errors"): {"FunctionName"},
    ("AWS/Lambda", "Throttles"): {"FunctionName"},
    ("AWS/Lambda", "ConcurrentExecutions"): {"FunctionName"},
    ("AWS/Lambda", "IteratorAge"): {"FunctionName"},
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): {"QueueName"},
}

Metric = tuple[str, str, dict[str, str]]
"""A namespace, a name, and values of dimensions."""


def made(kind: str, **parameters: str) -> dict[str, Any]:
    """The properties of the resources of a kind that there are with those parameters."""
    values = GIVEN | parameters
    there = deployed(watch, **values)
    plain = {name: each["Properties"] for name, each in there.items() if each["Type"] == f"AWS::{kind}"}
    names = given(watch, **values) | {f"AWS::{name}": name for name in ("Region", "AccountId", "Partition")}
    return {name: resolved(each, names | {other: other for other in there}) for name, each in plain.items()}


def alarms(**parameters: str) -> dict[str, Any]:
    return made("CloudWatch::Alarm", **parameters)


ALL = alarms(**EVERYTHING)


def metrics_of(alarm: dict[str, Any]) -> Iterator[Metric]:
    """The metrics that an alarm looks at."""
    for each in [part["MetricStat"]["Metric"] for part in alarm.get("Metrics", ()) if "MetricStat" in part] or [alarm]:
        yield each["Namespace"], each["MetricName"], {one["Name"]: one["Value"] for one in each["Dimensions"]}


def dashboard(**parameters: str) -> list[dict[str, Any]]:
    """The widgets of the dashboard."""
    (board,) = made("CloudWatch::Dashboard", **parameters).values()
    widgets: list[dict[str, Any]] = json.loads(board["DashboardBody"])["widgets"]
    return widgets


def shown(**parameters: str) -> Iterator[Metric]:
    """The metrics that the dashboard shows one by one."""
    for widget in dashboard(**parameters):
        for namespace, name, *rest in (each for each in widget["properties"].get("metrics", ()) if len(each) > 1):
            dimensions = [each for each in rest if isinstance(each, str)]
            yield namespace, name, dict(zip(dimensions[::2], dimensions[1::2], strict=True))


class TestMetrics:
    @pytest.mark.parametrize(
        "metric", [*(each for alarm in ALL.values() for each in metrics_of(alarm)), *shown(**EVERYTHING)], ids=str
    )
    def test_every_alarm_uses_an_emitted_metric(self, metric: Metric) -> None:
        namespace, name, dimensions = metric
        if namespace == metrics.NAMESPACE:
            assert dimensions.keys() == {metrics.FUNCTION}
            assert dimensions[metrics.FUNCTION].removeprefix("coolid-") in OURS[name]
        else:
            assert dimensions.keys() == AMAZONS[namespace, name]
        assert set(dimensions.values()) <= {*GIVEN.values(), *EVERYTHING.values()}

    def test_the_table_above_has_every_metric_that_the_code_emits(self) -> None:
        emitted = {value for name, value in vars(metrics).items() if name.isupper() and isinstance(value, str)}
        assert emitted - {metrics.NAMESPACE, metrics.FUNCTION, metrics.REPOSITORY} <= OURS.keys()
        assert {*metrics.COUNTED_ERRORS.values(), *metrics.COUNTED_MINT_ERRORS.values()} <= OURS.keys()

    def test_functions_that_sign_have_an_alarm_for_it(self) -> None:
        signing = {
            name.removesuffix("Function")
            for name, each in stack["Resources"].items()
            if each["Type"] == "AWS::Serverless::Function"
            and "SIGNING_KEY_ID" in each["Properties"].get("Environment", {}).get("Variables", {})
        }
        assert signing == OURS[metric_names.SIGNER_ERROR]

    def test_every_error_metric_has_an_alarm_for_each_function(self) -> None:
        watched = {(name, *dimensions.values()) for alarm in ALL.values() for _, name, dimensions in metrics_of(alarm)}
        passing = {metric_names.MINTED, metric_names.CHANGES, metric_names.POSTPONED}
        passing |= {
            metric_names.PEERS_UNAVAILABLE,
            metric_names.CLAIMS_REFUSED,
            metric_names.EDGE_NOT_NOTIFIED,  # a sweep finds the changes
            metric_names.EDGE_KEYS,
            metric_names.EDGE_REPAIRED,
            metric_names.EDGE_LEFT_OUT,
            metric_names.PROBED,
            metric_names.WENT_DOWN,
            metric_names.PROBE_BUSY,
            metric_names.UNDELIVERED,
            metric_names.JOB_ROWS,
            metric_names.JOB_FAILED,
            metric_names.INDEXED,
            metric_names.LOG_ENTRIES,
            metric_names.WITNESS_FAILED,
        }  # others' failures
        for name, functions in OURS.items():
            for function in functions:
                assert ((name, f"coolid-{function}") in watched) is (name not in passing)

    def test_all_own_metrics_are_on_the_dashboard(self) -> None:
        on_it = {name for namespace, name, _ in shown(**EVERYTHING) if namespace == metrics.NAMESPACE}
        assert on_it == OURS.keys() - {metric_names.MINTED}
        (search,) = re.findall(r"SEARCH\('(.+?)', 'Sum', \d+\)", json.dumps(dashboard()).replace('\\"', '"'))
        assert search == (
            f"{{{metrics.NAMESPACE},{metrics.FUNCTION},{metrics.REPOSITORY}}} "
            f'{metrics.FUNCTION}="coolid-Mint" MetricName="{metric_names.MINTED}"'
        )

    def test_no_other_dimension_gets_in_by_the_environment(self) -> None:
        """Powertools adds the service's name to each metric where it is told one, and no alarm would find it then."""
        assert "POWERTOOLS_SERVICE_NAME" not in json.dumps(stack)
        assert "POWERTOOLS_METRICS_NAMESPACE" not in json.dumps(stack)

    def test_lambda_lets_lines_and_metrics_pass(self) -> None:
        """What has no level counts as INFO (developer guide, "Log-level filtering"), as metrics do."""
        for name, each in stack["Resources"].items():
            if each["Type"] == "AWS::Serverless::Function":
                logging = each["Properties"].get("LoggingConfig", {})
                assert logging.get("ApplicationLogLevel", "INFO") in ("TRACE", "DEBUG", "INFO"), name


class TestFunctions:
    def test_every_function_of_the_stack_is_watched(self) -> None:
        names = {
            name.removesuffix("Function")
            for name, each in stack["Resources"].items()
            if each["Type"] == "AWS::Serverless::Function"
        }
        assert names <= set(FUNCTIONS)
        returned = stack["Resources"]["WatchStack"]["Properties"]["Parameters"]
        assert {f"{name}FunctionName" for name in names} <= returned.keys()
        for function in FUNCTIONS:
            for metric in ("Errors", "Throttles"):
                expected = ("AWS/Lambda", metric, {"FunctionName": f"coolid-{function}"})
                assert expected in [*metrics_of(ALL[f"{function}{metric}"])]

    @pytest.mark.parametrize(
        ("name", "own", "others"),
        [
            ("Purge", EDGE, PROBE | LOG | REDIRECTS),
            ("Redirects", REDIRECTS, PROBE | LOG | EDGE),
            ("Probe", PROBE, EDGE | LOG | REDIRECTS),
            ("Sequence", LOG, EDGE | PROBE | REDIRECTS),
        ],
    )
    def test_without_an_edge_or_without_looking_or_a_log_nothing_of_it_is_watched(
        self, name: str, own: dict[str, str], others: dict[str, str]
    ) -> None:
        plain = alarms(**others)
        beginnings = (name, "Log") if name == "Sequence" else (name,)
        assert {each for each in ALL if each not in plain} == {each for each in ALL if each.startswith(beginnings)}
        assert name.lower() not in json.dumps(dashboard(**others)).lower()
        assert name in json.dumps(dashboard(**own))

    @pytest.mark.parametrize(
        ("rule", "whole"), [("EdgeIsWhole", EDGE), ("RedirectsAreWhole", EDGE | REDIRECTS), ("ProbeIsWhole", PROBE)]
    )
    def test_a_function_and_its_queue_are_given_together_or_not_at_all(self, rule: str, whole: dict[str, str]) -> None:
        (assertion,) = watch["Rules"][rule]["Assertions"]
        own = {name: whole[name] for name in whole if name not in EDGE or whole is EDGE}
        halves = [({name: value}, False) for name, value in own.items()]
        for more, allowed in (({}, True), (whole, True), *halves):
            assert resolved(assertion["Assert"], given(watch, **GIVEN, **more)) is allowed


class TestAlarms:
    @pytest.mark.parametrize("name", ALL)
    def test_it_notifies_the_operators_at_its_beginning_and_end(self, name: str) -> None:
        assert ALL[name]["AlarmActions"] == ["Alarms"]
        assert ALL[name]["OKActions"] == ["Alarms"]

    @pytest.mark.parametrize("name", ALL)
    def test_its_name_says_of_what_stack_and_its_description_what_to_do(self, name: str) -> None:
        assert ALL[name]["AlarmName"] == f"coolid-{name}"
        description = ALL[name]["AlarmDescription"]
        assert 100 < len(description) < 1024
        assert re.search(
            r"\b(check|compare|raise|request|find out|log shows|report it|contact|see|deploy)\b", description.lower()
        )

    @pytest.mark.parametrize("name", ALL)
    def test_the_document_says_what_it_means(self, name: str) -> None:
        (row,) = [line for line in ALARMS.splitlines() if line.startswith("| `") and f"`{name}`" in line.split("|")[1]]
        assert len(row.split("|")[2].strip()) > 10

    @pytest.mark.parametrize("name", ALL)
    def test_it_says_what_no_data_means(self, name: str) -> None:
        """Nobody asked, or nothing went wrong: few metrics are reported where there is nothing to report.

        Each run of the sequencer reports its wait, and each sweep of the edge whether the store is valid. A missing
        value means that there was no run.
        """
        is_missed = name in ("LogStopped", "RedirectsInvalid")
        assert ALL[name]["TreatMissingData"] == ("breaching" if is_missed else "notBreaching")

    def test_an_entry_that_waits_for_two_minutes_raises_an_alarm(self) -> None:
        late, stopped = ALL["LogLate"], ALL["LogStopped"]
        assert (late["Threshold"], late["Period"], late["EvaluationPeriods"]) == (120, 60, 1)
        assert (stopped["Statistic"], stopped["ComparisonOperator"]) == ("SampleCount", "LessThanThreshold")
        assert stopped["Period"] * stopped["EvaluationPeriods"] <= 180

    @pytest.mark.parametrize("name", ALL)
    def test_a_percentile_of_few_answers_is_not_judged(self, name: str) -> None:
        alarm = ALL[name]
        if "ExtendedStatistic" in alarm:
            assert alarm["EvaluateLowSampleCountPercentile"] == "ignore"
            assert alarm["EvaluationPeriods"] >= 3

    def test_all_of_them_are_on_the_dashboard(self) -> None:
        for edge in ({}, EDGE, PROBE, EVERYTHING):
            (widget,) = [each for each in dashboard(**edge) if each["type"] == "alarm"]
            assert sorted(each[2:-5] for each in widget["properties"]["alarms"]) == sorted(alarms(**edge))

    def test_the_rate_of_server_errors_is_of_all_requests_and_not_judged_by_a_single_one(self) -> None:
        (expression,) = [each["Expression"] for each in ALL["ApiErrors"]["Metrics"] if "Expression" in each]
        assert expression == "IF(errors >= 5, 100 * errors / requests, 0)"
        stats = {
            each["MetricStat"]["Metric"]["MetricName"]: each["MetricStat"]["Stat"]
            for each in ALL["ApiErrors"]["Metrics"][1:]
        }
        assert stats == {"5XXError": "Sum", "Count": "SampleCount"}


class TestDashboard:
    @pytest.mark.parametrize("edge", [{}, EDGE, PROBE, EVERYTHING], ids=["neither", "edge", "probe", "both"])
    def test_no_widget_lies_upon_another(self, edge: dict[str, str]) -> None:
        taken: set[tuple[int, int]] = set()
        for each in dashboard(**edge):
            cells = {
                (x, y)
                for x in range(each["x"], each["x"] + each["width"])
                for y in range(each["y"], each["y"] + each["height"])
            }
            assert not cells & taken
            assert each["x"] + each["width"] <= 24
            taken |= cells

    def test_its_name_is_of_the_region_too_for_dashboards_of_all_regions_share_theirs(self) -> None:
        (board,) = made("CloudWatch::Dashboard").values()
        assert board["DashboardName"] == "coolid-${AWS::Region}"


class TestWhoIsTold:
    def test_an_address_is_subscribed_and_nobody_without_one(self) -> None:
        assert made("SNS::Subscription") == {}
        (email,) = made("SNS::Subscription", AlarmEmail="operator@example.org").values()
        assert (email["Protocol"], email["Endpoint"], email["TopicArn"]) == ("email", "operator@example.org", "Alarms")

    @pytest.mark.parametrize(
        ("address", "allowed"), [("", True), ("a@example.org", True), ("a", False), ("a @b", False)]
    )
    def test_an_address_has_the_form_of_one(self, address: str, allowed: bool) -> None:
        assert bool(re.search(watch["Parameters"]["AlarmEmail"]["AllowedPattern"], address)) is allowed

    def test_the_topic_is_encrypted_with_a_key_that_cloudwatch_may_use_for_alarms_of_this_account_only(self) -> None:
        (topic,) = made("SNS::Topic").values()
        assert topic["KmsMasterKeyId"] == "AlarmKey"
        (key,) = made("KMS::Key").values()
        assert key["EnableKeyRotation"] is True
        owner, cloudwatch = key["KeyPolicy"]["Statement"]
        assert owner["Principal"] == {"AWS": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}
        assert cloudwatch["Action"] == ["kms:Decrypt", "kms:GenerateDataKey*"]
        self.is_for_alarms_alone(cloudwatch)

    def test_nobody_but_alarms_of_this_account_can_publish_there(self) -> None:
        (policy,) = made("SNS::TopicPolicy").values()
        (statement,) = policy["PolicyDocument"]["Statement"]
        assert (statement["Action"], statement["Resource"]) == ("sns:Publish", "Alarms")
        self.is_for_alarms_alone(statement)

    @staticmethod
    def is_for_alarms_alone(statement: dict[str, Any]) -> None:
        assert statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
        arn = "arn:${AWS::Partition}:cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:*"
        assert statement["Condition"] == {
            "StringEquals": {"aws:SourceAccount": "AccountId"},
            "ArnLike": {"aws:SourceArn": arn},
        }


class TestParameters:
    def test_every_threshold_has_a_default_and_is_in_the_document(self) -> None:
        thresholds = watch["Parameters"].keys() - GIVEN.keys() - EVERYTHING.keys() - {"AlarmEmail"}
        used = json.dumps([each["Properties"].get("Threshold") for each in watch["Resources"].values()])
        for name in thresholds:
            assert watch["Parameters"][name]["Type"] == "Number"
            assert f'"{name}"' in used
            assert f"`{name}`" in DOCUMENT

    def test_it_gives_back_where_alarms_go_and_where_the_dashboard_is(self) -> None:
        assert watch["Outputs"].keys() == {"AlarmTopicArn", "DashboardUrl"}


class TestTheDocument:
    def test_it_lists_every_metric_and_its_functions(self) -> None:
        counted = DOCUMENT.partition("## What is counted")[2].partition("## Alarms")[0]
        rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([\w, ]+) \|$", counted, re.MULTILINE)
        assert {name: {each.title() for each in by.split(", ")} for name, by in rows} == OURS

    def test_it_has_every_member_of_a_line(self) -> None:
        returned = DOCUMENT.partition("## What is logged")[2].partition("## What is counted")[0]
        (example,) = [json.loads(line) for line in returned.splitlines() if line.startswith("{")]
        rows = re.findall(r"^\| `(\w+)` \|", returned, re.MULTILINE)
        assert rows == [*example, "cache"]

    def test_it_names_no_alarm_that_there_is_not(self) -> None:
        named = {
            name
            for line in ALARMS.splitlines()
            if line.startswith("| `")
            for name in re.findall(r"`(\w+)`", line.split("|")[1])
        }
        assert named == ALL.keys()
