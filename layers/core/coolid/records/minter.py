"""Minting: giving an identifier to a thing, exactly once.

However an identifier comes to be (drawn, counted or given, as `coolid.identifiers.rules` say), it is written under the
condition that it was never used; that one write decides. One that exists is drawn or counted again, so that a caller
who did not choose never sees a collision; a generator that can only repeat itself ends in `DrawsExhausted`.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct, field

from coolid.errors import (
    BadReference,
    DrawsExhausted,
    IdentifierTaken,
    InvalidIdentifier,
    InvalidInput,
    NotFound,
    ReceiptTaken,
)
from coolid.identifiers.rules.base import RandomRules, Rules, SequentialRules, SuppliedRules
from coolid.identifiers.schemes import lid
from coolid.model.locations import refuse_circle
from coolid.model.prefixes import Namespace, join, path_of
from coolid.model.records import Content, Record
from coolid.ports import Clock, Entropy
from coolid.proofs.prover import Prover
from coolid.records.counters import Counters
from coolid.records.idempotency import IdempotentRequest
from coolid.registry.prefix_lookup import PrefixMatch, find, lookup
from coolid.registry.references import Reference, checked
from coolid.resolution.resolver import key_under
from coolid.store.store import Store

MOST_DRAWS: Final = 1000

_OTHERS: Final = "its ARK would be another's: one of a longer prefix, or the same in normal form"


class MintRequest(Struct, frozen=True):
    """What the caller wants to name: `id` is a chosen identifier in any spelling; `parts` what one is built of.

    `author` is the id of the client that asks.
    """

    prefix: str
    content: Content = field(default_factory=Content)
    id: str | None = None
    parts: Mapping[str, Any] = field(default_factory=dict)
    author: str | None = None


class Minter:
    """Mints into `store`, signed by `prover`; `base_url` (no slash at its end) begins every PID and is the issuer.

    `demand_home` is asked, with a repository's id, whether it may mint for it here and now
    (`coolid.registry.home_regions.Homes`). `collided` hears how many identifiers were made in vain
    for a mint, since they exist.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        entropy: Entropy,
        prover: Prover,
        base_url: str,
        *,
        demand_home: Callable[[str], None] = lambda _: None,
        collided: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.store = store
        self._prover = prover
        self.clock = clock
        self.entropy = entropy
        self._base_url = base_url
        self.demand_home = demand_home
        self._collided = collided
        self._counters = Counters(store, clock)

    def namespace(self, prefix: str) -> Namespace:
        """The namespace to mint under; `InvalidInput` if the prefix is unknown or names no repository here."""
        found = lookup(prefix, self.store, consistent=True)
        if found is None:
            raise InvalidInput.at("/prefix", f"no prefix {prefix!a} is registered here")
        if not isinstance(found, Namespace):
            raise InvalidInput.at("/prefix", f"{prefix!a} names identifiers that are kept elsewhere, not a repository")
        return found

    def made(self, errand: IdempotentRequest) -> Record | None:
        """What was minted for an errand when it was first sent, as it was then; None if it is new.

        Raises `KeyReused`, `StoreUnavailable`.
        """
        receipt = self.store.idempotency_record(errand.id)
        if receipt is None or receipt.expires <= self.clock.now():
            return None
        receipt.require_same_body(errand.digest)
        repository_id, _, key = receipt.outcome.partition("/")
        record = self.store.record(repository_id, key, consistent=True)
        return record if record is None or record.version == 1 else self.store.superseded(repository_id, key, 1)

    def mint(self, request: MintRequest, namespace: Namespace, errand: IdempotentRequest | None = None) -> Record:
        """Write the first version of a new record and return it; for an `errand`, with a receipt of it.

        Raises `HomeElsewhere`, `HomeMoving`, `InvalidInput` (what is given breaks the rules), `IdentifierTaken` (it
        exists), `Exhausted`, `DrawsExhausted`, `CounterAhead`, `SignerUnavailable`, `StoreUnavailable`.
        """
        self.demand_home(namespace.repository.id)
        rules = namespace.repository.rules
        if request.id is not None:
            key = _chosen(request.id, namespace)
            if self._leads_elsewhere(namespace, key):
                raise InvalidInput.at("/id", _OTHERS)
            return self._write(request, namespace, key, errand)
        if request.parts and not isinstance(rules, SuppliedRules):
            raise InvalidInput.at("/parts", f"identifiers of scheme {rules.scheme} are not built of parts")
        tried: set[str] = set()
        collisions = 0
        try:
            while collisions < MOST_DRAWS:
                key = self._next_key(namespace.repository.id, rules, request.parts)
                if self._leads_elsewhere(namespace, key):
                    if isinstance(rules, SuppliedRules) and rules.is_whole(request.parts):
                        raise InvalidInput.at("/parts", _OTHERS)
                # After one collision it is looked first: reading is cheaper than signing in vain.
                elif not tried or not (
                    key in tried or self.store.record(namespace.repository.id, key, consistent=True)
                ):
                    try:
                        return self._write(request, namespace, key, errand)
                    except IdentifierTaken:
                        if isinstance(rules, SuppliedRules) and rules.is_whole(request.parts):
                            raise
                tried.add(key)
                collisions += 1
            raise DrawsExhausted(MOST_DRAWS)
        finally:
            if collisions:
                self._collided(collisions)

    def _leads_elsewhere(self, namespace: Namespace, key: str) -> bool:
        """Whether the PID, or the name that was asked for, would lead to another record, or to nobody's.

        In ARKs, letters and a digit may be a shoulder of another's, and spellings that rules tell apart may be one.
        """
        repository = namespace.repository
        names = {name for name in (repository.canonical, namespace.name) if name and name.startswith("ark:")}
        return any(self._is_elsewhere(join(name, repository.rules.display(key)), repository.id, key) for name in names)

    def _is_elsewhere(self, ark: str, repository_id: str, key: str) -> bool:
        try:
            match = find(Reference.of(ark), self.store)
        except NotFound:  # the store does not show yet what was registered a moment ago
            return False
        if _place(match) != (repository_id, key):
            return True
        other = _place(match.another) if match.another is not None else None
        return other is not None and other != (repository_id, key) and self.store.record(*other) is not None

    def _next_key(self, repository_id: str, rules: Rules, parts: Mapping[str, Any]) -> str:
        if isinstance(rules, SuppliedRules):
            return rules.given(parts, self.entropy)
        if isinstance(rules, SequentialRules):
            return rules.key(self._counters.take(repository_id, rules))
        assert isinstance(rules, RandomRules)
        return rules.draw(self.entropy, self.clock.milliseconds())

    def _write(self, request: MintRequest, namespace: Namespace, key: str, errand: IdempotentRequest | None) -> Record:
        repository, content = namespace.repository, request.content
        now = self.clock.now()
        display = repository.rules.display(key)
        unsigned = Record(
            id=display,
            pid=f"{self._base_url}/{path_of(repository.canonical or namespace.name, display)}",
            repository=repository.id,
            version=1,
            created=now,
            updated=now,
            issuer=self._base_url,
            status=content.status,
            records=content.records,
            metadata=content.metadata,
            alternates=content.alternates,
            ttl=content.ttl,
            author=request.author,
        )
        refuse_circle(unsigned)
        record = self._prover.prove(unsigned)
        try:
            receipt = errand.record(f"{repository.id}/{key}", now) if errand else None
            self.store.create_record(record, key, receipt)
        except (ReceiptTaken, IdentifierTaken):  # perhaps it was sent twice at once, and the other was first
            made = self.made(errand) if errand else None
            if made is None:
                raise
            return made
        return record


def _place(match: PrefixMatch) -> tuple[str, str] | None:
    """The repository and key of what was found; None if it is not ours, or breaks the rules."""
    if isinstance(match.prefix, Namespace):
        with suppress(InvalidIdentifier):
            return match.prefix.repository.id, key_under(match.prefix, match.identifier)
    return None


def _chosen(text: str, namespace: Namespace) -> str:
    rules = namespace.repository.rules
    try:
        key = rules.validate(checked(text))
        if namespace.repository.canonical == lid.LABEL[:-1]:  # a pattern of one's own may allow more than LinkIDs
            lid.validate(rules.display(key))
        return key
    except (BadReference, InvalidIdentifier) as error:
        raise InvalidInput.at("/id", str(error)) from error
