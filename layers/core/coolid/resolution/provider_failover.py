"""Failover: another provider of a prefix, while its first one is not up.

Providers are registered in order of preference, the official one first. Who names one gets it, whatever is known of its
health. Else the first is taken if it is up; if it is not, the first that is up; degraded comes before down, and where
all are down the first is as good as any. What decides stands beside the prefix: nobody is asked for it.

Health never decides whether an identifier is refused. One whose dots lead out of the first provider's pattern is
refused as ever (`coolid.identifiers.path_traversal`); a provider whose pattern it would lead out of does not stand in for
another. Nor does one with the same pattern as one before it: registries list many places twice.

>>> from datetime import UTC, datetime
>>> from coolid.model.conditions import Condition
>>> moment = datetime(2026, 1, 1, tzinfo=UTC)
>>> go = ProviderPrefix(name="go", created=moment, updated=moment, health={"obo": Condition(DOWN, moment)},
...     providers=(Provider("obo", "https://purl.example/GO_{$id}"), Provider("ols", "https://ols.example/{$id}")))
>>> provider, choice = choose_provider(go, "0006915")
>>> provider.code, choice
('ols', 'failover')
>>> [(each.code, condition.state) for each, condition in unavailable_providers(go)]
[('obo', 'down')]
"""

from collections.abc import Sequence

from coolid.errors import NoProvider
from coolid.model.conditions import ALL_DOWN, DOWN, FAILOVER, FIRST, STATES, UP, Condition, preferred, state_of
from coolid.model.prefixes import PLACEHOLDER, Provider, ProviderPrefix, filling, fold, has_dots
from coolid.model.records import format_time


def choose_provider(prefix: ProviderPrefix, identifier: str = "") -> tuple[Provider, str]:
    """The provider that a request gets which names none, and why; `NoProvider`."""
    if not prefix.providers:
        raise NoProvider(prefix.name)
    first = prefix.providers[0]
    if state_of(prefix.health, fold(first.code)) == UP:
        return first, FIRST
    # With the pattern of one before it, it is the same place, which was only looked at another time.
    places = {each.url: each for each in reversed(prefix.providers)}
    able = [
        each
        for each in prefix.providers
        if each is first or (places[each.url] is each and stays_within(each, identifier, prefix.encoding))
    ]
    chosen = able[preferred([fold(each.code) for each in able], prefix.health)]
    if chosen is not first:
        return chosen, FAILOVER
    return first, ALL_DOWN if state_of(prefix.health, fold(first.code)) == DOWN else FIRST


def unavailable_providers(prefix: ProviderPrefix) -> Sequence[tuple[Provider, Condition]]:
    """The providers that are known not to be up, with what is known of them."""
    known = [(each, condition_of(prefix, each)) for each in prefix.providers]
    return [(each, condition) for each, condition in known if condition is not None and condition.state != UP]


def describe_condition(condition: Condition) -> str:
    """What is known of a provider, in words.

    >>> from datetime import UTC, datetime
    >>> describe_condition(Condition(DOWN, datetime(2026, 5, 4, tzinfo=UTC), "it answered 500"))
    'down since 2026-05-04T00:00:00Z (it answered 500)'
    """
    reason = f" ({condition.reason})" if condition.reason else ""
    seen = f", and was last seen well at {format_time(condition.good)}" if condition.good else ""
    return f"{condition.state} since {format_time(condition.since)}{reason}{seen}"


def condition_of(prefix: ProviderPrefix, provider: Provider) -> Condition | None:
    """What is known of a provider; None if nobody looked."""
    return prefix.health.get(fold(provider.code))


def stays_within(provider: Provider, identifier: str, encoding: str) -> bool:
    """Return whether the identifier, written in the prefix's `encoding`, stays within the provider's URL pattern."""
    if not has_dots(identifier):
        return True
    from coolid.identifiers.path_traversal import leads_out

    return not leads_out(provider.url.partition(PLACEHOLDER)[0], filling(identifier, encoding))


def able_providers(prefix: ProviderPrefix, identifier: str) -> Sequence[Provider]:
    """Return the providers within whose URL patterns the identifier stays, as they are registered."""
    return [each for each in prefix.providers if stays_within(each, identifier, prefix.encoding)]


def taken(prefix: ProviderPrefix, identifier: str) -> Sequence[Provider]:
    """Return the standing provider, then the others whose patterns the identifier stays within, the best first."""
    if not prefix.providers:
        return ()
    chosen, _ = choose_provider(prefix, identifier)
    able = able_providers(prefix, identifier)
    others = sorted(able, key=lambda each: STATES.index(state_of(prefix.health, fold(each.code))))
    return [chosen, *(each for each in others if each is not chosen)]
