"""Limits of headers: lists lose their last members, and stay lists that others can read."""

import httplink
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.http.application import Application, header_bytes, members, shortened_headers
from coolid.http.message import MAX_HEADER_BYTES, MAX_LINK_BYTES, Request, Response
from coolid.http.routes import Route
from tests.support.builders.samples import BASE_URL

titles = st.text(st.sampled_from('ab,;<>=\\" '), max_size=20)
links = st.builds(
    lambda path, title: '<{}>; rel="item"; title="{}"'.format(path, title.replace("\\", "\\\\").replace('"', '\\"')),
    st.text(st.sampled_from("ab,;=/"), min_size=1, max_size=30),
    titles,
)


@given(st.lists(links, min_size=1, max_size=20), st.integers(0, 900))
def test_the_first_links_that_fit_are_stored_whole(written: list[str], limit: int) -> None:
    headers = shortened_headers({"Vary": "Accept", "Link": ", ".join(written)}, limit)
    assert headers["Vary"] == "Accept"
    assert header_bytes(headers) <= max(limit, header_bytes({"Vary": "Accept"}))
    stored = members(headers.get("Link", ""))
    rest = iter(written)
    assert all(each in rest for each in stored), "in their order, and each at most as often as it was written"
    for text, link in zip(stored, httplink.parse_link_header(headers["Link"]).links if stored else (), strict=True):
        assert text.startswith(f"<{link.target}>")


def test_link_has_a_limit_of_its_own() -> None:
    many = ", ".join(f'<https://a.example/{at}>; rel="item"' for at in range(1_000))
    headers = shortened_headers({"Link": many}, 100_000)
    assert MAX_LINK_BYTES - 40 < len(headers["Link"]) <= MAX_LINK_BYTES


def test_links_go_before_other_lists_and_those_before_nothing_else() -> None:
    warning = ", ".join(f'"a reason, {at}";at="/records/{at}/uri"' for at in range(10))
    headers = {"Location": "x" * 100, "Link": '<a>; rel="canonical"', "Target-Warning": warning}
    assert shortened_headers(headers, header_bytes(headers)) == headers
    without = {name: value for name, value in headers.items() if name != "Link"}
    assert shortened_headers(headers, header_bytes(without)) == without
    shorter = shortened_headers(headers, header_bytes(without) - 1)
    assert shorter == {**without, "Target-Warning": warning.rpartition(", ")[0].rpartition(", ")[0]}
    assert shortened_headers(headers, 100) == {"Location": "x" * 100}


@pytest.mark.parametrize("status", [200, 302, 400, 410])
def test_an_application_applies_them_before_it_tags_a_response(status: int) -> None:
    def answer(number: int) -> Response:
        links = ['<a>; rel="canonical"', *(f'<{"b" * 500}>; rel="item"' for _ in range(20)), f'<{number}>; rel="last"']
        response = Response(status, {"Link": ", ".join(links), "X-Long": "x" * (MAX_HEADER_BYTES - 600)})
        route = Route("/", {"GET": lambda _request, _path: response})
        return Application((route,), BASE_URL, lambda error, _: None)(Request("GET", "/"))

    first, second = answer(1), answer(2)
    assert first.headers["Link"] == '<a>; rel="canonical", <1>; rel="last"'
    assert header_bytes({**first.headers, "ETag": ""}) <= MAX_HEADER_BYTES + len("ETag: \r\n")
    assert ("ETag" in first.headers) is (status != 400)
    assert ("ETag" not in first.headers) or first.headers["ETag"] != second.headers["ETag"]
