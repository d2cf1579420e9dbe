"""The home region of each repository and of prefixes, if several regions share the tables.

Replicas of a table converge, but each evaluates conditions against its own state, and of two writes to one row the
later wins (Amazon DynamoDB Developer Guide, "How DynamoDB global tables work": multi-Region eventual consistency). So
data that depends on a condition is written only in its *home* region and read in all. A repository's records and
counters have the repository's home. Prefixes and repositories themselves have the names' home. New repositories and API
keys may be written anywhere, because no other region writes their rows. A process without a region name runs in a
single region and may write everything.

>>> Region("eu-west-1", names_home="us-east-1").require_names_home("the prefix mp")
Traceback (most recent call last):
...
coolid.errors.HomeElsewhere: only the region us-east-1 may write the prefix mp; send the request there
>>> Region().require_names_home("the prefix mp")
"""

from datetime import datetime, timedelta
from math import ceil
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import HomeElsewhere, HomeMoving, StoreUnavailable
from coolid.model.repositories import Repository
from coolid.ports import Clock
from coolid.store.prefixes import RepositoryStore

PATTERN: Final = "^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$"
"""Matches names of regions, such as `eu-west-1` and `us-gov-east-1`."""

CACHE_TTL: Final = timedelta(seconds=5)
"""How long a process caches a repository's home."""

MOVE_DURATION: Final = timedelta(seconds=90)
"""How long no region writes a repository while its home moves.

The former home then has a fresh cache, has finished its writes, and replication has caught up, usually within a second.
No writing function runs for half a minute, except the probe, which checks the home before each write.
"""

_MAX_CACHED: Final = 1_000


class Region(Struct, frozen=True):
    """The region of this process; an empty `names_home` means that it is also the home of the names."""

    name: str = ""
    names_home: str = ""

    def home_of(self, repository: Repository) -> str:
        """Return the region that writes a repository's records; "" in a single region."""
        return repository.home or self.names_home or self.name

    def writes_names(self) -> bool:
        """Whether this region writes prefixes and repositories."""
        return self.name in ("", self.names_home or self.name)

    def require_names_home(self, thing: str) -> None:
        """Raise `HomeElsewhere` unless this region writes names; `thing` is named in the message."""
        if not self.writes_names():
            raise HomeElsewhere(thing, self.names_home)

    def require_records_home(self, repository: Repository, now: datetime) -> None:
        """Raise `HomeElsewhere` or `HomeMoving` unless this region may write the repository's records."""
        if not self.name:
            return
        thing, home = f"the repository {repository.id}", self.home_of(repository)
        if home != self.name:
            raise HomeElsewhere(thing, home)
        if repository.settled is not None and now < repository.settled:
            raise HomeMoving(thing, ceil((repository.settled - now).total_seconds()))

    def with_settling_time(self, changed: Repository, current: Repository, now: datetime) -> Repository:
        """Return the changed repository; if its home changed, with the time from which the new home may write."""
        if self.home_of(changed) == self.home_of(current):
            return changed
        return replace(changed, settled=now + MOVE_DURATION)


SINGLE_REGION: Final = Region()
"""The region of a process that has no other regions."""


class HomeRegions:
    """Checks the homes of repositories by their own rows, cached for `CACHE_TTL`; `region` has a name.

    Aliases copy those rows, but the copies may differ after two regions write at once.
    """

    def __init__(self, region: Region, repositories: RepositoryStore, clock: Clock) -> None:
        self._region = region
        self._repositories = repositories
        self._clock = clock
        self._cached: dict[str, tuple[datetime, Repository]] = {}

    def require_home(self, repository_id: str) -> None:
        """Raise the errors of `Region.require_records_home` unless this region may write now."""
        now = self._clock.now()
        read, repository = self._cached.get(repository_id, (None, None))
        if repository is None or read is None or not read <= now < read + CACHE_TTL:
            repository = self._repositories.repository(repository_id)
            if repository is None:
                raise StoreUnavailable(f"the repository {repository_id} has not been replicated to this region yet")
            if len(self._cached) >= _MAX_CACHED:
                self._cached.clear()
            self._cached[repository_id] = now, repository
        self._region.require_records_home(repository, now)
