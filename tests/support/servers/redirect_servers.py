"""nginx and Apache HTTP Server with exported redirects, each on a Unix socket or a port of its own."""

import getpass
import http.client
import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.fixtures.tools import tool
from tests.support.servers.responses import Reply

Ask = Callable[[str], tuple[int, str | None]]
"""Requests a path exactly as it is, and returns the status and `Location`, whose bytes are read as UTF-8."""

RawAsk = Callable[..., Reply]
"""Requests a path exactly as it is, with an `accept`, and returns the whole response."""

_NGINX: Final = """\
{user}error_log {folder}/error.log;
pid {folder}/nginx.pid;
daemon off;
events {{}}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include {folder}/identifiers.conf;
    server {{
        listen unix:{folder}/socket;
        location / {{ return 404; }}
{usage}
    }}
}}
"""
_MIRROR: Final = """\
{user}error_log {folder}/error.log;
pid {folder}/nginx.pid;
daemon off;
events {{}}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include {site}/_mirror/nginx/http.conf;
    server {{
        listen unix:{folder}/socket;
        root {site};
        include {site}/_mirror/nginx/server.conf;
    }}
}}
"""
_ATTEMPTS: Final = 5
_MIRROR_MODULES: Final = ("mime", "dir")
_APACHE: Final = """\
ServerRoot {folder}
DefaultRuntimeDir {folder}
Mutex file:{folder}
PidFile {folder}/pid
ErrorLog {folder}/error.log
Listen 127.0.0.1:{port}
ServerName id.example.org
{user}
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule rewrite_module /usr/lib/apache2/modules/mod_rewrite.so
DocumentRoot {root}
<Directory {root}>
    AllowOverride {override}
    Options FollowSymLinks
    Require all granted
</Directory>
"""


@contextmanager
def nginx_with(folder: Path, configuration: bytes) -> Iterator[Ask]:
    """nginx with an exported map, and the lines that the map's comment says."""
    program = tool("nginx", "test exported redirects")
    (folder / "identifiers.conf").write_bytes(configuration)
    usage = "\n".join(re.findall(r"^#( +if .*)$", configuration.decode(), re.MULTILINE))
    user = f"user {getpass.getuser()};\n" if not os.getuid() else ""
    (folder / "nginx.conf").write_text(_NGINX.format(folder=folder, usage=usage, user=user), encoding="utf-8")
    with _running([program, "-p", str(folder), "-c", str(folder / "nginx.conf")], folder, folder / "socket"):
        yield lambda path: _ask(folder / "socket", path)


@contextmanager
def nginx_of_mirror(folder: Path, site: Path) -> Iterator[RawAsk]:
    """nginx that serves a mirror as its configuration files say."""
    program = tool("nginx", "test mirrors")
    user = f"user {getpass.getuser()};\n" if not os.getuid() else ""
    (folder / "nginx.conf").write_text(_MIRROR.format(folder=folder, site=site, user=user), encoding="utf-8")
    with _running([program, "-p", str(folder), "-c", str(folder / "nginx.conf")], folder, folder / "socket"):
        yield lambda path, accept="*/*": _ask_whole(folder / "socket", path, accept)


@contextmanager
def apache_of_mirror(site: Path) -> Iterator[RawAsk]:
    """Apache that serves a mirror as its configuration files say. Other users can read the mirror."""
    lines = f"TypesConfig /dev/null\nDefine COOLID_MIRROR {site}\nInclude {site}/_mirror/apache/mirror.conf\n"
    with TemporaryDirectory() as name, _apache(Path(name), site, "None", _MIRROR_MODULES, lines) as port:
        yield lambda path, accept="*/*": _ask_whole(port, path, accept)


@contextmanager
def apache_with(_folder: Path, htaccess: bytes) -> Iterator[Ask]:
    """Apache with an exported `.htaccess`, in a folder of its own, which other users can read."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        document_root = folder / "www"
        document_root.mkdir()
        (document_root / ".htaccess").write_bytes(htaccess)
        folder.chmod(0o755)
        with _apache(folder, document_root, "FileInfo") as port:
            yield lambda path: _ask(port, path)


@contextmanager
def _apache(folder: Path, root: Path, override: str, modules: Sequence[str] = (), lines: str = "") -> Iterator[int]:
    """Apache on a port, which is yielded. `lines` are further lines of its configuration."""
    program = tool("apache2", "test redirects of Apache")
    loaded = "".join(f"LoadModule {each}_module /usr/lib/apache2/modules/mod_{each}.so\n" for each in modules)
    user = "" if os.getuid() else "User nobody\nGroup nogroup\n"  # it refuses to serve as the superuser
    main = folder / "apache2.conf"
    with ExitStack() as running:
        for attempt in range(_ATTEMPTS):
            with closing(socket.create_server(("127.0.0.1", 0))) as reserved:
                port = reserved.getsockname()[1]
            text = _APACHE.format(folder=folder, root=root, override=override, port=port, user=user)
            main.write_text(text + loaded + lines, encoding="utf-8")
            try:
                running.enter_context(_running([program, "-f", str(main), "-D", "FOREGROUND"], folder, port))
                break
            except AssertionError:  # another program took the port meanwhile
                if attempt == _ATTEMPTS - 1:
                    raise
        yield port


def _connected(address: Path | int) -> socket.socket:
    if isinstance(address, int):
        return socket.create_connection(("127.0.0.1", address), 60)
    plain = socket.socket(socket.AF_UNIX)
    plain.settimeout(60)
    try:
        plain.connect(str(address))
    except OSError:
        plain.close()
        raise
    return plain


def _ask_whole(address: Path | int, path: str, accept: str) -> Reply:
    with closing(http.client.HTTPConnection("id.example.org")) as connection:
        connection.sock = _connected(address)
        connection.request("GET", path, headers={"Accept": accept})
        response = connection.getresponse()
        headers = {name.lower(): value.encode("latin-1").decode() for name, value in response.getheaders()}
        return Reply(response.status, headers, response.read())


def _ask(address: Path | int, path: str) -> tuple[int, str | None]:
    with closing(http.client.HTTPConnection("id.example.org")) as connection:
        connection.sock = _connected(address)
        connection.request("GET", path)
        response = connection.getresponse()
        location = response.getheader("Location")
        return response.status, location and location.encode("latin-1").decode()


@contextmanager
def _running(command: list[str], folder: Path, address: Path | int) -> Iterator[None]:
    """Run a server until the end of the block, by its process id."""
    with (folder / "output").open("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            while not _accepts(address):
                log = folder / "error.log"
                assert process.poll() is None, (folder / "output").read_text() + (
                    log.read_text() if log.exists() else ""
                )
                time.sleep(0.02)
            yield
        finally:
            process.terminate()
            process.wait(60)


def _accepts(address: Path | int) -> bool:
    try:
        _connected(address).close()
    except OSError:
        return False
    return True
