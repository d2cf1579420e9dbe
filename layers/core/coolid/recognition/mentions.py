"""The mentions of identifiers in a text, found without a store, each with the identifiers that it could be.

Each word with a digit has readings, in this order: the identifier in a URL, a CURIE or ARK, and a DOI. Then follow
the value of a label (`coolid.recognition.labels`), a name that contains its label (`PMC3084216`), and a number with
check digits.
`coolid.recognition.extraction` decides which reading is right.

>>> [mention.readings for mention in mentions("ISSN (online): 2049-3630, PMID 12345678")]
[('issn:2049-3630',), ('PMID:12345678', 'pubmed:12345678')]
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.identifiers.schemes import bibcode
from coolid.model.prefixes import is_date_qualified
from coolid.recognition.accessions import guess_accession
from coolid.recognition.detection import SCHEME_PREFIXES, detect, judge, plain_identifier
from coolid.recognition.labels import MAX_WORDS, label_in, without_generic
from coolid.recognition.unwrap import identifier_in, strip_wrapping, url_of

MAX_MENTIONS: Final = 500
"""The words of a text that are examined."""

_TOKEN: Final = re.compile(r"\S+")
_BEFORE: Final = "([{<\"'`*#"
_AFTER: Final = "\"'`*!?"
_CLOSING: Final = {")": "(", "]": "[", "}": "{", ">": "<", "”": "“", "»": "«"}
_MAX_ENDS: Final = 16

_URL: Final = re.compile("(?i)https?:/")
_DOI: Final = re.compile(
    r"(?is)(?:(?:^|(?<=[^0-9a-z./]))(?=10\.[0-9]{4})|doi\.org/|(?<=doi)|(?<=doi\.))(10\.[0-9]{2,9}(?:\.[0-9]+)*/.+)"
)
"""A DOI; without a label, its registrant has at least four digits, because prices and versions have fewer."""
_OTHER_PREFIX: Final = re.compile("(?i)(?<!doi)(?<=[0-9a-z]):$")
_SEPARATOR: Final = re.compile(r"[\s:=#\"'({\[<-]*$")
_SEPARATES: Final = re.compile("[:=#]|- ")
_IN_WORD: Final = re.compile("[:=#)]+[\"'{(]*|}{")
_GLUED: Final = re.compile(r"[A-Za-z-]{2,12}\)?(?=[0-9])")
_MAX_STARTS: Final = 4
_MAX_LABEL: Final = 64
_NAME: Final = re.compile("[A-Za-z0-9][A-Za-z0-9._+-]{0,127}")
_PMC: Final = re.compile(r"(?i)PMC[0-9]{4,10}(?:\.[0-9]+)?")
_UNDERSCORED: Final = re.compile("([A-Za-z][A-Za-z0-9.]{1,20})_([0-9]{3,12})")
_INCHIKEY: Final = re.compile("[A-Z]{14}-[A-Z]{10}")
_URN: Final = re.compile("(?i)(?:urn:([0-9a-z-]{2,32}):|info:([a-z]{2,32})/)(.+)")
_REMARK: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NUMBER: Final = re.compile("[0-9](?:[ -]{0,3}[0-9Xx]){7,16}(?![0-9A-Za-z])")
_SIZES: Final = {"isbn": (13, 10), "issn": (8,), "isni": (16,), "orcid": (16,)}
_WORDS: Final = frozenset({"ark", "ec", "handle", "taxon", "taxonomy", "ads", "snp"})
"""Labels that are also other words or abbreviations. In prose they need a separator."""
_LEAST_DIGITS: Final = 5
"""The digits of a number that follows a label in prose without a separator."""


class Mention(Struct, frozen=True):
    """A part of a text, from `start` to `end` with its label, and its possible `readings`, best first.

    `is_labelled` is true if a label of the table precedes it. The `named` readings come last. They take the words from
    `named_start` on as the name of a prefix. `is_separated` is true if a sign follows the name. The `url` of a page
    has no readings without the registry.
    """

    start: int
    end: int
    readings: tuple[str, ...]
    is_labelled: bool = False
    named: tuple[str, ...] = ()
    named_start: int = 0
    is_separated: bool = False
    url: str | None = None


class _Label(Struct, frozen=True):
    """The words before a value: where they start, the prefixes in the table of labels, and if a sign separates them."""

    start: int
    words: tuple[str, ...]
    prefixes: tuple[str, ...]
    is_separated: bool


def mentions(text: str, base_url: str = "") -> Iterator[Mention]:
    """Yield the mentions in a plain text (`coolid.recognition.plain_text`), in their order."""
    end, numbered = 0, ""
    distinctive = (token for token in _TOKEN.finditer(text) if _is_distinctive(token[0]))
    for token in islice(distinctive, MAX_MENTIONS):
        start = max(token.start(), end)
        core = trim(text[start : token.end()])
        if not _is_distinctive(core):
            continue
        at = text.index(core, start)
        mention = _mention(text, at, core, base_url) or next(_numbered_mentions(text, at, numbered), None)
        if mention is not None:
            end = mention.end
            numbered = mention.readings[0].partition(":")[0] if mention.readings else ""
            yield mention


def has_words_beside(text: str, found: Sequence[Mention] = ()) -> bool:
    """Return whether a text has words outside these mentions, other than remarks in brackets.

    >>> has_words_beside(" [cs.CL] (2020)."), has_words_beside("see also")
    (False, True)
    """
    for mention in reversed(found):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return re.search(r"[^\W_]", _REMARK.sub("", text)) is not None


def trim(word: str) -> str:
    """Return a word without the brackets and quotes before it, and without the punctuation and marks after it."""
    word = word.lstrip(_BEFORE)
    for _ in range(_MAX_ENDS):
        trimmed = strip_punctuation(word.rstrip(_AFTER))
        if trimmed == word:
            break
        word = trimmed
    return word


def strip_punctuation(text: str) -> str:
    """Return the text without its wrapping and the sentence's punctuation at its end.

    >>> [strip_punctuation(text) for text in ("10.1016/S0140-6736(05)67889-4", "GO:0006915;", "“mp:x”),")]
    ['10.1016/S0140-6736(05)67889-4', 'GO:0006915', 'mp:x']
    """
    text = strip_wrapping(text)
    for _ in range(_MAX_ENDS):
        last = text[-1:]
        if last not in (".", ",", ";", "\\") and text.count(last) <= text.count(_CLOSING.get(last, last)):
            break
        text = strip_wrapping(text[:-1])
    return text


def _is_distinctive(word: str) -> bool:
    """Return whether a word is none of a language: it has a digit, or is an InChIKey."""
    return any(map(str.isdigit, word)) or _INCHIKEY.search(word) is not None


def _mention(text: str, at: int, core: str, base_url: str) -> Mention | None:
    """Return the mention that a word is, or None if nothing about it is like an identifier."""
    url = _URL.search(core)
    site = core[url.start() :] if url and not any(map(str.isdigit, core[: url.start()])) else core
    if url_of(site, base_url) is not None:
        inner = identifier_in(site, base_url)
        label = _label_before(text, at + len(core) - len(site))
        start = label.start if label is not None and label.prefixes else at
        return Mention(start, at + len(core), (inner,) if inner != site else (), url=site if inner == site else None)
    readings, doi = [], _DOI.search(core)
    if doi and _OTHER_PREFIX.search(core[: doi.start(1)]):
        doi = None
    if is_date_qualified(core) or (":" in core and not (doi and core[: doi.start(1)].lower().endswith("doi:"))):
        readings.append(identifier_in(core, base_url))
    if doi:
        readings.append(f"doi:{trim(doi[1])}")
    urn = _URN.fullmatch(core)
    if urn:
        readings += [f"{urn[1] or urn[2]}:{urn[3]}", f"{urn[1]}:{core}"]
    mention = Mention(at, at + len(core), ())
    for value_start in _starts(core):
        label = _label_before(text, at + value_start)
        labelled = _labelled(text, at + value_start, trim(core[value_start:]), label) if label else None
        if labelled is not None and labelled.is_labelled:
            readings.extend(labelled.readings)
            mention = replace(
                mention, start=min(mention.start, labelled.start), end=max(mention.end, labelled.end), is_labelled=True
            )
        elif labelled is not None and not mention.named:
            mention = replace(
                mention, named=labelled.readings, named_start=labelled.start, is_separated=labelled.is_separated
            )
    readings.extend(_unlabelled(core))
    mention = replace(mention, readings=tuple(dict.fromkeys(readings)))
    return mention if mention.readings or mention.named else None


def _numbered_mentions(text: str, at: int, prefix: str) -> Iterator[Mention]:
    """Yield the mention of a number without a label, of the same scheme as the number before it."""
    for number, end in _numbers(text, at, prefix):
        yield Mention(at, end, (f"{prefix}:{number}",))


def _starts(core: str) -> Iterator[int]:
    """Yield where a value can start in a word: at its beginning, and after each label in it."""
    separators = (found.end() for found in _IN_WORD.finditer(core))
    for start in (0, *islice(separators, _MAX_STARTS)):
        yield start
        glued = _GLUED.match(core, start)
        if glued and guess_accession(core[start:]) is None:  # the letters of an accession number are part of it
            yield glued.end()


def _label_before(text: str, at: int) -> _Label | None:
    """Return the longest label of the table that ends where a value starts, or else the words there; None without."""
    begin = max(0, at - _MAX_LABEL)
    tail = text[begin:at]
    separator = _SEPARATOR.search(tail)
    assert separator is not None  # it can be empty
    words = list(re.finditer(r"[^\s:=#{}\"]+", tail[: separator.start()]))[-MAX_WORDS:]
    if not words:
        return None
    is_separated = _SEPARATES.search(separator[0]) is not None
    for first in range(len(words)):
        written = tuple(word[0] for word in words[first:])
        prefixes = label_in(written)
        if prefixes:
            is_separated |= len(without_generic(written)) < len(written)
            return _Label(begin + words[first].start(), written, prefixes, is_separated)
    first = len(words) - 1 if text[: begin + words[0].start()].strip(f"{_BEFORE} \n") else 0
    return _Label(begin + words[first].start(), tuple(word[0] for word in words[first:]), (), is_separated)


def _labelled(text: str, at: int, value: str, label: _Label) -> Mention | None:
    """Return the mention of a value with its label, or None if the label means nothing here."""
    if not _is_distinctive(value):
        return None
    for prefix in label.prefixes:
        numbers = tuple(_numbers(text, at, prefix))
        if numbers:
            number, end = numbers[0]
            return Mention(label.start, end, (f"{prefix}:{number}",), is_labelled=True)
    is_whole = not (text[: label.start].strip(f"{_BEFORE} \n") or has_words_beside(text[at + len(value) :]))
    if not label.prefixes:
        if text[at - 1].isalnum() or not (label.is_separated or is_whole):
            return None
        names = _spelled_names(label.words) if is_whole else label.words[-1:]
        readings = tuple(f"{name}:{value}" for name in names if _NAME.fullmatch(name.replace(" ", "_")))
        start = label.start if is_whole else at
        return Mention(start, at + len(value), readings, is_separated=label.is_separated) if readings else None
    if not (label.is_separated or is_whole or _is_clear(label, value)):
        return None
    words = tuple(word.strip("()[]") for word in label.words)
    written = words if len(words) == 1 and _NAME.fullmatch(words[0]) else ()
    readings = tuple(f"{name}:{value}" for name in (*written, *label.prefixes))
    return Mention(label.start, at + len(value), readings, is_labelled=True)


def _is_clear(label: _Label, value: str) -> bool:
    """Return whether a label of the table needs no separator before this value in prose."""
    if label.words[-1].lower() in _WORDS:
        return False
    return not value.isdigit() or len(value) >= _LEAST_DIGITS


def _spelled_names(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of prefixes that these words could be.

    >>> _spelled_names(("MeSH", "ID"))
    ('MeSH ID', 'MeSHID', 'MeSH_ID', 'MeSH-ID', 'MeSH')
    """
    stem = without_generic(words)
    names = [sign.join(words) for sign in (" ", "", "_", "-")] + [sign.join(stem) for sign in (" ", "", "_", ".", "-")]
    return tuple(dict.fromkeys(names))


