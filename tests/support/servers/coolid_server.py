"""Running `coolid serve` as a user does: a process of its own, in a folder of its own, spoken to over HTTP."""

import http.client
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from coolid.local import bioregistry_prefixes
from tests.support.builders.samples import provider_prefix
from tests.support.servers.responses import Reply

COMMAND = Path(sys.executable).with_name("coolid")


@dataclass
class Server:
    """A running server; `stderr_lines` contains its standard error so far."""

    process: subprocess.Popen[str]
    folder: Path
    stderr_lines: list[str] = field(default_factory=list)
    url: str = ""

    @property
    def key(self) -> str:
        return (self.folder / ".local" / "admin-key").read_text(encoding="utf-8").strip()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        connection: http.client.HTTPConnection | None = None,
    ) -> Reply:
        """Send a request with exactly this path."""
        own = connection or self.connect()
        try:
            own.request(method, path, body, headers or {})
            response = own.getresponse()
            content = response.read()
        finally:
            if connection is None:
                own.close()
        return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, content)

    def mint(self, **members: Any) -> Reply:
        document = {"prefix": "demo", "uri": "https://content.example.org/"} | members
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        return self.request("POST", "/api/v1/records", json.dumps(document).encode(), headers)

    def end(self, signal: int) -> int:
        """Send a signal and wait for the end. Return the exit code."""
        self.process.send_signal(signal)
        return self.process.wait(60)


def prepare(folder: Path) -> None:
    """Put a registry of three prefixes where the server keeps the Bioregistry's once it has read them."""
    few = [
        provider_prefix("doi", "https://doi.org/{$id}", encoding="data"),
        provider_prefix("go", "https://go.example/{$id}", "https://ols.example/{$id}", synonyms=("gene_ontology",)),
        provider_prefix("orphan"),
    ]
    bioregistry_prefixes.write_cache(folder / ".local", few)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command until it ends by itself."""
    command = [str(COMMAND), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@contextmanager
def serving(
    folder: Path,
    *arguments: str,
    output: int | None = None,
    reads_errors: bool = True,
    command: Path = COMMAND,
    program: Sequence[str] = ("serve",),
) -> Iterator[Server]:
    """A server on a free port with its data below `folder`; ended, by its process id, whatever happens.

    Its standard output is the descriptor `output`, or the file `stdout`. Unless `reads_errors`, nobody reads its
    standard error once it is ready. `command` is the program `coolid`, and `program` its command that serves.
    """
    line = [str(command), *program, "--port", "0", *arguments]
    with (folder / "stdout").open("w", encoding="utf-8") as stdout:
        process = subprocess.Popen(line, cwd=folder, stdout=output or stdout, stderr=subprocess.PIPE, text=True)
    server = Server(process, folder)
    ready = threading.Event()
    listener = threading.Thread(target=_listen, args=(server, ready, reads_errors), daemon=True)
    listener.start()
    try:
        ready.wait(120)
        assert server.url, f"it did not begin to serve: {''.join(server.stderr_lines)}"
        yield server
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(60)
        listener.join(60)
        if process.stderr:
            process.stderr.close()


def _listen(server: Server, ready: threading.Event, reads_errors: bool) -> None:
    """Read the standard error of a server until it is ready, or to its end."""
    assert server.process.stderr
    for line in server.process.stderr:
        server.stderr_lines.append(line)
        announced = re.match(r"Serving on (http://127\.0\.0\.1:\d+)[ ;]", line)
        if announced:
            server.url = announced[1]
            ready.set()
            if not reads_errors:
                return
    ready.set()
