"""The subjects of a thing: DataCite's subjects, and schema.org's keywords and defined terms.

>>> [each.text for each in subjects({"keywords": "tea, milk"})]
['tea', 'milk']
"""

from collections.abc import Iterator, Mapping
from typing import Final

from coolid.http.formats.description.json_values import Members, each_of, member, text_of, texts_of
from coolid.http.formats.description.model import Subject
from coolid.http.formats.metadata_terms import NAMES
from coolid.http.formats.uris import uri_of

_SUBJECTS: Final = ("subjects", "subject", "keywords", "keyword", "about")
_URIS: Final = ("valueUri", "valueURI", "@id", "url", "uri", "id", "sameAs")

MEMBERS: Final = frozenset(_SUBJECTS)
"""The members that this module reads."""


def subjects(metadata: Members) -> Iterator[Subject]:
    """Yield the subjects; a text of keywords is split at commas."""
    for name in _SUBJECTS:
        value = metadata.get(name)
        if isinstance(value, str):
            yield from (Subject(text) for part in value.split(",") if (text := text_of(part)))
            continue
        for item in each_of(value):
            details = _details(item) if isinstance(item, Mapping) else {}
            for text, lang in texts_of(item, "subject", *NAMES):
                yield Subject(text, lang=lang, **details)
            if not any(texts_of(item, "subject", *NAMES)) and details.get("uri"):
                yield Subject(details["uri"], **details)


def _details(value: Members) -> dict[str, str]:
    """Return the vocabulary and the term of a subject in any of the shapes."""
    vocabulary = next(each_of(value.get("inDefinedTermSet")), None)
    in_set = (
        vocabulary
        if isinstance(vocabulary, Mapping)
        else {"name" if not uri_of(text_of(vocabulary)) else "url": text_of(vocabulary)}
    )
    return {
        "scheme": member(value, "subjectScheme", "scheme") or member(in_set, "name"),
        "scheme_uri": member(value, "schemeUri", "schemeURI") or member(in_set, "@id", "url"),
        "uri": next(filter(None, (uri_of(member(value, name)) for name in _URIS)), "") or "",
        "code": member(value, "classificationCode", "termCode"),
    }
