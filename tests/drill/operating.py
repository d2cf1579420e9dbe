"""Operating: what an operator does and what befalls everybody: new keys, new processes, times when nothing happens."""

from typing import Final

from coolid.errors import Unavailable
from tests.drill.baton import Killed
from tests.drill.imports import Importer

_BETWEEN_LULLS: Final = 10
_OPERATIONS: Final = {
    "mint": 30,
    "read": 30,
    "update": 14,
    "withdraw": 2,
    "batch": 3,
    "read_kept": 4,
    "read_version": 3,
    "read_history": 2,
    "read_many": 2,
    "misread": 1,
    "overload": 0.5,
    "read_list": 0.5,
    "read_keys": 0.5,
    "read_provider": 3,
    "name": 0.7,
    "put_provider": 2,
    "change_repository": 1,
    "found": 0.3,
    "bring_in": 0.8,
    "rotate": 0.4,
    "renew": 0.6,
    "rest": 0.2,
    "lull": 0.8,
}
"""What is done, and how often beside the rest."""


class Operator(Importer):
    """Does everything that can be done, `work` by `work`."""

    def work(self) -> None:
        """One operation."""
        if self.now < self.scene.lull:
            self.scene.baton.sleep(self.scene.lull - self.now)
        (kind,) = self.dice.choices(tuple(_OPERATIONS), tuple(_OPERATIONS.values()))
        self.scene.done[kind] += 1
        getattr(self, kind)()

    def rotate(self) -> None:
        """A new signing key: made, published, and then deployed."""
        task = self.scene.baton.task
        assert task is not None
        for _ in range(10):
            task.doing = "rotation"
            process = self._world.process()
            task.life = process.site
            try:
                self._world.rotate(process)
            except (Killed, Unavailable) as error:
                self.scene.log.line("rotation", type(error).__name__)
            else:
                self.scene.log.line("rotated")
                return
            finally:
                task.life = None
            self.pause()

    def renew(self) -> None:
        """A process ends in good order, and another begins."""
        self.scene.fleet.renew()

    def rest(self) -> None:
        """For a while this caller has nothing to do."""
        self.pause(120)

    def lull(self) -> None:
        """For a while nobody asks for anything, so that all that is remembered grows old; often the store is out then.

        The last that is done before is to give a name and use it: not every process has heard of it when that is asked.
        """
        if self.now < self.scene.lull + _BETWEEN_LULLS:
            return
        home = self.name()
        if home is not None:
            self.mint(home)
        self.scene.lull = self.now + self.dice.uniform(30, 120)
        if self.chance(0.6):
            self.scene.faults.go_out(self.scene.lull + self.dice.uniform(1, 8))
