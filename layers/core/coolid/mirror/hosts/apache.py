"""The configuration of Apache HTTP Server 2.4: maps for the server's configuration, and an `.htaccess` file.

Specification: Apache HTTP Server 2.4, "Using RewriteMap" and "Apache Module mod_rewrite". A map of type `txt` has a key
and a value in each line, both without white space. Identifiers with white space in a spelling or target have a rule
each (`coolid.migration.destinations.htaccess`). As in nginx, a first map leads to the name of the identifier's files.
The key of a map is the path after decoding, compared byte for byte; for identifiers without case it is in lower case.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from coolid.migration.destinations import htaccess
from coolid.migration.destinations.exported_identifiers import Redirect
from coolid.migration.source_identifiers import Loss
from coolid.mirror.hosts.path_forms import PathForm
from coolid.mirror.inventory import Inventory
from coolid.mirror.layout import HOME, RECORDS, name_of
from coolid.mirror.records import GONE, REDIRECTS, LossListener, MirroredRecord, MirroredSite

FOLDER: Final = f"{HOME}/apache"
CONFIGURATION: Final = f"{FOLDER}/mirror.conf"
EXACT: Final = f"{FOLDER}/exact.txt"
FOLDED: Final = f"{FOLDER}/folded.txt"
ANSWERS: Final = f"{FOLDER}/answers.txt"
HTACCESS: Final = f"{FOLDER}/htaccess"
MAX_RULES: Final = 50_000
"""Identifiers above which there is no `.htaccess` file: Apache reads it with each request."""

_SPECIAL: Final = re.compile(rb"[^0-9A-Za-z/:_~-]")
_UNMAPPED: Final = re.compile("[\\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNREADABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_MAX_MAP_BYTES: Final = 900
_BEGIN: Final = """\
# Identifiers of {service}, mirrored by coolid, for Apache HTTP Server 2.4.13 or later with rewrite, mime and version.
# Include this file in the virtual host, whose DocumentRoot is the folder of the mirror, after a line
#     Define COOLID_MIRROR /the/folder/of/the/mirror
# For many identifiers, convert the three maps with httxt2dbm, and replace txt: by dbm: below.
# The targets of the maps may have question marks, which releases from 2.4.60 on have to be permitted explicitly.
<IfVersion >= 2.4.60>
    Define coolid_unsafe ",UnsafeAllow3F"
</IfVersion>
<IfVersion < 2.4.60>
    Define coolid_unsafe ""
