"""`coolid verify` of records whose custody was transferred: versions of several issuers, and their keys."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from coolid.cli import app
from tests.support.builders.custody_chains import LINKID, A, B, CustodyChain, Operator
from tests.support.builders.signed_documents import Key, key_set
from tests.support.servers.http_server import Host, host
from tests.support.servers.http_server import json as answer

KEYS_PATH = "/.well-known/jwks.json"


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, ["verify", *arguments, "--no-log"])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def resolvers(tmp_path: Path) -> str:
    path = tmp_path / "resolvers.json"
    path.write_text(json.dumps({"resolvers": [{"issuer": A.issuer, "keys": [A.key.jwk]}]}))
    return str(path)


@pytest.fixture
def recipient() -> Iterator[Host]:
    with host({KEYS_PATH: answer(key_set(Key(5)))}) as running:
        yield running


def moved(to: Operator) -> CustodyChain:
    chain = CustodyChain(A)
    chain.mint()
    chain.move(to)
    chain.update("https://content.example.org/2")
    return chain


def test_a_record_at_its_new_service_is_verified_back_to_the_first_version(recipient: Host, resolvers: str) -> None:
    chain = moved(Operator(recipient.url, Key(5)))
    recipient.answers[f"/{LINKID}?format=linkid"] = answer(chain.newest)
    for each in chain.versions:
        recipient.answers[f"/{LINKID}?version={each['version']}&format=linkid"] = answer(each)
    url = f"{recipient.url}/{LINKID}"
    result = run(url, "--resolvers", resolvers)
    assert result.exit_code == 0, result.output
    assert "✓ custody: version 3 transfers the record" in result.stdout
    assert result.stdout.splitlines()[-1] == "verified, with all versions"
    recipient.answers[f"/{LINKID}?version=2&format=linkid"] = answer(chain.versions[1] | {"ttl": 1})
    assert run(url, "--resolvers", resolvers).exit_code == 1


@pytest.mark.parametrize("has_resolvers", [True, False])
def test_lines_of_several_issuers_are_one_history(tmp_path: Path, resolvers: str, has_resolvers: bool) -> None:
    file, jwks = tmp_path / "records.jsonl", tmp_path / "jwks.json"
    chain = moved(B)
    file.write_text("".join(f"{json.dumps(each)}\n" for each in chain.versions))
    jwks.write_text(json.dumps(key_set(B.key)))
    options = ["--resolvers", resolvers] if has_resolvers else []
    result = run(str(file), "--jwks", str(jwks), "--issuer", B.issuer, *options)
    assert result.exit_code == 0, result.output
    assert ("later versions alone confirm 3 versions of 'https://a.example'" in result.stderr) != has_resolvers
    assert f"✓ history of '{LINKID}'" in result.stdout


def test_a_line_of_another_issuer_is_verified_with_the_keys_of_that_one(tmp_path: Path, resolvers: str) -> None:
    file, jwks = tmp_path / "records.jsonl", tmp_path / "jwks.json"
    chain = moved(B)
    forged = [B.key.sign(chain.versions[0]), *chain.versions[1:]]
    file.write_text("".join(f"{json.dumps(each)}\n" for each in forged))
    jwks.write_text(json.dumps(key_set(B.key)))
    result = run(str(file), "--jwks", str(jwks), "--issuer", B.issuer, "--resolvers", resolvers)
    assert result.exit_code == 1
    assert "is not in the issuer's key set" in result.stdout


def test_the_last_version_of_the_sender_says_where_the_record_is(tmp_path: Path, resolvers: str) -> None:
    file, jwks = tmp_path / "record.json", tmp_path / "jwks.json"
    file.write_text(json.dumps(moved(B).versions[2]))
    jwks.write_text(json.dumps(key_set(A.key)))
    result = run(str(file), "--jwks", str(jwks), "--resolvers", resolvers)
    assert result.exit_code == 0
    assert f"transferred the record to '{B.issuer}'" in result.stdout


def test_a_malformed_list_of_resolvers_is_refused(tmp_path: Path, resolvers: str) -> None:
    Path(resolvers).write_text("[]")
    file = tmp_path / "record.json"
    file.write_text(json.dumps(moved(B).newest))
    assert run(str(file), "--issuer", B.issuer, "--resolvers", resolvers, "--jwks", resolvers).exit_code == 2
