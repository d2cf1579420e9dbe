"""Metadata of DOIs from a resolver and an agency, both servers on this machine."""

import pytest

from coolid.net.doi_metadata import CSL_JSON, MAX_DOCUMENT_BYTES, DoiMetadata
from coolid.net.failures import RequestFailed
from tests.support.servers.http_server import Host, host, json, page, raw, to

DOI = "10.5072/a(b)<c>%2F"
TARGET = "/10.5072/a(b)%3Cc%3E%252F"


def metadata(server: Host) -> DoiMetadata:
    return DoiMetadata(server.url, "https://id.example.org", seconds=2)


def test_the_request_to_the_agency_contains_nothing_about_a_client() -> None:
    with host({TARGET: to("/agency/x"), "/agency/x": json({"title": "T"}, media_type=CSL_JSON)}) as server:
        assert metadata(server)(DOI) == b'{"title":"T"}'
        assert server.targets == [TARGET, "/agency/x"]
        for request in server.requests:
            assert request.headers.keys() == {"host", "user-agent", "accept", "connection"}
            assert request.headers["accept"] == CSL_JSON


@pytest.mark.parametrize("reply", [(404, {}, b""), page(), json({}, status=500), json({}, status=204)])
def test_anything_but_an_item_is_none(reply: object) -> None:
    with host({TARGET: reply}) as server:  # type: ignore[dict-item]
        assert metadata(server)(DOI) is None


@pytest.mark.parametrize(
    "reply",
    [
        to("http://127.0.0.1:1/metadata"),  # not secure
        to("https://10.0.0.1/"),  # not public
        to("file:///etc/passwd"),
        to(TARGET),
        json({"title": "x" * MAX_DOCUMENT_BYTES}),
        raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"),
    ],
)
def test_other_addresses_circles_and_endless_responses_fail(reply: object) -> None:
    with host({TARGET: reply}) as server, pytest.raises(RequestFailed):  # type: ignore[dict-item]
        metadata(server)(DOI)


@pytest.mark.parametrize("doi", ["//example.org/x", "https://example.org/", "\\\\example.org/x"])
def test_a_doi_leads_to_no_other_resolver(doi: str) -> None:
    with host() as server:
        try:
            assert metadata(server)(doi) is None
        except RequestFailed:
            assert server.requests == []
