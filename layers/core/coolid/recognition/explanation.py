"""Parsing: what a text is, and step by step where it would lead, as `coolid.resolution.resolver` would decide.

Every step is told, including the one that fails. Raises only `StoreUnavailable`, and `LineNotTried` where the budget of
the reader is used up.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct, field

from coolid.errors import CoolidError, InvalidIdentifier, Unavailable, UnregisteredIdentifier
from coolid.model.conditions import ASKED, FAILOVER
from coolid.model.locations import reasons, serviceable
from coolid.model.prefixes import Namespace, ProviderPrefix, join
from coolid.recognition.detection import SchemeMatch, detect
from coolid.recognition.extraction import extract
from coolid.recognition.unwrap import unwrap, url_of, without_wrapping
from coolid.registry.prefix_lookup import PrefixMatch, find
from coolid.registry.references import MOST_PASTED, Reference, read, sendable
from coolid.resolution.content_negotiation import ClientPreferences, choose
from coolid.resolution.request_budget import MOST_SUGGESTION_KEYS
from coolid.resolution.resolver import (
    DescribePrefix,
    FoundRecord,
    ProviderRedirect,
    WithdrawnRecord,
    decide,
    foreign_identifier,
    matches,
    own_identifier,
)
from coolid.store.reader import Reader

LARGEST = MOST_PASTED
"""Characters of text that are looked at; a longer one is no identifier and is not searched for one."""


class ExplanationStep(Struct, frozen=True):
    """One thing that was done with the text: its `name` in a word, and what came of it."""

    name: str
    detail: str


class Explanation(Struct):
    """What there is to say of a text; `location` is where it would be redirected to.

    Of a URL, `curies` are those that lead to it, by the URL patterns of prefixes. `found` are the identifiers in the
    text that are more likely meant than the text as it is (`coolid.recognition.extraction`).
    """

    text: str
    candidates: tuple[SchemeMatch, ...] = ()
    prefix: str | None = None
    canonical: str | None = None
    location: str | None = None
    steps: list[ExplanationStep] = field(default_factory=list)
    suggestions: tuple[str, ...] = ()
    curies: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    refused: bool = False
    """Whether its prefix is registered and the identifier is not, or is invalid."""

    def add_step(self, name: str, detail: str) -> None:
        """Add a step."""
        self.steps.append(ExplanationStep(name, detail))


def explain(
    text: str,
    reader: Reader,
    base_url: str,
    now: datetime,
    reverse: Callable[[str], Sequence[str]] | None = None,
    *,
    suggestion_keys: int = MOST_SUGGESTION_KEYS,
) -> Explanation:
    """Everything about a text, as of `now`; `reverse` tells which CURIEs lead to a URL (`coolid.resolution.reverse_lookup`).

    At most `suggestion_keys` keys are read in search of near identifiers.
    """
    parsed = Explanation(text)
    if len(text) > LARGEST:
        parsed.add_step("refused", f"a text of {len(text)} characters is no identifier")
        return parsed
    try:
        inner = _unwrapped(parsed, base_url)
        parsed.candidates = detect(inner)
        _resolved(parsed, Reference.of(inner), reader, now, suggestion_keys)
    except Unavailable:
        raise
    except CoolidError as error:
        if reverse is not None and parsed.prefix is None:
            _reversed(parsed, reverse, base_url)
        parsed.add_step("refused", f"{error}")
        if isinstance(error, InvalidIdentifier | UnregisteredIdentifier):
            parsed.refused = True
            parsed.suggestions = error.suggestions
    parsed.found = extract(text, base_url, reader)
    return parsed


def _reversed(parsed: Explanation, reverse: Callable[[str], Sequence[str]], base_url: str) -> None:
    """Tell of the CURIEs that lead to a pasted URL which is none of an identifier."""
    url = url_of(without_wrapping(parsed.text), base_url)
    parsed.curies = tuple(reverse(url)) if url is not None else ()
    for curie in parsed.curies:
        parsed.add_step("curie", f"a URL pattern of its prefix makes the URL for {curie}")


def _unwrapped(parsed: Explanation, base_url: str) -> str:
    unwrapped = unwrap(parsed.text, base_url)
    if unwrapped.bare != parsed.text:
        parsed.add_step("unwrapped", f"without what stands around it: {unwrapped.bare}")
    if unwrapped.text != unwrapped.bare:
        parsed.add_step("unwrapped", f"the URL is that of the identifier {unwrapped.text}")
        if "%" in unwrapped.bare:
            parsed.add_step("decoded", "the escapes of the URL were decoded, once")
    return sendable(unwrapped.text)


def _resolved(parsed: Explanation, reference: Reference, reader: Reader, now: datetime, suggestion_keys: int) -> None:
    """Tell of the prefix, the rules and the decision."""
    match = find(reference, reader)
    parsed.prefix = match.prefix.name
    parsed.add_step("prefix", f"the longest registered prefix is {match.prefix.name}, {_meaning(match)}")
    if match.identifier:
        _judged(parsed, match)
    decision = decide(match, reader, suggestion_keys=suggestion_keys)
    match decision:
        case ProviderRedirect():
            parsed.canonical = join(decision.prefix.name, decision.identifier)
            if url_of(without_wrapping(parsed.text)) is not None:  # the URL of another resolver
                from coolid.resolution.reverse_lookup import leads_back

                if leads_back(parsed.canonical, decision.provider, decision.location, reader):
                    parsed.curies = (parsed.canonical,)
            if decision.prefix.deprecated:
                parsed.add_step("deprecated", f"the prefix {decision.prefix.name} should not be used for anything new")
            _tell_health(parsed, decision)
            parsed.add_step("provider", f"{decision.provider}, whose URL pattern is filled with {decision.identifier}")
            parsed.add_step("redirect", decision.location)
            parsed.location = decision.location
        case FoundRecord():
            parsed.prefix = decision.prefix.name  # behind a shoulder it may be that of the NAAN
            _found(parsed, decision, now)
        case DescribePrefix():
            parsed.add_step("describe", "the prefix alone describes itself")
        case WithdrawnRecord():
            parsed.add_step("record", f"{decision.record.id} was withdrawn; its tombstone remains")


def _tell_health(parsed: Explanation, redirect: ProviderRedirect) -> None:
    """Tell why it is not the first provider, or that it is although it is not up."""
    if redirect.sound:
        return
    from coolid.resolution.provider_failover import describe_condition, unavailable_providers

    for provider, condition in unavailable_providers(redirect.prefix):
        if provider.code == redirect.provider:
            outcome = "it was asked for" if redirect.choice == ASKED else "no other is better"
        elif redirect.choice == FAILOVER and provider is redirect.prefix.providers[0]:
            outcome = f"{redirect.provider} stands in for it"
        else:
            continue
        parsed.add_step("health", f"{provider.code} is {describe_condition(condition)}; {outcome}")


def _found(parsed: Explanation, found: FoundRecord, now: datetime) -> None:
    """Tell of the record and of its locations, the first of which is where a client without wishes is sent."""
    parsed.add_step("record", f"it is registered as {found.record.id}")
    if found.extension:
        parsed.add_step("extension", f"{found.beyond} extends it and is passed on to its locations")
    # What the record says, which may have been minted when PIDs of its prefix were written otherwise.
    own = read(found.record.pid.removeprefix(f"{found.record.issuer}/")).text
    parsed.canonical = own + found.beyond
    for reason in reasons(found.locations, now):
        parsed.add_step("location", reason)
    good = serviceable(found.locations, now)
    if good:
        best = choose(good, (), ClientPreferences())
        assert isinstance(best, tuple)
        if len(best) > 1 and found.prefix.repository.choices:
            parsed.add_step("choice", f"{len(best)} locations fit equally, and clients are offered the choice")
            return
        parsed.add_step("redirect", best[0].uri)
        parsed.location = best[0].uri
    elif not found.locations:
        parsed.add_step("record", "it has no location; the record itself is the answer")


def _meaning(match: PrefixMatch) -> str:
    if isinstance(match.prefix, Namespace):
        return f"an alias of the repository {match.prefix.repository.id}"
    return f"identifiers kept elsewhere, by {len(match.prefix.providers)} providers"


def _judged(parsed: Explanation, match: PrefixMatch) -> None:
    """Tell what the rules, or the pattern, say of the identifier."""
    if isinstance(match.prefix, ProviderPrefix):
        identifier = foreign_identifier(match.prefix, match.identifier)
        _tell_repetition(parsed, match.identifier, identifier)
        if match.prefix.pattern:
            judged = "fits" if matches(match.prefix.pattern, identifier) else "does not fit"
            parsed.add_step("pattern", f"{identifier} {judged} the prefix's pattern {match.prefix.pattern}")
        return
    repository = match.prefix.repository
    rules = repository.rules
    identifier = own_identifier(match.prefix, match.identifier)
    if match.prefix.name.startswith("ark:"):
        if identifier != match.identifier:
            parsed.add_step("normalised", f"{match.identifier} is {identifier} in an ARK")
    else:
        _tell_repetition(parsed, match.identifier, identifier)
    parsed.add_step("normalised", f"{identifier} is compared as {rules.compact(identifier)}")
    described = rules.describe()
    check = f", check {described.check} over {described.zone}" if described.check else ""
    try:
        display = rules.display(rules.validate(identifier))
    except InvalidIdentifier as error:  # the decision will refuse it, and knows near ones
        judgement = SchemeMatch(rules.scheme, False, None, str(error))
    else:
        parsed.add_step("rule", f"it keeps the rules of scheme {rules.scheme}{check}")
        parsed.canonical = join(repository.canonical or match.prefix.name, display)
        judgement = SchemeMatch(rules.scheme, True, display)
    others = (each for each in parsed.candidates if each.scheme != rules.scheme)
    parsed.candidates = (judgement, *others)


def _tell_repetition(parsed: Explanation, written: str, identifier: str) -> None:
    if identifier != written:
        parsed.add_step("normalised", f"{written} repeats the prefix; the identifier is {identifier}")
