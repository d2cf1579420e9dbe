"""Seeking: what people type or paste into the box of the front door, led to where it is resolved here.

Whatever begins with a registered prefix is led to its own address, so that redirects, tombstones and refusals with
suggestions are the same as for everybody who comes there. So is the URL of an identifier, the URL of what a provider
has (`coolid.resolution.reverse_lookup`), and a bare identifier that a scheme knows for sure: an ORCID iD, an ISBN. All else
stays at the front door, which says what the text is and why it leads nowhere.

The answer to both is that of a question, not of an identifier: 303 (RFC 9110, section 15.4.4), or a page that was
found, 200. They are kept no longer than a refusal is: the prefix may be registered a moment later.

What is written as print writes it is read so (`coolid.recognition.extraction`). Out of a longer text nobody is led: what was
found in it is offered. An address of ours keeps what it asks for.

>>> path_for(" go:0006915 "), path_for("doi:10.1002/a<b>#c?50%"), path_for("https://doi.org/10.1002/a%3Cb%3E?x=y")
('go:0006915', 'doi:10.1002/a%3Cb%3E%23c%3F50%25', 'doi:10.1002/a%3Cb%3E')
"""

from typing import Any, Final

from msgspec import Struct

from coolid.errors import BadReference, InvalidIdentifier, StoreUnavailable, UnknownPrefix, UnknownProvider
from coolid.http.caching import NO_STORE, VARY, refusal_cache_control
from coolid.http.message import Request, Response
from coolid.http.problems import sentence
from coolid.http.public import own_urls
from coolid.http.public.examples import examples
from coolid.http.redirects import redirect
from coolid.identifiers import percent_encoding
from coolid.model.prefixes import PATH_KEEPS, as_path, path_of
from coolid.ports import Clock
from coolid.recognition import extraction
from coolid.recognition.detection import detect
from coolid.recognition.explanation import LARGEST, Explanation, explain
from coolid.recognition.unwrap import behind_base, reference_of, unwrap
from coolid.registry.directory import Directory
from coolid.registry.prefix_lookup import find
from coolid.registry.references import Reference, is_step
from coolid.resolution.request_reader import RequestReaderFactory
from coolid.resolution.reverse_lookup import url_index
from coolid.store.reader import Reader

SEE_OTHER: Final = 303
PATIENCE: Final = 5.0
"""Seconds for which the store is waited for."""


class SearchEndpoint(Struct, frozen=True):
    """Leads out of `reader`; `base_url` begins every address, `directory` has all prefixes at once."""

    reader: RequestReaderFactory
    clock: Clock
    base_url: str
    directory: Directory

    def answer(self, request: Request, typed: str) -> Response:
        """303 to where the text is resolved, or the front door with what there is to say of it.

        While the store cannot be asked, the address that the text has itself is where one is led.
        """
        text = extraction.plain(typed) if len(typed) <= LARGEST else typed
        behind = behind_base(text, self.base_url) if len(text) <= LARGEST else None
        page = own_urls.page_at(behind) if behind is not None else None
        if page is not None:
            return self._led(page, refusal_cache_control())
        asked = own_urls.asked_in(behind) if behind is not None else ""
        if not asked and request.parameter("info") is not None:  # which the page of the service's health asks for
            asked = "?info"
        path, reference = self._address(text)
        try:
            with self.reader.for_request(stale=False, patience=PATIENCE) as reader:
                found = extraction.extract(text, self.base_url, reader) if len(text) <= LARGEST else ()
                if not found and path is not None and reference is not None and _leads(reference, reader):
                    return self._led(path + asked, refusal_cache_control())
                parsed = explain(text, reader, self.base_url, self.clock.now(), url_index(self.directory, reader))
                better = self._better(parsed, reader)
                shown = _examples(reader) if better is None else {}
        except StoreUnavailable:
            if path is None:
                raise
            return self._led(path + asked, NO_STORE)
        if better is None:
            return self._told(parsed, typed, shown)
        return self._led(better + asked, refusal_cache_control())

    def _address(self, text: str) -> tuple[str | None, Reference | None]:
        """The path of a text and how it is read, where it can be."""
        path = path_for(text, self.base_url) if len(text) <= LARGEST else None
        try:
            return path, reference_of(path, self.base_url) if path is not None else None
        except BadReference:
            return None, None

    def _led(self, path: str, caching: str) -> Response:
        return redirect(f"{self.base_url}/{path}", SEE_OTHER, {"Cache-Control": caching})

    def _better(self, parsed: Explanation, reader: Reader) -> str | None:
        """The path of what the text stands for, if it is the URL of that or a bare identifier of a scheme.

        Of a text that only lacks its punctuation, or the space in it, that is what is left.
        """
        if parsed.found and len(extraction.plain(parsed.text).split(None, 1)) > 1:
            return None
        if parsed.found:
            path, reference = self._address(parsed.found[0])
            if path is not None and reference is not None and _leads(reference, reader):
                return path
        if parsed.curies:
            return as_path(parsed.curies[0])
        home = extraction.at_home(detect(parsed.found[0]) if parsed.found else parsed.candidates, reader)
        return path_of(*home) if home is not None else None

    def _told(self, parsed: Explanation, typed: str, examples: dict[str, str]) -> Response:
        """The front door again, with the text still in its box unless it is too long for one."""
        from coolid.http.pages import render

        shown = typed.encode(errors="replace").decode() if len(typed) <= LARGEST else ""
        headers = {"Cache-Control": refusal_cache_control(), "Vary": VARY}
        found = [(each, path) for each in parsed.found if (path := path_for(each, self.base_url)) is not None]
        values = {"typed": shown, "told": {**explained(parsed), "found": found}, "examples": examples}
        return render("home.html", 200, headers, self.base_url, **values)


