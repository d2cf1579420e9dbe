"""Failing: why a visit came to nothing, in words for people that quote nothing of what the other side said.

>>> failure(ConnectionRefusedError(111, "HttpConnection refused")).reason
'it refuses the connection'
>>> failure(socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")).sight().verdict
'busy'
>>> failure(TimeoutError("timed out")).sight()
CheckResult(verdict='bad', reason='it did not answer in time', status=None, moved=None, pause=None, etag=None, modified=None)
"""

import errno
import socket
import ssl
from typing import Final

from coolid.model.check_state import BAD, BUSY, CheckResult

NOT_PUBLIC: Final = "it leads to an address that is not public"
TOO_SLOW: Final = "it did not answer in time"

_ABSENT: Final = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})
# Of the server of names and of our own resolver this says the same, so that it says nothing of the host.
_PASSING: Final = frozenset({socket.EAI_AGAIN, socket.EAI_MEMORY, socket.EAI_SYSTEM})
# What we have run out of, or never had: a function without IPv6 cannot tell whether an address of it answers.
_OURS: Final = frozenset(
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

# Of OpenSSL's X509_V_ERR codes (x509_vfy.h), those that somebody can do something about.
_CERTIFICATES: Final = {
    9: "its certificate is not valid yet",
    10: "its certificate has expired",
    18: "its certificate is signed by nobody but itself",
    19: "its certificate is signed by nobody who is known",
    20: "its certificate is signed by nobody who is known, or one in between is missing",
    21: "its certificate is signed by nobody who is known, or one in between is missing",
    62: "its certificate is for another name",
    64: "its certificate is for another address",
}


class RequestFailed(Exception):
    """No answer, or none that can be gone by. `reason` in words; `verdict` is BUSY where it tells nothing of the host.

    Another attempt may do better.
    """

    def __init__(self, reason: str, verdict: str = BAD) -> None:
        super().__init__(reason)
        self.reason = reason
        self.verdict = verdict

    def sight(self) -> CheckResult:
        """What that is to whoever looks."""
        return CheckResult(self.verdict, self.reason)


class RequestRefused(RequestFailed):
    """We do not go there: another attempt is of no use."""


def failure(error: OSError) -> RequestFailed:
    """What an error of the network is in words."""
    if isinstance(error, socket.gaierror):
        if error.errno in _PASSING:
            return RequestFailed("its host name cannot be looked up at present", BUSY)
        return RequestFailed(
            "its host name does not exist" if error.errno in _ABSENT else "its host name cannot be looked up"
        )
    if isinstance(error, ssl.SSLCertVerificationError):
        return RequestFailed(_CERTIFICATES.get(error.verify_code, "its certificate is not valid"))
    if isinstance(error, TimeoutError):
        return RequestFailed(TOO_SLOW)
    if isinstance(error, ssl.SSLError):
        return RequestFailed("no secure connection to it comes about")
    if isinstance(error, ConnectionRefusedError):
        return RequestFailed("it refuses the connection")
    if isinstance(error, ConnectionError):
        return RequestFailed("it broke off the connection")
    if error.errno in _OURS:
        return RequestFailed("it cannot be reached from where we are", BUSY)
    return RequestFailed("no connection to it comes about")
