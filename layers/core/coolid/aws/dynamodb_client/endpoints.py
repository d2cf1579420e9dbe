"""Places: where an environment says that DynamoDB is, and whether our own client can go there.

Source: "AWS SDKs and Tools Reference Guide", sections on service-specific endpoints and on regions; names and order of
precedence are those that boto3 goes by, so that both find the same tables.

>>> service_location({"AWS_DEFAULT_REGION": "eu-west-1"}).endpoint.authority
'dynamodb.eu-west-1.amazonaws.com'
>>> service_location({"AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL": "http://127.0.0.1:8000"}).endpoint
Endpoint(host='127.0.0.1', port=8000, secure=False, target='/')
>>> service_location({"AWS_DEFAULT_REGION": "eu-west-1", "AWS_USE_FIPS_ENDPOINT": "true"})
Traceback (most recent call last):
...
coolid.aws.dynamodb_client.endpoints.UnsupportedConfiguration: AWS_USE_FIPS_ENDPOINT
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

_ENDPOINTS: Final = ("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL")
_IGNORED: Final = "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"
_REGIONS: Final = ("AWS_DEFAULT_REGION", "AWS_REGION")  # boto3 knows the first alone; on Lambda both say the same
_BEYOND: Final = {
    "AWS_USE_FIPS_ENDPOINT": "true",
    "AWS_USE_DUALSTACK_ENDPOINT": "true",
    "AWS_ACCOUNT_ID_ENDPOINT_MODE": "required",
}
"""Endpoints of other kinds, and what asks for them."""

# The partitions of AWS that are told apart by nothing but the domain, by the names of their regions.
_SUFFIXES: Final = {
    r"(us|eu|ap|sa|ca|me|af|il|mx|us-gov)-[a-z]+-\d{1,2}": "amazonaws.com",
    r"cn-[a-z]+-\d{1,2}": "amazonaws.com.cn",
}
AWS_DOMAINS: Final = tuple(f".{suffix}" for suffix in _SUFFIXES.values())
"""What the names of AWS's own servers end with."""

_PORTS: Final = {"http": 80, "https": 443}
_MOST_PORT: Final = 65_535
# What endpoints look like (RFC 3986), without a user or a fragment; a parser of all URLs takes long to load.
_URL: Final = (
    r"(?P<scheme>(?i:https?))://(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::(?P<port>[0-9]{0,5}))?"
    r"(?P<path>/[!-\"$->@-~]*)?(?P<query>\?[!-\"$-~]*)?"
)


class UnsupportedConfiguration(Exception):
    """The environment asks for what only boto3 can do; the message says by which name."""


class Endpoint(Struct, frozen=True):
    """A server, and what it is asked for. `host` is in lower case, an address without brackets; `secure` means TLS."""

    host: str
    port: int
    secure: bool
    target: str = "/"

    @property
    def authority(self) -> str:
        """What stands in `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS["https" if self.secure else "http"] else f"{host}:{self.port}"


class ServiceLocation(Struct, frozen=True):
    """DynamoDB: its server, and the region by whose name requests to it are signed."""

    endpoint: Endpoint
    region: str


def service_location(environment: Mapping[str, str]) -> ServiceLocation:
    """Where DynamoDB is. Raises `UnsupportedConfiguration`."""
    for name, value in _BEYOND.items():
        if environment.get(name, "").lower() == value:
            raise UnsupportedConfiguration(name)
    region = next((environment[name] for name in _REGIONS if environment.get(name)), "")
    if not re.fullmatch(r"[a-z0-9-]+", region):
        raise UnsupportedConfiguration(_REGIONS[0])
    ignored = environment.get(_IGNORED, "").lower() == "true"
    for name in _ENDPOINTS:
        if environment.get(name) and not ignored:
            endpoint = parse_endpoint(environment[name])
            if endpoint is None or endpoint.target != "/":
                raise UnsupportedConfiguration(name)
            break
    else:
        suffix = next((suffix for regions, suffix in _SUFFIXES.items() if re.fullmatch(regions, region)), None)
        if suffix is None:
            raise UnsupportedConfiguration(_REGIONS[0])
        endpoint = Endpoint(f"dynamodb.{region}.{suffix}", _PORTS["https"], secure=True)
    require_no_proxy(endpoint, environment)
    return ServiceLocation(endpoint, region)


def require_no_proxy(endpoint: Endpoint, environment: Mapping[str, str]) -> None:
    """`UnsupportedConfiguration` if a proxy stands between."""
    name = f"{'https' if endpoint.secure else 'http'}_proxy"
    if not (environment.get(name) or environment.get(name.upper())):
        return
    from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined] # as botocore does

    exceptions = environment.get("no_proxy", environment.get("NO_PROXY", ""))
    if not proxy_bypass_environment(endpoint.authority, {"no": exceptions}):
        raise UnsupportedConfiguration(name.upper())


def parse_endpoint(url: str) -> Endpoint | None:
    """The server of a URL; None for one that names a user, or has no server at all.

    >>> parse_endpoint("https://[::1]/role?a=b"), parse_endpoint("ftp://x/")
    (Endpoint(host='::1', port=443, secure=True, target='/role?a=b'), None)
    """
    parts = re.fullmatch(_URL, url)
    if parts is None or int(parts["port"] or 0) > _MOST_PORT:
        return None
    scheme = parts["scheme"].lower()
    host = (parts["address"] or parts["name"]).lower()
    target = (parts["path"] or "/") + (parts["query"] or "")
    return Endpoint(host, int(parts["port"] or 0) or _PORTS[scheme], scheme == "https", target)
