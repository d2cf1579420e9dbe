"""Functions that create repositories, and register namespaces and provider prefixes.

A namespace is an alias: it never changes its repository. A namespace may replace a provider prefix from a public
registry, because an operator's own `mp` takes precedence. The reverse is not possible.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from coolid.errors import Contended, IdentifierTaken, InvalidInput, PrefixTaken, UnknownRepository, Violation
from coolid.identifiers.patterns import is_supported
from coolid.identifiers.rules.base import Rules, is_valid
from coolid.identifiers.rules.chosen import ChosenRules
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import ark, lid, linkid, lui, uuid
from coolid.identifiers.target_policy import objection
from coolid.model.idempotency_record import IdempotencyRecord
from coolid.model.prefixes import (
    HANDLES,
    MAX_NAME_BYTES,
    PLACEHOLDER,
    Namespace,
    Prefix,
    Provider,
    ProviderPrefix,
    Stem,
    Synonym,
    ancestors,
    fold,
    has_handles,
    is_namespace_name,
    is_shoulder,
    join,
    shoulder_of,
)
from coolid.model.repositories import Repository
from coolid.ports import Clock, Entropy
from coolid.registry.longer_names import longer_names
from coolid.registry.references import MAX_CANDIDATES
from coolid.store.prefixes import PrefixReader, PrefixStore, RepositoryStore

RESERVED_NAMES: Final = frozenset({
    "api", "docs", "resolve", "problems", "health", "hrls", "pages", "static", "http", "https",
    "robots.txt", "favicon.ico", "sitemap.xml", "timegate", "timemap",
})  # fmt: skip
RESERVED_FOR_LATER: Final = frozenset({
    "download_request", "id", "log", "login", "logout", "oai", "shoulder", "sitemaps", "status",
})  # fmt: skip
"""Further addresses of the service. A prefix of such a name that is stored already, such as the Bioregistry's `log`,
resolves and can be changed. Its identifiers are always reachable after a colon: `/log:x`."""
MAX_PARTS: Final = MAX_CANDIDATES - 1
MONTHS: Final = 12
_ATTEMPTS: Final = 3
_LINKIDS: Final = (lid.NAME, linkid.NAME)
"""The prefixes of LinkIDs, below which there are no others."""
_UUID: Final = "00c538ea846b47a6a3d470a9ebd29d7c"
"""A UUID of version 4, which rules for LinkIDs accept with or without hyphens."""
_DATE: Final = re.compile("[0-9]{4}/([0-9]{2})(/.*)?")

Registered = TypeVar("Registered", bound=Prefix)


def create_repository(
    draft: Repository,
    repositories: RepositoryStore,
    entropy: Entropy,
    record_of: Callable[[Repository], IdempotencyRecord | None] = lambda _: None,
) -> Repository:
    """Write a repository under a new random identifier, with the idempotency record that `record_of` returns for it.

    Raises `Contended` after three collisions, `IdempotencyRecordTaken`.
    """
    for _ in range(_ATTEMPTS):
        repository = replace(draft, id=lui.format(lui.generate(entropy)), rules=draft.rules.seeded(entropy))
        try:
            repositories.create_repository(repository, record_of(repository))
        except IdentifierTaken:
            continue
        return repository
    raise Contended("no free repository id was drawn")


def register_namespace(
    name: str, repository_id: str, title: str, *, prefixes: PrefixStore, repositories: RepositoryStore, clock: Clock
) -> Namespace:
    """Make `name` an alias of the repository, the first its canonical one. Raises `InvalidInput`, `PrefixTaken`."""
    folded = validated_name(name)
    if not is_namespace_name(folded):
        raise InvalidInput.at("", "a namespace has letters, digits, '.', '_' and '-', in parts separated by '/' or ':'")

    def namespace(current: Prefix | None) -> Namespace:
        if not isinstance(current, Namespace):
            _refuse_as_new(folded)
        repository = repositories.repository(repository_id)
        if repository is None:
            raise InvalidInput.at("/repository", str(UnknownRepository(repository_id)))
        if isinstance(current, Namespace) and current.repository.id != repository.id:
            raise PrefixTaken(folded, f"is already an alias of the repository {current.repository.id}")
        _refuse_unfit_rules(folded, repository.rules)
        if folded.startswith("ark:") and not isinstance(current, Namespace):  # existing namespaces stay valid
            _refuse_other_check_zones(folded, repository.rules)
        if not isinstance(current, Namespace):
            _refuse_being_shadowed(folded, repository.rules, prefixes)
        now = clock.now()
        return Namespace(
            name=folded,
            repository=replace(repository, canonical=repository.canonical or folded),
            title=title,
            created=current.created if isinstance(current, Namespace) else now,
            updated=now,
            revision=_next_revision(current),
        )

    return _put(folded, namespace, prefixes)


def register_provider_prefix(draft: ProviderPrefix, prefixes: PrefixStore, clock: Clock) -> ProviderPrefix:
    """Register a prefix of others' identifiers, or change its entry. Raises `InvalidInput`, `PrefixTaken`."""
    folded = validated_name(draft.name)
    folded_synonyms = (validated_name(synonym, f"/synonyms/{at}") for at, synonym in enumerate(draft.synonyms))
    synonyms = tuple(dict.fromkeys(folded_synonyms))
    if draft.pattern is not None and not is_supported(draft.pattern):
        raise InvalidInput.at("/pattern", "it is not a regular expression in RE2's syntax")

    def provider_prefix(current: Prefix | None) -> ProviderPrefix:
        if isinstance(current, Namespace):
            raise PrefixTaken(folded, f"is already an alias of the repository {current.repository.id}")
        if current is None:
            _refuse_as_new(folded)
            _refuse_linkid(folded)
        former = current.synonyms if isinstance(current, ProviderPrefix) else ()
        mapped = current.mapped if isinstance(current, ProviderPrefix) else {}
        for at, synonym in enumerate(synonyms):
            if synonym not in former:
                _refuse_as_new(synonym, f"/synonyms/{at}")
                _refuse_linkid(synonym, f"/synonyms/{at}")
        now = clock.now()
        for synonym in synonyms:
            _refuse_shadowing(synonym, prefixes)
        return replace(
            draft,
            name=folded,
            providers=validated_providers(draft.providers),
            synonyms=tuple(synonym for synonym in synonyms if synonym != folded),
            mapped={name: registries for name, registries in mapped.items() if name in synonyms},
            created=current.created if isinstance(current, ProviderPrefix) else now,
            updated=now,
            revision=_next_revision(current),
        )

    return _put(folded, provider_prefix, prefixes)


