"""JSON documents of dumps in every form, and rows joined in bounded memory."""

from io import BytesIO
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import UsageError
from coolid.migration.dumps import json_documents, row_groups
from coolid.migration.dumps.json_documents import read_documents
from coolid.migration.dumps.row_groups import grouped
from coolid.strict_json import dump
from tests.support.builders.large_files import GeneratedFile, measure_peak

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.lists(st.dictionaries(st.text('abé"\\{}[]', max_size=4), JSON, max_size=3), max_size=5)
FORMS = {
    "lines": lambda each: "".join(f"{dump(one)}\n" for one in each),
    "array": lambda each: f" [{', '.join(map(dump, each))} ]\n",
    "one after the other": lambda each: " ".join(map(dump, each)),
    "pages": lambda each: (
        dump({"meta": {"data": [1]}, "data": each[:2]}) + dump({"data": each[2:], "links": {"a": []}})
    ),
    "lines of pages": lambda each: dump({"data": each[:2]}) + "\n" + dump({"data": each[2:]}),
}


def found(text: str, *path: str) -> list[Any]:
    with patch.object(json_documents, "_PIECE_BYTES", 5):
        return [each.document for each in read_documents(BytesIO(text.encode()), path)]


@pytest.mark.parametrize("form", FORMS)
@given(documents=DOCUMENTS)
def test_documents_are_found_in_every_form(form: str, documents: list[Any]) -> None:
    documents = [each for each in documents if "data" not in each]
    assert found("\ufeff" + FORMS[form](documents), "data") == documents


def test_a_path_may_have_any_names() -> None:
    text = '{"links": {"link_1": {"a": 1}, "link_2": {"a": 2}}, "stats": {"a": 3}}'

    assert found(text, "links", "*") == [{"a": 1}, {"a": 2}]
    assert found(f"{text}\n{text}\n", "links", "*") == [{"a": 1}, {"a": 2}] * 2
    assert found('{"data": {"id": 1}}', "data") == [{"id": 1}]


@pytest.mark.parametrize("text", ["[{}", '{"a": 1', "[1 2]", "{1}", "[{}]}", "nul", '"a', "[" * 5_000, '{"a" 1}'])
def test_a_damaged_file_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="damaged"):
        found(text, "data")


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    with pytest.raises(UsageError, match="UTF-8"):
        list(read_documents(BytesIO(b'["\xff"]')))


@pytest.mark.parametrize(
    "text", ['[{"a": 1, "a": 2}, {}]', '[{"a": "\\ud800"}, {}]', '[{"a": 12345678901234567890}, {}]']
)
def test_a_document_against_the_rules_has_a_reason(text: str) -> None:
    first, second = read_documents(BytesIO(text.encode()))

    assert (first.document, second.document) == (None, {})
    assert first.reason


def test_a_large_array_is_read_in_bounded_memory() -> None:
    element = dump({"a": "x" * 10_000}).encode()
    file = BytesIO(b'{"data": [' + b",".join([element] * 1_000) + b"]}")

    peak = measure_peak(lambda: sum(1 for _ in read_documents(file, ("data",))))

    assert peak < 5_000_000


def test_an_overlong_document_is_refused() -> None:
    file = GeneratedFile((b'["', 1), (b"x" * 100_000, 100))
    file.seek = lambda _: None  # type: ignore[attr-defined]
    with patch.object(json_documents, "MAX_DOCUMENT_BYTES", 1_000_000), pytest.raises(UsageError, match="more than"):
        list(read_documents(file.binary))


@given(st.lists(st.tuples(st.sampled_from("abcdé"), st.integers())))
def test_rows_are_joined_whether_they_fit_in_memory_or_not(rows: list[tuple[str, int]]) -> None:
    expected: dict[str, list[int]] = {}
    for key, value in rows:
        expected.setdefault(key, []).append(value)
    assert list(grouped(rows)) == list(expected.items())
    with patch.object(row_groups, "MAX_ROWS", 2), patch.object(row_groups, "MAX_FILES", 3):
        assert dict(grouped(rows)) == expected
