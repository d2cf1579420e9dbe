"""`coolid custody`: offers of records, their file, acceptances and revocations."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from coolid.identifiers.schemes import linkid
from tests.support.servers import http_server as hosts
from tests.support.servers.http_server import ETAG, KEY, Host, Reply, SentRequest, host, problem, stored

runner = CliRunner()

AT = "2026-10-08T12:00:00Z"
OWN, OTHER, THIRD = "https://a.example.org", "https://b.example.org", "https://c.example.org"
NAMES = [linkid.format(f"{number:08x}{'0' * 4}4000{'8' * 16}") for number in range(1, 10)]
TO_OTHER = {"offer": {"to": OTHER, "at": AT}}
TO_THIRD = {"offer": {"to": THIRD, "at": AT}}


def transferred(to: str) -> dict[str, Any]:
    return {"transfers": [{"from": OWN, "to": to, "at": AT, "version": 3, "acceptance": "e.y.J"}]}


def record(name: str, member: dict[str, Any] | None = None, status: str = "active") -> dict[str, Any]:
    key = linkid.compact(name)
    metadata = {"linkid": member} if member else {}
    members = {"id": key, "pid": f"{OWN}/{name}", "issuer": OWN, "status": status, "version": 1}
    return hosts.RECORD | members | {"metadata": metadata}


@dataclass
class CustodyService:
    """A loopback service with `records` by LinkID. `refusals` are answers to writes, `offered` those of another one."""

    server: Host
    records: dict[str, dict[str, Any]]
    refusals: dict[str, Reply] = field(default_factory=dict)

    def reply(self, sent: SentRequest) -> Reply:
        """Answer a request."""
        path = sent.target.removeprefix("/api/v1/").partition("?")[0]
        collection, _, name = path.partition("/")
        if path == "records":
            return hosts.json({"records": [*self.records.values()], "next": None})
        if path == "custody/acceptances":
            name = sent.json()["linkid"]
        found = self.records.get(name)
        if found is None:
            return problem(404)
        if collection == "custody":
            if name in self.refusals:
                return self.refusals[name]
            found = self.records[name] = found | {"metadata": {}}
            if sent.method == "PUT":
                found["metadata"] = {"linkid": {"offer": {"to": sent.json()["to"], "at": AT}}}
        return stored(found)

    @property
    def writes(self) -> list[tuple[str, str]]:
        return [(each.method, each.target) for each in self.server.requests if each.method != "GET"]


@contextmanager
def custody_service(*records: dict[str, Any]) -> Iterator[CustodyService]:
    with host() as server:
        service = CustodyService(server, {linkid.format(each["id"]): each for each in records})
        replaced: Any = server
        replaced.next_reply = lambda _: service.reply(server.requests[-1])
        yield service


def custody(service: CustodyService, *arguments: object) -> Result:
    # One at a time, because `reply` takes the last request.
    environment = {"COOLID_URL": service.server.url, "COOLID_KEY": KEY}
    return runner.invoke(app, ["custody", *map(str, arguments), "--parallel", "1"], env=environment)


def rows(result: Result) -> list[tuple[str, str]]:
    return [(line.split("\t")[0], line.split("\t")[1]) for line in result.stdout.splitlines()]


def offers(path: Path, *names: str, sender: str = OWN) -> Path:
    lines = [{"custody": "offer", "from": sender, "to": OTHER}, *({"linkid": name} for name in names)]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "offers.jsonl"


def test_all_public_records_of_a_repository_are_offered_and_listed_in_a_file(file: Path) -> None:
    with custody_service(
        record(NAMES[0]),
        record(NAMES[1], TO_OTHER),
        record(NAMES[2], status="reserved"),
        record(NAMES[3], transferred(OTHER)),
        record(NAMES[4], status="withdrawn"),
    ) as service:
        done = custody(service, "offer", "--prefix", "linkid", "--to", OTHER + "/", "--output", file)
        assert (done.exit_code, rows(done)) == (0, [
            (NAMES[0], "offered"), (NAMES[1], "offered already"), (NAMES[2], "reserved"),
            (NAMES[3], "transferred already"), (NAMES[4], "offered"),
        ])  # fmt: skip
        assert "2 offered, 1 offered already, 1 reserved, 1 transferred already" in done.stderr
        assert f"{OTHER}, who runs: coolid custody accept offers.jsonl" in done.stderr
        assert service.writes == [("PUT", f"/api/v1/custody/{NAMES[at]}") for at in (0, 4)]
        assert all(each.headers["if-match"] == ETAG for each in service.server.requests if each.method == "PUT")
        first, *others = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        assert first == {"custody": "offer", "from": OWN, "to": OTHER}
        assert others == [{"linkid": NAMES[at]} for at in (0, 1, 3, 4)]


def test_an_interrupted_offer_is_continued(file: Path) -> None:
    with custody_service(record(NAMES[0]), record(NAMES[1])) as service:
        offers(file, NAMES[0])
        with file.open("a", encoding="utf-8") as opened:
            opened.write('{"linkid": "linkid:0000')
        assert custody(service, "offer", "--prefix", "linkid", "--to", OTHER, "--output", file).exit_code == 0
        whole = file.read_text(encoding="utf-8")
        again = custody(service, "offer", "--prefix", "linkid", "--to", OTHER, "--output", file)
        assert {result for _, result in rows(again)} == {"offered already"}
        assert file.read_text(encoding="utf-8") == whole
    assert [json.loads(line).get("linkid") for line in whole.splitlines()] == [None, NAMES[0], NAMES[1]]


def test_a_file_of_offers_to_somebody_else_is_not_continued(file: Path) -> None:
    offers(file, NAMES[0])
    with custody_service(record(NAMES[0])) as service:
        done = custody(service, "offer", NAMES[0], "--to", THIRD, "--output", file)
        assert (done.exit_code, service.writes) == (2, [])
    assert f"has the offers to {OTHER}" in done.stderr


def test_a_record_that_cannot_be_offered_fails_alone(file: Path) -> None:
    with custody_service(record(NAMES[0], TO_THIRD), record(NAMES[1], transferred(THIRD)), record(NAMES[2])) as service:
        service.records["demo:x"] = hosts.RECORD
        done = custody(service, "offer", *NAMES[:4], "demo:x", "--to", OTHER, "--output", file, "--json")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 1
    assert [each["result"] for each in found] == ["refused", "refused", "offered", "refused", "refused"]
    assert [each.get("reason", "")[:20] for each in found] == [
        "it is offered to htt", "it was transferred t", "", "No (status 404)", "its identifier is no"
    ]  # fmt: skip
    assert [json.loads(line).get("linkid") for line in file.read_text().splitlines()] == [None, NAMES[2]]


def test_a_preview_changes_nothing(file: Path) -> None:
    with custody_service(record(NAMES[0]), record(NAMES[1], TO_OTHER)) as service:
        done = custody(service, "offer", "--prefix", "linkid", "--to", OTHER, "--preview", "--output", file)
        assert (done.exit_code, service.writes, file.exists()) == (0, [], False)
    assert rows(done) == [(NAMES[0], "can be offered"), (NAMES[1], "offered already")]


@pytest.mark.parametrize(
    "arguments",
    [
        ("offer", "--to", OTHER),
        ("offer", NAMES[0], "--prefix", "linkid", "--to", OTHER),
        ("offer", NAMES[0], "--to", "http://b.example.org"),
        ("accept", NAMES[0]),
        ("accept", "linkid:4711", "--from", OWN),
        ("accept", "missing.jsonl", "--from", OWN),
    ],
)
def test_wrong_usage_sends_nothing(arguments: tuple[str, ...]) -> None:
    with custody_service() as service:
        assert custody(service, *arguments).exit_code == 2
        assert not service.server.requests


def test_offers_are_accepted_from_their_file(file: Path) -> None:
    with custody_service(*map(record, NAMES[:3])) as service:
        service.refusals[NAMES[1]] = problem(409, "The offer was revoked.")
        done = custody(service, "accept", offers(file, *NAMES[:3], NAMES[0]))
        assert [each.json() for each in service.server.requests] == [
            {"linkid": name, "from": OWN} for name in NAMES[:3]
        ]
    assert (done.exit_code, rows(done)) == (1, [(NAMES[0], "accepted"), (NAMES[1], "refused"), (NAMES[2], "accepted")])
    assert "The offer was revoked (status 409)" in done.stdout
    assert "2 accepted, 1 refused" in done.stderr


def test_linkids_are_accepted_from_a_named_service() -> None:
    with custody_service(record(NAMES[0])) as service:
        assert custody(service, "accept", NAMES[0].upper(), "--from", THIRD + "/").exit_code == 0
        assert service.server.requests[0].json() == {"linkid": NAMES[0], "from": THIRD}


def test_a_file_of_another_kind_is_not_changed(file: Path) -> None:
    file.write_text("a thesis\nwithout a last line feed", encoding="utf-8")
    with custody_service(record(NAMES[0])) as service:
        assert custody(service, "offer", NAMES[0], "--to", OTHER, "--output", file).exit_code == 2
        assert not service.writes
    assert file.read_text(encoding="utf-8") == "a thesis\nwithout a last line feed"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "line is not JSON"),
        ("[]\n", "line 1 is no object"),
        ('{"custody": "offer", "from": "https://a.example.org"}\n', "first line has not the members"),
        (f'{{"custody":"offer","from":"{OWN}","to":"{OTHER}"}}\n{{"linkid":"linkid:4711"}}\n', "line 2: "),
        (f'{{"custody":"offer","from":"{OWN}","to":"{OTHER}"}}\n\nx\n', "line is not JSON"),
    ],
)
def test_a_malformed_file_is_refused_as_a_whole(file: Path, content: str, reason: str) -> None:
    file.write_text(content, encoding="utf-8")
    with custody_service() as service:
        done = custody(service, "accept", file)
        assert (done.exit_code, service.server.requests) == (2, [])
    assert reason in done.stderr


def test_a_file_of_another_service_than_the_named_one_is_refused(file: Path) -> None:
    with custody_service() as service:
        done = custody(service, "accept", offers(file, NAMES[0]), "--from", THIRD)
    assert (done.exit_code, f"offers of {OWN}" in done.stderr) == (2, True)


def test_offers_are_revoked_unless_they_were_accepted(file: Path) -> None:
    with custody_service(
        record(NAMES[0], TO_OTHER),
        record(NAMES[1]),
        record(NAMES[2], transferred(OTHER)),
        record(NAMES[3], TO_THIRD),
    ) as service:
        done = custody(service, "revoke", offers(file, *NAMES[:4]))
        assert service.writes == [("DELETE", f"/api/v1/custody/{NAMES[0]}")]
        assert rows(done) == [
            (NAMES[0], "revoked"), (NAMES[1], "not offered"), (NAMES[2], "refused"), (NAMES[3], "refused")
        ]  # fmt: skip
        assert done.exit_code == 1
        alone = custody(service, "revoke", NAMES[3])
        assert (alone.exit_code, rows(alone)) == (0, [(NAMES[3], "revoked")])


def test_a_wrong_key_ends_the_command_at_once(file: Path) -> None:
    with custody_service(*map(record, NAMES)) as service:
        service.refusals = dict.fromkeys(NAMES, problem(401))
        done = custody(service, "accept", offers(file, *NAMES))
    assert (done.exit_code, done.stdout) == (1, "")
    assert "check the key" in done.stderr


def test_a_service_that_is_unavailable_ends_the_command(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coolid.cli.commands.custody.outcomes._MAX_UNAVAILABLE", 3)
    with custody_service(*map(record, NAMES)) as service:
        service.refusals = dict.fromkeys(NAMES[1:], problem(500, "A try later may help."))
        done = custody(service, "accept", offers(file, *NAMES))
    assert done.exit_code == 3
    assert rows(done) == [(NAMES[0], "accepted"), (NAMES[1], "failed"), (NAMES[2], "failed")]
    assert "A try later may help" in done.stderr
