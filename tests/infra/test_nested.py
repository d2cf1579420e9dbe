"""Nested stacks: each gets the parameters of its template, and exists only if it is switched on."""

import re
from typing import Any

import pytest

from tests.infra.cloudformation import given, load, resolved
from tests.infra.stack import ROOT, of_type, resources, template

NESTED = {"EdgeStack": "Edge", "WatchStack": "Alarms"}


def inner(name: str) -> dict[str, Any]:
    """The template of a nested stack."""
    return load(ROOT / resources()[name]["Properties"]["TemplateURL"])


@pytest.mark.parametrize(("name", "parameter"), NESTED.items())
def test_it_is_there_if_it_is_switched_on(name: str, parameter: str) -> None:
    assert name in resources(**{parameter: "on"})
    assert name not in resources(**{parameter: "off"})


def test_there_are_no_others() -> None:
    assert of_type("AWS::CloudFormation::Stack").keys() == NESTED.keys()


@pytest.mark.parametrize("name", NESTED)
def test_it_gets_every_parameter_that_has_no_default_and_none_that_it_does_not_know(name: str) -> None:
    returned = resources()[name]["Properties"]["Parameters"].keys()
    requested = inner(name)["Parameters"]
    assert returned <= requested.keys()
    assert {each for each, parameter in requested.items() if "Default" not in parameter} <= returned


@pytest.mark.parametrize("name", NESTED)
def test_common_parameters_are_passed_on(name: str) -> None:
    both = template["Parameters"].keys() & inner(name)["Parameters"].keys()
    assert both <= resources()[name]["Properties"]["Parameters"].keys()


@pytest.mark.parametrize("name", NESTED)
def test_what_is_handed_on_has_the_same_form_inside_and_outside(name: str) -> None:
    """A value that the stack takes is never refused by a stack within, when half of it is deployed."""
    for each, value in resources()[name]["Properties"]["Parameters"].items():
        if value == {"Ref": each} and "AllowedPattern" in inner(name)["Parameters"][each]:
            pattern = inner(name)["Parameters"][each]["AllowedPattern"]
            assert template["Parameters"][each].get("AllowedPattern", pattern) == pattern


def test_every_used_output_exists() -> None:
    for name in NESTED:
        requested = re.findall(rf"'{name}', 'Outputs\.(\w+)'", str(template))
        assert requested
        assert set(requested) <= inner(name)["Outputs"].keys()


class TestTheFunctionsOwnUrl:
    """With `EdgeOrigin=function`, the edge asks the resolve function past API Gateway."""

    def test_only_the_distribution_may_use_the_url(self) -> None:
        there = resources(EdgeOrigin="function")
        assert there["ResolveUrl"]["Properties"]["AuthType"] == "AWS_IAM"
        granted = [each["Properties"] for each in there.values() if each["Type"] == "AWS::Lambda::Permission"]
        assert {each["Action"] for each in granted} == {"lambda:InvokeFunctionUrl", "lambda:InvokeFunction"}
        for each in granted:
            assert each["Principal"] == "cloudfront.amazonaws.com"
            distributions = "arn:${AWS::Partition}:cloudfront::${AWS::AccountId}:distribution/*"
            assert each["SourceArn"] == {"Fn::Sub": distributions}
            assert each["Action"] == "lambda:InvokeFunctionUrl" or each["InvokedViaFunctionUrl"] is True

    def test_it_invokes_the_same_version_as_the_api(self) -> None:
        assert resources(EdgeOrigin="function")["ResolveUrl"]["Properties"]["Qualifier"] == "live"

    @pytest.mark.parametrize("parameters", [{}, {"Edge": "off", "EdgeOrigin": "function"}])
    def test_otherwise_there_is_none(self, parameters: dict[str, str]) -> None:
        there = resources(**parameters)
        assert "ResolveUrl" not in there
        assert not [each for each in there.values() if each["Type"] == "AWS::Lambda::Permission"]

    def test_its_host_is_what_stands_between_the_slashes(self) -> None:
        host = resources(EdgeOrigin="function")["EdgeStack"]["Properties"]["Parameters"]["ResolveUrlDomain"]
        url = "https://abc123.lambda-url.eu-west-1.on.aws/"
        sub = host["Fn::Select"][1]["Fn::Split"][1]
        assert sub == {"Fn::Sub": "${ResolveUrl.FunctionUrl}/${EdgeMayAsk}/${EdgeMayInvoke}"}
        host["Fn::Select"][1]["Fn::Split"][1] = sub["Fn::Sub"].replace("${ResolveUrl.FunctionUrl}", url)
        assert resolved(host, given(template)) == "abc123.lambda-url.eu-west-1.on.aws"

    def test_the_edge_uses_it_only_after_the_permission(self) -> None:
        """The permissions are named in what the edge is told, and so made before."""
        returned = str(resources(EdgeOrigin="function")["EdgeStack"]["Properties"]["Parameters"])
        assert "${EdgeMayAsk}" in returned
        assert "${EdgeMayInvoke}" in returned
        for permission in ("EdgeMayAsk", "EdgeMayInvoke"):
            assert "EdgeStack" not in str(resources(EdgeOrigin="function")[permission])


@pytest.mark.parametrize(
    ("url", "served"),
    [
        ("https://id.example.org", True),
        ("http://id.example.org", False),
        ("https://id.example.org:8443", False),
        ("https://id.example.org/v1", False),
    ],
)
def test_a_public_base_url_that_the_edge_could_not_serve_is_refused_by_its_stack(url: str, served: bool) -> None:
    returned = resources(PublicBaseUrl=url)["EdgeStack"]["Properties"]["Parameters"]["BaseUrlIsOfHost"]
    (assertion,) = inner("EdgeStack")["Rules"]["BaseUrlCanBeServed"]["Assertions"]
    assert resolved(assertion["Assert"], {"BaseUrlIsOfHost": returned}) is served
