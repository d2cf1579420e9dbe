"""The templates of the edge: what is cached and how long, what reaches the service, what is logged."""

import json
import re
from typing import Any

import pytest

from coolid.http.linkid.result_requests import PUBLIC
from coolid.http.public import prefix_browser
from coolid.http.public.discovery import PARAMETERS
from tests.infra.cloudformation import TEMPLATE, deployed, given, load, resolved

INFRA = TEMPLATE.parent / "infra"
edge = load(INFRA / "edge.yaml")
world = load(INFRA / "global.yaml")

STACK = "0a1b2c3d-0000-1111-2222-333344445555"
PARAMETERS_GIVEN = {
    "ApiDomain": "abc123.execute-api.eu-west-1.amazonaws.com",
    "ApiPath": "/v1",
    "DomainName": "id.example.org",
    "AWS::StackId": f"arn:aws:cloudformation:eu-west-1:123456789012:stack/coolid-Edge-1/{STACK}",
}
CERTIFICATE = {"CertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d-1111-2222-3333-444455556666"}
FUNCTION = {"ResolveUrlDomain": "abc123.lambda-url.eu-west-1.on.aws"}
ALL = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]


def resources(**parameters: str) -> dict[str, Any]:
    """The properties of all that there is at the edge with these parameters."""
    return {name: resource["Properties"] for name, resource in deployed(edge, **PARAMETERS_GIVEN | parameters).items()}


def distribution(**parameters: str) -> dict[str, Any]:
    config: dict[str, Any] = resources(**parameters)["Distribution"]["DistributionConfig"]
    return config


def value(of: Any, **parameters: str) -> Any:
    return resolved(of, given(edge, **PARAMETERS_GIVEN | parameters))


def origins(**parameters: str) -> dict[str, dict[str, Any]]:
    return {each["Id"]: each for each in distribution(**parameters)["Origins"]}


def reads() -> dict[str, Any]:
    behavior: dict[str, Any] = distribution()["DefaultCacheBehavior"]
    return behavior


def writes() -> dict[str, Any]:
    behaviors: list[dict[str, Any]] = [
        each
        for each in distribution()["CacheBehaviors"]
        if not is_harvest(each) and not is_sitemap(each) and not is_log(each) and not is_result(each)
    ]
    first, *others = behaviors
    assert [each | {"PathPattern": first["PathPattern"]} for each in others] == [first] * len(others)
    return first


def is_harvest(behavior: dict[str, Any]) -> bool:
    """Whether harvesters are answered, who send no key."""
    return behavior["PathPattern"] in ("/oai", "/oai/*")


def is_sitemap(behavior: dict[str, Any]) -> bool:
    """Whether sitemaps are answered, which are cached as reads are."""
    return str(behavior["PathPattern"]) == "/sitemap*"


def is_result(behavior: dict[str, Any]) -> bool:
    return bool(behavior["PathPattern"].startswith(PUBLIC))


def is_log(behavior: dict[str, Any]) -> bool:
    """Whether the files of the transparency log are answered."""
    return str(behavior["PathPattern"]) == "/log/*"


def policy(name: str, kind: str) -> dict[str, Any]:
    config: dict[str, Any] = resources()[name][f"{kind}Config"]
    return config


