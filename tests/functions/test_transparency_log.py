"""The transparency log of a running service: which versions it serves proofs of, and when."""

import os
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch
from uuid import UUID

import pytest

from coolid.aws.settings import LOG_KEY_FILE, SQLITE_SCHEME, STORE, Settings
from coolid.errors import StoreUnavailable
from coolid.local.service_files import log_key_file
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.signed_notes import VerifierKey
from coolid.log.tiles import CHECKPOINT, entries_of
from coolid.sqlite.log.folder import LogFolder
from coolid.strict_json import load
from coolid.wiring.log_access import open_log_access
from coolid.wiring.log_sequencer import build_sequencer
from coolid.wiring.write_access import prover
from tests.functions.managed_records import alias, amend, mint
from tests.support.fixtures.system import Answer, System, system


def grow(system: System) -> None:
    """Add all that waits to the log."""
    database = Path(system.environment[STORE].removeprefix(SQLITE_SCHEME))
    environment = {**system.environment, LOG_KEY_FILE: str(log_key_file(database))}
    settings = Settings.read(environment, writes=True)
    with patch.dict(os.environ, environment):
        access = open_log_access(settings)
        assert access is not None
        store = system.store()
        sequencer = build_sequencer(access, store, prover(settings, store), settings.public_base_url, Mock())
        while sequencer.run().has_more:
            pass


def proof(system: System, path: str, **query: str) -> Answer:
    return system.get(
        path, query="&".join(f"{name}={value}" for name, value in {"format": "tlog-proof", **query}.items())
    )


def included(system: System, linkid: str) -> Answer:
    """Return the response with the resolution result of a LinkID and the proof that the log has its record."""
    return system.get(f"/api/public/resolve/{linkid}", query="include=inclusion")


def statements(system: System) -> list[dict[str, Any]]:
    """Return the payloads of all entries, read as any client reads the log."""
    size = int(system.get("/log/checkpoint").content.split(b"\n")[1])
    found: list[dict[str, Any]] = []
    for start in range(0, size, 256):
        width = min(256, size - start)
        index = f"{start // 256:03d}" + (f".p/{width}" if width < 256 else "")
        bundle = system.get(f"/log/tile/entries/{index}").content
        found += [load(urlsafe_b64decode(entry.split(b".")[1] + b"==")) for entry in entries_of(bundle)]
    return found


@pytest.fixture(scope="session")
def prefix(light: System) -> str:
    return alias(light, "logged")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[System]:
    """A system of the test's own, because copies have no log."""
    with system(tmp_path) as running:
        yield running


def test_each_version_has_a_proof_as_soon_as_a_checkpoint_has_it(light: System, prefix: str) -> None:
    path = mint(light, prefix, metadata={"what": "A title that stays out of the log"})
    assert proof(light, path).is_problem(503, "not-logged-yet")
    grow(light)
    key = VerifierKey.parse(light.get("/.well-known/linkid-resolver").json()["log"]["verifier_key"])
    amend(light, "PATCH", path, {"metadata": {"when": "2025"}})
    assert proof(light, path).is_problem(503, "not-logged-yet")
    assert proof(light, path, version="1").status == 200
    amend(light, "DELETE", path, {"reason": "It was wrong"})
    grow(light)
    for number, status in ((1, 200), (2, 200), (3, 410)):
        answer = proof(light, path, version=str(number))
        assert answer.status == status
        jws = light.get(path, query=f"format=jws&version={number}")
        InclusionProof.parse(answer.content).verify(jws.body.encode(), key)
    pid = light.get(path, query="format=linkid&version=1").json()["pid"]
    logged = [each for each in statements(light) if each.get("pid") == pid]
    assert [each["version"] for each in logged] == [1, 2, 3]
    assert "stays out" not in str(statements(light))


def test_nothing_of_a_reserved_record_is_in_the_log_before_it_is_public(light: System, prefix: str) -> None:
    path = mint(light, prefix, status="reserved")
    grow(light)
    assert proof(light, path).status == 404
    assert path.rpartition(":")[2] not in str(statements(light))
    amend(light, "PATCH", path, {"status": "active"})
    grow(light)
    assert proof(light, path).status == 200
    assert proof(light, path, version="1").is_problem(404, "unknown-version")


def test_changes_of_names_are_in_the_log_without_their_titles(light: System, prefix: str) -> None:
    grow(light)
    found = {name: each for each in statements(light) for name in ("prefix", "repository") if name in each}
    assert found.keys() == {"prefix", "repository"}
    (named,) = (each for each in statements(light) if each.get("prefix") == prefix)
    assert named.keys() == {"prefix", "kind", "target", "revision", "digest", "iss", "iat"}


def test_a_result_includes_the_proof_once_the_log_has_it_and_can_be_read(own: System) -> None:
    number = mint(own, alias(own, "linkid", scheme="uuid", rules={"version": 4})).rpartition(":")[2]
    linkid = f"linkid:{UUID(number)}"
    waiting = included(own, linkid)
    assert "inclusion_url" in waiting.json()
    assert "inclusion" not in waiting.json()
    assert "max-age=10," in waiting.headers["cache-control"]
    grow(own)
    key = VerifierKey.parse(own.get("/.well-known/linkid-resolver").json()["log"]["verifier_key"])
    document = included(own, linkid).json()
    InclusionProof.parse(document["inclusion"].encode()).verify(document["record"]["proof"].encode(), key)
    without = {name: value for name, value in document.items() if name != "inclusion"}
    assert without == waiting.json() == own.get(f"/api/public/resolve/{linkid}").json()
    for read in ({"side_effect": StoreUnavailable("the disk failed")}, {"return_value": {CHECKPOINT: b"damaged"}}):
        with patch.object(LogFolder, "read", **read):
            unreadable = included(own, linkid)
            assert (unreadable.status, unreadable.json()) == (200, without)
    assert included(own, linkid).json() == document


def test_identifiers_of_a_prefix_of_that_name_follow_a_colon(light: System) -> None:
    assert light.get("/log:x").is_problem(404, "unknown-prefix")
    assert light.get("/log/x").is_problem(404, "no-such-address")
