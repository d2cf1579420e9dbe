"""CURIEs and URNs: names with a namespace in front."""

from string import ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import InvalidCharacter, InvalidIdentifier
from coolid.identifiers.schemes import curie, urn
from tests.support.builders.samples import SCHEME_VECTORS

visible = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=20)
word = ascii_lowercase + digits
prefixes = st.builds(str.__add__, st.sampled_from(word + "_"), st.text(word + "._-", max_size=9))
ends = st.sampled_from(word)
namespaces = st.builds("{}{}{}".format, ends, st.text(word + "-", max_size=8), ends).filter(
    lambda name: name != urn.LSID
)
pchars = st.sampled_from([*"aZ09-._~!$&'()*+,;=:@", "%2F", "%AB"])
specifics = st.lists(pchars | st.just("/"), min_size=1, max_size=12).map("".join).filter(lambda text: text[0] != "/")
components = st.lists(pchars, max_size=6).map("".join)
lsid_words = st.text(word + "_.-", min_size=1, max_size=8)


class TestCurie:
    @pytest.mark.parametrize(("spelling", "key"), SCHEME_VECTORS["curie"]["pairs"])
    def test_known_spellings_have_their_key(self, spelling: str, key: str) -> None:
        assert curie.validate(spelling) == curie.compact(spelling) == key
        assert str(curie.parse(spelling)) == key

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["curie"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not curie.is_valid(spelling)

    @given(prefixes, visible.filter(lambda text: not text.startswith("//")))
    def test_parts_and_curies_become_each_other(self, prefix: str, reference: str) -> None:
        parts = curie.Curie(prefix, reference)
        assert curie.parse(str(parts)) == curie.parse(f"[{prefix.upper()}:{reference}]") == parts

    def test_reasons_say_what_and_where(self) -> None:
        with pytest.raises(InvalidCharacter) as raised:
            curie.validate("[uni/prot:A0]")
        assert (raised.value.position, raised.value.symbol) == (4, "/")
        for wrong, reason in (
            ("uniprot", "no colon"),
            ("uniprot:", "no reference"),
            (":A0", "no prefix"),
            ("http://x", "URL"),
        ):
            with pytest.raises(InvalidIdentifier, match=reason):
                curie.validate(wrong)


class TestUrn:
    @pytest.mark.parametrize("group", SCHEME_VECTORS["urn"]["equivalent"], ids=lambda group: group[0])
    def test_equivalent_urns_have_one_key_that_no_other_has(self, group: list[str]) -> None:
        assert {urn.validate(spelling) for spelling in group} == {group[0]}
        assert {urn.compact(spelling) for spelling in group} == {group[0]}
        for other in SCHEME_VECTORS["urn"]["equivalent"]:
            assert (urn.validate(other[0]) == urn.validate(group[0])) == (other is group)

    @pytest.mark.parametrize("spelling", SCHEME_VECTORS["urn"]["invalid"])
    def test_known_mistakes_are_refused(self, spelling: str) -> None:
        assert not urn.is_valid(spelling)

    @given(namespaces, specifics, components, components, components)
    def test_parts_and_urns_become_each_other(
        self, namespace: str, specific: str, resolution: str, query: str, fragment: str
    ) -> None:
        name = f"urn:{namespace}:{specific}"
        requested = f"{name}?+{resolution}?={query}#{fragment}"
        assert urn.parse(requested) == urn.Urn(namespace, specific, resolution, query, fragment)
        assert urn.validate(requested) == urn.validate(name) == str(urn.parse(name)) == name

    @given(lsid_words, lsid_words, lsid_words, st.just("") | lsid_words)
    def test_lsids_have_three_or_four_parts(self, authority: str, namespace: str, thing: str, revision: str) -> None:
        lsid = ":".join(["urn:lsid", authority, namespace, thing, *([revision] if revision else [])])
        assert urn.validate(lsid.replace("urn:lsid", "URN:Lsid")) == lsid

    def test_the_authority_of_an_lsid_has_no_case_and_the_rest_does(self) -> None:
        assert urn.validate("urn:lsid:Example.ORG:Taxon:A") == "urn:lsid:example.org:Taxon:A"

    @pytest.mark.parametrize(
        ("spelling", "reason"),
        [
            ("isbn:1", "does not begin with urn:"),
            ("urn:x:1", "namespace is not 2 to 32"),
            ("urn:example:", "names nothing"),
            ("urn:example:/a", "begins with a slash"),
            ("urn:example:a?b", "question mark"),
            ("urn:example:a#b#c", "second #"),
            ("urn:example:a%2", "'%2' is not"),
            ("urn:lsid:a:b", "an LSID has"),
        ],
    )
    def test_reasons_say_what_is_wrong(self, spelling: str, reason: str) -> None:
        with pytest.raises(InvalidIdentifier, match=reason):
            urn.validate(spelling)
