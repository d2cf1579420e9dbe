"""Text that belongs to no identifier: labels, white space, quotes, markup, typographic characters.

An identifier with such text is certainly wrong, and never fills a provider's URL pattern
(`docs/explanation/decisions/0032-extraneous-text.md`). Any other identifier is redirected even if its prefix's pattern
does not match, because foreign patterns are often wrong. Evidence that a character is part of identifiers is the
prefix's example, or a pattern that names the character and matches.

>>> extraneous_character(_example("^[0-9]+$", "16333295"), "123</p>")
'it contains markup'
>>> extraneous_character(_example("^[A-Za-z 0-9]+$", "BeAn 70563"), "BeAn 1") is None
True
"""

import re
from datetime import UTC, datetime
from itertools import islice
from typing import Final
from unicodedata import normalize

from coolid.errors import ExtraneousText
from coolid.identifiers import patterns, percent_encoding
from coolid.identifiers.typography import spellings
from coolid.model.prefixes import DATA, HANDLES, NUMBERED, ProviderPrefix, fold
from coolid.registry.prefix_lookup import prefix_by_name
from coolid.store.prefixes import PrefixReader

_SPACELESS: Final = NUMBERED | {"ark", "doi"}
"""Prefixes whose specifications exclude spaces, also if a pattern permits them for legibility."""
_BRACKETED: Final = frozenset({"doi", "hdl"})
"""Prefixes with angle brackets in identifiers, such as the SICIs in DOIs (ANSI/NISO Z39.56)."""
_ARK: Final = "ark"
_DOI: Final = "doi"
_HANDLE: Final = "hdl"
"""Handles contain any printable character (RFC 3651, section 3.1)."""
_TAG: Final = re.compile(r"</?[A-Za-z][^<>:]*>|&(?:lt|gt|amp|quot|apos|nbsp|#x?[0-9A-Fa-f]+);|\\[_&#$%]")
"""Tags and character references of HTML, and escapes of TeX."""
_BRACKETS: Final = frozenset("<>")
_QUOTES: Final = frozenset('"`{}|“”„‟«»‹›')
_SPACES: Final = re.compile(r"\s")
_EDGE: Final = re.compile(r"""^[\s'‘’‚]|\s[]\s.,;:!?)}>"'*’”]*$|[‘’]$""")
_ESCAPES: Final = re.compile("(?:%[0-9A-Fa-f]{2})+")
_REPETITION: Final = re.compile(r"\{[0-9]+(,[0-9]*)?\}")
_LABEL: Final = re.compile(r"(?:^|[,;|])([^\W\d_][\w.+-]{0,127})[:/](?=.)")
_MAX_LABELS: Final = 3
_SENTENCE: Final = frozenset(",;")
_PROSE: Final = re.compile(r"""\s(?:[A-Za-z]{2,}[:\s]|[\[(<"'“„«‘]|https?:|10\.)""")
"""A space and the beginning of a word, a remark or another identifier."""
_PAIRS: Final = {")": "(", "]": "["}
_SEPARATED: Final = re.compile(r"[\s:/=#_-]*")
_AROUND: Final = " \t\u00a0\"'`“”‘’«»()[]{}<>.,;:!?*/"
"""Punctuation around an identifier in a text or path."""


def without_label(prefix: ProviderPrefix, identifier: str) -> str:
    """Return the identifier without one of its prefix's names before it, if its pattern matches the rest.

    >>> pubmed = _example("^[0-9]+$", "16333295")
    >>> [without_label(pubmed, text) for text in ("PMID123", "pmid 123", "pmid/123", "PMIDx")]
    ['123', '123', '123', 'PMIDx']
    """
    pattern = prefix.pattern
    if pattern is None or not patterns.is_supported(pattern):
        return identifier
    for label in sorted((prefix.name, *prefix.synonyms), key=len, reverse=True):
        if fold(identifier[: len(label)]) != fold(label):
            continue
        separator = _SEPARATED.match(identifier, len(label))
        rest = identifier[separator.end() if separator else len(label) :]
        if not rest or not patterns.matches(pattern, rest):
            continue
        # A pattern may permit the label, or the label may be the beginning of the identifier by chance.
        is_optional = f"({fold(label)})?" in fold(pattern) and not fold(prefix.example or "").startswith(fold(label))
        if is_optional or not patterns.matches(pattern, identifier):
            return rest
    return identifier


def require_bare(prefix: ProviderPrefix, identifier: str, reader: PrefixReader, *, strict: bool) -> None:
    """Raise `ExtraneousText` if the identifier is certainly wrong. Raises `StoreUnavailable`.

    A Handle or ARK may end with punctuation, and others with a comma or semicolon, but hardly any does; it is accepted
    if the request is `strict`.
    """
    reason = extraneous_character(prefix, identifier) or _misplaced(prefix, identifier, reader)
    is_suspect = prefix.name in (*HANDLES, _ARK) or (prefix.example is not None and identifier[-1] in _SENTENCE)
    if reason is None and is_suspect and not strict and _ends_a_sentence(identifier):
        reason = "punctuation follows it"
    if reason is not None:
        error = ExtraneousText(identifier, reason)
        error.prefix = prefix.name
        raise error


