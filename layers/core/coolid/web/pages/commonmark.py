"""Plain texts of CommonMark (https://spec.commonmark.org/0.31.2/) as markup: descriptions of an API are written in it.

Of it there are paragraphs, lists of one level, code spans, strong emphasis and links to http(s) or within the pages.
All else stands there as it was written: every character is escaped before anything is made of it.

>>> rendered("Only **one** of `<a>` & [these](https://example.org/a?b=1&c=2).")
Markup('<p>Only <strong>one</strong> of <code>&lt;a&gt;</code> &amp; <a href="https://example.org/a?b=1&amp;c=2">these</a>.</p>')
>>> rendered('''With these:
...
... - first
... - second, which
...   goes on
... ''')
Markup('<p>With these:</p><ul><li>first</li><li>second, which\\ngoes on</li></ul>')
"""

import html
import re
from typing import Final

from markupsafe import Markup, escape

_BLOCKS: Final = re.compile(r"\n[ \t]*\n\s*")
_ITEM: Final = re.compile(r"^[-*][ \t]+", re.MULTILINE)
_CODE: Final = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
# In escaped text, strong emphasis first: a link has no < nor > in it, so that the two never overlap.
_STRONG: Final = re.compile(r"\*\*(?=\S)([^*]+?)(?<=\S)\*\*")
_LINK: Final = re.compile(r"\[([^\[\]<>]+)\]\(((?:https?://|/(?!/)|#)[^\s()<>\\]*)\)")


def rendered(text: str) -> Markup:
    """A whole text: its paragraphs and lists."""
    return Markup("").join(_block(block) for block in _BLOCKS.split(text.strip()) if block)


def inline(text: str) -> Markup:
    """What stands in one line or one cell: without paragraphs, but for those after the first.

    >>> inline("As `a` says.")
    Markup('As <code>a</code> says.')
    >>> inline("`**no**` and **no` and [no](javascript:alert)")
    Markup('<code>**no**</code> and **no` and [no](javascript:alert)')
    """
    first, *more = _BLOCKS.split(text.strip())
    if _ITEM.match(first):
        return rendered(text)
    return _line(first) + Markup("").join(_block(block) for block in more)


def verbatim(text: str) -> Markup:
    """Text for the inside of an element, never of an attribute: quotes, of which JSON is full, stay as they are.

    >>> verbatim('"<a>"')
    Markup('"&lt;a&gt;"')
    """
    return Markup(html.escape(text, quote=False))  # noqa: S704 - it was escaped just now


def _block(block: str) -> Markup:
    if not _ITEM.match(block):
        return Markup("<p>{}</p>").format(_line(block))
    items = (_line(re.sub(r"\n[ \t]+", "\n", item).strip()) for item in _ITEM.split(block)[1:])
    return Markup("<ul>{}</ul>").format(Markup("").join(Markup("<li>{}</li>").format(item) for item in items))


def _line(text: str) -> Markup:
    """The text with its spans. Code comes first: nothing in it means anything else."""
    made, at = Markup(""), 0
    for code in _CODE.finditer(text):
        made += _spans(text[at : code.start()]) + Markup("<code>{}</code>").format(code[2].strip())
        at = code.end()
    return made + _spans(text[at:])


def _spans(text: str) -> Markup:
    stressed = _STRONG.sub(r"<strong>\1</strong>", str(escape(text)))
    return Markup(_LINK.sub(r'<a href="\2">\1</a>', stressed))  # noqa: S704 - of escaped text
