"""AWS credentials from environment variables, or from the endpoint that containers and SnapStart functions use.

Source: "AWS SDKs and Tools Reference Guide", "AWS access keys" and "Container credential provider". The endpoint must
use HTTPS, or be a loopback address or one of `_LOCAL_HOSTS`.

>>> Credentials("AKIDEXAMPLE", "a-secret")
Credentials('AKIDEXAMPLE')
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from threading import Lock
from time import monotonic, time
from typing import Final, Protocol

from msgspec import Struct

from coolid.aws.dynamodb_client.connector import Connector
from coolid.aws.dynamodb_client.endpoints import Endpoint, UnsupportedConfiguration, parse_endpoint
from coolid.net.http_connection import BrokenResponse, HttpConnection

KEY_ID: Final = "AWS_ACCESS_KEY_ID"
SECRET: Final = "AWS_SECRET_ACCESS_KEY"  # noqa: S105 - a variable's name
TOKEN: Final = "AWS_SESSION_TOKEN"  # noqa: S105
RELATIVE_URI: Final = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
FULL_URI: Final = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
AUTHORIZATION_TOKEN: Final = "AWS_CONTAINER_AUTHORIZATION_TOKEN"  # noqa: S105
AUTHORIZATION_TOKEN_FILE: Final = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"  # noqa: S105
_UNSUPPORTED: Final = ("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_PROFILE", "AWS_DEFAULT_PROFILE")
"""Configuration that boto3 prefers to a credential endpoint."""

REFRESH_MARGIN_SECONDS: Final = 900
"""Credentials are renewed from this many seconds before they expire. The old ones serve until a renewal succeeds."""
_RETRY_DELAY_SECONDS: Final = 10
"""The pause after a failed renewal."""
_ECS_HOST: Final = "169.254.170.2"
_LOCAL_HOSTS: Final = (_ECS_HOST, "169.254.170.23", "fd00:ec2::23", "localhost")


class Credentials(Struct, frozen=True):
    """An access key. `expires` is in seconds since 1970, or None. Raises `ValueError` if it does not fit a header."""

    key_id: str
    secret: str
    token: str | None = None
    expires: float | None = None

    def __post_init__(self) -> None:
        if not all(map(_fits_header, (self.key_id, self.secret, self.token or "-"))):
            raise ValueError("credentials that no request can carry")

    def __repr__(self) -> str:
        """Return the key's id without the secrets."""
        return f"Credentials({self.key_id!r})"


def _fits_header(text: object) -> bool:
    """Return whether it is a text of visible ASCII characters."""
    return isinstance(text, str) and text.isascii() and text.isprintable() and " " not in text and text != ""


class CredentialProvider(Protocol):
    """Supplies credentials."""

    def credentials(self, deadline: float) -> Credentials:
        """Return the credentials to sign with now. `deadline` is a time of the monotonic clock.

        Raises `OSError` or `BrokenResponse` if there are none by then.
        """
        ...

    def renew(self, refused: Credentials) -> bool:
        """Drop credentials that DynamoDB rejected as expired. Return whether there may be new ones."""
        ...


class StaticCredentials:
    """Credentials from environment variables. They do not change."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def credentials(self, deadline: float) -> Credentials:  # noqa: ARG002
        return self._credentials

    def renew(self, refused: Credentials) -> bool:  # noqa: ARG002
        return False


class ContainerCredentials:
    """Temporary credentials from an endpoint. `environment` is read each time, because the token may change."""

    def __init__(self, endpoint: Endpoint, environment: Mapping[str, str], connector: Connector) -> None:
        self._endpoint = endpoint
        self._environment = environment
        self._connector = connector
        self._lock = Lock()
        self._cached: Credentials | None = None
        self._retry_at = 0.0

    def credentials(self, deadline: float) -> Credentials:
        cached = self._cached
        remaining = (cached.expires or float("inf")) - time() if cached else 0.0
        if cached and (remaining > REFRESH_MARGIN_SECONDS or (remaining > 0 and monotonic() < self._retry_at)):
            return cached
        if not self._lock.acquire(timeout=0 if remaining > 0 else max(deadline - monotonic(), 0)):
            if cached and remaining > 0:
                return cached  # another thread renews them
            raise TimeoutError("no credentials in time")
        try:
            if self._cached is cached:
                self._cached = self._fetch(deadline)
        except (OSError, BrokenResponse):
            self._retry_at = monotonic() + _RETRY_DELAY_SECONDS
            if remaining <= 0:
                raise
        finally:
            self._lock.release()
        assert self._cached is not None
        return self._cached

    def renew(self, refused: Credentials) -> bool:
        with self._lock:
            if self._cached is refused:
                self._cached = None
        return True

    def _fetch(self, deadline: float) -> Credentials:
        endpoint = self._endpoint
        head = f"GET {endpoint.target} HTTP/1.1\r\nHost: {endpoint.authority}\r\nAccept: application/json\r\n"
        connection = HttpConnection(self._connector.open(endpoint, deadline))
        try:
            answer = connection.exchange(
                f"{head}{self._authorization()}Connection: close\r\n\r\n".encode(), deadline - monotonic()
            )
        finally:
            connection.close()
        if answer.status != 200:
            raise BrokenResponse(f"no credentials, but {answer.status}")
        document = answer.document()
        with suppress(KeyError, TypeError, ValueError):
            expires = datetime.fromisoformat(document["Expiration"])
            expires = expires if expires.tzinfo else expires.replace(tzinfo=UTC)
            return Credentials(
                document["AccessKeyId"], document["SecretAccessKey"], document["Token"], expires.timestamp()
            )
        raise BrokenResponse("credentials that cannot be read")  # without a cause, which might contain secrets

    def _authorization(self) -> str:
        path = self._environment.get(AUTHORIZATION_TOKEN_FILE)
        if path:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to import
                token = file.read()
        else:
            token = self._environment.get(AUTHORIZATION_TOKEN, "")
        if not token.isprintable():
            raise BrokenResponse("the pass to the credentials is no value of a header")
        return f"Authorization: {token}\r\n" if token else ""


def credential_provider(environment: Mapping[str, str], connector: Connector) -> CredentialProvider:
    """Return the provider that the environment configures. Raises `UnsupportedConfiguration`."""
    if environment.get(KEY_ID) and environment.get(SECRET):
        with suppress(ValueError):
            return StaticCredentials(
                Credentials(environment[KEY_ID], environment[SECRET], environment.get(TOKEN) or None)
            )
        raise UnsupportedConfiguration(KEY_ID)
    for name in (KEY_ID, *_UNSUPPORTED):
        if environment.get(name):
            raise UnsupportedConfiguration(name)
    if environment.get(RELATIVE_URI):
        endpoint = parse_endpoint(f"http://{_ECS_HOST}{environment[RELATIVE_URI]}")
        if endpoint is None or endpoint.host != _ECS_HOST:
            raise UnsupportedConfiguration(RELATIVE_URI)
    else:
        endpoint = parse_endpoint(environment.get(FULL_URI, ""))
        if endpoint is None or not (endpoint.secure or endpoint.host in _LOCAL_HOSTS or _is_loopback(endpoint.host)):
            raise UnsupportedConfiguration(FULL_URI)
    return ContainerCredentials(endpoint, environment, connector)


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
