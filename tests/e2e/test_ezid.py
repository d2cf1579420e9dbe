"""EZID's API through a deployed REST API: bodies, escaped identifiers, statuses and cookies pass unchanged.

Other tests check the operations themselves.
"""

import gzip
from base64 import b64encode

import pytest

from coolid.http.dialects.ezid.anvl import format_elements, parse_elements
from tests.e2e import localstack
from tests.e2e.created_records import HERE, Holding, doi_prefix, fresh_name, hold
from tests.e2e.service import Service
from tests.support.servers.responses import Reply

PATIENCE = 120
TITLE = "50%: é\n𝄞"


@pytest.fixture(scope="module")
def dois(service: Service) -> Holding:
    return hold(service, doi_prefix(), scheme="chosen", rules={"pattern": "[!-~]+", "folds_case": True})


def send(service: Service, method: str, target: str, **elements: str) -> Reply:
    """Send elements with the id of the administrator's key as the user, and its secret as the password."""
    _, user, password = service.key.split("_", 2)
    authorization = "Basic " + b64encode(f"{user}:{password}".encode()).decode()
    body = format_elements(elements).encode()
    return service.request(method, target, body=body, Authorization=authorization, Content_Type="text/plain")


def test_an_identifier_is_minted_read_changed_and_withdrawn(service: Service, dois: Holding) -> None:
    elements = {"_target": HERE, "datacite.title": TITLE}
    minted = send(service, "POST", f"/shoulder/doi:{dois.prefix}/FK2", **elements)
    assert (minted.status, minted.media_type) == (201, "text/plain")
    identifier = minted.text.removeprefix("success: ")
    assert identifier.startswith(f"doi:{dois.prefix}/FK2")
    read = service.get(f"/id/{identifier.replace('/', '%2F')}")
    first, _, rest = read.text.partition("\n")
    assert (read.status, first) == (200, f"success: {identifier}")
    assert elements.items() <= parse_elements(rest).items()
    assert service.get(f"/{identifier[4:]}").headers["location"] == HERE
    for status, expected in (("unavailable | sold", 410), ("public", 302)):
        assert send(service, "POST", f"/id/{identifier}", _status=status).status == 200
        assert service.seen_within(10, lambda: service.get(f"/{identifier[4:]}").status, expected) == expected
    longer = service.get(f"/id/{identifier}x?prefix_match=yes").text
    assert longer.startswith(f"success: {identifier} in_lieu_of {identifier}X\n")


def test_a_reserved_identifier_is_created_and_deleted(service: Service, dois: Holding) -> None:
    path = f"/id/doi:{dois.prefix}/{fresh_name()}"
    assert send(service, "PUT", path, _status="reserved").status == 201
    absent = service.get(path)
    assert (absent.status, absent.text) == (400, "error: bad request - no such identifier")
    assert send(service, "DELETE", path).status == 200


def test_a_batch_download_is_written_in_the_background(service: Service, dois: Holding) -> None:
    identifier = f"doi:{dois.prefix}/{fresh_name()}".upper().replace("DOI:", "doi:")
    assert send(service, "PUT", f"/id/{identifier}", _target=HERE).status == 201
    _, user, password = service.key.split("_", 2)
    authorization = "Basic " + b64encode(f"{user}:{password}".encode()).decode()
    form = {"Authorization": authorization, "Content_Type": "application/x-www-form-urlencoded"}
    begun = service.request("POST", "/download_request", body=b"format=csv&column=_id&column=_target", **form)
    assert begun.status == 200, begun.text
    path = service.path_of(begun.text.removeprefix("success: "))
    assert service.seen_within(PATIENCE, lambda: service.get(path).status, 200) == 200
    file = service.get(path)
    localstack.sends_bytes_in_base64(service, file)
    rows = gzip.decompress(file.body).decode().splitlines()
    assert rows[0] == "_id,_target"
    assert f"{identifier},{HERE}" in rows


def test_a_session_is_opened_and_ended(service: Service, dois: Holding) -> None:
    cookie = send(service, "GET", "/login").headers["set-cookie"].partition(";")[0]
    path = f"/id/doi:{dois.prefix}/{fresh_name()}"
    assert service.request("PUT", path, Cookie=cookie).status == 201
    assert service.request("GET", "/logout", Cookie=cookie).status == 200
    refused = service.request("PUT", path, Cookie=cookie)
    assert (refused.status, refused.text) == (401, "error: unauthorized")


def test_the_service_is_up(service: Service) -> None:
    assert service.get("/status").text == "success: EZID is up"
