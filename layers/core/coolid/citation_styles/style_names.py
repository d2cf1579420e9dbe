"""The citation styles, each by its own name and by those that people use.

>>> style_named("MLA").file, style_named("unknown")
('modern-language-association', None)

A name of a style is that of its file in the repository of the CSL project. `styles/LICENSE` names authors and licence.
"""

from typing import Final

from msgspec import Struct


class Style(Struct, frozen=True):
    """A style, the name of its `file`, and its other names."""

    file: str
    title: str
    aliases: tuple[str, ...] = ()


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
