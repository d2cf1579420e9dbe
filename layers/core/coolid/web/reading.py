"""Reading: the public side. Every address that is not the service's own is a reference to resolve."""

from dataclasses import dataclass, replace
from datetime import datetime
from html import escape
from typing import Final
from urllib.parse import quote

from coolid.domain.prefixes import Namespace, ProviderPrefix, join
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
_NAMED_LINK_KEEPS: Final = "!$'()*,/:;=@~&+"


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
                return self._elsewhere(decision)
            case Redirect():
                return self._ours(decision, request)
            case Describe():
                return self._prefix(decision.prefix, request)
            case Present():
                return _record_headers(_shown(decision.record, request, 200), decision.prefix, decision.record)
            case Gone():
                return _record_headers(_shown(decision.record, request, 410), decision.prefix, decision.record)

    def home(self, _request: Request, _path: str) -> Response:
        """The front door: what this is and how to ask."""
        from coolid.web.pages import render

        return render("home.html", 200, {"Cache-Control": cache_control(3600)}, base_url=self.base_url)

    def problem(self, _request: Request, slug: str) -> Response:
        """What a problem's type URI leads to."""
        kind = problem.kind_named(slug)
        document = {"type": problem.type_uri(kind, self.base_url), "title": kind.title, "status": kind.status}
        return Response(200, {"Content-Type": JSON, "Cache-Control": cache_control(3600)}, dump(document))

    def _elsewhere(self, decision: Redirect) -> Response:
        assert isinstance(decision.prefix, ProviderPrefix)
        canonical = f"{self.base_url}/{quote(join(decision.prefix.name, decision.identifier), safe=_NAMED_LINK_KEEPS)}"
        return redirect(
            decision.location, decision.status, canonical, ttl=decision.prefix.ttl, changed=decision.prefix.updated
        )

    def _ours(self, decision: Redirect, request: Request) -> Response:
        assert decision.record is not None
        assert isinstance(decision.prefix, Namespace)
        if request.parameter("format") is not None or prefers(request.header("accept"), METADATA, over=HTML):
            return _record_headers(_shown(decision.record, request, 200), decision.prefix, decision.record)
        repository = decision.prefix.repository
        return redirect(
            decision.location,
            decision.status,
            decision.record.pid,
            ttl=repository.ttl,
            changed=max(decision.record.updated, repository.updated),
        )

    def _prefix(self, prefix: Namespace | ProviderPrefix, request: Request) -> Response:
        chosen = _format(request) or choose(request.header("accept"), (JSON, HTML))
        headers = {
            "Link": f'<{self.base_url}/{quote(prefix.name, safe=_NAMED_LINK_KEEPS)}>; rel="canonical"',
            "Cache-Control": cache_control(prefix.ttl if isinstance(prefix, ProviderPrefix) else prefix.repository.ttl),
            "Last-Modified": last_modified(prefix.updated),
            "Vary": "Accept, Accept-Language",
        }
        document = prefixes.document(prefix)
        if chosen == HTML:
            from coolid.web.pages import render

            return render("prefix.html", 200, headers, prefix=document, base_url=self.base_url)
        if chosen is None:
            raise NotAcceptable((JSON, HTML))
        return Response(200, {**headers, "Content-Type": JSON}, dump(document))


def redirect(location: str, status: int, canonical: str, *, ttl: int, changed: datetime) -> Response:
    """A redirect to `location`, byte for byte, with a short page that links there."""
    link = escape(location)
    return Response(
        status,
        {
            "Location": location,
            "Link": f'<{canonical}>; rel="canonical"',
            "Cache-Control": cache_control(ttl),
            "Last-Modified": last_modified(changed),
            "Vary": "Accept, Accept-Language",
            "Content-Type": "text/html; charset=utf-8",
        },
        f'<!doctype html>\n<html lang="en"><title>It is here</title><p>It is at <a href="{link}">{link}</a>.</html>\n',
    )


def _shown(record: Record, request: Request, status: int) -> Response:
    chosen = _format(request) or choose(request.header("accept"), (*METADATA, HTML))
    if chosen is None:
        raise NotAcceptable((*METADATA, HTML))
    if chosen == HTML:
        from coolid.web.pages import render

        return render("record.html", status, {}, record=record.to_document())
    return Response(status, {"Content-Type": chosen}, dump(record.to_document()))


def _record_headers(response: Response, namespace: Namespace, record: Record) -> Response:
    changed = max(record.updated, namespace.repository.updated)
    return replace(
        response,
        headers={
            **response.headers,
            "Link": f'<{record.pid}>; rel="canonical"',
            "Cache-Control": cache_control(namespace.repository.ttl),
            "Last-Modified": last_modified(changed),
            "Vary": "Accept, Accept-Language",
        },
    )


def _format(request: Request) -> str | None:
    """The media type that `?format=` asks for, if it is there."""
    name = request.parameter("format")
    if name is None:
        return None
    if name not in _FORMATS:
        raise UnknownFormat(name, tuple(_FORMATS))
    return _FORMATS[name]
