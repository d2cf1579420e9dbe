"""Checks of single records on request: `/api/v1/checks`.

A request returns at once. The check runs elsewhere (`coolid.health`), and the states of the addresses show its result.
"""

from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from msgspec import Struct

from coolid.errors import InvalidInput
from coolid.health.check_requests import request_check
from coolid.health.messages import MessageQueue
from coolid.health.schedule import tasks_of_record
from coolid.http.api_documents import CheckBody, parse
from coolid.http.authentication import client_of
from coolid.http.errors import ChecksOff
from coolid.http.json_bodies import document_response, json_of
from coolid.http.management.link_reports import state_document
from coolid.http.management.record_access import stored_record
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.check_state import CheckState
from coolid.model.clients import MINT, UPDATE, WATCH
from coolid.model.records import Record, format_time
from coolid.ports import Clock
from coolid.records.minter import HomeCheck
from coolid.records.quotas import Quotas
from coolid.store.checks import CheckStateStore
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixStore
from coolid.store.records import RecordReader

CHECKS: Final = "/api/v1/checks"


class CheckEndpoint(Struct, frozen=True):
    """Queues checks of `records` in `queue`, which is None if the service checks none; shows their `check_states`."""

    clients: ClientStore
    prefixes: PrefixStore
    records: RecordReader
    check_states: CheckStateStore
    quotas: Quotas
    queue: MessageQueue | None
    require_home: HomeCheck
    clock: Clock
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (Route(CHECKS, {"POST": self.post}), Route(CHECKS + "/", {"GET": self.get}, below=True))

    def post(self, request: Request, _path: str) -> Response:
        """Request a check of the addresses of a record: 202 with their present states.

        Raises `ChecksOff`, `TooManyChecks`, and `InvalidInput` for a record that leads to no address.
        """
        client = client_of(request, self.clients)
        body = parse(CheckBody, json_of(request))
        path = quote(body.pid, safe="")
        _, record = stored_record(path, self.prefixes, self.records, self.base_url, client, UPDATE)
        if self.queue is None:
            raise ChecksOff
        self.require_home(record.repository)
        if not tasks_of_record(record, self.clock.now()):
            raise InvalidInput.at("/pid", "its record leads to no address that can be checked")
        self.quotas.spend_check(client)
        at = request_check(record, self.queue, self.clock)
        requested = format_time(datetime.fromtimestamp(at, UTC)) if at is not None else None
        location = f"{self.base_url}{CHECKS}/{quote(record.pid, safe='')}"
        return document_response(202, {**self._document(record), "requested": requested}, Location=location)

    def get(self, request: Request, path: str) -> Response:
        """Return the states of the addresses of a record; those of unchecked addresses are null."""
        client = client_of(request, self.clients)
        _, record = stored_record(path, self.prefixes, self.records, self.base_url, client, WATCH, MINT, UPDATE)
        return document_response(200, self._document(record))

    def _document(self, record: Record) -> dict[str, Any]:
        tasks = tasks_of_record(record, self.clock.now())
        states = self.check_states.check_states([task.subject for task in tasks])
        return {"pid": record.pid, "checks": [_address(task.url, states.get(task.subject)) for task in tasks]}


def _address(url: str, state: CheckState | None) -> dict[str, Any]:
    """Return the state of an address as `coolid.http.management.link_reports` does, also if it is up."""
    if state is None or state.url != url:
        names = ("state", "since", "reason", "status", "lastGood", "lastChecked", "moved", "pausedUntil")
        return {"uri": url, **dict.fromkeys(names)}
    return {"uri": url, **state_document(state), "pausedUntil": format_time(state.until) if state.until else None}
