"""Refusals that only HTTP knows; the domain's own are in `coolid.errors`."""

from collections.abc import Mapping, Sequence
from typing import Any

from coolid.errors import CoolidError, Unavailable


class MethodNotAllowed(CoolidError):
    """The address exists, but not for this method; `allowed` lists those it has."""

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        super().__init__(f"{method} is not possible here; possible: {', '.join(allowed)}")
        self.allowed = tuple(allowed)


class NotAcceptable(CoolidError):
    """`Accept` or `Accept-Language` excludes every representation; `offers` lists them."""

    def __init__(self, offers: Sequence[str]) -> None:
        super().__init__(f"Accept or Accept-Language excludes every representation there is: {', '.join(offers)}")
        self.offers = tuple(offers)


class NoSuchForm(CoolidError):
    """The parameters ask for a form in which none of the locations of the record `pid` is; `demands` lists them."""

    def __init__(self, pid: str, demands: Mapping[str, str]) -> None:
        told = " and ".join(f"?{name}={value!a}" for name, value in demands.items())
        super().__init__(f"no location of the record is what {told} asks for")
        self.pid = pid
        self.demands = dict(demands)


class UnknownFormat(CoolidError):
    """`?format=` names no representation; `known` lists them."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no format {name!a}; there are: {', '.join(known)}")
        self.known = tuple(known)


class UnknownStyle(CoolidError):
    """`?style=` names none that the format `name` has; `known` lists them."""

    def __init__(self, name: str, style: str, known: Sequence[str]) -> None:
        super().__init__(f"of {name!a} there is no style {style!a}; there are: {', '.join(known)}")
        self.name = name
        self.known = tuple(known)


class TooLongToPicture(CoolidError):
    """The PID, of `size` bytes, does not fit into a QR code."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the identifier's URL has {size} bytes, which are too many for a QR code")


class PreconditionRequired(CoolidError):
    """A change does not say which version it is made from (RFC 6585, section 3)."""


class BadCursor(CoolidError):
    """`?cursor=` is not what a list gave as `next`."""


class BadDatetime(CoolidError):
    """`Accept-Datetime` is not a date of RFC 1123, in GMT (RFC 7089, section 2.1.1)."""


class UnsupportedPatch(CoolidError):
    """The body is a patch of a kind that is not understood (RFC 5789, section 2.2)."""


class MalformedBody(CoolidError):
    """The body is not what its kind calls for."""


class MalformedEvent(CoolidError):
    """What invoked the function is no request."""


class BodyTooLarge(CoolidError):
    """The body has more bytes than are read."""


class NoSuchAddress(CoolidError):
    """There is nothing at the address, and it is none of an identifier."""


class Unhealthy(Unavailable):
    """The service was examined, and the parts `failed` do not work; `report` is all that is told of it."""

    def __init__(self, failed: Sequence[str], report: Mapping[str, Any]) -> None:
        super().__init__(f"not everything works: {', '.join(failed)}")
        self.failed = tuple(failed)
        self.report = dict(report)
