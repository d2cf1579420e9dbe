"""Search: redirects a text from the home page's search box to the address that resolves it here.

A text with a registered prefix is redirected to its own address, where redirects, tombstones and errors are the same as
without the search. So is the URL of an identifier, the URL of a provider's page (`coolid.resolution.reverse_lookup`),
and a bare identifier whose scheme is certain, such as an ORCID iD or ISBN. For any other text the home page shows what
it is and why it does not resolve.

The response is a 303 (RFC 9110, section 15.4.4) or the page with 200. It is cached only as long as a refusal, because
the prefix may be registered soon.

Typographic spellings are normalised (`coolid.recognition.extraction`). A longer text is never redirected; the page
lists the identifiers found in it. The redirect keeps the known query parameters of an own address.

>>> path_for(" go:0006915 "), path_for("doi:10.1002/a<b>#c?50%"), path_for("https://doi.org/10.1002/a%3Cb%3E?x=y")
('go:0006915', 'doi:10.1002/a%3Cb%3E%23c%3F50%25', 'doi:10.1002/a%3Cb%3E')
>>> parameters_in("/mp:tw0t-ywdj-94?version=1&utm_source=x&info#top"), parameters_in("/mp:tw0t-ywdj-94??")
('?version=1&info', '??')
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct

from coolid.errors import BadReference, InvalidIdentifier, StoreUnavailable, UnknownPrefix, UnknownProvider
from coolid.http.caching import NO_STORE, VARY, refusal_cache_control
from coolid.http.message import Request, Response
from coolid.http.problems import sentence
from coolid.http.public import prefix_browser
from coolid.http.public.discovery import PARAMETERS
from coolid.http.redirects import redirect
from coolid.identifiers import percent_encoding
from coolid.model.prefixes import PATH_SAFE, as_path, path_of
from coolid.ports import Clock
from coolid.recognition.explanation import MAX_CHARACTERS, explain
from coolid.recognition.explanation_steps import Explanation
from coolid.recognition.extraction import registered_prefix
from coolid.recognition.unwrap import identifier_in, path_below_base, reference_of, unwrap
from coolid.registry.directory import Directory
from coolid.registry.prefix_lookup import find_prefix
from coolid.registry.references import Reference, is_dot_segment
from coolid.resolution.caching_reader import CachingReader
from coolid.store.reader import Reader

STORE_TIMEOUT_SECONDS: Final = 5.0
"""The longest wait for the store."""

_PAGE: Final = re.compile("/?|/health|/(?:pages|problems)/[a-z0-9-]+(?:/[a-z0-9-]+)*")
_QUERY_KEEPS: Final = "!$&'()*+,/:;=?@~%"  # RFC 3986, section 3.4, and existing escapes
_INFLECTION: Final = "?"


class SearchEndpoint(Struct, frozen=True):
    """Searches with `reader`; `directory` caches all prefixes, `examples` returns those of the home page."""

    reader: CachingReader
    clock: Clock
    base_url: str
    directory: Directory
    examples: Callable[[Reader], dict[str, str]]

    def answer(self, request: Request, typed: str) -> Response:
        """Return 303 to the text's address, its own while the store is unavailable, or the home page about it."""
        text = typed.strip()
        behind = path_below_base(text, self.base_url) if len(text) <= MAX_CHARACTERS else None
        page = page_at(behind) if behind is not None else None
        if page is not None:
            return self._redirect(page, refusal_cache_control())
        parameters = parameters_in(behind) if behind is not None else ""
        if not parameters and request.parameter("info") is not None:  # sent by the health page
            parameters = "?info"
        path, reference = self._address(text)
        shown: dict[str, str] = {}
        try:
            with self.reader.for_request(stale=False, max_wait_seconds=STORE_TIMEOUT_SECONDS) as reader:
                parsed = explain(text, reader, self.base_url, self.clock.now(), self.directory)
                if not parsed.found and path is not None and reference is not None and _has_prefix(reference, reader):
                    return self._redirect(path + parameters, refusal_cache_control())
                target = self._target_path(parsed, reader)
                with suppress(StoreUnavailable):  # the page is useful without examples
                    shown = self.examples(reader) if target is None else {}
        except StoreUnavailable:
            if path is None:
                raise
            return self._redirect(path + parameters, NO_STORE)
        if target is None:
            return self._page(parsed, typed, shown)
        return self._redirect(target + parameters, refusal_cache_control())

    def _address(self, text: str) -> tuple[str | None, Reference | None]:
        """Return the path of a text and its reference, each None if there is none."""
        path = path_for(text, self.base_url) if len(text) <= MAX_CHARACTERS else None
        try:
            return path, reference_of(path, self.base_url) if path is not None else None
        except BadReference:
            return None, None

    def _redirect(self, path: str, caching: str) -> Response:
        return redirect(f"{self.base_url}/{path}", 303, {"Cache-Control": caching})

    def _target_path(self, parsed: Explanation, reader: Reader) -> str | None:
        """Return the path of the only identifier in a text, or of the one that a URL stands for; else None."""
        if parsed.found:
            path, reference = self._address(parsed.found[0])
            is_registered = path is not None and reference is not None and _has_prefix(reference, reader)
            return path if parsed.is_whole and len(parsed.found) == 1 and is_registered else None
        if parsed.curies:
            return as_path(parsed.curies[0])
        prefixed = registered_prefix(parsed.candidates, reader)
        return path_of(*prefixed) if prefixed is not None else None

    def _page(self, parsed: Explanation, typed: str, examples: dict[str, str]) -> Response:
        """Return the home page with the explanation, and the text in the search box unless it is too long."""
        from coolid.http.pages import render

        shown = typed.encode(errors="replace").decode() if len(typed) <= MAX_CHARACTERS else ""
        headers = {"Cache-Control": refusal_cache_control(), "Vary": VARY}
        guesses = [str(each.canonical) for each in parsed.candidates if each.guess and each.scheme == "curie"]
        suggestions = parsed.suggestions if parsed.prefix is None else ()
        links = {
            name: [(each, path) for each in texts if (path := path_for(each, self.base_url)) is not None]
            for name, texts in (("found", parsed.found), ("suggestions", suggestions), ("guesses", guesses))
        }
        values = {"typed": shown, "result": {**explained(parsed), **links}, "examples": examples}
        return render("home.html", 200, headers, self.base_url, **values)


