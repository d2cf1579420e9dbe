"""Metadata of DOIs by content negotiation at their registration agencies (https://citation.doi.org/docs.html).

A request contains the DOI, the requested media type and the service's own URL, and nothing about a client. Redirects
lead from the resolver to the agency. They are followed only to public addresses and over HTTPS, unless the resolver
itself has another kind of address, as in tests.
"""

from ipaddress import ip_network
from typing import Final

from coolid.identifiers import percent_encoding
from coolid.net.failures import RequestFailed, RequestRefused
from coolid.net.guarded_client import GuardedClient
from coolid.net.rate_limit import HostRateLimit
from coolid.net.request_target import RequestTarget, parse_target

CSL_JSON: Final = "application/vnd.citationstyles.csl+json"
MAX_DOCUMENT_BYTES: Final = 1_000_000
"""The largest response; those of Crossref include the references of a work."""
SECONDS: Final = 3.0
"""For a document, with all redirects: a person waits for it."""
GAP_SECONDS: Final = 0.1
MAX_REDIRECTS: Final = 4
_SAFE: Final = "/:;,@!$&'()*+="


class DoiMetadata:
    """Fetches items of CSL data from the DOI `resolver`, such as `https://doi.org`; `base_url` is this service's."""

    def __init__(self, resolver: str, base_url: str, *, seconds: float = SECONDS) -> None:
        self._base = parse_target(f"{resolver}/")
        address = self._base.address
        networks = () if address is None else (str(ip_network(address)),)
        self._client = GuardedClient(networks, base_url, rate_limit=HostRateLimit(GAP_SECONDS), seconds=seconds)
        self._seconds = seconds

    def __call__(self, doi: str) -> bytes | None:
        """Return the JSON of a DOI's item, or None if the agency has none. Raises `RequestFailed`."""
        target = parse_target(percent_encoding.encode(doi, _SAFE), self._base.url)
        if target.authority != self._base.authority:
            raise RequestRefused("it leads to another resolver")
        deadline = self._client.deadline(self._seconds)
        for _ in range(MAX_REDIRECTS + 1):
            headers = {"Accept": CSL_JSON}
            response = self._client.request("GET", target, headers, deadline, max_response_bytes=MAX_DOCUMENT_BYTES)
            location = response.headers.get("location")
            if response.status in (301, 302, 303, 307, 308) and location is not None:
                target = self._following(target, location)
                continue
            is_item = response.status == 200 and "json" in response.headers.get("content-type", "")
            return response.body if is_item else None
        raise RequestFailed(f"it redirects more than {MAX_REDIRECTS} times")

    def _following(self, target: RequestTarget, location: str) -> RequestTarget:
        following = target.redirect_target(location)
        if not following.secure and following.authority != self._base.authority:
            raise RequestRefused("it leads to a connection that is not secure")
        return following
