"""nginx and Caddy before a service, with the configurations of `infra/standalone`, on Unix sockets instead of ports."""

import getpass
import http.client
import os
import re
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.builders.samples import ROOT
from tests.support.fixtures.tools import tool
from tests.support.servers.certificates import SERVER, Authority
from tests.support.servers.responses import Reply

FOLDER = ROOT / "infra" / "standalone"
HOST = "id.example.org"
BACKEND = "127.0.0.1:8080"

_MAIN = """\
user {user};
error_log {folder}/error.log;
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
{site}
}}
"""


@dataclass(frozen=True)
class Proxy:
    """A running proxy: its Unix socket, and what TLS trusts, if it speaks TLS."""

    path: Path
    tls: ssl.SSLContext | None = None

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        """Send a request with the path exactly as it is given."""
        with closing(http.client.HTTPConnection(HOST)) as connection:
            connection.sock = self._connect()
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, found, response.read())

    def _connect(self) -> socket.socket:
        plain = socket.socket(socket.AF_UNIX)
        plain.settimeout(60)
        plain.connect(str(self.path))
        return self.tls.wrap_socket(plain, server_hostname=HOST) if self.tls else plain


@contextmanager
def nginx(folder: Path, backend: str) -> Iterator[Proxy]:
    """nginx before the service at `backend` (host and port), over TLS, with its files in `folder`."""
    program = tool("nginx", "test infra/standalone/nginx.conf")
    authority = Authority(folder)
    authority.vouches(HOST)
    site = (FOLDER / "nginx.conf").read_text(encoding="utf-8")
    site = re.sub(r"/etc/letsencrypt/\S+(?=;)", str(folder / SERVER), site).replace(BACKEND, backend)
    site = re.sub(
        r"listen (?:\[::\]:)?(\d+)", lambda match: f"listen unix:{folder}/{match.start()}-{match[1]}.sock", site
    )
    main = folder / "nginx.conf"
    main.write_text(_MAIN.format(user=getpass.getuser(), folder=folder, site=site), encoding="utf-8")
    secured = re.findall(r"unix:(\S+-443\.sock)", site)[0]
    with _running([program, "-p", str(folder), "-c", str(main)], Path(secured)):
        yield Proxy(Path(secured), ssl.create_default_context(cafile=authority.file))


@contextmanager
def caddy(folder: Path, backend: str) -> Iterator[Proxy]:
    """Caddy before the service at `backend` (host and port), without TLS, for which it would fetch a certificate."""
    program = tool("caddy", "test infra/standalone/Caddyfile")
    listening = folder / "caddy.sock"
    site = (FOLDER / "Caddyfile").read_text(encoding="utf-8").replace(BACKEND, backend)
    site = site.replace(f"\n{HOST} {{\n", f"\nhttp://{HOST} {{\n\tbind unix/{listening}\n")
    main = folder / "Caddyfile"
    main.write_text(f"{{\n\tadmin off\n}}\n{site}", encoding="utf-8")
    with _running([program, "run", "--adapter", "caddyfile", "--config", str(main)], listening):
        yield Proxy(listening)


@contextmanager
def _running(command: list[str], listening: Path) -> Iterator[None]:
    """Run a proxy until the end of the block, by its process id."""
    folder = str(listening.parent)
    environment = os.environ | {"XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}
    with (listening.parent / "output").open("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        try:
            while not _accepts(listening):
                assert process.poll() is None, (listening.parent / "output").read_text(encoding="utf-8")
                time.sleep(0.02)
            yield
        finally:
            process.terminate()
            process.wait(60)


def _accepts(listening: Path) -> bool:
    """Return whether a program accepts connections to a Unix socket."""
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(listening)) == 0
