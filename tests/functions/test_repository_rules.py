"""The rules of a repository over HTTP: redirect status, lifetimes, default targets, choices."""

import re
from typing import Any

import pytest

from tests.functions.managed_records import BROWSER, HERE, LINKID, alias, mint
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

PDF, PNG = "application/pdf", "image/png"


@pytest.fixture(scope="session")
def plain(light: System) -> str:
    """A prefix of a repository without special rules."""
    return alias(
        light,
    )


@pytest.fixture(scope="session")
def two(light: System) -> str:
    """A record of two locations that are equally good, and one that is not."""
    places = [
        {"uri": f"{HERE}/a", "mediaType": PDF},
        {"uri": f"{HERE}/b", "mediaType": PDF},
        {"uri": f"{HERE}/c", "mediaType": PDF, "quality": 0.5},
    ]
    return mint(light, alias(light, "choices", choices=True), records=places)


class TestRepositoryRules:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_redirects_have_the_repositorys_status_and_all_other_headers_alike(
        self, light: System, status: int
    ) -> None:
        path = mint(light, alias(light, redirect=status))
        answer = light.get(path)
        assert (answer.status, answer.headers["location"]) == (status, HERE)
        assert {"etag", "link", "last-modified", "vary", "cache-control"} <= answer.headers.keys()
        known = light.get(path, If_None_Match=answer.headers["etag"])
        assert (known.status, known.headers["location"]) == (304, HERE)

    @pytest.mark.parametrize("status", [200, 300, 304, 305, 306, 404, "302", None])
    def test_no_other_status_can_be_had(self, light: System, status: Any) -> None:
        answer = light.admin("POST", "/api/v1/repositories", {"title": "x", "redirect": status})
        assert answer.is_problem(422, "invalid-input")

    @pytest.mark.parametrize(
        ("repositorys", "records", "expected"), [(60, None, 60), (60, 7, 7), (60, 0, 0), (0, 9, 9)]
    )
    @pytest.mark.parametrize("query", ["", "format=linkid", "format=html", "info"])
    def test_a_records_lifetime_comes_before_its_repositorys(
        self, light: System, repositorys: int, records: int | None, expected: int, query: str
    ) -> None:
        path = mint(light, alias(light, ttl=repositorys), **({} if records is None else {"ttl": records}))
        control = light.get(path, query=query).headers["cache-control"]
        assert control.startswith(f"public, max-age={expected}, s-maxage={expected}, ")

    def test_the_default_target_is_for_records_without_a_location(self, light: System) -> None:
        prefix = alias(light, target="https://items.example/{$id}/view?id={$id}")
        path = mint(light, prefix, records=[])
        identifier = path.partition(":")[2]
        assert light.get(path).headers["location"] == f"https://items.example/{identifier}/view?id={identifier}"
        assert light.get(path, accept=LINKID).json()["records"] == []
        assert light.get(mint(light, prefix)).headers["location"] == HERE

    def test_the_identifier_arrives_at_the_default_target_whole(self, light: System) -> None:
        rules = {"pattern": ".{1,80}", "example": "x"}
        prefix = alias(light, scheme="chosen", rules=rules, target="https://items.example/get?id={$id}")
        awkward = "a b&c=d+e#f?g%41é/h"
        minted = light.mint({"prefix": prefix, "id": awkward}).json()
        answer = light.get(minted["pid"].removeprefix(BASE_URL))
        assert answer.headers["location"] == "https://items.example/get?id=a%20b%26c=d%2Be%23f%3Fg%2541%C3%A9/h"
        assert answer.canonical == minted["pid"]

    @pytest.mark.parametrize(
        ("target", "domains"),
        [
            ("https://items.example/", []),
            ("https://items.example/{id}", []),
            ("https://{$id}.items.example/", []),
            ("https://items.example{$id}", []),
            ("https://user@items.example/{$id}", []),
            ("ftp://items.example/{$id}", []),
            ("javascript:{$id}", []),
            ("//items.example/{$id}", []),
            ("https://items.example\\{$id}", []),
            ("https://0x7f000001/{$id}", []),
            ("https://items.example/{$id}", ["other.example"]),
            ("https://evil-other.example/{$id}", ["other.example"]),
        ],
    )
    def test_a_default_target_is_judged_when_it_is_given(self, light: System, target: str, domains: list[str]) -> None:
        answer = light.admin("POST", "/api/v1/repositories", {"title": "x", "target": target, "domains": domains})
        assert answer.is_problem(422, "invalid-input")
        assert answer.json()["errors"][0]["pointer"] == "/target"


