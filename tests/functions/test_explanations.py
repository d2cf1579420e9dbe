"""Explanations through the functions: what a text is, how identifiers are validated, and suggestions."""

import json
from typing import Any
from urllib.parse import quote

import jsonschema
import pytest
import re2
from lxml import etree, isoschematron

from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System

PARSE = "/api/v1/parse"
SCHEMAS = "/api/v1/schemas"
TARGET = "https://content.example.org/a"
TYPING_ERROR = "its check digits are 95, but the other symbols call for 94"


def parsed(system: System, text: str) -> dict[str, Any]:
    answer = system.get(PARSE, query=f"id={quote(text, safe='')}")
    assert answer.status == 200, answer.body
    document: dict[str, Any] = answer.json()
    return document


def posted(system: System, document: Any) -> Answer:
    return system.request("POST", PARSE, document=document)


def chosen(system: System, identifier: str, status: str = "active") -> None:
    """See to it that this identifier of the demonstration repository exists."""
    system.mint({"prefix": "demo", "uri": TARGET, "id": identifier, "status": status})


class TestParse:
    def test_a_text_is_explained_completely(self, light: System) -> None:
        document = parsed(light, " <https://id.example.org/demo:TWOT-YWDJ-94>")
        assert document.keys() >= {"text", "candidates", "prefix", "location", "steps", "suggestions"}
        assert document["text"] == " <https://id.example.org/demo:TWOT-YWDJ-94>"
        assert document["candidates"][0] == {
            "scheme": "lui",
            "valid": True,
            "canonical": "tw0t-ywdj-94",
            "reason": None,
        }
        assert (document["prefix"], document["canonical"]) == ("demo", "2021/06/demo/tw0t-ywdj-94")
        assert document["location"] == light.get("/demo:tw0t-ywdj-94").headers["location"]
        assert [step["step"] for step in document["steps"]] == [
            "unwrapped", "unwrapped", "prefix", "normalised", "rule", "record", "redirect"
        ]  # fmt: skip
        assert all(step["detail"] for step in document["steps"])

    def test_a_mistyped_identifier_has_a_reason_and_a_suggestion(self, light: System) -> None:
        document = parsed(light, "demo:tw0t-ywdj-95")
        candidate = {"scheme": "lui", "valid": False, "canonical": None, "reason": TYPING_ERROR}
        assert document["candidates"][0] == candidate
        assert document["suggestions"] == ["tw0t-ywdj-94"]
        assert document["location"] is None

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " ",
            "é",
            "\x00",
            "demo:\x00",
            "%zz",
            "a" * 5_000,
            ":",
            "//",
            "\u202e",
            "𝟘𝟘",
            "https://doi.org/%zz",
            "[" * 3_000,
        ],
    )
    def test_any_text_has_a_response(self, light: System, text: str) -> None:
        document = parsed(light, text)
        assert document["text"] == text
        assert document["location"] is None
        assert document["steps"]
        assert posted(light, {"id": text}).json() == document

    def test_an_identifier_of_another_service_is_reported_with_its_location(self, light: System) -> None:
        provider = {"code": "a", "url": "https://go.example/{$id}"}
        light.admin("PUT", "/api/v1/prefixes/xgo", {"kind": "provider", "pattern": r"^\d{7}$", "providers": [provider]})
        document = parsed(light, "XGO:0006915")
        assert (document["prefix"], document["location"]) == ("xgo", "https://go.example/0006915")

    def test_without_a_text_it_is_refused(self, light: System) -> None:
        assert light.get(PARSE).is_problem(422, "invalid-input")

    def test_many_are_reported_in_order(self, light: System) -> None:
        texts = ["demo:tw0t-ywdj-94", "nothing", "demo:tw0t-ywdj-94", "10.1002/asi.23256"] * 250
        results = posted(light, {"ids": texts}).json()["results"]
        assert [each["text"] for each in results] == texts
        assert results[0] == parsed(light, texts[0])

    @pytest.mark.parametrize(
        "document",
        [
            {}, [], "demo", 5, {"id": 5}, {"id": None}, {"ids": "demo"}, {"ids": [5]}, {"ids": [["a"]]},
            {"id": "a", "ids": ["a"]}, {"id": "a", "more": 1}, {"ids": ["a"] * 1_001}, {"text": "a"},
        ],
        ids=lambda document: json.dumps(document)[:30],
    )  # fmt: skip
    def test_a_body_of_another_form_is_refused(self, light: System, document: Any) -> None:
        assert posted(light, document).is_problem(422, "invalid-input")

    @pytest.mark.parametrize("body", [b"", b"{", b'{"id": "\\ud800"}', b'{"id": "a", "id": "b"}', b"\xff"])
    def test_a_body_that_cannot_be_read_is_refused(self, light: System, body: bytes) -> None:
        assert light.request("POST", PARSE, body=body).status in (400, 422)

    def test_a_lone_surrogate_in_the_query_is_refused_or_answered(self, light: System) -> None:
        for escaped in ("%ED%A0%80", "%FF", "demo%3A%ED%A0%80"):
            assert light.get(PARSE, query=f"id={escaped}").status in (200, 400, 422)

    def test_everybody_may_use_it_and_other_methods_are_refused(self, light: System) -> None:
        assert light.request("PUT", PARSE).status == 405
        assert light.request("POST", SCHEMAS + "/demo").status == 405
        assert light.get(PARSE, query="id=x").headers["access-control-allow-origin"] == "*"
        assert "max-age" in light.get(PARSE, query="id=x").headers["cache-control"]
        assert posted(light, {"id": "x"}).headers["cache-control"] == "no-store"


