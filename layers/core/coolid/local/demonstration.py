"""The demonstration repositories of a new system, under `2021/06/demo` and `demo`, and under `lid` and `linkid`."""

from contextlib import suppress
from typing import Final

from coolid.errors import IdentifierTaken
from coolid.identifiers.rules.base import Rules
from coolid.identifiers.rules.lui import LuiRules
from coolid.identifiers.rules.uuid import UuidRules
from coolid.identifiers.schemes import lid, linkid
from coolid.model.records import Content, Location
from coolid.model.repositories import Repository
from coolid.records.minter import Minter, MintRequest
from coolid.registry.registration import create_repository, register_namespace
from coolid.store.prefixes import PrefixStore, RepositoryStore

ALIASES: Final = ("2021/06/demo", "demo")
LINKIDS: Final = (lid.NAME, linkid.NAME)
EXAMPLE: Final = MintRequest(
    id="tw0t-ywdj-94",
    content=Content(
        records=(Location("https://example.org/the-first-thing"),),
        metadata={"what": "An example record", "who": "coolid", "when": "2021"},
    ),
)
# The example identifier of the LinkID draft, revision 00.
LID_EXAMPLE: Final = MintRequest(
    id="b2f6f0d7c7d34e3e8a4f0a6b2a9c9f14",
    content=Content(
        records=(
            Location("https://example.org/paper.html", media_type="text/html", language="en"),
            Location("https://example.org/paper.pdf", media_type="application/pdf", language="en"),
            Location("https://example.org/aufsatz.pdf", media_type="application/pdf", language="de"),
        ),
        metadata={"what": "An example paper in two formats and two languages", "who": "coolid", "when": "2025"},
        alternates=({"scheme": "doi", "identifier": "10.1000/182"},),
    ),
)
# The example of revision 01, section 3.2.
LINKID_EXAMPLE: Final = MintRequest(
    id="00c538ea-846b-47a6-a3d4-70a9ebd29d7c",
    content=Content(
        records=(Location("https://example.org/handbook/2026/section-3"),),
        metadata={"what": "An example section of a handbook", "who": "coolid", "when": "2026"},
    ),
)


def install(minter: Minter, prefixes: PrefixStore, repositories: RepositoryStore, *, with_linkids: bool) -> None:
    """Create the repositories, their aliases and a record under each example's alias, unless an alias exists."""

    def create(title: str, rules: Rules, aliases: tuple[str, ...], *examples: MintRequest) -> None:
        if prefixes.prefixes(aliases, consistent=True):
            return
        clock, now = minter.clock, minter.clock.now()
        draft = Repository(id="", title=title, created=now, updated=now, rules=rules)
        repository = create_repository(draft, repositories, minter.entropy)
        for alias in aliases:
            register_namespace(alias, repository.id, title, prefixes=prefixes, repositories=repositories, clock=clock)
        for alias, example in zip(aliases, examples, strict=False):
            with suppress(IdentifierTaken):
                minter.mint(example, minter.namespace(alias))

    create("Demonstration", LuiRules(), ALIASES, EXAMPLE)
    if with_linkids:
        create("LinkIDs", UuidRules(version=4), LINKIDS, LID_EXAMPLE, LINKID_EXAMPLE)
