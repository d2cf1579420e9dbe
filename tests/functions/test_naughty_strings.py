"""Any text at any place is refused with a problem, or stored and returned unchanged, and never becomes markup.

The list is npm's blns; `tests/browser/test_naughty_strings.py` uses it in Chromium.
"""

import os
import re
from itertools import cycle
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.builders.naughty_strings import (
    ALL,
    MORE,
    STRINGS,
    as_read,
    counted,
    headers_are_sound,
    heard,
    is_sound,
    page_is_sound,
    says,
    texts,
)
from tests.support.builders.page_catalog import BROWSER
from tests.support.builders.samples import BASE_URL, strings
from tests.support.fixtures.application import BATCH, HERE, InMemoryApplication
from tests.support.fixtures.system import Answer, System

# What a path can have of ASCII: all that is seen but the two that end it. Clients send it, whatever RFC 3986 says.
_RAW = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "?#")

# Some of every kind: strings that are alike stand together. `make test-browser` tries all as identifiers, titles and
# reasons, which takes its time.
SOME = ["undefined", *STRINGS[::5], *MORE]
TRIED = ALL if os.environ.get("COOLID_BROWSER") else SOME

_BEFORE = (
    "", "demo:", "go:", "a/go:", "resolve/", "pages/", "pages/api/", "problems/", "static/", "api/v1/schemas/",
    "api/v1/prefixes/", "api/v1/history/", "api/v1/records/", "timemap/link/", "timegate/",
    "api/registry/", "doi:10.1/",
)  # fmt: skip
_PARAMETERS = (
    ("/go:0006915", "provider"), ("/pages/prefixes", "page"), ("/demo", "format"), ("/demo", "style"),
    ("/nothing:1", "lang"), ("/.info", "format"),
    ("/api/v1/schemas/demo", "format"), ("/pages/mint", "prefix"), ("/pages/api", "q"), ("/health", "format"),
)  # fmt: skip

# Members of a record's metadata that its page, its citations and its signposts each read.
_MEMBERS = ("who", "what", "when", "where", "how", "type", "license", "publisher", "description", "language", "odd")


@pytest.fixture(scope="session")
def app() -> InMemoryApplication:
    return InMemoryApplication()


@pytest.fixture(scope="session")
def minted(app: InMemoryApplication) -> dict[str, str]:
    """The path of a record that says nothing else, by what it says."""
    documents = [{"prefix": "demo", "metadata": dict.fromkeys(_MEMBERS, text)} for text in TRIED]
    records = [row["record"] for at in range(0, len(TRIED), 100) for row in batch(app, documents[at : at + 100])]
    return {text: record["pid"].removeprefix(BASE_URL) for text, record in zip(TRIED, records, strict=True)}


def batch(app: InMemoryApplication, documents: list[Any]) -> list[dict[str, Any]]:
    """The rows of a batch that succeeded."""
    answer = app.request("POST", BATCH, documents)
    rows: list[dict[str, Any]] = answer.json()
    assert {row["status"] for row in rows} == {201}
    return rows


def page(answer: Answer) -> Any:
    """The document of an answer that is a page."""
    headers_are_sound(answer.headers)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return page_is_sound(answer.body)