def _numbers(text: str, at: int, prefix: str) -> Iterator[tuple[str, int]]:
    """Yield the valid numbers of a scheme with check digits that start here, spaces or not, each with its end."""
    sizes = _SIZES.get(prefix, ())
    number = _NUMBER.match(text, at) if sizes else None
    if number is None:
        return
    symbols = [symbol.start() for symbol in re.finditer("[0-9Xx]", number[0])]
    for size in sizes:
        if len(symbols) < size or (len(symbols) > size and symbols[size] == symbols[size - 1] + 1):
            continue
        end = symbols[size - 1] + 1
        match = judge(prefix, re.sub("[ -]", "", number[0][:end]))
        if match.valid:
            yield plain_identifier(match), at + end


def _unlabelled(core: str) -> tuple[str, ...]:
    """Return the readings of a word without a label: a name that contains its prefix, or a number with check digits."""
    if _PMC.fullmatch(core):
        return (f"pmc:{core.upper()}",)
    if bibcode.is_valid(core):
        return (f"bibcode:{core}",)
    underscored = _UNDERSCORED.fullmatch(core)
    if underscored and guess_accession(core) is None:
        return (f"{underscored[1]}:{underscored[2]}",)
    if core[0].isdigit() and 10 <= len(core) <= 19:
        matches = (each for each in detect(core) if each.valid and each.scheme in ("isbn", "orcid") and not each.guess)
        return tuple(f"{SCHEME_PREFIXES[each.scheme]}:{plain_identifier(each)}" for each in matches)
    return ()
