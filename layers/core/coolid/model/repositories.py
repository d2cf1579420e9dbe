"""Repositories: the permanent, opaque owners of identifiers.

A repository's id is itself a LUI, so that nothing in it can go out of date (Cool LUIs seed: a prefix "is merely an
alias for a permanent and semantically opaque repository ID"). Its minting rules are in `coolid.identifiers.rules`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

from msgspec import Struct

from coolid.identifiers.rules.base import Rules

DEFAULT_TTL: Final = 300

RedirectStatus = Literal[301, 302, 303, 307, 308]
Landing = Literal["target", "page"]
TARGET: Final[Landing] = "target"
PAGE: Final[Landing] = "page"


class Repository(Struct, frozen=True):
    """An owner of identifiers, with their rules and the defaults of their records.

    - `ttl`: the lifetime of answers, in seconds; `redirect`: the status of redirects to targets.
    - `domains`: the hosts that targets may have; any host if empty. `denied_domains`: the hosts that no target may
      have, stored ones included. Both cover subdomains.
    - `passthrough`: whether an extension of an identifier leads into its target (suffix pass-through).
    - `target`: the URL pattern (with `{$id}`) for records without locations. `choices`: whether clients choose between
      locations that fit their preferences equally.
    - `landing`: where a PID leads: to a location of its record, or to the record's page.
    - `listed`: whether the page of its prefixes lists its latest records.
    - `support`: the persistence statement: who commits themselves to what, since when, and its URL.
    - `archive`: the URL prefix of a web archive, for targets that are gone. `canonical`: the prefix under which its
      identifiers are cited, its first alias.
    - `home`: the region that writes its records, or None for that of the names; `settled`: the moment from which it
      writes them, after a move (`coolid.registry.home_regions`).
    - `revision`: counts changes, for conditional writes.
    """

    id: str
    title: str
    created: datetime
    updated: datetime
    rules: Rules
    ttl: int = DEFAULT_TTL
    redirect: RedirectStatus = 302
    domains: tuple[str, ...] = ()
    denied_domains: tuple[str, ...] = ()
    passthrough: bool = False
    target: str | None = None
    choices: bool = False
    landing: Landing = TARGET
    listed: bool = False
    support: Mapping[str, str] | None = None
    archive: str | None = None
    canonical: str | None = None
    home: str | None = None
    settled: datetime | None = None
    revision: int = 1
