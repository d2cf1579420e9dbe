"""The system under soak: a store in one process, `coolid serve` over it in another, on free ports of loopback.

Both end when they are done with, by their ids. What the server says is kept, so that nothing it complains of is lost.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Final

from msgspec import Struct

from tests.support.stores.moto_store import CREDENTIALS

ROOT: Final = Path(__file__).parents[2]
_HOST: Final = "127.0.0.1"
INSIDE: Final = "inside.jsonl"
"""The file in the folder where what is in use is written down (`served`)."""
_SERVING: Final = re.compile(r"Serving on (http://127\.0\.0\.1:\d+);")
_METRICS: Final = '{"_aws":'
_START: Final = 180.0


class System(Struct, frozen=True):
    """A server that runs: its address, its process, the administrator's key, what it said since it began to serve."""

    url: str
    process: int
    key: str
    said: list[str]


@contextmanager
def running(folder: Path, leak: int = 0) -> Iterator[System]:
    """Start both, with their files in a folder.

    With a `leak` the server leaks this number of bytes with each request.
    """
    with _store() as port, _server(folder, f"http://{_HOST}:{port}", leak) as system:
        yield system


@contextmanager
def _store() -> Iterator[int]:
    command = [sys.executable, "-m", "scripts.soak.store"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()


@contextmanager
def _server(folder: Path, store: str, leak: int) -> Iterator[System]:
    command = [sys.executable, "-m", "scripts.soak.served", str(folder / INSIDE), str(leak), "serve", "--port", "0"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment |= {**CREDENTIALS, "AWS_ENDPOINT_URL": store, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    said: list[str] = []
    address: list[str] = []
    begun = Event()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if address and line.strip() and not line.startswith(_METRICS):
                said.append(line.rstrip())
            found = _SERVING.match(line)
            if found:
                address.append(found[1])
                begun.set()
        begun.set()

    listener = Thread(target=listen, daemon=True)
    listener.start()
    try:
        begun.wait(_START)
        if not address:
            raise RuntimeError("the server did not begin to serve")
        key = (folder / ".local" / "admin-key").read_text(encoding="utf-8").strip()
        yield System(address[0], process.pid, key, said)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(30)
        listener.join(30)


def load(python: Path, arguments: Sequence[str], patience: float) -> None:
    """Run the load to its end, in the environment that has locust. Raises `subprocess.SubprocessError`."""
    command = [str(python), "-m", "scripts.soak.load", *arguments]
    subprocess.run(command, cwd=ROOT, check=True, timeout=patience, stdout=sys.stderr)
