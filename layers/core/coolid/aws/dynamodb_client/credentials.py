"""Credentials: who asks. By the environment itself, or by an endpoint that it names, as containers and SnapStart do.

Source: "AWS SDKs and Tools Reference Guide", "AWS access keys" and "Container credential provider". Of the latter, only
hosts are asked that are secure, or near: those of `_NEAR`, and loopback.

>>> Credentials("AKIDEXAMPLE", "a-secret")
Credentials('AKIDEXAMPLE')
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock
from time import monotonic, time
from typing import Final, Protocol

from msgspec import Struct

from coolid.aws.dynamodb_client.connector import Connector
from coolid.aws.dynamodb_client.endpoints import Endpoint, UnsupportedConfiguration, parse_endpoint
from coolid.aws.dynamodb_client.http_connection import BrokenResponse, HttpConnection

KEY_ID: Final = "AWS_ACCESS_KEY_ID"
SECRET: Final = "AWS_SECRET_ACCESS_KEY"  # noqa: S105 - the name of one
TOKEN: Final = "AWS_SESSION_TOKEN"  # noqa: S105
RELATIVE_URI: Final = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
FULL_URI: Final = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
PASS: Final = "AWS_CONTAINER_AUTHORIZATION_TOKEN"  # noqa: S105
PASS_FILE: Final = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"  # noqa: S105
_OTHERS: Final = ("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_PROFILE", "AWS_DEFAULT_PROFILE")
"""What boto3 would go by before it asks an endpoint."""

EARLY: Final = 900
"""Seconds before credentials expire in which new ones are asked for; whoever gets none uses the old ones."""
_AGAIN: Final = 10
"""Seconds in which nobody asks, after that was in vain."""
_ECS: Final = "169.254.170.2"
_NEAR: Final = (_ECS, "169.254.170.23", "fd00:ec2::23", "localhost")


class Credentials(Struct, frozen=True):
    """`expires` in seconds since 1970; None if they do not. `ValueError` for what no request can carry."""

    key_id: str
    secret: str
    token: str | None = None
    expires: float | None = None

    def __post_init__(self) -> None:
        texts: tuple[object, ...] = (self.key_id, self.secret, self.token or "-")
        if not all(isinstance(text, str) and re.fullmatch("[!-~]+", text) for text in texts):
            raise ValueError("credentials that no request can carry")

    def __repr__(self) -> str:
        """Without what must not be told."""
        return f"Credentials({self.key_id!r})"


class CredentialProvider(Protocol):
    """Has credentials."""

    def credentials(self, deadline: float) -> Credentials:
        """Those to sign with now. Raises `OSError` or `BrokenResponse` if there are none before the monotonic clock says so."""
        ...

    def renew(self, refused: Credentials) -> bool:
        """Whether there may be others than these, which DynamoDB says have expired."""
        ...


class StaticCredentials:
    """Credentials that the environment has; whoever gave them does not change them."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def credentials(self, deadline: float) -> Credentials:  # noqa: ARG002 - nothing is waited for
        """As of `CredentialProvider`."""
        return self._credentials

    def renew(self, refused: Credentials) -> bool:  # noqa: ARG002 - there are no others
        """As of `CredentialProvider`."""
        return False


class ContainerCredentials:
    """Credentials that an endpoint gives for a time. `environment` is read each time, for the pass may change."""

    def __init__(self, endpoint: Endpoint, environment: Mapping[str, str], dialler: Connector) -> None:
        self._endpoint = endpoint
        self._environment = environment
        self._dialler = dialler
        self._lock = Lock()
        self._known: Credentials | None = None
        self._idle_until = 0.0

    def credentials(self, deadline: float) -> Credentials:
        """As of `CredentialProvider`."""
        known = self._known
        left = (known.expires or float("inf")) - time() if known else 0.0
        if known and (left > EARLY or (left > 0 and monotonic() < self._idle_until)):
            return known
        if not self._lock.acquire(timeout=0 if left > 0 else max(deadline - monotonic(), 0)):
            if known and left > 0:
                return known  # another thread sees to it
            raise TimeoutError("no credentials in time")
        try:
            if self._known is known:
                self._known = self._fetch(deadline)
        except (OSError, BrokenResponse):
            self._idle_until = monotonic() + _AGAIN
            if left <= 0:
                raise
        finally:
            self._lock.release()
        assert self._known is not None
        return self._known

    def renew(self, refused: Credentials) -> bool:
        """As of `CredentialProvider`."""
        with self._lock:
            if self._known is refused:
                self._known = None
        return True

    def _fetch(self, deadline: float) -> Credentials:
        endpoint = self._endpoint
        head = f"GET {endpoint.target} HTTP/1.1\r\nHost: {endpoint.authority}\r\nAccept: application/json\r\n"
        connection = HttpConnection(self._dialler.open(endpoint, deadline))
        try:
            answer = connection.exchange(
                f"{head}{self._pass()}Connection: close\r\n\r\n".encode(), deadline - monotonic()
            )
        finally:
            connection.close()
        if answer.status != 200:
            raise BrokenResponse(f"no credentials, but {answer.status}")
        told = answer.document()
        with suppress(KeyError, TypeError, ValueError):
            expires = datetime.fromisoformat(told["Expiration"])
            expires = expires if expires.tzinfo else expires.replace(tzinfo=UTC)
            return Credentials(told["AccessKeyId"], told["SecretAccessKey"], told["Token"], expires.timestamp())
        raise BrokenResponse("credentials that cannot be read")  # outside, for what was wrong might be told

    def _pass(self) -> str:
        path = self._environment.get(PASS_FILE)
        if path:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes longer to import than the rest
                told = file.read()
        else:
            told = self._environment.get(PASS, "")
        if not told.isprintable():
            raise BrokenResponse("the pass to the credentials is no value of a header")
        return f"Authorization: {told}\r\n" if told else ""


def credential_provider(environment: Mapping[str, str], dialler: Connector) -> CredentialProvider:
    """What an environment says of credentials. Raises `UnsupportedConfiguration`."""
    if environment.get(KEY_ID) and environment.get(SECRET):
        with suppress(ValueError):
            return StaticCredentials(
                Credentials(environment[KEY_ID], environment[SECRET], environment.get(TOKEN) or None)
            )
        raise UnsupportedConfiguration(KEY_ID)
    for name in (KEY_ID, *_OTHERS):
        if environment.get(name):
            raise UnsupportedConfiguration(name)
    if environment.get(RELATIVE_URI):
        endpoint = parse_endpoint(f"http://{_ECS}{environment[RELATIVE_URI]}")
        if endpoint is None or endpoint.host != _ECS:
            raise UnsupportedConfiguration(RELATIVE_URI)
    else:
        endpoint = parse_endpoint(environment.get(FULL_URI, ""))
        if endpoint is None or not (endpoint.secure or endpoint.host in _NEAR or _is_loopback(endpoint.host)):
            raise UnsupportedConfiguration(FULL_URI)
    return ContainerCredentials(endpoint, environment, dialler)


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
