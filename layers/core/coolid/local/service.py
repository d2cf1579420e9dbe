"""The ASGI application of one process: all applications over the configured store, and metrics."""

from collections.abc import Mapping
from urllib.parse import unquote

from msgspec import Struct

from coolid.aws.settings import database_path
from coolid.http.message import Request
from coolid.http.public.documentation_site import HOME, DocumentationSite
from coolid.http.routes import READS
from coolid.identifiers.schemes import linkid
from coolid.local.listeners import service_listeners
from coolid.local.metrics import Metrics
from coolid.local.server import AsgiApplication, Server, never, with_metrics
from coolid.local.service_files import SITE
from coolid.ports import Count
from coolid.wiring.dispatcher import Dispatcher, application_for, build_dispatcher
from coolid.wiring.resolve import OTHER_PATH_PREFIXES, OTHER_PATHS


class Service(Struct, frozen=True):
    """Settings of the service. `metrics_port` is the port of `/metrics`, or 0. See `Server` for `trusts_proxy`."""

    base_url: str
    metrics_port: int = 0
    trusts_proxy: bool = False

    def asgi_application(self, environment: Mapping[str, str], metrics: Metrics) -> AsgiApplication:
        """Return the ASGI application over the store that the environment names. Raises `InvalidSettings`."""
        answer = build_service_dispatcher(environment, self.base_url, metrics.count)
        is_short = is_reference if database_path(environment) else never  # reads of DynamoDB wait for the network
        server = Server(answer, is_short, metrics.observe, trusts_proxy=self.trusts_proxy)
        return with_metrics(server, metrics, self.metrics_port) if self.metrics_port else server


def build_service_dispatcher(environment: Mapping[str, str], base_url: str, count: Count) -> Dispatcher:
    """Return all applications and the documentation site. Raises `InvalidSettings`."""
    listeners = service_listeners(environment, base_url, count)
    return build_dispatcher(environment, listeners, DocumentationSite(base_url, SITE).routes())


def is_reference(request: Request) -> bool:
    """Return whether a request reads what one identifier refers to, which takes a few reads of the database.

    LinkIDs may be looked up at other services, and forms of DOIs may be fetched from others, which takes longer.

    >>> is_reference(Request("GET", "/go:0006915")), is_reference(Request("GET", "/api/v1/prefixes"))
    (True, False)
    >>> is_reference(Request("GET", "/resolve/LinkID%3A00c538ea-846b-47a6-a3d4-70a9ebd29d7c"))
    False
    """
    path = request.path
    return (
        request.method in READS
        and linkid.NAME not in (unquote(path) if "%" in path else path).lower()
        and not (request.query and "10." in path)
        and not path.startswith((*OTHER_PATH_PREFIXES, HOME))
        and path not in OTHER_PATHS
        and application_for(request.method, path) == "resolve"
    )
