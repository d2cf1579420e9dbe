"""The `?style=` parameter, which selects a variant of a form, and the names of picture forms."""

from collections.abc import Collection
from typing import Final

from coolid.http.errors import UnknownStyle
from coolid.http.message import Request

QR: Final = "qr"
"""A picture of the identifier itself."""
PICTURE: Final = "image/*"


def requested_style(request: Request, form: str, styles: Collection[str]) -> str | None:
    """Return the style of a form that `?style=` names, in lower case, or None. Raises `UnknownStyle`."""
    text = request.parameter("style")
    if text is not None and text.lower() not in styles:
        raise UnknownStyle(form, text, tuple(styles))
    return text and text.lower()