class TestConnections:
    def test_it_speaks_http_3_and_ipv_6(self) -> None:
        assert distribution()["HttpVersion"] == "http2and3"
        assert distribution()["IPV6Enabled"] is True

    def test_with_a_certificate_it_has_the_domain_and_nothing_older_than_tls_1_2(self) -> None:
        config = distribution(**CERTIFICATE)
        assert value(config["Aliases"], **CERTIFICATE) == ["id.example.org"]
        assert config["ViewerCertificate"]["AcmCertificateArn"] == {"Ref": "CertificateArn"}
        assert config["ViewerCertificate"]["SslSupportMethod"] == "sni-only"
        assert config["ViewerCertificate"]["MinimumProtocolVersion"] in {"TLSv1.2_2021", "TLSv1.2_2025", "TLSv1.3_2025"}

    def test_without_one_it_has_its_own_name_and_no_other(self) -> None:
        assert "Aliases" not in distribution()
        assert distribution()["ViewerCertificate"] == {"CloudFrontDefaultCertificate": True}

    def test_http_leads_to_https_but_a_key_in_clear_is_refused(self) -> None:
        assert reads()["ViewerProtocolPolicy"] == "redirect-to-https"
        assert writes()["ViewerProtocolPolicy"] == "https-only"

    def test_harvesters_are_treated_like_clients_with_a_key_but_led_to_https(self) -> None:
        harvests = [each for each in distribution()["CacheBehaviors"] if is_harvest(each)]
        differing = {"ViewerProtocolPolicy": "redirect-to-https"}
        assert harvests == [writes() | differing | {"PathPattern": path} for path in ("/oai", "/oai/*")]

    def test_sitemaps_are_cached_as_reads_are_but_come_from_the_api(self) -> None:
        (sitemaps,) = filter(is_sitemap, distribution()["CacheBehaviors"])
        assert sitemaps == reads() | {"TargetOriginId": "api", "PathPattern": "/sitemap*"}

    def test_results_of_linkids_are_cached_as_reads_are(self) -> None:
        (results,) = filter(is_result, distribution()["CacheBehaviors"])
        assert results == reads() | {"PathPattern": PUBLIC + "*"}

    def test_files_of_the_log_are_cached_by_their_path_alone_as_long_as_they_say(self) -> None:
        (log,) = filter(is_log, distribution()["CacheBehaviors"])
        assert log == reads() | {"PathPattern": "/log/*", "CachePolicyId": {"Ref": "LogPolicy"}}
        stored, of_reads = policy("LogPolicy", "CachePolicy"), policy("ReadPolicy", "CachePolicy")
        for name in ("MinTTL", "DefaultTTL", "MaxTTL"):
            assert stored[name] == of_reads[name]
        assert stored["MaxTTL"] == 31_536_000
        assert stored["ParametersInCacheKeyAndForwardedToOrigin"] == {
            "EnableAcceptEncodingGzip": True,
            "EnableAcceptEncodingBrotli": False,
            "CookiesConfig": {"CookieBehavior": "none"},
            "HeadersConfig": {"HeaderBehavior": "none"},
            "QueryStringsConfig": {"QueryStringBehavior": "none"},
        }

    @pytest.mark.parametrize("parameters", [{}, FUNCTION])
    def test_it_fetches_over_https_alone(self, parameters: dict[str, str]) -> None:
        for origin in origins(**parameters).values():
            assert origin["CustomOriginConfig"]["OriginProtocolPolicy"] == "https-only"
            assert origin["CustomOriginConfig"]["OriginSSLProtocols"] == ["TLSv1.2"]

    def test_a_web_acl_stands_in_front_if_one_is_given(self) -> None:
        acl = "arn:aws:wafv2:us-east-1:123456789012:global/webacl/coolid/0a1b2c3d"
        assert distribution(WebAclArn=acl)["WebACLId"] == {"Ref": "WebAclArn"}
        assert "WebACLId" not in distribution()


class TestOrigins:
    def test_reads_and_the_api_are_fetched_from_the_rest_api(self) -> None:
        assert reads()["TargetOriginId"] == "reads"
        assert [each["PathPattern"] for each in distribution()["CacheBehaviors"]] == [
            "/api/public/resolve/*", "/api/*", "/hrls/*", "/id/*", "/shoulder/*", "/login", "/logout", "/status",
            "/download_request*", "/oai", "/oai/*", "/log/*", "/sitemap*",
        ]  # fmt: skip
        assert writes()["TargetOriginId"] == "api"
        for origin in origins().values():
            assert value(origin["DomainName"]) == PARAMETERS_GIVEN["ApiDomain"]
            assert value(origin["OriginPath"]) == "/v1"
            assert "OriginAccessControlId" not in origin
        assert "ReadAccess" not in resources()

    def test_with_a_function_url_only_reads_come_from_there_and_every_one_is_signed(self) -> None:
        origin = origins(**FUNCTION)["reads"]
        assert value(origin["DomainName"], **FUNCTION) == FUNCTION["ResolveUrlDomain"]
        assert "OriginPath" not in origin
        assert origin["OriginAccessControlId"] == {"Fn::GetAtt": ["ReadAccess", "Id"]}
        access = resources(**FUNCTION)["ReadAccess"]["OriginAccessControlConfig"]
        assert access["OriginAccessControlOriginType"] == "lambda"
        assert (access["SigningBehavior"], access["SigningProtocol"]) == ("always", "sigv4")
        assert value(origins(**FUNCTION)["api"]["DomainName"]) == PARAMETERS_GIVEN["ApiDomain"]

    def test_it_waits_as_long_as_what_it_waits_for_and_no_longer(self) -> None:
        functions = load()["Resources"]
        longest = {name: functions[name]["Properties"]["Timeout"] for name in ("ResolveFunction", "MintFunction")}
        waits = {name: each["CustomOriginConfig"]["OriginReadTimeout"] for name, each in origins().items()}
        assert waits["reads"] == longest["ResolveFunction"] <= 10
        assert longest["MintFunction"] < waits["api"] <= 30
        for origin in origins().values():
            assert (origin["ConnectionAttempts"], origin["ConnectionTimeout"]) == (2, 2)


