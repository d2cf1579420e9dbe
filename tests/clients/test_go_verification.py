"""Logs and notes, verified by golang.org/x/mod/sumdb/{note,tlog}; `make test-clients` installs Go.

The go command contains these packages, because it verifies Go's own log of modules with them.
"""

import json
import os
import random
import re
import subprocess
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep

import pytest

from coolid.log.checkpoints import Checkpoint
from coolid.log.inclusion_proofs import InclusionProof
from coolid.log.malformed_data import FailedProof, MalformedData
from coolid.log.merkle_tree import leaf_hash
from coolid.log.signed_notes import COSIGNATURE, SignedNote, VerifierKey, verify
from coolid.log.tiles import CHECKPOINT, WIDTH, TileReader, bundle_of, bundle_path
from coolid.log.tree_edge import TreeEdge
from tests.support.fixtures.note_keys import NoteKey
from tests.support.servers.coolid_server import Server, prepare, serving

HERE = Path(__file__).parent
GO = HERE.parents[1] / ".venv-clients" / "bin" / "go"
CACHE = HERE.parents[1] / "build" / "go-cache"
LOG = NoteKey("id.example.org/log")
WITNESSES = [NoteKey("north.example"), NoteKey("south.example")]
STEPS = (1, 254, 1, 1, 300, 65_000, 1_000_000)

pytestmark = pytest.mark.skipif(not os.environ.get("COOLID_CLIENTS"), reason="Go is needed: make test-clients")


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled program of `log_verifier`."""
    folder = tmp_path_factory.mktemp("go")
    root = Path(subprocess.run([GO, "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip())
    packages = folder / "path" / "src" / "golang.org" / "x"
    packages.mkdir(parents=True)
    (packages / "mod").symlink_to(root / "src" / "cmd" / "vendor" / "golang.org" / "x" / "mod")
    program = folder / "log_verifier"
    environment = {"GO111MODULE": "off", "GOPATH": str(folder / "path"), "GOCACHE": str(CACHE), "GOFLAGS": ""}
    subprocess.run(
        [GO, "build", "-o", program, "main.go"], cwd=HERE / "log_verifier", env=os.environ | environment, check=True
    )
    return program


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files of a log."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def checkpoint_of(edge: TreeEdge) -> SignedNote:
    """Return the signed checkpoint of a tree."""
    return LOG.signed(Checkpoint(LOG.name, edge.size, edge.root()))


def write_log(folder: Path, size: int) -> int:
    """Write a log that grew in steps, with proofs of some entries and of all older sizes. Return their number."""
    entries = [b"entry %d" % number * (number % 3) for number in range(size)]
    edge, older = TreeEdge(), list[SignedNote]()
    for step in STEPS:
        start = edge.size
        if start == size:
            break
        older += [checkpoint_of(edge)] if start else []
        edge, tiles = edge.extended(map(leaf_hash, entries[start : start + step]))
        write(folder, {tile.path: content for tile, content in tiles.items()})
        for at in range(start // WIDTH * WIDTH, edge.size, WIDTH):
            bundle = entries[at : min(at + WIDTH, edge.size)]
            write(folder, {bundle_path(at // WIDTH, len(bundle)): bundle_of(bundle)})
    newest = checkpoint_of(edge)
    for time, witness in enumerate(WITNESSES, 1_800_000_000):
        newest = witness.cosigned(newest, time)
    write(folder, {CHECKPOINT: str(newest).encode()})
    reader = TileReader(size, lambda paths: {path: (folder / path).read_bytes() for path in paths})
    for index in {0, 1, 254, 255, 256, size // 2, size - 257, size - 1} & set(range(size)):
        proof = InclusionProof(index, tuple(reader.inclusion_proof(index)), str(newest).encode())
        write(folder, {f"proofs/{index}.tlog-proof": proof.to_bytes()})
    for note in older:
        old = Checkpoint.parse(note.text).size
        proof_lines = b"".join(b64encode(each) + b"\n" for each in reader.consistency_proof(old))
        write(folder, {f"consistency/{old}": proof_lines + b"\n" + str(note).encode()})
    return len(older)


@pytest.mark.parametrize("size", [1, 255, 256, 257, 65_536, 1_000_003])
def test_go_accepts_a_log_of_any_size(verifier: Path, tmp_path: Path, size: int) -> None:
    older = write_log(tmp_path, size)
    keys = [str(LOG.verifier()), *(str(witness.verifier(COSIGNATURE)) for witness in WITNESSES)]
    done = subprocess.run([verifier, "log", tmp_path, tmp_path, *keys], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    inclusions = len(list((tmp_path / "proofs").iterdir()))
    assert done.stdout == f"{size} entries, {inclusions} inclusion proofs, {older} consistency proofs\n"


def test_go_accepts_the_log_and_the_proofs_that_a_service_serves(verifier: Path, tmp_path: Path) -> None:
    prepare(tmp_path)
    with serving(tmp_path) as server:
        minted = [server.mint(metadata={"what": f"Thing {number}"}) for number in range(300)]
        log = json.loads(server.request("GET", "/.well-known/linkid-resolver").body)["log"]
        pids = [json.loads(each.body)["pid"] for each in minted]
        proofs = {f"proofs/{number}.tlog-proof": proof_of(server, pids[number]) for number in (0, 1, 255, 299)}
        write(tmp_path, proofs)
        command = [verifier, "log", log["url"], tmp_path, log["verifier_key"]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{len(proofs)} inclusion proofs" in done.stdout


def proof_of(server: Server, pid: str) -> bytes:
    """Return the proof of a PID's version, when its entry is in the log."""
    until = monotonic() + 60
    while True:
        reply = server.request("GET", f"{pid.removeprefix(server.url)}?format=tlog-proof")
        if reply.status == 200 or monotonic() > until:
            assert reply.status == 200
            return reply.body
        assert reply.status == 503
        sleep(0.2)