class TestDescriptions:
    def test_a_prefix_states_its_custodians_rules(self, light: System) -> None:
        for answer in (
            light.get("/demo", accept="application/json"),
            light.admin("GET", "/api/v1/prefixes/demo"),
            light.get("/2021/06/demo", accept="application/json"),
        ):
            document = answer.json()
            assert (document["kind"], document["scheme"], document["rules"]) == ("namespace", "lui", {"symbols": 8})
            returned = document["identifiers"]
            assert returned["alphabet"] == "0123456789abcdefghjkmnpqrstvwxyz"
            assert returned["length"] == {"least": 10, "most": 10}
            assert returned["check"]["algorithm"] == "ISO 7064 MOD 97-10"
            assert returned["check"]["zone"]
            assert returned["foldsCase"] is True
            assert re2.fullmatch(returned["pattern"], returned["example"])

    def test_a_page_shows_them(self, light: System) -> None:
        page = light.get("/demo", accept="text/html")
        assert page.status == 200
        assert "MOD 97-10" in page.body


class TestSchemas:
    @pytest.mark.parametrize("name", ["demo", "DEMO", "2021/06/demo", "2021%2F06%2Fdemo"])
    def test_the_json_schema_judges_as_we_do(self, light: System, name: str) -> None:
        answer = light.get(f"{SCHEMAS}/{name}")
        assert (answer.status, answer.headers["content-type"]) == (200, "application/schema+json")
        validator = jsonschema.Draft202012Validator(answer.json())
        assert validator.is_valid("TWOT-YWDJ-94")
        assert not validator.is_valid("tw0t-ywd-94")

    def test_the_schematron_judges_check_digits_too(self, light: System) -> None:
        answer = light.get(f"{SCHEMAS}/demo", query="format=schematron")
        assert answer.headers["content-type"] == "application/xml"
        judge = isoschematron.Schematron(etree.fromstring(answer.body.encode()))
        assert judge.validate(etree.fromstring("<a><pid>TWOT-YWDJ-94</pid></a>"))
        assert not judge.validate(etree.fromstring("<a><pid>tw0t-ywdj-95</pid></a>"))

    def test_the_regular_expression_is_that_of_the_description(self, light: System) -> None:
        answer = light.get(f"{SCHEMAS}/demo", query="format=regex")
        returned = light.get("/demo", accept="application/json").json()["identifiers"]
        assert answer.headers["content-type"].startswith("text/plain")
        assert answer.body == returned["pattern"] + "\n"

    def test_a_prefix_of_the_world_has_one_of_its_pattern(self, light: System) -> None:
        light.admin("PUT", "/api/v1/prefixes/sgo", {"kind": "provider", "pattern": r"^\d{7}$"})
        assert light.get(f"{SCHEMAS}/sgo").json()["pattern"] == r"^\d{7}$"
        assert light.get(f"{SCHEMAS}/sgo", query="format=regex").body == "^\\d{7}$\n"
        assert light.get(f"{SCHEMAS}/sgo", query="format=schematron").is_problem(406, "unknown-format")

    def test_an_unanchored_pattern_of_the_world_accepts_no_more_than_we_do(self, light: System) -> None:
        """A strict prefix matches the whole identifier; a JSON Schema's pattern matches anywhere."""
        providers = [{"code": "a", "url": "https://go.example/{$id}"}]
        document = {"kind": "provider", "pattern": r"\d{7}", "strict": True, "providers": providers}
        light.admin("PUT", "/api/v1/prefixes/ugo", document)
        assert light.get("/ugo:x0006915").is_problem(400, "invalid-pattern")
        validator = jsonschema.Draft202012Validator(light.get(f"{SCHEMAS}/ugo").json())
        assert validator.is_valid("0006915")
        assert not validator.is_valid("x0006915")

    @pytest.mark.parametrize("name", ["nobodys", "2021", "", "%zz", "a" * 3_000, "demo:tw0t-ywdj-94"])
    def test_what_is_no_prefix_has_none(self, light: System, name: str) -> None:
        answer = light.get(f"{SCHEMAS}/{name}")
        assert answer.is_problem(answer.status)
        assert answer.status in (400, 404, 414)

    @pytest.mark.parametrize("format_", ["", "xml", "JSONSCHEMA", "regex,"])
    def test_a_format_that_there_is_not_is_refused(self, light: System, format_: str) -> None:
        answer = light.get(f"{SCHEMAS}/demo", query=f"format={format_}")
        assert answer.is_problem(406, "unknown-format") or (not format_ and answer.status == 200)


