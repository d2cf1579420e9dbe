"""Repair of identifiers that line breaks or spaces divide, and separation of those that have none between them.

>>> rejoin("10.1038 / s41597-022-\\n01807-3"), rejoin("PMID:1;PMCID:PMC2")
('10.1038/s41597-022-01807-3', 'PMID:1 PMCID:PMC2')
>>> rejoin("10.1000/182\\n10.1000/183")
'10.1000/182\\n10.1000/183'
"""

import re
from typing import Final

_JOINT: Final = re.compile(
    r"[;,](?=\s*(?:10\.[0-9]{4}|https?://|[A-Z][A-Za-z -]{1,24}:|(?:doi|pmid|pmcid)[:=]))"
    r'|(?<=")[,;](?=")'
)
_SPACED_SLASH: Final = re.compile(r"(?<![\w.])(10\.[0-9]{4,9}(?:\.[0-9]+)*)\s*/\s*(?=[\w(])")
_SPACE_AFTER_HOST: Final = re.compile(r"(?<=doi\.org/)\s+(?=10\.)")
_DIVIDED_NUMBER: Final = re.compile(r"(?<=[0-9]-)\s*\n\s*(?=[0-9])")
_DIVISIBLE: Final = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/|https?://|doi\.org/|swh:1:")
_BEGINNING: Final = re.compile("(?i)10\\.[0-9]{4}|https?:|[a-z]+:")
_CONTINUATION: Final = re.compile("[0-9a-z]*[0-9]")
_MAX_LINES: Final = 3


def rejoin(text: str) -> str:
    """Return the text with each divided identifier in one piece, and with spaces between adjacent ones."""
    text = _SPACED_SLASH.sub(r"\1/", _JOINT.sub(" ", text))
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
