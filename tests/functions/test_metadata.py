"""Locations and metadata of a record over HTTP: by parameters, `Accept` and inflections."""

import re
from typing import Any

import pytest

from tests.functions.managed_records import BROWSER, HERE, LINKID, alias, amend, gone, mint
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

PDF = "application/pdf"

FORMATS = {
    "linkid": LINKID,
    "json": LINKID,
    "linkset": "application/linkset+json",
    "links": "application/linkset",
    "jsonld": "application/ld+json",
    "ttl": "text/turtle; charset=utf-8",
    "turtle": "text/turtle; charset=utf-8",
    "erc": "text/plain; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "jws": "application/jose",
    "csl": "application/vnd.citationstyles.csl+json",
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "datacite": "application/vnd.datacite.datacite+json",
    "datacite-xml": "application/vnd.datacite.datacite+xml",
    "citation": "text/x-bibliography; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
TYPES = {content_type.partition(";")[0]: content_type for content_type in FORMATS.values()} | {
    "application/json": "application/json",
    "application/vnd.schemaorg.ld+json": "application/vnd.schemaorg.ld+json",
    "application/citeproc+json": "application/citeproc+json",
}


@pytest.fixture(scope="session")
def plain(light: System) -> str:
    """A prefix of a repository without special rules."""
    return alias(
        light,
    )


@pytest.fixture(scope="session")
def thing(light: System, plain: str) -> str:
    return mint(light, plain, metadata={"who": "Lee, Ann", "what": "A thing", "when": "2025"})


@pytest.fixture(scope="session")
def tombstone(light: System, plain: str) -> str:
    return gone(light, plain, metadata={"what": "A thing"})


@pytest.fixture(scope="session")
def forms(light: System, plain: str) -> str:
    """A record of many locations."""
    return mint(light, plain, records=[location(*each) for each in FORMS], metadata={"what": "A thing"})


@pytest.fixture(scope="session")
def changed(light: System, plain: str) -> str:
    """A record that was reserved (1), then public (2) and changed (3)."""
    path = mint(light, plain, status="reserved", metadata={"what": "First"})
    amend(light, "PATCH", path, {"status": "active", "metadata": {"what": "Second"}})
    amend(light, "PATCH", path, {"metadata": {"what": "Third"}})
    return path


FORMS = [
    ("en3.pdf", PDF, "en", "3"),
    ("de3.pdf", PDF, "de", "3"),
    ("en2.pdf", PDF, "en", "2"),
    ("en.html", "text/html", "en", None),
    ("raw.ttl", "text/turtle", None, None),
]


def location(name: str, media_type: str | None, language: str | None, version: str | None) -> dict[str, Any]:
    members = {"uri": f"{HERE}/{name}", "mediaType": media_type, "language": language, "version": version}
    return {member: value for member, value in members.items() if value is not None}


class TestAccept:
    def test_without_accept_there_is_a_redirect(self, light: System, thing: str) -> None:
        assert light.get(thing).headers["location"] == HERE

    @pytest.mark.parametrize("accept", [BROWSER, "*/*", "", "text/html, image/gif, *; q=.2, */*; q=.2", "text/html"])
    def test_browsers_and_clients_without_preferences_are_redirected(
        self, light: System, thing: str, accept: str
    ) -> None:
        assert light.get(thing, accept=accept).headers["location"] == HERE

    @pytest.mark.parametrize(
        "accept", ["application/json;q=0, */*", "*/*, application/json;q=0", "application/json;q=0"]
    )
    @pytest.mark.parametrize("query", ["", "info", "lang=en"])
    def test_excluded_json_is_never_sent(
        self, light: System, plain: str, thing: str, tombstone: str, *, accept: str, query: str
    ) -> None:
        typed = mint(light, plain, records=[{"uri": HERE, "mediaType": "application/json"}])
        nowhere = mint(light, plain, records=[])
        for path in (thing, tombstone, typed, nowhere):
            answer = light.get(path, query=query, accept=accept)
            assert answer.headers["content-type"].partition(";")[0] != "application/json"
            assert not (path == typed and "location" in answer.headers)

    @pytest.mark.parametrize("accept", ["*/*;q=0", "*/*;q=0.000", "*/*; q=0, text/html;q=0"])
    def test_excluding_everything_is_406(self, light: System, plain: str, thing: str, accept: str) -> None:
        for path in (thing, mint(light, plain, records=[]), f"/{plain}"):
            assert light.get(path, accept=accept).is_problem(406, "not-acceptable")

    def test_a_parameter_with_a_comma_in_quotes_is_understood(self, light: System, thing: str) -> None:
        accept = 'application/ld+json;profile="http://x/y,z", text/html;q=0.9'
        answer = light.get(thing, accept=accept)
        assert (answer.status, answer.headers["content-type"]) == (200, "application/ld+json")
        fewer = accept.replace('z",', 'z";q=0.8,')
        assert light.get(thing, accept=fewer).headers["location"] == HERE

    @pytest.mark.parametrize(("accept", "content_type"), TYPES.items())
    @pytest.mark.parametrize("weighed", ["{}", "{}, */*;q=0.1", "{};q=0.3, image/png;q=0.2"])
    def test_every_representation_is_had_by_its_type(
        self, light: System, plain: str, tombstone: str, *, accept: str, content_type: str, weighed: str
    ) -> None:
        pdf = mint(light, plain, records=[{"uri": HERE, "mediaType": PDF}], metadata={"what": "A thing"})
        for path, status in ((pdf, 200), (tombstone, 410)):
            answer = light.get(path, accept=weighed.format(accept))
            page = accept == "text/html" and "*/*" in weighed and status == 200
            expected = (302, "text/html; charset=utf-8") if page else (status, content_type)
            assert (answer.status, answer.headers["content-type"]) == expected


class TestParameters:
    @pytest.mark.parametrize(
        ("query", "name"),
        [
            ("format=pdf&lang=en", "en3.pdf"),
            ("format=pdf&lang=de", "de3.pdf"),
            ("format=PDF&lang=EN", "en3.pdf"),
            ("format=application%2Fpdf", "en3.pdf"),
            ("format=application/pdf&version=2", "en2.pdf"),
            ("version=2", "en2.pdf"),
            ("version=3&lang=de", "de3.pdf"),
            ("format=text/html", "en.html"),
            ("format=htm", "en.html"),
            ("format=text/turtle", "raw.ttl"),
        ],
    )
    def test_parameters_choose_among_the_locations(self, light: System, forms: str, query: str, name: str) -> None:
        for accept in (None, BROWSER, f"{LINKID};q=0.1, */*"):
            assert light.get(forms, query=query, accept=accept).headers["location"] == f"{HERE}/{name}"

    @pytest.mark.parametrize(
        "query",
        [
            "format=docx",
            "format=nonsense",
            "format=",
            "format=a/b/c",
            "format=*/*",
            "version=9",
            "format=pdf&version=1",
        ],
    )
    def test_what_there_is_not_is_406(self, light: System, forms: str, query: str) -> None:
        assert light.get(forms, query=query).is_problem(406)

    @pytest.mark.parametrize(("name", "content_type"), FORMATS.items())
    @pytest.mark.parametrize("accept", [None, BROWSER, "image/png", "*/*;q=0"])
    def test_every_metadata_format_has_a_name(
        self, light: System, forms: str, tombstone: str, *, name: str, content_type: str, accept: str | None
    ) -> None:
        for path, status in ((forms, 200), (tombstone, 410)):
            for written in (name, name.upper()):
                answer = light.get(path, query=f"format={written}", accept=accept)
                assert (answer.status, answer.headers["content-type"]) == (status, content_type)
                assert answer.body

    def test_an_unknown_format_is_406_of_whatever(self, light: System, thing: str, tombstone: str) -> None:
        for path in (thing, tombstone):
            assert light.get(path, query="format=nonsense").is_problem(406, "unknown-format")

    @pytest.mark.parametrize("query", ["format=pdf", "version=2024-draft", "lang=de", "version=1&lang=de"])
    def test_a_withdrawn_record_is_410_in_every_form(self, light: System, tombstone: str, query: str) -> None:
        for accept in (None, BROWSER, LINKID):
            answer = light.get(tombstone, query=query, accept=accept)
            assert answer.status == 410
            assert "version=2024-draft" not in answer.body


class TestVersions:
    @pytest.mark.parametrize("format_", ["linkid", "jsonld", "ttl", "erc", "html"])
    def test_a_metadata_format_with_a_version_is_that_version_of_the_record(
        self, light: System, changed: str, format_: str
    ) -> None:
        for number, what in ((2, "Second"), (3, "Third")):
            answer = light.get(changed, query=f"format={format_}&version={number}")
            assert answer.status == 200
            assert what in answer.body
        assert "Third" in light.get(changed, query=f"format={format_}").body

    @pytest.mark.parametrize("accept", [LINKID, f"{LINKID}, text/csv, */*", "text/turtle", "application/json"])
    def test_so_it_is_where_accept_names_the_metadata(self, light: System, changed: str, accept: str) -> None:
        for number, what in ((2, "Second"), (3, "Third")):
            answer = light.get(changed, query=f"version={number}", accept=accept)
            assert answer.status == 200
            assert what in answer.body
        for other in ("1", "4", "x"):  # the first was reserved
            assert light.get(changed, query=f"version={other}", accept=accept).is_problem(404, "unknown-version")

    def test_a_version_alone_is_one_of_a_location(self, light: System, changed: str) -> None:
        for accept in (None, "*/*", "application/pdf"):
            assert light.get(changed, query="version=2", accept=accept).is_problem(406, "no-such-form")
        assert light.get(changed, query="version=2", accept=BROWSER).status == 406

    def test_the_page_of_a_version_leads_to_that_version_in_other_formats(self, light: System, changed: str) -> None:
        page = light.get(changed, query="format=html&version=2").body
        sections = [each for each in page.split("<section") if re.search(r'<h2 id="(forms|cite)"', each)]
        links = re.findall(r'href="([^"]*)"', "".join(sections))
        formats = [link.replace("&amp;", "&") for link in links if "format=" in link]
        assert formats
        for link in formats:
            path, _, query = link.removeprefix(BASE_URL).partition("?")
            answer = light.get(path or changed, query=query)
            assert answer.status == 200
            assert "Third" not in answer.body

    def test_a_past_version_is_the_one_that_was_signed(self, light: System, changed: str) -> None:
        second, third = (light.get(changed, query=f"format=linkid&version={number}").json() for number in (2, 3))
        assert (second["version"], third["version"]) == (2, 3)
        assert second["proof"] == light.get(changed, query="format=jws&version=2").body
        assert second["proof"] != third["proof"]

    @pytest.mark.parametrize("number", ["1", "0", "4", "-1", "+2", "02", "2.0", "x", "", "%D9%A2", "9999999999", "1e0"])
    def test_one_that_was_reserved_or_never_was_is_404(self, light: System, changed: str, number: str) -> None:
        answer = light.get(changed, query=f"format=linkid&version={number}")
        assert answer.is_problem(404, "unknown-version")
        assert "First" not in answer.body

    def test_versions_of_what_is_gone_stay_readable_and_the_tombstone_is_the_last(
        self, light: System, plain: str
    ) -> None:
        path = gone(light, plain, metadata={"what": "It"})
        first = light.get(path, query="format=linkid&version=1")
        assert (first.status, first.json()["status"]) == (200, "active")
        last = light.get(path, query="format=linkid&version=2")
        assert (last.status, last.json()["status"]) == (410, "withdrawn")
        assert light.get(path, query="format=linkid&version=3").is_problem(404, "unknown-version")


class TestInflections:
    @pytest.mark.parametrize("query", ["info", "info=", "info&x=1", "?", "%3F"])
    def test_programs_get_the_citation_with_a_thump_status(self, light: System, thing: str, query: str) -> None:
        for accept in (None, "*/*", "image/png", "text/plain"):
            answer = light.get(thing, query=query, accept=accept)
            assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
            assert answer.body.startswith("erc:\nwho: Lee, Ann\nwhat: A thing\nwhen: 2025\nwhere: ")
            assert answer.headers["thump-status"] == "0.6 200 OK"
            assert f'<{BASE_URL}{thing}>; rel="describes"' in answer.headers["link"]

    @pytest.mark.parametrize("query", ["info", "?"])
    def test_browsers_get_the_page_and_programs_what_they_name(self, light: System, thing: str, query: str) -> None:
        for accept, content_type in (
            (BROWSER, "text/html; charset=utf-8"),
            (LINKID, LINKID),
            ("application/json", "application/json"),
            ("text/turtle, */*;q=0.1", "text/turtle; charset=utf-8"),
            ("text/plain;q=0, */*", LINKID),
        ):
            answer = light.get(thing, query=query, accept=accept)
            assert (answer.status, answer.headers["content-type"]) == (200, content_type)
            assert "thump-status" not in answer.headers

    @pytest.mark.parametrize("query", ["info", "?", "format=erc"])
    def test_a_tombstone_is_cited_as_gone(self, light: System, tombstone: str, query: str) -> None:
        answer = light.get(tombstone, query=query)
        assert (answer.status, answer.headers["thump-status"]) == (410, "0.6 410 Gone")
        assert "\nstatus: withdrawn\n" in answer.body

    def test_a_lone_question_mark_requests_nothing(self, light: System, thing: str) -> None:
        assert light.get(thing, query="").status == 302
