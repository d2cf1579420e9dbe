"""Health checks of real hosts on this machine; the resolver uses the first provider that is up."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from itertools import pairwise

import pytest

from coolid.aws.settings import Settings
from coolid.health.address_check import AddressChecker
from coolid.health.schedule import CheckSchedule
from coolid.model.conditions import DEGRADED, DOWN, UP
from coolid.model.prefixes import Namespace, ProviderPrefix
from coolid.net.address_policy import AddressPolicy
from coolid.net.connector import GuardedConnector
from coolid.net.guarded_client import GuardedClient
from coolid.net.rate_limit import HostRateLimit
from coolid.wiring.read_access import caching_reader
from tests.support.builders.samples import BASE_URL
from tests.support.fixtures.health_checks import CheckFunctionFixture
from tests.support.fixtures.ports import FixedClock
from tests.support.fixtures.system import System
from tests.support.servers.loopback import loopback_server


class Host:
    """A host that can be broken; `asked` counts."""

    def __init__(self) -> None:
        self.broken = False
        self.requested = 0
        self.port = 0

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requested += 1
        handler.close_connection = True
        handler.send_response(500 if self.broken else 200)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"


@contextmanager
def hosting() -> Iterator[Host]:
    host = Host()
    with loopback_server(host.answer) as host.port:
        yield host


@pytest.fixture
def host() -> Iterator[Host]:
    with hosting() as host:
        yield host


@pytest.fixture
def other() -> Iterator[Host]:
    with hosting() as host:
        yield host


def looking_at(system: System, *networks: str, targets: int = 0) -> CheckFunctionFixture:
    """The probe over a system's tables, which may look at these networks, and need not wait between two looks.

    Every name is one of this machine.
    """
    dialler = GuardedConnector(AddressPolicy(networks), lambda _host, _port: ["127.0.0.1"])
    manners = HostRateLimit(clock=lambda: 0.0, sleep=lambda _: None)
    looker = AddressChecker(client=GuardedClient(base_url=BASE_URL, connector=dialler, rate_limit=manners, seconds=2.0))
    return CheckFunctionFixture(system.store(), CheckSchedule(targets=targets), FixedClock(), looker.check)


@pytest.fixture
def fixture(fresh: System) -> CheckFunctionFixture:
    return looking_at(fresh, "127.0.0.0/8")


@pytest.fixture
def go(fresh: System, host: Host, other: Host) -> str:
    """A prefix with these hosts for its providers, in this order."""
    document = {
        "kind": "provider",
        "example": "0006915",
        "providers": [
            {"code": "one", "url": host.url("one/{$id}")},
            {"code": "two", "url": other.url("two/{$id}")},
        ],
    }
    assert fresh.admin("PUT", "/api/v1/prefixes/fails-over", document).status == 201
    return "fails-over"


def location(system: System, name: str = "fails-over") -> str:
    """Where an identifier leads to, for a function that remembers nothing."""
    caching_reader(Settings.read(system.environment, writes=True)).clear()
    answer = system.get(f"/{name}:1")
    assert answer.status == 302
    return answer.headers["location"]


def states(fixture: CheckFunctionFixture, name: str) -> dict[str, str]:
    prefix = fixture.store.prefixes.prefixes([name], consistent=True)[name]
    assert isinstance(prefix, ProviderPrefix)
    return {code: condition.state for code, condition in prefix.health.items()}


def test_the_first_provider_down_gives_way_to_the_second_and_back_up_returns(
    fresh: System, fixture: CheckFunctionFixture, host: Host, other: Host, go: str
) -> None:
    first, second = host.url("one/1"), other.url("two/1")
    fixture.tick(8)
    assert host.requested > 0
    assert location(fresh) == first
    host.broken = True
    for _ in range(8):
        fixture.tick()
        if states(fixture, go).get("one"):
            break
    assert states(fixture, go)["one"] == DEGRADED
    assert location(fresh) == second
    fixture.tick(2)
    assert states(fixture, go)["one"] == DOWN
    assert location(fresh) == second
    assert fresh.get(f"/{go}:1", query="provider=one").headers["location"] == first
    host.broken = False
    fixture.tick(2)
    assert states(fixture, go)["one"] == DEGRADED
    assert location(fresh) == second
    fixture.tick(1)
    assert states(fixture, go)["one"] == UP
    assert location(fresh) == first


def test_a_host_that_answers_every_other_time_never_flaps(
    fresh: System, fixture: CheckFunctionFixture, host: Host, other: Host, go: str
) -> None:
    locations = [location(fresh)]
    for tick in range(100):
        host.broken = tick % 2 == 1
        fixture.tick()
        locations.append(location(fresh))
    assert sum(one != other for one, other in pairwise(locations)) == 1
    assert locations[-1] == other.url("two/1")


def test_a_private_address_is_checked_only_if_the_operator_allows_it(fresh: System, host: Host, go: str) -> None:
    fixture = looking_at(fresh)
    fixture.tick(8)
    assert host.requested == 0
    assert states(fixture, go)["one"] != UP


def test_a_dead_target_is_stored_beside_its_record_and_makes_no_version(fresh: System, host: Host) -> None:
    fixture = looking_at(fresh, "127.0.0.0/8", targets=9_600)
    host.broken = True
    uri = host.url("thing")
    minted = fresh.mint({"prefix": "2021/06/demo", "uri": uri})
    assert minted.status == 201
    before = fresh.contents()["LuiTable"]
    fixture.tick(6)
    namespace = fixture.store.prefixes.prefixes(["2021/06/demo"])["2021/06/demo"]
    assert isinstance(namespace, Namespace)
    key = namespace.repository.rules.validate(minted.json()["id"])
    record = fixture.store.records.record(namespace.repository.id, key, consistent=True)
    assert record is not None
    assert record.health[uri].state == DOWN
    assert record.health[uri].reason
    assert record.version == 1
    after = fresh.contents()["LuiTable"]
    assert len(after) == len(before)
    fixture.tick(1)
    assert fresh.contents()["LuiTable"] == after  # another look that tells nothing new writes nothing
