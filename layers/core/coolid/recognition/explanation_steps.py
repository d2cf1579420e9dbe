"""The explanation of a text as a value, and the steps that the resolver takes for an identifier."""

from datetime import datetime
from typing import Any

from msgspec import Struct, field, to_builtins

from coolid.errors import InvalidIdentifier
from coolid.model.conditions import FAILOVER, REQUESTED
from coolid.model.locations import invalidity_reasons, valid_locations
from coolid.model.prefixes import LINKID, Namespace, ProviderPrefix, join
from coolid.recognition.detection import SchemeMatch
from coolid.recognition.unwrap import strip_wrapping, url_of
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import Reference, parse_reference
from coolid.resolution import resolver
from coolid.resolution.content_negotiation import ClientPreferences, choose
from coolid.resolution.identifier_spellings import foreign_identifier, matches, own_identifier
from coolid.resolution.linkid_integrity import require_integrity
from coolid.resolution.reverse_lookup import redirects_to
from coolid.store.reader import Reader


class ExplanationStep(Struct, frozen=True, rename={"name": "step"}):
    """One step: its `name` in a word, and its result."""

    name: str
    detail: str


class Explanation(Struct):
    """The explanation of a text; `location` is the redirect's target.

    For a URL, `curies` are those that lead to it by the URL patterns of prefixes. `found` are the identifiers in the
    text that are more likely meant than the text itself (`coolid.recognition.extraction`). If there is one, everything
    else is about it. If there are several, only their schemes are.
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
    """Whether the prefix is registered, but the identifier is invalid or not registered."""
    is_whole: bool = False
    """Whether the text says nothing besides the identifiers found in it."""

    def add_step(self, name: str, detail: str) -> None:
        """Append a step."""
        self.steps.append(ExplanationStep(name, detail))

    def to_document(self) -> dict[str, Any]:
        """Return the answer of the parse API."""
        members = to_builtins(self) | {"candidates": [each.to_document() for each in self.candidates]}
        return {name: value for name, value in members.items() if name not in ("refused", "is_whole")}


def add_resolution(
    result: Explanation, reference: Reference, reader: Reader, now: datetime, suggestion_keys: int
) -> None:
    """Add the prefix, the rules and the decision of the resolver, with its location. Raises the resolver's errors."""
    match = find_prefix(reference, reader)
    _add_prefix(result, match.prefix)
    if match.identifier:
        if isinstance(match.prefix, Namespace):
            _add_validation(result, match.prefix, match.identifier)
        else:
            _add_pattern(result, match.prefix, match.identifier)
    decision = resolver.decide(match, reader, suggestion_keys=suggestion_keys)
    if match.prefix.name == LINKID and isinstance(decision, resolver.FoundRecord | resolver.WithdrawnRecord):
        require_integrity(decision.record, reader)
    match decision:
        case resolver.ProviderRedirect():
            _add_redirect(result, decision, reader)
        case resolver.FoundRecord():
            result.prefix = decision.prefix.name  # for a shoulder, it may be the NAAN's
            _add_record(result, decision, now)
        case resolver.DescribePrefix():
            result.add_step("describe", "the prefix alone leads to its description")
        case resolver.WithdrawnRecord():
            result.add_step("record", f"{decision.record.id} was withdrawn; its tombstone remains")


def _add_prefix(result: Explanation, prefix: Namespace | ProviderPrefix) -> None:
    if isinstance(prefix, Namespace):
        meaning = f"an alias of the repository {prefix.repository.id}"
    else:
        number = len(prefix.providers)
        meaning = f"which {number} {'provider resolves' if number == 1 else 'providers resolve'}"
    result.prefix = prefix.name
    result.add_step("prefix", f"the longest registered prefix is {prefix.name}, {meaning}")


def _add_redirect(result: Explanation, redirect: resolver.ProviderRedirect, reader: Reader) -> None:
    result.canonical = join(redirect.prefix.name, redirect.identifier)
    is_url = not result.curies and url_of(strip_wrapping(result.text)) is not None
    if is_url and redirects_to(result.canonical, redirect.provider, redirect.location, reader, strict=True):
        result.curies = (result.canonical,)
    if redirect.prefix.deprecated:
        result.add_step("deprecated", f"the prefix {redirect.prefix.name} should not be used for new identifiers")
    if not redirect.all_up:
        _add_health(result, redirect)
    result.add_step("provider", f"{redirect.provider}, whose URL pattern is filled with {redirect.identifier}")
    result.add_step("redirect", redirect.location)
    result.location = redirect.location


