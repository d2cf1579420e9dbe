"""What the template promises: what each function may do, what is kept, and that every request has somewhere to go."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

import pytest

from tests.infra.cloudformation import TEMPLATE, given, load, resolved

template = load()
resources: dict[str, Any] = template["Resources"]
ROOT = TEMPLATE.parent

TABLES = ["PrefixTable", "LuiTable", "ClientTable", "CounterTable", "RequestTable"]
FUNCTIONS = ["ResolveFunction", "MintFunction", "ManageFunction"]

READS = {"dynamodb:GetItem", "dynamodb:BatchGetItem"}
LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
SIGNS = {"kms:Sign", "kms:GetPublicKey"}


def of_type(kind: str) -> dict[str, Any]:
    return {name: resource["Properties"] for name, resource in resources.items() if resource["Type"] == kind}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def plain(value: Any, **parameters: str) -> Any:
    """A value with its conditions decided, for parameters that are given or have their defaults."""
    match value:
        case {"Fn::If": [condition, yes, no]}:
            holds = resolved(template["Conditions"][condition], given(template, **parameters))
            return plain(yes if holds else no, **parameters)
        case _:
            return value


def statements(function: str) -> Iterator[tuple[set[str], set[str]]]:
    """The role of a function as (actions, resources), a resource being the logical name whose ARN is named."""
    role = resources[resources[function]["Properties"]["Role"]["Fn::GetAtt"][0]]["Properties"]
    for policy in role["Policies"]:
        for statement in policy["PolicyDocument"]["Statement"]:
            named = {json.dumps(plain(resource)) for resource in as_list(statement["Resource"])}
            arns = {json.dumps({"Fn::GetAtt": [name, "Arn"]}): name for name in resources} | {
                json.dumps({"Fn::Sub": f"${{{table}.Arn}}/index/{index['IndexName']}"}): index["IndexName"]
                for table, properties in of_type("AWS::DynamoDB::Table").items()
                for index in properties.get("GlobalSecondaryIndexes", ())
            }
            assert named <= arns.keys(), "a role names resources by the ARN of what the template makes"
            yield set(as_list(statement["Action"])), {arns[name] for name in named}


def granted(function: str) -> dict[str, set[str]]:
    """What a function may do to each resource."""
    actions: dict[str, set[str]] = {}
    for allowed, names in statements(function):
        for name in names:
            actions.setdefault(name, set()).update(allowed)
    return actions


def environment(function: str) -> dict[str, Any]:
    shared = template["Globals"]["Function"]["Environment"]["Variables"]
    return shared | resources[function]["Properties"].get("Environment", {}).get("Variables", {})


def routes() -> dict[tuple[str, str], str]:
    return {
        (event["Properties"]["Path"], event["Properties"]["Method"]): function
        for function, properties in of_type("AWS::Serverless::Function").items()
        for event in properties["Events"].values()
        if event["Type"] == "Api"
    }


class TestRoles:
    def test_resolving_can_read_two_tables_and_write_its_log_and_nothing_else(self) -> None:
        assert granted("ResolveFunction") == {"PrefixTable": READS, "LuiTable": READS, "ResolveLogs": LOGS}

    def test_minting_can_add_records_and_sign_but_change_no_rule(self) -> None:
        assert granted("MintFunction") == {
            "PrefixTable": READS,
            "LuiTable": READS | {"dynamodb:PutItem", "dynamodb:ConditionCheckItem"},
            "CounterTable": {"dynamodb:UpdateItem"},
            "ClientTable": {"dynamodb:GetItem"},
            "RequestTable": {"dynamodb:GetItem", "dynamodb:PutItem"},
            "SigningKey": SIGNS,
            "MintLogs": LOGS,
        }

    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_no_function_can_delete_a_record_or_a_client(self, function: str) -> None:
        deleting = {
            name for name, actions in granted(function).items() if any("Delete" in action for action in actions)
        }
        assert deleting <= {"PrefixTable"}

    def test_every_function_has_a_role_written_out_here(self) -> None:
        for name, properties in of_type("AWS::Serverless::Function").items():
            assert "Policies" not in properties, name
            assert "ManagedPolicyArns" not in resources[properties["Role"]["Fn::GetAtt"][0]]["Properties"], name

    def test_no_role_has_a_wildcard(self) -> None:
        for name, role in of_type("AWS::IAM::Role").items():
            assert "*" not in json.dumps(role), name

    def test_only_lambda_can_take_a_role(self) -> None:
        for role in of_type("AWS::IAM::Role").values():
            (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
            assert statement["Principal"] == {"Service": "lambda.amazonaws.com"}
            assert statement["Action"] == "sts:AssumeRole"

    def test_the_keys_own_policy_names_the_account_and_nobody_else(self) -> None:
        (statement,) = resources["SigningKey"]["Properties"]["KeyPolicy"]["Statement"]
        assert statement["Principal"] == {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}}


class TestWhatIsKept:
    @pytest.mark.parametrize("name", [*TABLES, "SigningKey"])
    def test_it_outlives_the_stack_and_a_replacement(self, name: str) -> None:
        assert resources[name]["DeletionPolicy"] == "Retain"
        assert resources[name]["UpdateReplacePolicy"] == "Retain"

    @pytest.mark.parametrize("name", TABLES)
    def test_a_table_is_on_demand_encrypted_protected_and_restorable_to_any_moment(self, name: str) -> None:
        table = resources[name]["Properties"]
        assert table["BillingMode"] == "PAY_PER_REQUEST"
        assert table["SSESpecification"] == {"SSEEnabled": True}
        assert table["DeletionProtectionEnabled"] is True
        assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}

    def test_there_is_no_other_table(self) -> None:
        assert list(of_type("AWS::DynamoDB::Table")) == TABLES

    @pytest.mark.parametrize(
        ("name", "keys"),
        [
            ("PrefixTable", [("name", "S", "HASH")]),
            ("LuiTable", [("pid", "S", "HASH"), ("version", "N", "RANGE")]),
            ("ClientTable", [("id", "S", "HASH")]),
            ("RequestTable", [("id", "S", "HASH")]),
        ],
    )
    def test_a_tables_keys_are_literal_and_the_only_attributes_defined(
        self, name: str, keys: list[tuple[str, str, str]]
    ) -> None:
        table = resources[name]["Properties"]
        types = {each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]}
        schema = [
            (each["AttributeName"], types.get(each["AttributeName"]), each["KeyType"]) for each in table["KeySchema"]
        ]
        assert schema == keys
        indexed = [
            each["AttributeName"] for index in table.get("GlobalSecondaryIndexes", ()) for each in index["KeySchema"]
        ]
        assert types.keys() == {name for name, _, _ in keys} | set(indexed)

    def test_receipts_expire_by_themselves_and_records_never_do(self) -> None:
        expiring = {name for name in TABLES if "TimeToLiveSpecification" in resources[name]["Properties"]}
        assert expiring == {"RequestTable"}

    def test_the_key_makes_es256_signatures(self) -> None:
        key = resources["SigningKey"]["Properties"]
        assert (key["KeySpec"], key["KeyUsage"]) == ("ECC_NIST_P256", "SIGN_VERIFY")


class TestFunctions:
    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_it_is_told_its_tables_and_the_public_address(self, function: str) -> None:
        told = environment(function)
        assert told["PREFIX_TABLE"] == {"Ref": "PrefixTable"}
        assert told["LUI_TABLE"] == {"Ref": "LuiTable"}
        assert told["PUBLIC_BASE_URL"] == {"Ref": "PublicBaseUrl"}

    @pytest.mark.parametrize("function", ["MintFunction", "ManageFunction"])
    def test_a_writing_one_is_told_its_clients_and_the_key(self, function: str) -> None:
        told = environment(function)
        assert told["CLIENT_TABLE"] == {"Ref": "ClientTable"}
        assert plain(told["SIGNING_KEY_ID"]) == {"Ref": "SigningKey"}

    @pytest.mark.parametrize("function", ["MintFunction", "ManageFunction"])
    def test_a_writing_one_signs_with_another_key_if_one_is_given_and_with_no_other(self, function: str) -> None:
        other = "arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d"
        assert plain(environment(function)["SIGNING_KEY_ID"], SigningKeyArn=other) == {"Ref": "SigningKeyArn"}
        role = resources[resources[function]["Properties"]["Role"]["Fn::GetAtt"][0]]["Properties"]
        (signing,) = [
            statement
            for policy in role["Policies"]
            for statement in policy["PolicyDocument"]["Statement"]
            if "kms:Sign" in as_list(statement["Action"])
        ]
        assert plain(signing["Resource"], SigningKeyArn=other) == {"Ref": "SigningKeyArn"}
        assert re.fullmatch(template["Parameters"]["SigningKeyArn"]["AllowedPattern"], other)

    def test_resolving_does_not_even_know_the_key(self) -> None:
        assert not environment("ResolveFunction").keys() & {"CLIENT_TABLE", "SIGNING_KEY_ID"}

    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_its_memory_and_its_time_are_stated_and_the_api_waits_that_long(self, function: str) -> None:
        properties = resources[function]["Properties"]
        assert properties["MemorySize"] >= 256
        assert 0 < properties["Timeout"] <= 29

    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_its_log_is_kept_for_a_stated_time(self, function: str) -> None:
        log = resources[resources[function]["Properties"]["LoggingConfig"]["LogGroup"]["Ref"]]
        assert log["Type"] == "AWS::Logs::LogGroup"
        assert log["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"}

    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_it_has_a_folder_with_a_handler(self, function: str) -> None:
        assert (ROOT / "functions" / function.removesuffix("Function").lower() / "handler.py").is_file()


class TestLayers:
    LIBRARIES = ("VendorLayer", "SigningLayer")

    @staticmethod
    def layers(function: str) -> list[str]:
        """SAM puts a function's own layers behind those of all functions."""
        own = resources[function]["Properties"].get("Layers", [])
        return [layer["Ref"] for layer in template["Globals"]["Function"]["Layers"] + own]

    def test_resolving_has_no_layer_that_signs(self) -> None:
        assert self.layers("ResolveFunction") == ["CoreLayer", "VendorLayer"]

    @pytest.mark.parametrize("function", ["MintFunction", "ManageFunction"])
    def test_a_writing_function_has_all_three(self, function: str) -> None:
        assert self.layers(function) == ["CoreLayer", "VendorLayer", "SigningLayer"]

    def test_what_may_sign_has_the_layer_for_it_and_nothing_else_has(self) -> None:
        for function in FUNCTIONS:
            assert ("SigningLayer" in self.layers(function)) is ("SigningKey" in granted(function)), function

    @pytest.mark.parametrize("layer", LIBRARIES)
    def test_libraries_are_built_for_the_architecture_of_the_functions(self, layer: str) -> None:
        architecture = {"Ref": "Architecture"}
        assert template["Globals"]["Function"]["Architectures"] == [architecture]
        assert resources[layer]["Properties"]["CompatibleArchitectures"] == [architecture]
        built = resources[layer]["Metadata"]
        assert built["BuildArchitecture"] == architecture
        assert built["WorkingDirectory"] == {"Fn::Sub": "layers/vendor/${Architecture}"}

    def test_libraries_can_be_built_for_every_architecture_offered(self) -> None:
        for architecture in template["Parameters"]["Architecture"]["AllowedValues"]:
            assert (ROOT / "layers" / "vendor" / architecture / "platforms").read_text(encoding="utf-8").split()


