"""The identity that the operator gives the service: its name, logo, colour and contact.

A process answers for one service. Its wiring provides the identity once, and each page shows it. Without one, the pages
show the name and logo of coolid.

>>> Identity().title, Identity(name="City Archive").title
('coolid', 'City Archive')
"""

from collections.abc import Callable
from functools import cache
from typing import Final

from msgspec import Struct

PRODUCT: Final = "coolid"


class Logo(Struct, frozen=True):
    """A picture, checked by `coolid.wiring.operator_settings`: the name of its asset, its media type and its bytes."""

    name: str
    media_type: str
    content: bytes


class Identity(Struct, frozen=True):
    """All members are optional. `color` is `#rrggbb` in lower case, `contact` is a URI with https, http or mailto."""

    name: str = ""
    color: str = ""
    contact: str = ""
    logo: Logo | None = None

    @property
    def title(self) -> str:
        """The name that pages show."""
        return self.name or PRODUCT

    @property
    def icon(self) -> str:
        """The name of the asset that pages show as the logo."""
        return self.logo.name if self.logo else "icon.svg"


_providers: list[Callable[[], Identity]] = [Identity]


def provide(read: Callable[[], Identity]) -> None:
    """Let `current` return what `read` returns. It is called once, before the first page."""
    _providers[:] = [cache(read)]


def current() -> Identity:
    """Return the identity of the service that this process answers for. Raises the errors of its reader."""
    return _providers[0]()
