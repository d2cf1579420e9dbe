"""Correction: the one identifier that is certainly meant by a text that is no identifier.

`/DOI:%2010.1000/182` is redirected as `/10.1000/182` is. The identifier must be the only one in the text, and the text
must say nothing else (`coolid.recognition.extraction`). An identifier under another prefix than the text's is never
meant for certain.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from coolid.errors import (
    BadReference,
    ExtraneousText,
    InvalidPattern,
    UnknownPrefix,
)
from coolid.identifiers.patterns import matches
from coolid.identifiers.typography import spellings
from coolid.model.prefixes import join
from coolid.recognition.extraction import Interpretation, interpret
from coolid.recognition.mentions import strip_punctuation
from coolid.recognition.registered_identifiers import (
    decision_on,
    identifier_of,
    require_check_digits,
    unless_refused,
)
from coolid.recognition.unwrap import unwrap
from coolid.registry.prefix_lookup import prefix_by_name
from coolid.registry.references import decode
from coolid.resolution.resolver import Decision, DescribePrefix, ProviderRedirect
from coolid.store.reader import Reader

_TAG: Final = "</?[A-Za-z][^<>:]*>"
_AROUND: Final = re.compile(rf"""^(?:{_TAG}|[\s"'“”‘’])+|(?:{_TAG}|[\s"'“”‘’\\])+$""")

Refusal = ExtraneousText | InvalidPattern | UnknownPrefix
"""The errors of texts that may contain an identifier. Own identifiers have suggestions instead."""


def correct(
    error: Refusal, text: str, reader: Reader, base_url: str, *, provider: str | None = None, strict: bool = False
) -> Decision:
    """Return the decision on the identifier that a refused text certainly means, or raise the refusal.

    If it is uncertain which of several identifiers the text means, the refusal has them as suggestions. If the text
    has no registered prefix, this refusal is an `ExtraneousText`. Raises `InvalidCheck` for an identifier with wrong
    check digits, `StoreUnavailable` and `LineNotTried`.
    """
    if provider is None and isinstance(error, ExtraneousText):
        provider = error.provider
    bare = _bare_identifier(error)
    decision = _decision(bare, base_url, reader, provider) if bare is not None and not strict else None
    if decision is not None:
        return decision
    interpretation = interpret(text, base_url, reader)
    if not interpretation.identifiers:
        readings = _respelled(error, text, base_url)
        respelled = next((each for each in readings if _decision(each, base_url, reader) is not None), None)
        interpretation = Interpretation((respelled,), is_whole=True) if respelled is not None else interpretation
    found = interpretation.identifiers
    if len(found) == 1 and interpretation.is_whole and not strict:
        decision = _decision(found[0], base_url, reader, provider)
        if decision is not None and _has_same_prefix(error, decision, reader):
            return decision
    if isinstance(error, ExtraneousText):
        found = tuple(dict.fromkeys((*found, error.identifier)))  # which may begin with another prefix
    for each in found:
        require_check_digits(each, base_url, reader)
    found = tuple(each for each in found if _decision(each, base_url, reader, is_certain=False) is not None)
    if found and isinstance(error, ExtraneousText):
        error.suggestions = found
    if found and isinstance(error, UnknownPrefix):
        refusal = ExtraneousText(text, "it contains an identifier and other text")
        refusal.suggestions = found
        raise refusal from error
    raise error


def _bare_identifier(error: Refusal) -> str | None:
    """Return the identifier after a prefix without tags, white space and quotes around it; None if it has none."""
    if isinstance(error, UnknownPrefix) or error.prefix is None:
        return None
    bare = _AROUND.sub("", error.identifier)
    return join(error.prefix, bare) if bare and bare != error.identifier else None


def _respelled(error: Refusal, text: str, base_url: str) -> Iterator[str]:
    """Yield the text without anything around it, the identifier in a URL, and with plain hyphens, or decoded."""
    with suppress(BadReference):
        if isinstance(error, UnknownPrefix) or error.prefix is None:
            yield unwrap(text, base_url).text
            return
        identifier = strip_punctuation(error.identifier)
        inner = unwrap(identifier, base_url).text
        if inner != identifier:
            yield inner
        if not re.search(r"\s", identifier):
            yield from (join(error.prefix, each) for each in spellings(identifier)[:1])
        yield join(error.prefix, identifier)
        decoded = decode(identifier)
        yield join(error.prefix, decoded)
        yield join(error.prefix, decode(decoded))


def _decision(
    found: str, base_url: str, reader: Reader, provider: str | None = None, *, is_certain: bool = True
) -> Decision | None:
    """Return the decision on an identifier that was found.

    Return None for a refusal, for a prefix alone, and for an identifier without the form of its prefix. If it is not
    `is_certain`, its check digits may be wrong.
    """
    written = unless_refused(lambda: unwrap(found, base_url).text)
    identifier = identifier_of(written, reader) if written is not None else None
    if identifier is None and is_certain:
        return None
    decision = decision_on(identifier or found, base_url, reader, provider)
    if identifier is None and isinstance(decision, ProviderRedirect):
        pattern = decision.prefix.pattern
        return decision if pattern is None or matches(pattern, decision.identifier) else None
    return None if isinstance(decision, DescribePrefix) else decision


def _has_same_prefix(error: Refusal, decision: Decision, reader: Reader) -> bool:
    """Return whether an identifier that was found has the prefix of the refused text, if that has one."""
    if isinstance(error, UnknownPrefix):
        return True
    prefix = prefix_by_name(error.prefix, reader) if error.prefix is not None else None
    return prefix is not None and prefix.name == decision.prefix.name
