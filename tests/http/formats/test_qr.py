"""QR codes: a decoder reads the PID, and SVG and PNG are the same picture."""

import re

import pytest
from hypothesis import example, given

from coolid.http.errors import TooLongToPicture, UnknownStyle
from coolid.http.formats.qr import BORDER, PNG, SCALE, STYLES, SVG, qr_response, write
from coolid.http.message import Request
from coolid.http.parameters import QR, requested_style
from coolid.model.prefixes import path_of
from tests.support.builders.images import correction_of, modules_of_png, modules_of_svg, text_of, texts_of_svg
from tests.support.builders.samples import BASE_URL, text
from tests.support.effort import examples

PID = f"{BASE_URL}/2021/06/mp/tw0t-ywdj-94"
MOST = 2_331
"""Bytes that the largest code holds with this correction (ISO/IEC 18004, table 7)."""

pids = text.map(lambda identifier: f"{BASE_URL}/{path_of('mp', identifier)}")


def svg_of(pid: str) -> str:
    drawn = write(pid, SVG)
    assert isinstance(drawn, str)
    return drawn


def png_of(pid: str) -> bytes:
    drawn = write(pid, PNG)
    assert isinstance(drawn, bytes)
    return drawn


@examples(40)
@given(pids)
@example(PID)
@example(f"{BASE_URL}/ark:/12345/x5'4&<>\"")
@example("HTTPS://ID.EXAMPLE.ORG/0123456789")
def test_a_reader_reads_the_pid_in_either_style(pid: str) -> None:
    modules = modules_of_png(png_of(pid), SCALE)
    assert modules_of_svg(svg_of(pid)) == modules
    assert text_of(modules) == pid


@examples(40)
@given(pids)
def test_it_has_its_quiet_zone_and_can_lose_a_good_part(pid: str) -> None:
    modules = modules_of_png(png_of(pid), SCALE)
    inner = [row[BORDER:-BORDER] for row in modules[BORDER:-BORDER]]
    assert sum(map(sum, modules)) == sum(map(sum, inner))
    assert all(inner[y][x] for y, x in ((0, 0), (0, -1), (-1, 0)))
    assert correction_of(modules, BORDER) in {"M", "Q", "H"}


def test_a_code_with_a_hole_is_still_read() -> None:
    modules = modules_of_png(png_of(PID), SCALE)
    for y in range(18, 22):
        modules[y][18:22] = [True] * 4
    assert text_of(modules) == PID


@given(pids)
@example(f"{BASE_URL}/mp:a'b&c<script>\"")
def test_an_svg_says_what_it_shows_and_does_nothing(pid: str) -> None:
    drawn = svg_of(pid)
    title, description = texts_of_svg(drawn)
    assert title == pid
    assert description is not None
    assert pid in description
    assert set(re.findall(r"<(\w+)", drawn)) == {"svg", "title", "desc", "path"}
    assert not re.search(r"<[^>]*\b(on\w+|href|style)=", drawn)


@pytest.mark.parametrize("media_type", [SVG, PNG])
def test_the_longest_fits_and_what_is_longer_is_refused(media_type: str) -> None:
    longest = PID + "a" * (MOST - len(PID))
    modules = modules_of_svg(svg_of(longest))
    assert text_of(modules) == longest
    with pytest.raises(TooLongToPicture, match="2332 bytes"):
        write(longest + "a", media_type)


@pytest.mark.parametrize("media_type", [SVG, PNG])
def test_the_same_pid_has_the_same_picture(media_type: str) -> None:
    assert write(PID, media_type) == write(PID, media_type)


@pytest.mark.parametrize(
    ("style", "media_type", "name"),
    [(None, SVG, "qr.svg"), ("svg", SVG, "qr.svg"), ("SVG", SVG, "qr.svg"), ("Png", PNG, "qr.png")],
)
def test_the_style_chooses(style: str | None, media_type: str, name: str) -> None:
    query = () if style is None else (("style", style),)
    style = requested_style(Request("GET", "/", query=query), QR, STYLES)
    answer = qr_response(PID, 200, {"Link": "<x>"}, style)
    assert (answer.status, answer.headers["Content-Type"], answer.body) == (200, media_type, write(PID, media_type))
    assert answer.headers["Content-Disposition"] == f'inline; filename="{name}"'
    assert answer.headers["Link"] == "<x>"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("style", ["", "jpeg", "image/png", "bibtex"])
def test_a_style_that_there_is_not_is_refused(style: str) -> None:
    with pytest.raises(UnknownStyle, match=r"it has: svg, png$"):
        requested_style(Request("GET", "/", query=(("style", style),)), QR, STYLES)