def path_for(text: str, base_url: str = "") -> str | None:
    """The path below the base URL, without its leading slash, that is read as the identifier in the text.

    The escapes of a pasted URL stay as they are; of any other text a `%` is a percent sign. Browsers take `.` and `..`
    between slashes for steps, even with their dots escaped (URL Standard, "double-dot path segment"), so that the
    slashes beside them are escaped; a text that is nothing else has no path. Nor has one with halves of surrogates.

    >>> path_for("mp:a/../b"), path_for(".."), path_for("mp:a//b\\\\c")
    ('mp:a%2F..%2Fb', None, 'mp:a//b%5Cc')
    """
    unwrapped = unwrap(text, base_url, is_decoded=True)
    try:
        if unwrapped.text == unwrapped.bare:
            path = as_path(unwrapped.bare)
        else:
            path = percent_encoding.encode(unwrapped.text, f"{PATH_KEEPS}%")
    except UnicodeEncodeError:
        return None
    first, *others = path.split("/")
    joined, steps = first, is_step(first)
    for part in others:
        stepped, steps = steps, is_step(part)
        joined += f"{'%2F' if steps or stepped else '/'}{part}"
    return joined if joined and not (steps and not others) else None


def explained(parsed: Explanation) -> dict[str, Any]:
    """Why a text leads nowhere: what schemes say of it, the last thing that was found out, and all steps."""
    from coolid.http.pages.marked_text import legible, shown
    from coolid.http.pages.script_messages import WORDS

    names = WORDS["home"]
    judgements = [
        {
            "name": names.get(f"scheme-{each.scheme}", each.scheme),
            "valid": each.valid,
            "reason": shown(legible(sentence(each.reason))) if each.reason else None,
        }
        for each in parsed.candidates
        if each.scheme != "curie"  # as which anything with a colon could be meant
        and (each.valid or not parsed.found)  # a citation is no mistyped identifier
    ]
    steps = [(step.name, shown(legible(step.detail))) for step in parsed.steps]
    return {"judgements": judgements, "outcome": sentence(steps[-1][1]), "steps": steps}


def _examples(reader: Reader) -> dict[str, str]:
    """Those of the front door; what can be said of a text is said without them, too."""
    try:
        return examples(reader)
    except StoreUnavailable:
        return {}


def _leads(reference: Reference, reader: Reader) -> bool:
    """Whether it has a registered prefix, or at least the form of what has one."""
    try:
        find(reference, reader)
    except UnknownPrefix:
        return False
    except (InvalidIdentifier, UnknownProvider):  # which its own address tells
        return True
    return True
