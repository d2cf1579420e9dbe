"""Wiring: the environment selects the client of public reads."""

import os
import subprocess
import sys

import pytest

from coolid.aws.dynamodb_client.boto_transport import BotoTransport
from coolid.aws.dynamodb_client.http_transport import HttpTransport
from coolid.aws.dynamodb_client.transport import Transport
from coolid.aws.settings import InvalidSettings
from coolid.wiring.read_access import dynamodb_transport
from tests.support.builders.samples import BASE_URL
from tests.support.servers.scripted_server import answer, repeat, scripted_server

QUESTION = {"TableName": "t", "Key": {"name": {"S": "mp"}}}
FOUND = {"Item": {"name": {"S": "mp"}}, "ConsumedCapacity": {"TableName": "t", "CapacityUnits": 0.5}}


@pytest.mark.parametrize(
    ("returned", "client"),
    [
        ({}, HttpTransport),
        ({"STORE_CLIENT": ""}, HttpTransport),
        ({"STORE_CLIENT": "own"}, HttpTransport),
        ({"STORE_CLIENT": "boto3"}, BotoTransport),
        ({"AWS_ACCESS_KEY_ID": ""}, BotoTransport),
        ({"AWS_ACCESS_KEY_ID": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1/role"}, HttpTransport),
        ({"AWS_USE_FIPS_ENDPOINT": "true"}, BotoTransport),
        ({"AWS_USE_DUALSTACK_ENDPOINT": "true"}, BotoTransport),
        ({"HTTPS_PROXY": "http://127.0.0.1:3128"}, BotoTransport),
        ({"HTTPS_PROXY": "http://127.0.0.1:3128", "NO_PROXY": "amazonaws.com"}, HttpTransport),
        ({"AWS_DEFAULT_REGION": "us-iso-east-1"}, BotoTransport),
    ],
    ids=str,
)
def test_the_own_client_is_used_unless_boto3_is_set_or_needed(
    monkeypatch: pytest.MonkeyPatch, returned: dict[str, str], client: type[Transport]
) -> None:
    for name, value in returned.items():
        monkeypatch.setenv(name, value)
    assert isinstance(dynamodb_transport(), client)


def test_another_client_than_there_is_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE_CLIENT", "pynamodb")
    with pytest.raises(InvalidSettings, match="STORE_CLIENT must be own or boto3"):
        dynamodb_transport()


@pytest.mark.parametrize("client", ["own", "boto3"])
def test_either_goes_where_an_endpoint_is_named(monkeypatch: pytest.MonkeyPatch, client: str) -> None:
    with scripted_server(repeat(answer(FOUND))) as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("STORE_CLIENT", client)
        assert dynamodb_transport().call("GetItem", QUESTION)["Item"] == FOUND["Item"]


READ = """
import os, sys
from coolid.wiring.resolve import handler
answer = handler()({"httpMethod": "GET", "path": "/2021/06/demo/tw0t-ywdj-94", "headers": {}}, None)
assert answer["statusCode"] == 404, answer
others = {"boto3", "botocore", "email", "http.client", "urllib.request", "urllib3"}
print(*sorted(others & set(sys.modules)))
"""


def test_the_resolve_function_reads_the_store_without_importing_boto3() -> None:
    with scripted_server(repeat(answer({"Responses": {"p": []}}))) as port:
        returned = {
            "PREFIX_TABLE": "p",
            "LUI_TABLE": "l",
            "PUBLIC_BASE_URL": BASE_URL,
            "LOG_REQUESTS": "off",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        }
        ran = subprocess.run(
            [sys.executable, "-c", READ], env=dict(os.environ) | returned, capture_output=True, text=True, check=False
        )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "\n", "")
