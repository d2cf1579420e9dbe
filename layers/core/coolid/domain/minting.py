"""Minting: giving an identifier to a thing, exactly once.

The identifier is drawn (or chosen by the caller) and written under the condition that it was never used; that one
write decides. A drawn identifier that exists is drawn again, so that a caller never sees a collision; a generator
that can only repeat itself ends in `DrawsExhausted` instead of a loop.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from coolid.domain.errors import DrawsExhausted, IdentifierTaken, InvalidIdentifier, InvalidInput
from coolid.domain.finding import lookup
from coolid.domain.ports import Clock, Entropy
from coolid.domain.prefixes import Namespace, join
from coolid.domain.records import ACTIVE, Location, Record
from coolid.domain.rules.base import DrawnRules
from coolid.domain.stores import Store

MOST_DRAWS: Final = 1000


@dataclass(frozen=True, slots=True)
class MintRequest:
    """What the caller wants to name: `id` is a chosen LUI in any spelling, or None to draw one."""

    prefix: str
    locations: tuple[Location, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    alternates: tuple[Mapping[str, str], ...] = ()
    id: str | None = None
    status: str = ACTIVE


@dataclass(frozen=True, slots=True)
class Minter:
    """Mints into `store`; `base_url` (no slash at its end) begins every PID and is the issuer."""

    store: Store
    clock: Clock
    entropy: Entropy
    base_url: str

    def namespace(self, prefix: str) -> Namespace:
        """The namespace to mint under; `InvalidInput` if the prefix is unknown or names no repository here."""
        found = lookup(prefix, self.store, consistent=True)
        if found is None:
            raise InvalidInput.at("/prefix", f"no prefix {prefix!a} is registered here")
        if not isinstance(found, Namespace):
            raise InvalidInput.at("/prefix", f"{prefix!a} names identifiers that are kept elsewhere, not a repository")
        return found

    def mint(self, request: MintRequest, namespace: Namespace) -> Record:
        """Write the first version of a new record and return it.

        Raises `InvalidInput` (the chosen id breaks the rules), `IdentifierTaken` (it exists), `DrawsExhausted`.
        """
        rules = namespace.repository.rules
        if request.id is None and isinstance(rules, DrawnRules):
            return self._mint_drawn(request, namespace, rules)
        if request.id is None:
            raise InvalidInput.at("/id", f"identifiers of scheme {rules.scheme} are named by whoever mints them")
        try:
            key = rules.validate(request.id)
        except InvalidIdentifier as error:
            raise InvalidInput.at("/id", str(error)) from error
        return self._write(request, namespace, key)

    def _mint_drawn(self, request: MintRequest, namespace: Namespace, rules: DrawnRules) -> Record:
        tried: set[str] = set()
        for _ in range(MOST_DRAWS):
            key = rules.draw(self.entropy, self.clock.milliseconds())
            if key in tried:
                continue
            try:
                return self._write(request, namespace, key)
            except IdentifierTaken:
                tried.add(key)
        raise DrawsExhausted(MOST_DRAWS)

    def _write(self, request: MintRequest, namespace: Namespace, key: str) -> Record:
        repository = namespace.repository
        now = self.clock.now()
        display = repository.rules.display(key)
        record = Record(
            id=display,
            pid=f"{self.base_url}/{join(repository.canonical or namespace.name, display)}",
            repository=repository.id,
            version=1,
            created=now,
            updated=now,
            issuer=self.base_url,
            status=request.status,
            records=request.locations,
            metadata=request.metadata,
            alternates=request.alternates,
        )
        self.store.create_record(record, key)
        return record
