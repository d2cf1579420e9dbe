"""Redirects: the answer that says where something is; to a provider also why to that one, and who else has it.

`Provider-Choice` is a Dictionary of Structured Fields (RFC 9651, section 3.2):

- `provider`, a String: the code of the provider that the redirect leads to, which `?provider=` takes.
- `reason`, a Token: `asked` (the request names it), `first` (it comes first, and none is in a better state),
  `failover` (it stands in for those before it) or `all-down` (it comes first, and no other would be better).
- `down` and `degraded`, Inner Lists of Strings: the codes of the prefix's providers that are so, as far as there is
  room.

A code that is not of ASCII is a Display String; one that is too long for a header is left out.

>>> redirect("https://example.org/?a&b", 302, {}).body.splitlines()[1]
'<html lang="en"><title>It is here</title><p>It is at <a href="https://example.org/?a&amp;b">https://example.org/?a&amp;b</a>.</html>'
>>> item("ols"), item('a"b'), item("größe")
('"ols"', '"a\\\\"b"', '%"gr%c3%b6%c3%9fe"')
"""

from functools import lru_cache
from typing import Final

from coolid.errors import BadReference
from coolid.http.message import MOST_LINK_BYTES, Response
from coolid.model.conditions import DEGRADED, DOWN, state_of
from coolid.model.prefixes import PLACEHOLDER, Provider, ProviderPrefix, fold, has_dots
from coolid.resolution.resolver import ProviderRedirect

MOST_LOCATED: Final = 9_000
"""Bytes of `Location`, `Link` and `Provider-Choice` together; API Gateway lets pass 10,240 of all headers."""
MOST_AILING: Final = 300
"""Bytes of what `Provider-Choice` says of providers that are not up."""
MOST_CODE: Final = 64
FOREIGN_REDIRECT: Final = 302
PROVIDER_CHOICE: Final = "Provider-Choice"

_MARKUP: Final = frozenset("&<>\"'")
_OF_URLS: Final = "!#$%&'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_abcdefghijklmnopqrstuvwxyz~"
"""What may stand in a URL (RFC 3986)."""
_WEB: Final = ("https://", "http://")


def redirect(location: str, status: int, headers: dict[str, str]) -> Response:
    """Return a redirect, its `Location` byte for byte, with a short page that links there.

    Raises `BadReference` for a location that is longer than a header may be.
    """
    if len(location) > MOST_LOCATED:
        raise BadReference(
            f"the URL that it leads to has {len(location)} bytes, more than the {MOST_LOCATED} that a redirect may have"
        )
    link = _escaped(location)
    return Response(
        status,
        {"Location": location, **headers, "Content-Type": "text/html; charset=utf-8"},
        f'<!doctype html>\n<html lang="en"><title>It is here</title><p>It is at <a href="{link}">{link}</a>.</html>\n',
    )


def to_provider(decision: ProviderRedirect, location: str, headers: dict[str, str]) -> Response:
    """A redirect to a provider, at the `location` there, with why and who else has it.

    `headers` are all others, a `Link` among them, which is left out where there is no room for it.
    """
    prefix = decision.prefix
    headers[PROVIDER_CHOICE] = choice = _choice(decision)
    room = min(MOST_LOCATED - len(location) - len(choice), MOST_LINK_BYTES) - len(headers["Link"])
    if room < 0:
        del headers["Link"]
    elif len(prefix.providers) > 1:
        headers["Link"] += _alternates(decision, room)
    return redirect(location, FOREIGN_REDIRECT, headers)


def _choice(decision: ProviderRedirect) -> str:
    code = item(decision.provider)
    choice = f"provider={code}, reason={decision.choice}" if code else f"reason={decision.choice}"
    return choice if decision.sound else choice + _ailing(decision.prefix)


def _alternates(decision: ProviderRedirect, room: int) -> str:
    """Links to the same at the other providers that are not down, as they go on a `Link`; in `room` bytes."""
    prefix, identifier, filled = decision.prefix, decision.identifier, decision.filled
    if decision.sound and not has_dots(identifier):
        links = _all_alternates(prefix.providers, decision.provider).replace(PLACEHOLDER, filled)
        if len(links) <= room:
            return links
    from coolid.resolution.provider_failover import stays_within

    down = [each.url for each in prefix.providers if state_of(prefix.health, fold(each.code)) == DOWN]
    links = ""
    for each in _others(prefix.providers, decision.provider):
        if each.url in down or not stays_within(each, identifier, prefix.encoding):
            continue
        link = _alternate(each).replace(PLACEHOLDER, filled)
        if len(links) + len(link) > room:
            break
        links += link
    return links


def item(code: str) -> str:
    """A code as a String, or as a Display String (RFC 9651, section 4.1.6 and 4.1.11); empty if it is too long."""
    if len(code) > MOST_CODE:
        return ""
    if code.isascii() and code.isprintable():
        return _quoted(code)
    plain = (
        chr(octet) if octet in range(0x20, 0x7F) and octet not in b'%"' else f"%{octet:02x}" for octet in code.encode()
    )
    return '%"' + "".join(plain) + '"'


def _ailing(prefix: ProviderPrefix) -> str:
    """Which of the providers are not up, as members that follow others."""
    said = ""
    for state in (DOWN, DEGRADED):
        ailing = [item(each.code) for each in prefix.providers if state_of(prefix.health, fold(each.code)) == state]
        codes = [code for code in ailing if code]
        while codes and len(said) + len(listed := f", {state}=({' '.join(codes)})") > MOST_AILING:
            codes.pop()
        if codes:
            said += listed
    return said


@lru_cache(maxsize=256)
def _all_alternates(providers: tuple[Provider, ...], without: str) -> str:
    """Links to all of the providers but the one of this code, with places for the identifier.

    Kept, because most requests are for a few prefixes: the providers alone, not the prefix.
    """
    return "".join([_alternate(each) for each in _others(providers, without)])


def _others(providers: tuple[Provider, ...], without: str) -> list[Provider]:
    """The providers elsewhere than the one of this code, one for each place: registries list many of them twice."""
    here = {each.url for each in providers if each.code == without}
    places = {each.url: each for each in reversed(providers) if each.url not in here}
    return [each for each in providers if places.get(each.url) is each]


def _alternate(provider: Provider) -> str:
    """A link with places for the identifier, as it follows others; empty if it is fit for no header."""
    url, title = provider.url, provider.title
    if not url.startswith(_WEB) or url.replace(PLACEHOLDER, "").strip(_OF_URLS):
        return ""
    is_fit = title and title.isascii() and title.isprintable() and PLACEHOLDER not in title
    return f', <{url}>; rel="alternate"' + (f"; title={_quoted(title)}" if is_fit else "")


def _quoted(text: str) -> str:
    """Printable ASCII as a quoted string (RFC 9110, section 5.6.4), which is a String of Structured Fields, too."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _escaped(text: str) -> str:
    """The text as HTML has it in an attribute."""
    if _MARKUP.isdisjoint(text):
        return text
    from html import escape  # which takes long to load

    return escape(text)