def validated_name(name: str, pointer: str = "") -> str:
    """Return the folded name if it can be a prefix; else raise `InvalidInput` at `pointer`."""
    folded = fold(name)
    if not folded or folded != folded.strip() or not folded.isprintable():
        raise InvalidInput.at(pointer, f"{name!a} cannot be a prefix: it is empty, or has outer spaces or controls")
    if len(folded.encode()) > MAX_NAME_BYTES:
        raise InvalidInput.at(pointer, f"a prefix has at most {MAX_NAME_BYTES} bytes")
    parts = re.split("[/:]", folded)
    if not {"", ".", ".."}.isdisjoint(parts) or len(parts) > MAX_PARTS:
        reason = f"a prefix has 1 to {MAX_PARTS} parts, separated by '/' or ':', none of them empty or only dots"
        raise InvalidInput.at(pointer, reason)
    if parts[0] in RESERVED_NAMES or parts[0].startswith(".") or (parts[0] in _LINKIDS and len(parts) > 1):
        raise InvalidInput.at(pointer, f"{parts[0]!a} is an address of the service itself")
    if folded.startswith("ark:") and ark.compact(folded) != folded:
        raise InvalidInput.at(pointer, f"as an ARK it is the same as {ark.compact(folded)}; register that")
    return folded


def _refuse_as_new(name: str, pointer: str = "") -> None:
    """Raise `InvalidInput` for a folded name that earlier releases accepted, but that cannot be registered any more."""
    first = re.split("[/:]", name)[0]
    if first in RESERVED_FOR_LATER:
        raise InvalidInput.at(pointer, f"{first!a} is reserved for addresses of the service itself")
    date = _DATE.fullmatch(name)
    if date and not 1 <= int(date[1]) <= MONTHS:
        raise InvalidInput.at(pointer, f"{name[:7]!a} has no month from 01 to 12")


def _refuse_linkid(name: str, pointer: str = "") -> None:
    """Raise `InvalidInput` for the prefix of LinkIDs, whose other resolvers are not found by URL patterns."""
    if name == linkid.NAME:
        raise InvalidInput.at(pointer, f"{name} is only an alias of a repository here, not a prefix of others")


def validated_providers(providers: Sequence[Provider]) -> tuple[Provider, ...]:
    """Return the providers if each has a unique code and a pattern with a fixed host; else raise `InvalidInput`."""
    violations = []
    codes: set[str] = set()
    for position, provider in enumerate(providers):
        if fold(provider.code) in codes:
            violations.append(Violation(f"/providers/{position}/code", f"the code {provider.code!a} occurs twice"))
        codes.add(fold(provider.code))
        reason = _pattern_objection(provider.url)
        if reason:
            violations.append(Violation(f"/providers/{position}/url", reason))
    if violations:
        raise InvalidInput(violations)
    return tuple(providers)


def _pattern_objection(url: str) -> str | None:
    before, placeholder, _ = url.partition(PLACEHOLDER)
    if not placeholder:
        return f"it has no {PLACEHOLDER} where the identifier goes"
    if not re.search("[/?#]", before.partition("://")[2]):
        return f"{PLACEHOLDER} must follow the host"
    return objection(url.replace(PLACEHOLDER, "0"))


