"""Provider failover: the choice of another provider of a prefix while the first one is not up.

Providers are registered in order of preference, the official one first. A request that names a provider gets it,
whatever its condition. Otherwise the first provider is chosen if it is up, else the first that is up, then degraded,
then the first of all. Conditions are stored beside the prefix, so the choice makes no request.

Conditions never decide whether an identifier is refused. An identifier whose dots leave the first provider's pattern is
refused (`coolid.identifiers.path_traversal`). Failover skips providers whose pattern it would leave, and duplicates of
an earlier pattern, because registries list many providers twice.
"""

from collections.abc import Sequence

from coolid.errors import NoProvider
from coolid.model.conditions import ALL_DOWN, DOWN, FAILOVER, FIRST, STATES, UP, Condition, preferred, state_of
from coolid.model.prefixes import PLACEHOLDER, Provider, ProviderPrefix, encode_identifier, fold, has_dots
from coolid.model.records import format_time


def choose_provider(prefix: ProviderPrefix, identifier: str = "") -> tuple[Provider, str]:
    """Return the provider for a request that names none, and the reason; raise `NoProvider`."""
    if not prefix.providers:
        raise NoProvider(prefix.name)
    first = prefix.providers[0]
    if state_of(prefix.health, fold(first.code)) == UP:
        return first, FIRST
    # A duplicate pattern is the same provider, only checked at another time.
    first_by_pattern = {each.url: each for each in reversed(prefix.providers)}
    usable = [
        each
        for each in prefix.providers
        if each is first or (first_by_pattern[each.url] is each and stays_within(each, identifier, prefix.encoding))
    ]
    chosen = usable[preferred([fold(each.code) for each in usable], prefix.health)]
    if chosen is not first:
        return chosen, FAILOVER
    return first, ALL_DOWN if state_of(prefix.health, fold(first.code)) == DOWN else FIRST


def unavailable_providers(prefix: ProviderPrefix) -> Sequence[tuple[Provider, Condition]]:
    """Return the providers that are not up, with their conditions."""
    conditions = [(each, condition_of(prefix, each)) for each in prefix.providers]
    return [(each, condition) for each, condition in conditions if condition is not None and condition.state != UP]


def describe_condition(condition: Condition) -> str:
    """Return the condition of a provider as text.

    >>> from datetime import UTC, datetime
    >>> describe_condition(Condition(DOWN, datetime(2026, 5, 4, tzinfo=UTC), "it answered 500"))
    'down since 2026-05-04T00:00:00Z (it answered 500)'
    """
    reason = f" ({condition.reason})" if condition.reason else ""
    last_good = f", and last worked at {format_time(condition.good)}" if condition.good else ""
    return f"{condition.state} since {format_time(condition.since)}{reason}{last_good}"


def condition_of(prefix: ProviderPrefix, provider: Provider) -> Condition | None:
    """Return the condition of a provider; None if it was never checked."""
    return prefix.health.get(fold(provider.code))


def stays_within(provider: Provider, identifier: str, encoding: str) -> bool:
    """Return whether the identifier, written in the prefix's `encoding`, stays within the provider's URL pattern."""
    if not has_dots(identifier):
        return True
    from coolid.identifiers.path_traversal import leads_out

    return not leads_out(provider.url.partition(PLACEHOLDER)[0], encode_identifier(identifier, encoding))


def usable_providers(prefix: ProviderPrefix, identifier: str) -> Sequence[Provider]:
    """Return the providers whose URL patterns the identifier does not leave, in registered order."""
    return [each for each in prefix.providers if stays_within(each, identifier, prefix.encoding)]


def ranked_providers(prefix: ProviderPrefix, identifier: str) -> Sequence[Provider]:
    """Return the chosen provider, then the other usable ones by condition."""
    if not prefix.providers:
        return ()
    chosen, _ = choose_provider(prefix, identifier)
    usable = usable_providers(prefix, identifier)
    others = sorted(usable, key=lambda each: STATES.index(state_of(prefix.health, fold(each.code))))
    return [chosen, *(each for each in others if each is not chosen)]
