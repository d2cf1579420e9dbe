"""scripts/replicate: tables come to another region and into a stack there, however often the run is cut short."""

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType, SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore import xform_name
from botocore.validate import validate_parameters

from tests.infra.cloudformation import TEMPLATE, load

EU, US = "eu-west-1", "us-east-1"
DEPLOYED = load()
TABLES = ("PrefixTable", "LuiTable", "ClientTable", "CounterTable")
NAMES = {logical: f"coolid-{logical}-1A2B3C" for logical in (*TABLES, "RequestTable")}
RESOURCE = {"ResourceType": "AWS::DynamoDB::Table", "LastUpdatedTimestamp": 0, "ResourceStatus": "CREATE_COMPLETE"}
Asked = Mapping[str, Any]
PARAMETERS = [{"ParameterKey": "PublicBaseUrl", "ParameterValue": "https://id.example.org"}]


def loaded() -> ModuleType:
    path = str(TEMPLATE.parent / "scripts" / "replicate")
    spec = spec_from_loader("replicate", SourceFileLoader("replicate", path))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = loaded()


class Lost(Exception):
    """The connection, or the operator's patience."""


class Refusal(Exception):
    """An error of AWS: its code and its message."""


@dataclass
class Table:
    """A table in one region; `answers` are the states of its replicas that are told one after the other."""

    stream: bool = True
    protected: bool = True
    encrypted: bool = True
    restorable: bool = True
    replicas: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Cloud:
    """AWS, as far as it takes part: questions and answers are judged by botocore's models of the services.

    Writes are in `done`; the one of the number `cut` is done, but nobody hears of it.
    """

    tables: dict[tuple[str, str], Table] = field(default_factory=dict)
    stacks: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    states: dict[tuple[str, str], str] = field(default_factory=dict)
    changes: dict[tuple[str, str], Any] = field(default_factory=dict)
    imported: list[Any] = field(default_factory=list)
    template: Any = field(default_factory=lambda: deepcopy(DEPLOYED))
    parameters: list[dict[str, str]] = field(default_factory=lambda: list(PARAMETERS))
    coming: tuple[str, ...] = ("CREATING", "UPDATING", "ACTIVE")
    done: list[str] = field(default_factory=list)
    cut: int | None = None
    unready: int = 2

    def __post_init__(self) -> None:
        self.tables = {(EU, name): Table() for name in NAMES.values()}
        self.stacks[EU, "coolid"] = dict(NAMES)
        self.states[EU, "coolid"] = "UPDATE_COMPLETE"

    def region(self, name: str) -> Any:
        return script.Region(name, self.client("dynamodb", name), self.client("cloudformation", name))

    def client(self, service: str, region: str) -> Any:
        client: Any = boto3.client(service, region_name=region)  # type: ignore[call-overload]
        requested: dict[str, Any] = {}

        def hear(params: Any, **_: Any) -> None:
            requested.clear()
            requested.update(params)

        client.meta.events.register("before-parameter-build", hear)
        client.meta.events.register("before-call", partial(self._answer, region, requested))
        return client

    def run(self, *, dry: bool = False, agree: bool = True, new: str = "coolid") -> None:
        def requested(question: str) -> bool:
            assert "with these tables?" in question
            return agree

        home, there = self.region(EU), self.region(US)
        script.Replication(home, there, "coolid", new, dry, requested).run()

    def _answer(self, region: str, requested: dict[str, Any], model: Any, **_: Any) -> Any:
        try:
            answer = getattr(self, xform_name(model.name))(region, requested)
        except Refusal as refusal:
            code, message = refusal.args
            return SimpleNamespace(status_code=400), {"Error": {"Code": code, "Message": message}}
        validate_parameters(answer, model.output_shape)
        return SimpleNamespace(status_code=200), answer

    def _write(self, what: str) -> None:
        self.done.append(what)
        if self.cut == len(self.done):
            raise Lost

    # ---- DynamoDB

    def describe_table(self, region: str, requested: Asked) -> Any:
        table = self.tables.get((region, requested["TableName"]))
        if table is None:
            raise Refusal("ResourceNotFoundException", requested["TableName"])
        replicas = []
        for name, states in table.replicas.items():
            state = states.pop(0) if len(states) > 1 else states[0]
            replicas.append({"RegionName": name, "ReplicaStatus": state, "ReplicaStatusPercentProgress": "7"})
            if state == "ACTIVE":
                self.tables.setdefault(
                    (name, requested["TableName"]), Table(protected=False, encrypted=False, restorable=False)
                )
        stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}
        returned = {"TableStatus": "ACTIVE", "Replicas": replicas, "DeletionProtectionEnabled": table.protected}
        encrypted = {"SSEDescription": {"Status": "ENABLED", "SSEType": "KMS"}}
        return {"Table": returned | (stream if table.stream else {}) | (encrypted if table.encrypted else {})}

    def update_table(self, region: str, requested: Asked) -> Any:
        table = self.tables[region, requested["TableName"]]
        for update in requested.get("ReplicaUpdates", ()):
            there = update["Create"]["RegionName"]
            assert there not in table.replicas
            table.replicas[there] = list(self.coming)
            self._write(f"replica of {requested['TableName']}")
        if requested.get("DeletionProtectionEnabled"):
            table.protected = True
            self._write(f"protect {requested['TableName']} in {region}")
        if "SSESpecification" in requested:
            assert requested["SSESpecification"] == {"Enabled": True}
            table.encrypted = True
            self._write(f"encrypt {requested['TableName']} in {region}")
        assert len(requested) == 2, "one change at a time"
        return {}

    def describe_continuous_backups(self, region: str, requested: Asked) -> Any:
        state = "ENABLED" if self.tables[region, requested["TableName"]].restorable else "DISABLED"
        recovery = {"PointInTimeRecoveryStatus": state}
        returned = {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}
        return {"ContinuousBackupsDescription": returned}

    def update_continuous_backups(self, region: str, requested: Asked) -> Any:
        assert requested["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
        if self.unready:
            self.unready -= 1
            raise Refusal("ContinuousBackupsUnavailableException", "Backups are being enabled for the table")
        self.tables[region, requested["TableName"]].restorable = True
        self._write(f"restorable {requested['TableName']} in {region}")
        return {}

    # ---- CloudFormation

    def get_template(self, region: str, requested: Asked) -> Any:
        assert (region, requested["StackName"], requested["TemplateStage"]) == (EU, "coolid", "Processed")
        return {"TemplateBody": json.dumps(self.template)}

    def describe_stack_resource(self, region: str, requested: Asked) -> Any:
        logical = requested["LogicalResourceId"]
        returned = {
            "LogicalResourceId": logical,
            "PhysicalResourceId": self.stacks[region, requested["StackName"]][logical],
        }
        return {"StackResourceDetail": returned | RESOURCE}

    def describe_stacks(self, region: str, requested: Asked) -> Any:
        stack = region, requested["StackName"]
        if stack not in self.states:
            raise Refusal("ValidationError", f"Stack with id {requested['StackName']} does not exist")
        state = self.states[stack]
        if state == "IMPORT_IN_PROGRESS":
            self.states[stack] = "IMPORT_COMPLETE"
        returned = {"StackName": requested["StackName"], "StackStatus": state, "CreationTime": 0}
        return {"Stacks": [returned | {"Parameters": self.parameters}]}

    def list_stack_resources(self, region: str, requested: Asked) -> Any:
        resources = self.stacks.get((region, requested["StackName"]), {}).items()
        listed = [{"LogicalResourceId": one, "PhysicalResourceId": name, **RESOURCE} for one, name in resources]
        return {"StackResourceSummaries": listed}

    def create_change_set(self, region: str, requested: Asked) -> Any:
        assert (region, requested["ChangeSetName"]) not in self.changes
        assert requested["ChangeSetType"] == "IMPORT"
        self.changes[region, requested["ChangeSetName"]] = dict(requested)
        self.states.setdefault((region, requested["StackName"]), "REVIEW_IN_PROGRESS")
        self._write("change set")
        return {}

    def describe_change_set(self, region: str, requested: Asked) -> Any:
        assert (region, requested["ChangeSetName"]) in self.changes
        return {"Status": "CREATE_COMPLETE"}

    def execute_change_set(self, region: str, requested: Asked) -> Any:
        stack = region, requested["StackName"]
        assert self.states[stack] == "REVIEW_IN_PROGRESS"
        changes = self.changes[region, requested["ChangeSetName"]]
        names = {}
        for each in changes["ResourcesToImport"]:
            assert each["ResourceType"] == "AWS::DynamoDB::Table"
            names[each["LogicalResourceId"]] = each["ResourceIdentifier"]["TableName"]
        assert {(region, name) for name in names.values()} <= self.tables.keys()
        self.imported.append(json.loads(changes["TemplateBody"]))
        self.stacks[stack], self.states[stack] = names, "IMPORT_IN_PROGRESS"
        self._write("import")
        return {}


@pytest.fixture(autouse=True)
def _no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)


