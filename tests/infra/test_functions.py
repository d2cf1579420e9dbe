"""The configuration of each function, and its layers."""

import re
from typing import Any

import pytest

from coolid.aws.settings import OWN, store_client
from tests.infra.stack import (
    ALL_FUNCTIONS,
    FUNCTIONS,
    ROOT,
    WRITING,
    as_list,
    environment,
    layers,
    resources,
    statements,
    template,
)


def _longest(parameter: dict[str, Any]) -> int:
    """The most characters of a parameter's value."""
    if "AllowedValues" in parameter:
        return max(map(len, parameter["AllowedValues"]))
    if parameter["Type"] == "Number":
        return len(str(parameter["MaxValue"]))
    return int(parameter.get("MaxLength", 20))  # a region's name is no longer


class TestFunctions:
    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_it_gets_its_tables_and_the_public_address(self, function: str) -> None:
        returned = environment(function)
        assert returned["PREFIX_TABLE"] == {"Ref": "PrefixTable"}
        assert returned["LUI_TABLE"] == {"Ref": "LuiTable"}
        assert returned["PUBLIC_BASE_URL"] == {"Ref": "PublicBaseUrl"}

    @pytest.mark.parametrize("function", WRITING)
    def test_a_writing_one_gets_the_client_table_and_the_key(self, function: str) -> None:
        returned = environment(function)
        assert returned["CLIENT_TABLE"] == {"Ref": "ClientTable"}
        assert returned["SIGNING_KEY_ID"] == {"Ref": "SigningKey"}

    @pytest.mark.parametrize("function", WRITING)
    def test_a_writing_one_signs_with_another_key_if_one_is_given_and_with_no_other(self, function: str) -> None:
        other = "arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d"
        assert environment(function, SigningKeyArn=other)["SIGNING_KEY_ID"] == {"Ref": "SigningKeyArn"}
        (signing,) = [
            statement
            for statement in statements(function, SigningKeyArn=other)
            if "kms:Sign" in as_list(statement["Action"])
        ]
        assert signing["Resource"] == {"Ref": "SigningKeyArn"}
        assert re.fullmatch(template["Parameters"]["SigningKeyArn"]["AllowedPattern"], other)

    @pytest.mark.parametrize("function", WRITING)
    def test_writing_functions_get_the_home_region_of_the_names(self, function: str) -> None:
        assert environment(function)["HOME_REGION"] == {"Ref": "AWS::Region"}
        assert environment(function, HomeRegion="us-east-1")["HOME_REGION"] == {"Ref": "HomeRegion"}

    def test_resolving_does_not_even_know_the_key(self) -> None:
        assert not environment("ResolveFunction").keys() & {"CLIENT_TABLE", "SIGNING_KEY_ID"}

    @pytest.mark.parametrize("function", ALL_FUNCTIONS)
    def test_it_is_invoked_through_an_alias_that_moves_with_code_and_layers(self, function: str) -> None:
        shared, own = template["Globals"]["Function"], resources()[function]["Properties"]
        assert shared["AutoPublishAlias"] == "live"
        assert own["AutoPublishAliasAllProperties"] is True
        assert template["Globals"]["LayerVersion"]["PublishLambdaVersion"] is True
        # A version that is kept would be billed for its snapshot for ever.
        assert shared["VersionDeletionPolicy"] == "Delete"

    @pytest.mark.parametrize("function", ALL_FUNCTIONS)
    def test_each_new_value_of_its_parameters_publishes_a_version(self, function: str) -> None:
        """Their values make no other version by themselves; another description of it does (256 characters)."""
        parameters, properties = template["Parameters"], resources()[function]["Properties"]
        (_, described) = properties["VersionDescription"]["Fn::Join"]
        named = [each["Ref"] for each in described if "Ref" in each]
        chosen = [max(each["Fn::If"][1:], key=len) for each in described if "Fn::If" in each]
        shared = template["Globals"]["Function"]
        returned = [
            properties.get("Environment"),
            properties.get("SnapStart"),
            shared["Environment"],
            {"Ref": "Tracing"},
        ]
        refs = {each for each in re.findall(r"'Ref': '(\w+)'", str(returned)) if each in parameters}
        assert refs | ({"HomeRegion"} if "HomeRegion" in str(returned) else set()) <= {*named}
        longest = [*(_longest(parameters[name]) for name in named), *map(len, chosen)]
        assert sum(longest) + len(longest) - 1 <= 256

    def test_those_that_take_long_to_import_start_from_a_snapshot_and_resolving_does_not(self) -> None:
        for function in ALL_FUNCTIONS:
            expected = {"ApplyOn": {"Ref": "SnapStart"}} if function in WRITING else None
            assert resources()[function]["Properties"].get("SnapStart") == expected

    @pytest.mark.parametrize(
        ("function", "parameter"),
        [
            ("ResolveFunction", "ReadingConcurrency"),
            ("MintFunction", "WritingConcurrency"),
            ("ManageFunction", "WritingConcurrency"),
        ],
    )
    def test_its_concurrency_is_reserved_only_if_requested(self, function: str, parameter: str) -> None:
        """0 would stop it."""
        assert "ReservedConcurrentExecutions" not in resources()[function]["Properties"]
        reserved = resources(**{parameter: "5"})[function]["Properties"]["ReservedConcurrentExecutions"]
        assert reserved == {"Ref": parameter}

    @pytest.mark.parametrize("function", ALL_FUNCTIONS)
    def test_it_runs_on_the_processor_that_was_chosen_arm_if_none_was(self, function: str) -> None:
        assert template["Globals"]["Function"]["Architectures"] == [{"Ref": "Architecture"}]
        assert "Architectures" not in resources()[function]["Properties"]
        assert template["Parameters"]["Architecture"]["Default"] == "arm64"

    def test_traces_are_written_only_if_requested(self) -> None:
        assert template["Globals"]["Function"]["Tracing"] == {"Fn::If": ["Traced", "Active", "PassThrough"]}
        assert template["Parameters"]["Tracing"]["Default"] == "off"

    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_it_reads_by_the_client_that_was_chosen_our_own_if_none_was(self, function: str) -> None:
        assert environment(function)["STORE_CLIENT"] == {"Ref": "StoreClient"}
        parameter = template["Parameters"]["StoreClient"]
        assert parameter["Default"] == OWN
        assert {store_client({"STORE_CLIENT": each}) for each in parameter["AllowedValues"]} == {"own", "boto3"}

    @pytest.mark.parametrize("function", FUNCTIONS)
    def test_its_memory_and_its_time_are_stated_and_the_api_waits_that_long(self, function: str) -> None:
        properties = resources()[function]["Properties"]
        assert properties["MemorySize"] >= 256
        assert 0 < properties["Timeout"] <= 29

    @pytest.mark.parametrize("function", ALL_FUNCTIONS)
    def test_its_log_has_a_retention_time_and_no_useless_lines(self, function: str) -> None:
        logging = resources()[function]["Properties"]["LoggingConfig"]
        assert (logging["LogFormat"], logging["SystemLogLevel"]) == ("JSON", "WARN")
        log = resources()[resources()[function]["Properties"]["LoggingConfig"]["LogGroup"]["Ref"]]
        assert log["Type"] == "AWS::Logs::LogGroup"
        assert log["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"}

    @pytest.mark.parametrize("function", ALL_FUNCTIONS)
    def test_it_has_a_folder_with_a_handler(self, function: str) -> None:
        assert (ROOT / "functions" / function.removesuffix("Function").lower() / "handler.py").is_file()


