"""Conversion of CommonMark, in which the sources are written, to what Python-Markdown reads."""

import re
from typing import Final

COLUMNS: Final = 4
MARKER: Final = re.compile(r"(?:[-*+]|\d+[.)]) +(?=\S)")
FENCE: Final = re.compile(r"(`{3,}|~{3,})[\w-]*")


def from_commonmark(markdown: str) -> str:
    """Return a text with the same lists and code blocks for Python-Markdown.

    The content of each list item is indented by four columns more than its marker. A list that follows a paragraph is
    preceded by an empty line. A code block has only its language, without names behind that.

    >>> print(from_commonmark("1. one\\n\\n   ```sh example\\n   ls\\n   ```\\n\\n   - two\\n     three\\n2. four"))
    1. one
    <BLANKLINE>
        ```sh
        ls
        ```
    <BLANKLINE>
        - two
            three
    <BLANKLINE>
    2. four
    """
    lines: list[str] = []
    contents: list[int] = []  # the columns at which the open items have their contents, outermost first
    fence, is_loose, depth = "", True, 0
    for line in markdown.split("\n"):
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if text and not fence:
            while contents and indent < contents[-1]:
                contents.pop()
        marker = None if fence or not text else MARKER.match(text)
        if marker and (is_loose or len(contents) < depth) and lines and lines[-1]:
            lines.append("")
        if found := FENCE.match(text):
            text, fence = (text, "" if text.strip() == fence else fence) if fence else (found[0], found[1])
        extra = max(0, indent - contents[-1]) if contents else indent
        lines.append(" " * (COLUMNS * len(contents) + extra) + text if text else "")
        if marker and extra < COLUMNS:
            contents.append(indent + marker.end())
        is_loose = not marker and (is_loose or not text)
        depth = len(contents) - bool(marker) if text else depth
    return "\n".join(lines)
