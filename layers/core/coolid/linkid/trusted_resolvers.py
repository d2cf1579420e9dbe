"""The resolvers that a client or a service trusts for LinkIDs, in order: values without I/O, read from JSON.

Specification: draft-linkgenetic-linkid-uri-01, section 5.1 (trusted resolvers are designated by configuration). The
format is documented in `docs/reference/trusted-resolvers.md`. Keys are JSON Web Keys (RFC 7517) on P-256; an endpoint
is a URI template (RFC 6570) with the one expression `{identifier}`.

>>> text = '{"resolvers": [{"issuer": "https://a.example"}, {"issuer": "https://b.example/ids/"}]}'
>>> trusted = parse_resolvers(text)
>>> trusted.issuers
('https://a.example', 'https://b.example/ids')
>>> trusted.live[0].url("linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c")
'https://a.example/resolve/linkid%3A00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
"""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import quote, urlsplit

import can_ada
from msgspec import Struct

from coolid.errors import UsageError
from coolid.identifiers import target_policy
from coolid.linkid.pinned_keys import parse_pinned_key
from coolid.strict_json import NotJson, load

MAX_BYTES: Final = 65_536
"""The maximum size of the JSON text."""
MAX_LIVE: Final = 8
MAX_RESOLVERS: Final = 64
"""The maximum number with those that are retired."""
MAX_KEYS: Final = 16
"""The maximum number of pinned keys of one resolver."""
EXPRESSION: Final = "{identifier}"
DEFAULT_PATH: Final = f"/resolve/{EXPRESSION}"
"""The endpoint of a resolver without a configured one, below the URL of its issuer."""

_MEMBERS: Final = frozenset({"issuer", "endpoint", "keys", "retired"})


class TrustedResolver(Struct, frozen=True):
    """A resolver: the public base URL of its `issuer`, which signs records, and the template of its endpoint.

    `keys` are JWKs with `kid`, pinned by the configuration; without any, the issuer's published keys apply. No request
    is sent to a resolver that is `retired`, but its keys are trusted.
    """

    issuer: str
    endpoint: str
    keys: tuple[Mapping[str, str], ...] = ()
    retired: bool = False

    def url(self, linkid: str) -> str:
        """Return the URL at which a complete LinkID is requested (RFC 6570, simple expansion)."""
        return self.endpoint.replace(EXPRESSION, quote(linkid, safe=""))

    @property
    def key_set(self) -> dict[str, Any] | None:
        """The pinned keys as a JWK Set, or None if there are none."""
        return {"keys": [dict(key) for key in self.keys]} if self.keys else None


class TrustedResolvers(Struct, frozen=True):
    """All resolvers; their order is the order of trust."""

    resolvers: tuple[TrustedResolver, ...] = ()

    @property
    def live(self) -> tuple[TrustedResolver, ...]:
        """The resolvers that are queried, in order."""
        return tuple(resolver for resolver in self.resolvers if not resolver.retired)

    @property
    def issuers(self) -> tuple[str, ...]:
        """All issuers in order, also those that are retired."""
        return tuple(resolver.issuer for resolver in self.resolvers)

    def of(self, issuer: str) -> TrustedResolver | None:
        """Return the resolver of an issuer, or None."""
        return next((resolver for resolver in self.resolvers if resolver.issuer == issuer), None)


def parse_resolvers(text: str | bytes) -> TrustedResolvers:
    """Return the resolvers in a JSON text. Raises `UsageError`, whose message says which part is wrong, and why.

    >>> parse_resolvers('{"resolvers": [{"issuer": "http://a.example"}]}')
    Traceback (most recent call last):
    ...
    coolid.errors.UsageError: resolvers[0].issuer: http is allowed only on this machine; use https
    """
    octets = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if len(octets) > MAX_BYTES:
        raise UsageError(f"the list of resolvers is larger than {MAX_BYTES:,} bytes")
    try:
        document = load(octets)
    except NotJson as error:
        raise UsageError(f"the list of resolvers is not JSON: {error}") from None
    listed = document.get("resolvers") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise UsageError('the list of resolvers must have the form {"resolvers": [{"issuer": "https://..."}]}')
    if unknown := sorted(document.keys() - {"resolvers"}):
        raise UsageError(f"the list of resolvers has an unknown member: {unknown[0]}")
    if len(listed) > MAX_RESOLVERS:
        raise UsageError(f"there are {len(listed)} resolvers; at most {MAX_RESOLVERS} are allowed")
    return _checked(TrustedResolvers(tuple(_resolver(each, f"resolvers[{i}]") for i, each in enumerate(listed))))


