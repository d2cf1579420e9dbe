"""pyhandle, unmodified, against `coolid serve`: all operations of its REST client, and refusals."""

import json
from typing import Any

import pytest
from pyhandle.client.resthandleclient import RESTHandleClient
from pyhandle.clientcredentials import PIDClientCredentials
from pyhandle.handleclient import PyHandleClient
from pyhandle.handleexceptions import (
    GenericHandleError,
    HandleAlreadyExistsException,
    HandleAuthenticationError,
    HandleNotFoundException,
    ReverseLookupException,
)

from tests.support.servers.coolid_server import Server

PREFIX = "21.14106"
USER = f"300:0.NA/{PREFIX}"
HERE = "https://content.example.org/here"
THERE = "https://content.example.org/there"


@pytest.fixture(scope="session")
def url(server: Server) -> str:
    """Where the server is, once it has a prefix of Handles whose suffixes are chosen."""
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    rules = {"title": "Handles", "scheme": "chosen", "rules": {"pattern": "[!-~]+", "folds_case": True}}
    created = server.request("POST", "/api/v1/repositories", json.dumps(rules).encode(), headers)
    alias = {"kind": "namespace", "repository": created.json()["id"]}
    answer = server.request("PUT", f"/api/v1/prefixes/{PREFIX}", json.dumps(alias).encode(), headers)
    assert answer.status == 201
    return server.url


@pytest.fixture(scope="session")
def client(server: Server, url: str) -> RESTHandleClient:
    return RESTHandleClient.instantiate_with_username_and_password(url, USER, server.key)


def location(server: Server, handle: str) -> tuple[int, str | None]:
    answer = server.request("GET", f"/{handle}")
    return answer.status, answer.headers.get("location")


def test_a_handle_is_registered_and_leads_there(server: Server, client: RESTHandleClient) -> None:
    handle = f"{PREFIX}/Registered"
    assert client.register_handle(handle, HERE, checksum="abc", EMAIL="library@example.org") == handle
    assert location(server, handle) == (302, HERE)
    record = client.retrieve_handle_record(handle)
    admin = {"handle": f"0.NA/{PREFIX}", "index": 200, "permissions": "011111110011"}
    assert record == {"HS_ADMIN": str(admin), "URL": HERE, "CHECKSUM": "abc", "EMAIL": "library@example.org"}
    whole = client.retrieve_handle_record_json(handle, auth=True)
    assert whole["handle"] == handle
    assert {each["type"]: each["index"] for each in whole["values"]}["HS_ADMIN"] == 100
    assert client.get_value_from_handle(handle, "CHECKSUM") == "abc"
    assert client.get_value_from_handle(handle, "PHONE") is None
    assert client.retrieve_handle_record(handle, indices=[1]) == {"URL": HERE}
    assert client.retrieve_handle_record(handle, type=["URL", "CHECKSUM"]) == {"URL": HERE, "CHECKSUM": "abc"}
    assert client.retrieve_handle_record(f"hdl:{handle}", type=["PHONE"]) == {}


def test_a_handle_is_registered_from_json_with_the_indexes_that_it_names(client: RESTHandleClient) -> None:
    handle = f"{PREFIX}/json"
    entries = [
        {"index": 12, "type": "URL", "data": {"format": "string", "value": HERE}, "ttl": 60},
        {"index": 7, "type": "DATA", "data": {"format": "base64", "value": "AAEC"}},
    ]
    assert client.register_handle_json(handle, entries) == handle
    values = {each["index"]: each for each in client.retrieve_handle_record_json(handle, auth=True)["values"]}
    assert (values[12]["data"], values[12]["ttl"], values[7]["data"]) == (
        entries[0]["data"],
        60,
        entries[1]["data"],
    )


def test_a_name_is_generated(server: Server, client: RESTHandleClient) -> None:
    handle = client.generate_and_register_handle(PREFIX, HERE)
    assert handle.startswith(f"{PREFIX}/")
    assert location(server, handle) == (302, HERE)


def test_what_exists_is_overwritten_only_if_that_is_wanted(server: Server, client: RESTHandleClient) -> None:
    handle = f"{PREFIX}/overwritten"
    client.register_handle(handle, HERE)
    with pytest.raises(HandleAlreadyExistsException):
        client.register_handle(handle, THERE)
    assert client.register_handle(handle, THERE, overwrite=True) == handle
    assert location(server, handle) == (302, THERE)


