"""Events of API Gateway in the formats that AWS documents, passed to the functions' handlers."""

import copy
import json
from base64 import b64encode
from typing import Any

import pytest

from coolid.aws.api_gateway import request_of_v1, request_of_v2
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import EVENTS, Answer, System, finish_log, load_event

NAMES = sorted(path.stem for path in EVENTS.glob("*.json"))
GETS_OF_THE_EXAMPLE = [
    "http-get",
    "rest-console-test",
    "rest-custom-domain",
    "rest-get",
    "url-get",
]


def sent(system: System, event: dict[str, Any]) -> Answer:
    """Give an event to the function that it is for; of version 2.0 as well, which the stack's API never sends."""
    if event.get("version") != "2.0":
        return system.event(event)
    context = event["requestContext"]
    return system.event(event | {"httpMethod": context["http"]["method"], "path": event["rawPath"]})


@pytest.mark.parametrize("name", GETS_OF_THE_EXAMPLE)
def test_the_same_request_is_answered_alike_in_every_payload_format(light: System, name: str) -> None:
    answer = sent(light, load_event(name))
    assert (answer.status, answer.headers["location"]) == (302, "https://example.org/the-first-thing")
    assert answer == light.get("/demo:tw0t-ywdj-94")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_the_client_says_of_hosts_addresses_or_itself_comes_back(light: System, name: str) -> None:
    event = load_event(name, light)
    answer = sent(light, event)
    assert answer.status < 500
    returned = json.dumps([dict(answer.headers), answer.body])
    headers = event.get("multiValueHeaders") or event.get("headers") or {}
    for header, values in headers.items():
        if header.lower() in ("host", "user-agent") or header.lower().startswith("x-"):
            for value in values if isinstance(values, list) else [values]:
                assert value in ("443", "https") or value not in returned
    assert "192.0.2.44" not in returned


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_answers_have_the_shape_of_the_payload_format(light: System, version: str) -> None:
    event = load_event("rest-get" if version == "1.0" else "url-get")
    answer = light.invoke(event | {"httpMethod": "GET", "path": "/demo:tw0t-ywdj-94"})
    assert isinstance(answer["statusCode"], int)
    assert isinstance(answer["body"], str)
    assert answer["isBase64Encoded"] is False
    if version == "1.0":
        assert answer.keys() == {"statusCode", "multiValueHeaders", "body", "isBase64Encoded"}
        assert all(isinstance(values, list) for values in answer["multiValueHeaders"].values())
    else:
        assert answer.keys() == {"statusCode", "headers", "body", "isBase64Encoded"}
        assert all(isinstance(value, str) for value in answer["headers"].values())
    json.dumps(answer)


class TestThePath:
    def test_it_reaches_the_resolver_percent_encoded_as_it_came(self) -> None:
        event = load_event("rest-get-percent-encoded-path")
        assert request_of_v1(event).path == event["path"]

    @pytest.mark.parametrize(
        ("name", "location"),
        [
            (
                "rest-get-percent-encoded-path",
                "https://doi.example/10.1002/(SICI)1097-4571(199510)46:9%3C646::AID-ASI2%3E3.0.CO;2-%23",
            ),
            ("rest-get-encoded-slash", "https://doi.example/10.1000/a/b%252Fc"),
        ],
    )
    def test_an_identifier_arrives_whole_decoded_exactly_once(self, fresh: System, name: str, location: str) -> None:
        provider = {"code": "doi", "url": "https://doi.example/{$id}"}
        fresh.admin("PUT", "/api/v1/prefixes/doi", {"kind": "provider", "encoding": "data", "providers": [provider]})
        assert sent(fresh, load_event(name)).headers["location"] == location

    def test_a_named_stage_of_an_http_api_is_not_part_of_the_identifier(self) -> None:
        event = load_event("http-get-named-stage")
        assert request_of_v2(event).path == "/demo:tw0t-ywdj-94"
        for path, seen in (("/v1", "/"), ("/v1/", "/"), ("/v1/v1/x", "/v1/x"), ("/v12/x", "/v12/x")):
            assert request_of_v2(event | {"rawPath": path}).path == seen

    def test_the_stage_that_has_no_name_is_in_no_path(self) -> None:
        event = load_event("url-get")
        assert event["requestContext"]["stage"] == "$default"
        assert request_of_v2(event | {"rawPath": "/$default/go:0006915"}).path == "/$default/go:0006915"

    def test_the_front_door_is_a_page(self, light: System) -> None:
        answer = sent(light, load_event("rest-get-root"))
        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")


