"""JSON: accepted documents have one meaning for every parser; everything else is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.strict_json import MAX_EXACT_INTEGER, NotJson, dump, load
from tests.support.builders.samples import json_values


@given(json_values)
def test_what_is_dumped_is_loaded_again(value: Any) -> None:
    assert load(dump(value).encode()) == value


@given(json_values)
def test_what_python_writes_is_loaded_too(value: Any) -> None:
    assert load(json.dumps(value).encode()) == value
    assert load(json.dumps(value, ensure_ascii=False, indent=1).encode()) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_loaded_or_refused(body: bytes) -> None:
    try:
        value = load(body)
    except NotJson as refused:
        reason = str(refused)
        assert reason
    else:
        assert load(dump(value).encode()) == value


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"{} {}",
        b"nul",
        b"'a'",
        b"{a: 1}",
        b"[1,]",
        b'{"a": 1,}',
        b"01",
        b"+1",
        b".5",
        b"1.",
        b"0x10",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"[NaN]",
        b"1e400",
        b'{"a": -1e999}',
        b'"\xff"',
        b'"\xc0\xaf"',
        b'"\xed\xa0\x80"',
        b'"\\ud800"',
        b'"\\udc00\\ud800"',
        b'{"\\ud800": 1}',
        b'"\n"',
        b'"\x00"',
        b'"\\x41"',
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\x00}\x00",
        b"// comment\n1",
        b"[" * 2_000 + b"]" * 2_000,
        b"[" * 100_000,
        b'{"a":' * 50_000,
    ],
)
def test_what_is_not_json_is_refused_with_a_reason(body: bytes) -> None:
    with pytest.raises(NotJson, match=r".+"):
        load(body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": 1, "a": 1}',
        b'{"a": 1, "\\u0061": 2}',
        b'[{"b": {"a": 1, "c": 2, "a": 3}}]',
        b'{"": 1, "": 2}',
        '{"é": 1, "\\u00e9": 2}'.encode(),
    ],
)
def test_a_name_that_stands_twice_is_refused(body: bytes) -> None:
    with pytest.raises(NotJson, match="twice"):
        load(body)


def test_the_same_name_in_different_objects_is_fine() -> None:
    assert load(b'{"a": {"a": [{"a": 1}, {"a": 2}]}}') == {"a": {"a": [{"a": 1}, {"a": 2}]}}


@pytest.mark.parametrize("number", [0, 1, -1, MAX_EXACT_INTEGER, -MAX_EXACT_INTEGER])
def test_whole_numbers_that_are_exact_everywhere_are_taken(number: int) -> None:
    assert load(str(number).encode()) == number


@pytest.mark.parametrize(
    "digits",
    [
        str(MAX_EXACT_INTEGER + 1),
        str(-MAX_EXACT_INTEGER - 1),
        str(2**63),
        str(2**64),
        "1" + "0" * 17,
        "1" + "0" * 400,
        "-1" + "0" * 10_000,
    ],
    ids=len,
)
def test_whole_numbers_beyond_are_refused(digits: str) -> None:
    with pytest.raises(NotJson):
        load(f'{{"a": {digits}}}'.encode())
