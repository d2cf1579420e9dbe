"""The manual: the API's description for programs, and pages that say all of it to people."""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import httplink
import pytest
import schemathesis
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html
from schemathesis.core.result import Ok

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.pages import commonmark, openapi, schema_view
from coolid.http.pages.curl_commands import command
from coolid.http.public.api_manual import CATALOG, MANUAL, OPENAPI, ApiManual
from tests.support.builders.page_catalog import BROWSER
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

OTHERS = tuple(openapi.COMPONENT_PAGES)
PAGES = (MANUAL, *(f"{MANUAL}/{name}" for name in (*(tag.name for tag in openapi.tags()), *OTHERS)))
OPERATIONS = openapi.all_operations()


def unforeseen(error: Exception, _: Request) -> None:
    raise AssertionError("nobody foresaw this") from error


APPLICATION = Application(ApiManual(BASE_URL).routes(), BASE_URL, unforeseen, public=True)


def ask(path: str, **headers: str) -> Response:
    return APPLICATION(Request("GET", path, headers={name.replace("_", "-"): each for name, each in headers.items()}))


def page(path: str) -> Any:
    """A page, parsed."""
    answer = ask(path, accept=BROWSER)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert isinstance(answer.body, str)
    return html.document_fromstring(answer.body)


def text_of(element: Any) -> str:
    """What people read of an element, on one line."""
    return re.sub(r"\s+", " ", element.text_content()).strip()


def rendered_text(text: str) -> str:
    return text_of(html.fragment_fromstring(commonmark.rendered(text) or "<p></p>", create_parent="div"))


def seen(text: str, element: Any) -> bool:
    """Whether people read these words there, whatever the lines."""
    return re.sub(r"\s", "", rendered_text(text)) in re.sub(r"\s", "", element.text_content())


@pytest.fixture(scope="module")
def pages() -> Mapping[str, Any]:
    return {path: page(path) for path in PAGES}


def operations_on(pages: Mapping[str, Any]) -> Iterator[tuple[openapi.Operation, Any]]:
    """Every operation, and where it is told of."""
    for operation in OPERATIONS:
        (section,) = pages[f"{MANUAL}/{operation.tags[0]}"].xpath(
            "//section[@aria-labelledby=$name]", name=operation.name
        )
        yield operation, section


