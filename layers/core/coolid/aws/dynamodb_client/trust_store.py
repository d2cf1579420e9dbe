"""Trust: whose word is taken for the names of servers.

To read the system's bundle of certificates takes longer than all the rest of a first question. The servers of AWS have
theirs from Amazon, whose few roots (`amazon-roots.pem`) are tried first; the bundle is for the day on which they do
not. What `AWS_CA_BUNDLE` names is trusted instead of all that, as by boto3.

Source: "Amazon Trust Services", https://www.amazontrust.com/repository/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from coolid.aws.dynamodb_client.endpoints import AWS_DOMAINS

if TYPE_CHECKING:
    import ssl

AMAZON_ROOTS: Final = f"{__file__.rpartition('/')[0]}/amazon-roots.pem"
_BUNDLES: Final = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE")  # boto3 goes by either


class TrustStore:
    """Settings of TLS, made when they are first needed; `bundle` is a file of certificates, if one is named."""

    def __init__(self, bundle: str | None = None) -> None:
        self._bundle = bundle
        self._made: dict[str | None, ssl.SSLContext] = {}

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> TrustStore:
        """As an environment says."""
        return cls(next((environment[name] for name in _BUNDLES if environment.get(name)), None))

    def contexts(self, host: str) -> Iterator[ssl.SSLContext]:
        """What to try for a host, one after the other, until one of them believes its certificate.

        Each verifies certificates and names. Raises `OSError` for a bundle that cannot be read.
        """
        if self._bundle is None and host.endswith(AWS_DOMAINS):
            yield self._context(AMAZON_ROOTS)
        yield self._context(self._bundle)

    def _context(self, file: str | None) -> ssl.SSLContext:
        """With the certificates of this file, or with the system's."""
        made = self._made.get(file)
        if made is None:
            import ssl

            made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            made.minimum_version = ssl.TLSVersion.TLSv1_2
            if file is None:
                made.load_default_certs()
            else:
                made.load_verify_locations(file)
            self._made[file] = made
        return made
