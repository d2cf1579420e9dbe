"""Rules for every page, without a browser: readable by everybody, limited by its policy, and small.

`tests/browser/test_every_page.py` checks the same pages in Chromium.
"""

import re
from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest

from coolid.http import assets
from coolid.http.pages import content_security_policy
from tests.support.builders.naughty_strings import headers_are_sound, headings, page_is_sound, parsed
from tests.support.builders.page_catalog import BROWSER, STATUSES, Catalogue
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import Answer, System

MOST_BYTES = 60_000

IMPORTED = re.compile(r"""^(?:import|export)\b(?:[^"';=]*\bfrom)? *["'](\.[^"']+)["']""", re.MULTILINE)
IMPORTED_LATER = re.compile(r"""\bimport\(["'](\.[^"']+)["']\)""")


@pytest.fixture(scope="session")
def answers(furnished: System, catalogue: Catalogue) -> dict[str, Answer]:
    """What a browser gets of every kind."""
    return {name: get(furnished, kind.path) for name, kind in catalogue.kinds.items()}


@pytest.fixture(params=STATUSES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def answer(answers: Mapping[str, Answer], name: str) -> Answer:
    answer = answers[name]
    assert answer.headers["content-type"] == "text/html; charset=utf-8", answer
    return answer


@pytest.fixture
def document(answer: Answer) -> Any:
    return parsed(answer.body)


def get(system: System, path: str, **headers: str) -> Answer:
    path, _, query = path.partition("?")
    return system.get(path, query=query, accept=BROWSER, **headers)


def addresses(document: Any) -> Iterator[tuple[Any, str, str]]:
    """All that a page leads to, loads or sends to: the element, the attribute, the address."""
    for element in document.iter():
        for attribute in ("href", "src", "action"):
            if element.get(attribute) is not None:
                yield element, attribute, element.get(attribute)


def loaded(document: Any, *imports: re.Pattern[str]) -> set[str]:
    """The names of the assets that a page loads, and which these load."""
    names: set[str] = set()
    every = [address for element, _, address in addresses(document) if element.tag in ("link", "script", "img")]
    waiting = [address.partition("/static/")[2].partition("/")[2] for address in every if "/static/" in address]
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            content, folder = assets.assets()[name].content, name.rpartition("/")[0]
            imported = [each for shape in (IMPORTED, *imports) for each in shape.findall(content)]
            waiting += [normpath(f"{folder}/{each}").strip("/") for each in imported]
    return names


def test_it_comes_with_its_status_and_headers(name: str, answer: Answer) -> None:
    assert answer.status == STATUSES[name]
    headers_are_sound(answer.headers)
    leads = any(form.get("action") for form in parsed(answer.body).iter("form"))
    assert answer.headers["content-security-policy"] == content_security_policy(BASE_URL, has_form=leads)
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "strict-origin-when-cross-origin"
    assert answer.headers["content-language"] == "en"
    assert "cache-control" in answer.headers
    assert "set-cookie" not in answer.headers


def test_what_ails_a_record_stands_on_its_page_and_on_no_other(answers: Mapping[str, Answer]) -> None:
    returned = {name: answer.body.count("This is the result of the last check") for name, answer in answers.items()}
    assert {name for name, times in returned.items() if times} == {"record, dead"}
    page = answers["record, dead"].body
    for said in ("Unreachable since", "Sometimes unreachable since", "Its server redirects permanently to:"):
        assert said in page


def test_it_depends_on_the_language_and_says_so(name: str, answer: Answer) -> None:
    if answer.headers["cache-control"] != "no-store":
        assert {"accept", "accept-language"} <= set(re.split(", *", answer.headers["vary"].lower()))


def test_it_has_nothing_of_its_own_to_run_and_loads_nothing_of_others(answer: Answer) -> None:
    page_is_sound(answer.body)


def test_it_has_a_language_a_title_and_one_first_heading(answer: Answer, document: Any) -> None:
    assert document.get("lang") == "en"
    (title,) = document.findall(".//title")
    assert title.text_content().strip()
    headings(document)
    assert all(cell.get("scope") in ("col", "row") for cell in document.iter("th"))
    assert document.find(".//h1").text_content().strip()
    assert len({element.get("id") for element in document.iter() if element.get("id")}) == answer.body.count(' id="')


def test_whatever_is_filled_in_has_a_label(document: Any) -> None:
    for control in document.iter("input", "select", "textarea"):
        if control.get("type") in ("hidden", "submit", "button"):
            continue
        labelled = {label.get("for") for label in document.iter("label")}
        inside = any(parent.tag == "label" for parent in control.iterancestors())
        assert inside or control.get("id") in labelled or control.get("aria-label"), control.attrib


def test_with_all_that_it_loads_it_is_small(answer: Answer, document: Any) -> None:
    sizes = {name: len(assets.assets()[name].content.encode()) for name in loaded(document)}
    sizes["the page"] = len(answer.body.encode())
    assert sum(sizes.values()) < MOST_BYTES, dict(sorted(sizes.items(), key=lambda each: -each[1]))


def test_whatever_it_leads_to_here_is_there(
    furnished: System, catalogue: Catalogue, answers: Mapping[str, Answer], name: str, document: Any
) -> None:
    here = BASE_URL + catalogue.kinds[name].path
    for element, attribute, address in addresses(document):
        target, fragment = urldefrag(urljoin(here, address))
        if not target.startswith(f"{BASE_URL}/"):
            continue
        known = next((each for each, kind in catalogue.kinds.items() if BASE_URL + kind.path == target), None)
        there = answers[known] if known else get(furnished, target.removeprefix(BASE_URL))
        if target != here:
            assert there.status not in {404, 405, 500}, (element.tag, attribute, address, there.status)
        if fragment and "/pages/manage/" not in target:  # there, it is what the page shows
            assert f'id="{fragment}"' in there.body, address


def test_head_says_the_same_without_it(furnished: System, catalogue: Catalogue, answer: Answer, name: str) -> None:
    path, _, query = catalogue.kinds[name].path.partition("?")
    head = furnished.request("HEAD", path, query=query, headers=[("Accept", BROWSER)])
    assert (head.status, head.body) == (answer.status, "")
    assert head.headers["content-type"] == answer.headers["content-type"]


def test_every_asset_that_templates_load_is_there_and_each_is_loaded_by_some_page(
    answers: Mapping[str, Answer],
) -> None:
    used = {name for answer in answers.values() for name in loaded(parsed(answer.body), IMPORTED_LATER)}
    assert used == set(assets.assets())
