"""The synchronous client: its requests, its use of the key, its retries, and faulty hosts."""

import gzip
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from threading import Thread
from typing import Any

import pytest

from coolid.client import connections
from coolid.client.async_client import AsyncClient
from coolid.client.client import Client
from coolid.client.documents import ApiKey
from coolid.client.errors import (
    BadAnswer,
    ClientError,
    ConnectionLost,
    RefusedByClient,
    RequestDeclined,
    Unreachable,
    error_of,
)
from coolid.client.http_request import HttpAnswer, HttpRequest
from coolid.client.retries import MAX_TRIES, MAX_WAIT_SECONDS, retry_after
from coolid.client.service_api import MAX_BYTES
from coolid.client.single_request import send
from coolid.errors import CoolidError, TooLong
from tests.support.servers.http_server import ETAG, KEY, RECORD, Behaviour, Host, Reply, host, problem, raw, stored, to
from tests.support.servers.loopback import loopback_server, nobody

MINT = {"prefix": "demo", "uri": "https://content.example.org/"}
CLIENT = {"id": "epyx6gxg", "key": KEY, "scopes": ["mint:demo"]}


@pytest.fixture
def site() -> Iterator[Host]:
    with host(replies=[stored()]) as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def client(site: Host, waits: list[float]) -> Client:
    return Client(site.url, KEY, wait=waits.append, timeout=60)


def cut(handler: BaseHTTPRequestHandler) -> None:
    """The connection ends before an answer."""


def trickle(site: Host) -> Behaviour:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not site.ended.wait(0.05):
            try:
                handler.wfile.write(b"x")
            except OSError:
                return

    return answer


class TestAsking:
    def test_a_mint_is_a_post_with_the_key_and_a_name_of_its_own(self, site: Host, client: Client) -> None:
        site.will(stored(status=201))
        minted = client.mint(MINT)
        client.mint(MINT)
        (first, second) = site.requests
        assert (minted.document, minted.etag, minted.pid) == (RECORD, ETAG, RECORD["pid"])
        assert (first.method, first.target, first.json()) == ("POST", "/api/v1/records", MINT)
        assert first.headers["authorization"] == f"Bearer {KEY}"
        assert first.headers["content-type"] == "application/json"
        assert len(first.headers["idempotency-key"]) >= 20
        assert first.headers["idempotency-key"] != second.headers["idempotency-key"]

    def test_a_change_has_the_tag_that_was_seen(self, site: Host, client: Client) -> None:
        client.update("demo:x", {"metadata": {"what": None}}, etag=ETAG)
        client.withdraw("demo:x", "a mistake", etag=ETAG)
        client.withdraw("demo:x", "a mistake", etag=ETAG, successor="demo:y")
        patch, plain, succeeded = site.requests
        assert (patch.method, patch.target, patch.headers["if-match"]) == ("PATCH", "/api/v1/records/demo:x", ETAG)
        assert patch.headers["content-type"] == "application/merge-patch+json"
        assert patch.json() == {"metadata": {"what": None}}
        assert (plain.method, plain.headers["if-match"], plain.json()) == ("DELETE", ETAG, {"reason": "a mistake"})
        assert succeeded.json() == {"reason": "a mistake", "successor": "demo:y"}

    def test_odd_identifiers_stand_in_the_path_and_in_no_other_place(self, site: Host, client: Client) -> None:
        for text in ("demo:a?b#c %2F", f"{site.url}/demo/a%2Fb%3Fc?version=3", "/demo/é"):
            client.get(text)
        client.get("demo:x", 2)
        assert [requested.target for requested in site.requests] == [
            "/api/v1/records/demo:a%3Fb%23c%20%252F",
            "/api/v1/records/demo/a%2Fb%3Fc",
            "/api/v1/records/demo/%C3%A9",
            "/api/v1/records/demo:x?version=2",
        ]

    def test_a_service_may_stand_below_a_path(self, site: Host) -> None:
        Client(f"{site.url}/prod/", KEY).get(f"{site.url}/prod/demo/x")
        assert site.requests[0].target == "/prod/api/v1/records/demo/x"

    def test_public_resources_are_requested_without_the_key(self, site: Host, client: Client) -> None:
        _, headers, body = stored()
        linkid = dict(headers) | {"Content-Type": "application/linkid+json"}
        site.will((200, linkid, body))
        assert client.get_public("demo:x").document == RECORD
        assert client.get_public("demo:x", 1).etag is None
        assert [requested.target for requested in site.requests] == [
            "/demo:x?format=linkid",
            "/demo:x?format=linkid&version=1",
        ]
        assert not any("authorization" in requested.headers for requested in site.requests)
        site.will((410, linkid, body))
        assert client.get_public("demo:x").document == RECORD

    def test_identifiers_of_other_services_have_no_record_here(self, site: Host, client: Client) -> None:
        site.will((302, {"Location": "https://doi.org/10.1002/x"}, b""))
        with pytest.raises(RequestDeclined, match=r"https://doi\.org/10\.1002/x"):
            client.get_public("doi:10.1002/x")

    def test_a_history_is_its_versions(self, site: Host, client: Client) -> None:
        version = {"version": 1, "author": "epyx6gxg", "record": RECORD}
        site.will(stored({"versions": [version]}))
        assert [each.document for each in client.history("demo:x")] == [version]
        assert site.requests[0].target == "/api/v1/history/demo:x"

    def test_all_pages_of_a_history_are_read(self, site: Host, client: Client) -> None:
        newer, older = ({"version": number, "author": None, "record": RECORD} for number in (2, 1))
        first = stored({"versions": [newer], "next": "b&c"})
        site.will(first, stored({"versions": [older], "next": None}))
        assert [each.document for each in client.history("demo:x")] == [newer, older]
        assert [each.target for each in site.requests] == [
            f"/api/v1/history/demo:x{query}" for query in ("", "?cursor=b%26c")
        ]
        for second in (first, stored({"versions": [], "next": "d"}), stored({"versions": [older], "next": 1})):
            site.will(first, second)
            with pytest.raises(BadAnswer):
                client.history("demo:x")

    def test_clients_are_made_and_revoked(self, site: Host, client: Client) -> None:
        site.will(stored(CLIENT, 201))
        assert client.keys.create(["mint:demo"]).document == CLIENT
        site.will(stored({"id": "a/b", "revoked": "2025-07-10T14:22:30Z"}))
        client.keys.revoke("a/b?c")
        create, revoke = site.requests
        assert (create.method, create.target, create.json()) == ("POST", "/api/v1/clients", {"scopes": ["mint:demo"]})
        assert (revoke.method, revoke.target) == ("DELETE", "/api/v1/clients/a%2Fb%3Fc")


