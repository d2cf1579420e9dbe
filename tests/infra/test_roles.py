"""The permissions of each function."""

import json

import pytest

from tests.infra.stack import ALL_FUNCTIONS, as_list, granted, of_type, resources, statements

READS = {"dynamodb:GetItem", "dynamodb:BatchGetItem"}
LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
SIGNS = {"kms:Sign", "kms:GetPublicKey"}


class TestRoles:
    @pytest.mark.parametrize(
        ("name", "more"),
        [
            ("Cite", {}),
            (
                "Resolve",
                {
                    "LogTable": READS,
                    "LogBucket": {"s3:ListBucket"},
                    "LogBucketTiles": {"s3:GetObject"},
                    "LogBucketCheckpoint": {"s3:GetObject"},
                    "LogKey": {"kms:GetPublicKey"},
                },
            ),
        ],
    )
    def test_resolving_can_read_public_data_and_write_its_log_and_nothing_else(
        self, name: str, more: dict[str, set[str]]
    ) -> None:
        reads = READS | {"dynamodb:Query"}
        assert granted(f"{name}Function") == {
            "PrefixTable": READS,
            "ByKind": {"dynamodb:Query"},
            "LuiTable": reads,
            f"{name}Logs": LOGS,
            **more,
        }

    def test_resolving_can_list_the_versions_of_a_record_but_no_records(self) -> None:
        """Each version it may read already, by its number; to list them (RFC 7089, TimeMaps) takes but one question."""
        assert "dynamodb:Scan" not in granted("ResolveFunction")["LuiTable"]
        assert "ByRepository" not in granted("ResolveFunction")

    def test_minting_can_add_records_and_sign_but_change_no_rule(self) -> None:
        assert granted("MintFunction") == {
            "PrefixTable": READS,
            "LuiTable": READS | {"dynamodb:PutItem", "dynamodb:ConditionCheckItem"},
            "CounterTable": {"dynamodb:GetItem", "dynamodb:UpdateItem"},
            "ClientTable": {"dynamodb:GetItem", "dynamodb:UpdateItem"},
            "RequestTable": {"dynamodb:GetItem", "dynamodb:PutItem"},
            "SigningKey": SIGNS,
            "MintLogs": LOGS,
        }

    def test_managing_can_add_versions_and_change_rules_but_delete_no_record(self) -> None:
        assert granted("ManageFunction") == {
            "PrefixTable": READS | {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:ConditionCheckItem"},
            "ByKind": {"dynamodb:Query"},
            "LuiTable": READS | {"dynamodb:Query", "dynamodb:PutItem", "dynamodb:ConditionCheckItem"},
            "ByRepository": {"dynamodb:Query"},
            "ByChange": {"dynamodb:Query"},
            "ClientTable": {"dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:Scan"},
            "CounterTable": {"dynamodb:GetItem", "dynamodb:UpdateItem"},
            "RequestTable": {"dynamodb:GetItem", "dynamodb:PutItem"},
            "PulseTable": {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"},
            "ByAiling": {"dynamodb:Query"},
            "JobTable": READS | {"dynamodb:PutItem"},
            "ByClient": {"dynamodb:Query"},
            "ByCreation": {"dynamodb:Query"},
            "ByWait": {"dynamodb:Query"},
            "JobBucket": {"s3:ListBucket"},
            "JobBucketFiles": {"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"},
            "JobQueue": {"sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
            "ProbeQueue": {"sqs:SendMessage"},
            "IndexTable": {"dynamodb:GetItem", "dynamodb:Query"},
            "SigningKey": SIGNS,
            "ManageLogs": LOGS,
        }

    @pytest.mark.parametrize("function", ALL_FUNCTIONS)
    def test_no_function_can_delete_a_row_or_change_a_table(self, function: str) -> None:
        """The exceptions are check states, webhooks, and postings of searches, because they are not records.

        Clients may be listed.
        """
        passing = {
            ("PulseTable", "dynamodb:DeleteItem"),
            ("IndexTable", "dynamodb:BatchWriteItem"),
            ("ClientTable", "dynamodb:Scan"),
        }
        harmless = {"Get", "BatchGet", "Query", "Put", "Update", "ConditionCheck", "Describe", "List"}
        allowed = {
            action.removeprefix("dynamodb:")
            for resource, actions in granted(function).items()
            for action in actions
            if action.startswith("dynamodb:") and (resource, action) not in passing
        }
        for action in allowed:
            assert any(action.startswith(verb) for verb in harmless), action
            assert not action.endswith("Table"), action

    @pytest.mark.parametrize("function", ALL_FUNCTIONS)
    def test_no_function_can_do_everything_or_something_to_everything(self, function: str) -> None:
        for statement in statements(function):
            assert statement["Effect"] == "Allow"
            assert not any("*" in action for action in as_list(statement["Action"]))
            assert "*" not in as_list(statement["Resource"])

    @pytest.mark.parametrize("function", ALL_FUNCTIONS)
    def test_only_traces_have_a_wildcard_and_only_if_requested(self, function: str) -> None:
        anywhere = [each for each in statements(function, Tracing="on") if each["Resource"] == "*"]
        (statement,) = anywhere
        assert statement["Sid"] == "Trace"  # in the role itself: a function that is to be traced needs it beforehand
        assert set(statement["Action"]) == {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}

    def test_every_function_has_a_role_written_out_here_and_of_its_own(self) -> None:
        roles = [properties["Role"]["Fn::GetAtt"][0] for properties in of_type("AWS::Serverless::Function").values()]
        assert len(roles) == len(set(roles)) == len(ALL_FUNCTIONS)
        for name, properties in of_type("AWS::Serverless::Function").items():
            assert "Policies" not in properties, name
        for role in roles:
            assert "ManagedPolicyArns" not in resources()[role]["Properties"], role

    def test_no_role_has_a_wildcard_but_for_the_streams_of_a_table_and_the_files_of_a_bucket(self) -> None:
        folders = ("", "staging/", "tile/")
        known = ("/stream/*", "${JobBucket.Arn}/*", *(f"${{LogBucket.Arn}}/{folder}*" for folder in folders))
        for name, role in of_type("AWS::IAM::Role").items():
            text = json.dumps(role)
            for each in known:
                text = text.replace(each, "")
            assert "*" not in text, name

    def test_only_lambda_can_take_a_functions_role(self) -> None:
        takers = {"GatewayLogRole": "apigateway.amazonaws.com"}
        for name, role in of_type("AWS::IAM::Role").items():
            (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
            assert statement["Principal"] == {"Service": takers.get(name, "lambda.amazonaws.com")}
            assert statement["Action"] == "sts:AssumeRole"

    @pytest.mark.parametrize("key", ["SigningKey", "LogKey"])
    def test_the_keys_own_policy_names_the_account_and_no_other_client(self, key: str) -> None:
        (statement,) = resources()[key]["Properties"]["KeyPolicy"]["Statement"]
        assert statement["Principal"] == {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}}