class TestAsked:
    """A text in what is asked for."""

    def test_in_the_path_it_is_answered_soundly(self, light: System) -> None:
        for text, before in zip(TRIED, cycle(("", "", "go:")), strict=False):
            is_sound(light.get(f"/{before}{quote(text, safe='')}", accept=BROWSER))

    def test_so_it_is_where_a_client_does_not_encode_it(self, light: System) -> None:
        """Each behind one beginning or another."""
        for text, before in zip(SOME, cycle(_BEFORE), strict=False):
            is_sound(light.get(f"/{before}{quote(text, safe=_RAW)}", accept=BROWSER))

    def test_so_are_programs(self, light: System) -> None:
        for text, before in zip(SOME, cycle(_BEFORE), strict=False):
            is_sound(light.get(f"/{before}{quote(text, safe='')}"))

    def test_so_it_is_behind_a_prefix_of_this_service(self, app: InMemoryApplication) -> None:
        for text in TRIED[::5]:  # each is looked for in what is written nearly alike
            is_sound(app.get(f"/demo:{quote(text, safe='')}", headers=[("Accept", BROWSER)]))
        assert not app.reported

    @pytest.mark.parametrize(("path", "parameter"), [("/pages/prefixes", "q"), ("/api/v1/parse", "id")])
    def test_in_a_parameter_too(self, light: System, path: str, parameter: str) -> None:
        for text in TRIED:
            is_sound(light.get(path, query=f"{parameter}={quote(text, safe='')}", accept=BROWSER))

    def test_in_one_parameter_or_another(self, light: System) -> None:
        for text, (path, parameter) in zip(SOME, cycle(_PARAMETERS), strict=False):
            is_sound(light.get(path, query=f"{parameter}={quote(text, safe='')}", accept=BROWSER))

    def test_and_in_one_of_a_record(self, app: InMemoryApplication, minted: dict[str, str]) -> None:
        names = cycle(("format", "style", "lang", "version", "memento", "strict"))
        for text, name in zip(SOME, names, strict=False):
            is_sound(app.get(minted["undefined"], f"{name}={quote(text, safe='')}", headers=[("Accept", BROWSER)]))
        assert not app.reported

    def test_and_in_a_header(self, app: InMemoryApplication, minted: dict[str, str]) -> None:
        names = cycle(("Accept", "Accept-Language", "Accept-Datetime", "If-None-Match"))
        for text, name in zip(filter(str.isprintable, filter(str.isascii, SOME)), names, strict=False):
            is_sound(app.get(minted["undefined"], headers=[(name, text)]))
        assert not app.reported

    def test_the_home_box_contains_the_unchanged_query(self, light: System) -> None:
        plain = counted(page(light.get("/", query="q=%3C", accept=BROWSER)))
        for text in SOME:
            answer = light.get("/", query=f"q={quote(text, safe='')}", accept=BROWSER)
            if answer.status != 200 or not text.strip():
                continue
            document = page(answer)
            assert as_read(text)[:500] in {said[:500] for said in texts(document)}, text
            assert counted(document)["script"] == plain["script"]


META = r"utf-8|viewport|description|(DC|DCTERMS|og|twitter|citation)[.:_][A-Za-z_]+"
"""The names of elements in the head of a page."""


