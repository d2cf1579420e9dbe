r"""Functions that build XML (XML 1.0, fifth edition) from any texts, with the standard library's element tree.

Texts are escaped when they are serialised. Characters that XML cannot contain are replaced by U+FFFD, because nothing
can escape them. Nothing here reads XML, so that there are no entities to expand.

>>> root = Element("entry")
>>> _ = add_element(root, "title", "Tea & <milk>\x00", {"lang": "en", "type": ""})
>>> serialize(root)
'<?xml version="1.0" encoding="UTF-8"?>\n<entry><title lang="en">Tea &amp; &lt;milk&gt;\ufffd</title></entry>\n'
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from xml.etree.ElementTree import Element, SubElement, tostring

NO_ATTRIBUTES: Final[Mapping[str, str]] = MappingProxyType({})
LANG: Final = "xml:lang"
"""The name of the attribute; its prefix is always declared."""

_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, production 2


def add_element(parent: Element, name: str, text: str = "", attributes: Mapping[str, str] = NO_ATTRIBUTES) -> Element:
    """Add an element with a text and those attributes that are not empty, and return it."""
    present = {attribute: xml_text(value) for attribute, value in attributes.items() if value}
    element = SubElement(parent, name, present)
    if text:
        element.text = xml_text(text)
    return element


def xml_text(text: str) -> str:
    """Return the text with U+FFFD for each character that XML cannot contain, and spaces instead of tabs.

    Line ends become line feeds, as parsers read them (XML 1.0, section 2.11).
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    return valid_text(lines)


def valid_text(text: str) -> str:
    """Return the text with U+FFFD for each character that XML cannot contain."""
    return _NOT_IN_XML.sub("\ufffd", text)


def serialize(root: Element) -> str:
    """Return the document with its declaration."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
