"""Recognition of URLs: what is certain, ambiguous, and nothing. More URLs are in `vectors/pastes.json`."""

import string
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.recognition.doi_urls import dois_in
from coolid.recognition.unwrap import unwrap_any_url, unwrap_reference
from coolid.recognition.url_recognition import MAX_CHARACTERS, recognize, urls_in
from coolid.registry.references import parse_reference
from tests.support.builders.samples import BASE_URL

suffixes = st.text(string.ascii_lowercase + string.digits, min_size=3, max_size=10).map("j.{}.2020.01".format)
dois = st.builds("10.{}/{}".format, st.sampled_from(["1016", "1007", "1038", "99999"]), suffixes)
hosts = st.sampled_from(
    ["https://example.org", "https://www-example-com.proxy.example.edu", "http://www.example.com:8080"]
)
paths = st.sampled_from(["/", "/doi/", "/doi/full/", "/article/doi/", "/x?id=", "/x?a=b&doi=", "/x?uri=info:doi/"])
tails = st.sampled_from(
    ["/full", "/pdf", "/abstract", ".pdf", "/suppl_file/x_si_001.pdf", "/figures/2", ".full.pdf+html"]
)


@given(hosts, paths, dois, tails | st.just(""), st.booleans())
def test_a_doi_is_found_in_any_path_and_query(host: str, path: str, doi: str, tail: str, is_encoded: bool) -> None:
    written = quote(doi + tail, safe="") if is_encoded else doi + tail
    assert recognize(host + path + written) == (f"doi:{doi}",)
    assert recognize(f"{host}{path}{written}{'&' if '?' in path else '?'}utm_source=x#section") == (f"doi:{doi}",)


@given(hosts, dois)
def test_a_url_inside_another_gives_the_same_identifier(host: str, doi: str) -> None:
    url = f"{host}/doi/{doi}/full"
    for outer in (
        f"https://web.archive.org/web/2020/{url}",
        f"https://proxy.example.edu/login?url={url}",
        f"https://proxy.example.edu/login?qurl={quote(url, safe='')}",
        f"https://example.org/?url={quote(f'https://example.com/?q={url}', safe='')}",
    ):
        assert recognize(outer) == (f"doi:{doi}",)
        assert urls_in(outer)[-1] == outer


@pytest.mark.parametrize(
    ("url", "identifiers"),
    [
        ("https://example.org/items/10.55555/abc/2", ("doi:10.55555/abc/2", "doi:10.55555/abc")),
        ("https://example.org/items/10.55555/abc/overview", ("doi:10.55555/abc", "doi:10.55555/abc/overview")),
        (
            "https://example.org/10.55555/a?return=https://doi.org/10.55555/b",
            ("doi:10.55555/a", "doi:10.55555/b"),
        ),
        ("https://example.org/x?pmid=16333295&doi=10.55555/a", ("doi:10.55555/a",)),
        ("https://www.wikidata.org/wiki/q42", ("wikidata:Q42",)),
    ],
)
def test_an_ambiguous_url_has_several_candidates(url: str, identifiers: tuple[str, ...]) -> None:
    assert recognize(url) == identifiers
    if len(identifiers) > 1:
        assert unwrap_any_url(url).text == url


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/foo/bar/releases/tag/v10.1234",
        "https://github.com/foo/bar/tree/v10.1234/src",
        "https://example.org/download/10.1.2/abc",
        "https://example.org/news/10.2020/some-title",
        "https://example.org/10.1002/asi.23256.fp.png",
        "https://www.doi.org/the-identifier/what-is-a-doi/",
        "https://orcid.org/signin",
        "https://ror.org/about",
        "https://www.nature.com/articles/",
        "https://www.nature.com/nature/articles?type=article",
        "https://pubmed.ncbi.nlm.nih.gov/?term=cancer",
        "https://arxiv.org/list/cs.DL/recent",
        "https://www.wikidata.org/wiki/Wikidata:Main_Page",
        "https://www.uniprot.org/uniprot/?query=P0DP23",
        "https://www.uniprot.org/uniprotkb/BRAF_HUMAN/entry",
        "https://www.mdpi.com/1420-3049/8/1/12",  # the DOIs of these volumes are other numbers
        "https://osf.io/preprints/lissa/abcde",
        "https://sandbox.zenodo.org/records/1234",
        "https://monash.figshare.com/articles/dataset/A_title/12345678",
        "https://dspace.example.edu/handle/123456789/42",
        "https://user@doi.org/10.1002/asi.23256",
        "ftp://doi.org/10.1002/asi.23256",
        "https://[::1/10.1002/asi.23256",
        "https://" + "a." * 200 + "org/10.1002/asi.23256",
        "https://example.org/" + "a" * MAX_CHARACTERS,
        "",
    ],
)
def test_other_urls_have_none(url: str) -> None:
    assert recognize(url) == ()


