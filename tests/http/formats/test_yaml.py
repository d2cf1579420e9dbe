"""Our YAML has the same meaning for every parser."""

from typing import Any
from unicodedata import category

import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from coolid.http.formats import yaml

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
scalars = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)


@given(documents)
def test_what_is_written_reads_as_the_same(document: Any) -> None:
    assert pyyaml.safe_load(yaml.write(document)) == document


@given(documents)
def test_it_can_be_read_line_by_line_as_text(document: Any) -> None:
    written = yaml.write(document)
    assert written.splitlines() == written.removesuffix("\n").split("\n")
    assert {sign for sign in written if category(sign) == "Cc"} == {"\n"}


def test_words_that_yaml_takes_for_something_else_stay_words() -> None:
    document = {"no": "yes", "on": ["null", "~", "1.0", "2025-01-01", "0x1"], "": ": #"}
    assert pyyaml.safe_load(yaml.write(document)) == document