def test_threads_that_begin_at_once_share_connections(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[connections.Connections] = []
    second = Thread(target=client.get, args=("demo:x",))

    class SlowConnections(connections.Connections):
        def __init__(self) -> None:
            super().__init__()
            opened.append(self)
            if len(opened) == 1:
                second.start()
                second.join(0.05)

    monkeypatch.setattr(connections, "Connections", SlowConnections)
    with client:
        client.get("demo:x")
        second.join()
    assert len(opened) == 1


class TestTheUrlOfAnotherHost:
    OTHER = "https://other.example/demo/x"

    def test_it_is_not_taken_for_a_record_here(self, site: Host, client: Client) -> None:
        for ask in (
            lambda: client.get(self.OTHER),
            lambda: client.update(self.OTHER, {}, etag=ETAG),
            lambda: client.withdraw(self.OTHER, "a mistake", etag=ETAG),
            lambda: client.history(self.OTHER),
        ):
            with pytest.raises(RefusedByClient, match=r"other\.example is another host"):
                ask()
        assert {requested.method for requested in site.requests} == {"GET"}

    @pytest.mark.parametrize("etag", [ETAG, None])
    def test_where_the_record_says_that_it_is_of_there_it_is_meant(
        self, site: Host, client: Client, etag: str | None
    ) -> None:
        client.withdraw(str(RECORD["pid"]), "a mistake", etag=etag)
        assert [(requested.method, requested.target) for requested in site.requests] == [
            ("GET", "/api/v1/records/demo/x"),
            ("DELETE", "/api/v1/records/demo/x"),
        ]


class TestTheKey:
    @pytest.mark.parametrize("url", ["http://example.org", "ftp://127.0.0.1", "https://me:pass@example.org", "x", ""])
    def test_it_goes_nowhere_in_the_clear(self, url: str) -> None:
        with pytest.raises(RefusedByClient):
            Client(url, KEY).get("demo:x")

    @pytest.mark.parametrize("url", ["https://example.org/?a=b", "https://example.org/#a"])
    def test_the_url_of_a_service_has_no_query(self, url: str) -> None:
        with pytest.raises(RefusedByClient):
            Client(url, KEY).get("demo:x")

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_it_follows_no_redirect(self, site: Host, client: Client, status: int) -> None:
        with host(replies=[stored()]) as thief:
            for location in (f"{thief.url}/api/v1/records", "/elsewhere", "http://[", ""):
                site.will((status, {"Location": location}, b""))
                with pytest.raises(BadAnswer, match="redirect"):
                    client.mint(MINT)
            assert thief.requests == []
        assert len(site.requests) == 4

    @pytest.mark.parametrize("key", ["", "secret", KEY + "\r\nX: y", KEY + "é", "Bearer " + KEY])
    def test_an_invalid_key_is_neither_sent_nor_shown(self, site: Host, key: str) -> None:
        with pytest.raises(RefusedByClient) as refusal:
            Client(site.url, key).get("demo:x")
        assert not key or key not in str(refusal.value)
        assert site.requests == []

    def test_it_is_in_no_text_about_the_client(self, client: Client) -> None:
        request = HttpRequest("GET", client.base_url, {"Authorization": f"Bearer {KEY}"}, KEY.encode())
        for thing in (client, client._api, request, AsyncClient(client.base_url, KEY), ApiKey(id="x", key=KEY)):
            assert KEY not in repr(thing)

    def test_it_does_not_pass_a_proxy_to_this_machine(
        self, site: Host, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with host(replies=[stored()]) as proxy:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.url)
            client.get("demo:x")
            assert proxy.requests == []

    @pytest.mark.parametrize("name", ["Idempotency-Key", "If-Match"])
    def test_other_headers_cannot_smuggle_any(self, site: Host, name: str) -> None:
        for value in ("a\r\nX-More: b", "a\nb", "é", "\x00"):
            with pytest.raises(RefusedByClient):
                send(HttpRequest("POST", site.url, {name: value}))
        assert site.requests == []


class TestTryingAgain:
    @pytest.mark.parametrize("status", [429, 502, 503, 504])
    def test_a_busy_service_gets_the_next_request_after_retry_after(
        self, site: Host, client: Client, waits: list[float], status: int
    ) -> None:
        site.will(problem(status, retry_after=7), problem(status), stored(status=201))
        assert client.mint(MINT).document == RECORD
        assert len({requested.headers["idempotency-key"] for requested in site.requests}) == 1
        assert len({requested.body for requested in site.requests}) == 1
        assert waits[0] == 7
        assert 0 < waits[1] < 7

    def test_a_mint_whose_answer_was_lost_is_sent_again_under_the_same_name(self, site: Host, client: Client) -> None:
        site.will(cut, (201, {"Content-Length": "100"}, b"short"), stored(status=201))
        assert client.mint(MINT).document == RECORD
        assert len(site.requests) == 3
        assert len({requested.headers["idempotency-key"] for requested in site.requests}) == 1

    def test_a_request_over_a_closed_idle_connection_is_sent_again_at_once(self, waits: list[float]) -> None:
        ports: list[int] = []

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
            ports.append(handler.client_address[1])
            handler.close_connection = len(ports) == 2
            if len(ports) != 2:
                status, headers, body = stored(status=201)
                handler.send_response_only(status)
                for name, value in (dict(headers) | {"Content-Length": str(len(body))}).items():
                    handler.send_header(name, value)
                handler.end_headers()
                handler.wfile.write(body)

        with (
            loopback_server(answer, lasting=True) as port,
            Client(f"http://127.0.0.1:{port}", KEY, wait=waits.append, max_tries=1) as client,
        ):
            assert [client.mint(MINT).document for _ in range(2)] == [RECORD] * 2
        assert (len(ports), len(set(ports)), waits) == (3, 2, [])

    def test_a_withdrawal_whose_answer_was_lost_is_done(self, site: Host, client: Client) -> None:
        tombstone = RECORD | {"withdrawn": {"reason": "a mistake"}}
        gone = problem(409, "The identifier was withdrawn")
        site.will(cut, gone, stored(tombstone))
        assert client.withdraw("demo:x", "a mistake", etag=ETAG).document == tombstone
        for replies in ([cut, gone, stored(RECORD | {"withdrawn": {"reason": "another"}})], [gone]):
            site.will(*replies)
            with pytest.raises(RequestDeclined, match="status 409"):
                client.withdraw("demo:x", "a mistake", etag=ETAG)

    def test_it_gives_up_after_a_few_times(self, site: Host, client: Client, waits: list[float]) -> None:
        site.will(problem(503, "The store is away", retry_after=2))
        with pytest.raises(Unreachable, match="The store is away; try again in 2 seconds"):
            client.mint(MINT)
        assert (len(site.requests), len(waits)) == (MAX_TRIES, MAX_TRIES - 1)
        site.will(cut)
        with pytest.raises(ConnectionLost):
            client.mint(MINT)
        assert len(site.requests) == 2 * MAX_TRIES

    @pytest.mark.parametrize("retry_after", ["31", "9" * 9, "9" * 5000, "Fri, 31 Dec 9999 23:59:59 GMT"])
    def test_it_does_not_wait_for_long(self, site: Host, client: Client, waits: list[float], retry_after: str) -> None:
        site.will(problem(429, "Enough for today", retry_after=retry_after))
        with pytest.raises(Unreachable, match="Enough for today"):
            client.mint(MINT)
        assert (len(site.requests), waits) == (1, [])

    @pytest.mark.parametrize("retry_after", ["", "soon", "-1", "1.5", "٣", "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 99"])
    def test_a_strange_time_to_wait_is_a_short_one(
        self, site: Host, client: Client, waits: list[float], retry_after: str
    ) -> None:
        _, headers, body = problem(503)
        site.will((503, dict(headers) | {"Retry-After": retry_after.encode().decode("latin-1")}, body), stored())
        client.mint(MINT)
        assert 0 < waits[0] < 5

    def test_the_time_may_be_a_date(self) -> None:
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
        assert 0 < retry_after(HttpAnswer("", 503, {"retry-after": date})) <= MAX_WAIT_SECONDS

    @pytest.mark.parametrize("impossible", [{"max_tries": 0}, {"max_wait": -1}])
    def test_there_is_at_least_one_try(self, impossible: dict[str, int]) -> None:
        with pytest.raises(ValueError, match="at least one try"):
            Client("https://id.example.org", **impossible)  # type: ignore[arg-type]

    def test_a_client_is_not_made_twice(self, site: Host, client: Client, waits: list[float]) -> None:
        for reply in (cut, problem(503, retry_after=1)):
            site.will(reply, stored(CLIENT, 201))
            with pytest.raises(Unreachable):
                client.keys.create(["admin"])
        assert (len(site.requests), waits) == (2, [])
        site.will(problem(429), stored(CLIENT, 201))
        assert client.keys.create(["admin"]).document == CLIENT

    def test_without_a_listening_server_no_request_is_repeated(self, waits: list[float]) -> None:
        with nobody() as url, pytest.raises(Unreachable):
            Client(url, KEY, wait=waits.append).mint(MINT)
        assert waits == []

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 412, 413, 422, 428, 500])
    def test_a_refused_request_is_not_repeated(self, site: Host, client: Client, status: int) -> None:
        site.will(problem(status, retry_after=1))
        with pytest.raises(ClientError):
            client.mint(MINT)
        assert len(site.requests) == 1