@pytest.mark.parametrize(
    ("path", "doi"),
    [
        ("doi/10.1002/(SICI)1097-0258(19990715/30)18:13/14<1701::AID-SIM166>3.0.CO;2-H/abstract",
         "10.1002/(SICI)1097-0258(19990715/30)18:13/14<1701::AID-SIM166>3.0.CO;2-H"),
        ("article/10.1088/1742-6596/1/1/012001/pdf", "10.1088/1742-6596/1/1/012001"),
        ("article/10.3847/2041-8213/ab0ec7", "10.3847/2041-8213/ab0ec7"),
        ("10.7717/peerj.4375/fig-1", "10.7717/peerj.4375/fig-1"),
        ("doi/10.1037//0003-066X.59.1.29", "10.1037//0003-066X.59.1.29"),
        ("nar/article/doi/10.1093/nar/gkaa1100/6006196", "10.1093/nar/gkaa1100"),
        ("10.21203/rs.3.rs-100956/v1", "10.21203/rs.3.rs-100956/v1"),
        ("gsa/geology/article-abstract/doi/10.1130/G47001.1/579000/A-title", "10.1130/G47001.1"),
        ("10.1002/asi.23256;jsessionid=0A.f03t01", "10.1002/asi.23256"),
    ],
)  # fmt: skip
def test_slashes_that_belong_to_a_doi_stay(path: str, doi: str) -> None:
    assert dois_in(path) == (doi,)


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from([*"/?#&=%:;.-", "10.1234", "doi", "url", "https://", "a.org"])).map("".join)
)
def test_any_text_has_a_response(text: str) -> None:
    for url in (text, f"https://example.org/{text}", f"https://www.ncbi.nlm.nih.gov/pubmed/?term={text}"):
        assert urls_in(url)[-1] == url
        assert len(recognize(url)) == len(set(recognize(url)))


@pytest.mark.parametrize(
    "piece", ["/", "/full", ".pdf", "u=http://b.cc&", "http://a.b/", "10.1234/a/", "%25", "x&", "-a."]
)
def test_the_longest_urls_of_anything_have_a_response(piece: str) -> None:
    """What is not nearly linear in its length takes minutes for this."""
    for beginning in ("https://example.org/", "https://www.nature.com/nature/", "https://a.", "https://example.org/?"):
        recognize((beginning + piece * MAX_CHARACTERS)[:MAX_CHARACTERS])


@pytest.mark.parametrize(
    "path",
    [
        "https://www.nature.com/articles/s41586-020-2649-2",
        "https%3A%2F%2Fwww.nature.com%2Farticles%2Fs41586-020-2649-2%3Fproof%3Dt",
        "https:/link.springer.com/article/10.1038/s41586-020-2649-2",
    ],
)
def test_a_page_in_a_path_is_its_identifier(path: str) -> None:
    assert unwrap_reference(parse_reference(path), BASE_URL).text == "doi:10.1038/s41586-020-2649-2"