@pytest.fixture
def cloud() -> Cloud:
    return Cloud()


def is_complete(cloud: Cloud) -> bool:
    replicas = {name: cloud.tables.get((US, name)) for name in NAMES.values()}
    assert replicas.pop(NAMES["RequestTable"]) is None
    whole = all(replica == Table() for replica in replicas.values())
    return whole and cloud.stacks.get((US, "coolid")) == {logical: NAMES[logical] for logical in TABLES}


def test_the_tables_are_there_protected_and_in_a_stack_of_their_own(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.run()
    assert is_complete(cloud)
    returned = "make deploy PUBLIC_BASE_URL=https://id.example.org "
    returned += "ARGS='HomeRegion=eu-west-1 --stack-name coolid --region us-east-1'"
    assert capsys.readouterr().out.strip().endswith(returned)


def test_what_is_imported_is_what_the_template_says_so_that_deploying_it_changes_no_table(cloud: Cloud) -> None:
    cloud.run()
    (imported,) = cloud.imported
    assert imported["Resources"] == {logical: DEPLOYED["Resources"][logical] for logical in TABLES}
    assert all(each["DeletionPolicy"] == "Retain" for each in imported["Resources"].values())
    assert not any("TableName" in each["Properties"] for each in imported["Resources"].values())


def test_a_second_run_does_nothing(cloud: Cloud) -> None:
    cloud.run()
    done = list(cloud.done)
    cloud.run()
    assert cloud.done == done


def test_cut_short_after_any_step_and_run_again_it_continues(cloud: Cloud) -> None:
    cloud.run()
    for step in range(1, len(cloud.done) + 1):
        other = Cloud(cut=step)
        with pytest.raises(Lost):
            other.run()
        other.run()
        assert is_complete(other)
        assert [each for each in other.done if each != "change set"] == [
            each for each in cloud.done if each != "change set"
        ]


def test_a_dry_run_prints_all_steps_and_performs_none(cloud: Cloud, capsys: pytest.CaptureFixture[str]) -> None:
    cloud.run(dry=True)
    assert cloud.done == []
    returned = capsys.readouterr().out
    assert all(f"{NAMES[logical]}: add a replica in us-east-1" in returned for logical in TABLES)
    assert '"DeletionPolicy": "Retain"' in returned


def test_nothing_is_imported_that_was_not_agreed_to_and_one_may_agree_later(cloud: Cloud) -> None:
    with pytest.raises(script.Refused, match="nothing was imported"):
        cloud.run(agree=False)
    assert not cloud.imported
    cloud.run()
    assert is_complete(cloud)


def test_the_home_region_of_the_stack_is_passed_on(cloud: Cloud, capsys: pytest.CaptureFixture[str]) -> None:
    """As when the tables go to a third region, from the second."""
    cloud.parameters.append({"ParameterKey": "HomeRegion", "ParameterValue": "ap-south-1"})
    cloud.run()
    assert "HomeRegion=ap-south-1 " in capsys.readouterr().out


def _without_stream(cloud: Cloud) -> None:
    cloud.tables[EU, NAMES["LuiTable"]].stream = False


def _with_failing_replica(cloud: Cloud) -> None:
    cloud.coming = ("CREATING", "CREATION_FAILED")


def _with_another_stack_there(cloud: Cloud) -> None:
    cloud.states[US, "coolid"], cloud.stacks[US, "coolid"] = "CREATE_COMPLETE", {"PrefixTable": "another"}


def _with_a_computed_table(cloud: Cloud) -> None:
    cloud.template["Resources"]["LuiTable"]["Properties"]["TableName"] = {"Ref": "Name"}


def _without_a_table(cloud: Cloud) -> None:
    del cloud.template["Resources"]["LuiTable"]


def _with_a_table_that_goes_with_its_stack(cloud: Cloud) -> None:
    del cloud.template["Resources"]["LuiTable"]["DeletionPolicy"]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_without_stream, "no stream of NEW_AND_OLD_IMAGES"),
        (_with_failing_replica, "CREATION_FAILED"),
        (_with_another_stack_there, "choose another name"),
        (_with_a_computed_table, "literal"),
        (_without_a_table, "has no table LuiTable"),
        (_with_a_table_that_goes_with_its_stack, "with Retain"),
    ],
)
def test_conflicts_are_reported_and_nothing_is_imported(
    cloud: Cloud, spoil: Callable[[Cloud], None], reason: str
) -> None:
    spoil(cloud)
    with pytest.raises(script.Refused, match=reason):
        cloud.run()
    assert not cloud.imported


