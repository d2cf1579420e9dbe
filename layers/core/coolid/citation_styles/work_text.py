"""The texts of a work as a processor needs them: quotation marks, apostrophes, names of other scripts, no markup.

>>> prepared({"title": "It's <i>E. coli</i>", "author": [{"family": "王", "given": "小明"}]})
{'title': 'It’s E. coli', 'author': [{'literal': '王小明'}]}
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from citeproc import DATES, NAMES, VARIABLES

from coolid.citation_styles.formatter import without_marks

_MARKUP: Final = re.compile(r'</?(?:i|b|u|sub|sup|sc|em|strong)>|<span class="nocase">|</span>', re.IGNORECASE)
_APOSTROPHE: Final = re.compile(r"(?<=\w)'(?=\w)")
_EAST_ASIAN: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_VERBATIM: Final = ("DOI", "URL", "id", "type", "language")


def prepared(work: Mapping[str, Any], opening: str = "“", closing: str = "”") -> dict[str, Any]:
    """Return a copy of a work, an item of CSL data, with texts for print; straight quotation marks become these."""
    return {name: _value(name, value, opening, closing) for name, value in work.items() if _is_variable(name, value)}


def _is_variable(name: str, value: Any) -> bool:
    """Return whether the member is a variable of CSL with a value of its type; the data may have other members."""
    variable = name.replace("-", "_")
    if variable in DATES:
        return isinstance(value, Mapping)
    if variable in NAMES:
        return isinstance(value, list)
    return (variable in VARIABLES or name in _VERBATIM) and isinstance(value, str | int)


def _value(name: str, value: Any, opening: str, closing: str) -> Any:
    if isinstance(value, str):
        text = without_marks(value)
        if name in _VERBATIM:
            return text
        text = _APOSTROPHE.sub("’", _MARKUP.sub("", text))
        return re.sub(r'"([^"]*)"', rf"{opening}\1{closing}", text)
    if isinstance(value, list):
        return [_name(each) for each in value]
    return value


def _name(name: Mapping[str, Any]) -> dict[str, Any]:
    """Return a name; names in East Asian scripts are written as one, the family name first."""
    parts = {part: without_marks(text) if isinstance(text, str) else text for part, text in name.items()}
    family, given = parts.get("family", ""), parts.get("given", "")
    if _EAST_ASIAN.search(family):
        return {"literal": family + given}
    return parts
