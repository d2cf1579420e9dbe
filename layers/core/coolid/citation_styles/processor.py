"""A citation of one work in a style, by citeproc-py.

>>> work = {"id": "x", "type": "book", "title": "On <i>A</i> & B", "author": [{"family": "Doe", "given": "Jane"}]}
>>> cite(work | {"issued": {"date-parts": [[2024]]}}, "apa", "de")
Citation(text='Doe, J. (2024). On A & B.', html='Doe, J. (2024). <i>On A &amp; B</i>.', locale='de-DE')
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from citeproc import Citation as Cluster
from citeproc import CitationItem, CitationStylesBibliography, CitationStylesStyle
from citeproc.source.json import CiteProcJSON
from msgspec import Struct, json

from coolid.citation_styles import elements as elements  # noqa: PLC0414 - it replaces elements of citeproc-py
from coolid.citation_styles import formatter, locales
from coolid.citation_styles.punctuation import Quotes
from coolid.citation_styles.style_names import style_named
from coolid.citation_styles.work_text import prepared
from coolid.strict_json import dump

FOLDER: Final = Path(__file__).parent / "styles"
_NAMESPACE: Final = "{http://purl.org/net/xbiblio/csl}"
_KEY: Final = "work"


class Citation(Struct, frozen=True):
    """A citation as plain text and as escaped HTML without a block around it, and the locale of its terms."""

    text: str
    html: str
    locale: str


class UnknownLocale(LookupError):
    """There is no locale of this name; `available` lists them."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.available = locales.locale_names()


def cite(work: Mapping[str, Any], style: str, locale: str | None = None) -> Citation:
    """Return the citation of a work, an item of CSL data, in a style.

    The locale is by default the style's, else American English. Raises `LookupError` for an unknown style, and
    `UnknownLocale`.
    """
    found = style_named(style)
    if found is None:
        raise LookupError(style)
    name = None if locale is None else locales.locale_named(locale)
    if locale is not None and name is None:
        raise UnknownLocale(locale)
    return _cite(dump(work), found.file, name)


@lru_cache(maxsize=256)
def _cite(document: str, file: str, locale: str | None) -> Citation:
    # Each citation parses its style, because citeproc-py stores state in the elements of the parsed file.
    style = CitationStylesStyle(str(FOLDER / f"{file}.csl"), locale=locale, validate=False)
    root = style.root
    root.formatter = formatter
    locale = locale or root.get("default-locale", locales.DEFAULT)
    root.set("default-locale", locale)
    _separate_number(root.find(f"{_NAMESPACE}bibliography"))
    names = ("open-quote", "close-quote", "open-inner-quote", "close-inner-quote")
    opening, closing, inner_opening, inner_closing = (str(root.get_single_term(name=name)) for name in names)
    moves = root.get_locale_option("punctuation-in-quote") == "true"
    work = json.decode(document)
    source = CiteProcJSON([prepared(work, opening, closing) | {"id": _KEY}])
    bibliography = CitationStylesBibliography(style, source, formatter)
    bibliography.register(Cluster([CitationItem(_KEY)]))
    # A style may have no word for a work that has only a date. Its address remains.
    entry = next(iter(bibliography.bibliography()), None) or formatter.preformat(str(work.get("URL", "")))
    marked = Quotes(opening, closing, inner_opening, inner_closing, moves).apply(str(entry))
    return Citation(formatter.to_text(marked), formatter.to_html(marked), locale)


def _separate_number(bibliography: Any) -> None:
    """Put a space after the number of a style whose layout aligns the rest of the entry."""
    if bibliography.get("second-field-align"):
        number = bibliography.find(f"{_NAMESPACE}layout")[0]
        number.set("suffix", f"{number.get('suffix', '').rstrip()} ")
