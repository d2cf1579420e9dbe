"""Services: SRV records over real DNS messages, in the order of RFC 2782."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coolid.client.errors import RefusedByClient, Unreachable
from coolid.client.srv_records import MAX_SERVICES, Service, query_services, service_order
from tests.support.servers.http_hosts import name_server

NAME = "_linkid._https.example.org"

small = st.integers(0, 5)
records = st.lists(
    st.builds(Service, small, small, st.sampled_from(["a.example", "b.example", ""]), small), max_size=MAX_SERVICES
)


@given(records)
def test_every_host_has_its_turn_lowest_priority_first(given_records: list[Service]) -> None:
    order = service_order(given_records)
    assert Counter(order) == Counter(record for record in given_records if record.host)
    assert all(before.priority <= after.priority for before, after in pairwise(order))


@given(records, st.randoms(use_true_random=False))
def test_the_lot_is_drawn_from_all_weights_that_are_left(given_records: list[Service], dice: object) -> None:
    drawn: list[int] = []

    def draw(most: int) -> int:
        drawn.append(most)
        return most

    service_order(given_records, draw)
    by_priority: dict[int, int] = {}
    for record in given_records:
        by_priority[record.priority] = by_priority.get(record.priority, 0) + record.weight
    assert set(by_priority.values()) <= set(drawn)
    assert len(drawn) == len(given_records)


def test_the_heavier_is_drawn_by_higher_lots_and_weight_zero_by_none_but_zero() -> None:
    light, middle, heavy = (Service(1, weight, f"{weight}.example", 443) for weight in (0, 10, 60))
    first = [service_order([heavy, light, middle], lambda _, lot=lot: min(lot, _))[0] for lot in range(71)]  # type: ignore[misc]
    assert Counter(first) == {light: 1, middle: 10, heavy: 60}


def test_a_target_of_a_dot_offers_nothing() -> None:
    with name_server({NAME: ["0 0 0 ."]}) as server:
        assert query_services(NAME, server) == ()


def test_what_dns_says_is_read() -> None:
    with name_server({NAME: ["20 0 8443 b.example.org.", "10 0 443 a.example.org."]}) as server:
        assert query_services(NAME, server) == (
            Service(10, 0, "a.example.org", 443),
            Service(20, 0, "b.example.org", 8443),
        )


@pytest.mark.parametrize("known", [{}, {NAME: []}], ids=["no such name", "no such records"])
def test_a_domain_without_records_offers_nothing(known: dict[str, list[str]]) -> None:
    with name_server(known) as server:
        assert query_services(NAME, server) == ()


@pytest.mark.parametrize("rcode", ["SERVFAIL", "REFUSED", "FORMERR"])
def test_a_name_server_that_fails_is_told(rcode: str) -> None:
    with name_server({}, rcode) as server, pytest.raises(Unreachable):
        query_services(NAME, server)


@pytest.mark.parametrize(
    "name", ["_linkid._https." + "a" * 64 + ".org", "_linkid._https." + "a." * 200, "_linkid._https..org"]
)
def test_a_name_that_cannot_be_is_told(name: str) -> None:
    with name_server({}) as server, pytest.raises(Unreachable):
        query_services(name, server)


@pytest.mark.parametrize("nameserver", ["nonsense", "127.0.0.1:x", "example.org:53", ":53", ""])
def test_what_is_no_name_server_is_refused(nameserver: str) -> None:
    with pytest.raises(RefusedByClient):
        query_services(NAME, nameserver)
