"""No sentence of the documentation has more than 40 words."""

from pathlib import Path

import pytest
import yaml

from tests.docs.sentences import sentences
from tests.support.builders.samples import ROOT

MAX_WORDS = 40
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def long_sentences(text: str) -> list[str]:
    return [" ".join(words) for words in sentences(text) if len(words) > MAX_WORDS]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_sentence_of_a_page_is_long(page: Path) -> None:
    assert long_sentences(page.read_text(encoding="utf-8")) == []


def test_no_sentence_of_the_description_of_the_api_is_long() -> None:
    document = yaml.safe_load((ROOT / "infra" / "openapi.yaml").read_text(encoding="utf-8"))
    found, values = [], [document]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            found += [value[name] for name in ("description", "summary") if isinstance(value.get(name), str)]
            values += value.values()
        elif isinstance(value, list):
            values += value
    assert [sentence for text in found for sentence in long_sentences(text)] == []
