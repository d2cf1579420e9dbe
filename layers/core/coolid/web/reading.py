"""Reading: the public side. Every address that is not the service's own is a reference to resolve."""

from dataclasses import dataclass
from html import escape
from typing import Final

from coolid.domain.prefixes import Namespace, ProviderPrefix, path_of
from coolid.domain.records import Record
from coolid.domain.references import read
from coolid.domain.resolving import Describe, Gone, Present, Redirect, resolve
from coolid.domain.stores import Reader
from coolid.domain.unwrapping import unwrap_reference
from coolid.web import problem
from coolid.web.caching import cache_control, last_modified
from coolid.web.documents import dump
from coolid.web.errors import NotAcceptable, UnknownFormat
from coolid.web.message import Request, Response
from coolid.web.negotiation import HTML, JSON, choose, prefers
from coolid.web.representations import prefixes
from coolid.web.routes import Route

LINKID: Final = "application/linkid+json"
METADATA: Final = (LINKID, JSON)

_FORMATS: Final = {"linkid": LINKID, "json": LINKID, "html": HTML}


@dataclass(frozen=True, slots=True)
class Reading:
    """Answers references out of `reader`; `base_url` begins every link to ourselves."""

    reader: Reader
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """The front door, and everything else as a reference."""
        return (
            Route("/", {"GET": self.home}),
            Route(problem.PATH, {"GET": self.problem}, below=True),
            Route("/", {"GET": self.answer}, below=True),
        )

    def answer(self, request: Request, path: str) -> Response:
        """Resolve what stands in the path."""
        decision = resolve(
            unwrap_reference(read(path), self.base_url),
            self.reader,
            provider=request.parameter("provider"),
            strict=request.parameter("strict") in ("1", "true"),
        )
        match decision:
            case Redirect(record=None):
                return self._elsewhere(decision, request)
            case Redirect():
                return self._ours(decision, request)
            case Describe():
                return self._prefix(decision.prefix, request)
            case Present():
                return self._record(decision.prefix, decision.record, request, 200)
            case Gone():
                return self._record(decision.prefix, decision.record, request, 410)

    def home(self, _request: Request, _path: str) -> Response:
        """The front door: what this is and how to ask."""
        from coolid.web.pages import render

        return render("home.html", 200, {"Cache-Control": cache_control(3600)}, base_url=self.base_url)

    def problem(self, _request: Request, slug: str) -> Response:
        """What a problem's type URI leads to."""
        kind = problem.kind_named(slug)
        document = {"type": problem.type_uri(kind, self.base_url), "title": kind.title, "status": kind.status}
        return Response(200, {"Content-Type": JSON, "Cache-Control": cache_control(3600)}, dump(document))

    def _elsewhere(self, decision: Redirect, request: Request) -> Response:
        """A redirect to where others keep it; `?format=` and `Accept` can only exclude that."""
        _format(request)
        prefers(request.header("accept"), (), over=HTML)
        assert isinstance(decision.prefix, ProviderPrefix)
        common = self._common(path_of(decision.prefix.name, decision.identifier), decision.prefix.ttl)
        return _redirect(decision, {**common, "Last-Modified": last_modified(decision.prefix.updated)})

    def _ours(self, decision: Redirect, request: Request) -> Response:
        assert decision.record is not None
        assert isinstance(decision.prefix, Namespace)
        if _format(request) is not None or prefers(request.header("accept"), METADATA, over=HTML):
            return self._record(decision.prefix, decision.record, request, 200)
        return _redirect(decision, self._about(decision.prefix, decision.record))

    def _record(self, prefix: Namespace, record: Record, request: Request, status: int) -> Response:
        """The record itself, in the representation that the client likes best."""
        headers = self._about(prefix, record)
        chosen = _chosen(request, (*METADATA, HTML))
        if chosen == HTML:
            from coolid.web.pages import render

            return render("record.html", status, headers, record=record.to_document())
        return Response(status, {**headers, "Content-Type": chosen}, dump(record.to_document()))

    def _prefix(self, prefix: Namespace | ProviderPrefix, request: Request) -> Response:
        """What the prefix is."""
        ttl = prefix.ttl if isinstance(prefix, ProviderPrefix) else prefix.repository.ttl
        headers = {**self._common(path_of(prefix.name), ttl), "Last-Modified": last_modified(prefix.updated)}
        document = prefixes.document(prefix)
        if _chosen(request, (JSON, HTML)) == HTML:
            from coolid.web.pages import render

            return render("prefix.html", 200, headers, prefix=document, base_url=self.base_url)
        return Response(200, {**headers, "Content-Type": JSON}, dump(document))

    def _about(self, prefix: Namespace, record: Record) -> dict[str, str]:
        """The headers of whatever is said of a record."""
        repository = prefix.repository
        common = self._common(path_of(repository.canonical or prefix.name, record.id), repository.ttl)
        return {**common, "Last-Modified": last_modified(max(record.updated, repository.updated))}

    def _common(self, path: str, ttl: int) -> dict[str, str]:
        """The canonical link, how long to keep the answer, and what it depends on."""
        return {
            "Link": f'<{self.base_url}/{path}>; rel="canonical"',
            "Cache-Control": cache_control(ttl),
            "Vary": "Accept, Accept-Language",
        }


def _redirect(decision: Redirect, headers: dict[str, str]) -> Response:
    """A redirect, its `Location` byte for byte, with a short page that links there."""
    link = escape(decision.location)
    return Response(
        decision.status,
        {"Location": decision.location, **headers, "Content-Type": "text/html; charset=utf-8"},
        f'<!doctype html>\n<html lang="en"><title>It is here</title><p>It is at <a href="{link}">{link}</a>.</html>\n',
    )


def _chosen(request: Request, offers: tuple[str, ...]) -> str:
    """The offer that `?format=` or else `Accept` asks for; `NotAcceptable`, `UnknownFormat`."""
    chosen = _format(request) or choose(request.header("accept"), offers)
    if chosen is None:
        raise NotAcceptable(offers)
    return chosen


def _format(request: Request) -> str | None:
    """The media type that `?format=` asks for, if it is there."""
    name = request.parameter("format")
    if name is not None and name not in _FORMATS:
        raise UnknownFormat(name, tuple(_FORMATS))
    return _FORMATS[name] if name is not None else None
