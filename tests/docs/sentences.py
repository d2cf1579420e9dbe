"""The sentences of a page in Markdown: those of its paragraphs, headings, list items and cells of tables.

>>> list(sentences("One `code. Two`, [a link](https://example.org/). Three!"))
[['One', '0,', 'a', 'link.'], ['Three!']]
>>> [" ".join(each) for each in sentences("- First: a list.\\n\\n| a | b |\\n|---|---|\\n| c | d |\\n")]
['First: a list.', 'a', 'b', '---', '---', 'c', 'd']
"""

import re
from collections.abc import Iterator

_CODE_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"(`+).+?\1")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_BEGINNING = re.compile(r"\s*(?:[-*+]|\d+\.|#+|\|)\s|    |\|")
_MARK = re.compile(r"^\s*(?:[-*+]|\d+\.|#+)\s+")
_END = re.compile(r"(?<=[.!?])[\"”)*]*\s+(?=[\"“(*0A-Z])")
CODE = "0"


def sentences(markdown: str) -> Iterator[list[str]]:
    """Yield the words of each sentence. A span of code is one word, `CODE`."""
    text = _LINK.sub(r"\1", _CODE.sub(CODE, _COMMENT.sub("", _CODE_BLOCK.sub("\n", markdown))))
    for paragraph in _paragraphs(text):
        yield from (each.split() for each in _END.split(paragraph))


def _paragraphs(text: str) -> Iterator[str]:
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if lines and (not line.strip() or _BEGINNING.match(line)):
            yield " ".join(lines)
            lines = []
        if line.startswith("|"):
            yield from (cell.strip() for cell in re.split(r"(?<!\\)\|", line) if cell.strip())
        elif line.strip():
            lines.append(_MARK.sub("", line).strip())