class TestChoices:
    @pytest.mark.parametrize("accept", [None, "*/*", PDF, "text/html;q=0.1, */*"])
    def test_programs_get_the_equally_good_ones_as_json(self, light: System, two: str, accept: str | None) -> None:
        answer = light.get(two, accept=accept)
        assert (answer.status, answer.headers["content-type"]) == (300, "application/json")
        document = answer.json()
        assert [each["uri"] for each in document["choices"]] == [f"{HERE}/a", f"{HERE}/b"]
        assert document["pid"] == answer.canonical
        assert "location" not in answer.headers

    def test_browsers_get_a_page_of_links(self, light: System, two: str) -> None:
        answer = light.get(two, accept=BROWSER)
        assert (answer.status, answer.headers["content-type"]) == (300, "text/html; charset=utf-8")
        assert re.findall(r'href="([^"]*here/[^"]*)"', answer.body) == [f"{HERE}/a", f"{HERE}/b"]

    @pytest.mark.parametrize("accept", ["application/json;q=0, */*", f"application/json;q=0, {PDF}"])
    def test_a_request_that_excludes_json_gets_a_page_as_well(self, light: System, two: str, accept: str) -> None:
        answer = light.get(two, accept=accept)
        assert (answer.status, answer.headers["content-type"]) == (300, "text/html; charset=utf-8")

    @pytest.mark.parametrize(
        "better", [{"quality": 1.0}, {"mediaType": PNG, "quality": 1.0}, {"language": "en", "quality": 1.0}]
    )
    def test_there_is_no_choice_when_one_is_better(self, light: System, two: str, better: dict[str, Any]) -> None:
        rest = [{"uri": f"{HERE}/{name}", "quality": 0.9} for name in "ab"]
        path = mint(light, "choices", records=[*rest, {"uri": f"{HERE}/best", **better}])
        answer = light.get(path)
        assert (answer.status, answer.headers["location"]) == (302, f"{HERE}/best")

    def test_a_preference_decides(self, light: System, two: str) -> None:
        path = mint(
            light,
            "choices",
            records=[{"uri": f"{HERE}/en", "language": "en"}, {"uri": f"{HERE}/de", "language": "de"}],
        )
        assert light.get(path).status == 300
        assert light.get(path, Accept_Language="de").headers["location"] == f"{HERE}/de"
        assert light.get(path, query="lang=en").headers["location"] == f"{HERE}/en"

    def test_there_is_no_choice_where_the_repository_offers_none(self, light: System, plain: str) -> None:
        path = mint(light, plain, records=[{"uri": f"{HERE}/a"}, {"uri": f"{HERE}/b"}])
        assert light.get(path).headers["location"] == f"{HERE}/a"

    def test_what_is_over_is_no_choice(self, light: System, two: str) -> None:
        over = {"uri": f"{HERE}/old", "validUntil": "2025-01-01T00:00:00Z"}
        path = mint(light, "choices", records=[over, {"uri": f"{HERE}/a"}])
        assert light.get(path).headers["location"] == f"{HERE}/a"

    def test_metadata_is_there_as_usual(self, light: System, two: str) -> None:
        assert light.get(two, accept=LINKID).status == 200
        assert light.get(two, query="info").status == 200

    @pytest.mark.parametrize("accept", [None, BROWSER])
    def test_it_is_cached_like_a_redirect(self, light: System, two: str, accept: str | None) -> None:
        answer = light.get(two, accept=accept)
        assert answer.headers["cache-control"].startswith("public, max-age=300, s-maxage=300, ")
        assert answer.headers["vary"] == "Accept, Accept-Language, Accept-Datetime"
        assert "last-modified" in answer.headers
        known = light.get(two, accept=accept, If_None_Match=answer.headers["etag"])
        assert (known.status, known.body, known.headers["etag"]) == (304, "", answer.headers["etag"])

    def test_parsing_explains_the_choice(self, light: System, two: str) -> None:
        parsed = light.get("/api/v1/parse", query=f"id={two[1:]}").json()
        assert parsed["location"] is None
        assert parsed["steps"][-1]["step"] == "choice"
