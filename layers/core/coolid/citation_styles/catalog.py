"""The citation styles and locales that are available, each by its own name and by those that people use.

>>> style_named("MLA").file, locale_named("de"), locale_named("pt-br")
('modern-language-association', 'de-DE', 'pt-BR')
>>> style_named("unknown") is None, locale_named("x-y") is None
(True, True)

A name of a style is that of its file in the repository of the CSL project. `styles/LICENSE` names authors and licence.
"""

import json
from functools import cache
from pathlib import Path
from typing import Final

import citeproc
from msgspec import Struct

FOLDER: Final = Path(__file__).parent / "styles"
DEFAULT_LOCALE: Final = "en-US"


class Style(Struct, frozen=True):
    """A style, the name of its `file`, and its other names."""

    file: str
    title: str
    aliases: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Return the path of its file."""
        return FOLDER / f"{self.file}.csl"


STYLES: Final = (
    Style("american-chemical-society", "American Chemical Society", ("acs",)),
    Style("american-medical-association", "American Medical Association", ("ama",)),
    Style("american-physics-society", "American Physical Society", ("aps",)),
    Style("apa", "American Psychological Association (APA)", ("american-psychological-association",)),
    Style("cell", "Cell"),
    Style("chicago-author-date", "Chicago Manual of Style (author-date)", ("chicago",)),
    Style("chicago-notes-bibliography", "Chicago Manual of Style (notes and bibliography)", ("chicago-notes",)),
    Style("din-1505-2", "DIN 1505-2", ("din-1505",)),
    Style("elsevier-harvard", "Elsevier (Harvard)"),
    Style("harvard-cite-them-right", "Cite Them Right (Harvard)", ("harvard", "harvard1")),
    Style("ieee", "IEEE"),
    Style("iso690-author-date-en", "ISO 690 (author-date)", ("iso690", "iso690-author-date")),
    Style("modern-language-association", "Modern Language Association (MLA)", ("mla",)),
    Style("nature", "Nature"),
    Style("nlm-citation-sequence", "Vancouver (NLM)", ("vancouver", "nlm")),
    Style("plos", "PLOS"),
    Style("science", "Science"),
)
_BY_NAME: Final = {name: each for each in STYLES for name in (each.file, *each.aliases)}


def style_named(name: str) -> Style | None:
    """Return the style of a name, in any case, or None."""
    return _BY_NAME.get(name.lower())


def style_names() -> tuple[str, ...]:
    """Return all names of styles, sorted."""
    return tuple(sorted(_BY_NAME))


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
