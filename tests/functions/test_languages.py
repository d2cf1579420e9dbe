"""Pages in another language: every sentence of ours can be translated, and an answer says which language it is in.

The language is made up: each sentence of it is the English one in brackets, so that whatever stands outside of them was
forgotten. What records, prefixes, problems and rules say of themselves is data and stays as it is.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from gettext import NullTranslations
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest

from coolid.web.pages import _templates
from coolid.web.pages.languages import LANGUAGES
from coolid.web.pages.words import WORDS
from coolid.web.problem import KINDS, UNKNOWN
from tests.catalogue import API, BROWSER, STATUSES, Catalogue
from tests.naughty import parsed
from tests.samples import ROOT, strings
from tests.systems import Answer, System

MADE_UP = "qps"
TEMPLATES = sorted((ROOT / "layers/core/coolid/web/pages/templates").iterdir())

# What says the same in every language: code, names, numbers, times; and what says that it is in another.
_DATA = ("code", "pre", "kbd", "samp", "time", "script", "style", "data", "textarea")
_TOLD = ("aria-label", "alt", "title", "placeholder", "aria-description")
_WORD = re.compile(r"[A-Za-z]{3,}")

# Names of things, which are not translated.
NAMES = {
    "coolid", "api", "openapi", "json", "yaml", "html", "http", "https", "url", "uri", "doi", "ark", "lui",
    "noid", "linkid", "ror", "orcid", "isbn", "issn", "re2", "regex", "curl", "python", "sha", "qr", "bibtex",
    "ris", "csl", "turtle", "jsonld", "linkset", "jws", "erc", "ttl", "datacite", "handle", "uuid", "crockford",
    "iso", "rfc", "mod", "get", "put", "post", "patch", "delete", "head", "schema", "schematron", "object",
    "integer", "string", "array", "boolean", "number", "null", "any", "links", "citation", "info", "png", "svg",
}  # fmt: skip


class Bracketed(NullTranslations):
    """A language in which everything is said in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"

    def pgettext(self, context: str, message: str) -> str:
        return f"⟦{message}⟧"

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """There is another language."""
    monkeypatch.setitem(LANGUAGES, MADE_UP, Bracketed())
    _templates.cache_clear()
    yield
    _templates.cache_clear()


def get(system: System, path: str, accept: str = BROWSER, languages: str = f"{MADE_UP}, en;q=0.5") -> Answer:
    path, _, query = path.partition("?")
    return system.get(path, query=query, accept=accept, Accept_Language=languages)


def told(element: Any) -> Iterator[str]:
    """The texts of an element that are ours to say, without what stands in brackets."""
    if not isinstance(element.tag, str) or element.tag in _DATA or element.get("translate") == "no":
        return
    if element.get("lang") is not None and element.tag != "html":
        return
    yield element.text or ""
    for name in _TOLD:
        yield element.get(name) or ""
    for child in element:
        yield from told(child)
        yield child.tail or ""


def unbracketed(document: Any, known: frozenset[str]) -> list[str]:
    """What is said outside of brackets and is no data. Brackets may begin in one text and end in another."""
    forgotten, depth = [], 0
    for text in told(document):
        outside = ""
        for part in re.split("([⟦⟧])", text):
            if part in "⟦⟧" and part:
                depth += 1 if part == "⟦" else -1
            elif depth == 0:
                outside += f"{part} "
        if _is_ours(" ".join(outside.split()), known):
            forgotten.append(" ".join(text.split()))
    assert depth == 0
    return forgotten


@cache
def _joined(texts: frozenset[str]) -> str:
    return "\n".join(texts)


