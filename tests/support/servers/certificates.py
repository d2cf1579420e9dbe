"""Certificates of an authority that no trust store contains.

They have key identifiers of subject and authority (RFC 5280, 4.2.1.1 and 4.2.1.2), because Python 3.13 requires them.
"""

import ssl
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

DAY = timedelta(days=1)
AUTHORITY = "authority.pem"
SERVER = "server.pem"
"""A certificate, and its key."""


class Authority:
    """A certificate authority that writes `AUTHORITY` and `SERVER` into a folder; `file` is its own certificate."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"An authority of {folder.name}")])
        basics = x509.BasicConstraints(ca=True, path_length=0)
        usage = x509.KeyUsage(
            digital_signature=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=True,
            crl_sign=True,
            encipher_only=False,
            decipher_only=False,
        )
        certificate = (
            self._certificate(self._name, self._key.public_key(), since=-DAY, until=DAY)
            .add_extension(basics, critical=True)
            .add_extension(usage, critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.file = folder / AUTHORITY
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def vouches(self, *hosts: str, until: timedelta = DAY) -> ssl.SSLContext:
        """Issue a certificate for a server with these names and addresses."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName(_names(hosts))
        certificate = (
            self._certificate(x509.Name([]), key.public_key(), since=-2 * DAY, until=until)
            .add_extension(names, critical=True)
            .sign(self._key, hashes.SHA256())
        )
        file = self._folder / SERVER
        file.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _certificate(
        self, name: x509.Name, key: ec.EllipticCurvePublicKey, *, since: timedelta, until: timedelta
    ) -> x509.CertificateBuilder:
        now, own = datetime.now(UTC), self._key.public_key()
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + since)
            .not_valid_after(now + until)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(own), critical=False)
        )


def _names(hosts: Iterable[str]) -> Iterable[x509.GeneralName]:
    for host in hosts:
        try:
            yield x509.IPAddress(ip_address(host))
        except ValueError:
            yield x509.DNSName(host)
