"""Path traversal: no interpretation of a URL by a client, proxy or server leaves its base undetected."""

import posixpath
from urllib.parse import unquote

import can_ada
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.identifiers.path_traversal import MAX_READINGS, has_dot_segments, leads_out
from coolid.model.prefixes import DATA, URI, encode_identifier

ITEMS = "https://a.example/items/"

pieces = st.sampled_from(
    ["/", ".", "..", "../", "%2e", "%2E%2e", "%2f", "%5c", "%252e", "%25252E", "%%32%65", "\\", ";", "%3b", "?", "%3F",
     "#", "%23", "%09", "%00", "//", "a", "b", "%", "%25", " ", "é"]
)  # fmt: skip
identifiers = st.lists(pieces, max_size=10).map("".join)
bases = st.sampled_from([ITEMS, "https://a.example/items/GO_", "https://a.example/a/b/", "https://a.example/ark:"])


class TestLeadingOut:
    @pytest.mark.parametrize(
        "identifier",
        [
            "..",
            "../admin",
            "a/../../b",
            "%2e%2E/x",
            ".%2e/x",
            "%252e%252e/x",
            "%%32%65./x",
            "..%2Fx",
            "..\\x",
            "..%5cx",
            "..;a/x",
            "..%3Ba/x",
            "..?x",
            "..%3Fx",
            "..#x",
            ".%09./x",
            "..%00/x",
            # What a browser counts as one name is not two, although a server may split it.
            "a%2Fb/../..",
            "a%5Cb/../..",
            "a\\b/../..",
            # An encoded question mark does not end the path.
            "a%3F/../..",
            "a%23/../..",
            # Some servers merge slashes, some leave out what stands behind a semicolon.
            "a//../..",
            "/../x",
            "a/;b/../..",
        ],
    )
    @pytest.mark.parametrize("encoding", [URI, DATA])
    def test_dots_that_lead_up_are_found_in_every_spelling(self, identifier: str, encoding: str) -> None:
        assert leads_out(ITEMS, encode_identifier(identifier, encoding))

    @pytest.mark.parametrize("identifier", ["x?y/../..", "x#y/../.."])
    def test_where_a_mark_is_encoded_the_path_continues_behind_it(self, identifier: str) -> None:
        assert leads_out(ITEMS, encode_identifier(identifier, DATA))
        assert not leads_out(ITEMS, encode_identifier(identifier, URI))

    @pytest.mark.parametrize(
        "identifier",
        ["", "a/../b", "a/./b", "..a/b..", "...", "a..b", "a/b/../../c", "a?x=../..", "%2", "%zz/x", "a%2Eb"],
    )
    def test_others_stay(self, identifier: str) -> None:
        assert not leads_out(ITEMS, encode_identifier(identifier, URI))

    def test_a_name_that_the_base_begins_belongs_to_the_base(self) -> None:
        assert leads_out("https://a.example/GO_", "1/../2")
        assert not leads_out("https://a.example/GO_", "1/2/../3")
        # Browsers decode dots, but not slashes.
        assert leads_out("https://a.example/GO_", "%2f.../%2E%2e")
        assert leads_out("https://a.example/a%2Fb%2FGO_", "1/../2")

    @pytest.mark.parametrize("base", ["https://a.example/?q=", "https://a.example/x#"])
    def test_queries_and_fragments_have_no_segments(self, base: str) -> None:
        assert not leads_out(base, "../..")
        assert not has_dot_segments(base, "/../..")

    def test_an_escape_is_decoded_several_times_but_not_without_end(self) -> None:
        found = [leads_out(ITEMS, f"%{'25' * times}2e./x") for times in range(1000)]
        assert found == [times < MAX_READINGS for times in range(1000)]

    @given(bases, identifiers, st.sampled_from([URI, DATA]))
    def test_what_is_let_pass_stays_with_browsers_and_servers(self, base: str, identifier: str, encoding: str) -> None:
        filled = encode_identifier(identifier, encoding)
        if leads_out(base, filled):
            return
        start = base.removeprefix("https://a.example")
        assert str(can_ada.parse(base + filled).pathname).startswith(start)
        path = (base + filled).removeprefix("https://a.example").partition("#")[0].partition("?")[0]
        for _ in range(4):  # as often as it is decoded on the way
            path = unquote(path)
            sent = path.replace("\\", "/").replace("\t", "").replace("\0", "")
            assert normal(sent).startswith(start.removesuffix("/"))
            assert normal("/".join(part.partition(";")[0] for part in sent.split("/"))).startswith(start.rstrip("/:"))


class TestDotSegments:
    @pytest.mark.parametrize(
        "addition", ["/.", "/./x", "/x/..", "/x/%2e/y", "/x/.;a/y", "..", "../x", "%2e./x", "/%252E"]
    )
    def test_all_are_found(self, addition: str) -> None:
        assert has_dot_segments("https://a.example/doc", addition)

    @pytest.mark.parametrize("addition", ["", ".", "./x", ".pdf", "/.well-known", "/..a", "/a..", "?x=/../..", "#/.."])
    def test_names_with_dots_are_none(self, addition: str) -> None:
        assert not has_dot_segments("https://a.example/doc", addition)

    @pytest.mark.parametrize("base", ["https://a.example/", "https://a.example/a%2F", "https://a.example/."])
    def test_the_end_of_the_base_counts(self, base: str) -> None:
        assert has_dot_segments(base, "./x")


def normal(path: str) -> str:
    """Return a path without dot segments and repeated slashes, as POSIX servers read it."""
    return posixpath.normpath("/" + path.lstrip("/"))
