"""Refusals that only HTTP knows; the domain's own are in `coolid.domain.errors`."""

from collections.abc import Sequence

from coolid.domain.errors import CoolidError


class MethodNotAllowed(CoolidError):
    """The address exists, but not for this method; `allowed` lists those it has."""

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        super().__init__(f"{method} is not possible here; possible: {', '.join(allowed)}")
        self.allowed = tuple(allowed)


class NotAcceptable(CoolidError):
    """`Accept` excludes every representation; `offers` lists them."""

    def __init__(self, offers: Sequence[str]) -> None:
        super().__init__(f"Accept excludes every representation there is: {', '.join(offers)}")
        self.offers = tuple(offers)


class UnknownFormat(CoolidError):
    """`?format=` names no representation; `known` lists them."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"there is no format {name!a}; there are: {', '.join(known)}")


class PreconditionRequired(CoolidError):
    """A change does not say which version it is made from (RFC 6585, section 3)."""


class MalformedBody(CoolidError):
    """The body is not what its kind calls for."""


class MalformedEvent(CoolidError):
    """What invoked the function is no request."""


class BodyTooLarge(CoolidError):
    """The body has more bytes than are read."""


class NoSuchAddress(CoolidError):
    """The API has no such address."""
