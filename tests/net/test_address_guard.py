"""No check connects to private addresses, by address, redirect or name."""

import errno
import socket
from collections.abc import Sequence
from time import monotonic

import pytest

from coolid.deadlines import Deadline
from coolid.health.address_check import AddressChecker
from coolid.health.webhook_delivery import post
from coolid.model.check_state import BAD, BUSY, GOOD
from coolid.net.address_policy import AddressPolicy
from coolid.net.connector import GuardedConnector, resolve_host
from coolid.net.failures import NOT_PUBLIC, RequestFailed
from coolid.net.guarded_client import GuardedClient
from coolid.net.rate_limit import HostRateLimit
from coolid.net.request_target import parse_target
from tests.support.servers.checked_hosts import PUBLIC, ObservedChecks, hosting, saying

SWITCH = ("127.0.0.0/8", "::1/128")
"""What opens loopback, for tests of the whole."""

LOOPBACK = ("127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "[::1]", "127。1")
OTHERS = (
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "198.18.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "224.0.0.1",
    "255.255.255.255",
    "0",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::ffff:93.184.215.14]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b:1::5db8:d70e]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fec0::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[2001:db8::1]",
)


@pytest.mark.parametrize("host", [*LOOPBACK, *OTHERS])
def test_nothing_that_is_not_public_is_connected_to(host: str) -> None:
    checks = ObservedChecks()
    sight = checks.look(f"http://{host}:8080/", None)
    assert (sight.verdict, sight.reason) == (BAD, NOT_PUBLIC)
    assert checks.connected == []


@pytest.mark.parametrize("host", [*LOOPBACK, *OTHERS])
def test_no_redirect_leads_to_what_is_not_public(host: str) -> None:
    checks = ObservedChecks()
    with hosting(lambda _: saying(301, location=f"http://{host}:{public.port}/")) as public:
        sight = checks.look(public.url(), None)
    assert (sight.verdict, sight.reason, sight.moved) == (BAD, NOT_PUBLIC, None)
    assert checks.connected == [PUBLIC]
    assert len(public.requested) == 1


@pytest.mark.parametrize("host", LOOPBACK)
def test_the_switch_opens_loopback(host: str) -> None:
    checks = ObservedChecks(SWITCH)
    with hosting(
        lambda requested: saying(301, location=f"http://{host}:{it.port}/b") if requested.path == "/" else OK
    ) as it:
        sight = checks.look(it.url(), None)
    assert sight.verdict == GOOD
    assert checks.connected == [PUBLIC, "::1" if host == "[::1]" else "127.0.0.1"]


@pytest.mark.parametrize("host", OTHERS)
def test_the_switch_opens_nothing_else(host: str) -> None:
    checks = ObservedChecks(SWITCH)
    with hosting(lambda _: saying(301, location=f"http://{host}:{it.port}/")) as it:
        assert checks.look(it.url(), None).reason == NOT_PUBLIC
    assert checks.connected == [PUBLIC]


OK = saying(200)


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["::1"],
        [PUBLIC, "10.0.0.1"],
        ["10.0.0.1", PUBLIC],
        [PUBLIC, "::ffff:169.254.169.254"],
        ["fe80::1%eth0"],
        ["2606:2800:220:1::1%2"],
        ["0.0.0.0"],  # noqa: S104 - looked up, not bound to
        ["64:ff9b::a00:1"],
        [*[f"8.8.8.{last}" for last in range(9)], "10.0.0.1"],  # behind those that would be tried
    ],
)
def test_a_name_with_any_address_that_is_not_public_is_not_connected_to(addresses: list[str]) -> None:
    checks = ObservedChecks(names={"localhost": [addresses], "b.example": [addresses]})
    assert checks.look("http://localhost/", None).reason == NOT_PUBLIC
    with hosting(lambda _: saying(302, location="http://b.example/")) as host:
        assert checks.look(host.url(), None).reason == NOT_PUBLIC
    assert checks.connected == [PUBLIC]


def test_a_name_is_looked_up_once_for_a_connection_which_is_made_to_what_was_judged() -> None:
    checks = ObservedChecks(names={"a.example": [[PUBLIC], ["127.0.0.1"]]})
    with hosting(lambda _: OK) as host:
        assert checks.look(host.url(), None).verdict == GOOD
    assert (checks.resolved, checks.connected) == (["a.example"], [PUBLIC])


def test_a_name_that_means_something_else_the_next_time_is_judged_again() -> None:
    checks = ObservedChecks(names={"a.example": [[PUBLIC], ["127.0.0.1"]]})
    with hosting(lambda _: saying(302, location="/b")) as host:
        assert checks.look(host.url(), None).reason == NOT_PUBLIC
    assert (checks.resolved, checks.connected) == (["a.example", "a.example"], [PUBLIC])
    checks = ObservedChecks(names={"a.example": [[PUBLIC], ["127.0.0.1"]]})
    with hosting(lambda _: saying(404)) as host:  # between one ask and the second
        assert checks.look(host.url(), None).reason == NOT_PUBLIC
    assert (len(host.requested), checks.connected) == (1, [PUBLIC])


