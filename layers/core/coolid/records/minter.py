"""The minter, which registers each identifier exactly once.

Identifiers are random, sequential or supplied (`coolid.identifiers.rules`). The write has the condition that the
identifier was never used, and this conditional write decides. If a generated identifier exists, another one is
generated, so that the caller sees no collision. A generator that only repeats itself ends in `DrawsExhausted`.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct, field

from coolid.errors import (
    DrawsExhausted,
    IdempotencyRecordTaken,
    IdentifierTaken,
    InvalidIdentifier,
    InvalidInput,
    NotFound,
)
from coolid.identifiers.rules.base import RandomRules, Rules, SequentialRules, SuppliedRules
from coolid.model.custody import unchanged_custody
from coolid.model.prefixes import Namespace, as_path, join
from coolid.model.records import Content, Record, refuse_self_reference
from coolid.ports import Clock, Entropy
from coolid.proofs.statements import Prover
from coolid.records.counters import Counters
from coolid.records.idempotency import IdempotentRequest, earlier_outcome
from coolid.records.linkid_rules import equal_keys, require_drawn_version, supplied_key
from coolid.registry.home_regions import HomeRegions, Region
from coolid.registry.prefix_lookup import PrefixMatch, find_prefix, prefix_by_name
from coolid.registry.references import Reference
from coolid.resolution.identifier_spellings import key_under
from coolid.store.counters import CounterStore
from coolid.store.limits import require_record_size
from coolid.store.prefixes import PrefixReader, RepositoryStore
from coolid.store.records import RecordStore
from coolid.store.rows import record_body

MAX_DRAWS: Final = 1000

_PLACEHOLDER: Final = "0000000000"
"""The key of a record that is checked and not written."""
_AMBIGUOUS: Final = "its ARK would be another's: one of a longer prefix, or the same in normal form"


class MintRequest(Struct, frozen=True):
    """A request to mint: a supplied `id` in any spelling, or `parts` to build one from; `author` is the client's id.

    `content_for` returns the content that a new identifier, with its prefix, gets instead of `content`.
    """

    content: Content = field(default_factory=Content)
    id: str | None = None
    parts: Mapping[str, Any] = field(default_factory=dict)
    author: str | None = None
    content_for: Callable[[str], Content] | None = None


HomeCheck = Callable[[str], None]
"""Receives a repository's id and raises `HomeElsewhere` or `HomeMoving` if this region may not write its records."""


def any_home(_repository: str) -> None:
    """Accept every repository: the check of homes in a single region."""


def home_check(region: Region, repositories: RepositoryStore, clock: Clock) -> HomeCheck:
    """Return the check of homes for a process in this region. Without a region's name it accepts everything.

    >>> from coolid.registry.home_regions import SINGLE_REGION
    >>> home_check(SINGLE_REGION, ..., ...) is any_home
    True
    """
    return HomeRegions(region, repositories, clock).require_home if region.name else any_home