class TestTold:
    """A text in what a record says."""

    def test_a_page_says_exactly_it_and_is_made_as_others_are(
        self, app: InMemoryApplication, minted: dict[str, str]
    ) -> None:
        plain = counted(page(app.get(minted["undefined"], "format=html")))
        for text, path in minted.items():
            document = page(app.get(path, "format=html"))
            if text.strip():
                assert says(document, text), text
                assert heard(text)[:80] in heard(document.find(".//h1").text_content()), text
            others = ("link", "input", "button", "meta")  # of what can be linked to, and of what has a form or a text
            for element in document.iter("meta"):
                named = {each: value for each, value in element.attrib.items() if each != "content"}
                assert len(named) == 1, text
                assert re.fullmatch(META, *named.values())
            assert {tag: count for tag, count in counted(document).items() if tag not in others} == {
                tag: count for tag, count in plain.items() if tag not in others
            }, text
        assert not app.reported

    @pytest.mark.parametrize("form", ["linkid", "linkset", "jsonld", "csl", "datacite"])
    def test_json_has_it_as_it_is(self, app: InMemoryApplication, minted: dict[str, str], form: str) -> None:
        for text in TRIED if form == "linkid" else SOME:
            answer = app.get(minted[text], f"format={form}")
            is_sound(answer)
            if form == "linkid":
                assert dict.fromkeys(_MEMBERS, text).items() <= answer.json()["metadata"].items()
            elif form != "linkset" and answer.status == 200 and text.strip():
                assert heard(text) in {heard(each) for each in strings(answer.json())}, text

    @pytest.mark.parametrize("form", ["links", "ttl", "erc", "jws", "bibtex", "ris", "citation", "nonsense"])
    def test_other_forms_are_sound(self, app: InMemoryApplication, minted: dict[str, str], form: str) -> None:
        """No value begins a line of its own, with a member that nobody gave."""
        for text in SOME:
            answer = app.get(minted[text], f"format={form}")
            is_sound(answer)
            assert answer.status in {200, 204, 406}
            if form in ("erc", "ris", "links"):
                assert "X-Injected" not in {line.partition(":")[0] for line in answer.body.splitlines()}
        assert not app.reported

    def test_a_name_is_reported_unchanged_too(self, app: InMemoryApplication) -> None:
        named = [text for text in SOME if 0 < len(text) <= 200]
        documents = [{"prefix": "demo", "metadata": {text: "A value"}} for text in named]
        rows = [row for at in range(0, len(named), 100) for row in batch(app, documents[at : at + 100])]
        for text, row in zip(named, rows, strict=True):
            path = row["record"]["pid"].removeprefix(BASE_URL)
            document = page(app.get(path, "format=html"))
            assert heard(text).casefold() in heard(document.find(".//main").text_content()).casefold(), text
            assert text in app.get(path, "format=linkid").json()["metadata"]
            for form in ("jsonld", "ttl"):
                is_sound(app.get(path, f"format={form}"))
        assert not app.reported

    def test_a_tombstone_says_exactly_why_and_what_instead(self, app: InMemoryApplication) -> None:
        documents = [{"prefix": "demo", "uri": HERE}] * 100
        paths = [
            row["record"]["pid"].removeprefix(BASE_URL)
            for at in range(0, len(TRIED), 100)
            for row in batch(app, documents[: len(TRIED[at : at + 100])])
        ]
        for text, path in zip(TRIED, paths, strict=True):
            gone = app.change("DELETE", f"/api/v1/records{path}", {"reason": text})
            if gone.status != 200:
                assert gone.is_problem(422), gone
                gone = app.change("DELETE", f"/api/v1/records{path}", {"reason": "It was wrong", "successor": text})
            if gone.status != 200:
                assert gone.is_problem(422), gone
                continue
            tombstone = app.get(path, headers=[("Accept", BROWSER)])
            assert tombstone.status == 410
            document = page(tombstone)
            withdrawn = gone.json()["withdrawn"]
            said = withdrawn["reason"] if withdrawn["successor"] is None else withdrawn["successor"]
            assert as_read(said) in document.text_content(), text
            assert app.get(path, headers=[("Accept", "application/json")]).json()["withdrawn"] == withdrawn
        assert not app.reported

    def test_a_chosen_identifier_is_refused_or_shown(self, app: InMemoryApplication) -> None:
        body = {"title": "Of any kind", "scheme": "chosen", "rules": {"pattern": "(?s).+"}}
        repository = app.request("POST", "/api/v1/repositories", body).json()["id"]
        prefix = "chosen"
        alias = {"kind": "namespace", "repository": repository}
        assert app.request("PUT", f"/api/v1/prefixes/{prefix}", alias).status in {200, 201}
        stored, queries = (
            0,
            cycle(("format=linkid", "format=linkset", "format=ttl", "format=citation", "format=erc", "")),
        )
        for text in TRIED:
            made = app.mint({"prefix": prefix, "id": text, "metadata": {"odd": "A thing"}})
            is_sound(made)
            if made.status != 201:
                assert made.status in {400, 409, 422}
                continue
            path = made.json()["pid"].removeprefix(BASE_URL)
            answer = app.get(path, next(queries), headers=[("Accept", BROWSER)])
            is_sound(answer)
            assert answer.status in {200, 204}, (text, answer)
            assert heard(text) in heard(page(app.get(path, "format=html")).text_content()), text
            stored += 1
        assert stored > len(TRIED) / 4
        assert not app.reported


