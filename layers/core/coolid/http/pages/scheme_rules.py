"""The members of rules and the terms of repositories with their defaults, for the forms of pages.

They come from the classes that the API validates with, so that a form offers what the API accepts.

>>> scheme_rules()["lui"], scheme_rules()["uuid"]
({'symbols': 8}, {'version': 7, 'accepts': None})
>>> repository_terms()["redirect"], repository_terms()["statuses"]
(302, [301, 302, 303, 307, 308])
"""

from typing import Any, get_args

from msgspec.structs import fields

from coolid.identifiers.rules.catalog import SCHEMES, rules_class
from coolid.model.repositories import RedirectStatus, Repository


def scheme_rules() -> dict[str, dict[str, Any]]:
    """Return the members of the rules of each scheme, with their defaults."""
    return {
        scheme: {each.name: each.default for each in fields(shape) if each.name in shape.members()}
        for scheme, shape in ((scheme, rules_class(scheme)) for scheme in SCHEMES)
    }


def repository_terms() -> dict[str, Any]:
    """Return the defaults of a repository's terms, and the statuses that redirects can have."""
    names = ("ttl", "redirect", "passthrough", "landing")
    defaults = {each.name: each.default for each in fields(Repository) if each.name in names}
    return {**defaults, "statuses": [*get_args(RedirectStatus)]}
