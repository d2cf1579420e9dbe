"""Picking: identifiers out of the prose that they were pasted with.

What print puts around an identifier is no part of it: the space behind `PMID:`, the full stop of a sentence, a whole
citation. A text that is an identifier as it stands is left alone, but for a DOI or Handle with punctuation at its end,
which is possible and never meant.

>>> plain("PMID: 12345"), plain(" ISBN 978 3 16 148410 0 "), unpunctuated("(10.5281/zenodo.31780).")
('PMID:12345', 'ISBN:9783161484100', '10.5281/zenodo.31780')
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from coolid.errors import BadReference, CoolidError, Unavailable
from coolid.model.prefixes import BOUNDARIES, HANDLES, Namespace, ProviderPrefix, fold, is_date_qualified, join
from coolid.recognition.detection import SchemeMatch, detect
from coolid.recognition.unwrap import unwrap, url_of, without_wrapping
from coolid.registry.prefix_lookup import PrefixMatch, find, lookup, roots
from coolid.registry.references import Reference, sendable
from coolid.resolution.resolver import Decision, ProviderRedirect, foreign_identifier, matches, resolve
from coolid.store.reader import Reader

MOST: Final = 5
"""Identifiers that are picked out of a text."""
MOST_ASKED: Final = 20
"""Words of a text for which the store is asked."""

_SPOKEN: Final = re.compile(
    r"(?i)(?:(ark|doi|hdl|isbn(?:-1[03])?|isni|issn|orcid|ror)|([a-z0-9][a-z0-9._+-]{0,127}):)\s+(\S+)"
)
_ISBN: Final = re.compile(r"(?i)((?:isbn(?:-1[03])?(?::\s*|\s+))?)((?:97[89][ -]?)?(?:[0-9][ -]?){9}[0-9x])")
_ROOTED: Final = re.compile(r"^/(?=[^\s/\\])")
_NAME: Final = re.compile("(?i)[a-z0-9][a-z0-9._+-]{0,127}:")
_DOI: Final = re.compile(r"10\.[0-9]{2,9}(?:\.[0-9]+)*/.+")
_CLOSING: Final = {")": "(", "]": "[", "}": "{", ">": "<", "”": "“", "»": "«"}
_OPENING: Final = "([{<“«\"'"
_MOST_ENDS: Final = 16

HOMES: Final = {
    "doi": "doi",
    "handle": "hdl",
    "isbn": "isbn",
    "isni": "isni",
    "issn": "issn",
    "orcid": "orcid",
    "ror": "ror",
}
"""The prefix of each scheme that knows its identifiers without one."""
_TELLING: Final = ("isbn", "orcid")
"""Those of them whose identifiers no other number in a citation is taken for."""


def plain(typed: str) -> str:
    """The text without the space around it, and without the one that print has behind a prefix or inside an ISBN.

    Nor is the slash part of it with which the path of an address was copied.

    >>> plain("DOI: 10.5281/zenodo.31780"), plain("ISBN 0-14-029161-X"), plain("mp: x"), plain("a: b c")
    ('DOI:10.5281/zenodo.31780', 'ISBN:0-14-029161-X', 'mp:x', 'a: b c')
    """
    text = _ROOTED.sub("", typed.strip())
    number = _ISBN.fullmatch(text)
    if number:
        text = number[1] + number[2].replace(" ", "")
    spoken = _SPOKEN.fullmatch(text)
    return f"{spoken[1] or spoken[2]}:{spoken[3]}" if spoken else text


def unpunctuated(text: str) -> str:
    """The text without its wrapping, and without the punctuation that ends it and is of the sentence around it.

    >>> unpunctuated("10.1016/S0140-6736(05)67889-4"), unpunctuated("GO:0006915;"), unpunctuated("“mp:x”),")
    ('10.1016/S0140-6736(05)67889-4', 'GO:0006915', 'mp:x')
    """
    text = without_wrapping(text)
    for _ in range(_MOST_ENDS):
        last = text[-1:]
        if last not in (".", ",", ";") and text.count(last) <= text.count(_CLOSING.get(last, last)):
            break
        text = without_wrapping(text[:-1])
    return text


def extract(text: str, base_url: str, reader: Reader) -> tuple[str, ...]:
    """What is more likely meant than the text as it is, at most `MOST`: nothing where that is an identifier itself.

    Of a text without spaces this is the text without punctuation. Raises `StoreUnavailable` and `LineNotTried`.
    """
    bare = without_wrapping(text)
    is_prose = len(bare.split(None, 1)) > 1
    trimmed = unpunctuated(plain(bare) if is_prose else bare)
    if not is_prose and trimmed == bare:
        return ()
    exact = _decision(bare, base_url, reader)
    if exact is not None and not (isinstance(exact, ProviderRedirect) and _is_doubtful(exact, is_prose=is_prose)):
        return ()
    if trimmed[-1:] in BOUNDARIES or (is_prose and _is_ours(bare, base_url, reader)):
        return ()
    if is_prose and (len(trimmed.split(None, 1)) > 1 or trimmed == unpunctuated(bare)):
        return _among(bare.split(), base_url, reader)
    inner = _decision(trimmed, base_url, reader)
    if inner is not None and (exact is None or _is_better(inner)):
        return (trimmed,)
    return (trimmed,) if exact is None and at_home(detect(trimmed), reader) else ()


def at_home(judgements: Sequence[SchemeMatch], reader: Reader) -> tuple[str, str] | None:
    """The registered prefix of the first scheme that knows its bare identifier for sure, and what stands behind it."""
    for judgement in judgements:
        home = HOMES.get(judgement.scheme) if judgement.valid else None
        prefix = lookup(home, reader) if home is not None else None
        if prefix is not None:
            return prefix.name, _bare(judgement)
    return None


def _decision(text: str, base_url: str, reader: Reader) -> Decision | None:
    """What the text resolves to; None where it is refused."""
    try:
        reference = Reference.of(sendable(unwrap(text, base_url).text))
        return resolve(reference, reader, suggestion_keys=0)
    except Unavailable:
        raise
    except CoolidError:
        return None


def _is_ours(text: str, base_url: str, reader: Reader) -> bool:
    """Whether it stands under a namespace of ours, whose refusal tells more: spaces may be in the place of hyphens."""
    match = _match(_unwrapped(text, base_url), reader)
    return match is not None and isinstance(match.prefix, Namespace) and not match.identifier[:1].isspace()


def _is_doubtful(redirect: ProviderRedirect, *, is_prose: bool) -> bool:
    """Whether an identifier that others keep is written otherwise than theirs."""
    pattern = redirect.prefix.pattern
    if not is_prose and redirect.prefix.name in HANDLES:
        return True
    return pattern is not None and not matches(pattern, redirect.identifier)


def _is_better(decision: Decision) -> bool:
    """Whether an identifier without its punctuation is to be preferred to one of others with it."""
    return isinstance(decision, ProviderRedirect) and (
        decision.prefix.name in HANDLES or not _is_doubtful(decision, is_prose=False)
    )


def _among(words: Sequence[str], base_url: str, reader: Reader) -> tuple[str, ...]:
    """The identifiers among the words of a text, in their order."""
    texts: dict[str, str] = {}
    for text in _candidates(words, base_url):
        texts.setdefault(fold(text), text)
        if len(texts) == MOST_ASKED:
            break
    # One batch: of a word whose shortest prefix is not registered, nothing else is read.
    names = dict.fromkeys(name for text in texts.values() for name in _roots(text))
    if names:
        reader.prefixes(tuple(names))
    found: dict[str, str] = {}
    for text in texts.values():
        if len(found) == MOST:
            break
        identifier = _identifier(text, reader)
        if identifier is not None:
            found.setdefault(fold(identifier), identifier)
    return tuple(found.values())


def _roots(text: str) -> tuple[str, ...]:
    """The shortest names of prefixes that a word may begin with; none for a text that cannot be read."""
    try:
        return roots(Reference.of(sendable(text)))
    except BadReference:
        return ()


def _candidates(words: Sequence[str], base_url: str) -> Iterator[str]:
    """What has the form of an identifier with its prefix, or of one that needs none."""
    label = ""
    for written in words:
        word, before = unpunctuated(written.lstrip(_OPENING)), label
        label = word if _NAME.fullmatch(word) else ""
        if label:
            continue
        if url_of(word, base_url) is not None:
            inner = _unwrapped(word, base_url)
            if inner != word:
                yield inner
        elif _DOI.match(word):
            yield f"doi:{word}"
        elif before and any(map(str.isdigit, word)) and ":" not in word:
            yield before + word
        elif ":" in word or is_date_qualified(word):
            yield _unwrapped(word, base_url)
        elif word[:1].isdigit() and 10 <= len(word) <= 19 and _is_telling(word):
            yield word


def _match(text: str, reader: Reader) -> PrefixMatch | None:
    try:
        return find(Reference.of(sendable(text)), reader)
    except Unavailable:
        raise
    except CoolidError:
        return None


def _is_telling(word: str) -> bool:
    return any(each.scheme in _TELLING and each.valid for each in detect(word))


def _unwrapped(word: str, base_url: str) -> str:
    try:
        return unwrap(word, base_url).text
    except CoolidError:
        return word


def _identifier(text: str, reader: Reader) -> str | None:
    """The text if its prefix is registered and it looks like one of its identifiers; a bare number with its prefix."""
    if ":" not in text and not is_date_qualified(text):
        home = at_home([each for each in detect(text) if each.scheme in _TELLING], reader)
        return join(*home) if home is not None else None
    match = _match(text, reader)
    if match is None or not match.identifier:
        return None
    if isinstance(match.prefix, ProviderPrefix) and match.prefix.pattern:
        fits = matches(match.prefix.pattern, foreign_identifier(match.prefix, match.identifier))
        return text if fits else None
    return text


def _bare(judgement: SchemeMatch) -> str:
    """The identifier as it stands behind the prefix of its scheme.

    >>> _bare(SchemeMatch("ror", True, "https://ror.org/03yrm5c26")), _bare(SchemeMatch("isbn", True, "978-0-14-029161-2"))
    ('03yrm5c26', '9780140291612')
    """
    assert judgement.canonical is not None  # it is valid
    match judgement.scheme:
        case "isbn" | "isni":
            return judgement.canonical.replace("-", "").replace(" ", "")
        case "ror":
            return judgement.canonical.rpartition("/")[2]
        case "doi" | "handle":
            return judgement.canonical.partition(":")[2]
        case _:
            return judgement.canonical
