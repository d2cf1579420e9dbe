"""Link reports for a repository's managers: `/api/v1/links/{prefix}`, as JSON, Atom feed or CSV.

Feed readers support only `Authorization: Basic`, so a key is accepted as its password, too. The report shows earlier
check results (`coolid.health.link_report`); it checks no link itself.
"""

from typing import Any, Final
from urllib.parse import urlencode

from msgspec import Struct

from coolid.errors import InvalidInput
from coolid.health.link_report import KINDS, LinkProblem, kinds_of, link_problems
from coolid.http.authentication import client_of
from coolid.http.caching import NO_STORE
from coolid.http.errors import UnknownFormat
from coolid.http.json_bodies import document_response
from coolid.http.management.record_access import namespace_named
from coolid.http.message import Request, Response
from coolid.http.pagination import cursor, page_length, page_parameters
from coolid.http.routes import Route
from coolid.model.check_state import CheckState
from coolid.model.clients import MINT, UPDATE, WATCH
from coolid.model.prefixes import Namespace, as_path
from coolid.model.records import format_time
from coolid.model.repositories import Repository
from coolid.ports import Clock
from coolid.registry.references import decode
from coolid.store.checks import CheckStateStore
from coolid.store.clients import ClientStore
from coolid.store.prefixes import PrefixReader
from coolid.store.records import RecordReader

LINKS: Final = "/api/v1/links/"
_FORMATS: Final = ("json", "atom", "csv")
_LIST: Final = "links"


class LinkReportEndpoint(Struct, frozen=True):
    """Reports the `check_states` of `records` to the `clients`; `base_url` begins all links."""

    clients: ClientStore
    prefixes: PrefixReader
    records: RecordReader
    check_states: CheckStateStore
    clock: Clock
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        return (Route(LINKS, {"GET": self.report}, below=True),)

    def report(self, request: Request, path: str) -> Response:
        """Return the links of a prefix's repository that are dead, failing or have moved, one page at a time."""
        client = client_of(request, self.clients, as_password=True)
        prefix = namespace_named(decode(path), self.prefixes)
        client.require(prefix.name, WATCH, MINT, UPDATE)
        form = request.parameter("format") or _FORMATS[0]
        if form not in _FORMATS:
            raise UnknownFormat(form, _FORMATS)
        kinds = _requested_kinds(request)
        found, next_cursor = self._page(prefix.repository, kinds, request)
        next_page = self._address(prefix, request, next_cursor) if next_cursor is not None else None
        if form == "json":
            response = _json(prefix, found, next_cursor, is_whole=not (request.parameter("cursor") or next_cursor))
        elif form == "atom":
            here = self._address(prefix, request, request.parameter("cursor"))
            response = self._feed(prefix, kinds, found, here, next_page)
        else:
            response = _csv(found)
        return response if next_page is None else response.with_headers(Link=f'<{next_page}>; rel="next"')

    def _page(
        self, repository: Repository, kinds: frozenset[str], request: Request
    ) -> tuple[list[LinkProblem], str | None]:
        """Return the links on the requested page, and the cursor of the next one."""
        name = f"{_LIST} {repository.id}"
        limit, after = page_parameters(request, name)
        found, last = link_problems(
            repository, self.records, self.check_states, self.clock.now(), kinds=kinds, limit=limit, after=after
        )
        count = page_length(map(_max_bytes, found))
        if count < len(found):
            found, last = found[:count], found[count - 1].name
        return found, cursor(name, last) if last is not None else None

    def _address(self, prefix: Namespace, request: Request, position: str | None) -> str:
        """Return the address of the page with this cursor."""
        parameters = {name: request.parameter(name) for name in ("format", "state", "limit")}
        if parameters["state"]:  # normalised, because it is sent back in a header
            kinds = _requested_kinds(request)
            parameters["state"] = ",".join([kind for kind in KINDS if kind in kinds])
        parameters["cursor"] = position
        present = {name: value for name, value in parameters.items() if value}
        query = f"?{urlencode(present)}" if present else ""
        return f"{self.base_url}{LINKS}{as_path(prefix.name)}{query}"

    def _feed(
        self, prefix: Namespace, kinds: frozenset[str], found: list[LinkProblem], address: str, following: str | None
    ) -> Response:
        from coolid.http.formats import atom

        repository = prefix.repository
        feed = atom.write(
            found,
            owner=repository.title or prefix.name,
            name=f"{self.base_url}{LINKS}{repository.id}",
            selection="" if kinds == frozenset(KINDS) else ",".join(sorted(kinds)),
            url=address,
            next_url=following,
            since=repository.created,
        )
        return Response(200, {"Content-Type": atom.MEDIA_TYPE, "Cache-Control": NO_STORE}, feed)


def _max_bytes(link: LinkProblem) -> int:
    """Return its maximal bytes in any form: a feed has most texts twice, and needs five bytes for `&`."""
    state = link.check_state
    length = 2 * len(link.record.pid) + 2 * len(state.url) + len(state.moved or "") + len(state.reason)
    return 2_000 + 5 * length


def document(link: LinkProblem) -> dict[str, Any]:
    """Return a link as a member of the report."""
    return {"pid": link.record.pid, "uri": link.check_state.url, **state_document(link.check_state)}


def state_document(state: CheckState) -> dict[str, Any]:
    """Return the members of a check state in a response."""
    return {
        "state": state.state,
        "since": format_time(state.since),
        "reason": state.reason or None,
        "status": state.status,
        "lastGood": format_time(state.good) if state.good else None,
        "lastChecked": format_time(state.checked),
        "moved": state.moved,
    }


def _json(prefix: Namespace, found: list[LinkProblem], next_cursor: str | None, *, is_whole: bool) -> Response:
    totals = {kind: sum(kind in kinds_of(each.check_state) for each in found) for kind in KINDS} if is_whole else None
    summary = {"prefix": prefix.name, "repository": prefix.repository.id, "totals": totals}
    return document_response(200, {**summary, "links": [document(each) for each in found], "next": next_cursor})


def _csv(found: list[LinkProblem]) -> Response:
    from coolid.http.formats.csv import MEDIA_TYPE, links

    headers = {
        "Content-Type": MEDIA_TYPE,
        "Cache-Control": NO_STORE,
        "Content-Disposition": 'attachment; filename="links.csv"',
    }
    return Response(200, headers, links(document(each) for each in found))


def _requested_kinds(request: Request) -> frozenset[str]:
    """Return the requested states (`?state=down,moved`), by default all."""
    text = request.parameter("state")
    kinds = frozenset(text.split(",")) if text else frozenset(KINDS)
    if not kinds <= frozenset(KINDS):
        raise InvalidInput.at("", f"state is one or more of {', '.join(KINDS)}, with commas between them")
    return kinds
