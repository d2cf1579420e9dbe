"""A canned store to ask: its process, its addresses, and what it counted."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

from msgspec import Struct

from scripts.benchmark import rows
from scripts.benchmark.identifiers import BASE_URL
from tests.support.servers.certificates import AUTHORITY, Authority

ROOT: Final = Path(__file__).parents[2]
ROWS: Final = "rows.json"
REGION: Final = "us-east-1"
CREDENTIALS: Final = {
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    "AWS_SESSION_TOKEN": "x" * 800,  # about as long as Lambda's are
}


class Canned(Struct, frozen=True):
    """A store that runs."""

    port: int
    tls_port: int
    authority: Path

    @property
    def plain(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def tls(self) -> str:
        """Its address with TLS."""
        return f"https://localhost:{self.tls_port}"

    def counts(self) -> Mapping[str, float]:
        """Return the requests by operation and the read units since the last call."""
        with urlopen(self.plain) as answer:  # noqa: S310 - an address of loopback
            counted: dict[str, Any] = json.load(answer)
        return counted

    def environment(self, *, tls: bool, prefixes: str, luis: str, client: str = "own") -> dict[str, str]:
        """Return the environment of a function over these tables; `client` is a value of STORE_CLIENT."""
        return {
            **CREDENTIALS,
            "AWS_ENDPOINT_URL": self.tls if tls else self.plain,
            "AWS_CA_BUNDLE": str(self.authority),
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_LAMBDA_FUNCTION_NAME": "coolid-resolve",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "PREFIX_TABLE": prefixes,
            "LUI_TABLE": luis,
            "PUBLIC_BASE_URL": BASE_URL,
            "STORE_CLIENT": client,
        }


def prepare(scratch: Path) -> None:
    """Make what all stores of a run have in common: rows, and a certificate."""
    subprocess.run([sys.executable, "-m", rows.__name__, scratch / ROWS], cwd=ROOT, check=True, stdout=sys.stderr)
    vouch(scratch)


def vouch(scratch: Path) -> None:
    """Make the certificates of the stores of a run."""
    Authority(scratch).vouches("localhost", "127.0.0.1")


@contextmanager
def running(scratch: Path, *tables: str) -> Iterator[Canned]:
    """Run a store with these tables; others are created on first use."""
    command = [sys.executable, "-m", "scripts.benchmark.serving", str(scratch / ROWS), str(scratch), *tables]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        port, tls_port = map(int, process.stdout.readline().split())
        try:
            yield Canned(port, tls_port, scratch / AUTHORITY)
        finally:
            process.stdin.close()
