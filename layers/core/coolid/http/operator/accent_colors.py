"""The colours of pages that follow from the operator's colour, in the light and in the dark mode.

A colour is mixed with black (light mode) or white (dark mode) until text in it has a contrast of at least 4.5 to 1 with
every background of pages. The contrast is that of WCAG 2.2 ("contrast ratio", "relative luminance").

>>> round(contrast("#ffffff", "#000000"))
21
>>> accents("#0b5c6b")[0].accent, accents("#ffe600")[0].accent
('#0b5c6b', '#756a00')
>>> all(contrast(each.accent, each.on_accent) >= MIN_CONTRAST for each in accents("#777777"))
True
"""

from itertools import count
from typing import Final

from msgspec import Struct

MIN_CONTRAST: Final = 4.5
"""WCAG 2.2, success criterion 1.4.3 (AA), for text of normal size."""

MODES: Final = (("#ffffff", "#f2f6f7", "#000000", 0.11), ("#101719", "#1a2326", "#ffffff", 0.15))
"""Per mode: the backgrounds `--ground` and `--panel` of style.css, the colour to mix with, the share of the tint."""
_STEP: Final = 0.02


class Accent(Struct, frozen=True):
    """The values of `--accent`, `--on-accent` and `--tint` in one mode."""

    accent: str
    on_accent: str
    tint: str


def accents(color: str) -> tuple[Accent, Accent]:
    """Return the colours of the light and of the dark mode that follow from `#rrggbb`."""
    light, dark = (_accent(color, *mode) for mode in MODES)
    return light, dark


def stylesheet(color: str) -> str:
    """Return the style sheet that sets the colours in both modes."""
    light, dark = map(_rule, accents(color))
    return f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n"


def _rule(each: Accent) -> str:
    return f":root {{ --accent: {each.accent}; --on-accent: {each.on_accent}; --tint: {each.tint} }}"


def _accent(color: str, ground: str, panel: str, pole: str, strength: float) -> Accent:
    """Return the first mixture of the colour with the pole that all backgrounds permit; the pole itself is one."""
    for step in count():
        accent = mix(color, pole, min(1.0, step * _STEP))
        tint = mix(ground, accent, strength)
        if all(contrast(accent, each) >= MIN_CONTRAST for each in (ground, panel, tint)):
            break
    on_accent = max(("#ffffff", "#0a1315"), key=lambda each: contrast(accent, each))
    return Accent(accent, on_accent, tint)


def mix(one: str, other: str, share: float) -> str:
    """Return the mixture of two colours, with this share of the other.

    >>> mix("#000000", "#ffffff", 0.5)
    '#808080'
    """
    parts = (round(a + (b - a) * share) for a, b in zip(_channels(one), _channels(other), strict=True))
    return "#" + "".join(f"{each:02x}" for each in parts)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _channels(color: str) -> bytes:
    return bytes.fromhex(color.removeprefix("#"))