class TestCaching:
    def test_each_response_defines_its_own_lifetime(self) -> None:
        stored = policy("ReadPolicy", "CachePolicy")
        assert (stored["MinTTL"], stored["DefaultTTL"]) == (0, 0)
        assert stored["MaxTTL"] >= 86_400 + 60  # or nothing stale would be served for as long as answers allow

    def test_an_error_too(self) -> None:
        """CloudFront Developer Guide, "HTTP 4xx and 5xx status codes that CloudFront caches"."""
        errors = distribution()["CustomErrorResponses"]
        assert all(each.keys() == {"ErrorCode", "ErrorCachingMinTTL"} for each in errors)
        assert {each["ErrorCode"]: each["ErrorCachingMinTTL"] for each in errors} == dict.fromkeys(
            [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504], 0
        )

    def test_answers_differ_by_what_the_service_reads_and_nothing_else(self) -> None:
        key = policy("ReadPolicy", "CachePolicy")["ParametersInCacheKeyAndForwardedToOrigin"]
        headers = ["Accept", "Accept-Datetime", "Accept-Language"]
        assert key["HeadersConfig"] == {"HeaderBehavior": "whitelist", "Headers": headers}
        read = sorted({*PARAMETERS, *prefix_browser.PARAMETERS})
        assert key["QueryStringsConfig"] == {"QueryStringBehavior": "whitelist", "QueryStrings": read}
        assert key["CookiesConfig"] == {"CookieBehavior": "none"}

    def test_nothing_else_of_a_reader_gets_to_the_service(self) -> None:
        assert "OriginRequestPolicyId" not in reads()

    def test_answers_are_compressed(self) -> None:
        key = policy("ReadPolicy", "CachePolicy")["ParametersInCacheKeyAndForwardedToOrigin"]
        assert key["EnableAcceptEncodingGzip"] is key["EnableAcceptEncodingBrotli"] is True
        assert reads()["Compress"] is writes()["Compress"] is True

    def test_every_read_is_folded_before_the_cache_lookup(self) -> None:
        (association,) = reads()["FunctionAssociations"]
        assert association == {"EventType": "viewer-request", "FunctionARN": {"Fn::GetAtt": ["Fold", "FunctionARN"]}}
        fold = resources()["Fold"]
        assert fold["AutoPublish"] is True
        assert fold["FunctionConfig"]["Runtime"] == "cloudfront-js-2.0"

    def test_every_method_gets_to_the_function_that_refuses_those_that_are_not_possible(self) -> None:
        assert sorted(reads()["AllowedMethods"]) == ALL
        assert reads()["CachedMethods"] == ["GET", "HEAD", "OPTIONS"]


class TestApi:
    def test_it_is_not_cached_and_passes_all_of_a_request_except_the_host(self) -> None:
        assert writes()["CachePolicyId"] == "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
        assert writes()["OriginRequestPolicyId"] == "b689b0a8-53d0-40ab-baf2-68738e2966ac"
        assert sorted(writes()["AllowedMethods"]) == ALL
        assert "FunctionAssociations" not in writes()


class TestHeaders:
    def test_what_answers_lack_is_added_and_what_they_have_is_left(self) -> None:
        added = policy("HeadersPolicy", "ResponseHeadersPolicy")
        assert added.keys() == {"Name", "Comment", "SecurityHeadersConfig"}
        security = added["SecurityHeadersConfig"]
        assert {each["Override"] for each in security.values()} == {False}
        assert security["StrictTransportSecurity"]["AccessControlMaxAgeSec"] >= 31_536_000
        assert security["StrictTransportSecurity"]["IncludeSubdomains"] is False
        assert security["FrameOptions"]["FrameOption"] == "DENY"
        assert security["ReferrerPolicy"]["ReferrerPolicy"] == "strict-origin-when-cross-origin"
        assert "ContentTypeOptions" in security

    def test_the_services_own_policy_for_pages_and_origins_is_not_touched(self) -> None:
        text = json.dumps(policy("HeadersPolicy", "ResponseHeadersPolicy"))
        assert "ContentSecurityPolicy" not in text
        assert "Cors" not in text

    def test_reads_and_the_api_have_the_same(self) -> None:
        assert reads()["ResponseHeadersPolicyId"] == writes()["ResponseHeadersPolicyId"] == {"Ref": "HeadersPolicy"}


class TestPrivacy:
    def test_there_is_no_log_of_requests(self) -> None:
        text = json.dumps([edge["Resources"], world["Resources"]])
        assert "Logging" not in text
        assert "RealtimeLog" not in text

    def test_no_requests_are_sampled(self) -> None:
        acl = world["Resources"]["WebAcl"]["Properties"]
        for visibility in (acl["VisibilityConfig"], *(rule["VisibilityConfig"] for rule in acl["Rules"])):
            assert visibility["SampledRequestsEnabled"] is False
            assert visibility["CloudWatchMetricsEnabled"] is True


