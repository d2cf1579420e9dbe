"""A signer of DynamoDB requests (AWS Signature Version 4).

Source: "AWS Identity and Access Management User Guide", "Create a signed AWS API request"; "Amazon DynamoDB Developer
Guide", "DynamoDB low-level API". The signing key is cached for its day, the other repeated parts for a second.
"""

import hmac
from hashlib import sha256
from time import gmtime, strftime
from typing import Final

from coolid.aws.dynamodb_client.credentials import Credentials

_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_TYPE: Final = "application/x-amz-json-1.0"
_SERVICE: Final = "dynamodb"
_VERSION: Final = "DynamoDB_20120810"


class RequestSigner:
    """Signs requests to the server `authority` in a region."""

    def __init__(self, credentials: Credentials, region: str, authority: str) -> None:
        self.credentials = credentials
        self._region = region
        self._authority = authority
        token = credentials.token
        self._signed_headers = f"content-type;host;x-amz-date;{'x-amz-security-token;' if token else ''}x-amz-target"
        self._token_line = f"x-amz-security-token:{token}\n" if token else ""
        self._token_field = f"X-Amz-Security-Token: {token}\r\n" if token else ""
        self._day_and_key = "", b""
        self._parts: tuple[int, bytes, str, str, str] = (-1, b"", "", "", "")

    def request(self, operation: str, body: bytes, now: float) -> bytes:
        """Return a complete HTTP request. `now` is in seconds since 1970."""
        second = int(now)
        parts = self._parts  # read once, because other threads may replace it
        if parts[0] != second:
            parts = self._parts = self._parts_at(second)
        _, key, canonical, to_sign, head = parts
        canonical_request = f"{canonical}{operation}\n\n{self._signed_headers}\n{sha256(body).hexdigest()}"
        to_sign += sha256(canonical_request.encode()).hexdigest()
        signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
        return (
            f"{head}{signature}\r\nX-Amz-Target: {_VERSION}.{operation}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )

    def _parts_at(self, second: int) -> tuple[int, bytes, str, str, str]:
        """Return the second, its day's key, and the beginnings of canonical request, string to sign and request."""
        date = strftime("%Y%m%dT%H%M%SZ", gmtime(second))
        day = date[:8]
        scope = f"{day}/{self._region}/{_SERVICE}/aws4_request"
        canonical = (
            f"POST\n/\n\ncontent-type:{_TYPE}\nhost:{self._authority}\nx-amz-date:{date}\n{self._token_line}"
            f"x-amz-target:{_VERSION}."
        )
        head = (
            f"POST / HTTP/1.1\r\nHost: {self._authority}\r\nContent-Type: {_TYPE}\r\nX-Amz-Date: {date}\r\n"
            f"{self._token_field}Authorization: {_ALGORITHM} Credential={self.credentials.key_id}/{scope}, "
            f"SignedHeaders={self._signed_headers}, Signature="
        )
        return second, self._signing_key(day), canonical, f"{_ALGORITHM}\n{date}\n{scope}\n", head

    def _signing_key(self, day: str) -> bytes:
        cached_day, key = self._day_and_key
        if cached_day != day:
            key = b"AWS4" + self.credentials.secret.encode()
            for part in (day, self._region, _SERVICE, "aws4_request"):
                key = hmac.digest(key, part.encode(), "sha256")
            self._day_and_key = day, key
        return key
