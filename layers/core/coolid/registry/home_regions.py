"""Homes: in which region a thing is written, where several regions share the tables.

Replicas of a table agree in the end, but each judges conditions by what it has itself, and of two writes to one row the
later stays (Amazon DynamoDB Developer Guide, "How DynamoDB global tables work": multi-Region eventual consistency). So
whatever a condition decides is written in one region only, its *home*, and read in all: the records of a repository,
with the numbers that its identifiers are counted by, in the home of the repository; prefixes, and what repositories
say, in the home of the names. A new repository and an API key may come from anywhere, since nobody else writes to
their rows; a region that knows no name of its own is the only one, and everything is at home in it.

>>> Region("eu-west-1", names_home="us-east-1").demand_names("the prefix mp")
Traceback (most recent call last):
...
coolid.errors.HomeElsewhere: the prefix mp is written in the region us-east-1 alone; send the request there
>>> Region().demand_names("the prefix mp")
"""

from datetime import datetime, timedelta
from math import ceil
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.errors import HomeElsewhere, HomeMoving, StoreUnavailable
from coolid.model.repositories import Repository
from coolid.ports import Clock
from coolid.store.store import Store

PATTERN: Final = "^[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}$"
"""What names of regions look like: `eu-west-1`, `us-gov-east-1`."""

BELIEVED: Final = timedelta(seconds=5)
"""How long a process goes on with what it read of a repository's home."""

SETTLING: Final = timedelta(seconds=90)
"""How long nobody writes while a home moves.

By then the former home has heard of it and what it had begun is done, and all of it has come over: replicas are usually
a second behind. No function that writes lasts half a minute, but for the probe, which asks anew before each write.
"""

_MOST: Final = 1_000


class Region(Struct, frozen=True):
    """The region of this process, by its `name`; `names_home` is the home of the names, the same if it is ""."""

    name: str = ""
    names_home: str = ""

    def home_of(self, repository: Repository) -> str:
        """Where a repository's records are written; "" where regions do not matter."""
        return repository.home or self.names_home or self.name

    def keeps_names(self) -> bool:
        """Whether prefixes, and what repositories say, are written here."""
        return self.name in ("", self.names_home or self.name)

    def demand_names(self, thing: str) -> None:
        """Do nothing where names are written, else raise `HomeElsewhere`; `thing` begins its sentence."""
        if not self.keeps_names():
            raise HomeElsewhere(thing, self.names_home)

    def demand_records(self, repository: Repository, now: datetime) -> None:
        """Do nothing where the repository's records are written; else raise `HomeElsewhere`, `HomeMoving`."""
        if not self.name:
            return
        thing, home = f"the repository {repository.id}", self.home_of(repository)
        if home != self.name:
            raise HomeElsewhere(thing, home)
        if repository.settled is not None and now < repository.settled:
            raise HomeMoving(thing, ceil((repository.settled - now).total_seconds()))

    def moved(self, changed: Repository, current: Repository, now: datetime) -> Repository:
        """The repository as it is changed, with the moment from which a new home may write, if it has one."""
        if self.home_of(changed) == self.home_of(current):
            return changed
        return replace(changed, settled=now + SETTLING)


ALONE: Final = Region()
"""Where there are no regions."""


class HomeRegions:
    """The homes of repositories, as a process in `region` knows them from their own rows in `store`.

    Aliases have copies of those rows, but copies that two regions wrote at once may say different things.
    """

    def __init__(self, region: Region, store: Store, clock: Clock) -> None:
        self._region = region
        self._store = store
        self._clock = clock
        self._known: dict[str, tuple[datetime, Repository]] = {}

    def demand(self, repository_id: str) -> None:
        """Do nothing where the repository's records are written, here and now; else raise as `demand_records`."""
        if not self._region.name:
            return
        now = self._clock.now()
        read, repository = self._known.get(repository_id, (None, None))
        if repository is None or read is None or not read <= now < read + BELIEVED:
            repository = self._store.repository(repository_id)
            if repository is None:
                raise StoreUnavailable(f"the repository {repository_id} has not come over to this region yet")
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[repository_id] = now, repository
        self._region.demand_records(repository, now)
