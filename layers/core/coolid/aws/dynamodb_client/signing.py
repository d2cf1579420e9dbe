"""A signer of DynamoDB requests (AWS Signature Version 4).

Source: "AWS Identity and Access Management User Guide", "Create a signed AWS API request"; "Amazon DynamoDB Developer
Guide", "DynamoDB low-level API". The signing key is cached for its day, the other repeated parts for a second.

Signing continues copies of digests that have read these parts already. `hmac.digest` takes three times as long, and
`hmac` is another import.
"""

from hashlib import sha256
from time import gmtime, strftime
from typing import TYPE_CHECKING, Final

from coolid.aws.dynamodb_client.credentials import Credentials

if TYPE_CHECKING:
    from hashlib import _Hash

_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_TYPE: Final = "application/x-amz-json-1.0"
_SERVICE: Final = "dynamodb"
_VERSION: Final = "DynamoDB_20120810"
_BLOCK_BYTES: Final = 64
_INNER_PAD: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD: Final = bytes(byte ^ 0x5C for byte in range(256))


class _Mac:
    """HMAC-SHA-256 (RFC 2104) with a key that is read once."""

    def __init__(self, key: bytes) -> None:
        if len(key) > _BLOCK_BYTES:
            key = sha256(key).digest()
        padded = key.ljust(_BLOCK_BYTES, b"\0")
        self._inner = sha256(padded.translate(_INNER_PAD))
        self._outer = sha256(padded.translate(_OUTER_PAD))

    def digest(self, message: bytes) -> bytes:
        """Return the code of a message."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()


class _Parts:
    """The parts of all requests in one second: beginnings of the canonical request, string to sign and head."""

    def __init__(self, second: int, mac: _Mac, canonical: "_Hash", to_sign: str, head: str) -> None:
        self.second = second
        self.mac = mac
        self.canonical = canonical
        self.to_sign = to_sign
        self.head = head


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
        self._day_and_mac = "", _Mac(b"")
        self._parts = _Parts(-1, _Mac(b""), sha256(), "", "")

    def request(self, operation: str, body: bytes, now: float) -> bytes:
        """Return a complete HTTP request. `now` is in seconds since 1970."""
        second = int(now)
        parts = self._parts  # read once, because other threads may replace it
        if parts.second != second:
            parts = self._parts = self._parts_at(second)
        canonical = parts.canonical.copy()
        canonical.update(f"{operation}\n\n{self._signed_headers}\n{sha256(body).hexdigest()}".encode())
        signature = parts.mac.digest(f"{parts.to_sign}{canonical.hexdigest()}".encode()).hex()
        return (
            f"{parts.head}{signature}\r\nX-Amz-Target: {_VERSION}.{operation}\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    def _parts_at(self, second: int) -> _Parts:
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
        to_sign = f"{_ALGORITHM}\n{date}\n{scope}\n"
        return _Parts(second, self._signing_mac(day), sha256(canonical.encode()), to_sign, head)

    def _signing_mac(self, day: str) -> _Mac:
        cached_day, mac = self._day_and_mac
        if cached_day != day:
            mac = _Mac(b"AWS4" + self.credentials.secret.encode())
            for part in (day, self._region, _SERVICE, "aws4_request"):
                mac = _Mac(mac.digest(part.encode()))
            self._day_and_mac = day, mac
        return mac