class TestRoutes:
    @pytest.mark.parametrize(
        ("method", "path", "function"),
        [
            ("ANY", "/", "ResolveFunction"),
            ("ANY", "/{proxy+}", "ResolveFunction"),
            ("POST", "/api/v1/records", "MintFunction"),
            ("POST", "/api/v1/records/batch", "MintFunction"),
            ("ANY", "/api/v1/records", "ManageFunction"),
            ("ANY", "/api/v1/records/{proxy+}", "ManageFunction"),
            ("ANY", "/api/v1/{proxy+}", "ManageFunction"),
        ],
    )
    def test_a_request_reaches_its_function(self, method: str, path: str, function: str) -> None:
        assert routes()[path, method] == function

    def test_no_resource_of_the_api_leaves_a_method_or_a_path_below_it_without_a_route(self) -> None:
        """API Gateway answers 403 at a resource that lacks the method, and does not look for a {proxy+} further up."""
        anything = {path for path, method in routes() if method == "ANY"}
        for path, _ in routes():
            for resource in [PurePosixPath(path), *PurePosixPath(path).parents]:
                assert str(resource) in anything
                assert resource.name == "{proxy+}" or str(resource / "{proxy+}") in anything

    def test_the_api_takes_no_body_for_binary_and_so_never_re_encodes_one(self) -> None:
        assert "BinaryMediaTypes" not in resources["Api"]["Properties"]

    def test_more_requests_than_the_operator_allows_are_refused_before_a_function_is_asked(self) -> None:
        (limit,) = resources["Api"]["Properties"]["MethodSettings"]
        assert (limit["ResourcePath"], limit["HttpMethod"]) == ("/*", "*")
        assert limit["ThrottlingRateLimit"] == {"Ref": "RequestsPerSecond"}
        assert limit["ThrottlingBurstLimit"] == {"Ref": "RequestsBurst"}
        assert resources["Api"]["Properties"]["GatewayResponses"]["THROTTLED"]["StatusCode"] == 429

    def test_what_the_gateway_refuses_by_itself_is_a_problem_that_no_cache_keeps(self) -> None:
        responses = resources["Api"]["Properties"]["GatewayResponses"]
        assert {"DEFAULT_4XX", "DEFAULT_5XX", "THROTTLED"} <= responses.keys()
        for response in responses.values():
            headers = response["ResponseParameters"]["Headers"]
            assert headers["Content-Type"] == "'application/problem+json'"
            assert headers["Cache-Control"] == "'no-store'"
        assert responses["THROTTLED"]["ResponseParameters"]["Headers"]["Retry-After"] == "'1'"


