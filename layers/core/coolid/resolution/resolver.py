"""Resolving: from a reference to a decision, by asking a `Reader` and nothing else.

The decision is one of `ProviderRedirect`, `DescribePrefix`, `FoundRecord` and `WithdrawnRecord`; a refusal is raised as one of the kinds of
`coolid.errors`. It says what is so, not how HTTP says it: `coolid.http.public.resolution_endpoint` turns it into an answer.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import (
    BadReference,
    CoolidError,
    InvalidIdentifier,
    InvalidPattern,
    NoProvider,
    UnknownProvider,
    UnregisteredIdentifier,
)
from coolid.identifiers import percent_encoding
from coolid.identifiers.rules.base import is_valid
from coolid.model.conditions import ASKED, FIRST, is_sound
from coolid.model.locations import locations_of
from coolid.model.prefixes import (
    PLACEHOLDER,
    Namespace,
    Provider,
    ProviderPrefix,
    filling,
    fold,
    has_dots,
    has_handles,
)
from coolid.model.records import RESERVED, WITHDRAWN, Location, Record
from coolid.model.repositories import Repository
from coolid.registry.prefix_lookup import PrefixMatch, find, provider_codes
from coolid.registry.references import Reference
from coolid.resolution.request_budget import MOST_SUGGESTION_KEYS
from coolid.store.reader import Reader


class ProviderRedirect(Struct, frozen=True):
    """The identifier is kept elsewhere, at `location` by the `provider` of that code.

    `filled` is how all providers' URLs have it (`coolid.model.prefixes.filling`). `choice` says why by that one:
    `ASKED`, `FIRST`, `FAILOVER` or `ALL_DOWN` (`coolid.model.conditions`). None of the providers ails if all are `sound`.
    """

    prefix: ProviderPrefix
    identifier: str
    location: str
    provider: str
    filled: str
    choice: str
    sound: bool


class DescribePrefix(Struct, frozen=True):
    """The reference names a prefix alone."""

    prefix: Namespace | ProviderPrefix


class FoundRecord(Struct, frozen=True):
    """The identifier is registered here, and its `record` may be read.

    `locations` are all that it leads to, good at the moment or not; none if the record itself is the answer. With an
    `extension`, a piece of path, they lead into what the record names, by suffix pass-through.
    """

    prefix: Namespace
    record: Record
    locations: tuple[Location, ...]
    extension: str = ""

    @property
    def beyond(self) -> str:
        """The extension as a text."""
        return percent_encoding.decode(self.extension).decode()


class WithdrawnRecord(Struct, frozen=True):
    """The record was withdrawn; it is the tombstone."""

    prefix: Namespace
    record: Record


Decision = ProviderRedirect | DescribePrefix | FoundRecord | WithdrawnRecord


def resolve(
    reference: Reference,
    reader: Reader,
    *,
    provider: str | None = None,
    strict: bool = False,
    suggestion_keys: int = MOST_SUGGESTION_KEYS,
) -> Decision:
    """Decide what a reference resolves to.

    `provider` names one provider of the prefix and wins over one in the reference; where none is named, health decides
    (`coolid.resolution.provider_failover`). `strict` enforces the prefix's pattern even where the prefix does not ask for it. A
    refused identifier of ours has suggestions, for which at most `suggestion_keys` keys are read. Raises `NotFound`,
    `InvalidIdentifier`, `BadReference` for dots that lead out of a provider's pattern, `StoreUnavailable`.
    """
    return decide(find(reference, reader), reader, provider=provider, strict=strict, suggestion_keys=suggestion_keys)


def decide(
    match: PrefixMatch,
    reader: Reader,
    *,
    provider: str | None = None,
    strict: bool = False,
    suggestion_keys: int = MOST_SUGGESTION_KEYS,
) -> Decision:
    """The decision on a reference whose prefix was found; as of `resolve`."""
    try:
        return _decided(match, reader, provider, strict=strict, suggestion_keys=suggestion_keys)
    except CoolidError as error:
        is_ours = isinstance(match.prefix, Namespace) or match.another is not None
        error.is_versioned = is_ours and bool(match.identifier)
        raise


def _decided(
    match: PrefixMatch, reader: Reader, provider: str | None, *, strict: bool, suggestion_keys: int
) -> Decision:
    if not match.identifier:
        if provider is not None and fold(provider) not in provider_codes(match.prefix):
            raise UnknownProvider(match.prefix.name, provider, provider_codes(match.prefix))
        return DescribePrefix(match.prefix)
    if isinstance(match.prefix, Namespace):
        if provider is not None:
            raise UnknownProvider(match.prefix.name, provider, ())
        try:
            return _ours_or_another(match, reader)
        except (InvalidIdentifier, UnregisteredIdentifier) as error:
            error.suggestions = _near(error.identifier, match.prefix.repository, reader, suggestion_keys)
            raise
    if match.another is not None and provider is None:
        with suppress(InvalidIdentifier, UnregisteredIdentifier):  # ours, given before the shoulder was others'
            return _ours_or_another(replace(match.another, concealed=match.concealed), reader)
    return _elsewhere(match.prefix, match, provider if provider is not None else match.provider, strict=strict)


def own_identifier(namespace: Namespace, written: str) -> str:
    """The identifier under a namespace of ours, as its rules are to judge it.

    A repetition of the prefix is left out, unless the rules take it for a part of the identifier; a DOI or Handle is
    put in lower case where the rules know no other; what belongs to an ARK is normalised.
    """
    rules = namespace.repository.rules
    if namespace.name.startswith("ark:"):
        from coolid.identifiers.schemes import ark

        written = ark.compact_part(written)
    if has_handles(namespace.name) and not rules.case_matters and not is_valid(rules, written):
        written = written.lower()
    identifier = _without_repetition(written, (f"{namespace.name}:",), None)
    return written if identifier != written and is_valid(rules, written) else identifier


def foreign_identifier(prefix: ProviderPrefix, written: str) -> str:
    """The identifier under a prefix of others: without a repetition that its pattern does not take for a part of it."""
    beginnings = (*(f"{name}:" for name in (prefix.name, *prefix.synonyms)), *prefix.redundant)
    return _without_repetition(written, beginnings, prefix.pattern)


def key_under(namespace: Namespace, written: str) -> str:
    """The key of an identifier under a namespace, in any spelling; `InvalidIdentifier`."""
    return namespace.repository.rules.validate(own_identifier(namespace, written))


def _ours(namespace: Namespace, written: str, reader: Reader, concealed: Sequence[int]) -> Decision:
    repository = namespace.repository
    try:
        key = key_under(namespace, written)
    except InvalidIdentifier as error:
        beyond = _beyond(namespace, written, reader, concealed)
        if beyond:
            return beyond
        error.prefix = namespace.name
        raise
    record = reader.record(repository.id, key)
    if record is None or record.status == RESERVED:
        beyond = _beyond(namespace, written, reader, concealed)
        if beyond:
            return beyond
        raise UnregisteredIdentifier(namespace.name, repository.rules.display(key))
    if record.status == WITHDRAWN:
        return WithdrawnRecord(namespace, record)
    return FoundRecord(namespace, record, locations_of(record, repository))


def _ours_or_another(match: PrefixMatch, reader: Reader) -> Decision:
    """What is registered behind the shoulder, or else under the NAAN; the refusal is that of the shoulder."""
    assert isinstance(match.prefix, Namespace)
    try:
        return _ours(match.prefix, match.identifier, reader, match.concealed)
    except (InvalidIdentifier, UnregisteredIdentifier) as error:
        another = match.another
        if another is None:
            raise
        assert isinstance(another.prefix, Namespace)
        try:
            return _ours(another.prefix, another.identifier, reader, match.concealed)
        except (InvalidIdentifier, UnregisteredIdentifier):
            raise error from None


def _near(text: str, repository: Repository, reader: Reader, suggestion_keys: int) -> tuple[str, ...]:
    """What may have been meant instead."""
    if not suggestion_keys:
        return ()
    from coolid.resolution.suggestions import suggest

    return suggest(text, repository, reader, suggestion_keys)


def _beyond(
    namespace: Namespace, written: str, reader: Reader, concealed: Sequence[int]
) -> FoundRecord | WithdrawnRecord | None:
    """What an identifier that is not registered leads to by suffix pass-through, where its repository has that."""
    if not namespace.repository.passthrough:
        return None
    from coolid.resolution.suffix_passthrough import extended_all, extension_of

    match = extension_of(namespace.repository, written, partial(key_under, namespace), reader, concealed)
    if match is None:
        return None
    record, extension = match
    if record.status == WITHDRAWN:
        return WithdrawnRecord(namespace, record)
    locations = extended_all(locations_of(record, namespace.repository), extension)
    return FoundRecord(namespace, record, locations, extension) if locations else None


def _elsewhere(prefix: ProviderPrefix, match: PrefixMatch, code: str | None, *, strict: bool) -> ProviderRedirect:
    identifier = foreign_identifier(prefix, match.identifier)
    if (strict or prefix.strict) and prefix.pattern and not matches(prefix.pattern, identifier):
        refusal = InvalidPattern(identifier, prefix.pattern)
        refusal.prefix = prefix.name
        raise refusal
    chosen = _provider(prefix, code)
    filled = filling(identifier, prefix.encoding)
    if has_dots(identifier):
        from coolid.identifiers.path_traversal import leads_out

        if leads_out(chosen.url.partition(PLACEHOLDER)[0], filled):
            raise BadReference(f"its dots lead out of {chosen.url}")
    choice, sound = FIRST if code is None else ASKED, is_sound(prefix.health)
    if code is None and not sound:
        from coolid.resolution.provider_failover import choose_provider

        chosen, choice = choose_provider(prefix, identifier)
    return ProviderRedirect(
        prefix, identifier, chosen.url.replace(PLACEHOLDER, filled), chosen.code, filled, choice, sound
    )


def _provider(prefix: ProviderPrefix, code: str | None) -> Provider:
    """The one of the code, or else the first."""
    if code is None:
        if not prefix.providers:
            raise NoProvider(prefix.name)
        return prefix.providers[0]
    for provider in prefix.providers:
        if fold(provider.code) == fold(code):
            return provider
    raise UnknownProvider(prefix.name, code, provider_codes(prefix))


def _without_repetition(identifier: str, beginnings: tuple[str, ...], pattern: str | None) -> str:
    """`GO:0006915` under `go` is `0006915`, unless the pattern says that the repetition belongs to the identifier."""
    colon = identifier.find(":") + 1
    for beginning in beginnings:
        # Up to its colon where it has one: letters that fold to more than one make lengths unequal.
        end = colon if beginning.endswith(":") else len(beginning)
        rest = identifier[end:]
        if not rest or fold(identifier[:end]) != fold(beginning):
            continue
        if pattern is None:
            return rest if beginning.endswith(":") else identifier
        return identifier if matches(pattern, identifier) and not matches(pattern, rest) else rest
    return identifier


def matches(pattern: str, identifier: str) -> bool:
    """RE2 is imported only when a pattern decides something: most redirects never need it."""
    from coolid.identifiers.patterns import matches

    return matches(pattern, identifier)
