"""Elements of CSL that citeproc-py 0.11 renders differently from the specification.

citeproc-py chooses the class of an element by its name among the direct subclasses of `CitationStylesElement`. If
several have one name, it chooses the latest. So these classes replace its own as soon as this module is imported.

Specification: Citation Style Language 1.0.2. Details that it leaves open are as in citeproc-js, because reference
managers use it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from citeproc import model
from citeproc.string import String, join

_FORMS: Final[Mapping[str, tuple[str | None, ...]]] = {
    "verb-short": ("verb-short", "verb", None),
    "verb": ("verb", None),
    "symbol": ("symbol", "short", None),
    "short": ("short", None),
}
"""The forms of a term in the order of preference (section "Terms")."""
_NUMBERS: Final = re.compile(r"\d+[^\d.]+\d+")
_NUMERIC: Final = re.compile(r"[A-Za-z]*\d+[A-Za-z]*(\s*[-–,&]\s*[A-Za-z]*\d+[A-Za-z]*)*")
_INITIAL: Final = re.compile(r"^([^\W\d_])\.?$")
_ORDINALS: Final = "./cs:terms/cs:term[starts-with(@name, 'ordinal')]"


class Label(model.Label, model.CitationStylesElement):
    """A label is rendered only with its variable, in the best form of its term; title case applies to it."""

    def process(
        self, item: Any, variable: str | None = None, plural: bool | None = None, context: Any = None, **kwargs: Any
    ) -> Any:
        """Return the term; a `variable` and whether it is `plural` are passed only for names."""
        name = variable or self.get("variable")
        if variable is None and not _value(item, name):
            return None
        if plural is None:
            plural = self._is_plural(item)
        mode = self.get("plural", "contextual")
        return _term(self, name, self.get("form"), is_plural=mode == "always" or (mode == "contextual" and plural))

    def case(self, text: Any, language: str | None = None) -> Any:
        """Return the term with its `text-case`; terms have no language of their own."""
        return super().case(text, language or "en")

    def _is_plural(self, item: Any) -> bool:
        name = self.get("variable")
        value = str(_value(item, name))
        return value not in ("", "0", "1") if name.startswith("number-of") else _NUMBERS.search(value) is not None


class Number(model.Number, model.CitationStylesElement):
    """A number; a text that is not numeric stays as it is."""

    def process(self, item: Any, context: Any = None, **kwargs: Any) -> Any:
        """Return the number in its form."""
        text = _value(item, self.get("variable"))
        if text and not _NUMERIC.fullmatch(str(text).strip()):
            return text
        return super().process(item, context, **kwargs)

    def format_number(self, number: str) -> Any:
        """Return a number in its form; the first locale that has ordinals decides how they are written."""
        if self.get("form") == "ordinal" and number.isascii() and number.isdecimal():
            return number + _ordinal_suffix(self.get_root().locales, int(number))
        return super().format_number(number)

    def case(self, text: Any, language: str | None = None) -> Any:
        """Return the number with its `text-case`."""
        return super().case(text if hasattr(text, "capitalize_first") else String(text), language or "en")


class Text(model.Text, model.CitationStylesElement):
    """A text; a variable that a `cs:substitute` has rendered is not rendered again."""

    def process(self, item: Any, context: Any = None, **kwargs: Any) -> Any:
        """Return the text and its language, by default that of the citation. Title case is for English only."""
        text, _ = super().process(item, context, **kwargs)
        return text, str(_value(item, "language") or self.get_root().get("default-locale", "en"))[:2].lower()

    def _variable(self, item: Any, context: Any) -> Any:
        variable, seen = self.get("variable"), context.get_layout().repressed
        if variable in seen.get("substituted", ()):
            return None
        text = super()._variable(item, context)
        if text:
            seen.setdefault("rendered", []).append(variable)
        return text

    def _term(self, item: Any) -> Any:
        return _term(self, self.get("term"), self.get("form"), is_plural=self.get("plural") == "true")


class Substitute(model.Substitute, model.CitationStylesElement):
    """The replacement of missing names, also if a macro renders it."""

    def render(self, item: Any, context: Any = None, **kwargs: Any) -> Any:
        """Return the first alternative with content."""
        seen = context.get_layout().repressed
        rendered = seen.setdefault("rendered", [])
        before = len(rendered)
        text = super().render(item, context=context, **kwargs)
        if text:
            seen.setdefault("substituted", []).extend(rendered[before:])
        return text


class Name(model.Name, model.CitationStylesElement):
    """Names; with `initialize="false"` only given names that are initials get their full stop."""

    def initialize(self, given: str, mark: str, context: Any) -> str:
        """Return the initials of given names; a name in lower case stays whole."""
        if self.get("initialize") == "false":
            parts = (_INITIAL.sub(rf"\1{mark.strip()}", part) for part in given.split())
            return " ".join(parts)
        return given if given == given.lower() else str(super().initialize(given, mark, context))


class Date(model.Date, model.CitationStylesElement):
    """A date; the parts of a localized one are separated as the locale says."""

    def render_single_date(self, date: Any, show_parts: Any = None, context: Any = None) -> Any:
        """Return a date without affixes."""
        before = {part: dict(part.attrib) for part in self.iterchildren()}
        parts = self.parts(date, show_parts, None if context == self else context)
        for part, attributes in before.items():  # the style's attributes would stay for the next date
            part.attrib.clear()
            part.attrib.update(attributes)
        return join(parts, self.get("delimiter", "")) if parts else None


def _term(element: Any, name: str, form: str | None, *, is_plural: bool) -> Any:
    """Return a term, in the best form that the first locale with the term has; empty if no locale has it."""
    for locale in _locales(element):
        for each in _FORMS.get(form or "", (None,)):
            try:
                found = locale.get_term(name, each)
            except IndexError:
                continue
            return found.multiple if is_plural else found.single
    return String("")


def _locales(element: Any) -> Iterator[Any]:
    root = element.get_root()
    return iter([root] if isinstance(root, model.Locale) else root.locales)


def _value(item: Any, variable: str) -> Any:
    """Return a variable of the work, empty if it has none."""
    return item.reference.get(variable.replace("-", "_")) or ""


def _ordinal_suffix(locales: Any, number: int) -> str:
    """Return the suffix of an ordinal, such as `nd` (section "Ordinal Suffixes")."""
    for locale in locales:
        terms = {each.get("name"): each for each in reversed(locale.xpath_search(_ORDINALS))}
        if not terms:
            continue
        for digits, kinds in ((number, None), (number % 100, "last-two-digits"), (number % 10, "last-digit")):
            term = terms.get(f"ordinal-{digits:02}")
            default = "last-digit" if digits < 10 else "last-two-digits"
            if term is not None and (kinds is None or term.get("match", default) == kinds):
                return str(term.text or "")
        return str(terms["ordinal"].text or "") if "ordinal" in terms else ""
    return ""