class TestNames:
    def test_they_are_no_longer_than_cloudfront_allows_and_of_this_stack_alone(self) -> None:
        made = resources(**FUNCTION)
        names = [
            made["Fold"]["Name"],
            made["ReadPolicy"]["CachePolicyConfig"]["Name"],
            made["LogPolicy"]["CachePolicyConfig"]["Name"],
            made["HeadersPolicy"]["ResponseHeadersPolicyConfig"]["Name"],
            made["ReadAccess"]["OriginAccessControlConfig"]["Name"],
        ]
        for name in map(value, names):
            assert re.fullmatch(r"[a-zA-Z0-9-]{1,64}", name)
            assert name.endswith(STACK)


class TestWorld:
    def test_the_certificate_is_proven_by_dns(self) -> None:
        certificate = world["Resources"]["Certificate"]["Properties"]
        assert certificate["ValidationMethod"] == "DNS"
        (proof,) = certificate["DomainValidationOptions"]
        assert proof == {"DomainName": {"Ref": "DomainName"}, "HostedZoneId": {"Ref": "HostedZoneId"}}

    def test_an_address_with_too_many_requests_gets_429_and_retry_after(self) -> None:
        acl = world["Resources"]["WebAcl"]["Properties"]
        assert (acl["Scope"], acl["DefaultAction"]) == ("CLOUDFRONT", {"Allow": {}})
        (rule,) = acl["Rules"]
        limit = rule["Statement"]["RateBasedStatement"]
        assert limit == {"AggregateKeyType": "IP", "EvaluationWindowSec": 300, "Limit": {"Ref": "RequestsPerAddress"}}
        answer = rule["Action"]["Block"]["CustomResponse"]
        headers = {each["Name"]: each["Value"] for each in answer["ResponseHeaders"]}
        assert answer["ResponseCode"] == 429
        assert int(headers["Retry-After"]) > 0
        assert headers["Cache-Control"] == "no-store"
        body = acl["CustomResponseBodies"][answer["CustomResponseBodyKey"]]
        assert body["ContentType"] == "APPLICATION_JSON"
        assert len(body["Content"]) <= 4096
        problem = json.loads(body["Content"])
        assert problem["status"] == 429
        assert {"type", "title", "detail"} <= problem.keys()

    @pytest.mark.parametrize(("region", "allowed"), [("us-east-1", True), ("eu-west-1", False)])
    def test_it_is_made_where_cloudfront_looks(self, region: str, allowed: bool) -> None:
        (assertion,) = world["Rules"]["CloudFrontLooksInOneRegion"]["Assertions"]
        assert resolved(assertion["Assert"], {"AWS::Region": region}) is allowed

    def test_what_it_makes_is_what_the_edge_takes(self) -> None:
        assert world["Outputs"].keys() == {"CertificateArn", "WebAclArn"} <= edge["Parameters"].keys()


class TestParameters:
    @pytest.mark.parametrize(
        ("name", "accepted", "refused"),
        [
            (
                "ApiDomain",
                ["abc123.execute-api.eu-west-1.amazonaws.com"],
                ["", "https://abc123", "abc/v1", "A.example"],
            ),
            ("ApiPath", ["/v1"], ["", "/", "v1", "/v1/"]),
            ("ResolveUrlDomain", ["", "abc.lambda-url.eu-west-1.on.aws"], ["https://abc.on.aws/", "abc.on.aws/"]),
            (
                "DomainName",
                ["id.example.org"],
                ["", "id.example.org.", "https://id.example.org", "id.example.org:8443"],
            ),
            (
                "CertificateArn",
                ["", CERTIFICATE["CertificateArn"]],
                [CERTIFICATE["CertificateArn"].replace("us-east-1", "eu-west-1")],
            ),
            (
                "WebAclArn",
                ["", "arn:aws:wafv2:us-east-1:123456789012:global/webacl/coolid/0a1b2c3d-1111"],
                ["arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/coolid/0a1b2c3d-1111"],
            ),
        ],
    )
    def test_each_has_its_form(self, name: str, accepted: list[str], refused: list[str]) -> None:
        pattern = edge["Parameters"][name]["AllowedPattern"]
        assert [text for text in accepted + refused if re.search(pattern, text)] == accepted

    def test_the_parent_stack_gets_the_outputs_that_it_needs(self) -> None:
        needed = {"DistributionId", "DistributionArn", "DistributionDomain", "RedirectStoreArn"}
        assert edge["Outputs"].keys() == needed
