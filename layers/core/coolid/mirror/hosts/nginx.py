r"""The configuration of nginx: maps for the block `http`, and the locations of the server.

Specification: nginx, "Module ngx_http_map_module", "Module ngx_http_geo_module", "Module ngx_http_rewrite_module".

- A first map leads from the decoded path (`$uri`) to the name of the identifier's files, a second one from that name to
  the answer. So a target is in memory once, whatever the number of spellings.
- A `map` ignores the case of its keys, and refuses a key that occurs twice. Where case matters, the first map has the
  exact spelling, too, and an expression compares it with the path by a back reference. Spellings that differ in case
  only are expressions themselves.
- A dollar sign would begin a variable, and nginx has no escape for it. So it is a variable, which `geo` sets.

>>> quoted('/x "$1" \\')
'"/x \\"${coolid_dollar}1\\" \\\\"'
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from coolid.mirror.hosts.path_forms import PathForm
from coolid.mirror.inventory import Inventory, Spelling
from coolid.mirror.layout import HOME, LOG, RECORDS, name_of
from coolid.mirror.records import REDIRECTS, LossListener, MirroredRecord, MirroredSite

HTTP: Final = f"{HOME}/nginx/http.conf"
SERVER: Final = f"{HOME}/nginx/server.conf"
MAX_HYPHENS: Final = 24
"""Ignored hyphens in a path; more are not found."""
MAX_TEXT_BYTES: Final = 4_000
"""Bytes of a text in a configuration file, whose buffer has 4,096 (`NGX_CONF_BUFFER`)."""
TOO_LONG: Final = f"nginx: it has more than {MAX_TEXT_BYTES:,} bytes with escapes, so nginx redirects it without a map"
CHANGED_PATH: Final = "nginx: it has a control character or a dot segment, which no map can match"

_CHANGED: Final = re.compile(r"[\x00-\x1f\x7f]|(?:^|/)\.\.?(?:/|$)")
_QUOTED: Final = re.compile(r'[\\"]')
_SPECIAL: Final = re.compile(rb"[^0-9A-Za-z/:_~-]")
_FORMS: Final = {
    ".json": r"(?:linkid|json|application(?:/|%2[Ff])(?:linkid(?:\+|%2[Bb]))?json)",
    ".jws": "jws",
    ".tlog-proof": "tlog-proof",
    ".html": "html",
}
_HTTP_BEGIN: Final = """\
# Identifiers of {service}, mirrored by coolid: include this file in the block http,
# and {server} in the block server, whose root is the folder of the mirror.
# If the block http sets map_hash_... sizes already, remove the two lines below, and use the larger values.
map_hash_bucket_size 4096;
map_hash_max_size 1048576;
geo $coolid_dollar {{ default "$"; }}
map $uri $coolid_given {{
    default $uri;
    "~^{base}/resolve/(?<coolid_resolved>.+)$" "{base}/$coolid_resolved";
    "~^{base}/https?:/+{host}/(?<coolid_pasted>.+)$" "/$coolid_pasted";
}}
map $coolid_given $coolid_trimmed {{
    default $coolid_given;
    "~*^{base}/(?:resolve/)?(?:doi|hdl)[:/](?<coolid_handle>[0-9]+(?:[.][0-9]+)*/.+)$" "{base}/$coolid_handle";
    "~*^{base}/(?:resolve/)?(?:(?:doi|hdl)[:/])?(?<coolid_naming>[0-9]+(?:[.][0-9]+)+):(?<coolid_local>.+)$"
        "{base}/$coolid_naming/$coolid_local";
    "~*^(?<coolid_ark>{base}/ark:.*[^./])[./]+$" $coolid_ark;
}}
map $coolid_trimmed $coolid_path {{
    default $coolid_trimmed;
{forms}}}
map $coolid_path $coolid_entry {{
    default "";
"""
_HTTP_MIDDLE: Final = r"""}
map "$coolid_entry $coolid_path" $coolid_name {
    default "";
    "~^#(?<coolid_any_case>[0-9a-f]{32}) " $coolid_any_case;
    "~^=(?<coolid_exact>[0-9a-f]{32}) (.*) \2$" $coolid_exact;
}
map $coolid_name $coolid_answer {
    default "";
"""
_HTTP_END: Final = """\
}}
map $args $coolid_asked {{
    default "";
{forms}    "~^(?:info|[?])$" .html;
}}
map $http_accept $coolid_accepted {{
    default "";
    "~*^application/(?:linkid[+])?json" .json;
    "~*^application/jose" .jws;
}}
map "$coolid_asked$coolid_accepted" $coolid_form {{ default ""; "~^(?<coolid_first>[.][a-z-]+)" $coolid_first; }}
map "$coolid_form/$coolid_name" $coolid_file {{
    default "";
    "~^(?<coolid_s>[.][a-z-]+)/(?<coolid_d>...)(?<coolid_r>.+)$" /{records}/$coolid_d/$coolid_d$coolid_r$coolid_s;
    "~^/(?<coolid_d>...)(?<coolid_r>[0-9a-f]+)$" /{records}/$coolid_d/$coolid_d$coolid_r.html;
}}
map $coolid_file $coolid_error_page {{ default $coolid_file; "" "/404.html"; }}
map $coolid_answer $coolid_link {{ default ""; "~^[0-9]+ (?<coolid_pid>[^ ]+)" '<$coolid_pid>; rel="canonical"'; }}
map $coolid_answer $coolid_gone {{ default ""; "~^410 " 1; }}
map $coolid_answer $coolid_choice {{ default ""; "~^300 " 1; }}
map $coolid_answer $coolid_unavailable {{ default ""; "~^404 " 1; }}
"""
_STATUS_MAP: Final = (
    'map "$coolid_form|$coolid_answer" $coolid_{0} {{ default ""; '
    '"~^[|]{0} [^ ]+ (?<coolid_target_{0}>.*)$" $coolid_target_{0}; }}\n'
)
_SERVER: Final = """\
# The server of a mirror by coolid: include this file in the block server, whose root is the folder of the mirror.
merge_slashes off;
charset utf-8;
charset_types text/plain application/json;
location / {{
    add_header Link $coolid_link always;
    add_header Access-Control-Allow-Origin * always;
    add_header X-Content-Type-Options nosniff always;
    error_page 300 404 410 $coolid_error_page;
{redirects}    if ($coolid_gone) {{ return 410; }}
    if ($coolid_choice) {{ return 300; }}
    if ($coolid_unavailable) {{ return 404; }}
    if ($coolid_name) {{ rewrite ^ $coolid_file last; }}
    return 404;
}}
location = / {{ try_files /index.html =404; }}
location = /index.html {{ }}
location = /404.html {{ }}
location ^~ /{records}/ {{
    add_header Link $coolid_link always;
    add_header Access-Control-Allow-Origin * always;
    add_header X-Content-Type-Options nosniff always;
    types {{ text/html html; application/linkid+json json; application/jose jws; text/plain tlog-proof; }}
    default_type text/plain;
}}
location ^~ /{home}/ {{ types {{ text/html html; application/json json; }} default_type text/plain; }}
location ^~ {base}/{log}/ {{ rewrite ^{base}(/.*)$ $1 break; types {{ }} default_type application/octet-stream; }}
location = {base}/{log}/checkpoint {{ rewrite ^{base}(/.*)$ $1 break; types {{ }} default_type text/plain; }}
location = {base}/.well-known/jwks.json {{
    rewrite ^{base}(/.*)$ $1 break;
    types {{ }}
    default_type application/jwk-set+json;
}}
"""


def write_http(
    inventory: Inventory, site: MirroredSite, forms: Iterable[PathForm], on_loss: LossListener
) -> Iterator[bytes]:
    """Yield the pieces of the file for the block `http`. The spellings of the inventory are without ignored hyphens."""
    service, base = site.service, site.base_path
    host = _expression(service.partition("://")[2].partition("/")[0])
    lines = "".join(line for form in forms for line in _form(form, base))
    yield _HTTP_BEGIN.format(service=service, server=SERVER, base=base, host=host, forms=lines).encode()
    for spelling in inventory.spellings():
        yield _entry(spelling, base, on_loss).encode()
    yield _HTTP_MIDDLE.encode()
    for record in inventory.records():
        yield _answer(record, on_loss).encode()
    lines = "".join(f'    "~(?:^|&)format={form}(?:&|$)" {suffix};\n' for suffix, form in _FORMS.items())
    yield _HTTP_END.format(forms=lines, records=RECORDS).encode()
    yield "".join(_STATUS_MAP.format(status) for status in REDIRECTS).encode()


def write_server(base: str) -> bytes:
    """Return the file for the block `server`."""
    redirects = "".join(f"    if ($coolid_{each}) {{ return {each} $coolid_{each}; }}\n" for each in REDIRECTS)
    return _SERVER.format(redirects=redirects, records=RECORDS, home=HOME, log=LOG, base=base).encode()


def _entry(spelling: Spelling, base: str, on_loss: LossListener) -> str:
    """Return the line of a spelling, or nothing if it cannot be a key."""
    path = f"{base}/{spelling.text}"
    if _CHANGED.search(path):
        on_loss(spelling.path, CHANGED_PATH)
        return ""
    name = name_of(spelling.path)
    value = f"#{name}" if spelling.folds_case or spelling.is_shared else f"={name} {path}"
    key = _key(path)
    if spelling.is_shared:
        key = f'"~{"*" * spelling.folds_case}^{_expression(path)}$"'
    if len(key.encode()) > MAX_TEXT_BYTES or len(quoted(value).encode()) > MAX_TEXT_BYTES:
        on_loss(spelling.path, TOO_LONG)
        return ""
    return f"    {key} {quoted(value)};\n"


def _answer(record: MirroredRecord, on_loss: LossListener) -> str:
    """Return the line of an identifier's answer. A target that is too long leads to the page."""
    text = f"{record.status} {record.pid}"
    value = quoted(f"{text} {record.target}" if record.is_redirect else text)
    if len(value.encode()) > MAX_TEXT_BYTES:
        on_loss(record.path, TOO_LONG)
        value = quoted("200 -")
    return f'    "{record.name}" {value};\n'


