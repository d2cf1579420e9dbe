"""Shadowed prefixes: the prefixes that answered for identifiers of a new prefix are found."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from coolid.errors import CoolidError
from coolid.model.prefixes import Prefix
from coolid.registry.predecessors import predecessors
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import Reference
from tests.support.builders.samples import names, namespace, provider_prefix
from tests.support.stores.memory_store import MemoryStore

# Few words, so that names are often each other's beginnings.
words = st.sampled_from(["mp", "2021", "06", "ark", "99999", "fk4", "fk4rx", "10.5072", "doi"])
nested = st.builds(
    lambda parts, signs: "".join(part + sign for part, sign in zip(parts, [*signs, ""], strict=False)),
    st.lists(words, min_size=1, max_size=4),
    st.lists(st.sampled_from("/:"), min_size=3, max_size=3),
).map(lambda name: name.rstrip("/:"))


def found(text: str, store: MemoryStore) -> Prefix | None:
    try:
        return replace(find_prefix(Reference.of(text), store).prefix, longer=frozenset())
    except CoolidError:
        return None


@given(st.lists(nested, unique=True, max_size=6), nested, st.sampled_from(["/", ":", ""]), st.booleans())
@example(["ark:99999/fk4"], "ark:99999/fk4rx", "/", True)
@example(["ark:99999"], "ark:99999/fk4", "", True)
@example(["ark:99999/fk4", "ark"], "ark:99999/fk4rx/06", ":", False)
def test_a_prefix_that_answered_before_is_a_shadowed_one(known: list[str], new: str, sign: str, is_ours: bool) -> None:
    store = MemoryStore()
    for name in known:
        if name != new:
            store.put_prefix(provider_prefix(name, "https://a.example/{$id}"), None)
    text = f"{new}{sign}x5"
    before = found(text, store)
    row = namespace(new) if is_ours else provider_prefix(new, "https://b.example/{$id}")
    if is_ours:
        store.create_repository(replace(row.repository, canonical=None))  # type: ignore[union-attr]
    store.put_prefix(row, None)
    after = found(text, store)
    assert before is None or before == after or before.name in predecessors(new)


@pytest.mark.parametrize("label", ["doi:", "doi/", "hdl:", "handle:", ""])
def test_everybodys_dois_and_handles_are_predecessors_of_those_that_become_this_service(label: str) -> None:
    store = MemoryStore()
    for name in ("doi", "hdl", "handle"):
        store.put_prefix(provider_prefix(name, "https://a.example/{$id}"), None)
    text = f"{label}10.5072/x5"
    before = found(text, store)
    assert before is not None
    row = namespace("10.5072")
    store.create_repository(replace(row.repository, canonical=None))
    store.put_prefix(row, None)
    assert found(text, store) != before
    assert before.name in predecessors("10.5072")


@given(names)
def test_they_begin_with_the_name_itself_and_none_stands_twice(name: str) -> None:
    returned = predecessors(name)
    assert returned[0] == name
    assert len(set(returned)) == len(returned)
