"""Authentication of EZID's clients: by a key on each request, or once by `/login` and then by a session cookie.

Specification: EZID API, version 2, "Authentication"; RFC 6265 and its successor for cookies; Fetch Metadata Request
Headers for `Sec-Fetch-Site`. Sessions are stored, so that `/logout` and the revocation of a key end them. Cookies count
only at the addresses of EZID's API, and are sent to no others. A browser also sends cookies and passwords with requests
that pages of other sites make, so that such requests are refused.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from coolid.errors import Forbidden
from coolid.http.authentication import client_of
from coolid.http.dialects.ezid.requests import require_known_options
from coolid.http.dialects.ezid.responses import refuse, success
from coolid.http.message import Request, Response
from coolid.http.routes import Route
from coolid.model.clients import Client
from coolid.model.sessions import Session
from coolid.ports import Clock, Entropy
from coolid.store.clients import ClientStore
from coolid.store.sessions import SessionStore

LOGIN: Final = "/login"
LOGOUT: Final = "/logout"
COOKIE: Final = "sessionid"
LIFETIME: Final = timedelta(days=1)
PATHS: Final = ("/id", "/shoulder", "/download_request", LOGOUT)
"""The paths to which browsers and other clients send the cookie."""
_SECRET_BYTES: Final = 32
_SECRET: Final = re.compile(f"[0-9a-f]{{{2 * _SECRET_BYTES}}}")
_SAME_SITE: Final = ("same-origin", "none")


class SessionEndpoint(Struct, frozen=True):
    """Authenticates requests, and opens and ends `sessions` of the `clients`. `base_url` is the only own origin."""

    clients: ClientStore
    sessions: SessionStore
    clock: Clock
    entropy: Entropy
    base_url: str

    def routes(self) -> tuple[Route, ...]:
        """Return the routes of both addresses."""
        return (
            Route(LOGIN, {"GET": self.login}, refuse=refuse),
            Route(LOGOUT, {"GET": self.logout}, refuse=refuse),
        )

    def client(self, request: Request) -> Client | None:
        """Return the client of a request, or None for an anonymous one.

        A request whose session has ended is anonymous, as in EZID. Raises `Unauthenticated` for a wrong key, and
        `Forbidden` for credentials in a request from another site.
        """
        if "authorization" in request.headers:
            self._require_same_site(request)
            return client_of(request, self.clients, as_password=True)
        secret = _secret_in(request)
        if secret is None:
            return None
        self._require_same_site(request)
        session = self.sessions.session(_digest_of(secret))
        if session is None or session.expires <= self.clock.now():
            return None
        client = self.clients.client(session.client)
        return None if client is None or client.revoked else client

    def login(self, request: Request, _path: str) -> Response:
        """Open a session for the key in the request, and return its cookie."""
        require_known_options(request)
        client = client_of(request, self.clients, as_password=True)
        self._require_same_site(request)
        secret, expires = self.entropy.token(_SECRET_BYTES).hex(), self.clock.now() + LIFETIME
        self.sessions.create_session(Session(_digest_of(secret), client.id, expires))
        moment = format_datetime(expires, usegmt=True)
        return self._with_cookies(
            success("session cookie returned"), secret, f"expires={moment}; Max-Age={int(LIFETIME.total_seconds())}"
        )

    def logout(self, request: Request, _path: str) -> Response:
        """End the session of the cookie, if there is one."""
        require_known_options(request)
        secret = _secret_in(request)
        if secret is not None:
            self._require_same_site(request)
            self.sessions.delete_session(_digest_of(secret))
        return self._with_cookies(
            success("authentication credentials flushed"), "", "expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0"
        )

    def _with_cookies(self, response: Response, value: str, lifetime: str) -> Response:
        """Return the response with the cookie for each of the paths."""
        base = urlsplit(self.base_url)
        attributes = "HttpOnly; SameSite=Strict" + ("; Secure" if base.scheme == "https" else "")
        cookies = tuple(f"{COOKIE}={value}; {lifetime}; Path={base.path}{path}; {attributes}" for path in PATHS)
        return Response(response.status, response.headers, response.body, cookies=cookies)

    def _require_same_site(self, request: Request) -> None:
        """Raise `Forbidden` for a request that a page of another site made."""
        base = urlsplit(self.base_url)
        origin = request.headers.get("origin")
        site = request.headers.get("sec-fetch-site", "none")
        if site not in _SAME_SITE or origin not in (None, f"{base.scheme}://{base.netloc}"):
            raise Forbidden("a request from another site")


Authenticate = Callable[[Request], Client | None]
"""See `SessionEndpoint.client`."""


def _secret_in(request: Request) -> str | None:
    """Return the value of the first cookie that has the form of a secret, or None."""
    pairs = (each.strip().partition("=") for each in request.headers.get("cookie", "").replace(",", ";").split(";"))
    return next((value for name, _, value in pairs if name == COOKIE and _SECRET.fullmatch(value)), None)


def _digest_of(secret: str) -> str:
    """Return the digest by which a session is stored, so that the store contains no secrets to steal."""
    return sha256(secret.encode()).hexdigest()
