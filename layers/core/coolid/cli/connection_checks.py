"""The checks of `coolid doctor` below HTTP: the name of the host, and its certificate.

>>> check_name("127.0.0.1", 8080).detail
'127.0.0.1 is an address, so no name is resolved'
"""

import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from urllib.request import getproxies, proxy_bypass

from coolid.net.name_resolution import AddressInfo, is_address

SECONDS: Final = 5.0
"""The time limit of a name look-up, and of each step of a connection."""
_MAX_CHARACTERS: Final = 500
_DAY: Final = 86_400
_WARNING_DAYS: Final = 14
_WARNING_PART: Final = 1 / 6
"""The part of a short certificate's lifetime that is left when a warning begins."""

_EXPIRED: Final = 10
_TOO_EARLY: Final = 9
_OTHER_NAME: Final = (62, 64)
"""Codes of OpenSSL (`X509_V_ERR_…`): has expired, not yet valid, mismatch of host name or address."""


class Level(StrEnum):
    """The outcome of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of a `check` (its name), a sentence in `detail`, and in `advice` what to do, or None."""

    check: str
    level: Level
    detail: str
    advice: str | None = None

    def __post_init__(self) -> None:
        if len(self.detail) > _MAX_CHARACTERS:  # a part of it may come from a faulty service
            object.__setattr__(self, "detail", f"{self.detail[:_MAX_CHARACTERS]}…")


def ok(check: str, detail: str) -> Finding:
    """Return the finding of a check that passed."""
    return Finding(check, Level.OK, detail)


def warning(check: str, detail: str, advice: str) -> Finding:
    """Return the finding of a check that passed only in part."""
    return Finding(check, Level.WARNING, detail, advice)


def failed(check: str, detail: str, advice: str) -> Finding:
    """Return the finding of a check that failed."""
    return Finding(check, Level.FAILED, detail, advice)


def uses_proxy(host: str) -> bool:
    """Return whether HTTPS requests for a host go through a proxy, which then resolves its name."""
    proxies = getproxies()
    return ("https" in proxies or "all" in proxies) and not proxy_bypass(host)


def check_name(host: str, port: int) -> Finding:
    """Check that the host has an address."""
    if is_address(host):
        return ok("dns", f"{host} is an address, so no name is resolved")
    try:
        found = _addresses(host, port)
    except TimeoutError:
        advice = "check the network of this machine and its name server (`/etc/resolv.conf`)"
        return failed("dns", f"no name server answered for {host} within {SECONDS:g} seconds", advice)
    except (OSError, ValueError) as error:
        advice = "check the spelling; the operator of the domain adds an A or AAAA record"
        return failed("dns", f"{host} has no address: {getattr(error, 'strerror', None) or error}", advice)
    return ok("dns", f"{host} has the address {', '.join(dict.fromkeys(str(address[0]) for *_, address in found))}")


def check_certificate(host: str, port: int) -> Finding:
    """Check that the certificate of a host is valid for it, and how long it stays so."""
    import httpx

    try:
        context = httpx.create_ssl_context()  # with the authorities of all requests
    except (OSError, ValueError) as error:
        advice = "let SSL_CERT_FILE and SSL_CERT_DIR name certificates, or unset them"
        return failed("tls", f"the trusted certificates cannot be read: {error}", advice)
    try:
        certificate, version = _handshake(host, port, context)
    except ssl.SSLCertVerificationError as error:
        return failed("tls", f"the certificate is not valid: {error.verify_message}", _advice(error, host))
    except (OSError, ValueError) as error:
        advice = "check that the service runs, and that a firewall lets this machine connect to it"
        return failed("tls", f"no TLS connection to {host}, port {port}: {error}", advice)
    start, end = (ssl.cert_time_to_seconds(certificate[name]) for name in ("notBefore", "notAfter"))
    left = (end - time.time()) / _DAY
    detail = f"{version}, and a certificate of {_issuer(certificate)} that is valid for {left:.0f} more days"
    if left < min(_WARNING_DAYS, (end - start) / _DAY * _WARNING_PART):
        return warning("tls", detail, "renew the certificate, and find out why it was not renewed by itself")
    return ok("tls", detail)


def _addresses(host: str, port: int) -> Sequence[AddressInfo]:
    from coolid.client.connections import NAMES

    return NAMES.resolve(host, port, SECONDS)


def _handshake(host: str, port: int, context: ssl.SSLContext) -> tuple[Mapping[str, Any], str | None]:
    """Return the certificate of a host, and the version of TLS."""
    with (
        _connected(_addresses(host, port)) as raw,
        context.wrap_socket(raw, server_hostname=host) as secured,
    ):
        return secured.getpeercert() or {}, secured.version()


def _connected(addresses: Sequence[AddressInfo]) -> socket.socket:
    """Return a connection to the first address that accepts one. Raises the error of the last one."""
    last: OSError = OSError("there is no address")
    for family, kind, protocol, _, address in addresses:
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(SECONDS)
            connection.connect(address)
        except OSError as error:
            connection.close()
            last = error
        else:
            return connection
    raise last


def _issuer(certificate: Mapping[str, Any]) -> str:
    """Return the organisation or else the common name of a certificate's issuer."""
    names = {name: value for part in certificate.get("issuer", ()) for name, value in part}
    return str(names.get("organizationName") or names.get("commonName") or "an unnamed authority")


def _advice(error: ssl.SSLCertVerificationError, host: str) -> str:
    code = error.verify_code
    if code == _EXPIRED:
        return "renew the certificate; if it was renewed, restart or reload the server that presents it"
    if code == _TOO_EARLY:
        return "compare the clock of this machine with that of others: `date -u`"
    if code in _OTHER_NAME:
        return f"use a name of the certificate as the URL's host, or get a certificate for {host}"
    return (
        "let the server send the intermediate certificates, too; "
        "if its authority is your own, name its certificate in SSL_CERT_FILE on this machine"
    )
