"""Credentials come from the environment or its endpoint, are renewed in time, and never shown."""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any

import pytest
from botocore.utils import ContainerMetadataFetcher

from coolid.aws.dynamodb_client.connector import Connector, TrustStore
from coolid.aws.dynamodb_client.credentials import (
    REFRESH_MARGIN_SECONDS,
    ContainerCredentials,
    CredentialProvider,
    Credentials,
    StaticCredentials,
    credential_provider,
)
from coolid.aws.dynamodb_client.endpoints import UnsupportedConfiguration
from coolid.aws.dynamodb_client.http_transport import HttpTransport
from coolid.errors import StoreUnavailable
from coolid.net.http_connection import BrokenResponse
from tests.aws.dynamodb_client.connections import CREDENTIALS, MOST_SECRET, PATIENT, QUESTION
from tests.support.servers.name_server import system_names
from tests.support.servers.scripted_server import Connection, answer, holding, repeat, scripted_server

FOUND = holding({"name": {"S": "mp"}})
EXPIRED = answer({"__type": "com.amazon.coral.service#ExpiredTokenException"}, b"400 Bad Request")


def keyring(environment: dict[str, str]) -> CredentialProvider:
    return credential_provider(environment, Connector(30, TrustStore()))


def later() -> float:
    """A time on the monotonic clock that does not come."""
    return monotonic() + 60


