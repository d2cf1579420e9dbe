"""Percent-encoding equals the standard library's for any text."""

from string import printable
from urllib.parse import quote, unquote_to_bytes

from hypothesis import given
from hypothesis import strategies as st

from coolid.identifiers import percent_encoding
from coolid.model.prefixes import PATH_SAFE

texts = st.text(st.characters(exclude_categories=["Cs"])) | st.text(printable + "%%%éß")
stored = st.sampled_from([PATH_SAFE, "", "/", "%"])


@given(texts, stored)
def test_text_is_encoded_as_the_standard_library_does(text: str, keeps: str) -> None:
    assert percent_encoding.encode(text, keeps) == quote(text, safe=keeps)


@given(texts)
def test_text_is_decoded_as_the_standard_library_does(text: str) -> None:
    assert percent_encoding.decode(text) == unquote_to_bytes(text)


@given(texts, st.sampled_from([PATH_SAFE, "", "/"]))
def test_what_was_encoded_is_decoded_to_the_same(text: str, keeps: str) -> None:
    assert percent_encoding.decode(percent_encoding.encode(text, keeps)).decode() == text
