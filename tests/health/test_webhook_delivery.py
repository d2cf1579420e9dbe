"""The delivery of webhook notices."""

import pytest

from coolid.health.webhook_delivery import post
from coolid.model.check_state import BAD, BUSY, GOOD
from coolid.net.guarded_client import GuardedClient
from tests.support.servers.checked_hosts import ObservedChecks, hosting, saying
from tests.support.servers.loopback import nobody

LETTER = b'{"type": "links.changed"}'
HEADERS = {"Content-Type": "application/json", "webhook-id": "msg_1", "webhook-signature": "v1,a="}


@pytest.mark.parametrize("status", [200, 202, 204])
def test_a_notice_arrives_unchanged(status: int) -> None:
    with hosting(lambda _: saying(status)) as host:
        sight = post(host.url("/hook?a=b"), LETTER, HEADERS, client=ObservedChecks().visitor)
    assert (sight.verdict, sight.status) == (GOOD, status)
    (requested,) = host.requested
    assert (requested.method, requested.path, requested.body) == ("POST", "/hook?a=b", LETTER)
    assert requested.headers["content-length"] == str(len(LETTER))
    assert {name.lower(): value for name, value in HEADERS.items()}.items() <= requested.headers.items()
    assert requested.headers["user-agent"].startswith("coolid-probe/")


@pytest.mark.parametrize("status", [301, 304, 307, 400, 401, 403, 404, 405, 410, 416, 500, 502])
def test_no_redirect_is_followed_and_all_but_success_is_bad(status: int) -> None:
    checks = ObservedChecks()
    with hosting(lambda _: saying(status, location="/other")) as host:
        sight = post(host.url(), LETTER, HEADERS, client=checks.visitor)
    assert (sight.verdict, sight.status, sight.reason) == (BAD, status, f"it answered {status}")
    assert len(host.requested) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_is_busy_says_when_to_come_back(status: int) -> None:
    with hosting(lambda _: saying(status, retry_after="60")) as host:
        sight = post(host.url(), LETTER, HEADERS, client=ObservedChecks().visitor)
    assert (sight.verdict, sight.pause) == (BUSY, 60)


def test_an_absent_host_is_requested_once() -> None:
    checks = ObservedChecks()
    with nobody() as url:
        sight = post(url.replace("127.0.0.1", "a.example"), LETTER, HEADERS, client=checks.visitor)
    assert (sight.verdict, sight.reason) == (BAD, "it refuses the connection")
    assert len(checks.connected) == 1


def test_a_notice_that_cannot_be_sent_is_bad_and_connects_to_nobody() -> None:
    checks = ObservedChecks()
    for headers in ({"X": "a\r\nb"}, {"Host": "b.example"}, {"Content-Length": "0"}, {"Transfer-Encoding": "chunked"}):
        assert post("http://a.example/", LETTER, headers, client=checks.visitor).verdict == BAD
    assert post("\0", LETTER, HEADERS, client=checks.visitor).verdict == BAD
    assert checks.connected == []


def test_a_notice_is_sent_to_allowed_networks() -> None:
    with hosting(lambda _: saying(204)) as host:
        assert post(host.url(name="127.0.0.1"), LETTER, HEADERS, GuardedClient(["127.0.0.0/8"])).verdict == GOOD
