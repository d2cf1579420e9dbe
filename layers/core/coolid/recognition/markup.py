"""Removal of markup around identifiers: HTML and XML, Markdown, LaTeX, wiki text, and the fields of reference managers.

The tags of RIS (`DO  - `), EndNote (`%R `) and XML (`<pub-id pub-id-type="doi">`) become labels.

>>> remove_markup("[a paper](https://doi.org/10.1000/182)").split()
['a', 'paper', 'https://doi.org/10.1000/182']
>>> remove_markup("10.1002/x:9&lt;646::AID&gt;3.0.CO;2-1</p>").strip()
'10.1002/x:9<646::AID>3.0.CO;2-1'
>>> remove_markup("<doi>10.1000/182</doi>").split(), remove_markup("DO  - 10.1000/182")
(['doi:', '10.1000/182'], 'doi: 10.1000/182')
"""

import re
from typing import Final

from coolid.identifiers.typography import as_typed
from coolid.recognition.labels import label_in

_ENTITY: Final = re.compile("&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][0-9A-Za-z]{1,31});")
_MAX_ESCAPES: Final = 2
"""How often a text may have been escaped."""

_INLINE: Final = "abbr|b|bdi|big|cite|code|em|font|i|kbd|mark|nobr|s|small|span|strong|tt|u|wbr"
_REPLACED: Final = (
    (re.compile(r"\\doi\s*\{([^{}]*)\}"), r" doi:\1 "),
    (re.compile(r"\\href\s*\{([^{}]*)\}"), r" \1 "),
    (re.compile(r"\\(?:url|path|nolinkurl|burl|text[a-z]{2}|emph)\s*\{([^{}]*)\}"), r" \1 "),
    (re.compile(r"\\([_%&#$~{}])"), r"\1"),
    (re.compile(r"\{([_~-])\}"), r"\1"),
    (re.compile(r"!?\[([^\[\]]*)\]\(\s*((?:[^()\s]|\([^()\s]*\))+)(?:\s+\"[^\"]*\")?\s*\)"), r" \1 \2 "),
    (re.compile(r"\[([^\[\]]*)\]\(\s*((?:[^()\s]|\([^()\s]*\))+)\s*\)"), r" \1 \2 "),  # around an image
    (re.compile(r"\{\{([^{}]*)\}\}"), r" \1 "),
    (re.compile(r"<sup\b[^<>]*>[^<>]*</sup>|<!--[^<>]*-->", re.IGNORECASE), " "),
    (re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]*)?/?>", re.IGNORECASE), ""),
    (re.compile(r"<a\s[^<>]*?href\s*=\s*[\"']?([^\"'<>\s]+)[^<>]*>", re.IGNORECASE), r" \1 "),
    (re.compile(r"^(?:DO|M3) {0,2}- ", re.MULTILINE), "doi: "),
    (re.compile(r"^SN {0,2}- |^%@ ", re.MULTILINE), "isxn: "),
    (re.compile(r"^(?:UR|L[1-4]|AN|ID|AID|LID|SO) {0,2}- |^%[0UM>] ", re.MULTILINE), ""),
    (re.compile(r"^%R ", re.MULTILINE), "doi: "),
    (re.compile(r"[|\t]"), " "),
)
_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z-]*(?::[A-Za-z]+)?|[hH][1-6])((?:\s[^<>]*)?)/?>")
_ATTRIBUTE: Final = re.compile(r"([A-Za-z-]+)\s*=\s*[\"']([^\"'<>]{1,400})[\"']")
_CONTENT: Final = ("content", "resource", "value")


def remove_markup(text: str) -> str:
    """Return the text with its links and labels, but without markup, as typed by a keyboard."""
    for _ in range(_MAX_ESCAPES):
        if not _ENTITY.search(text):
            break
        from html import unescape  # its table is large, and few texts need it

        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    text = as_typed(text)
    for pattern, replacement in _REPLACED:
        text = pattern.sub(replacement, text)
    return _TAG.sub(_label_of_tag, text) if "<" in text else text


def _label_of_tag(tag: re.Match[str]) -> str:
    """Return the label that an opening tag is, or has as an attribute, and its content; otherwise a space."""
    if tag[1]:
        return " "
    attributes = dict(_ATTRIBUTE.findall(tag[3]))
    names = (each.removeprefix("citation_") for each in (*attributes.values(), tag[2].rpartition(":")[2]))
    label = next((f"{name}: " for name in names if label_in((name,))), "")
    return f" {label}{' '.join(attributes[name] for name in _CONTENT if name in attributes)} "
