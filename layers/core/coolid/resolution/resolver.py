"""The resolver: from a reference to a decision, with reads from a `Reader` only.

The decision is a `ProviderRedirect`, `DescribePrefix`, `FoundRecord` or `WithdrawnRecord`; a refusal is an error of
`coolid.errors`. Decisions are independent of HTTP: `coolid.http.public.resolution_endpoint` turns them into answers.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid import errors
from coolid.identifiers import percent_encoding
from coolid.model.conditions import FIRST, REQUESTED, are_all_up
from coolid.model.locations import permitted_locations
from coolid.model.prefixes import (
    LINKID,
    NUMBERED,
    PLACEHOLDER,
    Namespace,
    Provider,
    ProviderPrefix,
    encode_identifier,
    fold,
    has_dots,
)
from coolid.model.records import RESERVED, WITHDRAWN, Location, Record
from coolid.model.repositories import Repository
from coolid.registry.prefix_lookup import PrefixMatch, find_prefix, provider_codes
from coolid.registry.references import Reference
from coolid.resolution.identifier_spellings import (
    display_under,
    first_record,
    foreign_identifier,
    key_under,
    keys_under,
    matches,
)
from coolid.resolution.request_budget import MAX_SUGGESTION_KEYS
from coolid.store.reader import Reader

_BARE: Final = (
    r"(?:(?:/[0-9A-Za-z]{5}/|[0-9])[0-9A-Za-z._~:/?#\[\]@!$()*+=-]*|[0-9A-Za-z._~?#\[\]@!$()*+,;=-]*)(?<![.,;:!?)\]])"
)
"""Identifiers that certainly have no other text around them; most redirects need no closer look."""


class ProviderRedirect(Struct, frozen=True):
    """The identifier belongs to a foreign prefix and redirects to `location` at the `provider` of that code.

    `encoded_identifier` is in all providers' URLs (`coolid.model.prefixes.encode_identifier`). `choice` is the reason
    for this provider: `REQUESTED`, `FIRST`, `FAILOVER` or `ALL_DOWN` (`coolid.model.conditions`).
    """

    prefix: ProviderPrefix
    identifier: str
    location: str
    provider: str
    encoded_identifier: str
    choice: str
    all_up: bool


class DescribePrefix(Struct, frozen=True):
    """The reference is a prefix without an identifier."""

    prefix: Namespace | ProviderPrefix


class FoundRecord(Struct, frozen=True):
    """The identifier is registered here, and its `record` is public.

    `locations` are all its permitted locations, healthy or not; empty if the record itself is the answer. An
    `extension` is a piece of path that suffix pass-through appended to the locations.
    """

    prefix: Namespace
    record: Record
    locations: tuple[Location, ...]
    extension: str = ""

    @property
    def extension_text(self) -> str:
        """The decoded extension."""
        return percent_encoding.decode(self.extension).decode()


class WithdrawnRecord(Struct, frozen=True):
    """The record was withdrawn; `record` is its tombstone."""

    prefix: Namespace
    record: Record


Decision = ProviderRedirect | DescribePrefix | FoundRecord | WithdrawnRecord


def resolve(
    reference: Reference,
    reader: Reader,
    *,
    provider: str | None = None,
    strict: bool = False,
    suggestion_keys: int = MAX_SUGGESTION_KEYS,
) -> Decision:
    """Decide what a reference resolves to.

    `provider` overrides the provider in the reference; without either, conditions decide
    (`coolid.resolution.provider_failover`). `strict` enforces the prefix's pattern even if the prefix does not require
    it. A refused own identifier gets suggestions from at most `suggestion_keys` keys. Raises `NotFound`,
    `InvalidIdentifier`, `BadReference` for dots that leave a provider's pattern, `StoreUnavailable`.
    """
    match = find_prefix(reference, reader)
    return decide(match, reader, provider=provider, strict=strict, suggestion_keys=suggestion_keys)


def decide(
    match: PrefixMatch,
    reader: Reader,
    *,
    provider: str | None = None,
    strict: bool = False,
    suggestion_keys: int = MAX_SUGGESTION_KEYS,
) -> Decision:
    """Return the decision on a reference whose prefix was found. See `resolve`."""
    try:
        return _decide(match, reader, provider, strict=strict, suggestion_keys=suggestion_keys)
    except errors.CoolidError as error:
        is_own = isinstance(match.prefix, Namespace) or match.naan_match is not None
        error.is_versioned = is_own and bool(match.identifier)
        if isinstance(error, errors.ExtraneousText):
            error.provider = match.provider
        raise


def _decide(
    match: PrefixMatch, reader: Reader, provider: str | None, *, strict: bool, suggestion_keys: int
) -> Decision:
    if not match.identifier:
        if provider is not None and fold(provider) not in provider_codes(match.prefix):
            raise errors.UnknownProvider(match.prefix.name, provider, provider_codes(match.prefix))
        return DescribePrefix(match.prefix)
    if isinstance(match.prefix, Namespace):
        if provider is not None:
            raise errors.UnknownProvider(match.prefix.name, provider, ())
        try:
            return _resolve_own_or_naan(match, reader)
        except (errors.InvalidIdentifier, errors.UnregisteredIdentifier) as error:
            if match.prefix.name != LINKID:  # no guesses for a LinkID (its draft, sections 6 and 11)
                error.suggestions = _suggestions(error.identifier, match.prefix.repository, reader, suggestion_keys)
            raise
    if match.naan_match is not None and provider is None:
        # An own identifier may be older than the shoulder.
        with suppress(errors.InvalidIdentifier, errors.UnregisteredIdentifier):
            return _resolve_own_or_naan(replace(match.naan_match, encoded_slashes=match.encoded_slashes), reader)
    return _redirect(match.prefix, match, provider if provider is not None else match.provider, reader, strict=strict)


def _resolve_own(namespace: Namespace, written: str, reader: Reader, encoded_slashes: Sequence[int]) -> Decision:
    repository = namespace.repository
    try:
        keys = keys_under(namespace, written)
    except errors.InvalidIdentifier as error:
        extended = _pass_through(namespace, written, reader, encoded_slashes)
        if extended:
            return extended
        error.prefix = namespace.name
        raise
    record = first_record(keys, partial(reader.record, repository.id))
    if record is None or record.status == RESERVED:
        extended = _pass_through(namespace, written, reader, encoded_slashes)
        if extended:
            return extended
        raise errors.UnregisteredIdentifier(namespace.name, display_under(namespace, keys[0]))
    if record.status == WITHDRAWN:
        return WithdrawnRecord(namespace, record)
    return FoundRecord(namespace, record, permitted_locations(record, repository))


def _resolve_own_or_naan(match: PrefixMatch, reader: Reader) -> Decision:
    """Resolve under the shoulder, then under the NAAN; a refusal is that of the shoulder."""
    assert isinstance(match.prefix, Namespace)
    try:
        return _resolve_own(match.prefix, match.identifier, reader, match.encoded_slashes)
    except (errors.InvalidIdentifier, errors.UnregisteredIdentifier) as error:
        naan_match = match.naan_match
        if naan_match is None:
            raise
        assert isinstance(naan_match.prefix, Namespace)
        try:
            return _resolve_own(naan_match.prefix, naan_match.identifier, reader, match.encoded_slashes)
        except (errors.InvalidIdentifier, errors.UnregisteredIdentifier):
            raise error from None


def _suggestions(text: str, repository: Repository, reader: Reader, suggestion_keys: int) -> tuple[str, ...]:
    """Return similar identifiers that exist."""
    if not suggestion_keys:
        return ()
    from coolid.resolution.suggestions import suggest

    return suggest(text, repository, reader, suggestion_keys)


def _pass_through(
    namespace: Namespace, written: str, reader: Reader, encoded_slashes: Sequence[int]
) -> FoundRecord | WithdrawnRecord | None:
    """Return the decision by suffix pass-through, or None if the repository does not enable it or nothing matches."""
    if not namespace.repository.passthrough:
        return None
    from coolid.resolution.suffix_passthrough import extend_all, find_extended_record

    match = find_extended_record(namespace.repository, written, partial(key_under, namespace), reader, encoded_slashes)
    if match is None:
        return None
    record, extension = match
    if record.status == WITHDRAWN:
        return WithdrawnRecord(namespace, record)
    locations = extend_all(permitted_locations(record, namespace.repository), extension)
    return FoundRecord(namespace, record, locations, extension) if locations else None


def _redirect(
    prefix: ProviderPrefix, match: PrefixMatch, code: str | None, reader: Reader, *, strict: bool
) -> ProviderRedirect:
    identifier = foreign_identifier(prefix, match.identifier)
    if (strict or prefix.strict) and prefix.pattern and not matches(prefix.pattern, identifier):
        refusal = errors.InvalidPattern(identifier, prefix.pattern)
        refusal.prefix = prefix.name
        raise refusal
    chosen = _provider(prefix, code)
    if prefix.name in NUMBERED or not _is_bare(identifier):
        _refuse_wrong(prefix, identifier, reader, strict=strict)
    return redirect_to(prefix, identifier, chosen, is_requested=code is not None)


def redirect_to(
    prefix: ProviderPrefix, identifier: str, provider: Provider, *, is_requested: bool = False
) -> ProviderRedirect:
    """Return the redirect of a valid identifier to the requested provider, or to the first or the one that replaces it.

    Raises `BadReference` for dots that leave the provider's pattern.
    """
    encoded = encode_identifier(identifier, prefix.encoding)
    if has_dots(identifier):
        from coolid.resolution.provider_failover import stays_within

        if not stays_within(provider, identifier, prefix.encoding):
            raise errors.BadReference(f"its dots lead out of {provider.url}")
    choice, all_up = REQUESTED if is_requested else FIRST, not prefix.health or are_all_up(prefix.health)
    if not is_requested and not all_up:
        from coolid.resolution.provider_failover import choose_provider

        provider, choice = choose_provider(prefix, identifier)
    return ProviderRedirect(
        prefix, identifier, provider.url.replace(PLACEHOLDER, encoded), provider.code, encoded, choice, all_up
    )


def _refuse_wrong(prefix: ProviderPrefix, identifier: str, reader: Reader, *, strict: bool) -> None:
    """Raise `InvalidIdentifier` if the identifier is certainly wrong."""
    if not _is_bare(identifier):
        from coolid.resolution.extraneous_text import require_bare

        require_bare(prefix, identifier, reader, strict=strict)
    if prefix.name in NUMBERED:
        from coolid.resolution.check_digits import require_valid

        require_valid(prefix.name, identifier)


def _is_bare(identifier: str) -> bool:
    """Return whether an identifier certainly has no other text around it. Most consist of letters and digits alone."""
    return (identifier.isalnum() and identifier.isascii()) or re.fullmatch(_BARE, identifier) is not None


def _provider(prefix: ProviderPrefix, code: str | None) -> Provider:
    """Return the provider of the code, or the first."""
    if code is None:
        if not prefix.providers:
            raise errors.NoProvider(prefix.name)
        return prefix.providers[0]
    for provider in prefix.providers:
        if fold(provider.code) == fold(code):
            return provider
    raise errors.UnknownProvider(prefix.name, code, provider_codes(prefix))
