"""Cursors: every position of a list can be continued, and other texts are refused."""

import re
from base64 import urlsafe_b64encode
from string import ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidInput
from coolid.http.errors import BadCursor
from coolid.http.message import Request
from coolid.http.pagination import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    MAX_POSITION_BYTES,
    cursor,
    fitting,
    page_parameters,
    read_cursor,
)
from tests.support.builders.samples import text

places = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=100)
names = st.text(ascii_lowercase + digits + "-", min_size=1, max_size=20)


def encoded(place: str | bytes) -> str:
    raw = place.encode() if isinstance(place, str) else place
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


@given(names, places)
def test_what_a_cursor_stands_for_is_read_back(name: str, place: str) -> None:
    assert read_cursor(name, cursor(name, place)) == place


@given(names, places)
def test_it_needs_no_escaping_in_a_query(name: str, place: str) -> None:
    assert re.fullmatch("[A-Za-z0-9_-]+", cursor(name, place))


@given(names, names, places)
def test_one_of_another_list_is_none_of_this(name: str, other: str, place: str) -> None:
    if name != other:
        with pytest.raises(BadCursor):
            read_cursor(other, cursor(name, place))


@given(names, text | st.binary(max_size=40).map(encoded))
def test_nothing_but_what_was_given_is_read(name: str, written: str) -> None:
    try:
        place = read_cursor(name, written)
    except BadCursor:
        return
    assert cursor(name, place) == written


@pytest.mark.parametrize(
    "written",
    [
        "", "x", "=", "a" * 5, "é", "!!!!", encoded("prefixes"), encoded("prefixes\n"), encoded("\nx"),
        encoded("prefixes\nx") + "=", encoded("prefixes\nx") + "\n", " " + encoded("prefixes\nx"),
        encoded(b"prefixes\n\xff"), encoded("prefixes\n" + "x" * (MAX_POSITION_BYTES + 1)), "A" * 100_000,
    ],
)  # fmt: skip
def test_one_that_was_generated_is_refused(written: str) -> None:
    with pytest.raises(BadCursor):
        read_cursor("prefixes", written)


@pytest.mark.parametrize(
    ("given", "returned"), [(None, DEFAULT_LIMIT), ("1", 1), ("999", 999), (str(MAX_LIMIT), MAX_LIMIT)]
)
def test_a_page_is_as_long_as_was_requested(given: str | None, returned: int) -> None:
    query = () if given is None else (("limit", given),)
    assert page_parameters(Request("GET", "/", query), "x") == (returned, None)


@pytest.mark.parametrize(
    "given", ["", "0", "-1", str(MAX_LIMIT + 1), "1.0", "1e2", "01", " 1", "²", "٣", "x", "9" * 400]
)
def test_a_length_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput):
        page_parameters(Request("GET", "/", (("limit", given),)), "x")


def test_an_empty_cursor_is_the_beginning() -> None:
    assert page_parameters(Request("GET", "/", (("cursor", ""),)), "x") == (DEFAULT_LIMIT, None)


def test_a_page_is_limited_in_bytes_not_in_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coolid.http.pagination.MAX_PAGE_BYTES", 30)
    documents = [{"title": "éééé"}] * 3  # 16 characters, 20 bytes
    assert (len(fitting(documents)), len(fitting(documents[:1])), fitting([])) == (1, 1, [])
    assert len(fitting([{"title": "e"}] * 3)) == 2