class TestLayers:
    LIBRARIES = ("VendorLayer", "WritingLayer")

    def test_resolving_has_no_layer_that_writes_or_signs(self) -> None:
        assert layers("ResolveFunction") == ["CoreLayer", "VendorLayer"]

    @pytest.mark.parametrize("function", WRITING)
    def test_a_writing_function_has_the_modules_and_libraries_that_write_beside(self, function: str) -> None:
        assert layers(function) == ["CoreLayer", "VendorLayer", "CoreWritingLayer", "WritingLayer"]

    @pytest.mark.parametrize("layer", LIBRARIES)
    def test_libraries_are_built_for_the_architecture_of_the_functions(self, layer: str) -> None:
        architecture = {"Ref": "Architecture"}
        assert template["Globals"]["Function"]["Architectures"] == [architecture]
        assert resources()[layer]["Properties"]["CompatibleArchitectures"] == [architecture]
        built = resources()[layer]["Metadata"]
        assert built["BuildArchitecture"] == architecture
        assert built["WorkingDirectory"] == {"Fn::Sub": "layers/vendor/${Architecture}"}

    def test_libraries_can_be_built_for_every_architecture_offered(self) -> None:
        for architecture in template["Parameters"]["Architecture"]["AllowedValues"]:
            assert (ROOT / "layers" / "vendor" / architecture / "platforms").read_text(encoding="utf-8").split()
