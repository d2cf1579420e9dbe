"""The certificate authorities that TLS connections trust.

Loading the system's certificates takes longer than the rest of a first request. AWS servers therefore are verified
with Amazon's few roots first (`amazon-roots.pem`), and with the system's certificates if that fails. `AWS_CA_BUNDLE`
replaces both, as in boto3.

Source: "Amazon Trust Services", https://www.amazontrust.com/repository/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from coolid.aws.dynamodb_client.endpoints import AWS_DOMAINS

if TYPE_CHECKING:
    import ssl

AMAZON_ROOTS: Final = f"{__file__.rpartition('/')[0]}/amazon-roots.pem"
_BUNDLES: Final = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE")  # boto3 reads both


class TrustStore:
    """TLS contexts, created on first use. `bundle` is a PEM file that replaces the default certificates."""

    def __init__(self, bundle: str | None = None) -> None:
        self._bundle = bundle
        self._contexts: dict[str | None, ssl.SSLContext] = {}

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> TrustStore:
        """Return the trust store that the environment configures."""
        return cls(next((environment[name] for name in _BUNDLES if environment.get(name)), None))

    def contexts(self, host: str) -> Iterator[ssl.SSLContext]:
        """Yield the contexts to try for a host, in order, until one accepts its certificate.

        Each context verifies certificates and host names. Raises `OSError` for an unreadable bundle.
        """
        if self._bundle is None and host.endswith(AWS_DOMAINS):
            yield self._context(AMAZON_ROOTS)
        yield self._context(self._bundle)

    def _context(self, file: str | None) -> ssl.SSLContext:
        """Return a context with the certificates of a file, or of the system."""
        context = self._contexts.get(file)
        if context is None:
            from coolid.net.tls_stream import tls_context  # imports ssl, which plain HTTP does not need

            context = self._contexts[file] = tls_context(file)
        return context
