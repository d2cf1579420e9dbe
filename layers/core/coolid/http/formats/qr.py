"""`?format=qr`: a picture of a PID that cameras read, for labels, posters and print; `?style=` says of what kind.

A QR code (ISO/IEC 18004) of the canonical PID and nothing else: what it leads to may change, the picture need not. At
least 15 % of it may be dirty or torn (error correction M, better where that costs no room), and the quiet zone of four
modules that readers need belongs to it. Pictures are not negotiated: `Accept: image/png` asks for the thing.

>>> write("https://id.example.org/mp:x5", PNG)[:4]
b'\\x89PNG'
>>> print(write("https://id.example.org/mp:x5", SVG)[:79])
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 37 37" width="296" height=
"""

from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from itertools import groupby
from typing import Final

import segno

from coolid.http.errors import TooLongToPicture
from coolid.http.message import Request, Response
from coolid.http.style_parameter import QR, style_asked_for

SVG: Final = "image/svg+xml"
PNG: Final = "image/png"
STYLES: Final[Mapping[str, str]] = {"svg": SVG, "png": PNG}

BORDER: Final = 4
"""Modules of the quiet zone, as the standard asks."""
SCALE: Final = 8
"""Pixels of a module: at 300 dots an inch two thirds of a millimetre, which is read from a hand's breadth."""

_POLICY: Final = "default-src 'none'; sandbox"  # an SVG that is opened by itself is a document like any page


def picture(request: Request, pid: str, status: int, headers: Mapping[str, str]) -> Response:
    """The picture in the style that the request asks for; `UnknownStyle`, `TooLongToPicture`."""
    style = style_asked_for(request, QR, STYLES) or "svg"
    shown = {
        "Content-Type": STYLES[style],
        "Content-Disposition": f'inline; filename="{QR}.{style}"',
        "Content-Security-Policy": _POLICY,
    }
    return Response(status, {**headers, **shown}, write(pid, STYLES[style]))


def write(pid: str, media_type: str) -> str | bytes:
    """The QR code of a PID, a text as SVG and bytes as PNG; `TooLongToPicture`."""
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
    """A square of rows, one byte for each module, which is 1 if it is dark. It is as sharp in any size."""
    size = len(rows)
    path = "".join(f"M{x} {y}h{wide}v1h-{wide}z" for y, row in enumerate(rows) for x, wide in _runs(row))
    name = escape(pid)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size * SCALE}" '
        f'height="{size * SCALE}" role="img" shape-rendering="crispEdges">\n'
        f"<title>{name}</title>\n<desc>QR code of the persistent identifier {name}</desc>\n"
        f'<path fill="#fff" d="M0 0h{size}v{size}h-{size}z"/>\n<path d="{path}"/>\n</svg>\n'
    )


def _runs(row: bytes) -> list[tuple[int, int]]:
    """Where dark modules stand in a row: the first of each run, and how many."""
    runs, x = [], 0
    for dark, group in groupby(row):
        wide = len(list(group))
        if dark:
            runs.append((x, wide))
        x += wide
    return runs