def path_for(text: str, base_url: str = "") -> str | None:
    """Return the path below the base URL, without its leading slash, that resolves the identifier in the text.

    Escapes in a pasted URL are kept; in any other text a `%` is a percent sign. Browsers remove the segments `.` and
    `..`, even escaped (URL Standard, "double-dot path segment"), so the slashes beside them are escaped. The result is
    None for a text that is only such a segment, or has lone surrogates.

    >>> path_for("mp:a/../b"), path_for(".."), path_for("mp:a//b\\\\c")
    ('mp:a%2F..%2Fb', None, 'mp:a//b%5Cc')
    """
    unwrapped = unwrap(text, base_url, is_decoded=True)
    try:
        if unwrapped.text == unwrapped.bare:
            path = as_path(identifier_in(unwrapped.bare, base_url))
        else:
            path = percent_encoding.encode(unwrapped.text, f"{PATH_SAFE}%")
    except UnicodeEncodeError:
        return None
    first, *others = path.split("/")
    joined, steps = first, is_dot_segment(first)
    for part in others:
        stepped, steps = steps, is_dot_segment(part)
        joined += f"{'%2F' if steps or stepped else '/'}{part}"
    return joined if joined and not (steps and not others) else None


def page_at(behind: str) -> str | None:
    """Return the path and query of an own page from the text after the base URL, the home page's without; else None."""
    path, _, query = behind.partition("#")[0].partition("?")
    if not _PAGE.fullmatch(path):
        return None
    page = path[1:]
    return page + _query(query, (*prefix_browser.PARAMETERS, "prefix")) if page.startswith("pages/") else page


def parameters_in(behind: str) -> str:
    """Return the known query parameters, with their question mark, in the text after the base URL."""
    query = behind.partition("#")[0].partition("?")[2]
    return f"?{_INFLECTION}" if query == _INFLECTION else _query(query, PARAMETERS)


def _query(written: str, names: tuple[str, ...]) -> str:
    parts = [part for part in written.split("&") if part.partition("=")[0] in names]
    return f"?{percent_encoding.encode('&'.join(parts), _QUERY_KEEPS)}" if parts else ""


def explained(parsed: Explanation) -> dict[str, Any]:
    """Return why a text does not resolve: the verdicts of schemes, the outcome and all steps."""
    from coolid.http.pages import SCHEME_NAMES
    from coolid.http.pages.marked_text import name_escaped_characters, printable

    judgements = [
        {
            "name": SCHEME_NAMES.get(each.scheme, each.scheme),
            "valid": each.valid,
            "reason": printable(name_escaped_characters(sentence(each.reason))) if each.reason else None,
        }
        for each in parsed.candidates
        if each.scheme != "curie"  # any text with a colon could be one
        and (each.valid or not parsed.found)  # a citation is not a mistyped identifier
    ]
    steps = [(step.name, printable(name_escaped_characters(step.detail))) for step in parsed.steps]
    return {"judgements": judgements, "outcome": sentence(steps[-1][1]), "steps": steps}


def _has_prefix(reference: Reference, reader: Reader) -> bool:
    """Return whether the reference has a registered prefix, even if the identifier is invalid."""
    try:
        find_prefix(reference, reader)
    except UnknownPrefix:
        return False
    except (InvalidIdentifier, UnknownProvider):  # its own address explains the error
        return True
    return True
