"""A migration from EZID by processes of its own, killed several times and repeated, and compared afterwards."""

import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from coolid.aws import key_file
from coolid.http.dialects.ezid.anvl import format_elements
from coolid.local.service_files import signing_key_file
from coolid.model.records import Content, Location
from coolid.proofs.verification import verify
from tests.identifiers.test_target_policy import HOSTILE
from tests.support.builders.samples import BASE_URL
from tests.support.effort import IS_DRILL, size
from tests.support.fixtures.installations import SqliteInstallation
from tests.support.servers.coolid_server import serving

COUNT: Final = size(drill=100_000, test=600)
KILLS: Final = size(drill=5, test=2)
CHANGED: Final = size(drill=50, test=7)
VERIFIED: Final = 100
TIMEOUT: Final = 900
COMMAND: Final = Path(sys.executable).with_name("coolid")
# No dump has surrogates, and ANVL has no outer white space.
TARGETS: Final = [uri for uri in HOSTILE if uri and uri == uri.strip() and not re.search("[\ud800-\udfff]", uri)]


def status_of(number: int) -> str:
    if number % 50 == 7:
        return f"unavailable | no. {number} was a mistake"
    return "reserved" if number % 90 == 8 else "public"


def identifier(number: int) -> str:
    return f"ark:/99999/fk4{number:06d}x"


def target(number: int) -> str:
    return f"https://archive.example.org/items/{number}?a=%2F&b"


def write_dump(path: Path) -> None:
    """Write a batch download, whose last identifiers have hostile targets."""
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        for number in range(COUNT):
            at = number - (COUNT - len(TARGETS))
            elements = {
                "_created": str(1_300_000_000 + number),
                "_status": status_of(number) if at < 0 else "public",
                "_target": target(number) if at < 0 else TARGETS[at],
                "_updated": str(1_400_000_000 + number),
                "erc.what": f"Item {number}",
                "note": "50% of it,\non two lines",
            }
            file.write(f":: {identifier(number)}\n{format_elements(elements)}\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dump, and an empty database with its signing key."""
    folder = tmp_path_factory.mktemp("migration")
    write_dump(folder / "dump.gz")
    key_file.ensure(signing_key_file(folder / "coolid.db"))
    return folder


def start(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    environment = {"PATH": os.environ["PATH"], "PUBLIC_BASE_URL": BASE_URL, "HOME": str(folder)}
    line = [str(COMMAND), "import", "--from", "ezid", "dump.gz", "--json", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(line, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True)


def records(folder: Path) -> int:
    """The number of records in the database so far."""
    try:
        with closing(sqlite3.connect(f"file:{folder / 'coolid.db'}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM records WHERE version = 0").fetchone()[0])
    except sqlite3.OperationalError:  # it is being created
        return 0


def open_installation(folder: Path) -> SqliteInstallation:
    return SqliteInstallation(signing_key_file(folder / "coolid.db"), folder / "coolid.db")


def import_and_kill(folder: Path) -> int:
    """Kill the import when the database has so many records, several times. Return the number of kills."""
    arguments = ("--data", "coolid.db", "--create-prefixes")
    killed = 0
    for number in range(KILLS):
        child = start(folder, *arguments)
        threshold = COUNT * number // (KILLS + 1)
        while child.poll() is None and records(folder) <= threshold:
            time.sleep(0.01)
        child.kill()
        child.communicate(timeout=TIMEOUT)
        killed += child.returncode < 0
    return killed


@pytest.fixture(scope="module")
def imported(folder: Path) -> Iterator[SqliteInstallation]:
    """The installation after the import was killed and repeated until it was complete."""
    open_installation(folder).database.close()
    killed = import_and_kill(folder)
    child = start(folder, "--data", "coolid.db", "--report", "report.jsonl")
    output, message = child.communicate(timeout=TIMEOUT)
    assert child.returncode == 0, message
    found = json.loads(output)
    assert (found["written"] + found["present"], found["refused"]) == (COUNT, 0)
    assert found["present"] > 0
    assert killed == KILLS or not IS_DRILL  # a short import may end before it is killed
    installation = open_installation(folder)
    yield installation
    installation.database.close()


def test_after_any_number_of_kills_each_identifier_is_there_once_with_its_history(
    imported: SqliteInstallation,
) -> None:
    expected = Counter(2 if status_of(number).startswith("un") else 1 for number in range(COUNT - len(TARGETS)))
    expected[1] += len(TARGETS)
    keys = {"keys": imported.store.public_keys.public_keys()}
    versions: Counter[str] = Counter()
    wrong = []
    for count, line in enumerate(imported.export().splitlines()):
        document = json.loads(line)
        if document["kind"] != "record":
            continue
        record = document["record"]
        versions[record["id"]] += 1
        number = int(record["id"][:6])
        is_hostile = number >= COUNT - len(TARGETS)
        uris = [] if is_hostile else [target(number)]
        if [each["uri"] for each in record["records"]] != uris or record["metadata"]["what"] != f"Item {number}":
            wrong.append(record)
        if count % (COUNT // VERIFIED) == 0:
            assert verify(record, keys, issuer=BASE_URL).ok
    assert (Counter(versions.values()), wrong) == (expected, [])


def test_the_report_lists_each_hostile_target(imported: SqliteInstallation, folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "report.jsonl").read_bytes().splitlines()]
    assert [line["value"] for line in lines] == [uri[:2_048] for uri in TARGETS]


def test_a_comparison_finds_each_changed_target_and_nothing_else(imported: SqliteInstallation, folder: Path) -> None:
    repository = imported.minter.namespace("ark:99999/fk4").repository.id
    active = [number for number in range(COUNT - len(TARGETS)) if status_of(number) == "public"]
    changed = active[:: len(active) // CHANGED][:CHANGED]
    for number in changed:
        record = imported.store.records.record(repository, f"{number:06d}x")
        assert record is not None
        imported.amender.update(record, Content((Location("https://elsewhere.example.org/"),), record.metadata))
    with serving(folder, "--data", "coolid.db", "--base-url", BASE_URL) as server:
        child = start(folder, "--check", "--url", server.url)
        output, message = child.communicate(timeout=TIMEOUT)
    assert child.returncode == 1, message
    found = [json.loads(line)["identifier"] for line in output.splitlines()]
    assert found == [identifier(number) for number in (*changed, *range(COUNT - len(TARGETS), COUNT))]
