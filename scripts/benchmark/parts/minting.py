"""Minting: the whole handler over the canned store, which takes what is put into it; the key is at hand, not KMS.

A mint reads the client and the prefix, draws, signs, checks its own signature, and writes once. Processor time of the
asking process. The floor is the arithmetic of P-256 alone: a signature and its check.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from coolid.aws import key_file
from scripts.benchmark import canned, rows
from scripts.benchmark.canned import Canned
from scripts.benchmark.handlers import demand, told
from scripts.benchmark.harness import Case, Effort, measured
from scripts.benchmark.results import Figure, figure
from tests.support.fixtures.events import to_event
from tests.support.fixtures.functions import load_handler

OURS = "mint: the handler, TLS"


def figures(scratch: Path, effort: Effort) -> list[Figure]:
    """Measure."""
    key_file.ensure(scratch / "key.pem")
    with canned.running(scratch, "prefixes", "clients", "luis-1") as store:
        cases = [Case(OURS, _minting(store, scratch)), Case("mint: floor, ECDSA", _floor())]
        samples = measured(cases, effort.rounds(21))
    ours, floor = [figure(name, "µs", taken) for name, taken in samples.items()]
    return [ours, floor.beside(OURS)]


def _minting(store: Canned, scratch: Path) -> Callable[[], object]:
    environment = store.environment(tls=True, prefixes="prefixes", luis="luis-1") | {
        "CLIENT_TABLE": "clients",
        "COUNTER_TABLE": "counters",
        "REQUEST_TABLE": "requests",
        "SIGNING_KEY_FILE": str(scratch / "key.pem"),
    }
    key = rows.read(scratch / canned.ROWS).admin_key
    headers = [("Authorization", f"Bearer {key}"), ("Content-Type", "application/json")]
    body = msgspec.json.encode(rows.MINTED)
    event = to_event("POST", "/api/v1/records", "", headers=headers, body=body, request_id="bench")
    with told(environment):
        handler = load_handler(canned.ROOT / "functions" / "mint")
        demand(handler(event, None), 201)
    return lambda: handler(event, None)


def _floor() -> Callable[[], object]:
    private, message = generate_private_key(SECP256R1()), b"x" * 400
    public = private.public_key()
    return lambda: public.verify(private.sign(message, ECDSA(SHA256())), message, ECDSA(SHA256()))
