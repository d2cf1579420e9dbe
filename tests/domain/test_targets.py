"""Targets: judged as a browser would, never repaired."""

import string

import can_ada
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.domain.targets import MOST_BYTES, objection

HOSTILE = [
    "https://example.org\\@evil.com",
    "https://example.org\\.evil.com/",
    "https:\\\\evil.com",
    "https:evil.com",
    "https:/evil.com",
    "https:///evil.com",
    "https:////evil.com/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://017700000001/",
    "http://127.1/",
    "http://127.0.1/",
    "http://0177.0.0.1/",
    "http://0x7f.0.0.1/",
    "http://127.0.0.1./",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "javascript:alert(1)",
    "java\tscript:alert(1)",
    "\tjavascript:alert(1)",
    "https://exa\tmple.org/",
    "https://example.org/\r\nSet-Cookie: a=b",
    "https://example.org/\nx",
    "https://example.org/\x00",
    "https://example.org/\x7f",
    " https://example.org/",
    "https://example.org/ ",
    "https://example.org/a b",
    "https://user@example.org/",
    "https://user:secret@example.org/",
    "https://example.org@evil.com/",
    "https://@example.org/",
    "https://:@example.org/",
    "https://example.org:99999/",
    "https://example.org:0x50/",
    "https://example.org:80:90/",
    "https://example.org:-1/",
    "https://example%2eorg/",
    "https://ex%61mple.org/",
    "https://example.org%2fevil.com/",
    "https://example.org%00.evil.com/",
    "https://%65xample.org/",
    "https://example.org，evil.com/",
    "https://éxample.org/",
    "https://example。org/",
    "https://ex\u00adample.org/",
    "https://xn--a/",
    "https://exa<mple.org/",
    "https://exa^mple.org/",
    "https://[::1/",
    "https://",
    "https://?",
    "https://#",
    "http:",
    "",
    "//example.org/",
    "example.org",
    "ftp://example.org/",
    "data:text/html,x",
    "file:///etc/passwd",
    "https://example.org/é",
    "https://example.org/\u202e",
    "https://example.org/\ud800",
    "https://example.org/" + "a" * 3_000,
]

HONEST = [
    "https://example.org",
    "https://example.org/",
    "http://example.org/a%2Fb",
    "https://example.org/a/%2e%2e/b",
    "https://example.org/a/../b",
    "https://example.org/a+b?x=1+2&y=%20&z=//a@b:c#part?/x",
    "https://EXAMPLE.org/CASE",
    "HTTPS://example.org/",
    "https://example.org:443/",
    "https://example.org:8443/",
    "http://example.org:80/",
    "https://sub.sub.example.co.uk/",
    "https://xn--bcher-kva.example/",
    "https://192.0.2.1/",
    "https://[2001:db8::1]:8443/x",
    "https://example.org/x@y",
    "https://example.org/-._~!$&'()*+,;=:@",
    "https://example.org/100%",
    "https://a-b.example/_",
    "https://example.org?q",
    "https://example.org#f",
]


@pytest.mark.parametrize("uri", HOSTILE)
def test_a_hostile_target_is_refused_with_a_reason(uri: str) -> None:
    assert objection(uri)


@pytest.mark.parametrize("uri", HONEST)
def test_an_honest_target_passes(uri: str) -> None:
    assert objection(uri) is None


@given(
    st.text(string.printable + "é\\@\x00\u202e", max_size=60),
    st.sampled_from(["", "http://", "https://", "https://a@"]),
)
def test_what_passes_goes_where_it_says_it_goes(rest: str, beginning: str) -> None:
    """Whatever passes has one http(s) host, the one written, no credentials, and nothing that a header cannot carry."""
    uri = beginning + rest
    if objection(uri) is None:
        parsed = can_ada.parse(uri)
        authority = uri.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0].lower()
        assert parsed.protocol in ("http:", "https:")
        assert authority in (parsed.host, f"{parsed.host}:80", f"{parsed.host}:443")
        assert (parsed.username, parsed.password) == ("", "")
        assert all("!" <= symbol <= "~" for symbol in uri)


def test_the_limit_is_2048_bytes() -> None:
    assert objection("https://example.org/" + "a" * (MOST_BYTES - 20)) is None
    assert objection("https://example.org/" + "a" * (MOST_BYTES - 19))


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("example.org", True),
        ("EXAMPLE.org", True),
        ("www.example.org", True),
        ("a.b.example.org:8443", True),
        ("example.net", False),
        ("badexample.org", False),
        ("example.org.evil.com", False),
        ("evil.com", False),
        ("org", False),
    ],
)
def test_domains_allow_themselves_and_what_is_below_them(host: str, allowed: bool) -> None:
    uri = f"https://{host}/x?example.org"
    assert (objection(uri, ["example.org", "other.example"]) is None) is allowed
    assert objection(uri) is None