def _form(form: PathForm, base: str) -> Iterator[str]:
    """Yield the lines that write a prefix in lower case, and remove ignored hyphens behind it."""
    pieces = "".join(f"(?:-(?<coolid_h{number}>[^-]*)" for number in range(1, MAX_HYPHENS + 1))
    for beginning in form.beginnings:
        path = f"{base}/{beginning}"
        if form.ignores_hyphens:
            rest = f"(?<coolid_h0>[^-]*){pieces}{')?' * MAX_HYPHENS}"
            joined = "".join(f"${{coolid_h{number}}}" for number in range(MAX_HYPHENS + 1))
        else:
            rest, joined = "(?<coolid_rest>.*)", "$coolid_rest"
        yield f'    "~*^{_expression(path)}{rest}$" "{path}{joined}";\n'


def quoted(text: str) -> str:
    """Return a text as the value of a map, in which variables are replaced."""
    return _key(text).replace("$", "${coolid_dollar}")


def _key(text: str) -> str:
    """Return a text as the key of a map."""
    return '"' + _QUOTED.sub(lambda found: "\\" + found[0], text) + '"'


def _expression(text: str) -> str:
    """Return a regular expression that matches a text, without characters that a configuration file interprets."""
    return _SPECIAL.sub(lambda found: f"\\x{found[0][0]:02X}".encode(), text.encode()).decode()
