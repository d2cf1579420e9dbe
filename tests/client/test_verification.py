"""`Client.verify` and `AsyncClient.verify`: the checks of `coolid verify`, with the same state."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import coolid
from coolid.client.discovery import WELL_KNOWN_PATH
from coolid.client.transparency.seen_logs import SeenLogs
from tests.support.builders.custody_chains import LINKID, CustodyChain, Operator
from tests.support.builders.signed_documents import Key, key_set
from tests.support.fixtures.note_keys import NoteKey
from tests.support.servers.http_server import host, json
from tests.support.servers.log_host import PATH, PROOF_PATH, LoggedService

Verify = Callable[..., coolid.Verdict]


@pytest.fixture
def service() -> Iterator[LoggedService]:
    with host() as running:
        yield LoggedService(running)


def _synchronous(url: str, *arguments: Any, **options: Any) -> coolid.Verdict:
    with coolid.Client(url, wait=lambda _: None) as client:
        return client.verify(*arguments, **options)


def _asynchronous(url: str, *arguments: Any, **options: Any) -> coolid.Verdict:
    async def verify() -> coolid.Verdict:
        async with coolid.AsyncClient(url, wait=lambda _: asyncio.sleep(0)) as client:
            return await client.verify(*arguments, **options)

    return asyncio.run(verify())


@pytest.fixture(params=[_synchronous, _asynchronous])
def verify(request: pytest.FixtureRequest, service: LoggedService, tmp_path: Path) -> Verify:
    """Return the method of one of the clients, with a state of its own."""
    return lambda *arguments, **options: request.param(
        service.host.url, *arguments, **{"state": tmp_path / "state", **options}
    )


def failed(verdict: coolid.Verdict) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


@pytest.mark.parametrize("pid", [PATH, "mp:TW0T-YWDJ-94", "{}" + PATH])
def test_a_record_in_the_log_verifies_under_each_spelling(service: LoggedService, verify: Verify, pid: str) -> None:
    service.answer(service.versions[-1], "/mp:TW0T-YWDJ-94")
    verdict = verify(pid.format(service.host.url))
    assert verdict.ok, failed(verdict)
    assert verdict.complete
    assert [check.name for check in verdict.checks][-4:] == ["log", "checkpoint", "inclusion", "consistency"]


def test_what_was_seen_is_in_the_named_folder(service: LoggedService, verify: Verify, tmp_path: Path) -> None:
    assert verify(PATH).ok
    seen = SeenLogs(tmp_path / "state").read(service.origin)
    assert seen is not None
    assert seen.checkpoint == service.log.note(400)
    service.serve(350)
    verdict = verify(PATH)
    assert failed(verdict) == ["consistency"]
    assert str(tmp_path / "state" / "evidence") in verdict.checks[-1].detail


def test_an_older_version_is_verified_by_its_own_proof(service: LoggedService, verify: Verify) -> None:
    verdict = verify(PATH, 1)
    assert verdict.ok
    assert any(check.detail == "the version is entry 300 of 400 in the log" for check in verdict.checks)
    service.answer(service.versions[1], version=1)
    assert "asked" in failed(verify(PATH, 1))


def test_a_policy_replaces_what_the_service_names(service: LoggedService, verify: Verify) -> None:
    other = NoteKey(service.origin, seed=2).verifier()
    assert failed(verify(PATH, policy=f"log {other}\nquorum none\n")) == ["checkpoint"]
    assert verify(PATH, policy=f"log {service.log.key.verifier()}\nquorum none\n").ok
    with pytest.raises(ValueError, match="no quorum line"):
        verify(PATH, policy="")


def test_the_parts_can_be_left_out(service: LoggedService, verify: Verify) -> None:
    verdict = verify(PATH, log=False, chain=False)
    assert verdict.ok
    assert not verdict.complete
    assert not any("/log" in target or "version=1" in target for target in service.host.targets)
    with pytest.raises(TypeError):
        verify(PATH, polcy="")


def test_keys_and_record_must_be_of_the_issuer(service: LoggedService, verify: Verify) -> None:
    assert failed(verify(PATH, keys=key_set(Key(2)))) == ["key"]
    foreign = Key().sign(service.versions[0] | {"issuer": "https://id.example.org", "pid": "https://id.example.org/a"})
    service.answer(foreign, "/a")
    verdict = verify("a")
    assert "key" in failed(verdict)
    assert "pass the keys to trust" in verdict.checks[-1].detail


def test_another_record_than_the_one_in_hand_fails(service: LoggedService, verify: Verify) -> None:
    with coolid.Client(service.host.url) as client:
        record = client.get_public(PATH)
        service.host.answers[f"{PATH}?format=tlog-proof"] = (200, {"Content-Type": "text/plain"}, b"kept")
        assert client.inclusion_proof(record) == "kept"
    assert verify(record).ok
    other = Key().sign(service.versions[-1] | {"pid": f"{service.host.url}/2021/06/mp/other"})
    service.answer(other)
    assert failed(verify(record)) == ["asked"]


def test_a_slow_or_endless_answer_is_no_answer(service: LoggedService, tmp_path: Path) -> None:
    def slow(_handler: Any) -> None:
        service.host.ended.wait(30)

    def endless(handler: Any) -> None:
        handler.send_response_only(200)
        handler.end_headers()
        with suppress(OSError):
            while not service.host.ended.is_set():
                handler.wfile.write(b"x" * 65_536)

    for path in (WELL_KNOWN_PATH, PROOF_PATH, "/log/tile/0/001.p/150"):
        with coolid.Client(service.host.url, max_tries=1) as client:
            if path.startswith("/log"):
                assert client.verify(PATH, state=tmp_path).ok
                service.grow(6)
        for behaviour, seconds, expected in ((slow, 0.2, coolid.Unreachable), (endless, 20.0, coolid.BadAnswer)):
            service.host.answers[path], kept = behaviour, service.host.answers[path]
            with coolid.Client(service.host.url, timeout=seconds, max_tries=1) as client, pytest.raises(expected):
                client.verify(PATH, state=tmp_path)
            service.host.answers[path] = kept


@pytest.mark.parametrize("run", [_synchronous, _asynchronous])
def test_a_record_that_changed_hands_is_verified_with_the_keys_of_each_issuer(run: Any, tmp_path: Path) -> None:
    with host() as first, host() as second:
        a, b = (Operator(each.url, Key(number)) for number, each in enumerate((first, second), 5))
        chain = CustodyChain(a)
        chain.mint()
        chain.move(b)
        for operator, running in ((a, first), (b, second)):
            running.answers["/.well-known/jwks.json"] = json(key_set(operator.key))
        second.answers[f"/{LINKID}?format=linkid"] = json(chain.newest, media_type="application/linkid+json")
        for each in chain.versions:
            second.answers[f"/{LINKID}?format=linkid&version={each['version']}"] = json(
                each, media_type="application/linkid+json"
            )
        whole = run(second.url, LINKID, log=False, state=tmp_path)
        assert (failed(whole), whole.complete, whole.notes) == ([], True, ())
        first.answers.clear()
        partial = run(second.url, LINKID, log=False, state=tmp_path)
        assert (failed(partial), partial.complete) == ([], False)
        assert "versions 1 to 3" in partial.notes[0]
