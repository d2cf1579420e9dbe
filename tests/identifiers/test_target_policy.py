"""Targets: judged as a browser would, never repaired."""

import string
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import urlsplit

import can_ada
import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coolid.identifiers.target_policy import (
    MAX_BYTES,
    addition_objection,
    domain_objection,
    objection,
    origin_of,
    warning,
)
from coolid.model.prefixes import as_uri

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
    "http://[::ffff:7f00:1]/",
    "http://[::7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001::1]/",
    "http://[2001:DB8:0::1]/",
    "http://[::]/",
    "http://[::1%25eth0]/",
    "http://[fe80::1]/",
    "http://[ff02::1]/",
    "http://0.0.0.0/",
    "http://0/",
    "http://169.254.169.254/",
    "http://0xa9fea9fe/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://example.1/",
    "http://00127.0.0.1/",
    "http://①②⑦.0.0.1/",
    "javascript:alert(1)",
    "JavaScript://example.org/%0aalert(1)",
    "javascript\t:alert(1)",
    "https\t://example.org/",
    "ht\ntps://example.org/",
    "blob:https://example.org/x",
    "view-source:https://example.org/",
    "intent://example.org/#Intent;scheme=https;end",
    "wss://example.org/",
    "http+unix://example.org/",
    "https ://example.org/",
    "\ufeffhttps://example.org/",
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
    "https://example.org:65536/",
    "https://example.org:/",
    "https://example.org:0443/",
    "https://example.org:0/",
    "https://example.org:22/",
    "https://example.org:6667/",
    "https://example.org:٤٤٣/",
    "https://example.org:443@evil.com/",
    "https://example.org:8443\\@evil.com/",
    "https://example%2eorg/",
    "https://ex%61mple.org/",
    "https://example.org%2fevil.com/",
    "https://example.org%00.evil.com/",
    "https://%65xample.org/",
    "https://example.org，evil.com/",
    "https://éxample.org/",
    "https://example。org/",
    "https://ex\u00adample.org/",
    "https://ex\u200dample.org/",
    "https://ex\u200bample.org/",
    "https://ｅxample.org/",
    "https://example．org/",
    "https://example.org⁄a/",
    "https://a..example.org/",
    "https://.example.org/",
    "https://example.org../",
    "https://./",
    "https://" + "a" * 64 + ".example/",
    "https://" + "a." * 126 + "ab/",
    "https://xn--a/",
    "https://xn--/",
    "https://xn--example-/",
    "https://xn--" + "a" * 60 + ".example/",
    "https://exa<mple.org/",
    "https://exa^mple.org/",
    "https://example.org,evil.com/",
    "https://example.org;evil.com/",
    "https://example.org&evil.com/",
    "https://example.org=evil.com/",
    "https://example.org'/",
    'https://example.org"/',
    "https://*.example.org/",
    "https://{$id}.example.org/",
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
    "https://XN--BCHER-KVA.example/",
    "https://xn--pple-43d.example/",
    "https://example.org./",
    "https://" + "a." * 126 + "a/",
    "http://localhost:8080/",
    "http://127.0.0.1:8080/",
    "http://10.1.2.3/",
    "http://[::1]/",
    "https://[2606:4700::1111]/",
    "https://a_b.example/",
    "https://example.org/%2e%2e/%2F/%5C/%00/%0d%0a?%26=+#%23",
    "https://example.org:65535/",
    "https://192.0.2.1/",
    "https://[2001:db8::1]:8443/x",
    "https://example.org/x@y",
    "https://example.org/-._~!$&'()*+,;=:@",
    "https://example.org/100%",
    "https://a-b.example/_",
    "https://example.org?q",
    "https://example.org#f",
]


@pytest.mark.parametrize("uri", HOSTILE, ids=lambda uri: ascii(uri[:50]))
def test_a_hostile_target_is_refused_with_a_reason(uri: str) -> None:
    assert objection(uri)


@pytest.mark.parametrize("uri", HONEST)
def test_an_honest_target_passes(uri: str) -> None:
    assert objection(uri) is None


pieces = st.one_of(
    st.text(string.printable + "é\\@\x00\u202e", max_size=60),
    st.lists(
        st.sampled_from(
            ["example", ".", "org", ":", "@", "/", "\\", "?", "#", "%", "%2e", "[", "]", "::1", "0x7f", "127", "1",
             "443", "80", "99999", "xn--", "xn--bcher-kva", "A", "\t", " ", "。", "\xad", "-", "_"]
        ),
        max_size=8,
    ).map("".join),
)  # fmt: skip


@given(st.sampled_from(["", "http://", "https://", "https://a@", "https:", "HTTP://"]), pieces)
@example("https://", "example.org:443")
def test_an_accepted_url_leads_to_the_host_that_it_shows(beginning: str, rest: str) -> None:
    """Whatever passes has one http(s) host, the one written, no credentials, and nothing that a header cannot carry."""
    uri = beginning + rest
    if objection(uri) is None:
        parsed = can_ada.parse(uri)
        authority = uri.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0].lower()
        assert parsed.protocol in ("http:", "https:")
        assert authority in (parsed.host, f"{parsed.host}:80", f"{parsed.host}:443")
        assert (parsed.username, parsed.password) == ("", "")
        assert all("!" <= symbol <= "~" for symbol in uri)


