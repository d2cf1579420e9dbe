"""Reading: the public side. Every address that is not the service's own is a reference to resolve."""

from functools import lru_cache
from typing import Final

from msgspec import Struct

from coolid.errors import CoolidError
from coolid.http import cache_tags
from coolid.http.accept import HTML, JSON, prefers_html, wishes_of
from coolid.http.caching import VARY, VARY_IN_TIME, cache_control, last_modified, with_staleness
from coolid.http.errors import NotAcceptable
from coolid.http.format_parameter import PAGE, Format, format_of, is_inflected, one_of
from coolid.http.message import CacheableResponse, Request, Response
from coolid.http.redirects import to_provider
from coolid.http.routes import Route
from coolid.http.style_parameter import PICTURE, QR
from coolid.model.conditions import UNKNOWN, Health, last_change
from coolid.model.locations import are_steady
from coolid.model.prefixes import HANDLES, Namespace, ProviderPrefix, path_of
from coolid.model.records import Location
from coolid.ports import Clock
from coolid.registry.references import Reference, read
from coolid.resolution.content_negotiation import ClientPreferences, choose
from coolid.resolution.request_budget import MOST_SUGGESTION_KEYS
from coolid.resolution.request_reader import RequestReader, RequestReaderFactory
from coolid.resolution.resolver import Decision, DescribePrefix, FoundRecord, ProviderRedirect, WithdrawnRecord, resolve
from coolid.strict_json import dump

RESOLVE: Final = "/resolve/"
_PREFIX_FORMATS: Final = {"json": JSON, PAGE: HTML, QR: PICTURE}


