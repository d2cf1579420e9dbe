"""Naughty strings, and checks of responses that contain them, with third-party parsers."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import lxml.html

from tests.support.builders.samples import BASE_URL, ROOT
from tests.support.fixtures.system import Answer

STRINGS: list[str] = json.loads((ROOT / "tests/vectors/naughty.json").read_text(encoding="utf-8"))["strings"]

MORE = [
    "\ufeffa byte order mark",
    "a \u202eright-to-left override\u202c and \u2066isolates\u2069",
    "a NUL \x00 and an escape \x1b[2J",
    "a line\r\nX-Injected: 1\r\n\r\n<script>alert(1)</script>",
    "a carriage return \r alone, \x85 and \u2028 and \u2029",
    "noncharacters \ufffe \uffff \U0010ffff",
    '"},</script><!--<script>alert(1)//',
    "]]> --> --!> */ // ${alert(1)} {{7*7}} {% raw %} %(what)s %s {0}",
    "</title></textarea></style></template></main></body></html>",
    "' onfocus='alert(1)' autofocus='",
    "\ud7ff and \ue000 beside the surrogates",
    "a" * 1_900,
]
"""Strings that the list lacks."""

ALL = list(dict.fromkeys([*STRINGS, *MORE]))

# RFC 9110, section 5.5: a field-value has no CR, LF or NUL, and no spaces at its ends.
_FIELD_VALUE = re.compile(r"(?:[!-~\x80-\xff](?:[ \t!-~\x80-\xff]*[!-~\x80-\xff])?)?")
_FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")

ELEMENTS = {
    "html", "head", "meta", "title", "link", "script", "body", "header", "nav", "main", "footer", "section",
    "article", "aside", "search", "h1", "h2", "h3", "h4", "p", "pre", "hr", "br", "wbr", "div", "blockquote",
    "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td", "a", "abbr",
    "b", "bdi", "bdo", "cite", "code", "em", "i", "kbd", "mark", "q", "s", "samp", "small", "span", "strong",
    "sub", "sup", "time", "u", "var", "img", "figure", "figcaption", "details", "summary", "dialog", "output",
    "progress", "form", "fieldset", "legend", "label", "input", "button", "select", "option", "optgroup",
    "textarea", "datalist", "noscript", "data", "del", "ins",
}  # fmt: skip
"""The elements of pages. Only `script`, `link` and `img` load anything, and they are checked."""

LOADED = ("stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch", "manifest")
"""Relations of links that browsers follow by themselves."""

_SPACE = "".join(chr(code) for code in range(0x10000) if chr(code).isspace()) + "\ufeff"
LONG = 230
"""The number of characters beyond which a text may be shown in parts."""

_DATA = ("application/json", "application/ld+json")
_ADDRESSES = (
    "href",
    "src",
    "action",
    "formaction",
    "data",
    "poster",
    "background",
    "cite",
    "longdesc",
    "srcset",
    "ping",
)


def headers_are_sound(headers: Any) -> None:
    """Check that every header follows RFC 9110."""
    for name, value in headers.items():
        assert _FIELD_NAME.fullmatch(name), name
        assert _FIELD_VALUE.fullmatch(value), (name, value)


def is_sound(answer: Answer) -> None:
    """Check that a response is no failure, and that its headers and content are consistent."""
    assert answer.status < 500, (answer.status, answer.body)
    headers_are_sound(answer.headers)
    media_type = answer.headers.get("content-type", "").partition(";")[0]
    if not answer.body:
        return
    if media_type == "text/html":
        page_is_sound(answer.body)
    elif media_type.endswith("json"):
        json.loads(answer.body)


def parsed(page: str) -> Any:
    """Return the document as libxml2 parses HTML."""
    return lxml.html.document_fromstring(page.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))


def page_is_sound(page: str, base_url: str = BASE_URL) -> Any:
    """Check that a page has only known elements, attributes and addresses. Return its document."""
    assert page.startswith("<!doctype html>"), page[:80]
    document = parsed(page)
    for element in document.iter():
        assert isinstance(element.tag, str), f"a comment or an instruction: {element}"
        assert element.tag in ELEMENTS, element.tag
        for name, value in element.attrib.items():
            assert re.fullmatch(r"[a-z][a-z-]*", name), (element.tag, name)
            assert not name.startswith("on"), (element.tag, name)
            assert name not in ("style", "srcdoc", "http-equiv"), (element.tag, name)
            if name in _ADDRESSES and not value.startswith((f"{base_url}/", "#", "?")):
                assert _leads(element), (element.tag, element.get("rel"), value)
                assert re.match(r"https?://[^/]|[a-z][a-z/-]*(#|$)", value), (element.tag, name, value)
    for script in document.iter("script"):
        if script.get("type") in _DATA:
            json.loads(script.text)
        else:
            assert script.get("src", "").startswith(f"{base_url}/static/"), script.attrib
            assert not script.text
    assert len(document.findall(".//main")) == 1
    return document


def _leads(element: Any) -> bool:
    """Return whether an element may have a foreign address: users may follow links, but loaded resources must be own
    ones.
    """
    if element.tag == "link":
        return not set(element.get("rel", "icon").split()) & set(LOADED)
    return element.tag in ("a", "form")


def counted(document: Any) -> Counter[str]:
    """Count the elements that can load or send anything."""
    doing = ("script", "link", "meta", "form", "input", "button", "textarea", "select", "img", "title", "main", "h1")
    return Counter(element.tag for element in document.iter() if element.tag in doing)


def texts(document: Any) -> Iterator[str]:
    """Return the text of each element without surrounding spaces, and the value of each control."""
    for element in document.iter():
        if element.tag not in ("script", "head"):
            yield as_read(element.text_content())
        if element.get("value") is not None:
            yield as_read(element.get("value"))


def as_read(text: str) -> str:
    """Return a text as HTML parsers return it: with uniform line ends and without NUL (https://html.spec.whatwg.org/).

    Parsers remove NUL or replace it by U+FFFD. White space at the ends is removed, because Python and JavaScript define
    it differently.
    """
    return re.sub(r"\r\n?", "\n", text).translate({0: None, 0xFFFD: None}).strip(_SPACE)


def says(document: Any, text: str) -> bool:
    """Return whether some element contains exactly this text; a long one may continue in the next element."""
    said = as_read(text)
    return said in set(texts(document)) or (len(said) > LONG and heard(said) in heard(document.text_content()))


def heard(text: str) -> str:
    """Return a text as screen readers read it: without line ends and invisible characters."""
    return "".join(filter(str.isalnum, text))


def headings(document: Any) -> list[int]:
    """Return the levels of a page's headings. Each is at most one level deeper than the one before."""
    levels = [int(element.tag[1]) for element in document.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[:1] == [1], levels
    assert levels.count(1) == 1, levels
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels)), levels
    return levels
