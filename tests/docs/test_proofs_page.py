"""docs/explanation/proofs.md: its example is a valid proof, its steps verify it, and they detect alterations."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coolid.proofs.verification import verify
from tests.support.builders.samples import ROOT
from tests.support.builders.signed_documents import Key

PAGE = (ROOT / "docs/explanation/proofs.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```(\w+ [\w.]+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
RECORD = json.loads(BLOCKS["json record.json"])
KEYS = json.loads(BLOCKS["json jwks.json"])
NO_OPENSSL = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl on this machine")
STEPS = ["sh coolid", "python coolid", "python jwcrypto", pytest.param("sh openssl", marks=NO_OPENSSL)]


def followed(step: str, folder: Path, record: Any, keys: Any = KEYS) -> subprocess.CompletedProcess[str]:
    """Do what the page says, with these two files and our Python."""
    (folder / "record.json").write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    (folder / "jwks.json").write_text(json.dumps(keys), encoding="utf-8")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    interpreter = sys.executable if step.startswith("python") else "sh"
    return subprocess.run(
        [interpreter, "-c", BLOCKS[step]],
        cwd=folder,
        env=os.environ | {"PATH": programs, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def altered_proof() -> dict[str, Any]:
    signed, _, signature = RECORD["proof"].rpartition(".")
    return {**RECORD, "proof": f"{signed}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"}


def altered_target() -> dict[str, Any]:
    [target] = RECORD["records"]
    return {**RECORD, "records": [target | {"uri": target["uri"].replace("v1", "v2")}]}


def test_the_example_is_a_proof() -> None:
    assert verify(RECORD, KEYS, pid=RECORD["pid"], issuer="https://id.example.org").complete


def test_the_parts_of_the_example_are_shown_as_they_are() -> None:
    from coolid.proofs.statements import from_base64url

    header, payload, _ = RECORD["proof"].split(".")
    for part in (header, payload):
        octets = from_base64url(part)
        assert octets
        assert f"```json\n{octets.decode()}\n```" in PAGE


@pytest.mark.parametrize("step", STEPS)
def test_its_steps_verify_the_example(step: str, tmp_path: Path) -> None:
    done = followed(step, tmp_path, RECORD)
    assert done.returncode == 0, done.stderr
    assert step != "sh openssl" or "Verified OK" in done.stdout


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("altered", [altered_proof, altered_target])
def test_its_steps_find_what_was_altered(step: str, altered: Any, tmp_path: Path) -> None:
    assert followed(step, tmp_path, altered()).returncode != 0


@pytest.mark.parametrize("step", STEPS)
def test_its_steps_find_another_key_under_the_same_name(step: str, tmp_path: Path) -> None:
    other = Key(7)
    payload = json.loads(re.findall(r"^```json\n(.*?)\n```$", PAGE, re.MULTILINE)[1])
    forged = other.proof_of({"alg": "ES256", "kid": KEYS["keys"][0]["kid"]}, json.dumps(payload).encode())
    renamed = {"keys": [other.jwk | {"kid": KEYS["keys"][0]["kid"]}]}
    assert followed(step, tmp_path, RECORD | {"proof": forged}, renamed).returncode != 0
    assert followed(step, tmp_path, RECORD, renamed).returncode != 0
