"""The locales of citations, those of citeproc-py.

>>> locale_named("de"), locale_named("pt-br"), locale_named("x-y")
('de-DE', 'pt-BR', None)
"""

import json
from functools import cache
from pathlib import Path
from typing import Final

import citeproc

DEFAULT: Final = "en-US"


def locale_named(name: str) -> str | None:
    """Return the locale of a language tag (BCP 47), the primary one of a language alone; None if there is none."""
    return _locales().get(name.replace("_", "-").lower())


def locale_names() -> tuple[str, ...]:
    """Return the names of all locales, sorted."""
    return tuple(sorted(set(_locales().values())))


@cache
def _locales() -> dict[str, str]:
    listed = json.loads((Path(citeproc.LOCALES_PATH) / "locales.json").read_text(encoding="utf-8"))
    primary = {language.lower(): name for language, name in listed["primary-dialects"].items()}
    return primary | {name.lower(): name for name in listed["language-names"]}