class TestAnnouncement:
    """The SRV record by which clients of LinkIDs find the resolver of a domain."""

    ZONE = {"HostedZoneId": "Z0123456789ABCDEFGHIJ", "HostedZoneName": "example.org"}  # noqa: RUF012 - never changed

    @staticmethod
    def announced(**parameters: str) -> Any:
        """The record's properties where there is one."""
        values = given(template, **parameters)
        record = resources["Announcement"]
        if not resolved(template["Conditions"][record["Condition"]], values):
            return None
        return resolved(record["Properties"], values)

    def test_a_zone_gets_a_record_that_leads_to_the_public_host_over_https(self) -> None:
        record = self.announced(PublicBaseUrl="https://id.example.org", **self.ZONE)
        assert record["HostedZoneId"] == "Z0123456789ABCDEFGHIJ"
        assert (record["Type"], record["Name"]) == ("SRV", "_linkid._https.example.org")
        assert record["ResourceRecords"] == ["0 5 443 id.example.org"]

    def test_a_port_in_the_base_url_is_told(self) -> None:
        record = self.announced(PublicBaseUrl="https://id.example.org:8443", **self.ZONE)
        assert record["ResourceRecords"] == ["0 5 8443 id.example.org"]

    def test_without_a_zone_there_is_no_record(self) -> None:
        assert self.announced(PublicBaseUrl="https://id.example.org") is None

    @pytest.mark.parametrize(
        "url",
        [
            "http://id.example.org",
            "https://abc123.execute-api.eu-west-1.amazonaws.com/v1",
            "https://id.example.org/a/b",
        ],
    )
    def test_what_a_record_cannot_tell_is_not_announced(self, url: str) -> None:
        assert self.announced(PublicBaseUrl=url, **self.ZONE) is None

    @pytest.mark.parametrize(
        ("parameters", "allowed"),
        [({}, True), (ZONE, True), ({"HostedZoneId": "Z012"}, False), ({"HostedZoneName": "example.org"}, False)],
    )
    def test_a_zone_is_given_with_both_its_id_and_its_name(self, parameters: dict[str, str], allowed: bool) -> None:
        values = given(template, **parameters)
        (assertion,) = template["Rules"]["HostedZoneIsWhole"]["Assertions"]
        assert resolved(assertion["Assert"], values) is allowed

    @pytest.mark.parametrize(
        ("name", "value", "allowed"),
        [
            ("HostedZoneId", "Z0123456789ABCDEFGHIJ", True),
            ("HostedZoneId", "example.org", False),
            ("HostedZoneId", "/hostedzone/Z0123456789ABCDEFGHIJ", False),
            ("HostedZoneName", "id.example.org", True),
            ("HostedZoneName", "example.org.", False),
            ("HostedZoneName", "https://example.org", False),
            ("HostedZoneName", "-.example.org", False),
            ("HostedZoneName", "EXAMPLE.org", False),
        ],
    )
    def test_an_id_and_a_name_have_their_forms(self, name: str, value: str, allowed: bool) -> None:
        assert bool(re.search(template["Parameters"][name]["AllowedPattern"], value)) is allowed


class TestParameters:
    @pytest.mark.parametrize(
        "url",
        ["https://id.example.org", "http://127.0.0.1:8080", "https://abc123.execute-api.eu-west-1.amazonaws.com/v1"],
    )
    def test_a_public_base_url_is_accepted(self, url: str) -> None:
        assert re.search(template["Parameters"]["PublicBaseUrl"]["AllowedPattern"], url)

    @pytest.mark.parametrize(
        "url",
        [
            "https://id.example.org/",
            "id.example.org",
            "ftp://id.example.org",
            "https://id.example.org?x",
            "https://user@id.example.org",
            "https://-.example.org",
            "https://ID.example.org",
        ],
    )
    def test_one_that_would_spoil_every_address_made_from_it_is_refused(self, url: str) -> None:
        assert not re.search(template["Parameters"]["PublicBaseUrl"]["AllowedPattern"], url)

    def test_every_parameter_says_what_it_is(self) -> None:
        for name, parameter in template["Parameters"].items():
            assert parameter["Description"], name
