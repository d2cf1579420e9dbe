"""Errors of outgoing requests. Their reasons quote nothing from the response.

>>> failure(ConnectionRefusedError(111, "HttpConnection refused")).reason
'it refuses the connection'
"""

import errno
import socket
import ssl
from typing import Final

from coolid.model.check_state import BAD, BUSY, CheckResult

NOT_PUBLIC: Final = "it leads to an address that is not public"
TOO_SLOW: Final = "it did not answer in time"

_ABSENT: Final = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})
# The name server and the local resolver fail alike, so these codes say nothing about the host.
_TEMPORARY: Final = frozenset({socket.EAI_AGAIN, socket.EAI_MEMORY, socket.EAI_SYSTEM})
# Missing local resources: a function without IPv6 cannot find out whether an IPv6 address answers.
_LOCAL_ERRORS: Final = frozenset(
    {
        errno.EADDRNOTAVAIL,
        errno.EAFNOSUPPORT,
        errno.EMFILE,
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.ENFILE,
        errno.ENOBUFS,
        errno.ENOMEM,
    }
)

# The OpenSSL X509_V_ERR codes (x509_vfy.h) that the host's operator can fix.
_CERTIFICATES: Final = {
    9: "its certificate is not valid yet",
    10: "its certificate has expired",
    18: "its certificate is self-signed",
    19: "its certificate authority is unknown",
    20: "its certificate authority is unknown, or an intermediate certificate is missing",
    21: "its certificate authority is unknown, or an intermediate certificate is missing",
    62: "its certificate is for another name",
    64: "its certificate is for another address",
}


class RequestFailed(Exception):
    """No usable response, for a `reason` in words; `verdict` is BUSY if the failure says nothing about the host."""

    def __init__(self, reason: str, verdict: str = BAD) -> None:
        super().__init__(reason)
        self.reason = reason
        self.verdict = verdict

    def check_result(self) -> CheckResult:
        """Return the failure as a check result."""
        return CheckResult(self.verdict, self.reason)


class RequestRefused(RequestFailed):
    """The request is not allowed; another attempt would fail too."""


def failure(error: OSError) -> RequestFailed:
    """Return the `RequestFailed` that describes a network error."""
    verdict = BAD
    match error:
        case socket.gaierror() if error.errno in _TEMPORARY:
            reason, verdict = "its host name cannot be looked up at present", BUSY
        case socket.gaierror():
            reason = "its host name does not exist" if error.errno in _ABSENT else "its host name cannot be looked up"
        case ssl.SSLCertVerificationError():
            reason = _CERTIFICATES.get(error.verify_code, "its certificate is not valid")
        case TimeoutError():
            reason = TOO_SLOW
        case ssl.SSLError():
            reason = "a secure connection to it fails"
        case ConnectionRefusedError():
            reason = "it refuses the connection"
        case ConnectionError():
            reason = "it broke off the connection"
        case _ if error.errno in _LOCAL_ERRORS:
            reason, verdict = "it cannot be reached from here", BUSY
        case _:
            reason = "a connection to it fails"
    return RequestFailed(reason, verdict)
