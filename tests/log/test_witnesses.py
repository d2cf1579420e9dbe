"""The log's requests to its witnesses: over HTTP to a witness, and to clients that misbehave."""

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Barrier, Event
from time import monotonic

import pytest

from coolid.deadlines import Deadline
from coolid.log.checkpoints import cosign, cosigned_at
from coolid.log.policies import PolicyKey
from coolid.log.signed_notes import COSIGNATURE, SignedNote, VerifierKey
from coolid.log.tiles import TileReader
from coolid.log.tree_edge import TreeEdge
from coolid.log.witnesses import RETRY_SECONDS, WitnessClient, Witnesses
from coolid.net.witness_client import HttpWitnessClient
from tests.support.builders.signed_logs import SignedLog
from tests.support.builders.witnesses import WITNESS, WitnessService
from tests.support.fixtures.note_keys import NoteKey
from tests.support.servers.loopback import loopback_server

LOG = SignedLog()
URL = "http://witness.example/w"
Answer = tuple[int, bytes] | OSError


class FakeClient:
    """Passes requests to `answer`, and counts them."""

    def __init__(self, answer: Callable[[bytes], Answer]) -> None:
        self.answer = answer
        self.bodies: list[bytes] = []

    def post(self, url: str, body: bytes, deadline: Deadline) -> tuple[int, bytes]:
        assert url == f"{URL}/add-checkpoint"
        assert deadline.remaining_seconds() > 0
        self.bodies.append(body)
        answer = self.answer(body)
        if isinstance(answer, OSError):
            raise answer
        return answer


@pytest.fixture
def service(tmp_path: Path) -> Iterator[WitnessService]:
    service = WitnessService(tmp_path / "witness.db", LOG)
    yield service
    service.state.close()


def answer_of(service: WitnessService) -> Callable[[bytes], Answer]:
    def answer(body: bytes) -> Answer:
        response = service.post(body)
        return response.status, str(response.body).encode()

    return answer


class ReportingWitnesses:
    """The witnesses of a policy, by name, and what they reported."""

    def __init__(self, client: WitnessClient, seconds: float = 60.0, url: str = URL, *keys: VerifierKey) -> None:
        self.reports: dict[str, str] = {}
        policy = {
            name: PolicyKey(key, f"{url}/") for name, key in zip("wxyz", keys or [WITNESS.verifier()], strict=False)
        }
        self.pause = 0.0
        self.witnesses = Witnesses(policy, client, self.reports.__setitem__, lambda: monotonic() + self.pause, seconds)

    def cosign(self, size: int) -> SignedNote:
        _, tiles = TreeEdge().extended(LOG.leaves[:size])
        files = {tile.path: content for tile, content in tiles.items()}
        note = SignedNote.parse(LOG.note(size).encode())
        tree = TileReader(size, lambda paths: {path: files[path] for path in paths if path in files})
        cosigned = self.witnesses.cosigned(note, tree)
        assert cosigned.signatures[:1] == note.signatures
        return cosigned


def test_the_size_of_a_witness_is_learned_once_and_then_cached(service: WitnessService) -> None:
    assert service.submit(LOG, 0, 5) == 200
    client = FakeClient(answer_of(service))
    reporting = ReportingWitnesses(client)
    for size, requests in ((9, 2), (9, 3), (20, 4), (21, 5)):
        note = reporting.cosign(size)
        assert cosigned_at(note, WITNESS.verifier()) == service.clock.milliseconds() // 1000
        assert len(client.bodies) == requests
    assert reporting.reports == {}
    assert reporting.witnesses.cosigned(note, TileReader(21, lambda _: {})) == note
    assert len(client.bodies) == 5


def test_a_witness_that_has_lost_its_state_begins_again(service: WitnessService, tmp_path: Path) -> None:
    client = FakeClient(answer_of(service))
    reporting = ReportingWitnesses(client)
    assert cosigned_at(reporting.cosign(9), WITNESS.verifier())
    other = WitnessService(tmp_path / "other.db", LOG)
    client.answer = answer_of(other)
    assert cosigned_at(reporting.cosign(12), WITNESS.verifier())
    other.state.close()


def test_a_smaller_tree_than_the_cosigned_one_is_not_submitted_again(service: WitnessService) -> None:
    assert service.submit(LOG, 0, 20) == 200
    client = FakeClient(answer_of(service))
    reporting = ReportingWitnesses(client)
    assert cosigned_at(reporting.cosign(9), WITNESS.verifier()) is None
    assert "20 entries already" in reporting.reports["w"]
    assert len(client.bodies) == 1


