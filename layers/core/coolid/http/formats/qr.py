"""`?format=qr`: a QR code (ISO/IEC 18004) of a PID for labels, posters and print; `?style=` selects SVG or PNG.

It contains only the canonical PID, so that it stays valid if the target changes. Readers can restore at least 15 % of
it (error correction M, or better at the same size). It includes the required quiet zone of four modules. It is not part
of content negotiation, because `Accept: image/png` requests the identified content.

>>> write("https://id.example.org/mp:x5", PNG)[:4]
b'\\x89PNG'
>>> print(write("https://id.example.org/mp:x5", SVG)[:79])
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 37 37" width="296" height=
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from typing import Final

import segno

from coolid.http.errors import TooLongToPicture
from coolid.http.message import Response

SVG: Final = "image/svg+xml"
PNG: Final = "image/png"
STYLES: Final[Mapping[str, str]] = {"svg": SVG, "png": PNG}

BORDER: Final = 4
"""The width of the quiet zone in modules, as the standard requires."""
SCALE: Final = 8
"""Pixels of a module: two thirds of a millimetre at 300 dots an inch, readable from about 10 cm."""

_POLICY: Final = "default-src 'none'; sandbox"  # an SVG opened on its own is a document that can run scripts


def qr_response(pid: str, status: int, headers: Mapping[str, str], style: str | None = None) -> Response:
    """Return the QR code in one of the `STYLES`, by default SVG. Raises `TooLongToPicture`."""
    style = style or "svg"
    image_headers = {
        "Content-Type": STYLES[style],
        "Content-Disposition": f'inline; filename="qr.{style}"',
        "Content-Security-Policy": _POLICY,
    }
    return Response(status, {**headers, **image_headers}, write(pid, STYLES[style]))


def write(pid: str, media_type: str) -> str | bytes:
    """Return the QR code of a PID, SVG as text and PNG as bytes; raise `TooLongToPicture`."""
    try:
        code = segno.make_qr(pid, error="m", encoding="utf-8")
    except segno.DataOverflowError as error:
        raise TooLongToPicture(len(pid.encode())) from error
    if media_type == SVG:
        return _svg([*map(bytes, code.matrix_iter(border=BORDER))], pid)
    out = BytesIO()
    code.save(out, kind="png", scale=SCALE, border=BORDER)
    return out.getvalue()


def _svg(rows: Sequence[bytes], pid: str) -> str:
    """Return the SVG of a square of rows, with a byte for each module that is 1 if it is dark."""
    size = len(rows)
    runs = [(y, found.start(), len(found[0])) for y, row in enumerate(rows) for found in re.finditer(b"\x01+", row)]
    path = "".join(f"M{x} {y}h{length}v1h-{length}z" for y, x, length in runs)
    name = escape(pid)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size * SCALE}" '
        f'height="{size * SCALE}" role="img" shape-rendering="crispEdges">\n'
        f"<title>{name}</title>\n<desc>QR code of the persistent identifier {name}</desc>\n"
        f'<path fill="#fff" d="M0 0h{size}v{size}h-{size}z"/>\n<path d="{path}"/>\n</svg>\n'
    )
