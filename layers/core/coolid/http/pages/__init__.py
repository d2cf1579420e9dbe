"""HTML pages from Jinja templates with autoescape, under a Content-Security-Policy that allows only this service.

Pages contain no inline scripts or styles; both are assets (`coolid.http.assets`). Pages are complete without scripts.
This package is imported only for pages, so that redirects stay fast.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from msgspec import json

from coolid.http import assets
from coolid.http.caching import VARY
from coolid.http.message import Response
from coolid.http.operator.identity import current
from coolid.http.pages.marked_text import character_name, printable
from coolid.model.records import format_time
from coolid.strict_json import dump

_FILE: Final = files("coolid.http") / "pages" / "script_messages.json"

MESSAGES: Final = json.decode(_FILE.read_bytes(), type=dict[str, dict[str, str]])
"""The messages that scripts show, by script and key. Scripts replace the names in braces (`static/words.js`)."""
SCHEME_NAMES: Final = {
    key.removeprefix("scheme-"): text for key, text in MESSAGES["home"].items() if key.startswith("scheme-")
}
"""The names of schemes for people."""

_IN_MARKUP: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def render(template: str, status: int, headers: Mapping[str, str], base_url: str, **values: Any) -> Response:
    """Return a page as a response; `base_url` begins all its URLs of this service."""
    page = _templates().get_template(template).render(base_url=base_url, identity=current(), **values)
    page_headers = {  # text cannot match ` action="`, because its quotes are escaped
        "Content-Type": "text/html; charset=utf-8",
        "Content-Language": "en",
        "Content-Security-Policy": content_security_policy(base_url, has_form=' action="' in page),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        **headers,
        "Vary": ", ".join(dict.fromkeys([*VARY.split(", "), *filter(None, headers.get("Vary", "").split(", "))])),
    }
    return Response(status, page_headers, page)


def content_security_policy(base_url: str, *, has_form: bool = False, also_connects: str = "") -> str:
    """Return the policy of a page (https://www.w3.org/TR/CSP3/): assets, requests and images of this service only.

    A form may lead anywhere, because Chromium applies `form-action` to redirects too. `also_connects` is another origin
    to which scripts may send requests.
    """
    static = f"{base_url}{assets.PATH}"
    form_targets = "http: https:" if has_form else "'none'"
    connects = f"{base_url}/ {also_connects}".strip()
    return (
        f"default-src 'none'; script-src {static}; style-src {static}; img-src {base_url}/; connect-src {connects}; "
        f"form-action {form_targets}; base-uri 'none'; frame-ancestors 'none'"
    )


def data(document: Any) -> Markup:
    """Return JSON for a data block (`<script type="application/json">`), without characters that could end the block.

    >>> data({"what": "</script>"})
    Markup('{"what":"\\\\u003c/script\\\\u003e"}')
    """
    return Markup(dump(document).translate(_IN_MARKUP))  # noqa: S704 - the markup characters are escaped


def _words(*scripts: str) -> Markup:
    """Return the data block with the messages of these scripts."""
    messages = {key: text for script in scripts for key, text in MESSAGES[script].items()}
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
    made.filters |= {"character_name": character_name, "printable": printable, "utc": format_time}
    made.globals |= {"asset": assets.address, "data": data, "words": _words}
    return made
