"""The host, port and target of a URL."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.net.failures import RequestRefused
from coolid.net.request_target import MAX_URL_BYTES, parse_target

LOOPBACK = ("127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "①②⑦.0.0.1", "%31%32%37.0.0.1", "127。0。0。1")


@pytest.mark.parametrize("host", LOOPBACK)
def test_an_address_is_seen_for_what_it_is_however_it_is_written(host: str) -> None:
    assert parse_target(f"http://{host}/").host == "127.0.0.1"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://a.example/", "not on the Web"),
        ("file:///etc/passwd", "not on the Web"),
        ("gopher://127.0.0.1:70/", "not on the Web"),
        ("javascript:alert(1)", "not on the Web"),
        ("http://user@a.example/", "credentials"),
        ("http://:word@a.example/", "credentials"),
        ("http://a.example:25/", "port"),
        ("https://a.example:6667/", "port"),
        ("http://[fe80::1%25eth0]/", "not a URL"),
        ("http://a b/", "not a URL"),
        ("http://1.2.3.4.5/", "not a URL"),
        ("/path", "not a URL"),
        ("http://\ud800.example/", "not a URL"),
        ("http://a.example/" + "x" * MAX_URL_BYTES, "too long"),
        ("http://a.example/" + "é" * 2_000, "cannot be sent"),
        ("", "not a URL"),
    ],
)
def test_nobody_goes_where_no_browser_would(url: str, reason: str) -> None:
    with pytest.raises(RequestRefused, match=reason):
        parse_target(url)


def test_a_redirect_is_relative_to_where_it_came_from_and_keeps_the_fragment_unless_it_has_one() -> None:
    place = parse_target("https://a.example:8443/x/y?q#f")
    assert place.redirect_target("z").url_with_fragment == "https://a.example:8443/x/z#f"
    assert place.redirect_target("//b.example/").url_with_fragment == "https://b.example/#f"
    assert place.redirect_target("#g").url_with_fragment == "https://a.example:8443/x/y?q#g"
    assert (place.authority, place.path_and_query) == ("a.example:8443", "/x/y?q")


@given(st.text() | st.text().map("http://".__add__) | st.text().map("https://a.example/".__add__))
def test_whatever_is_a_place_can_be_put_into_a_request_and_is_the_same_when_read_again(url: str) -> None:
    with suppress(RequestRefused):
        place = parse_target(url)
        assert place == parse_target(place.url_with_fragment)
        for part in (place.path_and_query, place.authority):
            assert part.isascii()
            assert part.isprintable()
            assert " " not in part
        assert place.path_and_query.startswith("/")


@given(st.text())
def test_whatever_a_redirect_says_leads_to_a_place_or_is_refused(location: str) -> None:
    with suppress(RequestRefused):
        place = parse_target("https://a.example/x?y#z").redirect_target(location)
        assert place.url.startswith(("http://", "https://"))