class ResolutionEndpoint(Struct, frozen=True):
    """Answers references out of `reader`; `base_url` begins every link to ourselves."""

    reader: RequestReaderFactory
    clock: Clock
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """Everything as a reference."""
        return (
            Route(RESOLVE, {"GET": self.linkid}, below=True, vary=VARY_IN_TIME),
            Route("/", {"GET": self.answer}, below=True, vary=VARY_IN_TIME),
        )

    def answer(self, request: Request, path: str) -> Response:
        """Resolve what stands in the path."""
        return self._resolved(request, read(path))

    def linkid(self, request: Request, path: str) -> Response:
        """Resolve a LinkID, or any other PID, as the LinkID draft asks."""
        from coolid.recognition.unwrap import behind_resolve

        return self._resolved(request, behind_resolve(read(path)))

    def _resolved(self, request: Request, reference: Reference) -> Response:
        """The answer as it goes out: marked if it is out of date, else lasting if it can be."""
        with self.reader.for_request() as reader:
            decision = self._decision(request, reference, reader)
            response = self._answer_to(decision, request, reader)
        if reader.staleness is not None:
            return with_staleness(response, reader.staleness)
        grounds = reader.validity()
        if grounds is None or (isinstance(decision, FoundRecord) and not are_steady(decision.record.records)):
            return response
        return CacheableResponse(response.status, response.headers, response.body, grounds=grounds)

    def respond(
        self, request: Request, reference: Reference, reader: RequestReader, *, suggestion_keys: int
    ) -> Response:
        """The answer to a reference, with whatever the reader tells.

        A refusal reads at most `suggestion_keys` keys in search of near identifiers.
        """
        decision = self._decision(request, reference, reader, suggestion_keys)
        return self._answer_to(decision, request, reader)

    def _decision(
        self, request: Request, reference: Reference, reader: RequestReader, suggestion_keys: int = MOST_SUGGESTION_KEYS
    ) -> Decision:
        if reference.text[:4].lower() == "http":
            from coolid.recognition.unwrap import unwrap_reference

            reference = unwrap_reference(reference, self.base_url)
        return resolve(
            reference,
            reader,
            provider=request.parameter("provider"),
            strict=request.parameter("strict") in ("1", "true"),
            suggestion_keys=suggestion_keys,
        )

    def _answer_to(self, decision: Decision, request: Request, reader: RequestReader) -> Response:
        try:
            return self._response_to(decision, request, reader)
        except CoolidError as error:
            # A version that is asked for by its number has no versions itself.
            error.is_versioned = (
                isinstance(decision, FoundRecord | WithdrawnRecord) and request.parameter("memento") is None
            )
            raise

    def _response_to(self, decision: Decision, request: Request, reader: RequestReader) -> Response:
        match decision:
            case ProviderRedirect():
                return self._elsewhere(decision, request)
            case DescribePrefix():
                return self._prefix(decision.prefix, request, reader)
            case FoundRecord() | WithdrawnRecord():
                if "accept-datetime" in request.headers or (request.query and request.parameter("memento") is not None):
                    from coolid.http.public.memento import MementoResponses  # which few ask for

                    return MementoResponses(decision, request, reader, self.clock.now(), self.base_url).answer()
                from coolid.http.record_responses import RecordResponses  # which a redirect to others does without

                return RecordResponses(request, reader, self.clock.now(), self.base_url).answer(decision)

    def _elsewhere(self, decision: ProviderRedirect, request: Request) -> Response:
        """A redirect to where others keep it; `Accept` can exclude that, or ask for a list, as `?format=` can."""
        prefix, location = decision.prefix, decision.location
        path = path_of(prefix.name, decision.identifier)
        form = format_of(request)
        if (form is None and is_inflected(request)) or (form is not None and form.name == PAGE):
            return self._about_elsewhere(decision, path, request)
        if form is not None and form.name == QR:
            return self._picture(prefix, path, request)
        accept = (request.header("accept") or "").lower()
        # Not by `Accept` where the proxies of Handles are: they tell programs more of their own than a list would.
        if form is not None or (("json" in accept or "yaml" in accept) and prefix.name not in HANDLES):
            document = self._reference(decision, path, request, form)
            if document is not None:
                return document
        if not _takes_redirects(wishes_of(request).types):
            raise NotAcceptable(("*/*",))
        if request.query and prefix.name in HANDLES:  # whose proxies take parameters
            from coolid.http.dialects.handle.proxy_parameters import handed_on

            location = handed_on(location, request)
        health = UNKNOWN if decision.sound else prefix.health
        return to_provider(decision, location, self._headers(prefix, path, health))

    def _reference(
        self, decision: ProviderRedirect, path: str, request: Request, form: Format | None
    ) -> Response | None:
        """Where all providers have the identifier, as Bioregistry tells programs that name a form it comes in."""
        from coolid.http.dialects import bioregistry, json_or_yaml

        media_type = json_or_yaml.wanted(wishes_of(request)) if form is None else json_or_yaml.FORMS.get(form.name)
        if media_type is None:
            return None
        document = bioregistry.reference(decision.prefix, decision.identifier)
        return json_or_yaml.written(document, media_type, self._headers(decision.prefix, path))

    def _about_elsewhere(self, decision: ProviderRedirect, path: str, request: Request) -> Response:
        """`?info` never redirects: people get a page, as who asks for `?format=html` does, programs a record."""
        headers = self._headers(decision.prefix, path, decision.prefix.health)
        if request.parameter("format") is not None or prefers_html(request.header("accept")):
            from coolid.http.pages.foreign_page import page

            return page(decision, headers, self.base_url)
        from coolid.http.formats.erc import write_foreign

        pid = f"{self.base_url}/{path}"
        headers |= {"Content-Type": "text/plain; charset=utf-8", "THUMP-Status": "0.6 200 OK"}
        headers["Link"] += f', <{pid}>; rel="describes"'
        title = f"{decision.prefix.title or decision.prefix.name}: {decision.identifier}"
        return Response(200, headers, write_foreign(title, decision.location, pid))

    def _prefix(self, prefix: Namespace | ProviderPrefix, request: Request, reader: RequestReader) -> Response:
        """What the prefix is."""
        path, media_type = path_of(prefix.name), one_of(request, _PREFIX_FORMATS, (JSON, HTML))
        if media_type == PICTURE:
            return self._picture(prefix, path, request)
        health = prefix.health if isinstance(prefix, ProviderPrefix) else UNKNOWN
        headers = self._headers(prefix, path, health)
        if media_type == HTML:
            from coolid.http.pages.prefix_page import page

            return page(prefix, headers, self.base_url, reader)
        from coolid.http.formats import prefixes

        return Response(200, {**headers, "Content-Type": JSON}, dump(prefixes.document(prefix)))

    def _picture(self, prefix: Namespace | ProviderPrefix, path: str, request: Request) -> Response:
        """A picture of the address here of a prefix, or of what others keep."""
        from coolid.http.formats import qr

        return qr.picture(request, f"{self.base_url}/{path}", 200, self._headers(prefix, path))

    def _headers(self, prefix: Namespace | ProviderPrefix, path: str, health: Health = UNKNOWN) -> dict[str, str]:
        """The canonical link, since when the answer holds, how long to keep it, what it shows, what it depends on.

        `health` is that of the prefix, where the answer would be another one without.
        """
        link = f'<{self.base_url}/{path}>; rel="canonical"'
        if isinstance(prefix, ProviderPrefix) and prefix.deprecated:  # RFC 9745, section 3; nobody told us since when
            link += f', <{self.base_url}/{path_of(prefix.name)}>; rel="deprecation"'
        changed = max(prefix.updated, last_change(health)) if health else prefix.updated
        return {
            "Link": link,
            "Cache-Control": cache_control(prefix.ttl),
            "Last-Modified": last_modified(changed),
            cache_tags.HEADER: cache_tags.header_of(prefix),
            "Vary": VARY,
        }


@lru_cache(maxsize=64)
def _takes_redirects(types: tuple[tuple[str, float], ...] | None) -> bool:
    """Whether a client that accepts these types does not exclude whatever may be elsewhere.

    Kept, because most clients send one of a few.
    """
    return choose((Location(""),), (), ClientPreferences(types=types)) is not None
