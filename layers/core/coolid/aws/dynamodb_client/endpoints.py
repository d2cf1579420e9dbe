"""DynamoDB's endpoint and region, as environment variables configure them.

Source: "AWS SDKs and Tools Reference Guide", "Service-specific endpoints" and "AWS Region". Variables and their order
of precedence are boto3's, so that both clients use the same tables.

>>> service_location({"AWS_DEFAULT_REGION": "eu-west-1"}).endpoint.authority
'dynamodb.eu-west-1.amazonaws.com'
>>> service_location({"AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL": "http://127.0.0.1:8000"}).endpoint
Endpoint(host='127.0.0.1', port=8000, secure=False, target='/')
"""

import re
from collections.abc import Mapping
from string import ascii_lowercase, digits
from typing import Final

from msgspec import Struct

_REGIONS: Final = ("AWS_DEFAULT_REGION", "AWS_REGION")  # boto3 reads only the first; they are equal on Lambda
_UNSUPPORTED: Final = {
    "AWS_USE_FIPS_ENDPOINT": "true",
    "AWS_USE_DUALSTACK_ENDPOINT": "true",
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "required",
}
"""Variables and values that request endpoints of other kinds."""

# Domains of the supported AWS partitions, by the first parts of their regions' names.
_SUFFIXES: Final = {
    **dict.fromkeys(("us", "eu", "ap", "sa", "ca", "me", "af", "il", "mx", "us-gov"), "amazonaws.com"),
    "cn": "amazonaws.com.cn",
}
_REGION_CHARACTERS: Final = f"-{ascii_lowercase}{digits}"
AWS_DOMAINS: Final = tuple(f".{suffix}" for suffix in sorted({*_SUFFIXES.values()}))
"""The ends of AWS host names."""

_PORTS: Final = {"http": 80, "https": 443}
# URLs (RFC 3986) without user and fragment. A regular expression, because `urllib.parse` is slow to load.
_URL: Final = (
    r"(?P<scheme>(?i:https?))://(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::(?P<port>[0-9]{0,5}))?"
    r"(?P<path>/[!-\"$->@-~]*)?(?P<query>\?[!-\"$-~]*)?"
)


class UnsupportedConfiguration(Exception):
    """The environment requires a feature that only boto3 has. The message names the variable."""


class Endpoint(Struct, frozen=True):
    """A server and a request target. `host` is in lower case, and without brackets if IPv6. `secure` means TLS."""

    host: str
    port: int
    secure: bool
    target: str = "/"

    @property
    def authority(self) -> str:
        """The value of the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS["https" if self.secure else "http"] else f"{host}:{self.port}"


class ServiceLocation(Struct, frozen=True):
    """DynamoDB's endpoint, and the region for signatures."""

    endpoint: Endpoint
    region: str


def service_location(environment: Mapping[str, str]) -> ServiceLocation:
    """Return the location of DynamoDB. Raises `UnsupportedConfiguration`."""
    for name, value in _UNSUPPORTED.items():
        if environment.get(name, "").lower() == value:
            raise UnsupportedConfiguration(name)
    region = next((environment[name] for name in _REGIONS if environment.get(name)), "")
    if not region or region.strip(_REGION_CHARACTERS):
        raise UnsupportedConfiguration(_REGIONS[0])
    ignored = environment.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() == "true"
    for name in ("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"):
        if environment.get(name) and not ignored:
            endpoint = parse_endpoint(environment[name])
            if endpoint is None or endpoint.target != "/":
                raise UnsupportedConfiguration(name)
            break
    else:
        suffix = _suffix_of(region)
        if suffix is None:
            raise UnsupportedConfiguration(_REGIONS[0])
        endpoint = Endpoint(f"dynamodb.{region}.{suffix}", _PORTS["https"], secure=True)
    require_no_proxy(endpoint, environment)
    return ServiceLocation(endpoint, region)


def _suffix_of(region: str) -> str | None:
    """Return the domain of a region such as `us-gov-west-1`, or None if its partition is not supported."""
    if region.count("-") < 2:
        return None
    area, place, number = region.rsplit("-", 2)
    return _SUFFIXES.get(area) if place.isalpha() and number.isdigit() and len(number) <= 2 else None


def require_no_proxy(endpoint: Endpoint, environment: Mapping[str, str]) -> None:
    """Raise `UnsupportedConfiguration` if a proxy is configured for the endpoint."""
    name = f"{'https' if endpoint.secure else 'http'}_proxy"
    if not (environment.get(name) or environment.get(name.upper())):
        return
    from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined] # as botocore does

    exceptions = environment.get("no_proxy", environment.get("NO_PROXY", ""))
    if not proxy_bypass_environment(endpoint.authority, {"no": exceptions}):
        raise UnsupportedConfiguration(name.upper())


def parse_endpoint(url: str) -> Endpoint | None:
    """Return the endpoint of a URL, or None if it contains a user, or is no HTTP URL."""
    parts = re.fullmatch(_URL, url)
    if parts is None or int(parts["port"] or 0) > 65_535:
        return None
    scheme = parts["scheme"].lower()
    host = (parts["address"] or parts["name"]).lower()
    target = (parts["path"] or "/") + (parts["query"] or "")
    return Endpoint(host, int(parts["port"] or 0) or _PORTS[scheme], scheme == "https", target)
