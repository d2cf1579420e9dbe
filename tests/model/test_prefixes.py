"""Prefixes: names that compare without case, that nest at boundaries, and URLs that hold any identifier."""

import re
from urllib.parse import quote, unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from coolid.model.prefixes import (
    DATA,
    URI,
    Provider,
    ancestors,
    as_uri,
    fold,
    has_handles,
    is_date_qualified,
    is_handle_prefix,
    join,
    parent,
)
from coolid.registry.references import parse_reference
from tests.support.builders.samples import VECTORS, names

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
HOME = Provider("home", "https://content.example.org/x/{$id}?id={$id}&plain")


class TestFolding:
    @given(anything)
    @example("ΐ")
    @example("ᾴ")
    @example("α\u0345\u0301")
    @example("ẞİıſ")
    def test_folding_twice_changes_nothing(self, name: str) -> None:
        assert fold(fold(name)) == fold(name)

    @given(st.text(st.characters(max_codepoint=127), max_size=20))
    def test_ascii_is_lower_cased(self, name: str) -> None:
        assert fold(name) == name.lower() == fold(name.upper())

    @pytest.mark.parametrize(
        ("one", "other"), [("É", "é"), ("e\u0301", "é"), ("E\u0301", "é"), ("Straße", "STRASSE"), ("Σ", "ς")]
    )
    def test_case_and_composition_do_not_matter(self, one: str, other: str) -> None:
        assert fold(one) == fold(other)

    @given(names)
    def test_boundaries_stay(self, name: str) -> None:
        assert re.sub("[^/:]", "", fold(name.upper())) == re.sub("[^/:]", "", name)


class TestNesting:
    @given(names)
    def test_ancestors_are_the_beginnings_that_end_at_a_boundary_shortest_first(self, name: str) -> None:
        found = ancestors(name)
        assert all(name.startswith(shorter) and name[len(shorter)] in "/:" for shorter in found)
        assert len(found) == len(re.findall("[/:]", name))
        assert list(found) == sorted(found, key=len)

    @given(names)
    def test_the_parent_is_the_longest_ancestor(self, name: str) -> None:
        assert parent(name) == (ancestors(name)[-1] if ancestors(name) else None)

    @given(names)
    def test_the_ancestors_of_the_parent_are_the_rest(self, name: str) -> None:
        if shorter := parent(name):
            assert ancestors(name) == (*ancestors(shorter), shorter)

    @given(names, st.text("abc/:.-", max_size=8).filter(lambda text: text[:1] not in ("/", ":")))
    def test_a_joined_identifier_reads_back_as_itself_under_its_prefix(self, name: str, identifier: str) -> None:
        splits = parse_reference(quote(join(name, identifier), safe="/:")).candidates
        assert any((candidate.name, candidate.identifier) == (name, identifier) for candidate in splits)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [("2021/06/mp/x", True), ("2021/06/", True), ("2021/06", False), ("221/06/x", False), ("2021/6/x", False)],
    )
    def test_date_qualified_names_are_reported_by_their_beginning(self, text: str, expected: bool) -> None:
        assert is_date_qualified(text) is expected


class TestHandles:
    @pytest.mark.parametrize("name", ["10.5072", "1.2", "102.100.272", "21.T11148", "21.T11148-x_y", "20.500.12345"])
    def test_a_number_and_more_between_dots_is_the_prefix_of_handles(self, name: str) -> None:
        assert is_handle_prefix(fold(name))
        assert has_handles(fold(name))
        assert has_handles(f"{fold(name)}/abc")
        assert join(fold(name), "X") == f"{fold(name)}/X"

    @pytest.mark.parametrize(
        "name", ["", "10", "10.", ".10", "10..1", "mp", "2021", "2021/06/mp", "4dn.x", "v1.2", "ark:1.2", "10.a:b"]
    )
    def test_nothing_else_is(self, name: str) -> None:
        assert not is_handle_prefix(name)
        assert not has_handles(name)


class TestLocations:
    @given(anything, st.sampled_from([URI, DATA]))
    def test_a_location_is_pure_printable_ascii_whatever_the_identifier(self, identifier: str, encoding: str) -> None:
        assert re.fullmatch("[!-~]*", HOME.location(identifier, encoding))

    @given(anything, st.sampled_from([URI, DATA]))
    def test_a_location_stays_with_its_host(self, identifier: str, encoding: str) -> None:
        assert HOME.location(identifier, encoding).startswith("https://content.example.org/x/")

    @given(anything)
    def test_data_comes_back_whole_when_its_place_is_decoded(self, identifier: str) -> None:
        """No `?`, `#` or `&` of the identifier ends its place, and no `%` or `+` in it is read as an escape."""
        location = HOME.location(identifier, DATA)
        path, _, query = location.partition("?")
        assert unquote(path.removeprefix("https://content.example.org/x/")) == identifier
        assert query.endswith("&plain")
        assert unquote(query.removeprefix("id=").removesuffix("&plain")) == identifier
        assert not set("?#&+") & set(location.removeprefix("https://content.example.org/x/").partition("?")[0])

    @given(anything)
    def test_what_a_url_may_hold_stays_as_it_is_in_a_piece_of_url(self, identifier: str) -> None:
        escaped = as_uri(identifier)
        assert as_uri(escaped) == escaped
        allowed = re.compile(r"%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]")
        stored = "".join(allowed.findall(identifier))
        assert as_uri(stored) == stored
        assert "".join(allowed.findall(escaped)) == escaped

    @given(st.text("abc%20 é<", max_size=20))
    def test_escapes_that_are_there_are_stored_and_bare_percent_signs_escaped(self, identifier: str) -> None:
        stored = re.sub("%(?![0-9A-Fa-f]{2})", "%25", identifier)
        assert unquote(as_uri(identifier)) == unquote(stored)

    @pytest.mark.parametrize("doi", VECTORS["doi"]["valid"])
    def test_the_known_dois_arrive_whole(self, doi: str) -> None:
        location = Provider("doi", "https://doi.org/{$id}").location(doi, DATA)
        assert unquote(location.removeprefix("https://doi.org/")) == doi
        assert "#" not in location
        assert "<" not in location
