"""Citations in all styles against those of citeproc-js, which `citations.json` contains for the works in `works.json`.

`make test-clients` writes that file anew with citeproc-js, and compares.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.citation_styles import style_names
from coolid.citation_styles.processor import FOLDER, UnknownLocale, cite
from tests.support.effort import examples

HERE = Path(__file__).parent
WORKS = {each["id"]: each for each in json.loads((HERE / "works.json").read_text(encoding="utf-8"))}
CITATIONS = json.loads((HERE / "citations.json").read_text(encoding="utf-8"))
DIFFERENT = {
    # citeproc-js writes `..` and `?.` between parts of this style, which is an error.
    ("iso690-author-date-en", "dataset"),
    ("iso690-author-date-en", "nodate"),
    # A date in words, and a medium behind a title, are repeated.
    ("chicago-author-date", "nodate"),
    ("elsevier-harvard", "web"),
}


@pytest.mark.parametrize(
    "locale", ["en-US", *(pytest.param(each, marks=pytest.mark.drill) for each in ("en-GB", "de-DE", "fr-FR"))]
)
def test_citations_equal_those_of_citeproc_js(locale: str) -> None:
    found, expected = {}, {}
    for style, citations in CITATIONS.items():
        for key, text in citations.items():
            name, _, language = key.partition(" ")
            if language == locale and (style, name) not in DIFFERENT:
                found[style, name], expected[style, name] = cite(WORKS[name], style, locale).text, text
    assert len(found) == len(WORKS) * len(CITATIONS) - len(DIFFERENT)
    assert found == expected


def test_every_style_has_its_file_its_licence_and_citations() -> None:
    files = {each.file for each in style_names.STYLES}
    assert {path.stem for path in FOLDER.glob("*.csl")} == files == CITATIONS.keys()
    for name in files:
        assert "http://creativecommons.org/licenses/by-sa/3.0/" in (FOLDER / f"{name}.csl").read_text(encoding="utf-8")


def test_the_locale_is_the_styles_own_unless_another_is_named() -> None:
    book = WORKS["book"]
    assert cite(book, "apa").locale == "en-US"
    assert cite(book, "din-1505-2").locale == "de-DE"
    assert "Hrsg." in cite(book, "APA", "DE").text
    assert cite(book, "apa", "pt_BR").locale == "pt-BR"


def test_unknown_names_are_refused_with_a_list_of_existing_ones() -> None:
    with pytest.raises(LookupError):
        cite(WORKS["book"], "apa-1")
    with pytest.raises(UnknownLocale) as refused:
        cite(WORKS["book"], "apa", "../de")
    assert "fr-FR" in refused.value.available


def test_html_is_escaped_except_for_the_styles_own_formatting() -> None:
    hostile = {"title": '<script>"x"</script> \ue000<i>A</i>', "author": [{"literal": "<b onclick=x>"}]}
    html = cite({"id": "x", "type": "book", **hostile, "publisher": "</p><img src=x>"}, "apa").html
    assert re.findall(r"</?[a-z]+[^>]*>", html) == ["<i>", "</i>"]
    assert "&lt;script&gt;" in html


texts = st.text(max_size=12) | st.sampled_from(["<i>", "“a”", "'", "A. B", "..", "1-2", "王", "\ue000\ue001"])
names = st.lists(
    st.dictionaries(st.sampled_from(["family", "given", "suffix"]), texts, min_size=1)
    | st.fixed_dictionaries({"literal": texts}),
    max_size=3,
)
dates = st.builds(lambda parts: {"date-parts": [parts]}, st.lists(st.integers(1, 12), min_size=1, max_size=3))
items = st.fixed_dictionaries(
    {"type": st.sampled_from(["book", "dataset", "article-journal", "software", "webpage", "document", "thesis"])},
    optional=dict.fromkeys(("title", "publisher", "volume", "page", "edition", "version", "DOI", "number"), texts)
    | {"author": names, "editor": names, "issued": dates | st.fixed_dictionaries({"literal": texts})},
)


@examples(30)
@given(work=items, style=st.sampled_from([each.file for each in style_names.STYLES]))
def test_any_work_has_a_citation(work: dict[str, Any], style: str) -> None:
    citation = cite(work, style)
    assert "\n" not in citation.text
    assert not re.search("[\ue000-\ue00b]", citation.text + citation.html)


def test_a_work_that_a_style_has_no_words_for_is_cited_by_its_address() -> None:
    work = {"type": "document", "URL": "https://id.example/x?a&b", "issued": {"literal": "-44"}}
    assert cite(work, "din-1505-2").text == "https://id.example/x?a&b"
    assert cite(work, "din-1505-2").html == "https://id.example/x?a&amp;b"