def test_beside_a_stack_of_that_name_it_can_have_another(cloud: Cloud) -> None:
    _with_another_stack_there(cloud)
    cloud.run(new="coolid-tables")
    assert cloud.stacks[US, "coolid-tables"] == {logical: NAMES[logical] for logical in TABLES}


class TestCommand:
    @pytest.fixture(autouse=True)
    def _clients(self, cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(script.Region, "of", cloud.region)

    def run(self, *arguments: str) -> int:
        code: int = script.main(["--region", EU, "--to", US, *arguments])
        return code

    def test_all_done_is_0(self, cloud: Cloud) -> None:
        assert self.run("--yes") == 0
        assert is_complete(cloud)

    @pytest.mark.parametrize(("answer", "code"), [("y", 0), ("", 1), ("no", 1)])
    def test_it_asks_for_confirmation_before_it_imports(
        self, cloud: Cloud, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
    ) -> None:
        monkeypatch.setattr("builtins.input", lambda _: answer)
        assert self.run() == code
        assert is_complete(cloud) == (code == 0)

    def test_what_stands_against_it_is_1(self, cloud: Cloud, capsys: pytest.CaptureFixture[str]) -> None:
        _without_stream(cloud)
        assert self.run("--yes") == 1
        assert capsys.readouterr().err.startswith("replicate: coolid-LuiTable-1A2B3C has no stream")

    def test_what_aws_refuses_is_3(self, cloud: Cloud, capsys: pytest.CaptureFixture[str]) -> None:
        del cloud.tables[EU, NAMES["LuiTable"]]
        assert self.run("--yes") == 3
        assert "ResourceNotFoundException" in capsys.readouterr().err

    def test_a_region_is_not_taken_to_itself(self) -> None:
        with pytest.raises(SystemExit) as raised:
            self.run("--to", EU)
        assert raised.value.code == 2