class TestRepetitions:
    def test_repeated_headers_are_one_list(self) -> None:
        request = request_of_v1(load_event("rest-get-repeated-headers-and-parameters"))
        assert request.headers.get("accept") == "text/html;q=0.2, application/linkid+json"
        assert request.headers.get("if-none-match") == '"one", "two"'

    @pytest.mark.parametrize("name", ["rest-get-repeated-headers-and-parameters", "http-get-named-stage"])
    def test_repeated_parameters_keep_their_order_and_empty_ones_stay(self, name: str) -> None:
        event = load_event(name)
        request = request_of_v2(event) if event.get("version") else request_of_v1(event)
        assert request.query == (("format", "linkid"), ("format", "html"), ("empty", ""), ("x", "a b&c=é"))
        assert request.parameter("format") == "linkid"
        assert request.parameter("empty") == ""
        assert request.parameter("absent") is None

    @pytest.mark.parametrize("name", ["rest-get-repeated-headers-and-parameters", "url-get-unicode-query"])
    def test_all_values_of_accept_take_part_in_the_choice(self, light: System, name: str) -> None:
        answer = sent(light, load_event(name))
        assert (answer.status, answer.headers["content-type"]) == (200, "application/linkid+json")
        assert answer.json()["id"] == "tw0t-ywdj-94"

    def test_every_value_of_if_none_match_counts(self, light: System) -> None:
        event = load_event("rest-get-repeated-headers-and-parameters")
        tag = sent(light, event).headers["etag"]
        event["multiValueHeaders"]["If-None-Match"] = ['"one"', f"W/{tag}"]
        assert sent(light, event).status == 304

    def test_single_valued_members_serve_where_the_others_are_missing(self) -> None:
        event = load_event("rest-get-repeated-headers-and-parameters")
        del event["multiValueHeaders"], event["multiValueQueryStringParameters"]
        request = request_of_v1(event)
        assert request.headers.get("accept") == "application/linkid+json"
        assert request.query == (("format", "html"), ("empty", ""), ("x", "a b&c=é"))


class TestBodies:
    @pytest.mark.parametrize("name", ["rest-post", "rest-post-base64", "http-post-base64"])
    def test_a_mint_is_taken_as_text_and_as_base64(self, light: System, name: str) -> None:
        answer = sent(light, load_event(name, light))
        assert answer.status == 201
        assert answer.json()["metadata"] == {"what": "Ein schönes Ding"}
        assert answer.headers["location"] == f"{BASE_URL}/2021/06/demo/{answer.json()['id']}"

    @pytest.mark.parametrize("body", ["!", "abc", "e30", "e30=\n=", "é"])
    @pytest.mark.parametrize("name", ["rest-post-base64", "http-post-base64"])
    def test_a_body_that_is_not_base64_though_the_event_says_so_is_a_bad_request(
        self, light: System, name: str, body: str
    ) -> None:
        before = light.contents()
        answer = sent(light, load_event(name, light) | {"body": body})
        assert answer.is_problem(400, "malformed-body")
        assert light.contents() == before

    @pytest.mark.parametrize("body", [None, "", b64encode(b"{").decode()])
    def test_an_absent_or_broken_body_is_a_bad_request(self, light: System, body: str | None) -> None:
        event = load_event("rest-post", light) | {"body": body, "isBase64Encoded": bool(body)}
        assert sent(light, event).is_problem(400, "malformed-body")

    def test_a_lone_surrogate_in_the_event_is_a_bad_request(self, light: System) -> None:
        event = load_event("rest-post", light) | {"body": '{"prefix": "demo", "metadata": {"what": "\ud800"}}'}
        assert sent(light, event).is_problem(400, "malformed-body")

    def test_a_prefix_of_many_parts_is_registered_under_its_path_as_it_is(self, fresh: System) -> None:
        answer = sent(fresh, load_event("rest-put-prefix", fresh))
        assert answer.status == 201
        assert answer.headers["location"] == f"{BASE_URL}/api/v1/prefixes/2021/07/event"
        assert fresh.get("/2021/07/event/x").headers["location"] == "https://content.example.org/x"


class TestMethods:
    def test_head_has_the_headers_of_get_and_no_body(self, light: System) -> None:
        head = sent(light, load_event("rest-head"))
        get = sent(light, load_event("rest-get"))
        assert (head.status, head.headers, head.body) == (get.status, get.headers, "")
        assert get.body

    def test_options_says_what_is_possible_to_any_origin(self, light: System) -> None:
        answer = sent(light, load_event("rest-options"))
        assert answer.status == 204
        assert answer.body == ""
        assert answer.headers["allow"] == "GET, HEAD, OPTIONS"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["access-control-allow-methods"] == "GET, HEAD"

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])
    def test_another_method_is_refused_with_those_that_are_possible(self, light: System, method: str) -> None:
        event = load_event("rest-get") | {"httpMethod": method}
        answer = sent(light, event)
        assert answer.is_problem(405, "method-not-allowed")
        assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


def test_an_unexpected_error_is_a_bare_500_with_the_requests_id_and_leaks_nothing(
    light: System, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def explode(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr("coolid.http.public.resolution_endpoint.resolve", explode)
    event = load_event("rest-get") | {"path": "/demo:what-nobody-asked-for"}  # there is no ready answer to it
    answer = sent(light, event)
    assert answer.is_problem(500, "internal-error")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json()["request"] == event["requestContext"]["requestId"]
    assert "secret" not in answer.body
    assert "Zero" not in answer.body
    finish_log()
    logged = json.loads(capfd.readouterr().out)
    assert logged["error"] == "ZeroDivisionError"
    assert logged["request"] == event["requestContext"]["requestId"]
    assert "192.0.2.44" not in json.dumps(logged)


def test_handlers_do_not_change_the_event(light: System) -> None:
    for name in NAMES:
        event = load_event(name, light)
        before = copy.deepcopy(event)
        if event.get("version") != "2.0":
            sent(light, event)
        assert event == before
