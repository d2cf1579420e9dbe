"""The outline of a page: its elements with their attributes on one side, its words on the other.

>>> read_outline('<p class="x" title="A hint">Some <b>words</b></p>')
Outline(elements=['p class=x', 'b', '/b', '/p'], words=['title: A hint', 'Some', 'words'])
"""

from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Final

PROSE_ATTRIBUTES: Final = frozenset({"title", "alt", "placeholder", "aria-label", "aria-description"})


@dataclass(frozen=True)
class Outline:
    """`elements` are tags with their attributes; `words` are texts, without the space around them."""

    elements: list[str]
    words: list[str]


def read_outline(page: str) -> Outline:
    """Return the outline of a page."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return Outline(reader.elements, reader.words)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        shown = [tag]
        for name, value in sorted(attrs, key=lambda pair: pair[0]):
            prose = name in PROSE_ATTRIBUTES or (name == "content" and ("name", "description") in attrs)
            if prose:
                self.words.append(f"{name}: {value}")
            else:
                shown.append(name if value is None else f"{name}={value}")
        self.elements.append(" ".join(shown))

    def handle_endtag(self, tag: str) -> None:
        self.elements.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.words.append(" ".join(data.split()))
