"""Pages: Jinja templates with autoescape, under a Content-Security-Policy that allows nothing but what is ours.

No script and no style stands in a page itself; both are assets (`coolid.http.assets`). Whatever a page needs to
say without a script is in it: scripts only add to that. Imported only when a page is asked for: a redirect never pays.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from coolid.http import assets
from coolid.http.caching import VARY
from coolid.http.message import Response
from coolid.http.pages.script_messages import WORDS
from coolid.strict_json import dump

_IN_MARKUP: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def render(template: str, status: int, headers: Mapping[str, str], base_url: str, **values: Any) -> Response:
    """Return a page as a response; `base_url` begins every address in it."""
    page = _templates().get_template(template).render(base_url=base_url, **values)
    told = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Language": "en",
        "Content-Security-Policy": policy(base_url, leads=' action="' in page),  # in text the mark is escaped
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        **headers,
        "Vary": _vary(headers.get("Vary", "")),
    }
    return Response(status, told, page)


def policy(base_url: str, *, leads: bool = False) -> str:
    """What a page may do (https://www.w3.org/TR/CSP3/): load assets, ask this service, show its pictures.

    A form that leads may lead anywhere: Chromium holds redirects against it, and leading elsewhere is what we are for.

    >>> policy("https://id.example.org").split("; ")[1]
    'script-src https://id.example.org/static/'
    """
    ours = f"{base_url}{assets.PATH}"
    sent = "http: https:" if leads else "'none'"
    return (
        f"default-src 'none'; script-src {ours}; style-src {ours}; img-src {base_url}/; connect-src {base_url}/; "
        f"form-action {sent}; base-uri 'none'; frame-ancestors 'none'"
    )


def _vary(vary: str) -> str:
    """What the rest of the answer depends on, and the two headers that every page does.

    >>> _vary("Accept, Accept-Datetime"), _vary(VARY)
    ('Accept, Accept-Language, Accept-Datetime', 'Accept, Accept-Language')
    """
    return ", ".join(dict.fromkeys([*VARY.split(", "), *filter(None, vary.split(", "))]))


def data(document: Any) -> Markup:
    """JSON for a data block (`<script type="application/json">`), which nothing in it can end.

    >>> data({"what": "</script>"})
    Markup('{"what":"\\\\u003c/script\\\\u003e"}')
    """
    return Markup(dump(document).translate(_IN_MARKUP))  # noqa: S704 - nothing is left that means anything in markup


def _words(*scripts: str) -> Markup:
    """Return the block in which these scripts find their messages."""
    messages = {key: text for script in scripts for key, text in WORDS[script].items()}
    return Markup('<script type="application/json" id="words">{}</script>').format(data(messages))


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader(__name__, "templates"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"asset": assets.address, "data": data, "words": _words}
    return made