def test_a_connection_that_leads_elsewhere_than_it_should_is_not_used() -> None:
    said: list[bytes] = []
    with hosting(lambda _: OK) as host:

        def connect(_address: object, _port: int, seconds: float) -> socket.socket:
            said.append(b"")
            return socket.create_connection(("127.0.0.1", host.port), seconds)  # who says that it is 127.0.0.1

        dialler = GuardedConnector(AddressPolicy(), lambda *_: [PUBLIC], connect)
        looker = AddressChecker(client=GuardedClient(connector=dialler, rate_limit=HostRateLimit(gap=0)))
        assert looker.check(host.url(), None).reason == "it broke off the connection"
    assert said
    assert host.requested == []


def test_of_several_addresses_those_that_do_not_answer_are_passed_over() -> None:
    tried: list[str] = []
    checks = ObservedChecks()
    with hosting(lambda _: OK) as host:

        def connect(address: object, port: int, seconds: float) -> socket.socket:
            tried.append(str(address))
            if len(tried) < 3:
                raise OSError(errno.ENETUNREACH, "Network is unreachable")
            return checks._connect(address, port, seconds)  # type: ignore[arg-type]

        dialler = GuardedConnector(AddressPolicy(), lambda *_: ["2606:2800::1", "8.8.8.8", PUBLIC, PUBLIC], connect)
        with dialler.open(parse_target(host.url()), Deadline(5, monotonic)):
            assert tried == ["2606:2800::1", "8.8.8.8", PUBLIC]


@pytest.mark.parametrize("by_turns", [("8.8.8.8", "2606:2800::1"), ("2606:2800::1", "8.8.8.8")])
@pytest.mark.parametrize(
    ("ipv4", "verdict"),
    [(ConnectionRefusedError(), BAD), (TimeoutError(), BAD), (OSError(errno.ENETUNREACH, ""), BUSY)],
)
def test_missing_ipv6_says_nothing_about_a_host(by_turns: list[str], ipv4: OSError, verdict: str) -> None:
    def connect(address: object, *_: object) -> socket.socket:
        raise OSError(errno.ENETUNREACH, "") if ":" in str(address) else ipv4

    dialler = GuardedConnector(AddressPolicy(), lambda *_: by_turns, connect)
    looker = AddressChecker(client=GuardedClient(connector=dialler, rate_limit=HostRateLimit(gap=0)))
    assert looker.check("http://a.example/", None).verdict == verdict


@pytest.mark.parametrize(
    ("error", "verdict", "reason"),
    [
        (socket.gaierror(socket.EAI_NONAME, ""), BAD, "its host name does not exist"),
        (socket.gaierror(socket.EAI_FAIL, ""), BAD, "its host name cannot be looked up"),
        (socket.gaierror(socket.EAI_SYSTEM, ""), BUSY, "its host name cannot be looked up at present"),
        (OSError(errno.EMFILE, ""), BUSY, "it cannot be reached from here"),
        (socket.gaierror(socket.EAI_AGAIN, ""), BUSY, "its host name cannot be looked up at present"),
        (UnicodeError("label too long"), BAD, "its host name is invalid"),
    ],
)
def test_names_that_cannot_be_looked_up(error: Exception, verdict: str, reason: str) -> None:
    def resolve(*_: object) -> Sequence[str]:
        raise error

    looker = AddressChecker(
        client=GuardedClient(connector=GuardedConnector(AddressPolicy(), resolve), rate_limit=HostRateLimit(gap=0))
    )
    sight = looker.check("http://a.example/", None)
    assert (sight.verdict, sight.reason) == (verdict, reason)


@pytest.mark.parametrize("found", [[], ["a.example"], ["1.2.3"], ["%"]])
def test_a_name_without_an_address_is_bad(found: list[str]) -> None:
    looker = AddressChecker(
        client=GuardedClient(
            connector=GuardedConnector(AddressPolicy(), lambda *_: found), rate_limit=HostRateLimit(gap=0)
        )
    )
    assert looker.check("http://a.example/", None).verdict == BAD


def test_the_system_looks_up_names_without_connecting() -> None:
    assert {*resolve_host("localhost", 80)} <= {"127.0.0.1", "::1"}


def test_a_letter_is_not_sent_to_what_is_not_public() -> None:
    checks = ObservedChecks()
    for host in [*LOOPBACK, *OTHERS]:
        sight = post(f"http://{host}:8080/", b"{}", {}, client=checks.visitor)
        assert (sight.verdict, sight.reason) == (BAD, NOT_PUBLIC)
    assert checks.connected == []


def test_the_default_looker_reaches_loopback_by_its_networks_alone() -> None:
    with hosting(lambda _: OK) as host:
        url = host.url(name="127.0.0.1")
        visitor = GuardedClient(SWITCH, rate_limit=HostRateLimit(gap=0))
        assert AddressChecker(client=visitor).check(url, None).verdict == GOOD
        assert AddressChecker(GuardedClient()).check(url, None).reason == NOT_PUBLIC
        assert AddressChecker(GuardedClient(SWITCH)).check(url, None).verdict == GOOD
    assert len(host.requested) == 2
    with pytest.raises(RequestFailed, match="not public"):
        GuardedConnector(AddressPolicy()).open(parse_target(url), Deadline(1, monotonic))
