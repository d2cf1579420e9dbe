"""Pages: Jinja templates with autoescape, under a Content-Security-Policy that allows nothing but their one style.

Imported only when a page is asked for: a redirect never pays for it.
"""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from coolid.web.message import Response

# The style goes into the page as it is, so that the policy can name it by its digest.
_STYLE: Final = files(__name__).joinpath("style.css").read_text(encoding="utf-8")
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_templates: Final = Environment(
    loader=PackageLoader("coolid.web", "pages"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.globals["style"] = Markup(_STYLE)  # noqa: S704 - our own file, not foreign text


def render(template: str, status: int, headers: dict[str, str], **values: Any) -> Response:
    """A page as a response."""
    page = _templates.get_template(template).render(**values)
    secured = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": _POLICY, **headers}
    return Response(status, secured, page)
