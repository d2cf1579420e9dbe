"""Naughty strings, and what an answer must be whatever strings it was made of: read by parsers that are not ours."""

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
"""Such as the list lacks."""

ALL = list(dict.fromkeys([*STRINGS, *MORE]))

# RFC 9110, section 5.5: field-value, which has neither CR nor LF nor NUL, and no spaces at its ends.
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
"""What a page of ours is made of: no element that loads or embeds, but `script`, `link` and `img`, which are judged."""

LOADED = ("stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch", "manifest")
"""Links that browsers follow by themselves."""

_SPACE = "".join(chr(code) for code in range(0x10000) if chr(code).isspace()) + "\ufeff"
LONG = 230
"""Characters, beyond which a text may be shown in parts."""

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
    """Every header is as RFC 9110 writes them."""
    for name, value in headers.items():
        assert _FIELD_NAME.fullmatch(name), name
        assert _FIELD_VALUE.fullmatch(value), (name, value)


def is_sound(answer: Answer) -> None:
    """Whatever was asked, with whatever strings: no failure, and headers and content that are what they say."""
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
    """The document, as libxml2 reads HTML."""
    return lxml.html.document_fromstring(page.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))


def page_is_sound(page: str, base_url: str = BASE_URL) -> Any:
    """No element, attribute or address but such as pages of ours have; returns the document."""
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
    """Whether it may have an address elsewhere: it is followed by who wishes to; whatever is loaded is ours."""
    if element.tag == "link":
        return not set(element.get("rel", "icon").split()) & set(LOADED)
    return element.tag in ("a", "form")


def counted(document: Any) -> Counter[str]:
    """How many there are of the elements that can do something."""
    doing = ("script", "link", "meta", "form", "input", "button", "textarea", "select", "img", "title", "main", "h1")
    return Counter(element.tag for element in document.iter() if element.tag in doing)


def texts(document: Any) -> Iterator[str]:
    """What each element says, all in all, without the spaces around it; and each control has as its value."""
    for element in document.iter():
        if element.tag not in ("script", "head"):
            yield as_read(element.text_content())
        if element.get("value") is not None:
            yield as_read(element.get("value"))


def as_read(text: str) -> str:
    """A text as it comes out of HTML, whose line ends are one and which has no NUL (https://html.spec.whatwg.org/).

    Parsers drop a NUL or put U+FFFD there. Without what is no more than space at its ends, of which Python and
    JavaScript have different notions.
    """
    return re.sub(r"\r\n?", "\n", text).translate({0: None, 0xFFFD: None}).strip(_SPACE)


def says(document: Any, text: str) -> bool:
    """Whether exactly this text is what some element says; a long one may go on in the next."""
    said = as_read(text)
    return said in set(texts(document)) or (len(said) > LONG and heard(said) in heard(document.text_content()))


def heard(text: str) -> str:
    """What is heard of a text: vocabularies and headings have no line ends and nothing that is not seen."""
    return "".join(filter(str.isalnum, text))


def headings(document: Any) -> list[int]:
    """The levels of a page's headings; each is at most one deeper than that before it."""
    levels = [int(element.tag[1]) for element in document.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[:1] == [1], levels
    assert levels.count(1) == 1, levels
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels)), levels
    return levels