def base_url_of(text: Any, where: str = "issuer") -> str:
    """Return the base URL of an issuer without its trailing slash. Raises `UsageError`."""
    url = _url(text, where)
    if "?" in url or "#" in url:
        raise UsageError(f"{where}: the URL of an issuer has no query and no fragment")
    return url.rstrip("/")


def endpoint_of(text: Any, where: str = "endpoint") -> str:
    """Return the template of an endpoint. Raises `UsageError`.

    >>> endpoint_of("https://a.example/{id}")
    Traceback (most recent call last):
    ...
    coolid.errors.UsageError: endpoint: it must contain {identifier} once, and no other braces
    """
    before, found, after = text.partition(EXPRESSION) if isinstance(text, str) else ("", "", "")
    if isinstance(text, str) and (not found or any(brace in before + after for brace in "{}")):
        raise UsageError(f"{where}: it must contain {EXPRESSION} once, and no other braces")
    _url(f"{before}x{after}" if found else text, where)
    parts = urlsplit(before)
    if not parts.path or parts.fragment or "#" in text:
        raise UsageError(f"{where}: {EXPRESSION} must be in the path or in the query, and there must be no fragment")
    return str(text)


def is_on_this_machine(url: str) -> bool:
    """Return whether the host of a valid URL is a loopback address or localhost."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _resolver(entry: Any, where: str) -> TrustedResolver:
    if not isinstance(entry, dict):
        raise UsageError(f"{where}: it is not an object")
    if unknown := sorted(entry.keys() - _MEMBERS):
        raise UsageError(f"{where}: it has an unknown member: {unknown[0]}")
    issuer = base_url_of(entry.get("issuer"), f"{where}.issuer")
    endpoint = endpoint_of(entry.get("endpoint", issuer + DEFAULT_PATH), f"{where}.endpoint")
    retired = entry.get("retired", False)
    if not isinstance(retired, bool):
        raise UsageError(f"{where}.retired: it is neither true nor false")
    keys = _keys(entry["keys"], f"{where}.keys") if "keys" in entry else ()
    if retired and not keys:
        raise UsageError(f"{where}: a retired resolver needs keys, because no request is sent to fetch them")
    return TrustedResolver(issuer, endpoint, keys, retired)


def _keys(listed: Any, where: str) -> tuple[Mapping[str, str], ...]:
    if not isinstance(listed, list):
        raise UsageError(f"{where}: it is not a list of JSON Web Keys")
    if len(listed) > MAX_KEYS:
        raise UsageError(f"{where}: there are {len(listed)} keys; at most {MAX_KEYS} are allowed")
    if not listed:
        raise UsageError(f"{where}: it is empty; leave it out to use the keys that the issuer publishes")
    keys = tuple(parse_pinned_key(key, f"{where}[{i}]") for i, key in enumerate(listed))
    if len({key["kid"] for key in keys}) < len(keys):
        raise UsageError(f"{where}: one key occurs twice")
    return keys


def _checked(trusted: TrustedResolvers) -> TrustedResolvers:
    repeated = [issuer for i, issuer in enumerate(trusted.issuers) if issuer in trusted.issuers[:i]]
    if repeated:
        raise UsageError(f"the issuer {repeated[0]} occurs twice")
    if len(trusted.live) > MAX_LIVE:
        raise UsageError(
            f"{len(trusted.live)} resolvers are not retired; at most {MAX_LIVE} are allowed, because all may be queried"
        )
    return trusted


def _url(text: Any, where: str) -> str:
    if not isinstance(text, str):
        raise UsageError(f"{where}: it is missing, or not a text")
    if reason := target_policy.objection(text):
        raise UsageError(f"{where}: {reason}")
    if text[:5].lower() == "http:" and not is_on_this_machine(text):
        raise UsageError(f"{where}: http is allowed only on this machine; use https")
    return str(can_ada.parse(text).href)
