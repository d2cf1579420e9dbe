r"""An `.htaccess` file of Apache HTTP Server 2.4: a `RewriteRule` of mod_rewrite for each identifier.

Specification: Apache HTTP Server 2.4, "Apache Module mod_rewrite", `RewriteRule`. `Redirect` cannot do this, because it
also matches longer paths, and `RedirectMatch` escapes the target again.

- The pattern is compared with the decoded path. All characters but letters, digits and a few others are `\xHH`.
- In the target, a backslash precedes each character that mod_rewrite or the configuration could interpret.
- The question mark at the end of a substitution discards the query of the request, and ends the interpretation of the
  target: it stays byte for byte, even if it ends with `?` or `&`. The flag `NE` keeps its escapes.

>>> rule(Redirect("x", ("mp:x 1", "mp/x 1"), 302, "https://a.example/?a=$1#b"))
'RewriteRule ^/?(?:mp:x\\x201|mp/x\\x201)$ https://a.example/\\?a=\\$1\\#b? [NE,L,R=302]\n'
>>> rule(Redirect("x", ("ark:12345/x5",), 410, folds_case=True))
'RewriteRule ^/?(?:ark:12345/x5)$ - [NC,G]\n'
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from coolid.migration.destinations.exported_identifiers import LossListener, Redirect
from coolid.migration.source_identifiers import Loss

MAX_SEGMENT_BYTES: Final = 255
"""Bytes of a path's first segment. Apache looks for a file of this name, and refuses names that no file can have."""
TOO_LONG: Final = f"its first segment has more than {MAX_SEGMENT_BYTES} bytes, which Apache refuses"

_HEADER: Final = """\
# Redirects of persistent identifiers for Apache HTTP Server 2.4 with mod_rewrite, exported by coolid.
# Save this file as .htaccess in the DocumentRoot. Its directory needs AllowOverride FileInfo, Options FollowSymLinks.
# Apache tries the rules one after another. For many thousands of identifiers, the nginx map is faster.
RewriteEngine On
"""
_SPECIAL: Final = re.compile(rb"[^0-9A-Za-z/:_~-]")
_INTERPRETED: Final = re.compile(r"[^0-9A-Za-z/:_~.=&;,+@!*()-]", re.ASCII)


def write(redirects: Iterable[Redirect], on_loss: LossListener) -> Iterator[bytes]:
    """Yield the lines of the file."""
    yield _HEADER.encode()
    for each in redirects:
        if max(len(path.partition("/")[0].encode()) for path in each.paths) > MAX_SEGMENT_BYTES:
            on_loss(Loss(each.identifier, TOO_LONG))
        else:
            yield rule(each).encode()


def rule(redirect: Redirect) -> str:
    """Return the line of an identifier."""
    paths = "|".join(_SPECIAL.sub(_hexadecimal, path.encode()).decode() for path in redirect.paths)
    pattern, flags = f"^/?(?:{paths})$", ["NC"] * redirect.folds_case
    if redirect.status == 410:
        return f"RewriteRule {pattern} - [{','.join((*flags, 'G'))}]\n"
    target, all_flags = escaped_target(redirect.target), (*flags, "NE", "L", f"R={redirect.status}")
    return f"RewriteRule {pattern} {target}? [{','.join(all_flags)}]\n"


def escaped_target(target: str) -> str:
    """Return a target as the substitution of a rule, which ends with a question mark."""
    return _INTERPRETED.sub(_escaped, target)


def _hexadecimal(found: re.Match[bytes]) -> bytes:
    return f"\\x{found[0][0]:02X}".encode()


def _escaped(found: re.Match[str]) -> str:
    """Return an ASCII character with a backslash; others, which have no meaning here, as they are."""
    return "\\" + found[0] if found[0].isascii() else found[0]
