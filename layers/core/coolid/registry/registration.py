"""Registering: creating repositories, and prefixes that name them or somebody else's identifiers.

A namespace is an alias: once it names a repository it never names another. A prefix from a registry of the world may
be taken over by a namespace (an operator's own `mp` comes before everybody's), but never the other way round.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from coolid.errors import Contended, IdentifierTaken, InvalidInput, PrefixTaken, UnknownRepository, Violation
from coolid.identifiers.patterns import is_supported
from coolid.identifiers.rules.base import Rules, is_valid
from coolid.identifiers.rules.noid import NoidRules
from coolid.identifiers.schemes import ark, lid, lui
from coolid.identifiers.target_policy import objection
from coolid.model.prefixes import (
    HANDLES,
    MOST_NAME_BYTES,
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
from coolid.registry.references import MOST_CANDIDATES
from coolid.store.store import Store

RESERVED_NAMES: Final = frozenset(
    {
        "api",
        "resolve",
        "problems",
        "health",
        "hrls",
        "pages",
        "static",
        "http",
        "https",
        "robots.txt",
        "favicon.ico",
        "sitemap.xml",
        "timegate",
        "timemap",
    }
)
MOST_PARTS: Final = MOST_CANDIDATES - 1
_ATTEMPTS: Final = 3

Registered = TypeVar("Registered", bound=Prefix)


def create_repository(draft: Repository, store: Store, entropy: Entropy) -> Repository:
    """Write a repository under a freshly drawn id."""
    for _ in range(_ATTEMPTS):
        repository = replace(draft, id=lui.format(lui.generate(entropy)), rules=draft.rules.seeded(entropy))
        try:
            store.create_repository(repository)
        except IdentifierTaken:
            continue
        return repository
    raise Contended("no free repository id was drawn")


def register_namespace(name: str, repository_id: str, title: str, store: Store, clock: Clock) -> Namespace:
    """Make `name` an alias of the repository, or change its title.

    The first alias becomes the repository's canonical prefix. Raises `InvalidInput`, `PrefixTaken`.
    """
    folded = checked_name(name)
    if not is_namespace_name(folded):
        raise InvalidInput.at(
            "", "a namespace is made of letters, digits, '.', '_', '-', in parts set off by '/' or ':'"
        )

    def namespace(present: Prefix | None) -> Namespace:
        repository = store.repository(repository_id)
        if repository is None:
            raise InvalidInput.at("/repository", str(UnknownRepository(repository_id)))
        if isinstance(present, Namespace) and present.repository.id != repository.id:
            raise PrefixTaken(folded, f"is already an alias of the repository {present.repository.id}")
        _refuse_unfit_rules(folded, repository.rules)
        if folded.startswith("ark:") and not isinstance(present, Namespace):  # what is one remains one
            _refuse_other_check_zones(folded, repository.rules)
        if not isinstance(present, Namespace):
            _refuse_being_shadowed(folded, repository.rules, store)
        now = clock.now()
        return Namespace(
            name=folded,
            repository=replace(repository, canonical=repository.canonical or folded),
            title=title,
            created=present.created if isinstance(present, Namespace) else now,
            updated=now,
            revision=_next_revision(present),
        )

    return _put(folded, namespace, store)


def register_provider_prefix(draft: ProviderPrefix, store: Store, clock: Clock) -> ProviderPrefix:
    """Register identifiers that are kept elsewhere, or change their entry.

    `draft` has everything but its times and revision. Raises `InvalidInput`, `PrefixTaken`.
    """
    folded = checked_name(draft.name)
    checked = (checked_name(synonym, f"/synonyms/{at}") for at, synonym in enumerate(draft.synonyms))
    synonyms = tuple(dict.fromkeys(checked))
    if draft.pattern is not None and not is_supported(draft.pattern):
        raise InvalidInput.at("/pattern", "it is not a regular expression in RE2's syntax")

    def provider_prefix(present: Prefix | None) -> ProviderPrefix:
        if isinstance(present, Namespace):
            raise PrefixTaken(folded, f"is already an alias of the repository {present.repository.id}")
        now = clock.now()
        for synonym in synonyms:
            _refuse_shadowing(synonym, store)
        return replace(
            draft,
            name=folded,
            providers=checked_providers(draft.providers),
            synonyms=tuple(synonym for synonym in synonyms if synonym != folded),
            created=present.created if isinstance(present, ProviderPrefix) else now,
            updated=now,
            revision=_next_revision(present),
        )

    return _put(folded, provider_prefix, store)


def checked_name(name: str, pointer: str = "") -> str:
    """The folded name, if it can be a prefix at all; else `InvalidInput` at `pointer`.

    >>> checked_name("UniProt")
    'uniprot'
    """
    folded = fold(name)
    if not folded or folded != folded.strip() or not folded.isprintable():
        raise InvalidInput.at(
            pointer, f"{name!a} cannot be a prefix: it is empty, or has space or controls at its ends"
        )
    if len(folded.encode()) > MOST_NAME_BYTES:
        raise InvalidInput.at(pointer, f"a prefix has at most {MOST_NAME_BYTES} bytes")
    parts = re.split("[/:]", folded)
    if not {"", ".", ".."}.isdisjoint(parts) or len(parts) > MOST_PARTS:
        raise InvalidInput.at(
            pointer, f"a prefix has 1 to {MOST_PARTS} parts between '/' and ':', none empty or of dots"
        )
    if parts[0] in RESERVED_NAMES or parts[0].startswith(".") or (parts[0] == lid.NAME and len(parts) > 1):
        raise InvalidInput.at(pointer, f"{parts[0]!a} is an address of the service itself")
    if folded.startswith("ark:") and ark.compact(folded) != folded:
        raise InvalidInput.at(pointer, f"as an ARK it is the same as {ark.compact(folded)}; register that")
    return folded


def checked_providers(providers: Sequence[Provider]) -> tuple[Provider, ...]:
    """The providers, if each has a code of its own and a pattern that sends people to one host; else `InvalidInput`.

    >>> checked_providers([Provider("x", "https://{$id}.example.org/")])
    Traceback (most recent call last):
    ...
    coolid.errors.InvalidInput: /providers/0/url: {$id} must stand behind the host
    """
    violations = []
    codes: set[str] = set()
    for position, provider in enumerate(providers):
        if fold(provider.code) in codes:
            violations.append(Violation(f"/providers/{position}/code", f"the code {provider.code!a} stands twice"))
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
        return f"{PLACEHOLDER} must stand behind the host"
    return objection(url.replace(PLACEHOLDER, "0"))


def _refuse_unfit_rules(name: str, rules: Rules) -> None:
    """`InvalidInput` if identifiers could be told apart that ARKs, DOIs or Handles take for the same."""
    if name == "ark" or re.split("[/:]", name)[0] in HANDLES:
        raise InvalidInput.at(
            "", f"{name} leads to everybody's; register the part of it that is yours, such as 10.5072"
        )
    if name == lid.NAME:
        _refuse_short_linkids(rules)
    if name.startswith("ark:") and rules.hyphens_matter:
        raise InvalidInput.at("/repository", f"hyphens mean nothing in ARKs, but do to its rules, {rules.scheme}")
    if has_handles(name) and rules.case_matters:
        raise InvalidInput.at(
            "/repository", f"case means nothing in DOIs and Handles, but does to its rules, {rules.scheme}"
        )


def _refuse_other_check_zones(name: str, rules: Rules) -> None:
    """`InvalidInput` if check characters would cover another NAAN or shoulder than the ARKs have."""
    if not isinstance(rules, NoidRules) or not rules.naan:
        return
    covered = f"ark:{rules.naan}/{rules.shoulder}"
    if covered.removesuffix("/") != name:
        raise InvalidInput.at(
            "/repository", f"its rules are for names that begin {covered}, those under it begin {join(name, '')}"
        )


def _refuse_shadowing(name: str, store: Store) -> None:
    """`PrefixTaken` if the name is, or could become, an identifier of a repository of ours: it would not resolve.

    Part of what others keep may be taken over (`ark:99999` from `ark`); that is what the longest prefix wins for.
    """
    shoulder = shoulder_of(name)
    behind = (shoulder,) if shoulder is not None and shoulder != name else ()
    rows = store.prefixes((*ancestors(name), *behind), consistent=True)
    for shorter, row in rows.items():
        rest = name[len(shorter) :] if shorter == shoulder else name[len(shorter) + 1 :]
        if isinstance(row, Namespace) and _is_one(rest, row.repository.rules, is_beginning=shoulder == name):
            raise PrefixTaken(name, f"would hide an identifier under {shorter}")


def _refuse_being_shadowed(name: str, rules: Rules, store: Store) -> None:
    """`PrefixTaken` if the names that the rules make would begin like a shoulder that is registered already."""
    row = store.prefixes((name,), consistent=True).get(name) if name.startswith("ark:") else None
    for longer in sorted(row.longer if row else ()):
        if is_shoulder(longer) and _is_one(longer[len(name) + 1 :], rules, is_beginning=True):
            raise PrefixTaken(name, f"would have its identifiers hidden by {longer}")


def _is_one(text: str, rules: Rules, *, is_beginning: bool) -> bool:
    """Whether it is an identifier; for what hides all that begins so, also whether the example of them does."""
    return is_valid(rules, text) or (is_beginning and rules.describe().example.startswith(text))


def _put(name: str, build: Callable[[Prefix | None], Registered], store: Store) -> Registered:
    """Read, build, write on condition; again from the start where somebody else came between."""
    _refuse_shadowing(name, store)
    for _ in range(_ATTEMPTS):
        present = store.prefixes((name,), consistent=True).get(name)
        if isinstance(present, Synonym):
            raise PrefixTaken(name, f"is already a synonym of {present.target}")
        if isinstance(present, Stem):
            present = None
        built = build(present)
        try:
            store.put_prefix(built, present)
        except Contended:
            continue
        return built
    raise Contended(f"the prefix {name} kept changing; try again")


def _next_revision(present: Prefix | None) -> int:
    return present.revision + 1 if isinstance(present, Namespace | ProviderPrefix) else 1


def _refuse_short_linkids(rules: Rules) -> None:
    """`InvalidInput` if the rules' identifiers are not such as the LinkID draft has them."""
    described = rules.describe()
    least, most = described.length
    if not lid.is_valid(described.example) or least > lid.MOST or most < lid.LEAST:
        raise InvalidInput.at(
            "/repository", f"LinkIDs have {lid.LEAST} to {lid.MOST} characters; rules of scheme {rules.scheme} have not"
        )