class TestNamed:
    """A text in what an administrator says of prefixes, repositories and clients."""

    def test_of_a_prefix_it_is_refused_or_shown(self, app: InMemoryApplication) -> None:
        for text in SOME:
            body = {
                "kind": "provider",
                "title": text,
                "description": text,
                "example": text or None,
                "pattern": text,
                "providers": [{"code": "a", "url": "https://a.example/{$id}", "title": text}],
            }
            tag = app.request("GET", "/api/v1/prefixes/odd").headers.get("etag")
            headers = [("If-Match", tag)] if tag else []
            put = app.request("PUT", "/api/v1/prefixes/odd", body, headers=headers)
            if put.status not in {200, 201}:
                assert put.is_problem(422), (text, put)
                del body["pattern"]
                put = app.request("PUT", "/api/v1/prefixes/odd", body, headers=headers)
            if put.status not in {200, 201}:
                assert put.is_problem(422), (text, put)
                continue
            document = page(app.get("/odd", headers=[("Accept", BROWSER)]))
            if text.strip():
                assert says(document, text), text
            assert app.get("/odd").json()["title"] in (text, None)
        assert not app.reported

    def test_of_a_repository_it_is_refused_or_shown(self, app: InMemoryApplication) -> None:
        made = app.request("POST", "/api/v1/repositories", {"title": "A repository"}).json()["id"]
        app.request("PUT", "/api/v1/prefixes/supported", {"kind": "namespace", "repository": made})
        path = app.mint({"prefix": "supported"}).json()["pid"].removeprefix(BASE_URL)
        for text in SOME:
            body = {"title": text, "support": dict.fromkeys(("who", "what", "when"), text)}
            there = f"/api/v1/repositories/{made}"
            patched = app.change("PATCH", there, body, tag=app.request("GET", there).headers["etag"])
            if patched.status != 200:
                assert patched.is_problem(422), (text, patched)
                continue
            page(app.get("/supported", "format=html"))
            assert as_read(text) in page(app.get(path, "format=html")).text_content()
            is_sound(app.get(path, "info"))
        assert not app.reported

    def test_of_a_client_it_is_refused_or_stored(self, app: InMemoryApplication) -> None:
        for text in SOME:
            made = app.request("POST", "/api/v1/clients", {"scopes": ["mint:demo"], "note": text})
            is_sound(made)
            assert made.is_problem(422) if made.status != 201 else made.json()["note"] == (text or None)
            assert app.request("POST", "/api/v1/clients", {"scopes": [text]}).status in {201, 422}
        assert not app.reported


@pytest.mark.parametrize(
    "body",
    [rb'{"prefix": "demo", "metadata": {"what": "\ud800"}}', b'{"prefix": "demo", "metadata": {"what": "\xff"}}'],
)
def test_what_is_no_text_is_refused(app: InMemoryApplication, body: bytes) -> None:
    answer = app.request("POST", "/api/v1/records", body=body)
    assert answer.is_problem(400, "malformed-body"), answer


@pytest.mark.parametrize("text", ["%ED%A0%80", "%ff", "%00", "%0d%0aX-Injected:1", "%c0%af", "%f4%90%80%80", "%"])
@pytest.mark.parametrize("before", ["", "demo:", "go:", "pages/", "static/", "resolve/"])
def test_what_is_no_text_in_a_path_is_refused(light: System, before: str, text: str) -> None:
    answer = light.get(f"/{before}{text}", accept=BROWSER)
    is_sound(answer)
    assert answer.status in {400, 404}
    is_sound(light.get("/", query=f"q={text}", accept=BROWSER))
