"""Operations of an operator and events for all callers: new keys, new processes, idle periods."""

from typing import Final

from coolid.errors import Unavailable
from tests.drill.importing_caller import ImportingCaller
from tests.drill.scheduler import Killed

_BETWEEN_IDLE_PERIODS: Final = 10
_OPERATIONS: Final = {
    "mint": 30,
    "read": 30,
    "update": 14,
    "withdraw": 2,
    "batch": 3,
    "read_managed": 4,
    "read_version": 3,
    "read_history": 2,
    "read_many": 2,
    "read_misspelt": 1,
    "overload": 0.5,
    "read_list": 0.5,
    "read_keys": 0.5,
    "read_provider": 3,
    "add_alias": 0.7,
    "put_provider": 2,
    "change_repository": 1,
    "create_repository": 0.3,
    "import_rows": 0.8,
    "rotate": 0.4,
    "restart_process": 0.6,
    "idle": 0.2,
    "idle_period": 0.8,
}
"""The operations, with their relative frequencies."""


class Operator(ImportingCaller):
    """A caller with all operations."""

    def work(self) -> None:
        """Perform one random operation."""
        if self.now < self.context.idle_period:
            self.context.scheduler.sleep(self.context.idle_period - self.now)
        (kind,) = self.rng.choices(tuple(_OPERATIONS), tuple(_OPERATIONS.values()))
        self.context.done[kind] += 1
        getattr(self, kind)()

    def rotate(self) -> None:
        """Create a signing key, publish it, and then deploy it."""
        task = self.context.scheduler.task
        assert task is not None
        for _ in range(10):
            task.activity = "rotation"
            process = self._backend.process()
            task.lifetime = process.host
            try:
                self._backend.rotate(process)
            except (Killed, Unavailable) as error:
                self.context.log.line("rotation", type(error).__name__)
            else:
                self.context.log.line("rotated")
                return
            finally:
                task.lifetime = None
            self.pause()

    def restart_process(self) -> None:
        """End a process regularly, and start another."""
        self.context.fleet.restart_process()

    def idle(self) -> None:
        """Do nothing for a while."""
        self.pause(120)

    def idle_period(self) -> None:
        """Send no requests from any caller for a while, so that all cache entries become stale; often in an outage.

        The last operation before registers an alias and uses it, so that some processes have not cached it.
        """
        if self.now < self.context.idle_period + _BETWEEN_IDLE_PERIODS:
            return
        repository = self.add_alias()
        if repository is not None:
            self.mint(repository)
        self.context.idle_period = self.now + self.rng.uniform(30, 120)
        if self.chance(0.6):
            self.context.faults.begin_outage(self.context.idle_period + self.rng.uniform(1, 8))
