"""Correction: the one identifier that is certainly meant by a text that is no identifier.

`/DOI:%2010.1000/182` is redirected as `/10.1000/182` is. The identifier must be the only one in the text, and the text
must say nothing else (`coolid.recognition.extraction`). An identifier under another prefix than the text's is never
meant for certain.
"""

import re

from coolid.errors import (
    BadReference,
    ExtraneousText,
    InvalidIdentifier,
    InvalidPattern,
    NotFound,
    UnknownPrefix,
)
from coolid.identifiers.typography import spellings
from coolid.model.prefixes import join
from coolid.recognition.extraction import Interpretation, interpret
from coolid.recognition.places import strip_punctuation
from coolid.recognition.unwrap import unwrap
from coolid.registry.prefix_lookup import prefix_by_name
from coolid.registry.references import Reference, decode, require_sendable
from coolid.resolution.resolver import Decision, DescribePrefix, ProviderRedirect, matches, resolve
from coolid.store.reader import Reader

Refusal = ExtraneousText | InvalidPattern | UnknownPrefix
"""The errors of texts that may contain an identifier. Own identifiers have suggestions instead."""


def correct(
    error: Refusal, text: str, reader: Reader, base_url: str, *, provider: str | None = None, strict: bool = False
) -> Decision:
    """Return the decision on the identifier that a refused text certainly means, or raise the refusal.

    If the text contains identifiers, but which is meant is uncertain, the refusal has them as suggestions; it is an
    `ExtraneousText` then if the text has no registered prefix. Raises `StoreUnavailable` and `LineNotTried`.
    """
    interpretation = interpret(text, base_url, reader)
    if not interpretation.identifiers:
        interpretation = _bare(error, text, base_url)
    found = interpretation.identifiers
    if len(found) == 1 and interpretation.is_whole and not strict:
        decision = _decision(found[0], base_url, reader, provider)
        if decision is not None and _has_same_prefix(error, decision, reader):
            return decision
    if isinstance(error, ExtraneousText):
        found = tuple(dict.fromkeys((*found, error.identifier)))  # which may begin with another prefix
    found = tuple(each for each in found if _decision(each, base_url, reader, None) is not None)
    if found and isinstance(error, ExtraneousText):
        error.suggestions = found
    if found and isinstance(error, UnknownPrefix):
        refusal = ExtraneousText(text, "it contains an identifier and other text")
        refusal.suggestions = found
        raise refusal from error
    raise error


def _bare(error: Refusal, text: str, base_url: str) -> Interpretation:
    """Return the text without anything around it or its identifier, and with plain hyphens, if it differs then."""
    try:
        bare = unwrap(text, base_url).text
        if isinstance(error, InvalidIdentifier) and error.prefix is not None:
            written = strip_punctuation(error.identifier)
            inner = unwrap(written, base_url).text
            identifier = decode(written)
            respelled = () if re.search(r"\s", identifier) else spellings(identifier)
            bare = inner if inner != written else join(error.prefix, next(iter(respelled), identifier))
    except BadReference:
        return Interpretation()
    return Interpretation((bare,), is_whole=True) if bare != text else Interpretation()


def _decision(found: str, base_url: str, reader: Reader, provider: str | None) -> Decision | None:
    """Return the decision on an identifier that was found.

    Return None for a refusal, for a prefix alone, and for an identifier that its prefix's pattern does not match.
    """
    try:
        reference = Reference.of(require_sendable(unwrap(found, base_url).text))
        decision = resolve(reference, reader, provider=provider, suggestion_keys=0)
    except (BadReference, InvalidIdentifier, NotFound):
        return None
    if isinstance(decision, ProviderRedirect):
        pattern = decision.prefix.pattern
        return decision if pattern is None or matches(pattern, decision.identifier) else None
    return None if isinstance(decision, DescribePrefix) else decision


def _has_same_prefix(error: Refusal, decision: Decision, reader: Reader) -> bool:
    """Return whether an identifier that was found has the prefix of the refused text, if that has one."""
    if isinstance(error, UnknownPrefix):
        return True
    prefix = prefix_by_name(error.prefix, reader) if error.prefix is not None else None
    return prefix is not None and prefix.name == decision.prefix.name