def test_a_wrong_size_is_not_cached_for_ever(service: WitnessService) -> None:
    client = FakeClient(lambda _: (409, b"9000000000000000000\n"))
    reporting = ReportingWitnesses(client)
    assert cosigned_at(reporting.cosign(9), WITNESS.verifier()) is None
    client.answer = answer_of(service)
    reporting.pause = RETRY_SECONDS
    assert cosigned_at(reporting.cosign(9), WITNESS.verifier())


def foreign_line(key: NoteKey, size: int = 9) -> bytes:
    return str(cosign(LOG.checkpoint(size).text, key.verifier(), 1_700_000_000, key.sign)).encode()


OTHER = NoteKey("witness.example/w1", "other", COSIGNATURE)
ANSWERS: dict[str, Answer] = {
    "nothing": (200, b""),
    "a page": (200, b"<!DOCTYPE html>\n"),
    "a foreign key": (200, foreign_line(OTHER)),
    "another size": (200, foreign_line(WITNESS, 8)),
    "no UTF-8": (200, b"\xff\xfe\n"),
    "a refusal": (403, b"no\n"),
    "a conflict without size": (409, b"<html>\n"),
    "a conflict with a sign": (409, b"+1\n"),
    "changing sizes": (409, b"7\n"),
    "an enormous size": (409, b"9999999999999999999\n"),
    "no answer": ConnectionError("it refuses the connection"),
    "a redirect": (301, b""),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_other_answers_leave_the_checkpoint_as_it_is_and_are_reported(what: str) -> None:
    client = FakeClient(lambda _: ANSWERS[what])
    reporting = ReportingWitnesses(client)
    assert len(reporting.cosign(9).signatures) == 1
    assert reporting.reports["w"]
    assert len(client.bodies) <= 3


def test_after_a_failure_a_witness_is_left_out_for_a_while() -> None:
    client = FakeClient(lambda _: ConnectionError("it refuses the connection"))
    reporting = ReportingWitnesses(client)
    for requests in (1, 1, 1):
        reporting.cosign(9)
        assert len(client.bodies) == requests
    reporting.pause = RETRY_SECONDS
    client.answer = lambda _: (200, foreign_line(WITNESS))
    assert len(reporting.cosign(9).signatures) == 2
    assert len(client.bodies) == 2


def test_lines_of_unknown_keys_are_ignored() -> None:
    reporting = ReportingWitnesses(FakeClient(lambda _: (200, foreign_line(OTHER) + foreign_line(WITNESS))))
    assert [str(each).encode() for each in reporting.cosign(9).signatures[1:]] == [foreign_line(WITNESS)]


def test_all_get_a_request_at_once() -> None:
    keys = [NoteKey(f"w{number}.example", kind=COSIGNATURE) for number in range(2, 6)]
    barrier = Barrier(len(keys))
    lines = b"".join(map(foreign_line, keys))
    client = FakeClient(lambda _: (barrier.wait(60), (200, lines))[1])
    reporting = ReportingWitnesses(client, 60, URL, *(key.verifier() for key in keys))
    assert len(reporting.cosign(9).signatures) == 1 + len(keys)
    assert reporting.reports == {}


def test_a_silent_witness_is_not_awaited() -> None:
    released = Event()
    reporting = ReportingWitnesses(FakeClient(lambda _: (released.wait(60), (200, foreign_line(WITNESS)))[1]), 0.05)
    note = reporting.cosign(9)
    released.set()
    assert len(note.signatures) == 1
    assert reporting.reports == {"w": "it did not answer in time"}


def test_over_http_the_policy_may_name_an_address_of_this_machine(service: WitnessService) -> None:
    def handle(request: BaseHTTPRequestHandler) -> None:
        assert request.path == "/w1/add-checkpoint"
        response = service.post(request.rfile.read(int(request.headers["Content-Length"])))
        body = str(response.body).encode()
        request.send_response(response.status)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with loopback_server(handle, "POST") as port:
        reporting = ReportingWitnesses(HttpWitnessClient(), url=f"http://127.0.0.1:{port}/w1")
        assert service.submit(LOG, 0, 5) == 200
        assert cosigned_at(reporting.cosign(9), WITNESS.verifier())
    assert cosigned_at(reporting.cosign(20), WITNESS.verifier()) is None
    assert reporting.reports == {"w": "it refuses the connection"}
