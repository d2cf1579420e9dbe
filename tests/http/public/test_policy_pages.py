"""The pages of policies, `security.txt`, and the files that browsers request."""

import re
from xml.etree import ElementTree as ET

import pytest

from coolid.aws.settings import InvalidSettings
from coolid.http.message import Request, Response
from coolid.http.operator.policies import LOGGING, PERSISTENCE, POLICIES, TERMS, Notices, policy_url
from coolid.http.public.policy_pages import PolicyPages
from coolid.registry.directory import Directory
from coolid.resolution.caching_reader import CachingReader
from coolid.wiring.notices import MAX_LENGTH, read_notices
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.system import System
from tests.support.stores.memory_store import MemoryStore

CONTACT = {"SECURITY_CONTACT": "mailto:security@example.org", "SECURITY_EXPIRES": "2027-01-01T00:00:00Z"}


def answer(path: str, notices: Notices) -> Response:
    reader = CachingReader(MemoryStore(), lambda: 0.0)
    routes = PolicyPages(reader, BASE_URL, Directory(), notices).routes()
    route = next(each for each in routes if each.path == path)
    return route.endpoints["GET"](Request("GET", path), "")


@pytest.mark.parametrize("policy", POLICIES)
def test_each_policy_has_a_page_that_the_others_link_to(light: System, policy: str) -> None:
    url = policy_url(BASE_URL, policy)
    page = light.get(url.removeprefix(BASE_URL))
    assert page.status == 200
    assert "The operator of this service has published no statement" in page.body
    for other in POLICIES:
        body = light.get(f"/pages/{other}").body
        assert (f'href="{url}"' in body) == (other != policy or policy == PERSISTENCE)  # which every page links to
    assert light.get("/.well-known/linkid-resolver").json()["policies"][policy] == url


def test_the_persistence_policy_lists_the_commitments_of_repositories(light: System) -> None:
    assert "What the owners of identifiers promise" in light.get("/pages/persistence").body


def test_an_operators_text_comes_first_and_is_escaped() -> None:
    body = str(answer("/pages/terms", Notices(terms="Be kind.\n\n<script>")).body)
    assert re.search(r"<p[^>]*>Be kind.</p>\s*<p[^>]*>&lt;script&gt;</p>", body)


def test_a_policy_redirects_to_the_operators_page() -> None:
    notices = read_notices({"POLICIES_URL": "https://example.org/pid", "TERMS_OF_USE": "https://example.org/terms"})
    locations = [answer(f"/pages/{policy}", notices).headers["Location"] for policy in (PERSISTENCE, LOGGING, TERMS)]
    assert locations == [
        "https://example.org/pid#persistence", "https://example.org/pid#logging", "https://example.org/terms"
    ]  # fmt: skip


def test_security_txt_has_the_contact_and_its_expiry(light: System) -> None:
    body = str(answer("/.well-known/security.txt", read_notices(CONTACT)).body)
    assert body.splitlines()[:2] == ["Contact: mailto:security@example.org", "Expires: 2027-01-01T00:00:00Z"]
    assert f"Canonical: {BASE_URL}/.well-known/security.txt\n" in body
    assert light.get("/.well-known/security.txt").is_problem(404, "no-such-address")


@pytest.mark.parametrize(
    "setting",
    [
        {"SECURITY_CONTACT": "security@example.org"},
        {"SECURITY_CONTACT": "mailto:a@example.org\nExpires: x"},
        {"SECURITY_EXPIRES": "2027-01-01"},
        {"SECURITY_EXPIRES": "2027-02-30T00:00:00Z"},
        {"TERMS_OF_USE": "x" * (MAX_LENGTH + 1)},
        {"LOGGING_POLICY": "\x1b"},
        {"POLICIES_URL": "example.org"},
    ],
)
def test_invalid_notices_are_refused(setting: dict[str, str]) -> None:
    with pytest.raises(InvalidSettings, match=next(iter(setting))):
        read_notices(setting)


def test_browsers_get_an_icon_and_a_description_of_the_search(light: System) -> None:
    icon = light.get("/favicon.ico")
    assert (icon.status, icon.headers["content-type"], icon.content[:6]) == (
        200, "image/x-icon", b"\0\0\1\0\2\0"
    )  # fmt: skip
    description = light.get("/pages/opensearch.xml")
    assert description.headers["content-type"] == "application/opensearchdescription+xml"
    root = ET.fromstring(description.body)  # noqa: S314 - our own text
    name = root.find("{*}ShortName")
    assert name is not None
    assert 0 < len(name.text or "") <= 16
    templates = [each.attrib["template"] for each in root.iterfind("{*}Url")]
    assert templates[0] == f"{BASE_URL}/?q={{searchTerms}}"
    assert f'href="{BASE_URL}/pages/opensearch.xml"' in light.get("/").body
    assert light.get("/", query="q=demo").status == 303
