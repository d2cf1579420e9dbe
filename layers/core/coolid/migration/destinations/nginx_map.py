r"""A configuration file of nginx: a `map` from the paths of identifiers to their redirects.

Specification: nginx, "Module ngx_http_map_module" and "Module ngx_http_geo_module".

- The key is the decoded path (`$uri`). In quotes, backslashes and quotation marks are escaped.
- A dollar sign in a target would begin a variable, and nginx has no escape for it. So it is the variable
  `$coolid_dollar`, which a `geo` block sets.
- A `map` ignores the case of its keys, and refuses a key that occurs twice. Paths that differ in case only become
  regular expressions, which distinguish case. Of two identifiers with one path, the first counts.

>>> entry(Redirect("x", ("mp:x",), 302, "https://a.example/$1"), "mp:x")
'    "/mp:x" "302 https://a.example/${coolid_dollar}1";\n'
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import pairwise
from tempfile import TemporaryFile
from typing import Final

import msgspec

from coolid.migration.destinations.exported_identifiers import LossListener, Redirect
from coolid.migration.source_identifiers import Loss

MAX_TEXT_BYTES: Final = 4_000
"""Bytes of a text in a configuration file, whose buffer has 4,096 (`NGX_CONF_BUFFER`)."""
TOO_LONG: Final = f"it or its target has more than {MAX_TEXT_BYTES:,} bytes with escapes, which nginx refuses"

_HEADER: Final = """\
# Redirects of persistent identifiers for nginx, exported by coolid. Include this file in the http block, and
# add these lines to the server block of the identifiers' host:
#
#     if ($coolid_gone) { return 410; }
#     if ($coolid_301) { return 301 $coolid_301; }
#     if ($coolid_302) { return 302 $coolid_302; }
#     if ($coolid_303) { return 303 $coolid_303; }
#     if ($coolid_307) { return 307 $coolid_307; }
#     if ($coolid_308) { return 308 $coolid_308; }
#
# If the http block sets a map_hash_… size already, remove the line below, and use the larger value.
map_hash_bucket_size 4096;
map_hash_max_size 1048576;
geo $coolid_dollar { default "$"; }
map $coolid_answer $coolid_gone { default ""; "410" "1"; }
"""
_STATUS_MAP: Final = (
    'map $coolid_answer $coolid_{0} {{ default ""; "~^{0} (?<coolid_target_{0}>.*)$" $coolid_target_{0}; }}\n'
)
_STATUSES: Final = (301, 302, 303, 307, 308)
_BEGIN: Final = 'map $uri $coolid_answer {\n    default "";\n'
_QUOTED: Final = re.compile(r'[\\"]')
_SPECIAL: Final = re.compile(rb"[^0-9A-Za-z/:_~-]")
_DECODER: Final = msgspec.json.Decoder(Redirect)


def write(redirects: Iterable[Redirect], on_loss: LossListener) -> Iterator[bytes]:
    """Yield the lines of the file. The redirects are in a temporary file until it is clear which paths occur twice."""
    yield (_HEADER + "".join(_STATUS_MAP.format(status) for status in _STATUSES) + _BEGIN).encode()
    with TemporaryFile() as file:
        paths = _FoldedPaths()
        for each in redirects:
            file.write(msgspec.json.encode(each) + b"\n")
            for path in each.paths:
                paths.add(path)
        file.seek(0)
        repeated, taken = paths.repeated(), set[str]()
        for line in file:
            yield "".join(_entries(_DECODER.decode(line), repeated, taken, on_loss)).encode()
    yield b"}\n"


def _entries(redirect: Redirect, repeated: set[int], taken: set[str], on_loss: LossListener) -> Iterator[str]:
    """Yield the lines of an identifier. `taken` contains the paths with regular expressions so far."""
    for path in redirect.paths:
        is_repeated = _digest(path) in repeated
        if is_repeated and path in taken:
            continue
        line = entry(redirect, path, is_expression=is_repeated)
        if line is None:
            on_loss(Loss(redirect.identifier, TOO_LONG))
            return
        if is_repeated:
            taken.add(path)
        yield line


def entry(redirect: Redirect, path: str, *, is_expression: bool = False) -> str | None:
    """Return the line of a path, as a regular expression if its case has to count; None if it is too long."""
    answer = f"{redirect.status} {redirect.target}" if redirect.target else str(redirect.status)
    value, key = _escaped(answer).replace("$", "${coolid_dollar}"), _escaped("/" + path)
    if is_expression:
        expression = _SPECIAL.sub(lambda found: f"\\x{found[0][0]:02X}".encode(), path.encode()).decode()
        key = f"~{'*' * redirect.folds_case}^/{expression}$"
    if max(len(key.encode()), len(value.encode())) > MAX_TEXT_BYTES:
        return None
    return f'    "{key}" "{value}";\n'


def _escaped(text: str) -> str:
    return _QUOTED.sub(lambda found: "\\" + found[0], text)


def _digest(path: str) -> int:
    """Return 64 bits for a path, the same for all its cases in ASCII, which nginx ignores."""
    return int.from_bytes(blake2b(path.encode().lower(), digest_size=8).digest(), "big")


class _FoldedPaths:
    """Counts paths without regard to case, in eight bytes for each."""

    def __init__(self) -> None:
        self._digests = tuple(array("Q") for _ in range(256))

    def add(self, path: str) -> None:
        """Count a path."""
        digest = _digest(path)
        self._digests[digest >> 56].append(digest)

    def repeated(self) -> set[int]:
        """Return the digests of paths that occur several times."""
        found: set[int] = set()
        for digests in self._digests:
            ordered = sorted(digests)
            found.update(one for one, other in pairwise(ordered) if one == other)
        return found
