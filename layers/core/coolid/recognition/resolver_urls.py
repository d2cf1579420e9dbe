"""URLs of PIDs at resolvers: the identifier is the path, because that is what a resolver is.

The URL of an ARK is recognised at any host (draft-kunze-ark section 2.1), and so is that of a LinkID (`linkid:`), which
does not depend on its resolver (draft-linkgenetic-linkid-uri-01, section 5). Only regular expressions are used, because
redirects need this module. Pages of publishers and databases: `coolid.recognition.url_recognition`.

>>> resolver_identifier("dx.doi.org", "doi:10.5281/zenodo.31780"), resolver_identifier("example.org", "a/ark:/12148/b")
('doi:10.5281/zenodo.31780', 'ark:/12148/b')
>>> resolver_identifier("orcid.org", "0000-0001-5699-994X/works"), resolver_identifier("example.org", "10.1000/182")
('orcid:0000-0001-5699-994X', None)
>>> resolver_identifier("example.org", "resolve/linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c")
'linkid:00c538ea-846b-47a6-a3d4-70a9ebd29d7c'
"""

import re
from typing import Final

from msgspec import Struct

from coolid.identifiers.schemes import lid, linkid


class _Resolver(Struct, frozen=True):
    """What the path of a PID begins with, and what its identifier begins with.

    Other paths than those with `form` are pages of the resolver. A slash ends the identifier if it is `one_part`.
    """

    mounts: tuple[str, ...]
    label: str = ""
    form: re.Pattern[str] = re.compile("")
    one_part: bool = False


_HANDLES: Final = ("api/handles/", "")
_DOI: Final = re.compile("10(?:[./]|%2F)|%", re.IGNORECASE)
_DIGIT: Final = re.compile("[^/]*[0-9]")
_RESOLVERS: Final = {
    "doi.org": _Resolver(_HANDLES, "doi:", _DOI),
    "dx.doi.org": _Resolver(_HANDLES, "doi:", _DOI),
    "hdl.handle.net": _Resolver(_HANDLES, "hdl:"),
    "orcid.org": _Resolver(("",), "orcid:", _DIGIT, one_part=True),
    "pub.orcid.org": _Resolver(("v2.1/", "v3.0/"), "orcid:", _DIGIT, one_part=True),
    "api.ror.org": _Resolver(
        ("organizations/", "v1/organizations/", "v2/organizations/"), "ror:", _DIGIT, one_part=True
    ),
    "ror.org": _Resolver(("organizations/", ""), "ror:", _DIGIT, one_part=True),
    "isni.org": _Resolver(("isni/",), "isni:", _DIGIT, one_part=True),
    "issn.org": _Resolver(("resource/issn/", "resource/issn-l/"), "issn:", _DIGIT, one_part=True),
    "portal.issn.org": _Resolver(("resource/issn/", "resource/issn-l/"), "issn:", _DIGIT, one_part=True),
    "linkid.io": _Resolver(("api/public/resolve/", "resolve/"), linkid.LABEL),
    "resolver.linkid.org": _Resolver(("resolve/",), lid.LABEL),
    "identifiers.org": _Resolver(("",)),
    "resolver.api.identifiers.org": _Resolver(("",)),
    "bioregistry.io": _Resolver(("reference/", "registry/", "")),
    "n2t.net": _Resolver(("",)),
    "arks.org": _Resolver(("",)),
}
_ARK: Final = re.compile(r"(?i:/ark:)")
_LINKID: Final = re.compile(r"(?:.*/)?(linkid)(?::|%3A)([0-9a-f-]{36})", re.ASCII | re.IGNORECASE)


def resolver_identifier(host: str, path: str) -> str | None:
    """Return the identifier in the path of a URL without its leading slash, still encoded; None for other URLs."""
    found = _LINKID.fullmatch(path)
    if found:
        return f"{found[1]}:{found[2]}"
    resolver = _RESOLVERS.get(host.lower().removeprefix("www."))
    if resolver is None:
        ark = _ARK.search(f"/{path}")
        return path[ark.start() :] if ark else None
    mount = next((mount for mount in resolver.mounts if path.lower().startswith(mount)), None)
    if mount is None or not path[len(mount) :].strip("/"):
        return None
    identifier = path[len(mount) :].lstrip("/")
    if resolver.label and identifier.lower().startswith(resolver.label):
        identifier = identifier[len(resolver.label) :]
    if not resolver.form.match(identifier):
        return None
    if resolver.one_part:
        identifier = identifier.partition("/")[0]
    return resolver.label + (identifier.rstrip("/") if resolver.label else identifier)
