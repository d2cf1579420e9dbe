"""The demonstration repository: something to resolve at the first start, under `2021/06/demo` and `demo`."""

from typing import Final

from coolid.domain.errors import IdentifierTaken
from coolid.domain.minting import Minter, MintRequest
from coolid.domain.records import Location
from coolid.domain.registering import create_repository, register_namespace
from coolid.domain.repositories import Repository
from coolid.domain.rules.table import DEFAULT, rules_of

ALIASES: Final = ("2021/06/demo", "demo")
EXAMPLE: Final = MintRequest(
    prefix=ALIASES[0],
    id="tw0t-ywdj-94",
    locations=(Location("https://example.org/the-first-thing"),),
    metadata={"what": "An example record", "who": "coolid", "when": "2021"},
)


def install(minter: Minter) -> None:
    """Create the repository, its aliases and one record, unless the aliases exist."""
    store, clock = minter.store, minter.clock
    if store.prefixes(ALIASES, consistent=True):
        return
    now = clock.now()
    draft = Repository(id="", title="Demonstration", created=now, updated=now, rules=rules_of(DEFAULT, {}))
    repository = create_repository(draft, store, minter.entropy)
    for alias in ALIASES:
        register_namespace(alias, repository.id, "Demonstration", store, clock)
    try:
        minter.mint(EXAMPLE, minter.namespace(ALIASES[0]))
    except IdentifierTaken:
        return
