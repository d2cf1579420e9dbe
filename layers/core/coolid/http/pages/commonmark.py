"""A renderer of CommonMark (https://spec.commonmark.org/0.31.2/), the format of texts in the API's description.

Only paragraphs, lists, code, emphasis and links are rendered. Any other syntax, HTML included, is escaped text. A link
leads to http(s), or within this service.

>>> rendered("**One** of `<a>` & [b](https://example.org/?b=1&c=2).")
Markup('<p><strong>One</strong> of <code>&lt;a&gt;</code> &amp; <a href="https://example.org/?b=1&amp;c=2">b</a>.</p>\\n')
"""

import html
import re
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup

_TARGET: Final = re.compile("https?://|/(?!/)|#")

_PARSER: Final = MarkdownIt("zero", {"html": False}).enable(["list", "backticks", "emphasis", "link"])
_PARSER.validateLink = lambda url: _TARGET.match(url) is not None  # type: ignore[method-assign]


def rendered(text: str) -> Markup:
    """Return a text as block markup."""
    return Markup(_PARSER.render(text))  # noqa: S704 - the parser escapes all text


def inline(text: str) -> Markup:
    """Return a text for a line or a table cell: like `rendered`, but without the tags of a first paragraph."""
    tokens = _PARSER.parse(text)
    if tokens and tokens[0].type == "paragraph_open":
        tokens[0].hidden = tokens[2].hidden = True
    markup = _PARSER.renderer.render(tokens, _PARSER.options, {}).strip()
    return Markup(markup)  # noqa: S704 - the parser escapes all text


def verbatim(text: str) -> Markup:
    """Return a text for the content of an element, not of an attribute: it does not escape the many quotes of JSON."""
    return Markup(html.escape(text, quote=False))  # noqa: S704 - it was escaped just now