class TestForPrograms:
    def test_the_description_is_whole_and_names_the_service_that_gives_it(self) -> None:
        answer = ask(OPENAPI)
        assert answer.headers["Content-Type"] == "application/json"
        returned = json.loads(answer.body)
        assert [server["url"] for server in returned["servers"]] == [BASE_URL]
        assert {**returned, "servers": None} == {**openapi.document(), "servers": None}
        elsewhere = json.loads(ApiManual("https://n2t.example/x").description(Request("GET", OPENAPI), "").body)
        assert elsewhere["servers"][0]["url"] == "https://n2t.example/x"

    def test_a_tool_that_is_given_the_address_reads_a_description_that_is_one_of_openapi(self) -> None:
        def served(environ: Mapping[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
            answer = ask(environ["PATH_INFO"])
            start_response(f"{answer.status} -", [*answer.headers.items()])
            return [answer.body.encode() if isinstance(answer.body, str) else answer.body]

        schema = schemathesis.openapi.from_wsgi(OPENAPI, served)
        schema.validate()
        found = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
        read = {(each.path, each.method.upper()) for each in found}
        # It leaves out the address that it was given itself.
        assert read == {(each.path, each.method) for each in OPERATIONS if each.path != OPENAPI}

    @pytest.mark.parametrize("path", [OPENAPI, CATALOG, *PAGES[:2]])
    def test_it_may_be_cached_for_an_hour_compared_and_read_from_any_page(self, path: str) -> None:
        answer = ask(path)
        assert answer.headers["Cache-Control"].startswith("public, max-age=3600,")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert ask(path, if_none_match=answer.headers["ETag"]).status == 304

    def test_a_catalog_leads_to_it(self, light: System) -> None:
        answer = ask(CATALOG)
        essence, _, parameters = answer.headers["Content-Type"].partition("; ")
        assert (essence, parameters) == (
            "application/linkset+json",
            'profile="https://www.rfc-editor.org/info/rfc9727"',
        )
        (returned,) = json.loads(answer.body)["linkset"]
        assert returned["anchor"] == f"{BASE_URL}/"
        for relation in ("service-desc", "service-doc", "status"):
            (target,) = returned[relation]
            found = light.get(target["href"].removeprefix(BASE_URL), accept=target["type"])
            assert found.status == 200
            assert found.headers["content-type"].startswith(target["type"])

    @pytest.mark.parametrize("path", ["/", MANUAL, OPENAPI, CATALOG])
    def test_links_lead_to_it(self, light: System, path: str) -> None:
        links = httplink.parse_link_header(light.get(path).headers["link"])
        assert links["service-desc"].target == BASE_URL + OPENAPI
        assert links["service-doc"].target == BASE_URL + MANUAL
        assert links["api-catalog"].target == BASE_URL + CATALOG

    def test_the_resolver_names_it(self, light: System) -> None:
        returned = light.get("/.well-known/linkid-resolver").json()
        assert (returned["service_desc"], returned["service_doc"]) == (BASE_URL + OPENAPI, BASE_URL + MANUAL)

    def test_the_root_of_the_api_links_to_the_manual(self, light: System) -> None:
        answer = light.get("/api/")
        assert answer.is_problem(404, "no-such-address")
        assert BASE_URL + MANUAL in answer.json()["detail"]
        assert light.get("/api/", accept=BROWSER).status == 404

    def test_nothing_else_is_there_below_the_manual(self, light: System) -> None:
        for name in ("nothing", "records/", "records/x", "Records", "%2e%2e", "templates"):
            assert light.get(f"{MANUAL}/{name}").is_problem(404)
            assert light.get(f"{MANUAL}/{name}", accept=BROWSER).status == 404


class TestForPeople:
    def test_every_operation_is_in_the_list_and_on_the_page_of_its_tag(self, pages: Mapping[str, Any]) -> None:
        assert len(OPERATIONS) == sum(
            method in item for item in openapi.document()["paths"].values() for method in openapi.METHODS
        )
        listed = {each.get("href"): text_of(each.getparent()) for each in pages[MANUAL].xpath("//ul[@class]/li/a")}
        for operation, section in operations_on(pages):
            said = f"{operation.method} {operation.path} "
            entry = listed[f"api/{operation.tags[0]}#{operation.name}"]
            assert entry == said + rendered_text(operation.summary)
            assert text_of(section.find("h2")) == rendered_text(operation.summary)
            assert section.find("h2").get("id") == operation.name
            assert said in text_of(section) + " "
            assert seen(operation.description, section)

    def test_the_example_of_an_error_is_what_is_answered(self, light: System, pages: Mapping[str, Any]) -> None:
        (shown,) = [each.text for each in pages[MANUAL].iter("pre") if each.text.startswith("{")]
        assert json.loads(shown) == light.get("/nowhere:1").json()

    def test_every_operation_says_whether_it_needs_a_key(self, pages: Mapping[str, Any]) -> None:
        for operation, section in operations_on(pages):
            (said,) = section.xpath("p[@class='address']/span[@class='soft']")
            assert text_of(said) == ("public" if operation.is_public else "with an API key")

    def test_every_parameter_is_on_the_page(self, pages: Mapping[str, Any]) -> None:
        for operation, section in operations_on(pages):
            rows = {row.findtext("th/code"): row for row in section.xpath("table[1]/tbody/tr[th/code]")}
            assert rows.keys() == {each.name for each in operation.parameters}
            for parameter in operation.parameters:
                assert seen(parameter.description, rows[parameter.name])
                assert ("required" in text_of(rows[parameter.name].find("td"))) == parameter.is_required

    def test_every_response_is_on_the_page_with_its_headers_or_on_that_of_one_that_has_the_same(
        self, pages: Mapping[str, Any]
    ) -> None:
        sections = {operation.name: (operation, section) for operation, section in operations_on(pages)}
        for operation, section in sections.values():
            rows = {row.findtext("th"): row for row in section.xpath("table/tbody/tr[not(th/code)]")}
            if not rows:
                (link,) = section.xpath("p[starts-with(., 'The same as for:')]/a")
                assert sections[link.get("href")[1:]][0].responses == operation.responses
                continue
            assert rows.keys() == operation.responses.keys()
            for status, response in operation.responses.items():
                said = text_of(rows[status])
                assert seen(response.description, rows[status])
                assert all(name in said for name in response.headers)
                is_problem = "application/problem+json" in response.content
                assert "Problem" in said if is_problem else all(each in said for each in response.content)

    def test_every_body_has_its_examples(self, pages: Mapping[str, Any]) -> None:
        for operation, section in operations_on(pages):
            shown = [each.text_content() for each in section.xpath("details/pre")]
            for content in operation.body.content.values():
                for sample in content.samples.values():
                    assert any(
                        sample == each or (each[0] in "[{" and each == openapi.format_json(sample)) for each in shown
                    )

    def test_every_schema_is_on_one_page_with_all_its_members(self, pages: Mapping[str, Any]) -> None:
        named = openapi.document()["components"]["schemas"]
        assert sorted(name for page in openapi.COMPONENT_PAGES for name in openapi.schemas(page)) == sorted(named)
        for name, schema in named.items():
            (heading,) = pages[f"{MANUAL}/{openapi.page_of(name)}"].xpath("//h2[@id=$name]", name=name)
            after = [heading.getnext()]
            while after[-1] is not None and after[-1].tag != "h2":
                after.append(after[-1].getnext())
            codes = [code.text_content() for each in after[:-1] for code in each.iter("code")]
            said = "".join(each.text_content() for each in after[:-1])
            assert set(schema.get("properties", ())) <= {*codes}
            assert re.sub(r"\s", "", rendered_text(schema.get("description", ""))) in re.sub(r"\s", "", said)

    def test_every_header_is_on_the_page_by_the_name_that_it_is_sent_under(self, pages: Mapping[str, Any]) -> None:
        for key, header in openapi.document()["components"]["headers"].items():
            (row,) = pages[f"{MANUAL}/{openapi.HEADERS}"].xpath("//tr[@id=$key]", key=key)
            assert row.findtext("th/code") == openapi.header_name(key)
            assert seen(header["description"], row)


class TestCommands:
    @pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
    def test_a_command_is_a_request_with_all_that_the_operation_needs(self, operation: openapi.Operation) -> None:
        words = shlex.split(command(operation, BASE_URL).replace("\\\n", " "))
        assert words[:2] == ["curl", "-i"]
        (url,) = [each for each in words if each.startswith(BASE_URL)]
        shape = re.sub(r"\\\{\w+\\\}", ".+", re.escape(operation.path))
        assert re.fullmatch(shape, urlsplit(url).path)
        assert "{" not in url
        assert words[2:4] == ["-X", operation.method] or operation.method == "GET"
        headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
        assert ("Authorization" in headers) != operation.is_public
        needed = {each.name for each in operation.parameters if each.is_required and each.place == "header"}
        assert needed <= headers.keys()
        for media_type, content in [*operation.body.content.items()][:1]:
            samples = [*content.samples.values()]
            if media_type == "multipart/form-data":
                forms = [words[at + 1].partition("=") for at, word in enumerate(words) if word == "--form-string"]
                assert {name: json.loads(text) if text[0] == "{" else text for name, _, text in forms} in samples
                continue
            body = words[words.index("--data-binary") + 1]
            assert headers["Content-Type"] == media_type
            assert (json.loads(body) if body[0] in "[{" else body) in samples

    def test_an_example_of_a_public_operation_is_true(self, light: System) -> None:
        (operation,) = [each for each in OPERATIONS if each.name == "describeProblem"]
        url = shlex.split(command(operation, BASE_URL))[-1]
        assert light.get(url.removeprefix(BASE_URL)).status == 200


class TestShapes:
    SHOWN = frozenset({
        "$ref", "additionalProperties", "allOf", "anyOf", "const", "default", "description", "discriminator", "enum",
        "example", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
        "minimum", "not", "oneOf", "pattern", "properties", "propertyNames", "required", "type",
    })  # fmt: skip

    def test_every_keyword_of_the_descriptions_schemas_is_shown(self) -> None:
        def keywords(schema: Any) -> Iterator[str]:
            if not isinstance(schema, dict):
                return
            yield from schema
            inner = [*schema.get("properties", {}).values()]
            inner += [each for name in ("anyOf", "oneOf", "allOf") for each in schema.get(name, ())]
            inner += [schema.get(name) for name in ("items", "additionalProperties", "not", "propertyNames")]
            for each in inner:
                yield from keywords(each)

        named = openapi.document()["components"]["schemas"].values()
        sent = [content.schema for operation in OPERATIONS for content in operation.body.content.values()]
        returned = [each.schema for operation in OPERATIONS for each in operation.parameters]
        answered = [
            content.schema
            for operation in OPERATIONS
            for each in operation.responses.values()
            for content in each.content.values()
        ]
        assert {word for each in (*named, *sent, *returned, *answered) for word in keywords(each)} <= self.SHOWN

    def test_a_choice_with_null_is_the_other_thing(self) -> None:
        one, two = {"type": "string"}, {"type": "integer"}
        assert schema_view.shape_of({"anyOf": [one, {"type": "null"}], "description": "x"}) == schema_view.SchemaView(
            ("string",), is_nullable=True, description="x"
        )
        both = schema_view.shape_of({"oneOf": [one, two, {"type": "null"}]})
        assert (both.choices, both.is_nullable) == ((schema_view.shape_of(one), schema_view.shape_of(two)), True)
        assert schema_view.shape_of({"type": "null"}).types == ("null",)


TEXTS = st.lists(
    st.one_of(
        st.sampled_from(
            ["`", "``", "**", "*", "- ", "\n", "\n\n", "[a](", "](", ")", "<", ">", "&", '"', "'", "\\", "]"]
        ),
        st.sampled_from(["https://x.example/", "javascript:a", "//x.example", "/pages", "#a", "<script>", " ", "&lt;"]),
        st.text(max_size=5),
    ),
    max_size=30,
).map("".join)


class Nesting(HTMLParser):
    """Sees that every element ends within the one that it began in."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


class TestCommonMark:
    @given(TEXTS)
    @example("<script>alert(1)</script>")
    @example("[a](javascript:alert(1))")
    @example("[a](//x.example) [a](/\\x.example) [a](data:text/html,x) ![a](https://x.example/)")
    @example('[a](https://x.example/ "\\"onclick=alert(1)")')
    @example("[a]()")
    def test_any_text_becomes_no_other_markup_than_blocks_spans_and_safe_links(self, text: str) -> None:
        for made in (commonmark.rendered(text), commonmark.inline(text)):
            for tag, attributes in re.findall(r"<([^\s>]*)([^>]*)>", made):
                assert tag.removeprefix("/") in ("p", "ul", "ol", "li", "code", "em", "strong", "a")
                expected = {
                    # An empty reference leads to the same page (CommonMark 0.31.2, 6.3 Links).
                    "a": r' href="(?:(?:https?://|/(?!/)|#)[^"<>\s\\]*)?"(?: title="[^"<>]*")?',
                    "ol": r'(?: start="\d+")?',
                }
                assert re.fullmatch(expected.get(tag, ""), attributes)
            assert "<" not in re.sub(r"<[^<>]*>", "", made)
            nesting = Nesting()
            nesting.feed(made)
            assert nesting.open == []
            assert re.sub(r"&(?:amp|lt|gt|quot);", "", made).count("&") == 0

    @given(st.text(st.characters(exclude_characters="`*_[]()-+.\r\n\t\f\v\x1c\x1d\x1e\x85\u2028\u2029\x00")))
    def test_a_plain_text_is_itself(self, text: str) -> None:
        assert commonmark.inline(text).unescape() == text.strip()

    @given(st.text(), st.text())
    def test_what_is_shown_verbatim_has_no_markup(self, text: str, more: str) -> None:
        assert "<" not in commonmark.verbatim(text + "<" + more)
        assert commonmark.verbatim(text).unescape() == text
