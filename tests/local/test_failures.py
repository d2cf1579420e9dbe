"""Failures around the local server: truncated requests, stores that do not answer, files in use."""

import os
import socket
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.exceptions import ClientError

from coolid.aws import key_file
from coolid.local import system
from coolid.local.service_files import SIGNING_KEY
from coolid.local.stack import find_template, load_tables
from coolid.local.system import LocalSettings
from coolid.local.table_setup import TABLES, TableImport, create_tables
from tests.support.servers.coolid_server import prepare, run, serving
from tests.support.stores.moto_store import CREDENTIALS, running


def test_a_request_that_is_cut_short_is_not_executed(tmp_path: Path) -> None:
    prepare(tmp_path)
    with serving(tmp_path) as server:
        key = (tmp_path / ".local" / "admin-key").read_text(encoding="utf-8").strip()
        body = b'{"prefix": "demo", "uri": "https://example.org/", "id": "0000-0001-95"}'
        head = (
            "POST /api/v1/records HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {key}\r\nContent-Length: {len(body) + 500}\r\n\r\n"
        )
        address = urlsplit(server.url)
        with socket.create_connection((address.hostname, address.port)) as connection:
            connection.sendall(head.encode() + body)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(10)
            while connection.recv(4096):
                pass
        assert server.request("GET", "/demo:0000-0001-95").status == 404


def test_a_store_that_cannot_be_reached_ends_it_with_code_3_and_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with patch.dict(
            os.environ,
            {
                "AWS_ENDPOINT_URL": endpoint,
                "AWS_ACCESS_KEY_ID": "x",
                "AWS_SECRET_ACCESS_KEY": "x",
                "AWS_DEFAULT_REGION": "us-east-1",
                "AWS_MAX_ATTEMPTS": "1",
            },
        ):
            ended = run(tmp_path, "serve", "--port", "0")
    assert ended.returncode == 3
    assert "Traceback" not in ended.stderr
    assert "could not be reached" in ended.stderr


def test_a_first_filling_that_was_cut_short_is_done_again_and_a_whole_one_is_not() -> None:
    name = "filling-test"
    with running():
        create_tables(load_tables(find_template()), {"PrefixTable": name})
        new, later = TableImport(name, is_new=True), TableImport(name, is_new=False)
        assert not later.begin()  # a table of somebody else's
        assert new.begin()
        assert later.begin()
        later.end(7)
        assert not later.begin()
        assert later.count() == 7
        assert boto3.client("dynamodb").scan(TableName=name)["Count"] == 1


def test_a_read_only_service_over_dynamodb_creates_no_tables(tmp_path: Path) -> None:
    settings = {variable: f"absent-{name}" for variable, name in TABLES.values()} | CREDENTIALS
    settings |= {"AWS_ENDPOINT_URL_DYNAMODB": "https://dynamodb.us-east-1.amazonaws.com"}
    with patch.dict(os.environ, settings), running():
        local = LocalSettings("http://127.0.0.1:8080", tmp_path, with_registry=False, read_only=True)
        with pytest.raises(ClientError, match="ResourceNotFound"), system.running(local, print):
            raise AssertionError
        tables = boto3.client("dynamodb").list_tables()["TableNames"]
        assert not [each for each in tables if each.startswith("absent-")]


@pytest.mark.parametrize("given", [True, False])
def test_a_signing_key_is_made_only_where_none_was_given(tmp_path: Path, given: bool) -> None:
    """The store stands elsewhere, though this one is called so only, and no key service beside it."""
    key_file.ensure(tmp_path / "mine.pem")
    settings = dict(TABLES.values()) | CREDENTIALS
    settings |= {"AWS_ENDPOINT_URL_DYNAMODB": "https://dynamodb.us-east-1.amazonaws.com"}
    settings |= {"SIGNING_KEY_FILE": str(tmp_path / "mine.pem")} if given else {}
    folder = tmp_path / "local"
    folder.mkdir()
    with patch.dict(os.environ, settings), running():
        with system.running(LocalSettings("http://127.0.0.1:8080", folder, with_registry=False), print) as started:
            assert started.admin_key
        assert (folder / SIGNING_KEY).exists() is not given
