"""Extraction: an identifier stays unchanged, and surrounding print is removed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import LineNotTried, StoreUnavailable
from coolid.recognition.explanation import MAX_CHARACTERS, explain
from coolid.recognition.extraction import MAX_CANDIDATES, MAX_IDENTIFIERS, interpret
from coolid.recognition.mentions import mentions, strip_punctuation
from coolid.recognition.plain_text import plain_text
from coolid.resolution.caching_reader import CachingReader
from coolid.resolution.request_budget import Budget
from tests.support.builders.samples import BASE_URL, MOMENT, namespace, provider_prefix, record, repository
from tests.support.fixtures.ports import FixedClock, FixedProcessorClock
from tests.support.stores.memory_store import MemoryStore
from tests.support.stores.store_wrappers import CountedReads, FailingStore


def shelves() -> MemoryStore:
    """`mp` is ours and has one record; the others are of the world."""
    store = MemoryStore()
    owner = repository(canonical="2021/06/mp")
    store.repositories[owner.id] = owner
    for name in ("2021/06/mp", "mp"):
        store.put_prefix(namespace(name, owner), None)
    store.create_record(record())
    store.put_prefix(provider_prefix("doi", "https://doi.org/{$id}", pattern=r"^\d{2,9}.*$"), None)
    store.put_prefix(provider_prefix("pmid", "https://pmid.example/{$id}", pattern=r"^\d+$"), None)
    store.put_prefix(provider_prefix("any", "https://any.example/{$id}"), None)
    for name in ("isbn", "orcid"):
        store.put_prefix(provider_prefix(name, f"https://{name}.example/{{$id}}"), None)
    return store


STORE = shelves()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mp:tw0t-ywdj-94", ()),
        ("mp:tw0t-ywdj-94.", ("mp:tw0t-ywdj-94",)),
        ("“mp:tw0t-ywdj-94”,", ("mp:tw0t-ywdj-94",)),
        ("mp:tw0t-ywdj-95.", ()),  # is not registered either way
        ("mp.", ("mp",)),
        ("any:x.", ()),  # may end so, for all that anybody knows
        ("pmid:12345.", ("pmid:12345",)),
        ("PMID: 12345", ("PMID:12345",)),
        ("PMID: 12345.", ("PMID:12345",)),
        ("pmid:none.", ()),
        ("10.1234/a.", ("10.1234/a",)),
        ("10.1234/a(b)", ()),
        ("10.1234/a(b))", ("10.1234/a(b)",)),
        ("10.1234/a b", ("doi:10.1234/a",)),
        (f"{BASE_URL}/mp:tw0t-ywdj-94.", (f"{BASE_URL}/mp:tw0t-ywdj-94",)),
        (f"see {BASE_URL}/mp:tw0t-ywdj-94.", ("mp:tw0t-ywdj-94",)),
        ("see https://example.org/x and 2021/06/mp/tw0t-ywdj-94", ("2021/06/mp/tw0t-ywdj-94",)),
        ("mp: tw0t-ywdj-94", ("mp:tw0t-ywdj-94",)),
        ("mp:tw0t ywdj 94", ("mp:tw0tywdj94",)),
        ("mp:tw0t\u2013ywdj\u201394", ("mp:tw0t-ywdj-94",)),
        ("mp:tw0t ywdj 95", ()),  # its refusal is more helpful
        ("978 0 14 029161 2", ("isbn:9780140291612",)),
        ("0000-0002-1825-0097,", ("orcid:0000-0002-1825-0097",)),
        ("ORCID 0000-0002-1825-0097", ("orcid:0000-0002-1825-0097",)),
        ("by 0000-0002-1825-0097 (0000-0002-1825-0098)", ("orcid:0000-0002-1825-0097",)),
        ("pages 1234-1240, volume 10.2, and/or any:", ()),
        ("any:a\x00 b pmid:1", ("pmid:1",)),
        ("", ()),
        ("...", ()),
    ],
    ids=ascii,
)  # fmt: skip
def test_what_is_more_likely_meant_is_picked_out(text: str, found: tuple[str, ...]) -> None:
    assert interpret(text, BASE_URL, STORE).identifiers == found
    assert explain(text, STORE, BASE_URL, MOMENT).found == found


@given(
    st.lists(
        st.sampled_from(
            ["mp:", "tw0t-ywdj-94", "10.1/", "doi.org/", "https://", " ", ".", ")", "(", "“", "é", "\ud800"]
        )
        | st.text(st.characters(), max_size=4),
        max_size=12,
    ).map("".join)
)
def test_whatever_the_text_is_it_is_few_and_not_the_text(text: str) -> None:
    found = interpret(text, BASE_URL, STORE).identifiers
    assert len(found) <= MAX_IDENTIFIERS
    assert text.strip() not in found
    assert strip_punctuation(strip_punctuation(text)) == strip_punctuation(text) or len(text) > 16


@pytest.mark.parametrize(
    "piece", ["a:", "(", ")", ".", "10.1/", "a.", "www.", "0 ", "9-", "x: ", "mp: ", "isbn ", "[<"]
)
def test_the_longest_text_of_anything_has_a_response(piece: str) -> None:
    """Before long: what is not linear in its length takes minutes for this."""
    text = piece * (MAX_CHARACTERS // len(piece))
    assert len(interpret(f"see {text}"[:MAX_CHARACTERS], BASE_URL, STORE).identifiers) <= MAX_IDENTIFIERS
    assert len(plain_text(text)) < 3 * len(text)
    assert sum(1 for _ in mentions(text)) <= len(text)


def test_a_store_that_cannot_answer_is_no_verdict() -> None:
    with pytest.raises(StoreUnavailable):
        interpret("see pmid:1", BASE_URL, FailingStore(STORE, "before", "prefixes"))


class TestReads:
    def test_words_with_unregistered_prefixes_are_looked_up_in_one_batch(self) -> None:
        read: list[int] = []
        reader = CachingReader(CountedReads(STORE, read.append), lambda: 0.0)
        words = [":".join(f"x{each}y{part}" for part in range(12)) for each in range(2 * MAX_CANDIDATES)]
        assert interpret("see " + " ".join(words) + " 10.1/x", BASE_URL, reader.for_request()).identifiers == ()
        assert max(read) <= 2 * MAX_CANDIDATES
        assert sum(read) <= 2 * MAX_CANDIDATES + 10

    @pytest.mark.parametrize(
        "text",
        [
            "see pmid:1",
            "see pmid:1 and pmid:2",
            "(mp:tw0t-ywdj-94).",
            "pmid:1.",
            "any:a.",
            "see 2021/06/mp/tw0t-ywdj-94 now",
            "See 978-3-16-148410-0.",
        ],
    )
    def test_a_budget_that_is_used_up_is_no_verdict(self, text: str) -> None:
        needed: list[int] = []
        interpret(text, BASE_URL, CachingReader(CountedReads(STORE, needed.append), lambda: 0.0).for_request())
        assert needed
        for keys in range(sum(needed)):
            budget = Budget(FixedClock(), FixedProcessorClock(), keys=keys)
            with pytest.raises(LineNotTried):
                interpret(text, BASE_URL, CachingReader(STORE, lambda: 0.0).for_request(budget=budget))
