"""Moving the records of a single server into a stack and back, with the commands of docs/how-to/operator/moving.md."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from coolid.transfer.export_format import export_lines
from tests.deployed import localstack_session, sam
from tests.e2e.created_records import Holding, Minted, dated, fresh_name, hold
from tests.e2e.service import Service, connected
from tests.support.servers.coolid_server import COMMAND, serving

LAG = 5
"""Seconds that are allowed beyond the promised times."""


def run(folder: Path, *arguments: str) -> str:
    """Run `coolid` with LocalStack's credentials; its standard output."""
    command = [str(COMMAND), *arguments]
    environment = localstack_session.environment()
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@contextmanager
def single_server(folder: Path, key: str, *options: str) -> Iterator[Service]:
    """The service of one machine, with the public base URL of the stack."""
    with (
        serving(folder, "--data", "coolid.db", "--base-url", sam.BASE_URL, *options) as server,
        connected(server.url, key, LAG) as service,
    ):
        yield service


@pytest.fixture
def key(tmp_path: Path) -> str:
    """An administrator's key of a new database without prefixes, which `coolid serve` therefore does not fill."""
    (tmp_path / "empty.jsonl").write_bytes(b"".join(export_lines([])))
    run(tmp_path, "records", "import", "empty.jsonl", "--data", "coolid.db")
    return run(tmp_path, "keys", "create", "--admin", "--data", "coolid.db").strip()


def furnish(service: Service) -> tuple[Holding, list[Minted]]:
    """Mint, change and withdraw records under new prefixes."""
    name = fresh_name()
    holding = hold(service, dated(name), name)
    records = [holding.mint(metadata={"what": f"number {number}", "who": "Zoë 𝄞"}) for number in range(3)]
    holding.changed("PATCH", records[1], {"metadata": {"what": "changed"}})
    holding.changed("DELETE", records[2], {"reason": "It was wrong"})
    return holding, records


def _status(service: Service, path: str) -> int:
    return service.get(path).status


def is_read_only(service: Service, holding: Holding) -> bool:
    """Whether a mint is refused because the service is read-only."""
    reply = service.admin("POST", "/api/v1/records", {"prefix": holding.prefix})
    return reply.status == 503 and reply.json()["type"].endswith("/problems/read-only")


def test_records_move_into_the_stack_and_back_byte_for_byte(stack: str, key: str, tmp_path: Path) -> None:
    with single_server(tmp_path, key) as service:
        holding, records = furnish(service)
    with single_server(tmp_path, key, "--read-only") as service:
        assert is_read_only(service, holding)
        before = [service.get(record.path).status for record in records]
        assert before == [302, 302, 410]
        run(tmp_path, "records", "export", "records.jsonl", "--data", "coolid.db")
    run(tmp_path, "records", "import", "records.jsonl", "--stack", stack)
    with connected(sam.api_url(stack), sam.admin_key(stack), LAG) as deployed:
        for record, status in zip(records, before, strict=True):
            assert deployed.seen_within(60, partial(_status, deployed, record.path), status) == status
        run(tmp_path, "records", "export", "stack.jsonl", "--stack", stack)
        moved = set((tmp_path / "stack.jsonl").read_bytes().splitlines())
        ours = (tmp_path / "records.jsonl").read_bytes().splitlines()[2:-1]  # but for the keys and the counts
        assert set(ours) <= moved
    run(tmp_path, "records", "import", "stack.jsonl", "--data", "back.db")
    run(tmp_path, "records", "export", "back.jsonl", "--data", "back.db")
    assert (tmp_path / "back.jsonl").read_bytes() == (tmp_path / "stack.jsonl").read_bytes()


def test_a_stack_is_read_only_while_its_parameter_says_so(stack: str) -> None:
    with connected(sam.api_url(stack), sam.admin_key(stack), LAG) as deployed:
        holding, records = furnish(deployed)
        try:
            sam.deploy(sam.built(), stack, ReadOnly="on")
            assert deployed.seen_within(60, lambda: is_read_only(deployed, holding), True)
            assert deployed.get(records[0].path).status == 302
        finally:
            sam.deploy(sam.built(), stack, ReadOnly="off")  # a deployment keeps parameters that it does not name
        assert not deployed.seen_within(60, lambda: is_read_only(deployed, holding), False)
