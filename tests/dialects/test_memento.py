"""memento-client, unmodified, navigates versions by the header, the TimeGate and the links.

The versions in `coolid serve` are as old as the test. Versions that are years apart come from the same public routes in
this process, also over HTTP.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl

import pytest
import requests
from memento_client import MementoClient
from msgspec.structs import replace

from coolid.http.application import Application
from coolid.http.message import Request, Response
from coolid.http.public.resolution_endpoint import ResolutionEndpoint
from coolid.http.public.timemaps import TimeMapEndpoint
from coolid.model.records import WITHDRAWN, Location, Withdrawal
from tests.support.builders.samples import namespace, record, repository
from tests.support.fixtures.ports import FixedClock
from tests.support.servers.coolid_server import Server
from tests.support.servers.loopback import loopback_server
from tests.support.stores.memory_store import MemoryStore

YEARS = (2001, 2005, 2010, 2020)
LUI = "tw0t-ywdj-94"


def in_summer(year: int) -> datetime:
    """When the version of a year is from, as the client has times: without a zone, in UTC."""
    return datetime(year, 7, 1, 12)  # noqa: DTZ001 - the client takes no other


def target(handler: BaseHTTPRequestHandler) -> None:
    """A place that knows nothing of Memento."""
    handler.send_response(200)
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def send(handler: BaseHTTPRequestHandler, response: Response) -> None:
    """Send a response of the application."""
    body = response.body.encode() if isinstance(response.body, str) else response.body
    handler.send_response(response.status)
    for name, value in response.headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def add_versions(store: MemoryStore, base_url: str, places: str | None, gone: bool) -> None:
    """Store a record with a version of each year; see `telling`."""
    store.put_prefix(namespace("demo", _owner(store)), None)
    for number, year in enumerate(YEARS, 1):
        found = (Location(f"{places}{number}"),) if places else ()
        here: dict[str, Any] = {
            "pid": f"{base_url}/demo:{LUI}",
            "issuer": base_url,
            "updated": in_summer(year).replace(tzinfo=UTC),
        }
        version = record(version=number, records=found, **here)
        if gone and year == YEARS[-1]:
            version = replace(version, status=WITHDRAWN, withdrawn=Withdrawal(version.updated, "It was wrong"))
        present = store.records_by_key.get((version.repository, "tw0tywdj94"))
        if present is None:
            store.create_record(version)
        else:
            store.replace_record(version, present)


@contextmanager
def telling(places: str | None, *, gone: bool = False) -> Iterator[str]:
    """The base URL of a public side with one record, whose versions are years apart.

    Version N leads to `places` and N, or nowhere; the last is a tombstone if it is `gone`.
    """
    store = MemoryStore()
    applications: list[Application] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        path, _, query = handler.path.partition("?")
        headers = {name.lower(): value for name, value in handler.headers.items()}
        request = Request(handler.command, path, tuple(parse_qsl(query, keep_blank_values=True)), headers)
        send(handler, applications[0](request))

    def report(error: Exception, _: Request) -> None:
        raise error

    with loopback_server(answer, lasting=True) as port:
        base_url = f"http://127.0.0.1:{port}"
        add_versions(store, base_url, places, gone)
        clock = FixedClock(datetime(2030, 1, 1, tzinfo=UTC))
        routes = (
            *TimeMapEndpoint(store.uncached, clock, base_url).routes(),
            *ResolutionEndpoint(store.uncached, clock, base_url).routes(),
        )
        applications.append(Application(routes, base_url, report, public=True))
        yield base_url


def _owner(store: MemoryStore) -> Any:
    owner = repository(canonical="demo")
    store.repositories[owner.id] = owner
    return owner


@pytest.fixture
def places() -> Iterator[str]:
    """The beginning of addresses where something is."""
    with loopback_server(target, lasting=True) as port:
        yield f"http://127.0.0.1:{port}/"


def walked(base_url: str, uri: str, moment: datetime) -> dict[str, Any]:
    """What the client finds out of a moment."""
    with MementoClient(timegate_uri=f"{base_url}/timegate/") as client:
        info: dict[str, Any] = client.get_memento_info(uri, moment)
    return info


def numbers(info: dict[str, Any]) -> dict[str, int]:
    """The numbers of the versions that it found, by what they are to the one of then."""
    found = {role: each["uri"][0] for role, each in info["mementos"].items()}
    return {role: int(uri.partition("memento=")[2] or uri.rpartition("/")[2]) for role, uri in found.items()}


MOMENTS = [
    (in_summer(1990), {"closest": 1, "first": 1, "next": 2, "last": 4}),
    (in_summer(2001), {"closest": 1, "first": 1, "next": 2, "last": 4}),
    (in_summer(2004), {"closest": 1, "first": 1, "next": 2, "last": 4}),
    (in_summer(2005), {"closest": 2, "first": 1, "prev": 1, "next": 3, "last": 4}),
    (in_summer(2015), {"closest": 3, "first": 1, "prev": 2, "next": 4, "last": 4}),
    (in_summer(2029), {"closest": 4, "first": 1, "prev": 3, "last": 4}),
]


class TestWalking:
    @pytest.mark.parametrize("spelling", ["demo:" + LUI, "DEMO/TWOTYWDJ94"])
    def test_a_record_is_found_as_it_was_at_every_moment(self, spelling: str) -> None:
        with telling(None) as base_url:
            for moment, expected in MOMENTS:
                info = walked(base_url, f"{base_url}/{spelling}", moment)
                assert numbers(info) == expected
                for role, number in expected.items():
                    assert info["mementos"][role]["datetime"] == in_summer(YEARS[number - 1])
                assert info["mementos"]["closest"]["http_status_code"] == 200

    def test_what_leads_elsewhere_led_to_where_it_was_then(self, places: str) -> None:
        """The client calls that place the Memento, of which nobody can tell it a date."""
        with telling(places) as base_url:
            for moment, expected in MOMENTS:
                info = walked(base_url, f"{base_url}/demo:{LUI}", moment)
                assert numbers(info) == expected
                assert info["mementos"]["closest"]["uri"] == [f"{places}{expected['closest']}"]
                assert info["mementos"]["last"]["datetime"] == in_summer(YEARS[-1])

    def test_what_is_gone_is_found_as_long_as_it_was_there(self) -> None:
        with telling(None, gone=True) as base_url:
            uri = f"{base_url}/demo:{LUI}"
            for moment, expected in MOMENTS:
                info = walked(base_url, uri, moment)
                assert numbers(info) == expected
                assert info["mementos"]["closest"]["http_status_code"] == (410 if expected["closest"] == 4 else 200)
            assert MementoClient.is_timegate(uri, MementoClient.convert_to_http_datetime(in_summer(2005)))

    def test_from_one_version_it_goes_to_the_others(self) -> None:
        with telling(None) as base_url:
            uri = f"{base_url}/demo:{LUI}"
            seen, here = [], f"{uri}?memento=4"
            while here:
                date = MementoClient.convert_to_datetime(requests.head(here, timeout=60).headers["Memento-Datetime"])
                assert date is not None
                info = walked(base_url, here, date)
                assert info["original_uri"] == uri
                seen.append(numbers(info)["closest"])
                here = info["mementos"].get("prev", {"uri": [""]})["uri"][0]
            assert seen == [4, 3, 2, 1]


class TestRoles:
    def test_it_takes_each_for_what_it_is(self, places: str) -> None:
        for leads in (None, places):
            with telling(leads) as base_url:
                uri = f"{base_url}/demo:{LUI}"
                moment = MementoClient.convert_to_http_datetime(in_summer(2005))
                for gate in (uri, f"{base_url}/timegate/{uri}"):
                    assert MementoClient.is_timegate(gate, moment)
                    assert not MementoClient.is_memento(gate)
                for number in range(1, len(YEARS) + 1):
                    assert MementoClient.is_memento(f"{uri}?memento={number}")
                assert MementoClient.is_memento(f"{uri}?format=linkid&version=1")
                assert not MementoClient.is_timegate(f"{uri}?memento=1", moment)


class TestServing:
    @staticmethod
    def written(server: Server, method: str, path: str, document: dict[str, Any]) -> dict[str, Any]:
        """The record as it was made or changed."""
        kind = "application/json" if method == "POST" else "application/merge-patch+json"
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": kind}
        headers |= {} if method == "POST" else {"If-Match": "*"}
        answer = server.request(method, f"/api/v1/records{path}", json.dumps(document).encode(), headers)
        assert answer.status in (200, 201), answer.text
        record: dict[str, Any] = answer.json()
        return record

    @pytest.mark.parametrize("leads", [False, True])
    def test_the_versions_of_what_was_just_minted_are_found(self, server: Server, places: str, *, leads: bool) -> None:
        contents = [
            {"records": [{"uri": f"{places}{n}"}]} if leads else {"metadata": {"what": str(n)}} for n in (1, 2, 3)
        ]
        pid = self.written(server, "POST", "", {"prefix": "demo", **contents[0]})["pid"]
        for content in contents[1:]:
            self.written(server, "PATCH", pid.removeprefix(server.url), content)
        for moment, closest in ((in_summer(1990), 1), (in_summer(2999), 3)):
            info = walked(server.url, pid, moment)
            found = numbers(info)
            assert (found["closest"], found["first"], found["last"]) == (closest, 1, 3)
            assert info["timegate_uri"] == f"{server.url}/timegate/{pid}"
            assert info["mementos"]["closest"]["http_status_code"] == 200
        assert MementoClient.is_timegate(pid)
        assert MementoClient.is_memento(f"{pid}?memento=2")
