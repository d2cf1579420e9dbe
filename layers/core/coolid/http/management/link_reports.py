"""The report of links that rot, for a repository's keepers: `/api/v1/links/{prefix}`, as JSON, Atom feed or CSV.

Readers of feeds know no other way than `Authorization: Basic`, so that a key is taken as the password, too. The report
is of what probes saw (`coolid.health.link_report`); it never looks itself.
"""

from typing import Any, Final
from urllib.parse import urlencode

from msgspec import Struct

from coolid.errors import InvalidInput, Unauthenticated, UnknownPrefix
from coolid.health.link_report import KINDS, LinkProblem, ailing, kinds_of
from coolid.http.basic_authentication import writer_of
from coolid.http.caching import NO_STORE
from coolid.http.errors import UnknownFormat
from coolid.http.message import Request, Response
from coolid.http.pagination import cursor, page_of
from coolid.http.request_body import stored
from coolid.http.routes import Route
from coolid.model.check_state import CheckStateStore
from coolid.model.clients import MINT, UPDATE, WATCH, Client
from coolid.model.prefixes import Namespace, as_path
from coolid.model.records import format_time
from coolid.ports import Clock
from coolid.registry.prefix_lookup import lookup
from coolid.registry.references import decode
from coolid.store.store import Store

LINKS: Final = "/api/v1/links/"
MOST_BYTES: Final = 4_000_000
"""Of links on one page; a function may answer with 6 MB."""
_FORMATS: Final = ("json", "atom", "csv")
_LIST: Final = "links"


class LinkReportEndpoint(Struct, frozen=True):
    """Reports what is in `pulses` of the records in `store`, for clients that it knows; `base_url` begins all links."""

    store: Store
    pulses: CheckStateStore
    clock: Clock
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """One address for each prefix."""
        return (Route(LINKS, {"GET": self.report}, below=True),)

    def report(self, request: Request, path: str) -> Response:
        """The links of a prefix's repository that are dead, failing or have moved, page by page."""
        client = _reader_of(request, self.store)
        prefix = self._namespace(decode(path))
        client.demand(prefix.name, WATCH, MINT, UPDATE)
        repository = prefix.repository
        form = request.parameter("format") or _FORMATS[0]
        if form not in _FORMATS:
            raise UnknownFormat(form, _FORMATS)
        wanted = _wanted(request)
        name = f"{_LIST} {repository.id}"
        limit, after = page_of(request, name)
        now = self.clock.now()
        found, last = ailing(repository, self.store, self.pulses, now, wanted=wanted, limit=limit, after=after)
        fit = _fitting(found)
        if fit < len(found):
            found, last = found[:fit], found[fit - 1].name
        behind = cursor(name, last) if last is not None else None
        following = self._address(prefix, request, behind) if behind is not None else None
        if form == "json":
            whole = after is None and behind is None
            totals = {kind: sum(kind in kinds_of(each.pulse) for each in found) for kind in KINDS} if whole else None
            told = {"prefix": prefix.name, "repository": repository.id, "totals": totals}
            response = stored(200, {**told, "links": [document(each) for each in found], "next": behind})
        elif form == "atom":
            here = self._address(prefix, request, request.parameter("cursor"))
            response = self._feed(prefix, wanted, found, here, following)
        else:
            response = _table(found)
        return response if following is None else response.with_headers(Link=f'<{following}>; rel="next"')

    def _namespace(self, name: str) -> Namespace:
        prefix = lookup(name, self.store, consistent=True)
        if prefix is None:
            raise UnknownPrefix(name)
        if not isinstance(prefix, Namespace):
            raise InvalidInput.at("", f"{name!a} names identifiers that are kept elsewhere, not a repository")
        return prefix

    def _address(self, prefix: Namespace, request: Request, behind: str | None) -> str:
        """Where the page is that begins there."""
        given = {name: request.parameter(name) for name in ("format", "state", "limit")}
        if given["state"]:  # in as few words as it takes: it is sent back in a header
            wanted = _wanted(request)
            given["state"] = ",".join([kind for kind in KINDS if kind in wanted])
        asked = {name: value for name, value in given.items() if value} | ({"cursor": behind} if behind else {})
        query = f"?{urlencode(asked)}" if asked else ""
        return f"{self.base_url}{LINKS}{as_path(prefix.name)}{query}"

    def _feed(
        self, prefix: Namespace, wanted: frozenset[str], found: list[LinkProblem], address: str, following: str | None
    ) -> Response:
        from coolid.http.formats.atom import MEDIA_TYPE, Feed

        repository = prefix.repository
        title = repository.title or prefix.name
        name = f"{self.base_url}{LINKS}{repository.id}"
        told = "" if wanted == frozenset(KINDS) else ",".join(sorted(wanted))
        feed = Feed(f"Links of {title}", title, name, told, address, following, repository.created)
        return Response(200, {"Content-Type": MEDIA_TYPE, "Cache-Control": NO_STORE}, feed.write(found))


def _fitting(found: list[LinkProblem]) -> int:
    """How many of the links, from the first on, fit on a page, whatever its form: one at the least."""
    room = MOST_BYTES
    for at, each in enumerate(found):
        room -= _weight(each)
        if room < 0:
            return max(at, 1)
    return len(found)


def _weight(link: LinkProblem) -> int:
    """Bytes that it has at most in any of the forms: a feed says most things twice, and each `&` in five."""
    pulse = link.pulse
    said = 2 * len(link.record.pid) + 2 * len(pulse.url) + len(pulse.moved or "") + len(pulse.reason)
    return 2_000 + 5 * said


def document(link: LinkProblem) -> dict[str, Any]:
    """A link as the report tells it."""
    pulse = link.pulse
    return {
        "pid": link.record.pid,
        "uri": pulse.url,
        "state": pulse.state,
        "since": format_time(pulse.since),
        "reason": pulse.reason or None,
        "status": pulse.status,
        "lastGood": format_time(pulse.good) if pulse.good else None,
        "lastChecked": format_time(pulse.checked),
        "moved": pulse.moved,
    }


def _table(found: list[LinkProblem]) -> Response:
    from coolid.http.formats.csv import MEDIA_TYPE, links

    headers = {
        "Content-Type": MEDIA_TYPE,
        "Cache-Control": NO_STORE,
        "Content-Disposition": 'attachment; filename="links.csv"',
    }
    return Response(200, headers, links(document(each) for each in found))


def _wanted(request: Request) -> frozenset[str]:
    """What is to ail those that are told (`?state=down,moved`); all, if nothing is said."""
    text = request.parameter("state")
    wanted = frozenset(text.split(",")) if text else frozenset(KINDS)
    if not wanted <= frozenset(KINDS):
        raise InvalidInput.at("", f"state is one or more of {', '.join(KINDS)}, with commas between them")
    return wanted


def _reader_of(request: Request, store: Store) -> Client:
    try:
        return writer_of(request, store)
    except Unauthenticated as error:
        error.as_password = True
        raise
