"""Pictures of identifiers, decoded as cameras and browsers do: squares of modules, dark ones True."""

import re
import struct
import zlib
from xml.etree import ElementTree as ET

import zxingcpp

Modules = list[list[bool]]

NAMESPACE = "{http://www.w3.org/2000/svg}"


def modules_of_png(picture: bytes, scale: int) -> Modules:
    """Return the modules of a black and white PNG (ISO/IEC 15948), each with this number of pixels in one colour."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(picture):
        (size,), kind = struct.unpack(">I", picture[at : at + 4]), picture[at + 4 : at + 8]
        content = picture[at + 8 : at + 8 + size]
        assert struct.unpack(">I", picture[at + 8 + size : at + 12 + size]) == (zlib.crc32(kind + content),)
        chunks[kind] = content
        at += 12 + size
    wide, high, depth, colours, *others = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colours, others) == (1, 0, [0, 0, 0])
    line = 1 + (wide + 7) // 8
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == line * high
    pixels, above = [], bytes(line - 1)
    for start in range(0, len(lines), line):
        assert lines[start] in {0, 2}  # unchanged, or the difference to the line above
        below = lines[start + 1 : start + line]
        above = bytes((old + new) % 256 for old, new in zip(above, below, strict=True)) if lines[start] else below
        bits = "".join(f"{byte:08b}" for byte in above)
        pixels.append([bit == "0" for bit in bits[:wide]])
    modules = [row[::scale] for row in pixels[::scale]]
    assert pixels == [[dark for dark in row for _ in range(scale)] for row in modules for _ in range(scale)]
    return modules


def modules_of_svg(picture: str) -> Modules:
    """Return the modules of an SVG that consists of a white square and a black path of horizontal runs."""
    root = ET.fromstring(picture)  # noqa: S314 - our own
    assert root.tag == f"{NAMESPACE}svg"
    left, top, wide, high = map(int, root.attrib["viewBox"].split())
    assert (left, top, wide) == (0, 0, high)
    assert int(root.attrib["width"]) == int(root.attrib["height"]) >= wide
    ground, drawing = root.findall(f"{NAMESPACE}path")
    assert ground.attrib == {"fill": "#fff", "d": f"M0 0h{wide}v{wide}h-{wide}z"}
    modules = [[False] * wide for _ in range(wide)]
    run = r"M(\d+) (\d+)h(\d+)v1h-(\d+)z"
    assert re.fullmatch(f"({run})*", drawing.attrib["d"])
    for x, y, there, back in (map(int, each) for each in re.findall(run, drawing.attrib["d"])):
        assert there == back
        modules[y][x : x + there] = [True] * there
    assert {len(row) for row in modules} == {wide}
    return modules


def texts_of_svg(picture: str) -> tuple[str | None, str | None]:
    """Return the title and the description of an SVG."""
    root = ET.fromstring(picture)  # noqa: S314 - our own
    return root.findtext(f"{NAMESPACE}title"), root.findtext(f"{NAMESPACE}desc")


def text_of(modules: Modules, scale: int = 4) -> str:
    """Return the text that a reader of QR codes decodes."""
    pixels = b"".join(bytes(0 if dark else 255 for dark in row for _ in range(scale)) * scale for row in modules)
    side = len(modules) * scale
    # QR codes only: a part of a large one can look like a bar code.
    picture = memoryview(pixels).cast("B", shape=(side, side))
    formats = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    (code,) = zxingcpp.read_barcodes(picture, formats=formats)
    return code.text


def correction_of(modules: Modules, border: int) -> str:
    """Return the level of error correction, from the first two modules of the format (ISO/IEC 18004, 7.9.1)."""
    first, second = modules[border + 8][border : border + 2]
    return {(True, True): "L", (True, False): "M", (False, True): "Q", (False, False): "H"}[first, second]