def extraneous_character(prefix: ProviderPrefix, identifier: str) -> str | None:
    """Return what the identifier contains that none under its prefix has, escaped or not; or None."""
    decoded = _without_escapes(identifier)
    if _EDGE.search(decoded) or not decoded.isprintable():
        return "it begins or ends with white space or a quote, or contains a control or invisible character"
    if decoded.endswith("\\"):
        return "it ends with a backslash"
    if _TAG.search(decoded):
        return "it contains markup"
    return _character_without_evidence(prefix, identifier, decoded)


def _character_without_evidence(prefix: ProviderPrefix, identifier: str, decoded: str) -> str | None:
    """Return what the identifier contains of which no evidence shows that identifiers have it; or None."""
    if prefix.pattern is None and prefix.example is None and prefix.name not in _SPACELESS:
        return None  # without an example and a pattern, there is no evidence
    legal, fits = _legal_characters(prefix, identifier), _fits(prefix, identifier)
    if not legal.issuperset((_QUOTES | _BRACKETS).intersection(decoded)):
        return "it contains quotes, brackets, braces or bars"
    if not legal.issuperset(_SPACES.findall(decoded if fits is False else identifier)):
        return "it contains white space"
    others = "".join(each for each in identifier if each not in legal)
    if (fits is False or prefix.name == _DOI) and (spellings(others) or any(map(_is_typographic, others))):
        return "it contains a typographic character"
    return None


def _legal_characters(prefix: ProviderPrefix, identifier: str) -> frozenset[str]:
    """Return the characters of which the example, the pattern or a specification shows that identifiers have them."""
    legal = frozenset(_without_escapes(prefix.example or ""))
    fits, pattern = _fits(prefix, identifier), _REPETITION.sub("", _without_escapes(prefix.pattern or ""))
    if fits:
        legal |= (_QUOTES | _BRACKETS).intersection(pattern)
        names_space = " " in pattern or r"\s" in pattern or patterns.matches(pattern, " ")
        legal |= frozenset(" ") if names_space else frozenset()
    elif fits is None and "<" not in identifier and not identifier.endswith(">"):
        legal |= _BRACKETS
    if prefix.name in _BRACKETED and identifier.count("<") == identifier.count(">"):
        legal |= _BRACKETS
    if prefix.name == _HANDLE and not _PROSE.search(identifier):
        legal |= _QUOTES | frozenset(" ")
    return legal - frozenset(" ") if prefix.name in _SPACELESS else legal


def _misplaced(prefix: ProviderPrefix, identifier: str, reader: PrefixReader) -> str | None:
    """Return why an identifier that its pattern refuses has other text around it, or None."""
    if prefix.pattern is None or _fits(prefix, identifier) is not False:
        return None
    if "://" in identifier:
        return "it is a URL"
    if patterns.matches(prefix.pattern, identifier.strip(_AROUND)):
        return "it begins or ends with punctuation"
    once = _without_escapes(identifier)
    if prefix.encoding == DATA and any(
        patterns.matches(prefix.pattern, each) for each in (once, _without_escapes(once))
    ):
        return "it is percent-encoded once too often"
    for label in islice(_LABEL.finditer(identifier), _MAX_LABELS):
        other = prefix_by_name(label[1], reader)
        if other is not None and (other.name != prefix.name or label.start()):
            return f"it contains {label[1]}, which is a prefix"
    return None


def _ends_a_sentence(identifier: str) -> bool:
    """Return whether a text ends with punctuation, or with a bracket that is not opened in it.

    Punctuation alone after a slash is the identifier itself.
    """
    last = identifier[-1:]
    if identifier.rstrip('.,;!?)]|"”»').endswith("/"):
        return False
    return last in '.,;!?|"”»' or identifier.count(last) > identifier.count(_PAIRS.get(last, last))


def _fits(prefix: ProviderPrefix, identifier: str) -> bool | None:
    """Return whether the pattern matches; None without a pattern that can be applied."""
    if prefix.pattern is None or not patterns.is_supported(prefix.pattern):
        return None
    return patterns.matches(prefix.pattern, identifier)


def _is_typographic(character: str) -> bool:
    """Return whether a character stands for a plain one (Unicode NFKC) or is a sign outside ASCII, such as a dagger."""
    return not character.isascii() and (not character.isalnum() or normalize("NFKC", character) != character)


def _without_escapes(text: str) -> str:
    """Return a text with its percent escapes decoded."""
    return _ESCAPES.sub(lambda each: percent_encoding.decode(each[0]).decode(errors="replace"), text)


def _example(pattern: str, example: str) -> ProviderPrefix:
    """Return a prefix for the examples of this module."""
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return ProviderPrefix(
        name="pubmed", synonyms=("pmid",), pattern=pattern, example=example, created=moment, updated=moment
    )
