"""`?style=`: which variant of a form is requested, and the forms that are pictures."""

from collections.abc import Collection
from typing import Final

from coolid.http.errors import UnknownStyle
from coolid.http.message import Request

QR: Final = "qr"
"""A picture of the identifier itself, whatever is known of it."""
PICTURE: Final = "image/*"


def style_asked_for(request: Request, form: str, styles: Collection[str]) -> str | None:
    """The style of a form that `?style=` names, in lower case; None where it names none. Raises `UnknownStyle`."""
    written = request.parameter("style")
    if written is not None and written.lower() not in styles:
        raise UnknownStyle(form, written, tuple(styles))
    return written and written.lower()
