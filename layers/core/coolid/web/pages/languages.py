"""The languages of pages. English stands in the templates and in `coolid.web.pages.words`; another language is a
catalog of gettext (https://www.gnu.org/software/gettext/manual/) that is entered here.

What records, problems and rules say of themselves is data, in whatever language it was written.

>>> language_of(Request("GET", "/", headers={"accept-language": "de, en;q=0.5"})), language_of(None)
('en', 'en')
"""

from gettext import NullTranslations
from typing import Final

from coolid.web.message import Request
from coolid.web.negotiation import wishes_of

DEFAULT: Final = "en"
LANGUAGES: Final[dict[str, NullTranslations]] = {DEFAULT: NullTranslations()}
"""Catalogs by language tag in lower case (RFC 5646)."""


def language_of(request: Request | None) -> str:
    """The language that a client likes best of those that there are (RFC 4647, section 3.4, "Lookup")."""
    ranges = (wishes_of(request).languages if request is not None else None) or ()
    for tag, weight in sorted(ranges, key=lambda each: -each[1]):
        while tag and weight:
            if tag in LANGUAGES:
                return tag
            tag = tag.rpartition("-")[0]  # noqa: PLW2901 - the range loses its last part until a language has it
    return DEFAULT
