"""Minted identifiers survive every deployment.

`COOLID_E2E_KEEP=FILE` makes this a pair of commands around one or more deployments. If the file does not exist, records
are created and listed in it; if it exists, all of them must still be the same. Without it, both happen in one run.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from tests.e2e import permanent_state
from tests.e2e.proofs import KEYS, check_chain, published_keys
from tests.e2e.service import RECORDS, Service


@pytest.fixture(scope="module")
def stored(service: Service, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is remembered, of an earlier run or of just now."""
    named = os.environ.get("COOLID_E2E_KEEP")
    file = Path(named) if named else tmp_path_factory.mktemp("lasting") / "kept.json"
    if not file.exists():
        written = permanent_state.write(service)
        file.write_text(json.dumps(written, indent=1), encoding="utf-8")
    remembered: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert remembered["issuer"] == service.issuer, "this is remembered of another service"
    return remembered


def test_every_identifier_and_prefix_leads_where_it_led(service: Service, stored: dict[str, Any]) -> None:
    assert [permanent_state.answer(service, each["target"]) for each in stored["answers"]] == stored["answers"]
    assert {each["status"] for each in stored["answers"]} == {200, 302, 404, 410}


def test_every_linkid_with_a_state_of_custody_leads_where_it_led(service: Service, stored: dict[str, Any]) -> None:
    there = [permanent_state.destination(service, each["target"]) for each in stored["linkids"]]
    assert there == stored["linkids"]
    assert [each["status"] for each in there] == [302, 302, 410]


def test_every_version_of_every_record_is_the_same_byte_for_byte(service: Service, stored: dict[str, Any]) -> None:
    for remembered in stored["records"]:
        path = service.path_of(remembered[-1]["pid"])
        # Canonically written (RFC 8785), for Python takes 1 for True.
        assert list(map(rfc8785.dumps, permanent_state.versions(service, path))) == list(map(rfc8785.dumps, remembered))
        for record in remembered:
            if record["status"] != "reserved":
                target = f"{path}?format=jws&version={record['version']}"
                assert service.get(target).text == record["proof"]


def test_every_proof_holds_by_the_keys_of_today(service: Service, stored: dict[str, Any]) -> None:
    keys = published_keys(service)
    for versions in stored["records"]:
        check_chain(versions, keys)


def test_no_public_key_is_withdrawn(service: Service, stored: dict[str, Any]) -> None:
    published = service.get(KEYS).json()["keys"]
    assert all(key in published for key in stored["keys"])


def test_a_mint_that_is_sent_again_is_answered_the_same_for_a_day(service: Service, stored: dict[str, Any]) -> None:
    if time.time() - stored["mint"]["at"] > permanent_state.KEPT_FOR - 600:
        pytest.skip("it was remembered too long ago")
    assert permanent_state.repeated(service, stored["mint"]) == stored["mint"]["answer"]
    assert stored["mint"]["answer"]["status"] == 201


def test_a_record_continues_from_its_last_version(service: Service, stored: dict[str, Any]) -> None:
    path = stored["going_on"]
    before = permanent_state.versions(service, path)
    tag = service.admin("GET", RECORDS + path).headers["etag"]
    number = before[-1]["version"] + 1
    assert before[-1]["metadata"] == {"n": number - 1}
    changed = service.admin("PATCH", RECORDS + path, {"metadata": {"n": number}}, If_Match=tag)
    assert (changed.status, changed.json()["version"]) == (200, number)
    after = permanent_state.versions(service, path)
    assert after[:-1] == before
    check_chain(after, published_keys(service))
