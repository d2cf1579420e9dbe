"""Correction: a text that certainly means one identifier is redirected as that is; any other is refused."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.model.prefixes import DATA
from tests.support.builders.samples import BASE_URL, namespace, provider_prefix, record
from tests.support.fixtures.ports import FixedClock
from tests.support.stores.memory_store import MemoryStore

STORE = MemoryStore()
for each in (
    provider_prefix("pubmed", "https://pubmed.example/{$id}", pattern=r"^\d+$", example="1633", synonyms=("pmid",)),
    provider_prefix(
        "go", "https://go.example/{$id}", "https://ols.example/{$id}", pattern=r"^\d{7}$", example="0006915"
    ),
    provider_prefix(
        "doi", "https://doi.example/{$id}", pattern=r"^10.\d{2,9}/.*$", example="10.1038/nature", encoding=DATA
    ),
    provider_prefix("isbn", "https://isbn.example/{$id}", pattern="^[0-9Xx-]+$", example="9780140291612"),
    provider_prefix("foo", "https://foo.example/{$id}", pattern=r"^\w+$", example="abc"),
):
    STORE.put_prefix(each, None)
OWN = namespace("mp")
STORE.repositories[OWN.repository.id] = OWN.repository
STORE.put_prefix(OWN, None)
STORE.create_record(record())


def get(path: str, **query: str) -> Response:
    def unforeseen(error: Exception, _: Request) -> None:
        raise AssertionError("nobody foresaw this") from error

    routes = ResolutionEndpoint(STORE.uncached, FixedClock(), BASE_URL).routes()
    application = Application(routes, BASE_URL, unforeseen, public=True)
    return application(Request("GET", path, tuple(query.items()), {"accept": "*/*"}))


def path_of(text: str) -> str:
    return "/" + quote(text, safe="/:")


def members(answer: Response) -> dict[str, Any]:
    assert isinstance(answer.body, str)
    document: dict[str, Any] = json.loads(answer.body)
    return document


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("DOI: 10.1000/182", "doi:10.1000/182"),
        ("doi:doi:10.1000/182", "doi:10.1000/182"),
        ("10.1000/182 .", "10.1000/182"),
        ("doi:https://doi.org/10.1000/182", "10.1000/182"),
        ("10.1038/s41597\u2010022", "10.1038/s41597-022"),
        ("doi:10.1038%2Fs41597", "10.1038/s41597"),
        ("10.1000/182.", "10.1000/182"),
        ("10.1000/182).", "10.1000/182"),
        ("pmid:PMID 123", "pubmed:123"),
        ("PMID: 123", "pubmed:123"),
        ("go:0006915.", "go:0006915"),
        (" go:0006915 ", "go:0006915"),
        ("(go:0006915)", "go:0006915"),
        ('"go:0006915"', "go:0006915"),
        ("ISBN 978-0-14-029161-2", "isbn:9780140291612"),
        ("isbn:978 0 14 029161 2", "isbn:9780140291612"),
        ("(mp:tw0t-ywdj-94)", "mp:tw0t-ywdj-94"),
        ("ISBN: 978-0-14-029161-2", "isbn:9780140291612"),
        ("doi:/10.1000/182", "10.1000/182"),
        ("pubmed//123", "pubmed:123"),
        ("doi.org/10.1000/182", "10.1000/182"),
        ("www.doi.org/10.1000/182", "10.1000/182"),
        ("urn:isbn:9780140291612", "isbn:9780140291612"),
        ("info:doi/10.1000/182", "10.1000/182"),
        ("info:pmid/123", "pubmed:123"),
        ("pmid:" * 300 + "123", "pubmed:123"),
        ("pmid:123\\", "pubmed:123"),
        ("PMID123", "pubmed:123"),
        ("doi:10.1000%252F182", "10.1000/182"),
        ("https://doi.org/10.1000%252F182", "10.1000/182"),
        ("DOI10.1000/182", "10.1000/182"),
        ("GO_0006915", "go:0006915"),
        ("10.1000/182\u2197", "10.1000/182"),
        ("foo:abc;", "foo:abc"),
    ],
    ids=ascii,
)
def test_the_response_is_that_of_the_identifier(text: str, plain: str) -> None:
    answer = get(path_of(text))
    assert answer == get(path_of(plain))
    assert answer.status == 302
    assert 'rel="canonical"' in answer.headers["Link"]


@pytest.mark.parametrize(
    ("text", "suggestions"),
    [
        ("10.1000/182 and 10.1000/183", ["doi:10.1000/182", "doi:10.1000/183"]),
        ("pmid:doi:10.1000/182", ["doi:10.1000/182"]),
        ("see doi:10.1000/182 or go:0006915", ["doi:10.1000/182", "go:0006915"]),
        ("go:xx|0006915|x", []),
        ("https://pubmed.ncbi.nlm.nih.gov/1 and https://pubmed.ncbi.nlm.nih.gov/2", ["pubmed:1", "pubmed:2"]),
        ("go:<script>", []),
        ("pmid:Some Thing", []),
    ],
)
def test_a_text_that_could_mean_another_is_refused_with_suggestions(text: str, suggestions: list[str]) -> None:
    answer = get(path_of(text))
    problem = members(answer)
    assert (answer.status, problem["type"].rpartition("/")[2]) == (400, "extraneous-text")
    assert problem["suggestions"] == suggestions


@pytest.mark.parametrize("text", ["ISBN 978-0-14-029161-3", "ISBN: 978-0-14-029161-3", "isbn:9780140291613"])
def test_a_number_with_wrong_check_digits_is_refused(text: str) -> None:
    answer = get(path_of(text))
    assert (answer.status, members(answer)["type"].rpartition("/")[2]) == (400, "invalid-check")
    assert "Location" not in answer.headers


def test_part_of_an_identifier_with_a_space_is_none() -> None:
    answer = get("/foo:Some%20Name")
    assert (answer.status, "Location" in answer.headers) == (400, False)


def test_a_text_without_an_identifier_is_refused_as_before() -> None:
    assert get("/hello%20world").status == 404
    assert get("/mp:%20%20").status == 400


def test_an_own_identifier_is_refused_by_its_rules() -> None:
    answer = get("/mp:tw0t-ywdj-94%20")
    assert members(answer)["type"].endswith("/invalid-character")


def test_nothing_is_corrected_in_a_strict_request() -> None:
    assert get("/PMID:%20123", strict="1").status == 400
    assert get("/pmid:123", strict="1").status == 302


def test_the_provider_of_the_request_is_that_of_the_identifier() -> None:
    assert get("/go:%200006915", provider="p1").headers["Location"] == "https://ols.example/0006915"
    assert get("/go:%200006915", provider="nobody").status == 404
    for path in ("/p1/go:%200006915", "/p1/go/%200006915", "/p1/go:0006915."):
        assert get(path).headers["Location"] == "https://ols.example/0006915"
