"""Services: SRV records over real DNS messages, in the order of RFC 2782."""

import pytest

from coolid.client.discovery import MAX_SERVICES, query_services
from coolid.client.errors import RefusedByClient, Unreachable
from tests.support.servers.name_server import name_server

NAME = "_linkid._https.example.org"


def test_every_host_is_listed_lowest_priority_first() -> None:
    records = ["20 0 1 last.example.", "10 0 2 a.example.", "10 5 3 b.example.", "10 60 4 c.example."]
    with name_server({NAME: records}) as server:
        order = query_services(NAME, server)
    assert {*order[:3]} == {"a.example:2", "b.example:3", "c.example:4"}
    assert order[3:] == ("last.example:1",)


def test_the_heavier_comes_first_more_often() -> None:
    with name_server({NAME: ["1 0 443 light.example.", "1 65535 443 heavy.example."]}) as server:
        assert query_services(NAME, server) == ("heavy.example:443", "light.example:443")


def test_there_is_a_limit() -> None:
    with name_server({NAME: [f"1 1 {port} a.example." for port in range(1, MAX_SERVICES + 5)]}) as server:
        assert len(query_services(NAME, server)) == MAX_SERVICES


def test_a_target_of_a_dot_offers_nothing() -> None:
    with name_server({NAME: ["0 0 0 ."]}) as server:
        assert query_services(NAME, server) == ()


def test_what_dns_says_is_read() -> None:
    with name_server({NAME: ["20 0 8443 b.example.org.", "10 0 443 a.example.org."]}) as server:
        assert query_services(NAME, server) == ("a.example.org:443", "b.example.org:8443")


@pytest.mark.parametrize("known", [{}, {NAME: []}], ids=["no such name", "no such records"])
def test_a_domain_without_records_offers_nothing(known: dict[str, list[str]]) -> None:
    with name_server(known) as server:
        assert query_services(NAME, server) == ()


@pytest.mark.parametrize("rcode", ["SERVFAIL", "REFUSED", "FORMERR"])
def test_a_name_server_that_fails_is_reported(rcode: str) -> None:
    with name_server({}, rcode) as server, pytest.raises(Unreachable):
        query_services(NAME, server)


@pytest.mark.parametrize(
    "name", ["_linkid._https." + "a" * 64 + ".org", "_linkid._https." + "a." * 200, "_linkid._https..org"]
)
def test_an_impossible_name_is_an_error(name: str) -> None:
    with name_server({}) as server, pytest.raises(Unreachable):
        query_services(name, server)


@pytest.mark.parametrize("nameserver", ["nonsense", "127.0.0.1:x", "example.org:53", ":53", ""])
def test_what_is_no_name_server_is_refused(nameserver: str) -> None:
    with pytest.raises(RefusedByClient):
        query_services(NAME, nameserver)
