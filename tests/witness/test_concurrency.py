"""Concurrent requests, in threads and processes, and SIGKILL: no cosigned size is ever taken back."""

import re
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from threading import Thread

from coolid.log.checkpoints import cosigned_at, verified_checkpoint
from coolid.log.signed_notes import VerifierKey
from coolid.log.submissions import ADD_CHECKPOINT
from coolid.witness.identity import key_file
from tests.support.builders.signed_logs import SignedLog
from tests.support.builders.witnesses import WitnessService, body_of
from tests.support.servers.coolid_server import Server, run, serving

LOG = SignedLog(size=200)


def test_of_two_racing_requests_the_later_one_is_refused(tmp_path: Path) -> None:
    """The race of the specification: the second request arrives while the first one is between check and write."""
    first, second = (WitnessService(tmp_path / "witness.db", LOG) for _ in range(2))
    statuses: list[int] = []
    rival = Thread(target=lambda: statuses.append(second.submit(LOG, 0, 5)))
    sign = first.witness._sign

    def sign_after_the_rival_began(message: bytes) -> bytes:
        rival.start()
        return sign(message)

    first.witness._sign = sign_after_the_rival_began
    assert first.submit(LOG, 0, 9) == 200
    rival.join()
    assert statuses == [409]
    assert first.size(LOG) == second.size(LOG) == 9


def test_many_requests_at_once_form_one_chain(tmp_path: Path) -> None:
    services = [WitnessService(tmp_path / "witness.db", LOG) for _ in range(3)]

    def grow(number: int) -> Sequence[tuple[int, int]]:
        """Submit sizes that the witness has just shown, as a log does. Return the cosigned steps."""
        service, size, steps = services[number % 3], 0, []
        while size < 150:
            new = size + 1 + (number + size) % 7
            response = service.post(body_of(LOG, size, new))
            if response.status == 200:
                steps.append((size, new))
                size = new
            elif response.status == 409:
                size = int(str(response.body))
            else:
                assert response.status == 503  # the others held the lock for seconds
        return steps

    with ThreadPoolExecutor(6) as threads:
        steps = sorted(step for found in threads.map(grow, range(6)) for step in found)
    assert [old for old, _ in steps] == [0, *(new for _, new in steps)][:-1]


def submit(server: Server, old: int, new: int) -> tuple[int, str]:
    reply = server.request("POST", ADD_CHECKPOINT, body_of(LOG, old, new))
    return reply.status, reply.body.decode()


def test_sigkill_takes_nothing_back(tmp_path: Path) -> None:
    """Two processes serve one state. One is killed while it cosigns, the other goes on, and so does a third."""
    arguments = ("--name", "w.example/1", "--log", str(LOG.key.verifier()), "--data", "witness.db")
    acknowledged = 0
    with serving(tmp_path, *arguments, program=("witness", "serve")) as first:
        (key,) = re.findall(r"Verifier key: (\S+)", "".join(first.stderr_lines))
        witness = VerifierKey.parse(key)
        with serving(tmp_path, *arguments[2:], program=("witness", "serve")) as second:
            killer = Thread(target=lambda: first.process.send_signal(signal.SIGKILL))
            for size in range(1, 60):
                if size == 20:
                    killer.start()
                try:
                    status, cosignature = submit(first, acknowledged, size)
                except (OSError, HTTPException):
                    break
                assert status == 200
                note, parsed = verified_checkpoint((LOG.note(size) + cosignature).encode(), LOG.key.verifier())
                assert cosigned_at(parsed, witness)
                acknowledged = note.size
            first.process.wait(60)
            status, stored = submit(second, 0, 100)
            assert (status, int(stored) - acknowledged in (0, 1)) == (409, True)  # the last one may lack its answer
            assert submit(second, int(stored), 100)[0] == 200
            second.process.send_signal(signal.SIGKILL)
            second.process.wait(60)
    with serving(tmp_path, *arguments, program=("witness", "serve")) as third:
        assert third.request("GET", "/").body.decode() == f"{key}\n"
        assert submit(third, acknowledged, 120) == (409, "100\n")
        assert submit(third, 100, 120)[0] == 200
    assert run(tmp_path, "witness", "key", "--data", "witness.db").stdout == f"{key}\n"
    assert key_file(tmp_path / "witness.db").stat().st_mode & 0o777 == 0o600
