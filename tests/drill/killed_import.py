"""An import in a process of its own, killed by SIGKILL at a seeded request, and repeated until it is complete.

The process calls the embedded DynamoDB over HTTP on loopback. It is killed when a certain request arrives, before that
is performed, or after that but before the response.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from random import Random
from signal import SIGKILL
from typing import Any, Final

import orjson
from botocore.awsrequest import AWSPreparedRequest, HeadersDict
from moto.core.models import botocore_stubber
from msgspec import Struct

from coolid.aws import key_file
from coolid.aws.dynamodb.table_reader import plain_row
from coolid.identifiers.rules.pilin import PilinRules
from coolid.proofs.verification import verify
from coolid.registry.registration import create_repository, register_namespace
from coolid.store.rows import CURRENT, KEYS
from coolid.transfer.journal import SUFFIX
from tests.drill.oracle import Violation
from tests.support.builders.samples import repository
from tests.support.fixtures.ports import FixedClock, SeededEntropy
from tests.support.fixtures.system import environment_for, new_tables, store_over
from tests.support.servers.loopback import loopback_server
from tests.support.stores.moto_store import CREDENTIALS, MotoStore

_URL: Final = "https://dynamodb.us-east-1.amazonaws.com/"
_COMMAND: Final = Path(sys.executable).with_name("coolid")
_TARGET: Final = "https://content.example.org/row/{}"
_TIMEOUT: Final = 120
_LAST: Final = 9
"""The last request of a run at which it is killed; a run of some hundred rows sends that many."""


class KilledImport(Struct):
    """The number of rows, and how often the process was killed before and after a request was performed."""

    rows: int
    before: int = 0
    after: int = 0


def import_and_kill(seed: int, folder: Path, *, rows: int = 400, kills: int = 3) -> KilledImport:
    """Import rows. Raises `Violation` unless each is imported and noted once. Needs a running embedded backend."""
    rng = Random(seed)
    tables = new_tables()
    store, clock = store_over(tables), FixedClock()
    for name, rules in {"killed": {}, "killed/count": {"rules": PilinRules()}}.items():
        owner = create_repository(repository("", title=name, **rules), store.repositories, SeededEntropy(seed))
        register_namespace(name, owner.id, "", prefixes=store.prefixes, repositories=store.repositories, clock=clock)
        seed += 1
    file = folder / "rows.jsonl"
    prefixes = ("killed", "killed/count")
    lines = ({"prefix": prefixes[at % 2], "uri": _TARGET.format(at)} for at in range(rows))
    file.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    key = folder / "key.pem"
    key_file.ensure(key)
    environment = _environment(tables, key)
    ended = KilledImport(rows)
    for _ in range(kills):
        _run(file, environment, rng.randrange(2, _LAST), ended, after=rng.random() < 0.5)
    code = _run(file, environment, None, ended)
    _require(code == 0, f"the import ended with {code}")
    _check(tables, file, rows)
    return ended


def _kill(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(SIGKILL)
    child.wait(_TIMEOUT)


def _run(
    file: Path, environment: dict[str, str], kill_at: int | None, ended: KilledImport, *, after: bool = False
) -> int:
    """Run the command once, and kill it at this request if there is one. Return its exit code."""
    children: list[subprocess.Popen[bytes]] = []
    count = Counter[str]()

    def handle(handler: BaseHTTPRequestHandler) -> None:
        count["requests"] += 1
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        is_last = count["requests"] == kill_at
        response = _answered(handler, body) if after or not is_last else None
        if response is None or is_last:
            _kill(children[0])
            return
        status, headers, content = response
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, str(value))
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    with loopback_server(handle, "POST", lasting=True) as port:
        command = [str(_COMMAND), "records", "import", str(file), "--json"]
        endpoint = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}
        child = subprocess.Popen(command, env=environment | endpoint, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        children.append(child)
        _, message = child.communicate(timeout=_TIMEOUT)
    if child.returncode == -SIGKILL:
        ended.after += after
        ended.before += not after
    else:
        _require(child.returncode == 0, f"the import ended with {child.returncode}: {message.decode()}")
    return child.returncode


def _answered(handler: BaseHTTPRequestHandler, body: bytes) -> tuple[int, dict[str, Any], bytes]:
    """Return the response of the embedded backend."""
    headers: Any = HeadersDict({name: value for name, value in handler.headers.items() if name.lower() != "host"})
    process: Callable[[Any], Any] = botocore_stubber.process_request
    status, response_headers, text = process(AWSPreparedRequest("POST", _URL, headers, body, False))
    headers_to_send = {
        name: value for name, value in response_headers.items() if name.lower() not in ("content-length", "connection")
    }
    return status, headers_to_send, text.encode() if isinstance(text, str) else text


def _environment(tables: dict[str, str], key: Path) -> dict[str, str]:
    nowhere = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    signing = {"SIGNING_KEY_ID": "", "SIGNING_KEY_FILE": str(key)}
    return {"PATH": os.environ["PATH"], **CREDENTIALS, **nowhere, **environment_for(tables), **signing}


def _check(tables: dict[str, str], file: Path, rows: int) -> None:
    """Check that each row is one complete and verifiable record, as in the journal."""
    items = [plain_row(item) for item in MotoStore().items(tables["LuiTable"])]
    keys = {"keys": [orjson.loads(item["body"]) for item in items if item["pid"] == KEYS and item["version"]]}
    documents = [orjson.loads(item["body"]) for item in items if item["pid"] != KEYS]
    _require(all(item["version"] == CURRENT for item in items if item["pid"] != KEYS), "there are other versions")
    found = Counter(document["records"][0]["uri"] for document in documents)
    _require(found == Counter(_TARGET.format(at) for at in range(rows)), f"{rows} rows became {found.total()} records")
    for document in documents:
        _require(verify(document, keys).ok, f"{document['pid']} cannot be verified")
    notes = map(orjson.loads, file.with_name(file.name + SUFFIX).read_bytes().splitlines())
    noted = {note["line"]: note["pid"] for note in notes if "line" in note}
    made = {int(document["records"][0]["uri"].rpartition("/")[2]) + 1: document["pid"] for document in documents}
    _require(noted == made, "the journal says something else than there is")


def _require(right: bool, message: str) -> None:
    if not right:
        raise Violation(message)
