"""Lookalikes: host names whose letters come from several scripts, so that they may pass for other names.

Unicode Technical Standard 39, section 5.2, level "highly restrictive", on each label: its letters, marks and digits
are of one script in common use (UAX 31, Table 5), or of those that are written together in Japanese, Chinese and
Korean, Latin among them. Scripts are those of RE2's tables (the property Script; what is common to several scripts
counts for none). A whole label in one script that looks like a word in another is not found out: that needs the
names it might be taken for.

>>> suspicion("xn--pple-43d")
'xn--pple-43d mixes scripts: Cyrillic, Latin'
>>> suspicion("xn--bcher-kva"), suspicion("apple")
(None, None)
"""

from functools import cache
from typing import Final

from coolid.identifiers.patterns import matches

_TOGETHER: Final = (
    ("Latin", "Han", "Hiragana", "Katakana"),
    ("Latin", "Han", "Bopomofo"),
    ("Latin", "Han", "Hangul"),
)
_ALONE: Final = (
    "Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati", "Gurmukhi",
    "Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana",
    "Thai", "Tibetan",
)  # fmt: skip
_SCRIPTS: Final = sorted({*_ALONE, *(script for group in _TOGETHER for script in group)})
# RFC 5892: letters, marks, digits, and what is allowed in its context; symbols such as U+2044, a slash to the eye, not.
_WRITING: Final = r"[\p{L}\p{M}\p{Nd}\x{B7}\x{375}\x{5F3}\x{5F4}\x{30FB}\x{200C}\x{200D}-]*"


def suspicion(label: str) -> str | None:
    """What is suspicious about a label as the DNS has it, in ASCII; None if nothing is, or it is no A-label."""
    if not label.startswith("xn--"):
        return None
    text = label[4:].encode("ascii").decode("punycode")
    if not matches(_WRITING, text):
        return f"{label} has symbols in it"
    if matches(_allowed(), text):
        return None
    scripts = [script for script in _SCRIPTS if matches(rf".*\p{{{script}}}.*", text)]
    if len(scripts) < 2:
        return f"{label} has letters of a script that is not in common use"
    return f"{label} mixes scripts: {', '.join(scripts)}"


@cache
def _allowed() -> str:
    groups = (*_TOGETHER, *((script,) for script in _ALONE))
    classes = ("".join(rf"\p{{{script}}}" for script in ("Common", "Inherited", *group)) for group in groups)
    return "|".join(f"[{each}]*" for each in classes)