@given(st.sampled_from(["http://", "https://", "HTTPS://example.org", "https://example.org/", "https:"]), pieces)
def test_what_passes_goes_to_the_same_host_in_programs_that_read_urls_otherwise(beginning: str, rest: str) -> None:
    """RFC 3986 (urllib) and httpx, where they take the URL at all: nothing that passes is read in two ways."""
    uri = beginning + rest
    if objection(uri):
        return
    host = can_ada.parse(uri).hostname
    split = urlsplit(uri)
    assert split.scheme in ("http", "https")
    assert (split.hostname or "").lower() == host.strip("[]")
    assert (split.username, split.password) == (None, None)
    try:
        other = httpx.URL(uri)
    except httpx.InvalidURL:
        return
    assert other.raw_host.decode() == host.strip("[]")
    assert other.userinfo == b""


@given(pieces)
def test_what_follows_the_host_does_not_change_where_it_goes(rest: str) -> None:
    for separator in "/?#":
        uri = f"https://example.org{separator}{rest}"
        if objection(uri) is None:
            assert origin_of(uri) == "https://example.org"
            assert urlsplit(uri).netloc == "example.org"


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["{0}", "0x{0:x}", "0{0:o}", "{1}.{2}", "{1}.{3}.{4}", "0x{1:x}.{3}.{4}"]),
)
def test_an_ipv4_address_passes_in_its_plain_form_alone(number: int, form: str) -> None:
    first, rest = divmod(number, 2**24)
    second, last = divmod(rest, 2**16)
    assert objection(f"http://{form.format(number, first, rest, second, last)}/")


@given(st.ip_addresses())
def test_of_an_address_one_spelling_passes_at_most(address: IPv4Address | IPv6Address) -> None:
    written = address.compressed if address.version == 4 else f"[{address.compressed}]"
    exploded = address.exploded if address.version == 4 else f"[{address.exploded}]"
    if objection(f"http://{written}/") is None:
        assert can_ada.parse(f"http://{written}/").hostname == written
        assert written == exploded or objection(f"http://{exploded}/")
        assert (warning(f"http://{written}/") is None) is address.is_global


@given(st.integers(0, 99_999))
def test_a_port_is_one_that_browsers_go_to(port: int) -> None:
    passes = objection(f"https://example.org:{port}/") is None
    assert passes <= (0 < port < 65_536)
    assert passes or port not in range(10_081, 65_536)


def test_the_limit_is_2048_bytes() -> None:
    assert objection("https://example.org/" + "a" * (MAX_BYTES - 20)) is None
    assert objection("https://example.org/" + "a" * (MAX_BYTES - 19))


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


@pytest.mark.parametrize(
    "uri",
    [f"https://{host}/" for host in ("127.0.0.1", "[::1]", "example.org.", "xn--pple-43d.example", "evil.com:443")],
)
def test_no_trick_leads_out_of_the_domains(uri: str) -> None:
    assert objection(uri) is None
    assert objection(uri, ["example.org"])


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("https://xn--pple-43d.example/", "mixes scripts: Cyrillic, Latin"),
        ("https://example.xn--pple-43d:8443/x", "mixes scripts: Cyrillic, Latin"),
        ("https://XN--PPLE-43D.example/", "mixes scripts: Cyrillic, Latin"),
        ("https://xn--ls8h.example/", "has symbols in it"),
        ("http://localhost:8080/", "public Internet"),
        ("http://intranet/", "public Internet"),
        ("http://intranet./", "public Internet"),
        ("https://a.internal/", "public Internet"),
        ("http://127.0.0.1/", "public Internet"),
        ("http://192.168.1.1/", "public Internet"),
        ("http://100.64.0.1/", "public Internet"),
        ("http://[::1]/", "public Internet"),
        ("http://[fd00::1]/", "public Internet"),
    ],
)
def test_allowed_but_unusual_hosts_are_shown_in_ascii(uri: str, said: str) -> None:
    assert objection(uri) is None
    returned = warning(uri)
    assert returned
    assert said in returned
    assert returned.isascii()


@pytest.mark.parametrize(
    "uri",
    [
        "https://example.org/",
        "https://example.org./xn--pple-43d",
        "https://xn--bcher-kva.example/",
        "https://xn--e1afmkfd.xn--p1ai/",
        "https://xn--e1afmkfd.example/",
        "https://xn--wgv71a119e.example/",
        "http://1.1.1.1/",
        "http://[2606:4700::1111]/",
    ],
)
def test_of_the_usual_nothing_is_said(uri: str) -> None:
    assert objection(uri) is None
    assert warning(uri) is None


