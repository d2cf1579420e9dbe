"""The elements whose value is a whole document: `datacite` (XML), `crossref` (XML) and `erc` (ANVL).

They are stored verbatim. Their creators, title, date, publisher and type fill those members of the metadata that no
element sets, so that pages and citations have them. The identifier inside is set when the element is read, because it
does not exist yet when a client mints.

Specification: EZID API, version 2, "Metadata profiles"; DataCite Metadata Schema 4; Crossref Deposit Schema.

>>> sorted(kernel_values({"erc": "who: Proust, Marcel\\nwhat: Remembrance of Things Past"}, "erc").items())
[('what', 'Remembrance of Things Past'), ('who', 'Proust, Marcel')]
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from coolid.http.dialects.ezid.anvl import InvalidAnvl, parse_elements
from coolid.http.dialects.ezid.profiles import (
    BLOCKS,
    CROSSREF,
    DATACITE,
    ELEMENTS,
    ERC,
    KERNEL,
    PUBLISHER,
    TYPE,
    WHAT,
    WHEN,
    WHO,
)
from coolid.http.formats.xml_parser import InvalidXml, local_name, parse_xml, text_in

_CROSSREF_TYPES: Final = {
    "journal": "JournalArticle",
    "book": "Book",
    "conference": "ConferencePaper",
    "sa_component": "Other",
    "dissertation": "Dissertation",
    "report-paper": "Report",
    "standard": "Standard",
    "database": "Dataset",
}
"""DataCite's general type for each element that a deposit may be."""
_DATACITE_IDENTIFIER: Final = re.compile(r"(<(?:[\w.-]+:)?identifier\b)[^<>]*>[^<>]*(</(?:[\w.-]+:)?identifier\s*>)")
_SCHEMES: Final = {"doi": "DOI", "ark": "ARK", "uuid": "UUID"}


def objection(name: str, value: str) -> str | None:
    """Return why the value of a block is refused, or None; `erc` may be any text."""
    if name not in (DATACITE, CROSSREF):
        return None
    try:
        root = parse_xml(value)
    except InvalidXml as error:
        return str(error)
    if name == DATACITE and local_name(root) != "resource":
        return "its root is not the element resource"
    if name == CROSSREF and _deposit(root) is None:
        return f"it has none of the elements {', '.join(_CROSSREF_TYPES)}"
    return None


def kernel_values(elements: Mapping[str, str], profile: str) -> dict[str, str]:
    """Return the members of metadata that the stored elements imply.

    The block of the preferred profile comes first, then other blocks, then the single elements of other profiles.
    """
    found: dict[str, str] = {}
    for name in sorted(BLOCKS, key=lambda name: name != profile):
        if elements.get(name):
            found = _READERS[name](elements[name]) | found
    for other, names in ELEMENTS.items():
        if other != profile:
            found = {each: value for each in KERNEL if (value := elements.get(names.get(each, ""), ""))} | found
    return found


def with_identifier(name: str, value: str, identifier: str) -> str:
    """Return the value of a block with the identifier that it describes, such as `ark:/99999/fk4test`.

    The element contains it without its label, also that of an ARK, as EZID's do.

    >>> with_identifier("datacite", '<resource><identifier identifierType="ARK">(:tba)</identifier></resource>',
    ...     "ark:/99999/fk4test")
    '<resource><identifier identifierType="ARK">99999/fk4test</identifier></resource>'
    """
    scheme, _, rest = identifier.partition(":")
    if name != DATACITE or scheme not in _SCHEMES:
        return value
    embedded = escape(rest.removeprefix("/"))
    return _DATACITE_IDENTIFIER.sub(
        lambda found: f'{found[1]} identifierType="{_SCHEMES[scheme]}">{embedded}{found[2]}', value, count=1
    )


def _datacite_values(value: str) -> dict[str, str]:
    root = _root(value)
    if root is None:
        return {}
    kind = next(_below(root, "resourceType"), None)
    general = "" if kind is None else kind.get("resourceTypeGeneral", "").strip()
    specific = text_in(kind)
    return _filled(
        {
            WHO: "; ".join(filter(None, map(text_in, _below(root, "creators", "creator", "creatorName")))),
            WHAT: text_in(next(_below(root, "titles", "title"), None)),
            WHEN: text_in(next(_below(root, "publicationYear"), None)),
            PUBLISHER: text_in(next(_below(root, "publisher"), None)),
            TYPE: f"{general}/{specific}" if general and specific else general or specific,
        }
    )


def _crossref_values(value: str) -> dict[str, str]:
    root = _root(value)
    deposit = None if root is None else _deposit(root)
    if deposit is None:
        return {}
    parents = {child: parent for parent in deposit.iter() for child in parent}
    data = next(_anywhere(deposit, "doi_data"), None)
    item = deposit if data is None else parents.get(data, deposit)  # the article, not its journal
    date = next(_anywhere(item, "publication_date", "approval_date", "creation_date"), None)
    return _filled(
        {
            WHO: "; ".join(filter(None, map(_contributor, _below(item, "contributors", "*")))),
            WHAT: text_in(next(_anywhere(item, "title"), None)),
            WHEN: "" if date is None else text_in(next(_below(date, "year"), None)),
            PUBLISHER: text_in(next(_anywhere(deposit, "publisher_name"), None)),
            TYPE: _CROSSREF_TYPES[local_name(deposit)],
        }
    )


def _erc_values(value: str) -> dict[str, str]:
    try:
        elements = {name.lower(): text for name, text in parse_elements(value).items()}
    except InvalidAnvl:
        return {}
    return _filled({name: elements.get(name, "") for name in (WHO, WHAT, WHEN)})


_READERS: Final[Mapping[str, Callable[[str], dict[str, str]]]] = {
    DATACITE: _datacite_values,
    CROSSREF: _crossref_values,
    ERC: _erc_values,
}


def _contributor(element: Element) -> str:
    """Return the name of an author, the family name first; empty for other contributors."""
    if element.get("contributor_role", "author") != "author":
        return ""
    if local_name(element) != "person_name":
        return text_in(element)
    names = [text_in(next(_below(element, name), None)) for name in ("surname", "given_name")]
    return ", ".join(filter(None, names))


def _deposit(root: Element) -> Element | None:
    """Return the element that describes the work, which may be inside `doi_batch` or `body`."""
    return next(_anywhere(root, *_CROSSREF_TYPES), None)


def _root(value: str) -> Element | None:
    """Return the root of XML, or None if it is not XML: records of other origin may have any text here."""
    try:
        return parse_xml(value)
    except InvalidXml:
        return None


def _anywhere(element: Element, *names: str) -> Iterator[Element]:
    return (each for each in element.iter() if local_name(each) in names)


def _below(element: Element, *path: str) -> Iterator[Element]:
    """Yield the elements at a path of names without namespaces; `*` is any name."""
    name, *rest = path
    for child in element:
        if name in ("*", local_name(child)):
            if rest:
                yield from _below(child, *rest)
            else:
                yield child


def _filled(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