def _is_ours(text: str, known: frozenset[str]) -> bool:
    """Whether it has words that nobody gave."""
    everything = _joined(known)
    bare = re.sub(r"\S*(?:[/:_@={}]|\d|\.\w)\S*", " ", text.casefold())  # addresses, identifiers, names of members
    for part in re.split(r"[.,;:()·–—/]+", bare):
        if part.strip() in everything or part.strip() in NAMES:
            continue
        for each in known if len(known) < 1_000 else ():
            if len(each) > 3:
                part = part.replace(each, " ")  # noqa: PLW2901 - what is left of it
        if any(word not in NAMES for word in _WORD.findall(part)):
            return True
    return False


def known_of(system: System, catalogue: Catalogue, name: str) -> frozenset[str]:
    """What a page may be about: all that programs are told of it, and what was asked for; in small letters."""
    path = catalogue.kinds[name].path
    asked = parse_qs(urlsplit(path).query).get("q", [""])[0]
    told = [
        get(system, path.replace("format=html", "format=linkid"), "application/json"),
        get(system, f"/api/v1/parse?id={quote(asked)}", "application/json"),
        system.admin("GET", "/api/v1/prefixes"),
    ]
    said = {*catalogue.said, *re.split("[/?:=&]", path), unquote(path)}
    said |= strings([json.loads(each.body) for each in told if "json" in each.headers["content-type"]])
    said |= {text for kind in (*KINDS.values(), UNKNOWN) for text in (kind.title, kind.slug)}
    if name.startswith("API"):
        said |= strings(API)
    return frozenset(" ".join(each.casefold().split()) for each in said if each.strip())


@pytest.mark.parametrize("name", STATUSES)
@pytest.mark.usefixtures("made_up")
def test_every_sentence_of_ours_can_be_said_in_another_language(
    furnished: System, catalogue: Catalogue, name: str
) -> None:
    kind = catalogue.kinds[name]
    answer = get(furnished, kind.path)
    assert answer.headers["content-language"] == MADE_UP
    document = parsed(answer.body)
    assert document.get("lang") == MADE_UP
    known = known_of(furnished, catalogue, name)
    main = document.find(".//main")
    assert unbracketed(main, known) == []
    assert unbracketed(document.find(".//header"), known) == []
    assert unbracketed(document.find(".//footer"), known) == []


@pytest.mark.parametrize("name", STATUSES)
def test_who_reads_no_language_of_ours_reads_english(furnished: System, catalogue: Catalogue, name: str) -> None:
    answer = get(furnished, catalogue.kinds[name].path, languages="tlh, *;q=0.1")
    assert answer.headers["content-language"] == "en"
    assert parsed(answer.body).get("lang") == "en"
    assert "accept-language" in answer.headers.get("vary", "").lower() or answer.headers["cache-control"] == "no-store"


@pytest.mark.usefixtures("made_up")
def test_what_is_ready_for_one_reader_is_not_given_to_one_of_another_language(
    furnished: System, catalogue: Catalogue
) -> None:
    path = catalogue.kinds["record"].path
    tags = []
    for languages, expected in [("en", "en"), (MADE_UP, MADE_UP), ("en", "en"), (f"{MADE_UP}-AA;q=0.9, de", MADE_UP)]:
        answer = get(furnished, path, languages=languages)
        assert answer.headers["content-language"] == expected
        assert ("⟦" in answer.body) == (expected == MADE_UP)
        tags.append(answer.headers["etag"])
    assert tags[0] == tags[2] != tags[1] == tags[3]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_brings_no_word_for_a_script_by_itself(template: Any) -> None:
    """Scripts find theirs in one block, so that they are translated as templates are."""
    text = template.read_text(encoding="utf-8")
    assert not re.search(r"data-(?:text|label|word|say)[\w-]*=", text)


def test_words_of_scripts_are_sentences_with_places_to_fill_in() -> None:
    for script, words in WORDS.items():
        for key, text in words.items():
            assert re.fullmatch(r"[a-z][a-z0-9.-]*", key), (script, key)
            assert text.strip(), (script, key)
            assert text.count("{") == text.count("}") == len(re.findall(r"\{\w+\}", text)), (script, key)
            assert "<" not in text, (script, key)