class TestSuggestions:
    @pytest.mark.parametrize("wrong", ["tw0t-ywdj-95", "wt0t-ywdj-94", "tw0t-ywdj-9", "tw0t-yywdj-94", "tw0u-ywdj-94"])
    def test_a_refusal_has_a_suggestion(self, light: System, wrong: str) -> None:
        answer = light.get(f"/demo:{wrong}")
        assert answer.is_problem(400)
        assert answer.json()["suggestions"] == ["tw0t-ywdj-94"]

    def test_its_page_does_too(self, light: System) -> None:
        page = light.get("/demo:tw0t-ywdj-95", accept="text/html")
        assert page.status == 400
        assert "tw0t-ywdj-94" in page.body

    def test_a_well_formed_identifier_that_is_not_registered_has_them_too(self, light: System) -> None:
        made = light.admin("POST", "/api/v1/repositories", {"title": "near", "scheme": "cooldoi"})
        light.admin("PUT", "/api/v1/prefixes/near", {"kind": "namespace", "repository": made.json()["id"]})
        light.mint({"prefix": "near", "uri": TARGET, "id": "tw0t-ywdj"})
        answer = light.get("/near:tw0t-ywjd")
        assert answer.is_problem(404, "unregistered-identifier")
        assert answer.json()["suggestions"] == ["tw0t-ywdj"]
        page = light.get("/near:tw0t-ywjd", accept="text/html")
        assert (page.status, "tw0t-ywdj" in page.body) == (404, True)

    def test_reserved_records_are_never_suggested(self, light: System) -> None:
        chosen(light, "zzzz-zzzz-90", "reserved")
        for accept in ("application/json", "text/html"):
            for wrong in ("zzzz-zzzz-91", "zzzz-zzzz-09", "zzzz-zzzzz-90"):
                assert "zzzz-zzzz-90" not in light.get(f"/demo:{wrong}", accept=accept).body
        assert parsed(light, "demo:zzzz-zzzz-91")["suggestions"] == []


class TestPastedUrls:
    @pytest.mark.parametrize(
        "url",
        [
            f"{BASE_URL}/2021/06/demo/tw0t-ywdj-94",
            f"{BASE_URL}/demo:TWOTYWDJ94",
            "https:/id.example.org/demo:tw0t-ywdj-94",
            "https://n2t.net/demo:tw0t-ywdj-94",
            "HTTPS://N2T.NET/demo:tw0t-ywdj-94",
            "https://identifiers.org/demo:tw0t-ywdj-94",
            "https://identifiers.org/demo/tw0t-ywdj-94",
        ],
    )
    def test_one_of_a_pid_of_this_service_resolves(self, light: System, url: str) -> None:
        for path in (url, quote(url, safe="")):
            answer = light.get(f"/{path}")
            assert answer.status == 302
            assert answer.canonical == f"{BASE_URL}/2021/06/demo/tw0t-ywdj-94"

    @pytest.mark.parametrize(
        "url", ["https://example.org/", "https://evil.example/demo:tw0t-ywdj-94", "http://", "https://n2t.net/"]
    )
    def test_another_does_not(self, light: System, url: str) -> None:
        assert light.get(f"/{url}").is_problem(404)


class TestPatterns:
    PROVIDERS = ({"code": "a", "url": "https://go.example/{$id}"},)

    @pytest.mark.parametrize("pattern", ["^(a+)+$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*a){20}"])
    def test_one_that_would_run_away_elsewhere_answers(self, light: System, pattern: str) -> None:
        document = {"kind": "provider", "pattern": pattern, "strict": True, "providers": self.PROVIDERS}
        assert light.admin("PUT", "/api/v1/prefixes/runaway", document).status in (200, 201)
        assert light.get("/runaway:" + "a" * 2_000 + "!").is_problem(400, "invalid-pattern")
        assert parsed(light, "runaway:" + "a" * 2_000 + "!")["location"] is None

    @pytest.mark.parametrize(
        "pattern", [r"(a)\1", "(?=a)", "(?!a)", "(?<=a)", "(?>a)", "a++", "(", "[", "*", "a{2000}"]
    )
    def test_one_that_re2_does_not_take_is_refused_at_registration(self, light: System, pattern: str) -> None:
        document = {"kind": "provider", "pattern": pattern, "providers": self.PROVIDERS}
        answer = light.admin("PUT", "/api/v1/prefixes/refused", document)
        assert answer.is_problem(422, "invalid-input")
        assert answer.json()["errors"][0]["pointer"] == "/pattern"
        made = light.admin(
            "POST", "/api/v1/repositories", {"title": "x", "scheme": "chosen", "rules": {"pattern": pattern}}
        )
        assert made.is_problem(422, "invalid-input")
