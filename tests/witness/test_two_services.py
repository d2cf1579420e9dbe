"""Two services, each with a witness: each log is cosigned by the witness of the other operator."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import sleep

import pytest

from coolid.aws.key_file import KeyFileNoteSigner, ensure_note_key
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import FailedProof
from coolid.log.policies import Policy
from coolid.log.signed_notes import ED25519, VerifierKey
from coolid.strict_json import load
from tests.support.servers.coolid_server import Server, prepare, serving

NAMES = ("north", "south")
KEY_OF_WITNESS = re.compile(r"Verifier key: (\S+)")


def log_key(folder: Path, name: str) -> VerifierKey:
    """Create the key of a service's log, and return its verifier key."""
    ensure_note_key(folder / "log.pem")
    return VerifierKey(f"{name}.example/log", ED25519, KeyFileNoteSigner(folder / "log.pem").public_key())


def witness_line(name: str, witness: Server) -> str:
    found = KEY_OF_WITNESS.search("".join(witness.stderr_lines))
    assert found
    return f"witness {name} {found[1]} {witness.url}\n"


@pytest.fixture
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Server, Policy]]]:
    """Services by name, each with the policy that its own witness and that of the other must cosign."""
    folders = {name: tmp_path_factory.mktemp(name) for name in NAMES}
    for folder in folders.values():
        prepare(folder)
    keys = {name: log_key(folder, name) for name, folder in folders.items()}
    logs = [argument for key in keys.values() for argument in ("--log", str(key))]
    with ExitStack() as stack, pytest.MonkeyPatch.context() as monkeypatch:
        policy = ""
        for name, folder in folders.items():
            arguments = ("--name", f"{name}.example/w1", *logs)
            policy += witness_line(name, stack.enter_context(serving(folder, *arguments, program=("witness", "serve"))))
        policy += "group both all north south\nquorum both\n"
        monkeypatch.setenv("LOG_POLICY", policy)
        servers = {}
        for name, folder in folders.items():
            monkeypatch.setenv("LOG_KEY_FILE", str(folder / "log.pem"))
            server = stack.enter_context(serving(folder, "--base-url", f"https://{name}.example"))
            servers[name] = server, Policy.parse(f"log {keys[name]}\n{policy}")
        yield servers


def test_each_log_is_cosigned_by_both_witnesses(services: dict[str, tuple[Server, Policy]]) -> None:
    for name, (server, policy) in services.items():
        minted = server.mint()
        assert minted.status == 201
        path = load(minted.body)["pid"].removeprefix(f"https://{name}.example") + "?format=tlog-proof"
        for _ in range(600):
            proof = server.request("GET", path)
            if proof.status == 200 and is_cosigned(proof.body, policy):
                break
            sleep(0.1)
        else:
            pytest.fail(f"no cosigned checkpoint has the record: {''.join(server.stderr_lines)}")


def is_cosigned(proof: bytes, policy: Policy) -> bool:
    try:
        policy.verified_checkpoint(InclusionProof.parse(proof).checkpoint)
    except FailedProof:
        return False
    return True
