"""Pages of a list of the records of one or all repositories, each for one response.

A list without a period is in the order of the keys, which never change, so it contains each record once. A list of a
period is in the order of the changes. A record that changes during the list moves towards its end, and may occur twice.
So no list misses a record, unless the record leaves a period that has an end.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coolid.http.dialects.oai.arguments import BAD_TOKEN, NO_MATCH, ProtocolError, period
from coolid.http.dialects.oai.resumption_tokens import ListState
from coolid.http.dialects.oai.sets import PublicRepository
from coolid.model.records import Record, is_harvested
from coolid.store.records import ChangeIndex, RecordStore

PAGE_SIZE: Final = 100
"""The most records in a response."""
_LIST_SIZE: Final = 500
_MAX_LISTS: Final = 40
"""The most reads of a list for one response. Reserved records, and others outside of the period, are not returned."""

PublicRecord = tuple[PublicRepository, Record]


class RecordPage(Struct, frozen=True):
    """Some records of a list, and the state after them, or None at the end. There may be none before the end."""

    records: Sequence[PublicRecord]
    next_state: ListState | None


class RecordLists(Struct, frozen=True):
    """Lists the public records of the `repositories`, which are in the order of their ids."""

    repositories: Sequence[PublicRepository]
    records: RecordStore
    changes: ChangeIndex

    def page(self, state: ListState, limit: int = PAGE_SIZE) -> RecordPage:
        """Return at most `limit` records after a state. Raises `ProtocolError`, `StoreUnavailable`.

        A state is returned only if records follow, because the last page may not be empty either. It is, though, if the
        last records have left a period that has an end.
        """
        page = self._page(state, limit)
        if not page.records and page.next_state is None and not state.count:
            raise ProtocolError(NO_MATCH, "no record matches")
        return RecordPage(page.records, None) if page.records and self._is_end(page.next_state) else page

    def _is_end(self, state: ListState | None) -> bool:
        ahead = self._page(state, 1) if state else None
        return ahead is None or not (ahead.records or ahead.next_state)

    def _page(self, state: ListState, limit: int) -> RecordPage:
        found: list[PublicRecord] = []
        lists = 0
        for owner in self._remaining(state):
            if owner.id != state.repository:
                state = replace(state, repository=owner.id, after="")
            while True:
                if len(found) >= limit or lists >= _MAX_LISTS:
                    return RecordPage(found, replace(state, count=state.count + len(found)))
                lists += 1
                # A first short list is enough mostly. Long ones pass records that are not returned.
                size = limit - len(found) if lists == 1 or found else _LIST_SIZE
                listed, after = self._listed(state, size)
                public = [(owner, record) for record in listed if is_harvested(record)]
                if len(found) + len(public) > limit:
                    listed, after = self._listed(state, limit)
                    public = [(owner, record) for record in listed if is_harvested(record)]
                found += public
                if after is None:
                    break
                state = replace(state, after=after)
        return RecordPage(found, None)

    def _remaining(self, state: ListState) -> Iterator[PublicRepository]:
        """Yield the repositories of the list that were not returned completely. Raises `ProtocolError`."""
        chosen = [each for each in self.repositories if not state.set_spec or each.has_set(state.set_spec)]
        if state.is_begun() and not any(each.id == state.repository for each in chosen):
            raise ProtocolError(BAD_TOKEN, "the resumption token was not issued at this address")
        return (each for each in chosen if each.id >= state.repository)

    def _listed(self, state: ListState, limit: int) -> tuple[Sequence[Record], str | None]:
        since, until = period(state.since or None, state.until or None)
        after = state.after or None
        if since is None and until is None:
            return self.records.list_records(state.repository, limit, after)
        return self.changes.list_changed(state.repository, since, until, limit, after)
