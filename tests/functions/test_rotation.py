"""Key rotation: a new key becomes current, and older signatures stay verifiable with the key set alone."""

import json
import os
from typing import Any
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

import coolid
from coolid.cli import app
from tests.support.builders.samples import ROOT
from tests.support.fixtures.events import to_event
from tests.support.fixtures.functions import load_handler
from tests.support.fixtures.system import TablesSystem, answer_of

MINT = {"prefix": "demo", "uri": "https://content.example.org/"}
RUNNER = CliRunner()


@pytest.fixture
def fresh(fresh_tables: TablesSystem) -> TablesSystem:
    """A system over DynamoDB, which these tests are about."""
    return fresh_tables


def run(system: TablesSystem, *arguments: str) -> Any:
    return RUNNER.invoke(app, ["keys", *arguments], env={"LUI_TABLE": system.tables["LuiTable"]})


def rotate(system: TablesSystem, *arguments: str) -> dict[str, str]:
    done = run(system, "rotate", "--json", *arguments)
    assert done.exit_code == 0, done.output
    returned: dict[str, str] = json.loads(done.stdout)
    return returned


def mint_with(system: TablesSystem, key: str) -> Any:
    """Mint as the stack would when it is deployed with another key."""
    with patch.dict(os.environ, dict(system.environment) | {"SIGNING_KEY_ID": key}):
        handler = load_handler(ROOT / "functions" / "mint")
    headers = [("Authorization", f"Bearer {system.admin_key}")]
    body = json.dumps(MINT).encode()
    event = to_event("POST", "/api/v1/records", "", headers=headers, body=body, request_id="1")
    return answer_of(handler(event, None)).json()


def keys_of(system: TablesSystem) -> Any:
    return system.get("/.well-known/jwks.json").json()


def test_records_signed_before_and_after_a_rotation_verify_with_the_same_key_set(fresh: TablesSystem) -> None:
    before = fresh.mint(MINT).json()
    returned = rotate(fresh)
    after = mint_with(fresh, returned["arn"])
    assert [key["kid"] for key in keys_of(fresh)["keys"]][-1] == returned["kid"]
    for record in (before, after):
        verdict = coolid.verify(record, keys_of(fresh))
        assert verdict.ok, verdict
    assert before["proof"].split(".")[0] != after["proof"].split(".")[0]


def test_a_new_key_is_published_before_it_signs_anything(fresh: TablesSystem) -> None:
    returned = rotate(fresh)
    assert returned["kid"] in [key["kid"] for key in keys_of(fresh)["keys"]]
    assert returned["parameter"] == f"SigningKeyArn={returned['arn']}"


def test_a_key_that_exists_can_be_published_as_often_as_one_likes(fresh: TablesSystem) -> None:
    returned = rotate(fresh)
    assert rotate(fresh, "--key", returned["arn"]) == returned
    assert [key["kid"] for key in keys_of(fresh)["keys"]].count(returned["kid"]) == 1


def test_all_keys_are_listed(fresh: TablesSystem) -> None:
    returned = rotate(fresh)
    listed = run(fresh, "list")
    assert (listed.exit_code, listed.stdout.split()[-1]) == (0, returned["kid"])


@pytest.mark.parametrize("key", ["arn:aws:kms:us-east-1:123456789012:key/none", "no key"])
def test_a_key_that_cannot_be_used_is_refused_with_the_reason(fresh: TablesSystem, key: str) -> None:
    known = keys_of(fresh)
    done = run(fresh, "rotate", "--key", key)
    assert done.exit_code == 3
    assert "the key service refused" in done.stderr
    assert keys_of(fresh) == known


def test_it_must_be_said_where_keys_are_published() -> None:
    assert RUNNER.invoke(app, ["keys", "rotate"], env={"LUI_TABLE": "", "COOLID_STACK": ""}).exit_code == 2
