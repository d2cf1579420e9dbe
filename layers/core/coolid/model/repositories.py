"""Repositories: permanent, opaque owners of identifiers.

A repository's id is itself a LUI, so that nothing in it can go out of date (Cool LUIs seed: a prefix "is merely an
alias for a permanent and semantically opaque repository ID"). The rules that its identifiers keep are in
`coolid.identifiers.rules`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

from msgspec import Struct

from coolid.identifiers.rules.base import Rules
from coolid.model.records import Record

DEFAULT_TTL: Final = 300

RedirectStatus = Literal[301, 302, 303, 307, 308]


class Repository(Struct, frozen=True):
    """Who owns identifiers and their rules.

    `ttl` in seconds; `redirect` the status of redirects to targets; `domains` the hosts that targets may have, any
    if there are none; `passthrough` whether what extends an identifier leads into its target; `target` the URL pattern
    (with `{$id}`) for records that name no location; `choices` whether clients are offered the choice between
    locations that fit them equally; `support` is its persistence statement (who commits themselves to what, since when,
    and where that is written); `archive` begins the addresses of a web archive, to which people may be
    pointed where a target is gone; `canonical` the prefix under which its identifiers are cited, the first alias that
    it got; `home` the region in which its records are written, that of the names if it is None, and `settled` the
    moment from which they are, after a move (`coolid.registry.home_regions`); `revision` counts changes and guards them.
    """

    id: str
    title: str
    created: datetime
    updated: datetime
    rules: Rules
    ttl: int = DEFAULT_TTL
    redirect: RedirectStatus = 302
    domains: tuple[str, ...] = ()
    passthrough: bool = False
    target: str | None = None
    choices: bool = False
    support: Mapping[str, str] | None = None
    archive: str | None = None
    canonical: str | None = None
    home: str | None = None
    settled: datetime | None = None
    revision: int = 1

    def ttl_of(self, record: Record) -> int:
        """How long answers about a record of its may be kept, in seconds: as the record says, or as it says itself."""
        return self.ttl if record.ttl is None else record.ttl
