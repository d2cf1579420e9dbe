"""Changes of a record in the browser: requests that the service applies as meant, and merges that lose nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.http.json_bodies import merged
from tests.http.pages.script_calls import Calls, calls_in
from tests.support.effort import examples

LISTS = examples(25)
leaves = st.none() | st.booleans() | st.sampled_from(["", "a", "b", "é<b>"]) | st.sampled_from([0.5, 1.5])
names = st.sampled_from(["a", "b", "a/b", "m~n", "__proto__", "constructor", "7"])
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2))
locations = st.dictionaries(
    st.sampled_from(["uri", "status", "validUntil"]), st.sampled_from(["x", "y", None]), min_size=1
)
contents = st.fixed_dictionaries(
    {
        "records": st.lists(locations, max_size=2),
        "metadata": st.dictionaries(names, values, max_size=3),
        "alternates": st.lists(st.just({"scheme": "doi", "identifier": "1"}), max_size=1),
    },
    optional={"status": st.sampled_from(["active", "reserved"]), "ttl": st.sampled_from([0.5, 60.5])},
)
CHOICE = """
import { merge, withParts } from "./manage/changes.js";

export * from "./manage/changes.js";
// The conflicts that are left with theirs once the reader chose theirs everywhere.
export const chosen = (base, mine, other) => {
  const { content, conflicts } = merge(base, mine, other);
  const values = conflicts.map(({ pointer, theirs }) => [pointer, theirs]);
  return merge(base, withParts(base, mine, other, content, values), other).conflicts;
};
"""
two = st.lists(st.tuples(contents, contents), min_size=1, max_size=20)
three = st.lists(st.tuples(contents, contents, contents), min_size=1, max_size=20)


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calls]:
    """Calls functions of the scripts, with those of manage/changes.js."""
    folder = tmp_path_factory.mktemp("scripts")
    (folder / "content.js").write_text(CHOICE, encoding="utf-8")
    with calls_in(folder) as calls:
        yield calls


@pytest.mark.parametrize(
    "member", [{"offer": {"to": "b", "at": "c"}}, {"transfers": [{"to": "b"}]}, {"state": "revoked"}]
)
def test_custody_is_no_content_of_the_owners(member: Any, scripts: Calls) -> None:
    others = {"what": "Tea", "__proto__": "y"}
    (content,) = scripts([("content.contentOf", {"pid": "x", "metadata": {**others, "linkid": member}, "ttl": 60})])
    assert content == {"metadata": others, "ttl": 60}


@pytest.mark.parametrize("member", ["linkid:4711", ["a"], {"of": "mine"}, None])
def test_an_own_member_of_that_name_is_content(member: Any, scripts: Calls) -> None:
    (content,) = scripts([("content.contentOf", {"metadata": {"linkid": member}})])
    assert content == {"metadata": {"linkid": member}}


@LISTS
@given(pairs=two)
def test_the_service_makes_of_a_request_what_was_meant(pairs: list[tuple[Any, Any]], scripts: Calls) -> None:
    requests = scripts([("content.changeRequest", *pair) for pair in pairs])
    for (before, after), request in zip(pairs, requests, strict=True):
        made = merged(before, request["body"]) if request["method"] == "PATCH" else request["body"]
        assert made == after


@LISTS
@given(pairs=two)
def test_only_what_differs_is_a_difference(pairs: list[tuple[Any, Any]], scripts: Calls) -> None:
    found = scripts([("content.differences", *pair) for pair in pairs])
    assert [bool(each) for each in found] == [before != after for before, after in pairs]


@LISTS
@given(triples=three)
def test_a_merge_keeps_both_changes_or_names_the_conflict(triples: list[tuple[Any, Any, Any]], scripts: Calls) -> None:
    found = scripts([("content.merge", *triple) for triple in triples])
    again = scripts([("content.chosen", *triple) for triple in triples])
    for (base, mine, theirs), each, after in zip(triples, found, again, strict=True):
        if mine == base:
            assert (each["content"], each["conflicts"]) == (theirs, [])
        if theirs in (base, mine):
            assert (each["content"], each["conflicts"], each["taken"]) == (mine, [], [])
        assert after == []


def test_changes_of_different_members_are_merged_and_one_of_the_same_is_a_conflict(scripts: Calls) -> None:
    base = {"records": [{"uri": "x"}], "metadata": {"what": "a", "who": "b"}, "alternates": []}
    mine = {**base, "metadata": {"what": "mine", "who": "b", "how": "c"}}
    theirs = {**base, "records": [{"uri": "y"}], "metadata": {"what": "theirs"}}
    (found,) = scripts([("content.merge", base, mine, theirs)])
    assert found["content"] == {"records": [{"uri": "y"}], "metadata": {"what": "mine", "how": "c"}, "alternates": []}
    assert found["conflicts"] == [{"pointer": "/metadata/what", "base": "a", "mine": "mine", "theirs": "theirs"}]
    assert [part["pointer"] for part in found["taken"]] == ["/records/0/uri", "/metadata/who"]