def mutations(octets: bytes, source: random.Random) -> list[bytes]:
    """Return notes that differ a little from a valid one."""
    pieces = [b"\n", b"\n\n", b" ", b"+", b"=", b"A", b"\xe2\x80\x94 ", b"\x00", b"\x7f", b"\xff", b"\xc2\xa0", b"\r"]
    results = []
    for _ in range(2_000):
        start = source.randrange(len(octets) + 1)
        end = start + source.choice((0, 0, 1, 1, 2, 30))
        results.append(octets[:start] + source.choice([*pieces, b""]) + octets[end:])
    return results


def is_accepted(octets: bytes, key: bytes) -> bool:
    """Return whether we accept a note."""
    try:
        verify(SignedNote.parse(octets), VerifierKey.parse(key.decode()))
    except (FailedProof, MalformedData, UnicodeDecodeError):
        return False
    return True


def test_go_and_we_accept_the_same_notes(verifier: Path) -> None:
    """Go is more tolerant in two places: line ends within the base64 of a key, and capital letters in its id."""
    source = random.Random(7)
    key = str(LOG.verifier()).encode()
    note = checkpoint_of(TreeEdge().extended([b"l" * 32])[0])
    whole = str(WITNESSES[0].cosigned(note, 1_800_000_000)).encode()
    cases = [(key, whole), (key, b"\n" + whole), (key, str(LOG.signed_text("\n")).encode())]
    cases += [(key, each) for each in mutations(whole, source)] + [(each, whole) for each in mutations(key, source)]
    lines = "".join(f"{b64encode(key).decode()} {b64encode(each).decode()}\n" for key, each in cases)
    done = subprocess.run([verifier, "notes"], input=lines, capture_output=True, text=True, check=True)
    verdicts = [line == "true" for line in done.stdout.splitlines()]
    ours = [is_accepted(octets, key) for key, octets in cases]
    differing = [case for case, go, we in zip(cases, verdicts, ours, strict=True) if go != we]
    tolerated = {case for case in differing if re.sub(rb"[\r\n]", b"", case[0]).lower() == key.lower()}
    assert [case for case in differing if case not in tolerated] == []
    assert not any(is_accepted(octets, each) for each, octets in tolerated)
    assert sum(ours) > 100