</IfVersion>
RewriteEngine On
AllowEncodedSlashes On
MergeSlashes Off
AddType application/linkid+json .json
AddType application/jose .jws
AddType "text/plain; charset=utf-8" .tlog-proof
ErrorDocument 404 /404.html
ErrorDocument 410 "%{{reqenv:coolid_page}}"
RewriteMap coolid_exact "txt:${{COOLID_MIRROR}}/{exact}"
RewriteMap coolid_folded "txt:${{COOLID_MIRROR}}/{folded}"
RewriteMap coolid_answers "txt:${{COOLID_MIRROR}}/{answers}"
RewriteMap coolid_lower int:tolower
RewriteRule ^/{home}/ - [L]
RewriteRule ^{base}(/(?:log|[.]well-known)/.*)$ $1 [L]
RewriteRule ^{base}(?:/resolve)?(/.+)$ - [E=coolid_path:{base}$1]
RewriteCond %{{ENV:coolid_path}} ^{base}/(?:doi|hdl)[:/]([0-9]+(?:[.][0-9]+)*/.+)$ [NC]
RewriteRule ^ - [E=coolid_path:{base}/%1]
RewriteCond %{{ENV:coolid_path}} ^{base}/(?:(?:doi|hdl)[:/])?([0-9]+(?:[.][0-9]+)+):(.+)$ [NC]
RewriteRule ^ - [E=coolid_path:{base}/%1/%2]
RewriteCond %{{ENV:coolid_path}} ^({base}/ark:.*[^./])[./]+$ [NC]
RewriteRule ^ - [E=coolid_path:%1]
{forms}RewriteRule ^ - [E=coolid_lower:${{coolid_lower:%{{ENV:coolid_path}}}}]
RewriteCond ${{coolid_exact:%{{ENV:coolid_path}}|${{coolid_folded:%{{ENV:coolid_lower}}}}}} ^(...)(.+)$
RewriteRule ^ - [E=coolid_name:%1%2,E=coolid_file:/{records}/%1/%1%2,E=coolid_page:/{records}/%1/%1%2.html]
RewriteCond %{{ENV:coolid_file}} !=""
RewriteCond %{{QUERY_STRING}} (?:^|&)format=(?:linkid|json)(?:&|$)
RewriteRule ^ %{{ENV:coolid_file}}.json [L]
RewriteCond %{{ENV:coolid_file}} !=""
RewriteCond %{{QUERY_STRING}} (?:^|&)format=(jws|tlog-proof|html)(?:&|$)
RewriteRule ^ %{{ENV:coolid_file}}.%1 [L]
RewriteCond %{{ENV:coolid_file}} !=""
RewriteCond %{{QUERY_STRING}} ^(?:info|[?])$
RewriteRule ^ %{{ENV:coolid_page}} [L]
{redirects}RewriteCond ${{coolid_answers:%{{ENV:coolid_name}}}} ^410:
RewriteRule ^ - [G]
RewriteCond ${{coolid_answers:%{{ENV:coolid_name}}}} ^404:
RewriteRule ^ - [R=404,L]
"""
_END: Final = """\
RewriteCond %{ENV:coolid_page} !=""
RewriteRule ^ %{ENV:coolid_page} [L]
RewriteRule !^/(?:|index[.]html|404[.]html)$ - [R=404,L]
"""
_REDIRECT: Final = """\
RewriteCond ${{coolid_answers:%{{ENV:coolid_name}}}} ^{0}:(.+)$
RewriteRule ^ %1? [NE,L,R={0}${{coolid_unsafe}}]
"""
_PIECES: Final = 8
_ROUNDS: Final = 3
"""How often up to `_PIECES` ignored hyphens are removed; an expression has nine groups."""


def write_configuration(
    inventory: Inventory, site: MirroredSite, forms: Iterable[PathForm], on_loss: LossListener
) -> Iterator[bytes]:
    """Yield the pieces of the configuration. The spellings of the inventory are without ignored hyphens."""
    base = site.base_path
    paths = {"exact": EXACT, "folded": FOLDED, "answers": ANSWERS, "home": HOME, "records": RECORDS}
    redirects = "".join(_REDIRECT.format(status) for status in REDIRECTS)
    yield _BEGIN.format(
        service=site.service, base=base, forms="".join(_forms(forms, base)), redirects=redirects, **paths
    ).encode()
    for record in inventory.records():
        if not is_mapped(record.target):
            yield _rule_of_name(record)
        if not all(is_mapped(f"{base}/{text}") for text, _ in record.spellings):
            yield from _rules(record, base, on_loss)
    yield _END.encode()


def _forms(forms: Iterable[PathForm], base: str) -> Iterator[str]:
    """Yield the rules that write prefixes in lower case, and remove ignored hyphens behind them.

    A path that begins with a longer prefix is not changed for a shorter one.
    """
    longer: list[str] = []
    for form in forms:
        for beginning in form.beginnings:
            path = _expression(f"{base}/{beginning}")
            guard = f"RewriteCond %{{ENV:coolid_path}} !^(?:{'|'.join(longer)}) [NC]\n" if longer else ""
            yield f"{guard}RewriteCond %{{ENV:coolid_path}} ^{path}(.*)$ [NC]\n{_set_path(base, beginning, 1)}"
            if form.ignores_hyphens:
                pieces = "([^-]*)-([^-]*)" + "-?([^-]*)" * (_PIECES - 2) + "(.*)"
                rule = f"RewriteCond %{{ENV:coolid_path}} ^{path}{pieces}$\n{_set_path(base, beginning, _PIECES + 1)}"
                yield (guard + rule) * _ROUNDS
        longer += [_expression(f"{base}/{each}") for each in form.beginnings]


def _set_path(base: str, beginning: str, groups: int) -> str:
    joined = "".join(f"%{number}" for number in range(1, groups + 1))
    return f"RewriteRule ^ - [E=coolid_path:{base}/{beginning}{joined}]\n"


def _expression(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\x{found[0][0]:02X}".encode(), text.encode()).decode()


def write_spellings(inventory: Inventory, base: str, *, folded: bool) -> Iterator[bytes]:
    """Yield the lines of the map of spellings whose case counts, or of the others in lower case."""
    for spelling in inventory.spellings():
        is_folded = spelling.folds_case and not spelling.is_shared
        path = f"{base}/{spelling.text}"
        if is_folded == folded and is_mapped(path):
            key = path.encode()
            yield (key.lower() if folded else key) + f" {name_of(spelling.path)}\n".encode()


def write_answers(inventory: Inventory) -> Iterator[bytes]:
    """Yield the lines of the map of answers."""
    for record in inventory.records():
        if is_mapped(record.target):
            yield f"{record.name} {record.status}:{record.target}\n".encode()


def write_htaccess(inventory: Inventory, base: str, on_loss: LossListener) -> Iterator[bytes]:
    """Yield the pieces of an `.htaccess` file, for servers whose configuration is out of reach."""
    yield from htaccess.write([], lambda _: None)  # its beginning
    for record in inventory.records():
        yield from _rules(record, base, on_loss)


def is_mapped(text: str) -> bool:
    """Return whether a line of a map can hold a text: without white space, in at most 900 of 1,024 bytes.

    >>> is_mapped("https://a.example/"), is_mapped("https://a.example/b c"), is_mapped("x" * 1_000)
    (True, False, False)
    """
    return not _UNMAPPED.search(text) and len(text.encode()) <= _MAX_MAP_BYTES


def _rule_of_name(record: MirroredRecord) -> bytes:
    """Return the rule of an identifier whose target is in no map. Its name was found by a map."""
    target = htaccess.escaped_target(record.target)
    condition = f"RewriteCond %{{ENV:coolid_name}} ={record.name}\n"
    return f"{condition}RewriteRule ^ {target}? [NE,L,R={record.status}]\n".encode()


def _rules(record: MirroredRecord, base: str, on_loss: LossListener) -> Iterator[bytes]:
    """Yield the rule of an identifier that redirects or is withdrawn."""
    if not record.is_redirect and record.status != GONE:
        return
    paths = tuple(f"{base}/{text}".removeprefix("/") for text, _ in record.spellings)
    if _UNREADABLE.search("".join(paths) + record.target):
        on_loss(record.path, "Apache: it has a control character")
        return
    redirect = Redirect(record.path, paths, record.status, record.target, record.folds_case)

    def lose(loss: Loss) -> None:
        on_loss(loss.name, f"Apache: {loss.reason}")

    pieces = iter(htaccess.write([redirect], lose))
    next(pieces)  # the beginning
    yield from pieces
