"""Detection of host names that mix scripts, so that they may look like other names.

Unicode Technical Standard 39, section 5.2, level "highly restrictive", on each label: its letters, marks and digits
are of one script in common use (UAX 31, Table 5), or of those that are written together in Japanese, Chinese and
Korean, including Latin. Scripts are those of RE2's tables (property Script; characters common to several scripts
belong to none). A label in one script that looks like a word in another is not detected, because that needs a list of
the imitated names.

>>> label_warning("xn--pple-43d")
'xn--pple-43d mixes scripts: Cyrillic, Latin'
>>> label_warning("xn--bcher-kva"), label_warning("apple")
(None, None)
"""

from functools import cache
from typing import Final

from coolid.identifiers.patterns import matches

_COMBINED_SCRIPTS: Final = (
    ("Latin", "Han", "Hiragana", "Katakana"),
    ("Latin", "Han", "Bopomofo"),
    ("Latin", "Han", "Hangul"),
)
_SINGLE_SCRIPTS: Final = (
    "Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati", "Gurmukhi",
    "Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana",
    "Thai", "Tibetan",
)  # fmt: skip
_SCRIPTS: Final = sorted({*_SINGLE_SCRIPTS, *(script for group in _COMBINED_SCRIPTS for script in group)})
# RFC 5892: letters, marks, digits, and characters allowed in context; not, for example, U+2044, a lookalike slash.
_WORD_SYMBOLS: Final = r"[\p{L}\p{M}\p{Nd}\x{B7}\x{375}\x{5F3}\x{5F4}\x{30FB}\x{200C}\x{200D}-]*"


def label_warning(label: str) -> str | None:
    """Return a warning about a label in DNS form (ASCII), or None; None also if it is no A-label."""
    if not label.startswith("xn--"):
        return None
    text = label[4:].encode("ascii").decode("punycode")
    if not matches(_WORD_SYMBOLS, text):
        return f"{label} has symbols in it"
    if matches(_allowed(), text):
        return None
    scripts = [script for script in _SCRIPTS if matches(rf".*\p{{{script}}}.*", text)]
    if len(scripts) < 2:
        return f"{label} has letters of a script that is not in common use"
    return f"{label} mixes scripts: {', '.join(scripts)}"


@cache
def _allowed() -> str:
    groups = (*_COMBINED_SCRIPTS, *((script,) for script in _SINGLE_SCRIPTS))
    classes = ("".join(rf"\p{{{script}}}" for script in ("Common", "Inherited", *group)) for group in groups)
    return "|".join(f"[{each}]*" for each in classes)
