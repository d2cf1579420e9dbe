"""What a pasted text is, without a service: its candidates, and its canonical form or why it has none.

>>> parse("orcid:0000-0002-1825-0098").candidates[0].reason
'its check digits are 8, but the other symbols call for 7'
>>> validate(" https://doi.org/10.5281/ZENODO.31780 ")
'doi:10.5281/zenodo.31780'
>>> parse("PubMed ID: 12345678").canonical, parse("ISBN 10: 0-14-029161-X").canonical
('pubmed:12345678', '978-0-14-029161-2')
"""

from collections.abc import Iterator

from msgspec import Struct

from coolid.errors import BadReference, InvalidIdentifier
from coolid.identifiers.schemes import linkid
from coolid.recognition.detection import SCHEMES, SchemeMatch, canonical_form, detect
from coolid.recognition.labels import PREFIXES
from coolid.recognition.mentions import mentions
from coolid.recognition.plain_text import plain_text
from coolid.recognition.unwrap import unwrap_any_url
from coolid.registry.references import MAX_PASTED_CHARACTERS


class ParsedText(Struct, frozen=True):
    """A text with the schemes that it could belong to, valid ones first; or why it cannot be an identifier at all."""

    text: str
    candidates: tuple[SchemeMatch, ...] = ()
    refused: str | None = None

    @property
    def valid(self) -> bool:
        """Whether it is valid in a scheme."""
        return any(each.valid for each in self.candidates)

    @property
    def scheme(self) -> str | None:
        """The name of the most likely scheme."""
        return self.candidates[0].scheme if self.candidates else None

    @property
    def canonical(self) -> str | None:
        """The canonical form in that scheme, if it is valid."""
        return self.candidates[0].canonical if self.candidates else None

    @property
    def reason(self) -> str | None:
        """Why it is not valid."""
        if self.candidates:
            return self.candidates[0].reason
        return self.refused or "no scheme has this form"


def parse(text: str) -> ParsedText:
    """Return what a text is: bare, with its prefix or label, as a URL, or in other text. Every text has a result."""
    try:
        matches = detect(unwrap_any_url(text).text)
    except BadReference as error:
        return ParsedText(text, refused=str(error))
    if len(text) <= MAX_PASTED_CHARACTERS and not any(each.valid and not each.guess for each in matches):
        matches = (*matches_within(text), *matches)
    return ParsedText(text, matches)


def matches_within(text: str) -> Iterator[SchemeMatch]:
    """Yield the first valid match of each mention in a text, for schemes and for prefixes with a label in the table.

    LinkIDs are not found in text, as `coolid.recognition.extraction` explains.
    """
    for mention in mentions(plain_text(text)):
        for reading in (*mention.readings, *mention.named):
            match = next((each for each in detect(reading) if each.valid and not each.guess), None)
            if (
                match
                and match.scheme != linkid.NAME
                and (match.scheme != "curie" or reading.partition(":")[0] in PREFIXES)
            ):
                yield match
                break


def validate(text: str, scheme: str | None = None) -> str:
    """Return the canonical form of an identifier in a scheme, or in the most likely one.

    In the scheme `linkid` no URL is reduced to the identifier in it, because a resolver's URL is not the LinkID. Raises
    `InvalidIdentifier`, with a subclass for what is wrong if the scheme is named, `BadReference` for a text that
    is no identifier, and `ValueError` for a scheme that is none of `SCHEMES`.
    """
    if scheme is None:
        parsed = parse(text)
        if parsed.canonical is not None:
            return parsed.canonical
        raise (InvalidIdentifier(text, str(parsed.reason)) if parsed.candidates else BadReference(str(parsed.reason)))
    if scheme not in SCHEMES:
        raise ValueError(f"there is no scheme {scheme!r}; the schemes are {', '.join(SCHEMES)}")
    return canonical_form(scheme, text if scheme == linkid.NAME else unwrap_any_url(text).text)
