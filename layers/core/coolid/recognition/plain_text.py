r"""The plain text of a paste: without markup, and with each divided identifier in one piece.

Markup is HTML and XML, Markdown, LaTeX, wiki text, and the fields of reference managers. The tags of RIS (`DO  - `),
EndNote (`%R `) and XML (`<pub-id pub-id-type="doi">`) become labels. Line breaks and spaces that divide an identifier
are removed. Identifiers with only punctuation between them are separated.

>>> plain_text("[a paper](https://doi.org/10.1000/182)").split()
['a', 'paper', 'https://doi.org/10.1000/182']
>>> plain_text("10.1002/x:9&lt;646::AID&gt;3.0.CO;2-1</p>").strip()
'10.1002/x:9<646::AID>3.0.CO;2-1'
>>> plain_text("<doi>10.1000/182</doi>").split(), plain_text("DO  - 10.1000/182")
(['doi:', '10.1000/182'], 'doi: 10.1000/182')
>>> plain_text("10.1038 / s41597-022-\n01807-3"), plain_text("PMID:1;PMCID:PMC2")
('10.1038/s41597-022-01807-3', 'PMID:1 PMCID:PMC2')
>>> plain_text("10.1000/182\n10.1000/183")
'10.1000/182\n10.1000/183'
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

_JOINT: Final = re.compile(
    r"[;,](?=\s*(?:10\.[0-9]{4}|https?://|[A-Z][A-Za-z -]{1,24}:|(?:doi|pmid|pmcid)[:=]))"
    r'|(?<=")[,;](?=")'
)
_SPACED_REGISTRANT: Final = re.compile(r"(?i)((?:doi:?\s*|doi\.org/)10\.)\s+(?=[0-9]{4,9}(?:\.[0-9]+)*/)")
_SPACED_SLASH: Final = re.compile(r"(?<![\w.])(10\.[0-9]{4,9}(?:\.[0-9]+)*)\s*/\s*(?=[\w(])")
_SPACE_AFTER_HOST: Final = re.compile(r"(?<=doi\.org/)\s+(?=10\.)")
_DIVIDED_NUMBER: Final = re.compile(r"(?<=[0-9]-)\s*\n\s*(?=[0-9])")
_DIVISIBLE: Final = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/|https?://|doi\.org/|swh:1:")
_BEGINNING: Final = re.compile("(?i)10\\.[0-9]{4}|https?:|[a-z]+:")
_CONTINUATION: Final = re.compile("[0-9a-z]*[0-9]")
_MAX_LINES: Final = 3


def plain_text(text: str) -> str:
    """Return the text as typed by a keyboard: with its links and labels, without markup and divided identifiers."""
    return _rejoin(_remove_markup(text))


def _remove_markup(text: str) -> str:
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


def _rejoin(text: str) -> str:
    """Return the text with each divided identifier in one piece, and with spaces between adjacent ones."""
    text = _SPACED_SLASH.sub(r"\1/", _SPACED_REGISTRANT.sub(r"\1", _JOINT.sub(" ", text)))
    text = _DIVIDED_NUMBER.sub("", _SPACE_AFTER_HOST.sub("", text))
    lines = text.split("\n")
    if 1 < len(lines) <= _MAX_LINES and _DIVISIBLE.search(lines[0]) and all(map(_continues, lines[1:])):
        return "".join(map(str.strip, lines))
    return "".join(_joined(re.split(r"(\s+)", text)))


def _continues(line: str) -> bool:
    """Return whether a line is one word that can continue the identifier of the line before."""
    return len(line.split()) == 1 and not _BEGINNING.match(line.strip())


def _joined(parts: list[str]) -> list[str]:
    """Return words and the spaces between them, without the spaces after a hyphen that divide an identifier."""
    for at in range(1, len(parts) - 1, 2):
        before, after = parts[at - 1], parts[at + 1]
        if before.endswith(("-", "_")) and _CONTINUATION.match(after) and _DIVISIBLE.search(before):
            parts[at] = ""
    return parts
