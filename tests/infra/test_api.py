"""The API: every request has a route, and refusals of the gateway are problems like all others."""

import json
from pathlib import PurePosixPath

import pytest

from tests.infra.stack import resources, routes

RESPONSES = resources()["Api"]["Properties"]["GatewayResponses"]


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
            ("ANY", "/api/v1/converter", "ResolveFunction"),
            ("ANY", "/api/v1/citations/{proxy+}", "CiteFunction"),
            ("ANY", "/api/handles/{proxy+}", "ResolveFunction"),
            ("PUT", "/api/handles/{proxy+}", "ManageFunction"),
            ("DELETE", "/api/handles/{proxy+}", "ManageFunction"),
            ("ANY", "/hrls/{proxy+}", "ManageFunction"),
            ("ANY", "/sitemap.xml", "ManageFunction"),
            ("ANY", "/sitemaps/{proxy+}", "ManageFunction"),
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

    def test_the_api_takes_every_body_for_binary_and_so_never_re_encodes_one(self) -> None:
        """Whether a picture is sent as bytes is else decided by what stands first in `Accept`."""
        assert resources()["Api"]["Properties"]["BinaryMediaTypes"] == ["*~1*"]

    def test_more_requests_than_the_operator_allows_are_refused_before_a_function_is_invoked(self) -> None:
        (limit,) = resources()["Api"]["Properties"]["MethodSettings"]
        assert (limit["ResourcePath"], limit["HttpMethod"]) == ("/*", "*")
        assert limit["ThrottlingRateLimit"] == {"Ref": "RequestsPerSecond"}
        assert limit["ThrottlingBurstLimit"] == {"Ref": "RequestsBurst"}
        assert resources()["Api"]["Properties"]["GatewayResponses"]["THROTTLED"]["StatusCode"] == 429


class TestGatewayResponses:
    """What API Gateway says by itself."""

    def test_the_gateways_own_refusals_are_uncacheable_problems_readable_by_every_origin(self) -> None:
        assert {"DEFAULT_4XX", "DEFAULT_5XX", "THROTTLED"} <= RESPONSES.keys()
        for response in RESPONSES.values():
            headers = response["ResponseParameters"]["Headers"]
            assert headers["Content-Type"] == "'application/problem+json'"
            assert headers["Cache-Control"] == "'no-store'"
            assert headers["Access-Control-Allow-Origin"] == "'*'"
            assert response["ResponseTemplates"].keys() == {"application/json"}

    @pytest.mark.parametrize("kind", [kind for kind in RESPONSES if not kind.startswith("DEFAULT")])
    def test_a_problem_has_its_status(self, kind: str) -> None:
        """The defaults stand for several, of which their template can tell none."""
        returned = json.loads(RESPONSES[kind]["ResponseTemplates"]["application/json"])
        assert returned["status"] == RESPONSES[kind]["StatusCode"]
        assert returned["title"]

    @pytest.mark.parametrize("kind", ["THROTTLED", "INTEGRATION_FAILURE", "INTEGRATION_TIMEOUT"])
    def test_what_passes_says_when_to_come_back(self, kind: str) -> None:
        assert RESPONSES[kind]["ResponseParameters"]["Headers"]["Retry-After"] == "'1'"


class TestAccessLog:
    def test_the_access_log_names_neither_client_nor_path(self) -> None:
        api = resources()["Api"]["Properties"]
        line = json.loads(api["AccessLogSetting"]["Format"])
        returned = {value.removeprefix("$context.") for value in line.values()}
        assert returned == {
            "requestTimeEpoch",
            "requestId",
            "httpMethod",
            "status",
            "responseLength",
            "responseLatency",
            "integration.latency",
            "error.responseType",
        }

    def test_it_is_cached_as_long_as_the_others(self) -> None:
        assert resources()["AccessLog"]["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"}

    def test_without_it_the_account_is_left_as_it_is(self) -> None:
        without = resources(AccessLogs="off")
        assert not without.keys() & {"AccessLog", "GatewayAccount", "GatewayLogRole"}
        assert "AccessLogSetting" not in without["Api"]["Properties"]

    def test_what_the_account_was_given_outlives_the_stack(self) -> None:
        for name in ("GatewayAccount", "GatewayLogRole"):
            assert resources()[name]["DeletionPolicy"] == "Retain"
