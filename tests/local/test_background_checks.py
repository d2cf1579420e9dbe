"""`coolid serve --probe`: checks on this machine, in a thread that ends with the server."""

from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest

from coolid.aws.settings import InvalidSettings
from coolid.errors import StoreUnavailable
from coolid.health.checker import OutOfTime
from coolid.health.messages import WebhookNotice
from coolid.local.background_checks import BackgroundChecks, LocalQueue
from coolid.model.check_state import CheckSubject, prefix_owner
from tests.support.fixtures.system import System
from tests.support.servers.loopback import loopback_server


@pytest.fixture
def returned(fresh: System) -> Mapping[str, str]:
    """The environment of a system; providers have their turn at each tick of an hour, records never."""
    return {**fresh.environment, "PROBE_HOURS": "1", "PROBE_TARGETS": "0"}


def test_due_addresses_are_checked_at_once_and_stored(fresh: System, returned: Mapping[str, str]) -> None:
    requested = Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        handler.send_response(204)
        handler.end_headers()
        requested.set()

    with loopback_server(answer) as port:
        provider = {"code": "one", "url": f"http://127.0.0.1:{port}/{{$id}}"}
        document = {"kind": "provider", "example": "1", "providers": [provider]}
        assert fresh.admin("PUT", "/api/v1/prefixes/nearby", document).status == 201
        complaints: list[str] = []
        probes = BackgroundChecks(returned, 3_600, ["127.0.0.0/8"], complaints.append)
        probes.start()
        assert requested.wait(30)
        probes.stop()
    subject = CheckSubject(prefix_owner("nearby"), "one")
    assert fresh.store().check_states.check_states([subject])[subject].status == 204
    assert complaints == []


def test_a_requested_check_is_carried_out_between_the_ticks(fresh: System, returned: Mapping[str, str]) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        handler.send_response(404)
        handler.end_headers()

    with loopback_server(answer) as port:
        pid = fresh.mint({"prefix": "demo", "uri": f"http://localhost:{port}/gone"}).json()["pid"]
        answered = fresh.admin("POST", "/api/v1/checks", {"pid": pid})
        assert answered.status == 202, answered.body
        probes = BackgroundChecks(returned, 3_600, ["127.0.0.0/8", "::1/128"], print)
        probes._take_requests()
        probes._process_waiting()
    (state,) = fresh.admin("GET", f"/api/v1/checks/{quote(pid, safe='')}").json()["checks"]
    assert (state["state"], state["status"]) == ("degraded", 404)
    assert state["lastChecked"] >= answered.json()["requested"]


def test_a_failing_store_is_reported_and_does_not_end_the_loop(returned: Mapping[str, str]) -> None:
    complained = Event()
    probes = BackgroundChecks(returned, 3_600, [], lambda _: complained.set())

    def fail(*_: Any) -> None:
        raise StoreUnavailable("the store did not answer")

    with patch.object(probes, "_service") as probe:
        probe.plan_tick.side_effect = fail
        probes.start()
        assert complained.wait(30)
        probes.stop()


@pytest.mark.parametrize("failure", [StoreUnavailable("the store did not answer"), OutOfTime()])
def test_a_letter_that_could_not_be_worked_off_is_not_lost(failure: Exception, returned: Mapping[str, str]) -> None:
    letters = [WebhookNotice(at, "r4k2", {}) for at in (1, 2)]
    probes = BackgroundChecks(returned, 1, [], print)
    probes._queue.send(letters)
    with patch.object(probes, "_service") as probe:
        probe.handle_message.side_effect = [failure, True, True]
        for _ in range(3):
            with suppress(StoreUnavailable):
                probes._process_batch()
    assert [call.args[0] for call in probe.handle_message.call_args_list] == [letters[0], letters[1], letters[0]]
    assert len(probes._queue) == 0


@pytest.mark.parametrize("network", ["localhost", "127.0.0.1/8", "300.0.0.0/8"])
def test_another_text_than_a_network_is_refused_before_any_request(network: str, returned: Mapping[str, str]) -> None:
    with pytest.raises(InvalidSettings, match="PROBE_NETWORKS must be networks such as"):
        BackgroundChecks(returned, 60, [network], print)


def test_a_letter_that_waits_already_is_not_sent_again() -> None:
    queue = LocalQueue()
    first, second = (WebhookNotice(at, "r4k2", {}) for at in (1, 2))
    queue.send([first, second])
    queue.send([second, first])
    assert [queue.take() for _ in range(len(queue))] == [first, second]