def test_values_are_modified_added_and_deleted(server: Server, client: RESTHandleClient) -> None:
    handle = f"{PREFIX}/modified"
    client.register_handle(handle, HERE, checksum="abc")
    assert client.modify_handle_value(handle, URL=THERE, CHECKSUM=7, AUTHOR="A") == handle
    record = client.retrieve_handle_record(handle, auth=True)
    assert (record["URL"], record["CHECKSUM"], record["AUTHOR"]) == (THERE, "7", "A")
    assert location(server, handle) == (302, THERE)
    assert client.add_handle_value(handle, EMAIL="a@example.org") == handle
    assert client.delete_handle_value(handle, ["CHECKSUM", "AUTHOR"]) == handle
    assert client.retrieve_handle_record(handle, auth=True).keys() == {"URL", "EMAIL", "HS_ADMIN"}
    assert client.delete_handle_value(handle, "PHONE") is None
    with pytest.raises(HandleNotFoundException):
        client.modify_handle_value(f"{PREFIX}/never", URL=THERE)


def test_a_deleted_handle_is_a_tombstone_and_does_not_come_back(server: Server, client: RESTHandleClient) -> None:
    handle = f"{PREFIX}/deleted"
    client.register_handle(handle, HERE)
    assert client.delete_handle(handle) == handle
    assert client.retrieve_handle_record_json(handle, auth=True) is None
    assert location(server, handle) == (410, None)
    with pytest.raises(HandleNotFoundException):
        client.delete_handle(handle)
    with pytest.raises(GenericHandleError, match="never created again"):
        client.register_handle(handle, HERE, overwrite=True)


def test_handles_are_found_by_what_they_lead_to(client: RESTHandleClient) -> None:
    handles = [f"{PREFIX}/found-{number}" for number in (1, 2)]
    for number, handle in enumerate(handles):
        client.register_handle(handle, f"https://found.example/{number}", checksum=f"c{number}")
    assert client.search_handle("https://found.example/0") == handles[:1]
    assert client.search_handle("https://found.example/*") == handles
    assert client.search_handle("https://found.example/*", CHECKSUM="c1", prefix=PREFIX) == handles[1:]
    assert client.search_handle("https://nowhere.example/", prefix=PREFIX) == []


def test_a_wrong_password_is_reported_as_such(url: str) -> None:
    wrong = RESTHandleClient.instantiate_with_username_and_password(url, USER, f"cool_aaaaaaaa_{'a' * 43}")
    with pytest.raises(HandleAuthenticationError):
        wrong.register_handle(f"{PREFIX}/wrong", HERE)
    with pytest.raises(ReverseLookupException, match="Authentication failed"):
        wrong.search_handle(HERE)


def test_a_user_of_a_prefix_that_is_not_here_is_none(server: Server, url: str) -> None:
    with pytest.raises(GenericHandleError):
        RESTHandleClient.instantiate_with_username_and_password(url, "300:0.NA/21.99999", server.key)


def test_without_credentials_handles_are_read_and_no_more(url: str, client: RESTHandleClient) -> None:
    client.register_handle(f"{PREFIX}/public", HERE)
    reading = RESTHandleClient.instantiate_for_read_access(url)
    assert reading.get_value_from_handle(f"{PREFIX}/public", "URL") == HERE
    assert reading.retrieve_handle_record(f"{PREFIX}/nothing") is None
    with pytest.raises(HandleAuthenticationError):
        reading.register_handle(f"{PREFIX}/unallowed", HERE)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # pyhandle leaves the file open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_credentials_come_from_a_file_as_well(server: Server, url: str, tmp_path: Any) -> None:
    file = tmp_path / "credentials.json"
    returned = {"client": "rest", "handle_server_url": url, "username": USER, "password": server.key, "prefix": PREFIX}
    file.write_text(json.dumps(returned), encoding="utf-8")
    credentials = PIDClientCredentials.load_from_JSON(str(file))
    client = PyHandleClient("rest").instantiate_with_credentials(credentials)
    assert client.register_handle(f"{PREFIX}/from-file", HERE) == f"{PREFIX}/from-file"


def test_a_target_that_may_not_be_one_is_refused_with_the_reason(client: RESTHandleClient) -> None:
    with pytest.raises(GenericHandleError, match="does not begin with http"):
        client.register_handle(f"{PREFIX}/hostile", "javascript:alert(1)")
