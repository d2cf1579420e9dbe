"""Pasted PIDs resolve to the same identifier in every spelling."""

from urllib.parse import quote

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from coolid.client.request_url import Pid, pid_of
from coolid.errors import BadReference, TooLong
from coolid.recognition.unwrap import unwrap
from coolid.registry.references import parse_reference

BASE = "https://id.example.org"
TEXTS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("demo:tw0t-ywdj-94", "demo:tw0t-ywdj-94"),
        ("2021/06/demo/tw0t-ywdj-94", "2021/06/demo/tw0t-ywdj-94"),
        ("/demo/x", "demo/x"),
        ("  <demo/x> ", "demo/x"),
        (f"{BASE}/demo/x", "demo/x"),
        ("HTTPS://ID.example.org/demo/x", "demo/x"),
        (f"{BASE}/demo/x?version=2#part", "demo/x"),
        (f"{BASE}/resolve/demo/x", "demo/x"),
        (f"{BASE}/resolve/b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14", "lid:b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14"),
        (f"{BASE}/demo/a%2Fb%25c", "demo/a%2Fb%25c"),
        (f"{BASE}/demo/é", "demo/%C3%A9"),
        ("https://doi.org/10.5072/a%3Cb", "doi:10.5072/a%3Cb"),
        ("https://elsewhere.example/ark:/12345/x", "ark:/12345/x"),
        ("demo:a?b#c", "demo:a%3Fb%23c"),
        ("demo:100%", "demo:100%25"),
        ("demo:a\\b|c", "demo:a%5Cb%7Cc"),
    ],
)
def test_it_is_a_path_without_the_service_before_it(text: str, path: str) -> None:
    assert pid_of(text, BASE) == Pid(path)


def test_a_service_may_stand_below_a_path() -> None:
    assert pid_of("https://example.org/pids/demo/x", "https://example.org/pids") == Pid("demo/x")


def test_the_host_of_another_url_is_cached_and_must_be_the_records_own() -> None:
    pid = pid_of("https://other.example:8443/demo/x?y", BASE)
    assert pid == Pid("demo/x", "other.example:8443")
    assert pid.is_of("https://other.example:8443/demo/x")
    for record in (f"{BASE}/demo/x", "https://other.example/demo/x", "nonsense", "", None):
        assert not pid.is_of(record)
    assert Pid("demo/x").is_of(f"{BASE}/demo/x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "/",
        "///",
        BASE,
        f"{BASE}/",
        "a/../b",
        "demo/.",
        f"{BASE}/demo/%2e%2E/x",
        f"{BASE}/demo/%zz",
        f"{BASE}/demo/%FF",
        "demo:a\nb",
        "demo:\udcff",
        "https://me:secret@other.example/demo/x",
        "http://[",
    ],
)
def test_what_cannot_be_one_is_refused(text: str) -> None:
    with pytest.raises(BadReference):
        pid_of(text, BASE)


def test_a_huge_one_is_refused() -> None:
    with pytest.raises(TooLong):
        pid_of("demo:" + "x" * 2048, BASE)


@given(TEXTS)
def test_the_service_reads_a_text_as_it_was_typed(text: str) -> None:
    assume(not text.lower().startswith("http"))
    assume(unwrap(text).bare == text)
    try:
        path = pid_of(text, BASE).path
    except BadReference:
        return
    assert parse_reference(path).text == text.lstrip("/")
    assert path.isascii()
    assert path.isprintable()
    assert not set(path) & set(' "<>?#\\^`{|}')


@given(TEXTS)
@example("/.")
def test_the_url_of_a_pid_is_read_as_the_service_reads_it_itself(text: str) -> None:
    path = "demo/" + quote(text, safe="")
    try:
        found = pid_of(f"{BASE}/{path}", BASE).path
    except BadReference:
        assert text in (".", "..")
        return
    assert parse_reference(found) == parse_reference(path)
