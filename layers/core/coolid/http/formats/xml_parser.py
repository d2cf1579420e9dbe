"""A parser of XML from strangers: no document type declaration, so no entities, and a bounded size.

Specification: XML 1.0 (fifth edition), section 4; OWASP "XML External Entity Prevention Cheat Sheet". Without a
declaration, there is nothing to expand and nothing to load.

>>> parse_xml('<a xmlns="urn:x"><b>1</b></a>').tag
'{urn:x}a'
>>> parse_xml('<!DOCTYPE a [<!ENTITY b "1">]><a>&b;</a>')
Traceback (most recent call last):
...
coolid.http.formats.xml_parser.InvalidXml: it has a document type declaration
"""

from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

MAX_CHARACTERS: Final = 300_000
"""More than a record can store."""
MAX_DEPTH: Final = 100


class InvalidXml(ValueError):
    """The text is not XML that is accepted here; the message is the reason."""


class _Builder(TreeBuilder):
    """Builds a tree of bounded depth, and refuses a document type before its contents are read."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def doctype(self, *_: Any) -> None:
        raise InvalidXml("it has a document type declaration")

    def start(self, tag: Any, attrs: Any, /) -> Element:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise InvalidXml(f"its elements are nested deeper than {MAX_DEPTH}")
        return super().start(tag, attrs)

    def end(self, tag: Any, /) -> Element:
        self._depth -= 1
        return super().end(tag)


def parse_xml(text: str) -> Element:
    """Return the root of a document. Raises `InvalidXml`."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidXml(f"it has more than {MAX_CHARACTERS:,} characters")
    parser = XMLParser(target=_Builder())  # noqa: S314 - it accepts no entities
    try:
        parser.feed(text)
        return parser.close()
    except ParseError as error:
        raise InvalidXml(f"it is not well-formed: {error}") from None
    except ValueError as error:  # an unknown encoding, or an error of the builder
        raise error if isinstance(error, InvalidXml) else InvalidXml("its encoding is unknown") from None


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def text_in(element: Element | None) -> str:
    """Return the text of an element and those below it, with single spaces; empty without an element."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
