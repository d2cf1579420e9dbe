"""Discovery: descriptions of the service at well-known addresses (RFC 8615).

- `/.well-known/linkid-resolver`, named by revision 00 of the LinkID draft ("Resolver Discovery"), which leaves its
  content open: here a JSON object. Clients need `resolution_endpoint`; the rest saves them failing requests.
  `coolid.linkid.description` has the members about revision 01, the operator and its peers.
- `/.well-known/jwks.json`, every public key that a proof may name, as a JWK Set (RFC 7517, section 5).
- `/.well-known/ark`, of the ARK draft (draft-kunze-ark, "IANA Considerations"): the path to which a client appends an
  ARK, ending in a slash.
- `/problems/`, the documentation of problem types (RFC 9457, section 3.1.1).
- `/robots.txt` (RFC 9309): crawlers may follow identifiers, but not use the API.

Other paths below `/.well-known/` do not exist; they are not identifiers with an unknown prefix.

>>> DiscoveryEndpoint.ark_path("https://id.example.org"), DiscoveryEndpoint.ark_path("https://example.org/pid")
('/', '/pid/')
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, get_args
from urllib.parse import urlsplit

from msgspec import Struct

from coolid.errors import Unavailable
from coolid.http import problems
from coolid.http.accept import prefers_html
from coolid.http.caching import CACHE_TAG, KEYS_TAG, REFUSAL_TTL, cache_control, cache_control_until, with_staleness
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response, no_log
from coolid.http.operator import identity
from coolid.http.operator.policies import POLICIES, policy_url
from coolid.http.parameters import QR
from coolid.http.problem_types import problem_type_named
from coolid.http.public import api_manual
from coolid.http.public.sitemap_documents import INDEX, PATH
from coolid.http.routes import Route
from coolid.identifiers.schemes import lid
from coolid.log.entries import LOG_PATH
from coolid.log.signed_notes import ED25519, VerifierKey
from coolid.model.repositories import RedirectStatus
from coolid.proofs.statements import ALGORITHM
from coolid.registry import references
from coolid.resolution.caching_reader import CachingReader
from coolid.store.log import LogAccess
from coolid.strict_json import dump

WELL_KNOWN: Final = "/.well-known/"
RESOLVER: Final = f"{WELL_KNOWN}linkid-resolver"
KEYS: Final = f"{WELL_KNOWN}jwks.json"
ARK: Final = f"{WELL_KNOWN}ark"
ROBOTS: Final = "/robots.txt"

PARAMETERS: Final = (
    "format", "style", "locale", "lang", "version", "memento", "include", "info", "json", "provider", "strict",
    "noredirect", "index", "type", "locatt", "urlappend", "forward",
)  # fmt: skip

CACHE_SECONDS: Final = 3600
KEY_CACHE_SECONDS: Final = 60  # a new key signs as soon as it is published

JSON: Final = "application/json"
HTML: Final = "text/html"
TEXT: Final = "text/plain; charset=utf-8"

_LOG_LINE: Final = re.compile(r"^[ \t]*log[ \t]", re.MULTILINE)

PUBLIC_MEMBERS: Final = ("kty", "crv", "x", "y", "kid", "alg", "use")
"""The published members of a key (RFC 7518, section 6.2.1), so that a private one never leaks by mistake."""


class DiscoveryEndpoint(Struct, frozen=True):
    """Serves the descriptions; `reader` reads the keys, `base_url` begins every address.

    `open_log` returns the transparency log, None without one. `peers` are the issuers whose resolvers are queried.
    """

    reader: CachingReader
    base_url: str
    open_log: Callable[[], LogAccess | None] = no_log
    peers: tuple[str, ...] = ()

    def routes(self) -> tuple[Route, ...]:
        """Return the routes of the descriptions, then those of addresses that do not exist."""
        return (
            Route(RESOLVER, {"GET": self.resolver}),
            Route(KEYS, {"GET": self.keys}),
            Route(ARK, {"GET": self.ark}),
            Route(ROBOTS, {"GET": self.robots}),
            Route(problems.PATH, {"GET": self.problem}, below=True),
            Route(WELL_KNOWN, {"GET": _not_found}),
            Route(WELL_KNOWN, {"GET": _not_found}, below=True),
        )

    def resolver(self, _request: Request, _path: str) -> Response:
        """Return how LinkIDs and all other identifiers are resolved here, and which transparency log there is.

        The log is left out for a short time while its key cannot be read.
        """
        access, document, lifetime = self.open_log(), self.description(), cache_control(CACHE_SECONDS)
        if access is not None:
            lifetime = cache_control_until(CACHE_SECONDS, REFUSAL_TTL)
            with suppress(Unavailable):
                document["log"] = log_description(access, self.base_url)
                lifetime = cache_control(KEY_CACHE_SECONDS)
        return _static_response(JSON, dump(document)).with_headers(Cache_Control=lifetime)

    def keys(self, _request: Request, _path: str) -> Response:
        """Return the public keys, retired ones included; none before the first record is signed."""
        with self.reader.for_request() as reader:
            members = [{name: key[name] for name in PUBLIC_MEMBERS if name in key} for key in reader.public_keys()]
        headers = {
            "Content-Type": "application/jwk-set+json",
            "Cache-Control": cache_control(KEY_CACHE_SECONDS),
            CACHE_TAG: KEYS_TAG,
        }
        return with_staleness(Response(200, headers, dump({"keys": members})), reader.staleness)

    def ark(self, _request: Request, _path: str) -> Response:
        """Return the base path of the ARK resolver without a line break, because clients append to it."""
        return _static_response(TEXT, self.ark_path(self.base_url))

    def robots(self, _request: Request, _path: str) -> Response:
        """Return the rules for crawlers; they apply to whole paths, so they include the path of the base URL."""
        return _static_response(
            TEXT,
            f"User-agent: *\nAllow: /\nDisallow: {self.ark_path(self.base_url)}api/\nSitemap: {self.base_url}{INDEX}\n",
        )

    def problem(self, request: Request, slug: str) -> Response:
        """Return the description of a problem type; for browsers a page with advice."""
        problem_type = problem_type_named(slug)
        document = {
            "type": problems.type_uri(problem_type, self.base_url),
            "title": problem_type.title,
            "status": problem_type.status,
        }
        if prefers_html(request.headers.get("accept")):
            from coolid.http.pages import render

            headers = {"Cache-Control": cache_control(CACHE_SECONDS), "Vary": "Accept"}
            return render(
                "problem-type.html", 200, headers, self.base_url, problem_type=problem_type, type_uri=document["type"]
            )
        return _static_response(JSON, dump(document)).with_headers(Vary="Accept")

    @staticmethod
    def ark_path(base_url: str) -> str:
        """Return the path of the base URL, ending in a slash."""
        return f"{urlsplit(base_url).path}/"

    def description(self) -> dict[str, Any]:
        """Return the resolver's description; `{id}` stands for an identifier, percent-encoded."""
        from coolid.http.formats.catalog import REPRESENTATIONS
        from coolid.identifiers.target_policy import MAX_BYTES
        from coolid.linkid import description

        who, policies = identity.current(), {policy: policy_url(self.base_url, policy) for policy in POLICIES}
        formats = {each.name: each.media_type for each in REPRESENTATIONS} | {"html": HTML}
        others = [media_type for each in REPRESENTATIONS for media_type in each.synonyms]
        return {
            "issuer": self.base_url,
            "draft": "draft-linkgenetic-lid-uri-00",
            "resolution_endpoint": f"{self.base_url}/resolve/{{id}}",
            "timegate_endpoint": f"{self.base_url}/timegate/{{id}}",
            "timemap_endpoint": f"{self.base_url}/timemap/{{id}}",
            "oai_pmh_endpoint": f"{self.base_url}/oai",
            "feed_endpoint": f"{self.base_url}{PATH}feeds/{{prefix}}",
            "jwks_uri": f"{self.base_url}{KEYS}",
            "service_desc": f"{self.base_url}{api_manual.OPENAPI}",
            "service_doc": f"{self.base_url}{api_manual.MANUAL}",
            "policies": policies,
            "proof_algorithms": [ALGORITHM],
            "lid": {
                "least": lid.MIN_LENGTH,
                "most": lid.MAX_LENGTH,
                "pattern": f"^[A-Za-z0-9._~-]{{{lid.MIN_LENGTH},{lid.MAX_LENGTH}}}$",
            },
            "parameters": list(PARAMETERS),
            "formats": formats | {QR: "image/svg+xml"},  # not negotiable by Accept
            "media_types": list(dict.fromkeys([*formats.values(), *others])),
            "redirects": list(get_args(RedirectStatus)),
            "limits": {"identifier_bytes": references.MAX_BYTES, "target_bytes": MAX_BYTES},
            "linkid": description.linkid_description(self.base_url),
            "custody": description.custody_description(self.base_url),
            "operator": description.operator_description(who.name, who.contact, policies),
            "peers": description.peer_descriptions(self.peers),
        }


def log_description(access: LogAccess, base_url: str) -> dict[str, str]:
    """Return the origin, URL and verifier key of the log, and a policy for verifiers. Raises `SignerUnavailable`.

    The policy is the operator's, with the log's own line if it names no log (C2SP tlog-policy).
    """
    key, url = str(VerifierKey(access.origin, ED25519, access.signer.public_key())), f"{base_url}{LOG_PATH}"
    policy = access.policy or "quorum none\n"
    if not _LOG_LINE.search(policy):
        policy = f"log {key} {url}\n{policy}"
    return {"origin": access.origin, "url": url, "verifier_key": key, "policy": policy}


def _static_response(media_type: str, body: str) -> Response:
    """Return a response that changes only with a release."""
    return Response(200, {"Content-Type": media_type, "Cache-Control": cache_control(CACHE_SECONDS)}, body)


def _not_found(_request: Request, _path: str) -> Response:
    """Raise `NoSuchAddress` without a lookup, because no identifier begins with this path."""
    raise NoSuchAddress("no identifier begins with this path")