class TestAnswers:
    @pytest.mark.parametrize(
        "error", [error_of(422, {"detail": "No"}, tries=2), error_of(503, retry_after=2.0), TooLong(3000, 2048)]
    )
    def test_errors_can_be_sent_to_another_process(self, error: CoolidError) -> None:
        copy = deepcopy(error)  # by the protocol of pickle
        assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))

    @pytest.mark.parametrize("reply", [problem(403, f"Not with {KEY}"), to(f"https://example.org/?key={KEY}")])
    def test_a_key_that_a_server_repeats_is_in_no_message(self, site: Host, client: Client, reply: Reply) -> None:
        site.will(reply)
        with pytest.raises(ClientError, match="cool_") as refused:
            client.mint(MINT)
        assert KEY not in f"{refused.value} {refused.value!r}"

    def test_a_refusal_contains_every_position(self, site: Host, client: Client) -> None:
        errors = [{"pointer": "/uri", "detail": "it is no URL"}, {"pointer": "/metadata"}, "odd", {}]
        site.will(problem(422, "The document breaks its rules.", errors=errors))
        with pytest.raises(RequestDeclined, match="The document breaks its rules") as declined:
            client.mint(MINT)
        assert declined.value.status == 422
        assert declined.value.violations == (("/uri", "it is no URL"), ("/metadata", ""), ("", ""))
        assert declined.value.tries == 1

    @pytest.mark.parametrize("errors", [None, {}, "x", [1], [[]]])
    def test_odd_members_of_a_problem_are_passed_over(self, site: Host, client: Client, errors: Any) -> None:
        site.will(problem(422, errors=errors))
        with pytest.raises(RequestDeclined) as declined:
            client.mint(MINT)
        assert declined.value.violations == ()

    @pytest.mark.parametrize("status", [400, 403, 404])
    def test_a_no_that_the_service_did_not_say_is_none(self, site: Host, client: Client, status: int) -> None:
        site.will((status, {"Content-Type": "text/html"}, b"<h1>Not found"))
        with pytest.raises(BadAnswer, match="unlike this service"):
            client.get("demo:x")

    @pytest.mark.parametrize(
        "body", [b"", b"{", b"[]", b"null", b'{"pid": 5, "version": 1}', b'{"pid": "x"}', b'{"a": 1, "a": 2}', b"\xff"]
    )
    def test_another_document_is_no_record(self, site: Host, client: Client, body: bytes) -> None:
        site.will((200, {"Content-Type": "application/json", "ETag": ETAG}, body))
        for ask in (lambda: client.get("demo:x"), lambda: client.history("demo:x")):
            with pytest.raises(BadAnswer):
                ask()
        with pytest.raises(BadAnswer):
            client.keys.create(["admin"])

    @pytest.mark.parametrize("versions", [None, {}, [5], [{}], [{"record": []}]])
    def test_another_document_is_no_history(self, site: Host, client: Client, versions: Any) -> None:
        site.will(stored({"versions": versions}))
        with pytest.raises(BadAnswer):
            client.history("demo:x")

    def test_a_page_is_no_record(self, site: Host, client: Client) -> None:
        _, _, body = stored()
        site.will((200, {"Content-Type": "text/html"}, body))
        with pytest.raises(BadAnswer):
            client.get("demo:x")

    @pytest.mark.parametrize("body", [b"", b"{", b"[]"])
    def test_a_problem_that_is_none_is_a_bad_answer(self, site: Host, client: Client, body: bytes) -> None:
        site.will((404, {"Content-Type": "application/problem+json"}, body))
        with pytest.raises(BadAnswer):
            client.get("demo:x")

    def test_a_body_that_is_too_large_or_compressed_is_refused(self, site: Host, client: Client) -> None:
        site.will((200, {"Content-Type": "application/json"}, b"x" * (MAX_BYTES + 1)))
        with pytest.raises(BadAnswer, match="larger than"):
            client.get("demo:x")
        site.will((200, {"Content-Encoding": "gzip"}, gzip.compress(b"0" * 1_000_000)))
        with pytest.raises(BadAnswer, match="compressed"):
            client.get("demo:x")

    def test_a_slow_response_times_out(self, site: Host, waits: list[float]) -> None:
        site.will(trickle(site))
        with pytest.raises(ConnectionLost, match="no whole answer within"):
            Client(site.url, KEY, wait=waits.append, timeout=0.5).keys.create(["admin"])

    @pytest.mark.parametrize("answer", [b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\n: x\r\n\r\n"])
    def test_a_response_without_http_is_an_error(self, site: Host, client: Client, answer: bytes) -> None:
        site.will(raw(answer))
        with pytest.raises(Unreachable):
            client.get("demo:x")
