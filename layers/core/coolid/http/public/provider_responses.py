"""Responses about what is not stored here: redirects to providers and what is requested instead, and prefixes."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

from coolid.http import caching
from coolid.http.accept import HTML, JSON, client_preferences, parse_preferences, prefers_html
from coolid.http.errors import NotAcceptable
from coolid.http.message import Request, Response
from coolid.http.redirects import to_provider
from coolid.model.conditions import UNKNOWN, Health, last_change
from coolid.model.prefixes import HANDLES, Namespace, ProviderPrefix, path_of
from coolid.model.records import Location
from coolid.resolution.caching_reader import CachingRequestReader
from coolid.resolution.content_negotiation import ClientPreferences, choose
from coolid.resolution.resolver import Decision, ProviderRedirect
from coolid.strict_json import dump

DOI: Final = "doi"
FAILED_SECONDS: Final = 60
"""The lifetime of the page of a DOI without metadata."""


class ProviderResponses(Struct, frozen=True):
    """Responds about identifiers at providers and about prefixes; `base_url` begins own addresses.

    `works` returns the metadata of a foreign DOI (`coolid.http.foreign_works`).
    """

    base_url: str
    works: Callable[[str], Mapping[str, Any] | None] | None = None

    def redirect(self, decision: ProviderRedirect, request: Request) -> Response:
        """Return a redirect to a provider, or what `Accept` or `?format=` requests instead of one."""
        prefix, location = decision.prefix, decision.location
        path = path_of(prefix.name, decision.identifier)
        accept = request.headers.get("accept") or ""
        # Not by `Accept` for Handles, whose proxies return more to programs than a list of providers would.
        names_document = ("json" in accept.lower() or "yaml" in accept.lower()) and prefix.name not in HANDLES
        if request.query or names_document:
            requested = self._instead_of_redirect(decision, path, request, names_document=names_document)
            if requested is not None:
                return requested
        if not _accepts_redirect(accept):
            raise NotAcceptable(("*/*",))
        if request.query and prefix.name in HANDLES:  # Handle proxies take parameters
            from coolid.http.dialects.handle.proxy_parameters import forward_parameters

            location = forward_parameters(location, request)
        health = UNKNOWN if decision.all_up else prefix.health
        return to_provider(decision, location, self._headers(prefix, path, health))

    def _instead_of_redirect(
        self, decision: ProviderRedirect, path: str, request: Request, *, names_document: bool
    ) -> Response | None:
        """Return a description, a picture or Bioregistry's document if the request names one, else None."""
        from coolid.http.parameters import PAGE, QR, format_of, is_inflected

        form = format_of(request)
        if (form is None and is_inflected(request)) or (form is not None and form.name == PAGE):
            return self._provider_information(decision, path, request)
        if form is not None and form.name == QR:
            return self._picture(decision.prefix, path, request)
        if form is not None and self.has_works(decision):
            from coolid.http import foreign_responses

            if form.name in foreign_responses.FORMATS:
                work, headers = self._work(decision, self._headers(decision.prefix, path))
                return foreign_responses.document(request, form.name, work, path, headers, self.base_url)
        from coolid.http.dialects import bioregistry

        if form is not None:
            media_type = bioregistry.FORMS.get(form.name)
        else:
            media_type = bioregistry.preferred_media_type(client_preferences(request)) if names_document else None
        if media_type is None:
            return None
        document = bioregistry.provider_reference(decision.prefix, decision.identifier)
        return bioregistry.document_response(document, media_type, self._headers(decision.prefix, path))

    def _provider_information(self, decision: ProviderRedirect, path: str, request: Request) -> Response:
        """Return a page for browsers and `?format=html`, else an ERC record; `?info` never redirects."""
        headers = self._headers(decision.prefix, path, decision.prefix.health)
        if request.parameter("format") is not None or prefers_html(request.headers.get("accept")):
            from coolid.http.pages.foreign_page import page

            work, headers = self._work(decision, headers) if self.has_works(decision) else (None, headers)
            return page(decision, headers, self.base_url, work)
        from coolid.http.formats.erc import write_foreign

        pid = f"{self.base_url}/{path}"
        headers |= {"Content-Type": "text/plain; charset=utf-8", "THUMP-Status": "0.6 200 OK"}
        headers["Link"] += f', <{pid}>; rel="describes"'
        title = f"{decision.prefix.title or decision.prefix.name}: {decision.identifier}"
        return Response(200, headers, write_foreign(title, decision.location, pid))

    def has_works(self, decision: Decision) -> bool:
        """Return whether registration agencies may have metadata of a foreign identifier."""
        return self.works is not None and isinstance(decision, ProviderRedirect) and decision.prefix.name == DOI

    def _work(
        self, decision: ProviderRedirect, headers: dict[str, str]
    ) -> tuple[Mapping[str, Any] | None, dict[str, str]]:
        """Return the metadata of a foreign identifier, and the headers, which let caches try again if there is none."""
        work = None if self.works is None else self.works(decision.identifier)
        if work is None:
            caching_header = caching.cache_control_until(decision.prefix.ttl, FAILED_SECONDS)
            headers = {**headers, "Cache-Control": caching_header}
        return work, headers

    def description(
        self, prefix: Namespace | ProviderPrefix, request: Request, reader: CachingRequestReader
    ) -> Response:
        """Return the description of the prefix."""
        from coolid.http.parameters import PAGE, PICTURE, QR, choose_media_type

        path = path_of(prefix.name)
        media_type = choose_media_type(request, {"json": JSON, PAGE: HTML, QR: PICTURE}, (JSON, HTML))
        if media_type == PICTURE:
            return self._picture(prefix, path, request)
        health = prefix.health if isinstance(prefix, ProviderPrefix) else UNKNOWN
        headers = self._headers(prefix, path, health)
        if media_type == HTML:
            from coolid.http.pages.prefix_page import page

            return page(prefix, headers, self.base_url, reader)
        from coolid.http.formats import prefixes

        return Response(200, {**headers, "Content-Type": JSON}, dump(prefixes.prefix_document(prefix)))

    def _picture(self, prefix: Namespace | ProviderPrefix, path: str, request: Request) -> Response:
        """Return a picture of the address here of a prefix, or of an identifier of a provider."""
        from coolid.http.formats import qr
        from coolid.http.parameters import QR, requested_style

        style = requested_style(request, QR, qr.STYLES)
        return qr.qr_response(f"{self.base_url}/{path}", 200, self._headers(prefix, path), style)

    def _headers(self, prefix: Namespace | ProviderPrefix, path: str, health: Health = UNKNOWN) -> dict[str, str]:
        """Return the canonical link and the headers for caching; `health` is the prefix's, if the response shows it."""
        link = f'<{self.base_url}/{path}>; rel="canonical"'
        if isinstance(prefix, ProviderPrefix) and prefix.deprecated:  # RFC 9745, section 3; the date is unknown
            link += f', <{self.base_url}/{path_of(prefix.name)}>; rel="deprecation"'
        changed = max(prefix.updated, last_change(health)) if health else prefix.updated
        return {
            "Link": link,
            "Cache-Control": caching.cache_control(prefix.ttl),
            "Last-Modified": caching.last_modified(changed),
            caching.CACHE_TAG: caching.cache_tags_of(prefix),
            "Vary": caching.VARY,
        }


@lru_cache(maxsize=64)
def _accepts_redirect(accept: str) -> bool:
    """Return whether `Accept` permits a redirect to content of unknown type; cached for the few usual values."""
    types = parse_preferences(accept, "").types
    return choose((Location(""),), (), ClientPreferences(types=types)) is not None
