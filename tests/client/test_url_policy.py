"""The URL policy: HTTPS only, except on loopback; no redirect to loopback or to plain http."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.client.errors import RefusedByClient
from coolid.client.url_policy import MAX_URL_BYTES, checked, is_loopback, redirect_target


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8080/", "http://127.9.9.9/", "http://[::1]/", "http://localhost:1/", "https://example.org/"],
)
def test_https_is_allowed_and_http_on_loopback(url: str) -> None:
    assert checked(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "http://localhost.example.org/",
        "http://128.0.0.1/",
        "ftp://127.0.0.1/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "https://user:secret@example.org/",
        "https://user@example.org/",
        "http://127.0.0.1@example.org/",
        "https://",
        "nonsense",
        "",
        "https://exa mple.org/",
        "https://example.org/\udcff",
        "https://example.org/" + "x" * MAX_URL_BYTES,
        "https://example.org/" + " " * 3000 + "x",
    ],
    ids=lambda url: url[:40].encode("ascii", "replace").decode() or "nothing",
)
def test_anything_else_is_refused(url: str) -> None:
    with pytest.raises(RefusedByClient):
        checked(url)


def test_a_redirect_from_https_to_http_is_refused_in_plain_words() -> None:
    with pytest.raises(RefusedByClient, match="refused to go from https to http"):
        redirect_target("https://example.org/", "http://example.org/")


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1/", "https://localhost/", "http://[::1]:80/", "http://2130706433/"]
)
def test_nobody_else_sends_the_client_to_this_machine(location: str) -> None:
    with pytest.raises(RefusedByClient, match="to this machine"):
        redirect_target("https://example.org/", location)
    assert redirect_target("http://127.0.0.1:8080/", location)


@pytest.mark.parametrize(
    ("location", "leads"),
    [
        ("/b", "https://example.org/b"),
        ("b", "https://example.org/a/b"),
        ("?q", "https://example.org/a/x?q"),
        ("//other.example/", "https://other.example/"),
        ("https:\\\\other.example\\b", "https://other.example/b"),
        ("https://example.org\\@evil.example/", "https://example.org/@evil.example/"),
        ("https://münchen.example/ä#b", "https://xn--mnchen-3ya.example/%C3%A4#b"),
    ],
)
def test_a_location_leads_where_a_browser_would_go(location: str, leads: str) -> None:
    assert redirect_target("https://example.org/a/x", location) == leads


@given(st.text(max_size=80))
def test_whatever_is_accepted_is_https_or_this_machine_and_stays_as_it_is(text: str) -> None:
    for base in ("https://example.org/", "http://127.0.0.1/"):
        try:
            url = redirect_target(base, text)
        except RefusedByClient:
            continue
        assert url.startswith("https://") or is_loopback(url)
        assert checked(url) == url
