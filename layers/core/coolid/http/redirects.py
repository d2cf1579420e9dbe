"""Redirects. One to a provider also states why that provider was chosen, and the alternatives.

`Provider-Choice` is a Dictionary of Structured Fields (RFC 9651, section 3.2):

- `provider`, a String: the code of the provider that the redirect leads to, which `?provider=` takes.
- `reason`, a Token: `asked` (the request names it), `first` (it comes first, and none is in a better state),
  `failover` (it replaces the providers before it) or `all-down` (it comes first, and no other would be better).
- `down` and `degraded`, Inner Lists of Strings: the codes of the prefix's providers in these states, as far as they
  fit.

A code with characters outside ASCII is a Display String; one that is too long for a header is left out.

>>> redirect("https://example.org/?a&b", 302, {}).body.splitlines()[1]
'<html lang="en"><title>It is here</title><p>It is at <a href="https://example.org/?a&amp;b">https://example.org/?a&amp;b</a>.</html>'
>>> item("ols"), item('a"b'), item("größe")
('"ols"', '"a\\\\"b"', '%"gr%c3%b6%c3%9fe"')
"""

from functools import lru_cache
from typing import Final

from coolid.errors import BadReference
from coolid.http.message import MAX_LINK_BYTES, Response
from coolid.model.conditions import DEGRADED, DOWN, state_of
from coolid.model.prefixes import PLACEHOLDER, Provider, ProviderPrefix, fold, has_dots
from coolid.resolution.resolver import ProviderRedirect

MAX_LOCATION_BYTES: Final = 9_000
"""Bytes of `Location`, `Link` and `Provider-Choice` together; API Gateway passes 10,240 of all headers."""
MAX_STATES_BYTES: Final = 300
"""Bytes of `down` and `degraded` in `Provider-Choice`."""
MAX_CODE_LENGTH: Final = 64
PROVIDER_CHOICE: Final = "Provider-Choice"

_URL_CHARACTERS: Final = "!#$%&'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_abcdefghijklmnopqrstuvwxyz~"
"""The characters of a URL (RFC 3986)."""


def redirect(location: str, status: int, headers: dict[str, str]) -> Response:
    """Return a redirect, its `Location` byte for byte, with a short page. Raises `BadReference` if it is too long."""
    if len(location) > MAX_LOCATION_BYTES:
        raise BadReference(
            f"the URL that it leads to has {len(location)} bytes, "
            f"more than the {MAX_LOCATION_BYTES} that a redirect may have"
        )
    link = _escaped(location)
    return Response(
        status,
        {"Location": location, **headers, "Content-Type": "text/html; charset=utf-8"},
        f'<!doctype html>\n<html lang="en"><title>It is here</title><p>It is at <a href="{link}">{link}</a>.</html>\n',
    )


def to_provider(decision: ProviderRedirect, location: str, headers: dict[str, str]) -> Response:
    """Return a redirect to a `location` at a provider, with the choice, and the links that fit into the headers."""
    prefix = decision.prefix
    headers[PROVIDER_CHOICE] = choice = _choice(decision)
    remaining = min(MAX_LOCATION_BYTES - len(location) - len(choice), MAX_LINK_BYTES) - len(headers["Link"])
    if remaining < 0:
        del headers["Link"]
    elif len(prefix.providers) > 1:
        headers["Link"] += _alternates(decision, remaining)
    return redirect(location, 302, headers)


def _choice(decision: ProviderRedirect) -> str:
    code = item(decision.provider)
    choice = f"provider={code}, reason={decision.choice}" if code else f"reason={decision.choice}"
    return choice if decision.all_up else choice + _provider_states(decision.prefix)


def _alternates(decision: ProviderRedirect, remaining: int) -> str:
    """Return links to the same identifier at other providers that are not down, in at most `remaining` bytes."""
    prefix, identifier, filled = decision.prefix, decision.identifier, decision.encoded_identifier
    if decision.all_up and not has_dots(identifier):
        links = _all_alternates(prefix.providers, decision.provider).replace(PLACEHOLDER, filled)
        if len(links) <= remaining:
            return links
    from coolid.resolution.provider_failover import stays_within

    down = [each.url for each in prefix.providers if state_of(prefix.health, fold(each.code)) == DOWN]
    links = ""
    for each in _others(prefix.providers, decision.provider):
        if each.url in down or not stays_within(each, identifier, prefix.encoding):
            continue
        link = _alternate(each).replace(PLACEHOLDER, filled)
        if len(links) + len(link) > remaining:
            break
        links += link
    return links


def item(code: str) -> str:
    """Return a code as a String or Display String (RFC 9651, sections 4.1.6 and 4.1.11); empty if it is too long."""
    if len(code) > MAX_CODE_LENGTH:
        return ""
    if code.isascii() and code.isprintable():
        return _quoted(code)
    plain = (
        chr(octet) if octet in range(0x20, 0x7F) and octet not in b'%"' else f"%{octet:02x}" for octet in code.encode()
    )
    return '%"' + "".join(plain) + '"'


def _provider_states(prefix: ProviderPrefix) -> str:
    """Return the `down` and `degraded` members of `Provider-Choice`, to append to others."""
    text = ""
    for state in (DOWN, DEGRADED):
        items = [item(each.code) for each in prefix.providers if state_of(prefix.health, fold(each.code)) == state]
        codes = [code for code in items if code]
        while codes and len(text) + len(listed := f", {state}=({' '.join(codes)})") > MAX_STATES_BYTES:
            codes.pop()
        if codes:
            text += listed
    return text


@lru_cache(maxsize=256)
def _all_alternates(providers: tuple[Provider, ...], chosen: str) -> str:
    """Return links to all other providers, with placeholders for the identifier; cached for the usual prefixes."""
    return "".join([_alternate(each) for each in _others(providers, chosen)])


def _others(providers: tuple[Provider, ...], chosen: str) -> list[Provider]:
    """Return the providers with other URLs than this code has, one for each URL: registries list many twice."""
    chosen_urls = {each.url for each in providers if each.code == chosen}
    by_url = {each.url: each for each in reversed(providers) if each.url not in chosen_urls}
    return [each for each in providers if by_url.get(each.url) is each]


def _alternate(provider: Provider) -> str:
    """Return a link with placeholders for the identifier, to append to others; empty if it is unfit for a header."""
    url, title = provider.url, provider.title
    if not url.startswith(("https://", "http://")) or url.replace(PLACEHOLDER, "").strip(_URL_CHARACTERS):
        return ""
    is_fit = title and title.isascii() and title.isprintable() and PLACEHOLDER not in title
    return f', <{url}>; rel="alternate"' + (f"; title={_quoted(title)}" if is_fit else "")


def _quoted(text: str) -> str:
    """Return printable ASCII as a quoted string (RFC 9110, section 5.6.4), also a String of Structured Fields."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _escaped(text: str) -> str:
    """Return the text escaped for an HTML attribute."""
    if not ("&" in text or "'" in text or '"' in text or "<" in text or ">" in text):  # faster than one by one
        return text
    from html import escape  # slow to load

    return escape(text)
