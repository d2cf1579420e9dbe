"""Discovery: what the service says of itself at addresses that programs know beforehand (RFC 8615).

- `/.well-known/linkid-resolver`, named by the LinkID draft ("Resolver Discovery"), which leaves its content open: here
  a JSON object. Clients need `resolution_endpoint`; the rest saves them asking in vain.
- `/.well-known/jwks.json`, every public key that a proof may name, as a JWK Set (RFC 7517, section 5).
- `/.well-known/ark`, of the ARK draft (draft-kunze-ark, "IANA Considerations"): the path to which a client appends an
  ARK, ending in a slash.
- `/problems/`, what the type URIs of problems lead to (RFC 9457, section 3.1.1).
- `/robots.txt` (RFC 9309): identifiers are there to be followed, the API is not.

Whatever else is below `/.well-known/` does not exist: it is no identifier with an unknown prefix.

>>> DiscoveryEndpoint.ark_path("https://id.example.org"), DiscoveryEndpoint.ark_path("https://example.org/pid")
('/', '/pid/')
"""

from typing import Any, Final, get_args
from urllib.parse import urlsplit

from msgspec import Struct

from coolid.http import cache_tags, problems
from coolid.http.accept import prefers_html
from coolid.http.caching import cache_control, with_staleness
from coolid.http.errors import NoSuchAddress
from coolid.http.message import Request, Response
from coolid.http.public import api_manual
from coolid.http.routes import Route
from coolid.http.style_parameter import QR
from coolid.identifiers.schemes import lid
from coolid.model.repositories import RedirectStatus
from coolid.proofs.statements import ALGORITHM
from coolid.registry import references
from coolid.resolution.request_reader import RequestReaderFactory
from coolid.strict_json import dump

WELL_KNOWN: Final = "/.well-known/"
RESOLVER: Final = f"{WELL_KNOWN}linkid-resolver"
KEYS: Final = f"{WELL_KNOWN}jwks.json"
ARK: Final = f"{WELL_KNOWN}ark"
ROBOTS: Final = "/robots.txt"
FAVICON: Final = "/favicon.ico"

DRAFT: Final = "draft-linkgenetic-lid-uri-00"
PARAMETERS: Final = (
    "format", "style", "lang", "version", "memento", "info", "json", "provider", "strict",
    "noredirect", "index", "type", "locatt", "urlappend",
)  # fmt: skip

SECONDS: Final = 3600
KEY_SECONDS: Final = 60  # a new key signs as soon as it is published

JSON: Final = "application/json"
JWK_SET: Final = "application/jwk-set+json"
HTML: Final = "text/html"
TEXT: Final = "text/plain; charset=utf-8"

PUBLIC_MEMBERS: Final = ("kty", "crv", "x", "y", "kid", "alg", "use")
"""The members of a key that are told (RFC 7518, section 6.2.1); a private one could only be there by mistake."""


class DiscoveryEndpoint(Struct, frozen=True):
    """Tells of itself; keys are in `reader`, `base_url` begins every address."""

    reader: RequestReaderFactory
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """The addresses that mean something, then those that mean nothing."""
        return (
            Route(RESOLVER, {"GET": self.resolver}),
            Route(KEYS, {"GET": self.keys}),
            Route(ARK, {"GET": self.ark}),
            Route(ROBOTS, {"GET": self.robots}),
            Route(problems.PATH, {"GET": self.problem}, below=True),
            Route(FAVICON, {"GET": _nothing}),
            Route(WELL_KNOWN, {"GET": _nothing}),
            Route(WELL_KNOWN, {"GET": _nothing}, below=True),
        )

    def resolver(self, _request: Request, _path: str) -> Response:
        """How LinkIDs, and by the same address all other identifiers, are resolved here."""
        return _unchanging(JSON, dump(self.description()))

    def keys(self, _request: Request, _path: str) -> Response:
        """The public keys, retired ones included; none before the first record is signed."""
        with self.reader.for_request() as reader:
            told = [{name: key[name] for name in PUBLIC_MEMBERS if name in key} for key in reader.public_keys()]
        headers = {
            "Content-Type": JWK_SET,
            "Cache-Control": cache_control(KEY_SECONDS),
            cache_tags.HEADER: cache_tags.KEYS,
        }
        return with_staleness(Response(200, headers, dump({"keys": told})), reader.staleness)

    def ark(self, _request: Request, _path: str) -> Response:
        """Where the ARK resolver's paths begin; not even a line's end follows, since a client appends to it."""
        return _unchanging(TEXT, self.ark_path(self.base_url))

    def robots(self, _request: Request, _path: str) -> Response:
        """What crawlers may ask for; the rule is about whole paths, so it has the base URL's in it."""
        return _unchanging(TEXT, f"User-agent: *\nAllow: /\nDisallow: {self.ark_path(self.base_url)}api/\n")

    def problem(self, request: Request, slug: str) -> Response:
        """What a problem's type URI leads to: for people what to do about it."""
        kind = problems.kind_named(slug)
        document = {"type": problems.type_uri(kind, self.base_url), "title": kind.title, "status": kind.status}
        if prefers_html(request.header("accept")):
            from coolid.http.pages import render
            from coolid.http.pages.problem_advice import ADVICE

            headers = {"Cache-Control": cache_control(SECONDS), "Vary": "Accept"}
            told = {"kind": document, "advice": ADVICE[kind.slug]}
            return render("problem-kind.html", 200, headers, self.base_url, **told)
        return _unchanging(JSON, dump(document)).with_headers(Vary="Accept")

    @staticmethod
    def ark_path(base_url: str) -> str:
        """The path of the base URL, ending in a slash."""
        return f"{urlsplit(base_url).path}/"

    def description(self) -> dict[str, Any]:
        """The resolver's description of itself; `{id}` stands for an identifier, percent-encoded."""
        from coolid.http.formats.catalog import REPRESENTATIONS
        from coolid.identifiers.target_policy import MOST_BYTES

        formats = {each.name: each.media_type for each in REPRESENTATIONS} | {"html": HTML}
        others = [media_type for each in REPRESENTATIONS for media_type in each.also]
        return {
            "issuer": self.base_url,
            "draft": DRAFT,
            "resolution_endpoint": f"{self.base_url}/resolve/{{id}}",
            "timegate_endpoint": f"{self.base_url}/timegate/{{id}}",
            "timemap_endpoint": f"{self.base_url}/timemap/{{id}}",
            "jwks_uri": f"{self.base_url}{KEYS}",
            "service_desc": f"{self.base_url}{api_manual.OPENAPI}",
            "service_doc": f"{self.base_url}{api_manual.MANUAL}",
            "proof_algorithms": [ALGORITHM],
            "lid": {
                "least": lid.LEAST,
                "most": lid.MOST,
                "pattern": f"^[A-Za-z0-9._~-]{{{lid.LEAST},{lid.MOST}}}$",
            },
            "parameters": list(PARAMETERS),
            "formats": formats | {QR: "image/svg+xml"},  # which is no media type that is negotiated
            "media_types": list(dict.fromkeys([*formats.values(), *others])),
            "redirects": list(get_args(RedirectStatus)),
            "limits": {"identifier_bytes": references.MOST_BYTES, "target_bytes": MOST_BYTES},
        }


def _unchanging(media_type: str, body: str) -> Response:
    """What changes with a new release or not at all."""
    return Response(200, {"Content-Type": media_type, "Cache-Control": cache_control(SECONDS)}, body)


def _nothing(_request: Request, _path: str) -> Response:
    """No identifier begins like this, so nobody needs to look for one."""
    raise NoSuchAddress("no identifier begins like this")
