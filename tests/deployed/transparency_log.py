"""The deployed transparency log: its sequencer, which is started here, its files in S3, and `coolid verify`."""

import json
import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coolid.log.checkpoints import Checkpoint, read_checkpoint
from coolid.log.merkle_tree import check_consistency
from coolid.log.tiles import TileReader
from tests.deployed import localstack_session
from tests.deployed.invocations import SCHEDULE, invoke
from tests.e2e.created_records import Minted
from tests.e2e.service import DISCOVERY, Service

LINKID = "application/linkid+json"
_LOCATION = {"LogTableName": "LogTable", "LogBucketName": "LogBucket", "LogKeyArn": "LogKey"}
_RUNS = 20


def location(stack: str) -> dict[str, str]:
    """The parameters with which another deployment continues the log of this one: the stack's outputs."""
    (found,) = localstack_session.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in found["Outputs"]}
    return {name: outputs[name] for name in _LOCATION}


def sequence(stack: str) -> int:
    """Let the sequencer publish all entries, and sweep; the size of the log."""
    size = -1
    for _ in range(_RUNS):
        before, size = size, int(invoke(stack, "SequenceFunction", SCHEDULE)["size"])
        if size == before:
            return size
    raise AssertionError("the log grows for ever")


def make_sweep_due(log: Mapping[str, str]) -> None:
    """Let the last sweep be an hour older, so that the next run sweeps again."""
    table = localstack_session.session().resource("dynamodb").Table(log["LogTableName"])
    row = table.get_item(Key={"name": "/sweep"}, ConsistentRead=True)["Item"]
    position = json.loads(row["body"])
    table.put_item(Item={**row, "body": json.dumps({**position, "begun": position["begun"] - 3_600_000})})


def files(log: Mapping[str, str], paths: Sequence[str]) -> dict[str, bytes]:
    """Those of the files that are in the bucket."""
    client = localstack_session.client("s3")
    found: dict[str, bytes] = {}
    for path in paths:
        try:
            found[path] = client.get_object(Bucket=log["LogBucketName"], Key=path)["Body"].read()
        except client.exceptions.NoSuchKey:
            continue
    return found


def checkpoint(service: Service) -> Checkpoint:
    """The published checkpoint."""
    return read_checkpoint(served(service, "/log/checkpoint"))[0]


def served(service: Service, target: str) -> bytes:
    """The lines at an address, which LocalStack leaves in base64 (`tests.e2e.localstack.sends_bytes_in_base64`)."""
    reply = service.get(target)
    assert reply.status == 200, reply.body
    is_encoded = service.is_localstack and b"\n" not in reply.body
    return b64decode(reply.body) if is_encoded else reply.body


def require_continuation(log: Mapping[str, str], old: Checkpoint, new: Checkpoint) -> None:
    """Fail unless the tiles in the bucket show that one tree begins with the other."""
    reader = TileReader(new.size, lambda paths: files(log, paths))
    assert reader.root() == new.root
    check_consistency(old.size, old.root, new.size, new.root, reader.consistency_proof(old.size))


def verify(service: Service, minted: Minted, folder: Path, policy: str | None = None) -> dict[str, Any]:
    """The verdict of `coolid verify` on a record, from files alone: the record, its proof, the keys, the policy."""
    contents = {
        "record.json": service.get(minted.path, Accept=LINKID).text,
        "record.tlog-proof": served(service, f"{minted.path}?format=tlog-proof").decode(),
        "keys.json": service.get("/.well-known/jwks.json").text,
        "policy.txt": policy or service.get(DISCOVERY).json()["log"]["policy"],
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    command = [str(Path(sys.executable).parent / "coolid"), "verify", "record.json", "--jwks", "keys.json", "--json"]
    command += ["--tlog-proof", "record.tlog-proof", "--policy", "policy.txt", "--offline", "--no-chain"]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    verdict: dict[str, Any] = json.loads(done.stdout)
    return verdict