def document(number: int, seconds: float = 2 * REFRESH_MARGIN_SECONDS) -> dict[str, Any]:
    """What the endpoint of a container gives; `seconds` are left."""
    expires = datetime.now(UTC) + timedelta(seconds=seconds)
    return {
        "AccessKeyId": f"AKID{number}",
        "SecretAccessKey": MOST_SECRET,
        "Token": f"token{number}",
        "Expiration": expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


class Container:
    """An endpoint of credentials: gives `documents` one after the other, the last for ever; hears what it is asked."""

    def __init__(self, *documents: Any) -> None:
        self.documents = list(documents)
        self.heard: list[tuple[bytes, dict[str, str]]] = []
        self.lock = threading.Lock()

    def __call__(self, connection: Connection) -> None:
        first, headers, _ = connection.request()
        with self.lock:
            self.heard.append((first, headers))
            returned = self.documents.pop(0) if len(self.documents) > 1 else self.documents[0]
        connection.say(returned if isinstance(returned, bytes) else answer(returned, checked=False))

    @contextmanager
    def keyring(self, **more: str) -> Iterator[CredentialProvider]:
        with scripted_server(self) as port:
            yield keyring({"AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://127.0.0.1:{port}/role?a=b", **more})


class TestEnvironment:
    def test_what_it_has_is_taken(self) -> None:
        given = keyring({**CREDENTIALS, "AWS_SESSION_TOKEN": "a-token"})
        assert isinstance(given, StaticCredentials)
        found = given.credentials(later())
        assert (found.key_id, found.secret, found.token) == ("AKIDEXAMPLE", MOST_SECRET, "a-token")
        assert given.renew(found) is False

    @pytest.mark.parametrize(
        "environment",
        [
            {},
            {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE"},
            {**CREDENTIALS, "AWS_SECRET_ACCESS_KEY": ""},
            {**CREDENTIALS, "AWS_SESSION_TOKEN": "a\r\nX-Header: b"},
            {**CREDENTIALS, "AWS_ACCESS_KEY_ID": "a b"},
            {**CREDENTIALS, "AWS_ACCESS_KEY_ID": "\u00e4"},
            {"AWS_PROFILE": "work", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://localhost/role"},
            {"AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://localhost/role"},
            {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@thief.example/role"},
            {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": ".thief.example/role"},
            {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/role\r\nX: y"},
            {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "file:///role"},
        ],
        ids=lambda environment: " ".join(sorted(environment)),
    )
    def test_what_it_has_not_or_in_another_way_is_left_to_boto3(self, environment: dict[str, str]) -> None:
        with pytest.raises(UnsupportedConfiguration) as left:
            keyring(environment)
        assert MOST_SECRET not in str(left.value)


class TestContainers:
    def test_credentials_are_fetched_when_they_are_needed_and_once(self) -> None:
        container = Container(document(1))
        with container.keyring(AWS_CONTAINER_AUTHORIZATION_TOKEN="a-pass") as fetched:
            assert container.heard == []
            assert [fetched.credentials(later()).key_id for _ in range(3)] == ["AKID1"] * 3
        ((first, headers),) = container.heard
        assert first == b"GET /role?a=b HTTP/1.1"
        assert headers["authorization"] == "a-pass"

    def test_the_pass_may_be_in_a_file_which_changes(self, tmp_path: Path) -> None:
        file = tmp_path / "pass"
        container = Container(document(1, 1), document(2, 1))
        with container.keyring(AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=str(file)) as fetched:
            for returned in ("one", "two"):
                file.write_text(returned, encoding="utf-8")
                fetched.renew(fetched.credentials(later()))
        assert [headers["authorization"] for _, headers in container.heard] == ["one", "two"]

    @pytest.mark.parametrize("returned", ["a\r\nX-Header: b", "a\n"])
    def test_a_pass_that_would_say_more_is_not_sent(self, returned: str) -> None:
        container = Container(document(1))
        with container.keyring(AWS_CONTAINER_AUTHORIZATION_TOKEN=returned) as fetched, pytest.raises(BrokenResponse):
            fetched.credentials(later())
        assert container.heard == []

    def test_a_relative_address_is_one_of_ecs(self) -> None:
        fetched = keyring({"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/role?id=1"})
        assert isinstance(fetched, ContainerCredentials)
        assert fetched._endpoint.authority == "169.254.170.2"
        assert fetched._endpoint.target == "/role?id=1"

    @pytest.mark.parametrize(
        "url",
        [
            "http://127.0.0.1/role",
            "http://127.9.9.9:8080/role",
            "http://[::1]/role",
            "http://localhost:1/role",
            "http://169.254.170.2/role",
            "http://169.254.170.23/v1/credentials",
            "http://[fd00:ec2::23]/v1/credentials",
            "http://169.254.169.254/role",
            "http://10.0.0.1/role",
            "http://example.org/role",
            "http://localhost.example.org/role",
            "https://example.org/role",
        ],
    )
    def test_hosts_are_the_same_as_botocores(self, url: str) -> None:
        try:
            ContainerMetadataFetcher()._validate_allowed_url(url)  # type: ignore[attr-defined]
        except ValueError:
            with pytest.raises(UnsupportedConfiguration):
                keyring({"AWS_CONTAINER_CREDENTIALS_FULL_URI": url})
        else:
            assert isinstance(keyring({"AWS_CONTAINER_CREDENTIALS_FULL_URI": url}), ContainerCredentials)

    def test_new_ones_are_fetched_before_the_old_ones_expire(self) -> None:
        container = Container(document(1, REFRESH_MARGIN_SECONDS - 5), document(2))
        with container.keyring() as fetched:
            assert [fetched.credentials(later()).key_id for _ in range(3)] == ["AKID1", "AKID2", "AKID2"]

    @pytest.mark.parametrize("failing", [answer(b"", b"500 No"), b"garbage", b""])
    def test_without_new_credentials_the_old_ones_are_used_without_further_requests(self, failing: bytes) -> None:
        container = Container(document(1, REFRESH_MARGIN_SECONDS - 5), failing)
        with container.keyring() as fetched:
            assert [fetched.credentials(later()).key_id for _ in range(5)] == ["AKID1"] * 5
        assert len(container.heard) == 2

    def test_those_that_have_expired_serve_no_longer(self) -> None:
        container = Container(document(1, -1), answer(b"", b"500 No"))
        with container.keyring() as fetched:
            fetched.credentials(later())
            with pytest.raises(BrokenResponse):
                fetched.credentials(later())

    UNREADABLE: Mapping[str, bytes] = MappingProxyType(
        {
            "missing": answer(b"", b"404 Not Found"),
            "a list": answer([MOST_SECRET]),
            "not JSON": answer(b"<html>"),
            "not UTF-8": answer(b"\xff"),
            "without an end": answer(document(1) | {"Expiration": "soon"}),
            "with two lines": answer(document(1) | {"AccessKeyId": "a\nb"}),
            "a number": answer(document(1) | {"AccessKeyId": 7}),
            "not whole": answer({name: value for name, value in document(1).items() if name != "Token"}),
        }
    )

    @pytest.mark.parametrize("returned", UNREADABLE.values(), ids=UNREADABLE)
    def test_unreadable_credentials_are_none_and_never_reported(self, returned: bytes) -> None:
        with Container(returned).keyring() as fetched, pytest.raises(BrokenResponse) as broken:
            fetched.credentials(later())
        assert MOST_SECRET not in f"{broken.value} {broken.value.__context__}"

    def test_many_who_need_them_at_once_fetch_them_once(self) -> None:
        container = Container(document(1))
        with container.keyring() as fetched, ThreadPoolExecutor(16) as threads:
            found = list(threads.map(lambda _: fetched.credentials(later()).key_id, range(64)))
        assert found == ["AKID1"] * 64
        assert len(container.heard) == 1

    def test_a_name_server_that_does_not_answer_is_not_waited_for(self) -> None:
        fetched = keyring({"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://localhost:1/role"})
        with system_names() as names:
            names.stall()
            with pytest.raises(TimeoutError):
                fetched.credentials(monotonic() + 0.02)
            assert names.stalled() == (1, 0)


class TestQuestions:
    """Asked with credentials of a container."""

    @staticmethod
    @contextmanager
    def asker(container: Container, script: Callable[[Connection], None]) -> Iterator[HttpTransport]:
        with scripted_server(container) as there, scripted_server(script) as port:
            returned = {
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://127.0.0.1:{there}/",
                "AWS_DEFAULT_REGION": "eu-west-1",
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            }
            yield HttpTransport.read(returned, PATIENT)

    def test_those_that_dynamodb_says_have_expired_are_renewed(self) -> None:
        tokens: list[str] = []

        def script(connection: Connection) -> None:
            while True:
                _, headers, _ = connection.request()
                tokens.append(headers["x-amz-security-token"])
                connection.say(EXPIRED if tokens[-1] == "token1" else answer(FOUND))

        with self.asker(Container(document(1), document(2)), script) as asking:
            assert [asking.call("GetItem", QUESTION) for _ in range(2)] == [FOUND] * 2
        assert tokens == ["token1", "token2", "token2"]

    def test_if_those_have_expired_too_that_is_said(self) -> None:
        container = Container(document(1), document(2))
        there = self.asker(container, repeat(EXPIRED))
        with there as asking, pytest.raises(StoreUnavailable, match="ExpiredTokenException"):
            asking.call("GetItem", QUESTION)
        assert len(container.heard) == 2

    def test_without_any_the_store_is_unavailable(self) -> None:
        there = self.asker(Container(answer(b"", b"500 No")), repeat(answer(FOUND)))
        with there as asking, pytest.raises(StoreUnavailable, match="did not answer"):
            asking.call("GetItem", QUESTION)


def test_credentials_do_not_show_their_secrets() -> None:
    credentials = Credentials("AKIDEXAMPLE", MOST_SECRET, MOST_SECRET)
    assert MOST_SECRET not in f"{credentials} {credentials!r} {[credentials]}"