def _refuse_unfit_rules(name: str, rules: Rules) -> None:
    """Raise `InvalidInput` if the rules distinguish identifiers that are equal as ARKs, DOIs or Handles."""
    if name == "ark" or re.split("[/:]", name)[0] in HANDLES:
        raise InvalidInput.at("", f"{name} belongs to everybody; register your own part of it, such as 10.5072")
    if name == lid.NAME:
        _refuse_short_linkids(rules)
    if name == linkid.NAME:
        _refuse_other_than_uuids(rules)
    if name.startswith("ark:") and rules.hyphens_matter:
        reason = (
            f"ARKs ignore hyphens, but its rules of scheme {rules.scheme} do not; with ignores_hyphens, chosen does"
        )
        raise InvalidInput.at("/repository", reason)
    if has_handles(name) and rules.case_matters:
        reason = (
            f"DOIs and Handles ignore case, but its rules of scheme {rules.scheme} do not; with folds_case, chosen does"
        )
        raise InvalidInput.at("/repository", reason)


def _refuse_other_check_zones(name: str, rules: Rules) -> None:
    """Raise `InvalidInput` if check characters would cover another NAAN or shoulder than the ARKs have."""
    if not isinstance(rules, NoidRules) or not rules.naan:
        return
    covered = f"ark:{rules.naan}/{rules.shoulder}"
    if covered.removesuffix("/") != name:
        reason = f"its rules are for names that begin with {covered}, but those under it begin with {join(name, '')}"
        raise InvalidInput.at("/repository", reason)


def _refuse_shadowing(name: str, prefixes: PrefixReader) -> None:
    """Raise `PrefixTaken` if the name is a possible identifier of an own repository, which it would shadow."""
    shoulder = shoulder_of(name)
    behind = (shoulder,) if shoulder is not None and shoulder != name else ()
    rows = prefixes.prefixes((*ancestors(name), *behind), consistent=True)
    for shorter, row in rows.items():
        rest = name[len(shorter) :] if shorter == shoulder else name[len(shorter) + 1 :]
        if isinstance(row, Namespace) and _matches_rules(rest, row.repository.rules, is_beginning=shoulder == name):
            raise PrefixTaken(name, f"would hide an identifier under {shorter}")


def _refuse_being_shadowed(name: str, rules: Rules, prefixes: PrefixStore) -> None:
    """Raise `PrefixTaken` if identifiers of the rules could begin with a registered shoulder."""
    row = prefixes.prefixes((name,), consistent=True).get(name) if name.startswith("ark:") else None
    for longer in longer_names(row, prefixes) if row else ():
        if is_shoulder(longer) and _matches_rules(longer[len(name) + 1 :], rules, is_beginning=True):
            raise PrefixTaken(name, f"would have its identifiers hidden by {longer}")


def _matches_rules(text: str, rules: Rules, *, is_beginning: bool) -> bool:
    """Return whether the text is an identifier or, with `is_beginning`, begins the rules' example."""
    return is_valid(rules, text) or (is_beginning and rules.describe().example.startswith(text))


def _put(name: str, build: Callable[[Prefix | None], Registered], prefixes: PrefixStore) -> Registered:
    """Read, build and write conditionally; start again after a concurrent write."""
    _refuse_shadowing(name, prefixes)
    for _ in range(_ATTEMPTS):
        current = prefixes.prefixes((name,), consistent=True).get(name)
        if isinstance(current, Synonym):
            raise PrefixTaken(name, f"is already a synonym of {current.target}")
        if isinstance(current, Stem):
            current = None
        built = build(current)
        try:
            prefixes.put_prefix(built, current)
        except Contended:
            continue
        return built
    raise Contended(f"the prefix {name} kept changing; try again")


def _next_revision(current: Prefix | None) -> int:
    return current.revision + 1 if isinstance(current, Namespace | ProviderPrefix) else 1


def _refuse_short_linkids(rules: Rules) -> None:
    """Raise `InvalidInput` if the rules' identifiers do not match revision 00 of the LinkID draft."""
    described = rules.describe()
    minimum, maximum = described.length
    if not lid.is_valid(described.example) or minimum > lid.MAX_LENGTH or maximum < lid.MIN_LENGTH:
        lengths = f"{lid.MIN_LENGTH} to {lid.MAX_LENGTH} characters"
        raise InvalidInput.at("/repository", f"lid: identifiers have {lengths}; those of scheme {rules.scheme} do not")


def _refuse_other_than_uuids(rules: Rules) -> None:
    """Raise `InvalidInput` if none of the rules' identifiers can be a LinkID of revision 01."""
    forms = (rules.describe().example, _UUID, uuid.format(_UUID))
    chosen = isinstance(rules, ChosenRules) and any(uuid.is_valid(each) and is_valid(rules, each) for each in forms)
    if not (chosen or isinstance(rules, UuidRules)):
        reason = f"linkid: identifiers are UUIDs, but those of its rules of scheme {rules.scheme} are not"
        raise InvalidInput.at("/repository", f"{reason}; scheme uuid is for them, or chosen with a pattern for UUIDs")