def _add_health(result: Explanation, redirect: resolver.ProviderRedirect) -> None:
    """Add why another provider than the first is used, or why one that is not up is used."""
    from coolid.resolution.provider_failover import describe_condition, unavailable_providers

    for provider, condition in unavailable_providers(redirect.prefix):
        if provider.code == redirect.provider:
            outcome = "the request names it" if redirect.choice == REQUESTED else "no other is better"
        elif redirect.choice == FAILOVER and provider is redirect.prefix.providers[0]:
            outcome = f"{redirect.provider} replaces it"
        else:
            continue
        result.add_step("health", f"{provider.code} is {describe_condition(condition)}; {outcome}")


def _add_record(result: Explanation, found: resolver.FoundRecord, now: datetime) -> None:
    """Add the record and its locations; clients without preferences are redirected to the first."""
    result.add_step("record", f"it is registered as {found.record.id}")
    if found.extension:
        result.add_step("extension", f"{found.extension_text} extends it and is appended to its locations")
    # From the record, because the spelling of the prefix may have changed since it was minted.
    own = parse_reference(found.record.pid.removeprefix(f"{found.record.issuer}/")).text
    result.canonical = own + found.extension_text
    for reason in invalidity_reasons(found.locations, now):
        result.add_step("location", reason)
    good = valid_locations(found.locations, now)
    if good:
        best = choose(good, (), ClientPreferences())
        assert isinstance(best, tuple)
        if len(best) > 1 and found.prefix.repository.choices:
            result.add_step("choice", f"{len(best)} locations fit equally, and clients can choose")
            return
        result.add_step("redirect", best[0].uri)
        result.location = best[0].uri
    elif not found.locations:
        result.add_step("record", "it has no location; the record itself is the answer")


def _add_pattern(result: Explanation, prefix: ProviderPrefix, written: str) -> None:
    """Add whether the identifier matches the pattern of a provider prefix."""
    identifier = foreign_identifier(prefix, written)
    _add_repetition(result, written, identifier)
    if prefix.pattern:
        verdict = "fits" if matches(prefix.pattern, identifier) else "does not fit"
        result.add_step("pattern", f"{identifier} {verdict} the prefix's pattern {prefix.pattern}")


def _add_validation(result: Explanation, prefix: Namespace, written: str) -> None:
    """Add whether the identifier conforms to the rules of a namespace."""
    rules = prefix.repository.rules
    identifier = own_identifier(prefix, written)
    if prefix.name == LINKID:
        _add_linkid(result, prefix, identifier)
        return
    if not prefix.name.startswith("ark:"):
        _add_repetition(result, written, identifier)
    elif identifier != written:
        result.add_step("normalised", f"{written} is {identifier} in an ARK")
    result.add_step("normalised", f"{identifier} is compared as {rules.compact(identifier)}")
    try:
        display = rules.display(rules.validate(identifier))
    except InvalidIdentifier as error:  # `decide` raises it again, with suggestions
        scheme_match = SchemeMatch(rules.scheme, False, None, str(error))
    else:
        description = rules.describe()
        check = f", check {description.check} over {description.zone}" if description.check else ""
        result.add_step("rule", f"it conforms to the rules of scheme {rules.scheme}{check}")
        result.canonical = join(prefix.repository.canonical or prefix.name, display)
        scheme_match = SchemeMatch(rules.scheme, True, display)
    result.candidates = (scheme_match, *(each for each in result.candidates if each.scheme != rules.scheme))


def _add_linkid(result: Explanation, prefix: Namespace, identifier: str) -> None:
    """Add how a LinkID is compared; its syntax was validated, and the rules refuse it only as not registered."""
    result.add_step("normalised", f"{identifier} is compared as {prefix.repository.rules.compact(identifier)}")
    result.canonical = join(prefix.name, identifier)


def _add_repetition(result: Explanation, written: str, identifier: str) -> None:
    if identifier != written:
        result.add_step("normalised", f"{written} repeats the prefix; the identifier is {identifier}")
