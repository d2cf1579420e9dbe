"""The addresses of OAI-PMH 2.0: `/oai` for all records, `/oai/REPOSITORY` for those of one repository.

Every response says that it was sent a minute earlier (`responseDate`). A record is stamped before it is written, and an
index shows it some time after. A harvester that continues from the `responseDate` of its last harvest therefore misses
nothing, and receives the changes of that minute twice (docs/explanation/decisions/0031-harvesting.md).
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit
from xml.etree.ElementTree import Element, tostring

from msgspec import Struct

from coolid.errors import UnknownPrefix
from coolid.http.caching import NO_STORE
from coolid.http.dialects.oai import arguments as oai
from coolid.http.dialects.oai.arguments import Arguments, ProtocolError
from coolid.http.dialects.oai.identifiers import host_of, item_identifier, item_key
from coolid.http.dialects.oai.metadata_formats import FORMATS, MetadataFormat
from coolid.http.dialects.oai.record_pages import PublicRecord, RecordLists, RecordPage
from coolid.http.dialects.oai.resumption_tokens import ListState, requested_state, token_of
from coolid.http.dialects.oai.self_description import identify
from coolid.http.dialects.oai.sets import PublicRepository, public_repositories, repository_named
from coolid.http.dialects.oai.xml_responses import header, response, whole_record
from coolid.http.formats.xml_elements import add_element
from coolid.http.message import Request, Response
from coolid.http.operator.identity import current
from coolid.http.pagination import page_length
from coolid.http.routes import Route
from coolid.model.records import WITHDRAWN, is_harvested
from coolid.ports import Clock
from coolid.registry.references import decode
from coolid.store.prefixes import PrefixStore
from coolid.store.records import ChangeIndex, RecordStore

PATH: Final = "/oai"
DELAY: Final = timedelta(seconds=60)
"""The time by which a `responseDate` is early: more than a request can take, and the delay of an index."""
_FORM: Final = "application/x-www-form-urlencoded"
_MAX_PAIRS: Final = 50


class Harvest(Struct, frozen=True):
    """One request: the address and its name, the repositories that it covers, and whether these are sets."""

    base_url: str
    name: str
    repositories: Sequence[PublicRepository]
    has_sets: bool


class OaiEndpoint(Struct, frozen=True):
    """Serves the public records of `records`, by key and from `changes`. `base_url` begins all addresses.

    `admin_email` is the e-mail address of an administrator, or empty.
    """

    prefixes: PrefixStore
    records: RecordStore
    changes: ChangeIndex
    clock: Clock
    base_url: str
    admin_email: str = ""

    def routes(self) -> tuple[Route, ...]:
        """Return the routes of both addresses."""
        return (
            Route(PATH, {"GET": self.whole, "POST": self.whole}),
            Route(f"{PATH}/", {"GET": self.repository, "POST": self.repository}, below=True),
        )

    def whole(self, request: Request, _path: str) -> Response:
        """Answer a request for all repositories, each of which is a set."""
        address, name = f"{self.base_url}{PATH}", current().name or urlsplit(self.base_url).netloc
        harvest = Harvest(address, name, public_repositories(self.prefixes), has_sets=True)
        return self._answer(harvest, request)

    def repository(self, request: Request, path: str) -> Response:
        """Answer a request for one repository, by its id or a namespace. Raises `UnknownPrefix`."""
        name = decode(path)
        owner = repository_named(name, public_repositories(self.prefixes))
        if owner is None:
            raise UnknownPrefix(name)
        address, name = f"{self.base_url}{PATH}/{owner.id}", owner.repository.title or owner.id
        return self._answer(Harvest(address, name, (owner,), has_sets=False), request)

    def _answer(self, harvest: Harvest, request: Request) -> Response:
        date = self.clock.now() - DELAY
        sent: Mapping[str, str] = {}
        try:
            arguments = oai.parse(_pairs(request))
            sent = arguments.sent
            content = self._content(harvest, arguments)
        except ProtocolError as error:
            if error.code == oai.BAD_ARGUMENT:  # the arguments are not repeated then
                sent = {}
            content = Element("error", {"code": error.code})
            content.text = str(error)
        if isinstance(content, Response):
            return content
        return response(date, harvest.base_url, sent, content, NO_STORE)

    def _content(self, harvest: Harvest, arguments: Arguments) -> Element | Response:
        match arguments.verb:
            case "Identify":
                return self._identify(harvest)
            case "ListMetadataFormats":
                return self._list_formats(harvest, arguments)
            case "ListSets":
                return _list_sets(harvest, arguments)
            case "GetRecord":
                return self._get_record(harvest, arguments)
            case _:
                return self._list_records(harvest, arguments)

    def _identify(self, harvest: Harvest) -> Element:
        # No record is older than its repository.
        earliest = min((each.repository.created for each in harvest.repositories), default=self.clock.now())
        host = host_of(self.base_url)
        sample = item_identifier(host, harvest.repositories[0].id if harvest.repositories else "r4k2-9m3x-62", "x5")
        return identify(harvest.name, harvest.base_url, earliest, self.admin_email, host, sample)

    def _list_formats(self, harvest: Harvest, arguments: Arguments) -> Element:
        if arguments.identifier is not None:
            self._record(harvest, arguments.identifier)
        root = Element(arguments.verb)
        for prefix, each in FORMATS.items():
            found = add_element(root, "metadataFormat")
            add_element(found, "metadataPrefix", prefix)
            add_element(found, "schema", each.schema)
            add_element(found, "metadataNamespace", each.namespace)
        return root

    def _get_record(self, harvest: Harvest, arguments: Arguments) -> Element:
        found = self._record(harvest, arguments.identifier or "")
        root = Element(arguments.verb)
        root.append(self._element(harvest, found, _format(arguments.sent["metadataPrefix"])))
        return root

    def _record(self, harvest: Harvest, identifier: str) -> PublicRecord:
        """Return the public record of an item. Raises `ProtocolError`."""
        key = item_key(host_of(self.base_url), identifier)
        owners = [each for each in harvest.repositories if key and each.id == key[0]]
        record = self.records.record(*key) if key and owners else None
        if record is None or not is_harvested(record):
            raise ProtocolError(oai.NO_SUCH_ITEM, "there is no such item")
        return owners[0], record

    def _list_records(self, harvest: Harvest, arguments: Arguments) -> Element | Response:
        state = requested_state(arguments)
        metadata_format = _format(state.metadata_prefix, is_token=arguments.token is not None)
        if state.set_spec and not harvest.has_sets:
            raise ProtocolError(oai.NO_SETS, "the records of one repository are not divided into sets")
        lists = RecordLists(harvest.repositories, self.records, self.changes)
        is_whole = arguments.verb == oai.LIST_RECORDS
        page, elements = self._elements(harvest, lists.page(state), metadata_format if is_whole else None)
        count = page_length(len(tostring(each)) for each in elements)
        if count < len(elements):
            page, elements = self._elements(harvest, lists.page(state, count), metadata_format if is_whole else None)
        if not elements and page.next_state:
            return _continue(harvest.base_url, arguments.verb, page.next_state)
        root = Element(arguments.verb)
        root.extend(elements)
        if page.next_state or state.is_begun():
            token = token_of(page.next_state) if page.next_state else ""
            add_element(root, "resumptionToken", token, {"cursor": str(state.count)})
        return root

    def _elements(
        self, harvest: Harvest, page: RecordPage, metadata_format: MetadataFormat | None
    ) -> tuple[RecordPage, list[Element]]:
        return page, [self._element(harvest, each, metadata_format) for each in page.records]

    def _element(self, harvest: Harvest, record: PublicRecord, metadata_format: MetadataFormat | None) -> Element:
        """Return a record, or without a format only its header."""
        head = header(record, host_of(self.base_url), has_sets=harvest.has_sets)
        if metadata_format is None:
            return head
        _, version = record
        return whole_record(head, None if version.status == WITHDRAWN else metadata_format.write(version))


def _pairs(request: Request) -> list[tuple[str, str]]:
    """Return the arguments of a request, those of a form included. Raises `ProtocolError`."""
    if request.method != "POST":
        return [*request.query]
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise ProtocolError(oai.BAD_ARGUMENT, f"the arguments of POST must be sent as {_FORM}")
    try:
        form = parse_qsl(request.body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_PAIRS)
    except ValueError as error:
        raise ProtocolError(oai.BAD_ARGUMENT, "the form is malformed") from error
    return [*request.query, *form]


def _format(prefix: str, *, is_token: bool = False) -> MetadataFormat:
    if prefix not in FORMATS:
        code = oai.BAD_TOKEN if is_token else oai.NO_SUCH_FORMAT
        raise ProtocolError(code, f"the formats are {', '.join(FORMATS)}")
    return FORMATS[prefix]


def _list_sets(harvest: Harvest, arguments: Arguments) -> Element:
    if not harvest.has_sets:
        raise ProtocolError(oai.NO_SETS, "the records of one repository are not divided into sets")
    if arguments.token is not None:
        raise ProtocolError(oai.BAD_TOKEN, "the list of sets has no resumption tokens")
    root = Element(arguments.verb)
    for owner in harvest.repositories:
        for spec, name in owner.sets():
            found = add_element(root, "set")
            add_element(found, "setSpec", spec)
            add_element(found, "setName", name)
    return root


def _continue(base_url: str, verb: str, state: ListState) -> Response:
    """Redirect to the rest of a list after many records that are not returned, because no page may be empty."""
    query = urlencode({"verb": verb, oai.TOKEN: token_of(state)})
    return Response(302, {"Location": f"{base_url}?{query}", "Cache-Control": NO_STORE})