class Minter:
    """Mints into `records`, signed by `prover`; `base_url` (without a final slash) begins every PID and is the issuer.

    Callers use `require_home` before they mint. `on_collisions` receives the number of collisions of a mint.
    """

    def __init__(
        self,
        records: RecordStore,
        prefixes: PrefixReader,
        counters: CounterStore,
        *,
        clock: Clock,
        entropy: Entropy,
        prover: Prover,
        base_url: str,
        require_home: HomeCheck = any_home,
        on_collisions: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._records = records
        self._prefixes = prefixes
        self._prover = prover
        self.clock = clock
        self.entropy = entropy
        self._base_url = base_url
        self.require_home = require_home
        self._on_collisions = on_collisions
        self._counters = Counters(counters, clock)

    def namespace(self, prefix: str) -> Namespace:
        """Return the namespace to mint under. Raises `InvalidInput` if the prefix is unknown or a provider prefix."""
        found = prefix_by_name(prefix, self._prefixes, consistent=True)
        if found is None:
            raise InvalidInput.at("/prefix", f"no prefix {prefix!a} is registered here")
        if not isinstance(found, Namespace):
            raise InvalidInput.at("/prefix", f"{prefix!a} is a prefix of identifiers of others, not a namespace")
        return found

    def minted_before(self, request: IdempotentRequest) -> Record | None:
        """Return the first version of the record that the request already minted, or None if the request is new.

        Raises `KeyReused`, `StoreUnavailable`.
        """
        outcome = earlier_outcome(request, self._records, self.clock.now())
        if outcome is None:
            return None
        repository_id, _, key = outcome.partition("/")
        record = self._records.record(repository_id, key, consistent=True)
        return record if record is None or record.version == 1 else self._records.superseded(repository_id, key, 1)

    def draft(self, identifier: str, content: Content, namespace: Namespace, author: str | None = None) -> Record:
        """Return the unsigned first version of the record with an identifier under the namespace. Writes nothing.

        Raises `InvalidInput` if the identifier breaks the rules, or is another record's in another spelling.
        """
        key = supplied_key(identifier, namespace)
        if self._resolves_elsewhere(namespace, key):
            raise InvalidInput.at("/id", _AMBIGUOUS)
        return self._unsigned(MintRequest(content, author=author), namespace, key)

    def mint(self, request: MintRequest, namespace: Namespace, idempotent: IdempotentRequest | None = None) -> Record:
        """Write and return the first version of a new record, together with the idempotency record of `idempotent`.

        The caller calls `require_home` first. Raises `InvalidInput` (the request breaks the rules), `IdentifierTaken`
        (it exists), `Exhausted`, `DrawsExhausted`, `CounterAhead`, `SignerUnavailable`, `StoreUnavailable`.
        """
        rules = namespace.repository.rules
        if request.id is not None:
            return self._mint_chosen(request, namespace, supplied_key(request.id, namespace), "/id", idempotent)
        if isinstance(rules, SuppliedRules):
            if rules.is_whole(request.parts):
                key = rules.build_key(request.parts, self.entropy)
                return self._mint_chosen(request, namespace, key, "/parts", idempotent)
        elif request.parts:
            raise InvalidInput.at("/parts", f"identifiers of scheme {rules.scheme} are not built of parts")
        require_drawn_version(namespace)
        tried: set[str] = set()
        collisions = 0
        try:
            while collisions < MAX_DRAWS:
                key = self._next_key(namespace.repository.id, rules, request.parts)
                if self._may_be_free(namespace, key, tried):
                    with suppress(IdentifierTaken):
                        return self._write(request, namespace, key, idempotent)
                tried.add(key)
                collisions += 1
            raise DrawsExhausted(MAX_DRAWS)
        finally:
            if collisions:
                self._on_collisions(collisions)

    def check(self, request: MintRequest, namespace: Namespace) -> str | None:
        """Return the key of the request if the caller chose it, else None. Writes nothing, and takes no number.

        Raises the errors that `mint` would raise now, except those of writes and of a scheme's exhaustion.
        """
        rules = namespace.repository.rules
        pointer, chosen = "/id", None
        if request.id is not None:
            chosen = supplied_key(request.id, namespace)
        elif isinstance(rules, SuppliedRules):
            pointer, key = "/parts", rules.build_key(request.parts, self.entropy)
            chosen = key if rules.is_whole(request.parts) else None
        elif request.parts:
            raise InvalidInput.at("/parts", f"identifiers of scheme {rules.scheme} are not built of parts")
        if chosen is None:
            require_drawn_version(namespace)
        elif self._resolves_elsewhere(namespace, chosen):
            raise InvalidInput.at(pointer, _AMBIGUOUS)
        else:
            self._require_free((chosen, *equal_keys(chosen, namespace, self._prefixes)), namespace)
        unsigned = self._unsigned(request, namespace, chosen or _PLACEHOLDER)
        self._prover.check(unsigned)
        require_record_size(unsigned, record_body(unsigned))
        return chosen

    def _mint_chosen(
        self,
        request: MintRequest,
        namespace: Namespace,
        key: str,
        pointer: str,
        idempotent: IdempotentRequest | None,
    ) -> Record:
        """Mint with a key that the caller chose by the member at `pointer`, so that there is no other to try."""
        if self._resolves_elsewhere(namespace, key):
            raise InvalidInput.at(pointer, _AMBIGUOUS)
        self._require_free(equal_keys(key, namespace, self._prefixes), namespace)
        return self._write(request, namespace, key, idempotent)

    def _require_free(self, keys: Iterable[str], namespace: Namespace) -> None:
        """Raise `IdentifierTaken` if one of the keys has a record."""
        repository = namespace.repository
        for key in keys:
            if self._records.record(repository.id, key, consistent=True):
                raise IdentifierTaken(repository.rules.display(key))

    def _may_be_free(self, namespace: Namespace, key: str, tried: set[str]) -> bool:
        """Return whether to try a key. After a collision, read before writing: reading is cheaper than signing."""
        if self._resolves_elsewhere(namespace, key):
            return False
        return not tried or not (key in tried or self._records.record(namespace.repository.id, key, consistent=True))

    def _resolves_elsewhere(self, namespace: Namespace, key: str) -> bool:
        """Return whether the PID, or its name under this namespace, would resolve to another record or none.

        An ARK may contain another's shoulder, and normalisation may equate identifiers that the rules distinguish.
        """
        repository = namespace.repository
        names = {name for name in (repository.canonical, namespace.name) if name and name.startswith("ark:")}
        return any(self._is_elsewhere(join(name, repository.rules.display(key)), repository.id, key) for name in names)

    def _is_elsewhere(self, ark: str, repository_id: str, key: str) -> bool:
        try:
            match = find_prefix(Reference.of(ark), self._prefixes)
        except NotFound:  # an eventually consistent read may miss a new registration
            return False
        if _record_key(match) != (repository_id, key):
            return True
        other = _record_key(match.naan_match) if match.naan_match is not None else None
        return other is not None and other != (repository_id, key) and self._records.record(*other) is not None

    def _next_key(self, repository_id: str, rules: Rules, parts: Mapping[str, Any]) -> str:
        if isinstance(rules, SuppliedRules):
            return rules.build_key(parts, self.entropy)
        if isinstance(rules, SequentialRules):
            return rules.key(self._counters.take(repository_id, rules))
        assert isinstance(rules, RandomRules)
        return rules.draw(self.entropy, self.clock)

    def _write(
        self, request: MintRequest, namespace: Namespace, key: str, idempotent: IdempotentRequest | None
    ) -> Record:
        record = self._prover.prove(self._unsigned(request, namespace, key))
        try:
            idempotency_record = idempotent.record(f"{record.repository}/{key}", record.created) if idempotent else None
            self._records.create_record(record, idempotency_record)
        except (IdempotencyRecordTaken, IdentifierTaken):  # the same request may have been handled concurrently
            earlier = self.minted_before(idempotent) if idempotent else None
            if earlier is None:
                raise
            return earlier
        return record

    def _unsigned(self, request: MintRequest, namespace: Namespace, key: str) -> Record:
        """Return the record of a request without its proof.

        Raises `InvalidInput` if it leads to itself or says anything about custody.
        """
        repository = namespace.repository
        now = self.clock.now()
        display = repository.rules.display(key)
        identifier = join(namespace.cited, display)
        content = request.content_for(identifier) if request.content_for is not None else request.content
        unsigned = Record(
            id=display,
            pid=f"{self._base_url}/{as_path(identifier)}",
            repository=repository.id,
            version=1,
            created=now,
            updated=now,
            issuer=self._base_url,
            status=content.status,
            records=content.records,
            metadata=unchanged_custody(content.metadata),
            alternates=content.alternates,
            ttl=content.ttl,
            key=key,
            author=request.author,
        )
        refuse_self_reference(unsigned)
        return unsigned


def _record_key(match: PrefixMatch) -> tuple[str, str] | None:
    """Return the repository and key of a match; None for a provider prefix or an invalid identifier."""
    if isinstance(match.prefix, Namespace):
        with suppress(InvalidIdentifier):
            return match.prefix.repository.id, key_under(match.prefix, match.identifier)
    return None
