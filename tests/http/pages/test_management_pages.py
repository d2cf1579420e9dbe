"""The management pages without scripts: the same for everybody, cached, and unable to send a key."""

import re

import pytest

from coolid.http.message import Request
from coolid.http.public.management_pages import PAGES, ManagementPages
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
PATHS = [page.path for page in PAGES]


@pytest.mark.parametrize("path", PATHS)
def test_it_is_the_same_for_everybody_and_cached(light: System, path: str) -> None:
    answer = light.get(path, accept=BROWSER)
    assert answer.status == 200
    assert "max-age=3600" in answer.headers["cache-control"]
    assert answer.headers["x-robots-tag"] == "noindex"
    assert light.get(path, query="key=x&q=%3Cb%3E").body == answer.body
    assert light.request("GET", path, key=light.admin_key).body == answer.body
    assert light.request("POST", path).status == 405


@pytest.mark.parametrize("path", PATHS)
def test_no_script_or_style_is_inline_and_the_policy_allows_this_service_only(light: System, path: str) -> None:
    answer = light.get(path, accept=BROWSER)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "form-action 'none'" in policy
    assert "unsafe" not in policy
    scripts = re.findall(r"<script([^>]*)>([^<]*)</script>", answer.body)
    assert all("src=" in attributes or "application/json" in attributes for attributes, _ in scripts)
    assert " style=" not in answer.body


@pytest.mark.parametrize("path", PATHS)
def test_the_browser_cannot_send_the_form_with_the_key(light: System, path: str) -> None:
    body = light.get(path, accept=BROWSER).body
    (form,) = re.findall('<form id="gate-form".*?</form>', body, re.DOTALL)
    assert 'method="post"' in form
    assert re.findall("<button[^>]* disabled>", form)
    (key,) = re.findall('<input id="gate-key"[^>]*>', form)
    assert 'type="password"' in key
    assert "name=" not in key


@pytest.mark.parametrize("path", PATHS)
def test_the_content_is_hidden_until_the_reader_signs_in(light: System, path: str) -> None:
    body = light.get(path, accept=BROWSER).body
    for part in ("manage-bar", "gate", "page", "manage-elsewhere"):
        assert re.search(f'<[a-z]+ [^>]*id="{part}"[^>]* hidden', body), part
    assert "This page needs scripts" in body


@pytest.mark.parametrize("path", PATHS)
def test_it_links_to_the_others_and_names_itself(light: System, path: str) -> None:
    body = light.get(path, accept=BROWSER).body
    linked = set(re.findall(r'href="https://id\.example\.org(/pages/manage[^"]*)"', body))
    assert {page.path for page in PAGES if page.label} <= linked
    assert body.count('aria-current="page"') == sum(page.path == path for page in PAGES if page.label)


def test_there_is_no_other_page_below(light: System) -> None:
    assert light.get("/pages/manage/nothing").status == 404
    assert light.get("/pages/manage/../mint").status in {400, 404}


def test_only_pages_with_files_may_send_requests_to_where_the_files_are() -> None:
    files = "https://files.s3.eu-central-1.amazonaws.com"
    pages = ManagementPages(BASE_URL, files)
    for page in PAGES:
        policy = pages.page(Request("GET", page.path), page.name).headers["Content-Security-Policy"]
        (connects,) = re.findall("connect-src ([^;]*);", policy)
        assert connects.split() == [f"{BASE_URL}/", *([files] if page.name in {"bulk", "job"} else [])]
        assert policy.count(files) == (files in connects)
