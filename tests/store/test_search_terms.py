"""Search terms: a record has every term by which people look for it, and no more than a table of postings can hold."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.model.conditions import Condition
from coolid.model.records import Location, Record
from coolid.store.search_terms import MAX_LENGTH, MAX_QUERY_WORDS, query_terms, record_terms, words
from tests.support.builders.samples import record, records

BOOK = replace(
    record(),
    id="tw0t-ywdj-94",
    key="tw0tywdj94",
    pid="https://id.example.org/2021/06/mp/tw0t-ywdj-94",
    status="active",
    records=(Location("https://www.Example.org:8443/Caf%C3%A9/tea_1?page=12"),),
    metadata={
        "who": "Lee, Ann-Marie",
        "what": "The Straße of Łódź",
        "schema:name": {"de": "Die Straße"},
        "titles": [{"title": "東京のお茶", "titleType": "TranslatedTitle", "lang": "ja"}],
        "creators": [{"name": "O’Neill, Zoë", "nameIdentifiers": [{"nameIdentifier": "0000-0002-1825-0097"}]}],
        "contributors": [{"name": "Acme", "affiliation": "Elsewhere"}],
        "note": "not searched",
    },
    alternates=({"scheme": "isbn", "identifier": "978-3-16-148410-0"},),
)


@pytest.mark.parametrize(
    "q",
    [
        "",
        "tw0t-ywdj-94 TW0TYWDJ94 tw0t-ywdj tw0tywdj ywdj mp",
        "2021/06/mp/tw0t-ywdj-94",
        "lee ANN marie annmarie Ann-Marie ANN–MARIE",
        "strasse STRASSE lodz Łódź ｓｔｒａｓｓｅ",
        "o'neill O’Neill oneill Zoe ZOE\u0308",
        "東京 お茶 京 東京のお茶",
        "0000-0002-1825-0097 1825 978-3-16-148410-0 9783161484100",
        "example.org www.example.org cafe Café tea 12",
        "https://www.example.org/Caf%C3%A9/tea_1",
        "http://WWW.example.org:8443/caf%c3%a9/",
        "- , (Straße) 'die'",
    ],
)
def test_a_record_is_found_by_each_of_its_words(q: str) -> None:
    assert set(query_terms(q)) <= record_terms(BOOK)


@pytest.mark.parametrize(
    "q", ["not", "elsewhere", "TranslatedTitle", "ja", "京東", "tw0tywd", "lees", "https://example.com/tea", "例"]
)
def test_other_words_do_not_find_it(q: str) -> None:
    assert not set(query_terms(q)) <= record_terms(BOOK)


def conditions(**states: Condition) -> Record:
    places = tuple(Location(f"https://{name}.example.org/") for name in ("one", "two"))
    health = {f"https://{name}.example.org/": condition for name, condition in states.items()}
    return replace(BOOK, records=places, health=health)


NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
UP, DOWN = Condition("up", NOON), Condition("down", NOON, "it answered 500")
MOVED = Condition("up", NOON, moved="https://example.net/")


@pytest.mark.parametrize(
    ("checked", "expected"),
    [
        (conditions(), {"health:unchecked"}),
        (conditions(one=UP), {"health:up"}),
        (conditions(one=UP, two=DOWN), {"health:down"}),
        (conditions(one=MOVED, two=DOWN), {"health:down", "health:moved"}),
        (conditions(former=DOWN), {"health:unchecked"}),
    ],
)
def test_health_is_the_worst_of_the_current_locations(checked: Record, expected: set[str]) -> None:
    assert {term for term in record_terms(checked) if term.startswith("health:")} == expected


def test_filters_find_status_and_hosts_with_their_subdomains() -> None:
    for host in ("www.example.org", "Example.ORG", "example.org."):
        assert set(query_terms(status="active", target_host=host, health="unchecked")) <= record_terms(BOOK)
    for host in ("ample.org", "org", "example.org.uk"):
        assert not set(query_terms(target_host=host)) <= record_terms(BOOK)
    assert not set(query_terms(status="withdrawn")) <= record_terms(BOOK)


@given(st.text(max_size=60))
def test_a_title_is_found_by_its_own_text_whatever_its_script(title: str) -> None:
    found = replace(BOOK, metadata={"what": title})
    assert set(query_terms(title)) <= record_terms(found) | {
        term for term in query_terms(title) if term.startswith("host:")
    }


@given(st.text(st.characters(codec="ascii"), max_size=40))
def test_plain_text_has_the_same_words_as_beside_other_scripts(text: str) -> None:
    assert [*words(text), "e"] == [*words(f"{text} é")]


@given(records)
def test_terms_are_bounded(any_record: Record) -> None:
    terms = record_terms(any_record)
    assert len(terms) <= 160
    assert all(0 < len(term) <= 260 and not any(map(str.isspace, term)) for term in terms)


def test_long_texts_have_as_many_terms_as_count() -> None:
    long = " ".join(f"w{number}" for number in range(10_000))
    deep = {"what": long, "who": [[[long]]], "creators": [{"name": f"n{at} x"} for at in range(10_000)]}
    places = tuple(Location(f"https://h{at}.example.org/{'a/b-c/' * 300}{at}") for at in range(100))
    assert len(record_terms(replace(BOOK, metadata=deep, records=places))) <= 160
    assert len(query_terms(long)) == MAX_QUERY_WORDS
    assert set(query_terms("x" * 1000)) <= record_terms(replace(BOOK, metadata={"what": "x" * (MAX_LENGTH + 1)}))