@given(pieces)
def test_there_is_a_judgement_on_whatever_passes(rest: str) -> None:
    uri = f"https://{rest}"
    if objection(uri) is None:
        assert (warning(uri) or "").isascii()


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8))
def test_of_any_label_that_a_browser_takes_there_is_a_judgement(text: str) -> None:
    try:
        host = can_ada.parse(f"https://{text}.example/").hostname
    except ValueError:
        return
    if objection(f"https://{host}/") is None:
        assert (warning(f"https://{host}/") or "").isascii()


@pytest.mark.parametrize(
    "domain",
    [
        "com",
        "co.uk",
        "github.io",
        "s3.amazonaws.com",
        "amazonaws.com",
        "ck",
        "anything.ck",
        "xn--p1ai",
        "localhost",
        "",
        ".",
        "example.org.",
        "EXAMPLE.org",
        "*.example.org",
        "example.org:8443",
        "example.org/x",
        "user@example.org",
        "https://example.org",
        "bücher.example",
        "0.0.1",
        "1",
        "2130706433",
        "xn--a.example",
    ],
)
def test_a_domain_that_is_everybodys_or_none_is_refused(domain: str) -> None:
    assert domain_objection(domain)


@pytest.mark.parametrize(
    "domain",
    [
        "example.org",
        "www.example.co.uk",
        "someone.github.io",
        "bucket.s3.amazonaws.com",
        "www.ck",
        "a.example",
        "xn--bcher-kva.example",
        "192.0.2.1",
    ],
)
def test_a_domain_that_is_somebodys_may_be_named(domain: str) -> None:
    assert domain_objection(domain) is None
    assert objection(f"https://{domain}/", [domain]) is None


TOOL = "https://git.example/ourorg/tool"

added = st.lists(
    st.sampled_from(
        ["/", ".", "..", "/../", "/./", "%2e", "%2E", "%252e", "%2f", "\\", "%5c", "%09", "%0a", "\t", "\n",
         "//evil.example", "@evil.example", ":8443", ";", "?", "#", "&a=b", "a", "-", "_", "%", "é", " ", "\0"]
    ),
    max_size=6,
).map("".join)  # fmt: skip
appended_to = st.sampled_from(
    [
        TOOL,
        TOOL + "/",
        TOOL + ".git",
        TOOL + "/%2e",
        TOOL + "?a=1",
        TOOL + "#part",
        "https://git.example",
        "https://git.example/",
        "https://git.example:8443?q",
    ]
)


class TestAdditions:
    @pytest.mark.parametrize(
        "addition",
        ["", "/page/2", ".pdf", "?x=1", "&a=b", ";seq=7", "#part", "/a?b=../..", "/...", "//b", "/x%2Fy", "?/../../x"],
    )
    def test_what_belongs_to_a_target_may_follow_it(self, addition: str) -> None:
        assert addition_objection(TOOL, addition) is None

    @pytest.mark.parametrize(
        "addition",
        [
            "/../../attacker/x",
            "/..",
            "/.",
            "/./x",
            "/x/../y",
            "/%2e%2e/x",
            "/.%2E/x",
            "/%252e%252e/x",
            "/%25252e./x",
            "/..%2Fx",
            "/..%5Cx",
            "/..%255Cx",
            "/..;/x",
            "/..%3B/x",
            "%3F/../../x",
            "%23/../../x",
            "/.%09./x",
            "/.%0A./x",
            "..",
            "../x",
        ],
    )
    def test_dot_segments_are_refused_in_every_spelling(self, addition: str) -> None:
        assert addition_objection(TOOL, addition) == "it has a segment of dots, which could lead out of the target"

    @pytest.mark.parametrize("addition", ["x", "-attacker/x", "_2", "%2Fx", "~", "@evil.example", ":8443", "+x"])
    def test_the_name_of_something_else_is_no_part_of_it(self, addition: str) -> None:
        assert addition_objection(TOOL, addition) == "it would lead to another place of the web"
        assert addition_objection(f"{TOOL}/", addition) is None
        assert addition_objection(f"{TOOL}?id=", addition) is None

    @pytest.mark.parametrize("addition", [".evil.example", "x", ":8443", "@evil.example", "\\.evil.example", "/\r\nx"])
    def test_another_host_or_no_url_is_refused(self, addition: str) -> None:
        assert addition_objection("https://git.example", addition) is not None

    def test_what_follows_the_addition_is_part_of_the_length(self) -> None:
        assert addition_objection(TOOL, "/x", "?" + "y" * MAX_BYTES) is not None

    @given(appended_to, added, st.booleans())
    @example(TOOL, "/../../attacker/x", True)
    def test_a_browser_stays_at_the_origin_and_below_the_path(self, target: str, text: str, is_escaped: bool) -> None:
        addition = as_uri(text) if is_escaped else text
        if addition_objection(target, addition) is not None:
            return
        before, after = can_ada.parse(target), can_ada.parse(target + addition)
        assert after.origin == before.origin
        path, longer = str(before.pathname), str(after.pathname)
        assert longer == path or longer.startswith((path.removesuffix("/") + "/", *(path + mark for mark in ".;&")))
