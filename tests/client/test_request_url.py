"""The URL of a resolution request, from typed text."""

from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coolid.client.errors import RefusedByClient
from coolid.client.request_url import read, template_of, url_at
from coolid.errors import BadReference, TooLong

LID = "b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14"
TEMPLATE = "https://resolver.linkid.org/resolve/{id}"


@pytest.mark.parametrize(
    ("text", "request_target"),
    [
        (f"lid:{LID}", LID),
        (f"LID:{LID}?format=pdf&lang=en", f"{LID}?format=pdf&lang=en"),
        (f"<lid:{LID}>", LID),
        (f"lid:{LID}?anything=goes", f"{LID}?anything=goes"),
        (LID, LID),
        (f"https://resolver.linkid.org/resolve/{LID}?format=pdf", f"{LID}?format=pdf"),
        ("uniprot:P0DP23", "uniprot:P0DP23"),
        ("uniprot:P0DP23?format=linkid", "uniprot:P0DP23?format=linkid"),
        ("doi:10.5281/zenodo.31780", "doi:10.5281/zenodo.31780"),
        ("10.1002/(SICI)1<2?", "10.1002/(SICI)1%3C2%3F"),
        ("10.1002/x?y=z", "10.1002/x%3Fy=z"),
        ("https://doi.org/10.5281%2Fzenodo.31780?locatt=x", "doi:10.5281/zenodo.31780"),
        ("2021/06/mp/tw0t-ywdj-94", "2021/06/mp/tw0t-ywdj-94"),
        ("ark:/12345/x5?info", "ark:/12345/x5?info"),
        ("ark:/12345/x5??", "ark:/12345/x5??"),
        ("https://gallica.bnf.fr/ark:/12148/bpt6k97497t", "ark:/12148/bpt6k97497t"),
        ("https://n2t.net/ark:/12148/bpt6k97497t?lang=fr&x=y", "ark:/12148/bpt6k97497t?lang=fr"),
        ("https://id.example.org/resolve/2021/06/mp/x?lang=en", "2021/06/mp/x?lang=en"),
        (f"https://id.example.org/resolve/lid:{LID}", LID),
        ("https://id.example.org/mp/a%2Fb?x=y#z", "https://id.example.org/mp/a%2Fb"),
        ("ä b%", "%C3%A4%20b%25"),
    ],
)
def test_a_text_is_requested_as_in_the_draft(text: str, request_target: str) -> None:
    assert url_at(TEMPLATE, read(text)) == f"https://resolver.linkid.org/resolve/{request_target}"


def test_options_win_over_the_parameters_of_the_text() -> None:
    question = read(f"lid:{LID}?format=pdf&lang=en&lang=fr&x=1", {"format": None, "lang": "de", "version": "3"})
    assert question.parameters == (("format", "pdf"), ("x", "1"), ("lang", "de"), ("version", "3"))


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("https://id.example.org:8443/mp/x", "id.example.org:8443"),
        (f"http://id.example.org/resolve/{LID}", "id.example.org"),
        ("https://doi.org/10.5281/zenodo.31780", None),
        (f"lid:{LID}", None),
    ],
)
def test_the_host_of_a_url_may_know_its_resolver(text: str, domain: str | None) -> None:
    assert read(text).domain == domain


@pytest.mark.parametrize(
    "text",
    ["", " ", "lid:", "lid:?format=pdf", "/", "a\x1b[31mb", "a\nb", "\udcff", "a/../b", ".", "https://h/resolve/", "https://doi.org/%zz",
     "https://user:secret@id.example.org/x", "https://exa mple.org/x"],
    ids=ascii,
)  # fmt: skip
def test_a_text_without_an_identifier_is_refused(text: str) -> None:
    with pytest.raises(BadReference):
        read(text)


def test_an_identifier_that_no_resolver_takes_is_refused() -> None:
    assert read("x" * 2048).id == "x" * 2048
    with pytest.raises(TooLong):
        read("x" * 2049)


@pytest.mark.parametrize(
    ("endpoint", "template"),
    [
        ("https://id.example.org", "https://id.example.org/resolve/{id}"),
        ("https://id.example.org/pid/", "https://id.example.org/pid/resolve/{id}"),
        ("https://id.example.org/resolve/", "https://id.example.org/resolve/{id}"),
        ("https://id.example.org/lid/{id}", "https://id.example.org/lid/{id}"),
        ("https://id.example.org/lid/{+id}", "https://id.example.org/lid/{id}"),
        ("https://id.example.org/lid/{id}/go", "https://id.example.org/lid/{id}/go"),
        ("HTTPS://ID.example.org:443", "https://id.example.org/resolve/{id}"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/resolve/{id}"),
    ],
)
def test_an_endpoint_is_a_template_or_where_resolve_is(endpoint: str, template: str) -> None:
    assert template_of(endpoint) == template


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://id.example.org/",
        "https://{id}.example.org/",
        "https://example.org{id}/",
        "https://{id}/",
        "https://me@example.org/{id}",
        "https://example.org/?id={id}",
        "https://example.org/#{id}",
        "https://example.org/lid-{id}",
        "https://example.org/{id}/{id}",
        "https://example.org/{id}{?format}",
        "ftp://example.org/",
        "nonsense",
        "",
    ],
)
def test_an_endpoint_that_is_not_https_or_leads_elsewhere_is_refused(endpoint: str) -> None:
    with pytest.raises(RefusedByClient):
        template_of(endpoint)


parameters = st.lists(
    st.tuples(st.sampled_from(["format", "lang", "version"]), st.text()), unique_by=lambda pair: pair[0]
)


@given(st.text(min_size=1, max_size=60), parameters)
def test_the_url_contains_exactly_the_request(identifier: str, wishes: list[tuple[str, str]]) -> None:
    try:
        question = read(f"doi:{identifier}", dict(wishes))
        url = url_at(TEMPLATE, question)
    except (BadReference, RefusedByClient):
        assume(False)
    parts = urlsplit(url)
    assert parts.netloc == "resolver.linkid.org"
    assert not parts.fragment
    assert unquote(parts.path) == f"/resolve/{question.id}"
    assert parse_qsl(parts.query, keep_blank_values=True) == list(question.parameters)
    assert {**dict(question.parameters), **dict(wishes)} == dict(question.parameters)
