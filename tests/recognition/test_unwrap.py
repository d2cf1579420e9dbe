"""Unwrapping: pasted text is reduced to its identifier, and other URLs stay unchanged."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.errors import BadReference
from coolid.recognition.unwrap import reference_of, reference_of_parameter, unwrap, unwrap_reference
from coolid.registry.references import Reference, parse_reference
from tests.support.builders.samples import BASE_URL

DOI = "doi:10.1002/asi.23256"


class TestWhatStandsAround:
    @pytest.mark.parametrize(
        "pasted",
        ["tw0t-ywdj-94", " tw0t-ywdj-94", "tw0t-ywdj-94\r\n", "<tw0t-ywdj-94>", "< tw0t-ywdj-94 >", '"tw0t-ywdj-94"',
         "'tw0t-ywdj-94'", "“tw0t-ywdj-94”", "«tw0t-ywdj-94»", "(tw0t-ywdj-94)", "[tw0t-ywdj-94]", "([<tw0t-ywdj-94>])",
         "\ufefftw0t-ywdj-94", "\u200btw0t-ywdj-94\u200b", "\u00a0tw0t-ywdj-94\u3000"],
    )  # fmt: skip
    def test_spaces_brackets_and_quotes_are_taken_off(self, pasted: str) -> None:
        unwrapped = unwrap(pasted)
        assert (unwrapped.text, unwrapped.bare) == ("tw0t-ywdj-94", "tw0t-ywdj-94")

    @pytest.mark.parametrize("text", ["", "<", ">", "<a", "a>", ">a<", "10.1002/1<67::AID>3", "a b", "(a]", '"'])
    def test_what_is_no_pair_around_the_whole_stays(self, text: str) -> None:
        assert unwrap(text).text == text

    @given(st.text(st.characters(), max_size=40))
    def test_whatever_it_is_there_is_a_response(self, text: str) -> None:
        unwrapped = unwrap(text)
        assert unwrapped.bare in text
        assert unwrap(unwrapped.bare).bare == unwrapped.bare or unwrapped.bare[:1] in "\ufeff\u200b"


class TestUrls:
    @pytest.mark.parametrize(
        ("url", "text"),
        [
            ("https://doi.org/10.1002/asi.23256", DOI),
            ("HTTP://DX.DOI.ORG/10.1002/asi.23256", DOI),
            ("https:/doi.org/10.1002/asi.23256", DOI),
            ("https://www.doi.org/10.1002/asi.23256?nols=y", DOI),
            ("https://doi.org/10.1002/asi.23256#abstract", DOI),
            ("https://doi.org/10.1002%2Fasi.23256", DOI),
            ("https://doi.org/10.1002/%61si.23256", DOI),
            ("https://doi.org/10.1002/a%2525", "doi:10.1002/a%25"),
            ("https://hdl.handle.net/102.100.272/Y35XYS0QH?noredirect", "hdl:102.100.272/Y35XYS0QH"),
            ("https://orcid.org/0000-0001-5699-994X", "orcid:0000-0001-5699-994X"),
            ("https://ror.org/05h2dda38", "ror:05h2dda38"),
            ("https://isni.org/isni/000000012281955X", "isni:000000012281955X"),
            ("https://portal.issn.org/resource/ISSN/1865-0473", "issn:1865-0473"),
            ("https://identifiers.org/uniprot:P0DP23", "uniprot:P0DP23"),
            ("https://identifiers.org/uniprot/P0DP23", "uniprot/P0DP23"),
            ("https://bioregistry.io/go:0006915", "go:0006915"),
            ("https://n2t.net/ark:/12148/bpt6k97497t", "ark:/12148/bpt6k97497t"),
            ("https://n2t.net/ark%3A/12148/bpt6k97497t", "ark:/12148/bpt6k97497t"),
            ("https://arks.org/ark:12148/bpt6k97497t?info", "ark:12148/bpt6k97497t"),
            ("https://gallica.bnf.fr/ark:/12148/bpt6k97497t", "ark:/12148/bpt6k97497t"),
            ("https://gallica.bnf.fr/x/y/ARK:/12148/bpt6k97497t", "ARK:/12148/bpt6k97497t"),
            ("https://resolver.linkid.org/resolve/" + "a" * 32, "lid:" + "a" * 32),
            (f"{BASE_URL}/resolve/" + "a" * 32, "lid:" + "a" * 32),
            (f"{BASE_URL}/resolve/mp:tw0t-ywdj-94", "mp:tw0t-ywdj-94"),
            (f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94", "2021/06/mp/tw0t-ywdj-94"),
            (f"{BASE_URL}//mp:tw0t-ywdj-94?format=json", "mp:tw0t-ywdj-94"),
            ("doi.org/10.1002/asi.23256", DOI),
            ("DX.DOI.ORG/10.1002/%61si.23256", DOI),
            ("www.doi.org/10.1002/asi.23256?nols=y", DOI),
            ("orcid.org/0000-0001-5699-994X", "orcid:0000-0001-5699-994X"),
            ("https://www.orcid.org/0000-0001-5699-994X", "orcid:0000-0001-5699-994X"),
            ("www.ror.org/05h2dda38", "ror:05h2dda38"),
            ("hdl.handle.net/102.100.272/Y35XYS0QH", "hdl:102.100.272/Y35XYS0QH"),
            ("identifiers.org/uniprot:P0DP23", "uniprot:P0DP23"),
            ("gallica.bnf.fr/ark:/12148/bpt6k97497t", "ark:/12148/bpt6k97497t"),
            (f"{BASE_URL.partition('://')[2]}/mp:tw0t-ywdj-94?info", "mp:tw0t-ywdj-94"),
            ("info:doi/10.1002/asi.23256", DOI),
            ("INFO:DOI/10.1002%2Fasi.23256", DOI),
            ("info:hdl/102.100.272/Y35XYS0QH", "hdl:102.100.272/Y35XYS0QH"),
            ("urn:doi:10.1002/asi.23256", DOI),
        ],
    )
    def test_that_of_a_pid_gives_the_pid(self, url: str, text: str) -> None:
        unwrapped = unwrap(url, BASE_URL)
        assert (unwrapped.text, unwrapped.bare) == (text, url)

    @pytest.mark.parametrize(
        "url",
        [
            "https://example.org/10.1002/asi.23256",
            "example.org/10.1002/asi.23256",
            "doi.org",
            "doi.org/",
            "doi.organic/10.1002/asi.23256",
            "10.5072/doi.org/x",
            "mp/mp:x",
            "info:lccn/2002022641",
            "info:doi/",
            "urn:doi:x",
            "https://www.www.doi.org/10.1002/asi.23256",
            "https://doi.org.example.org/10.1002/asi.23256",
            "https://example.org/https://doi.org/10.1002/asi.23256",
            "https://somebody@doi.org/10.1002/asi.23256",
            "https://doi.org/",
            "https://doi.org",
            "https://doi.org//",
            "https://example.org/bark:/12148/x",
            "https://example.org/?ark:/12148/x",
            "https://example.org/#/ark:/12148/x",
            "https://resolver.linkid.org/other/x",
            "ftp://doi.org/10.1002/asi.23256",
            "https://",
            BASE_URL,
            f"{BASE_URL}/",
        ],
    )
    def test_that_of_something_else_stays(self, url: str) -> None:
        assert unwrap(url, BASE_URL).text == url

    @pytest.mark.parametrize(
        "url", ["https://doi.org/10.1002/%zz", "https://doi.org/10.1002/%FF", "https://n2t.net/ark:/12148/%00"]
    )
    def test_one_with_a_bad_escape_is_refused(self, url: str) -> None:
        with pytest.raises(BadReference):
            unwrap(url, BASE_URL)

    def test_this_service_is_only_that_of_the_configured_base(self) -> None:
        assert unwrap("https://id.example.org/mp:x", "https://other.example.org").text == "https://id.example.org/mp:x"
        assert unwrap("http://127.0.0.1:8080/mp:x", "http://127.0.0.1:8080").text == "mp:x"
        assert unwrap("https://example.org/pids/mp:x", "https://example.org/pids").text == "mp:x"


class TestReferences:
    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("https://doi.org/10.1002/asi.23256", DOI),
            ("https:/doi.org/10.1002/asi.23256", DOI),
            ("https%3A%2F%2Fdoi.org%2F10.1002%2Fasi.23256", DOI),
            ("https://host.example/ark:/12345/x5", "ark:/12345/x5"),
            ("https://doi.org/10.1002/a%2525", "doi:10.1002/a%25"),
            ("uniprot:P0DP23", "uniprot:P0DP23"),
            ("https://example.org/x", "https://example.org/x"),
            ("httpfoo:1", "httpfoo:1"),
        ],
    )
    def test_a_url_in_a_path_is_unwrapped_and_decoded_once(self, path: str, text: str) -> None:
        assert unwrap_reference(parse_reference(path), BASE_URL).text == text

    @pytest.mark.parametrize(
        ("path", "plain"),
        [
            ("https://elsewhere.example/ark:12345/x%2Fy/z", "ark:12345/x%2Fy/z"),
            ("https://id.example.org/mp:a/b%2Fc", "mp:a/b%2Fc"),
            ("https://identifiers.org/go%2F0006915", "go%2F0006915"),
            ("https://elsewhere.example/a%2Fb/ark:12345/x/z", "ark:12345/x/z"),
        ],
    )
    def test_an_encoded_slash_in_it_separates_nothing(self, path: str, plain: str) -> None:
        unwrapped, expected = unwrap_reference(parse_reference(path), "https://id.example.org"), parse_reference(plain)
        assert (unwrapped.text, unwrapped.boundaries) == (expected.text, expected.boundaries)
        assert {each for each in unwrapped.encoded_slashes if each <= len(expected.text)} == {*expected.encoded_slashes}

    def test_what_is_no_url_is_the_same_reference(self) -> None:
        reference = Reference.of("go:0006915")
        assert unwrap_reference(reference, BASE_URL) is reference


@pytest.mark.parametrize("base_url", ["https://id.example.org/pid", "https://id.example.org/pid/"])
def test_behind_a_path_of_our_own_only_what_is_below_it_is_this_service(base_url: str) -> None:
    assert unwrap("https://id.example.org/pid/mp:1", base_url).text == "mp:1"
    for elsewhere in (
        "https://id.example.org/pidgin/mp:1",
        "https://id.example.org/mp:1",
        "https://id.example.org/pid",
    ):
        assert unwrap(elsewhere, base_url).text == elsewhere


class TestPathParameters:
    """A parameter that is encoded as a whole means what it does with its slashes, and a URL has escapes of its own."""

    @given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40))
    def test_a_pid_and_its_url_are_the_same_in_every_encoding(self, identifier: str) -> None:
        expected = Reference.of(f"mp/{identifier}")
        path = quote(expected.text, safe="/")
        for text in (expected.text, f"{BASE_URL}/{path}", f"{BASE_URL}/{path}?format=json", f"resolve/{expected.text}"):
            assert reference_of_parameter(quote(text, safe=""), BASE_URL) == expected
        assert reference_of_parameter(path, BASE_URL) == expected

    @pytest.mark.parametrize(
        "path",
        [
            "2021/06/mp/a%2Fb",
            "mp:x",
            "mp:a%252Fb",
            "resolve/" + "a" * 32,
            f"{BASE_URL}/mp:a%2Fb",
            "https://doi.org/10.1/x",
        ],
    )
    def test_other_forms_are_unchanged(self, path: str) -> None:
        assert reference_of_parameter(path, BASE_URL) == reference_of(path, BASE_URL)

    @pytest.mark.parametrize(
        ("parameter", "text"),
        [
            ("https%3A%2F%2Fdoi.org%2F10.1002%2Fasi.23256", DOI),
            ("https%3A%2F%2Felsewhere.example%2Fx%20", "https://elsewhere.example/x "),
            ("http%2Fx%20", "http/x "),
            ("resolve%2F" + "a" * 32, "lid:" + "a" * 32),
        ],
    )
    def test_urls_and_linkids(self, parameter: str, text: str) -> None:
        assert reference_of_parameter(parameter, BASE_URL).text == text

    def test_a_url_with_a_bad_escape_is_refused(self) -> None:
        with pytest.raises(BadReference):
            reference_of_parameter(quote(f"{BASE_URL}/mp:%zz", safe=""), BASE_URL)
