"""Errors of the HTTP layer. See `coolid.errors` for those of the domain."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from coolid.errors import CoolidError, Unavailable


class MethodNotAllowed(CoolidError):
    """The address exists, but not for this method; `allowed` lists its methods."""

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        super().__init__(f"{method} is not possible here; possible: {', '.join(allowed)}")
        self.allowed = tuple(allowed)


class NotAcceptable(CoolidError):
    """`Accept` or `Accept-Language` excludes every representation; `offers` lists them."""

    def __init__(self, offers: Sequence[str]) -> None:
        super().__init__(f"Accept or Accept-Language excludes every representation there is: {', '.join(offers)}")
        self.offers = tuple(offers)


class NoSuchForm(CoolidError):
    """No location of the record `pid` has the form that the parameters `demands` request."""

    def __init__(self, pid: str, demands: Mapping[str, str]) -> None:
        parameters = " and ".join(f"?{name}={value!a}" for name, value in demands.items())
        super().__init__(f"no location of the record matches {parameters}")
        self.pid = pid
        self.demands = dict(demands)


class UnknownFormat(CoolidError):
    """`?format=` names no representation; `available` lists them."""

    def __init__(self, name: str, available: Sequence[str]) -> None:
        super().__init__(f"there is no format {name!a}; there are: {', '.join(available)}")
        self.available = tuple(available)


class UnknownStyle(CoolidError):
    """`?style=`, or another `parameter`, names no style of the format `name`; `available` lists them."""

    def __init__(self, name: str, style: str, available: Sequence[str], parameter: str = "style") -> None:
        super().__init__(f"the format {name!a} has no {parameter} {style!a}; it has: {', '.join(available)}")
        self.name = name
        self.parameter = parameter
        self.available = tuple(available)


class TooLongToPicture(CoolidError):
    """The PID, of `size` bytes, does not fit into a QR code."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the identifier's URL has {size} bytes, which are too many for a QR code")


class PreconditionRequired(CoolidError):
    """A change has no `If-Match` with the version that it replaces (RFC 6585, section 3)."""


class ChecksOff(CoolidError):
    """This service checks no addresses of records."""

    def __init__(self) -> None:
        super().__init__("this service does not check where its records lead; its operator can switch the checks on")


class BadCursor(CoolidError):
    """`?cursor=` is not a value of `next` from this list."""


class BadDatetime(CoolidError):
    """`Accept-Datetime` is not an RFC 1123 date in GMT (RFC 7089, section 2.1.1)."""


class UnsupportedPatch(CoolidError):
    """The body is a patch of an unsupported media type (RFC 5789, section 2.2)."""


class MalformedBody(CoolidError):
    """The body does not have the syntax of its media type."""


class MalformedEvent(CoolidError):
    """The event that invoked the function is not an HTTP request."""


class BodyTooLarge(CoolidError):
    """The body exceeds the size limit."""


class NoSuchAddress(CoolidError):
    """The address matches no route and cannot be that of an identifier."""


class NoTransparencyLog(CoolidError):
    """This service has no transparency log."""

    def __init__(self) -> None:
        super().__init__("this service has no transparency log; its operator can set one up")


MAX_LOG_RETRY: Final = 30
"""The most seconds after which to request a proof again. Clients wait no longer than this."""


class NotLoggedYet(Unavailable):
    """The version `version` of the record `pid` has no place in the published transparency log yet.

    The log grows every `period` seconds.
    """

    def __init__(self, pid: str, version: int, period: int) -> None:
        self.retry_after = min(period, MAX_LOG_RETRY)
        super().__init__(f"version {version} of {pid} is not in the transparency log yet, but will be within minutes")


class NoForeignMetadata(Unavailable):
    """The registration agency of an identifier of another service returned no metadata, or none in time."""

    retry_after = 60

    def __init__(self, identifier: str) -> None:
        super().__init__(f"the registration agency of {identifier!a} returned no metadata of it, or not in time")


class Unhealthy(Unavailable):
    """The health check found that the parts `failed` do not work; `report` is the whole result."""

    def __init__(self, failed: Sequence[str], report: Mapping[str, Any]) -> None:
        super().__init__(f"not everything works: {', '.join(failed)}")
        self.failed = tuple(failed)
        self.report = dict(report)
