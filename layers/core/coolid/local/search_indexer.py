"""The thread that adds records to the search index of the database (`coolid.sqlite.search_index`).

It takes the records that were written since the last time, and those that a database of an earlier release has: 1,000
to 2,000 a second, with pauses of four times the work, so that requests hardly take longer meanwhile.
"""

from collections.abc import Callable
from time import monotonic
from typing import Final

from coolid.errors import StoreUnavailable
from coolid.local.shutdown import StoppableThread
from coolid.sqlite.database import Database
from coolid.sqlite.record_search import SqliteRecordSearch

IDLE_SECONDS: Final = 1.0
"""The time after which new records are looked for."""
PAUSE_SHARE: Final = 4
"""How many times as long as the work a pause is."""
PAUSE_SECONDS: Final = 60.0
"""The time after a failure."""


class SearchIndexer(StoppableThread):
    """Indexes records of a database until it is stopped, after its current transaction.

    `warn` receives a sentence about each failure.
    """

    def __init__(self, database: Database, warn: Callable[[str], None]) -> None:
        super().__init__("search index")
        self._search = SqliteRecordSearch(database)
        self._warn = warn

    def _run(self) -> None:
        pause = 0.0
        while not self._stopped.wait(pause):
            begun = monotonic()
            try:
                has_indexed = self._search.index_pending() > 0
                pause = PAUSE_SHARE * (monotonic() - begun) if has_indexed else IDLE_SECONDS
            except StoreUnavailable as error:
                self._warn(f"records could not be added to the search index, will try again: {error}")
                pause = PAUSE_SECONDS
