"""Pydantic models of the management API's request bodies, and their conversion to domain objects.

An error lists every violation, each with a JSON pointer.

>>> parse(MintBody, {"prefix": "demo", "uri": "https://example.org/", "color": "red"})
Traceback (most recent call last):
...
coolid.errors.InvalidInput: /color: Extra inputs are not permitted
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from coolid.errors import InvalidInput, Violation
from coolid.health.webhook_notices import url_objection
from coolid.identifiers.rules.catalog import DEFAULT
from coolid.identifiers.target_policy import objection, origin_of
from coolid.identifiers.typography import is_visible
from coolid.model.clients import Quota
from coolid.model.locations import default_target
from coolid.model.prefixes import PLACEHOLDER, URI, Provider
from coolid.model.records import ACTIVE, RFC_3339, Content, Location
from coolid.model.repositories import DEFAULT_TTL, TARGET, Landing, RedirectStatus, Repository
from coolid.registry.home_regions import PATTERN as REGION
from coolid.strict_json import check_depth

MAX_NAME_LENGTH: Final = 200
MAX_SUPPLIED_LENGTH: Final = 512
"""Characters of a supplied identifier, hyphens included; ARK names have up to 255 (draft-kunze-ark, section 3.1)."""
_HTTP_TOKEN: Final = "[!#-.0-9A-Z^-z]+"  # noqa: S105 - roughly RFC 9110, section 5.6.2

Text = Annotated[str, StringConstraints(max_length=2_000)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME_LENGTH)]
Chosen = Annotated[str, StringConstraints(min_length=1, max_length=MAX_SUPPLIED_LENGTH)]
Line = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""Text of one line."""
MediaType = Annotated[str, StringConstraints(max_length=200, pattern=f"^{_HTTP_TOKEN}/{_HTTP_TOKEN}( *;[ -~]*)?$")]
Host = Annotated[str, StringConstraints(max_length=253, pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)+$")]
Language = Annotated[str, StringConstraints(max_length=100, pattern=r"^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$")]
RegionName = Annotated[str, StringConstraints(max_length=30, pattern=REGION)]
Seconds = Annotated[int, Field(ge=0, le=31_536_000)]


def _refused_if(objection_to: Callable[[str], str | None]) -> AfterValidator:
    """Return a validator that refuses a text for the reason that `objection_to` returns."""

    def check(text: str) -> str:
        reason = objection_to(text)
        if reason:
            raise ValueError(reason)
        return text

    return AfterValidator(check)


def _moment_objection(text: str) -> str | None:
    if not re.fullmatch(RFC_3339, text):
        return "it is not a moment as RFC 3339 writes it, such as 2025-07-10T14:22:30Z"
    datetime.fromisoformat(text)  # raises ValueError with a reason
    return None


def _default_target_objection(text: str) -> str | None:
    if PLACEHOLDER not in text:
        return f"it has no {PLACEHOLDER}, where the identifier goes"
    one, another = default_target(text, "x"), default_target(text, "y")
    reason = objection(one)
    if reason or origin_of(one) == origin_of(another):
        return reason
    return f"{PLACEHOLDER} must stand behind the host"


def _archive_objection(text: str) -> str | None:
    if not text.startswith("https://") or not text.endswith("/"):
        return "it must begin with https:// and end with a slash, behind which the archived address goes"
    return objection(text)


def _check_names(members: dict[str, Any]) -> dict[str, Any]:
    if not all(0 < len(name) <= MAX_NAME_LENGTH for name in members):
        raise ValueError(f"its names have 1 to {MAX_NAME_LENGTH} characters")
    return members


Moment = Annotated[str, _refused_if(_moment_objection)]
Visible = _refused_if(lambda text: None if is_visible(text) else "there is nothing in it to be seen")
Url = Annotated[str, _refused_if(objection)]
Named = AfterValidator(_check_names)


class Body(BaseModel):
    """A strict model: no unknown members and no type conversion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=False)


Model = TypeVar("Model", bound=Body)


class Checksum(Body):
    """A digest of a location's content."""

    algorithm: Name
    value: Name


class LocationBody(Body):
    """A member of `records`."""

    uri: str
    status: Literal["active", "inactive"] = ACTIVE
    media_type: MediaType | None = Field(None, alias="mediaType")
    language: Language | None = None
    quality: Annotated[float, Field(ge=0, le=1)] | None = None
    valid_from: Moment | None = Field(None, alias="validFrom")
    valid_until: Moment | None = Field(None, alias="validUntil")
    version: Name | None = None
    checksum: Checksum | None = None
    size: Annotated[int, Field(ge=0)] | None = None
    last_modified: Moment | None = Field(None, alias="lastModified")

    def to_domain(self) -> Location:
        """Return the location, whose target is not validated yet."""
        return Location(**self.model_dump())


class Alternate(Body):
    """An identifier of the same thing in another scheme."""

    scheme: Name
    identifier: Text


class ContentBody(Body):
    """The content of a record in a mint, a `PUT` or after a merge patch; `uri` is short for one plain location."""

    uri: str | None = None
    records: Annotated[list[LocationBody], Field(max_length=100)] | None = None
    metadata: Annotated[dict[str, Any], Field(max_length=100), Named] = {}
    alternates: Annotated[list[Alternate], Field(max_length=100)] = []
    status: Literal["active", "reserved"] = ACTIVE
    ttl: Seconds | None = None

    @model_validator(mode="after")
    def _check_one_location_member(self) -> Self:
        if self.uri is not None and self.records is not None:
            raise ValueError("give either uri or records, not both")
        return self

    def content(self) -> Content:
        """Return the content, whose targets are not validated yet."""
        locations = tuple(location.to_domain() for location in self.records or ())
        return Content(
            records=locations if self.uri is None else (Location(self.uri),),
            metadata=self.metadata,
            alternates=tuple(alternate.model_dump() for alternate in self.alternates),
            status=self.status,
            ttl=self.ttl,
        )

    def pointer_to(self, location: int) -> str:
        """Return the JSON pointer to the target of a location."""
        return "/uri" if self.uri is not None else f"/records/{location}/uri"


class MintBody(ContentBody):
    """`POST /api/v1/records`."""

    prefix: Name
    id: Chosen | None = None
    parts: Annotated[dict[str, Any], Field(max_length=10), Named] = {}


class WithdrawalBody(Body):
    """`DELETE /api/v1/records/{pid}`; `successor` is a PID or a URL.

    The `state` is `revoked` if the identifier itself is withdrawn, not only because the thing is gone.
    """

    reason: Annotated[Line, StringConstraints(min_length=1), Visible]
    successor: Annotated[Line, StringConstraints(min_length=1, max_length=2_048)] | None = None
    state: Literal["revoked"] | None = None


class QuotaBody(Body):
    """How many identifiers a client may mint in a minute and in a day; null means no limit."""

    minute: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    day: Annotated[int, Field(ge=1, le=100_000_000)] | None = None

    def to_domain(self) -> Quota:
        return Quota(self.minute, self.day)


class ClientBody(Body):
    """`POST /api/v1/clients`."""

    scopes: Annotated[list[Name], Field(min_length=1, max_length=100)]
    note: Line = ""
    quota: QuotaBody | None = None


class SupportBody(Body):
    """A repository's commitment: who makes it, to what, since when, and where it is documented."""

    who: Line | None = None
    what: Line
    when: Line | None = None
    where: Url | None = None


class TermsBody(Body):
    """The mutable members of a repository; its target is not compared with its domains yet."""

    title: Annotated[Line, StringConstraints(min_length=1)]
    ttl: Seconds = DEFAULT_TTL
    redirect: RedirectStatus = 302
    domains: Annotated[list[Host], Field(max_length=100)] = []
    denied_domains: Annotated[list[Host], Field(max_length=100)] = []
    passthrough: bool = False
    target: Annotated[str, _refused_if(_default_target_objection)] | None = None
    choices: bool = False
    landing: Landing = TARGET
    listed: bool = False
    support: SupportBody | None = None
    archive: Annotated[str, _refused_if(_archive_objection)] | None = None
    home: RegionName | None = None


class RepositoryBody(TermsBody):
    """`POST /api/v1/repositories`."""

    scheme: str = DEFAULT
    rules: Annotated[dict[str, Any], Named] = {}


class NamespaceBody(Body):
    """`PUT /api/v1/prefixes/{prefix}` for an alias of a repository here."""

    kind: Literal["namespace"]
    repository: Name
    title: Line = ""


class ProviderBody(Body):
    """A member of `providers`. Its `health` is ignored, so that clients can send back a document they received."""

    code: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
    url: Annotated[str, StringConstraints(max_length=2_048, pattern=r"^https?://[!-~]+$")]
    title: Line = ""
    health: dict[str, Any] | None = None

    def to_domain(self) -> Provider:
        return Provider(self.code, self.url, self.title)


class ProviderPrefixBody(Body):
    """`PUT /api/v1/prefixes/{prefix}` for identifiers that others keep."""

    kind: Literal["provider"]
    providers: Annotated[list[ProviderBody], Field(max_length=50)] = []
    title: Line = ""
    description: Annotated[str, StringConstraints(max_length=20_000, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]*$")] = ""
    homepage: Url | None = None
    pattern: Annotated[str, StringConstraints(max_length=1_000)] | None = None
    example: Name | None = None
    strict: bool = False
    encoding: Literal["uri", "data"] = URI
    synonyms: Annotated[list[Name], Field(max_length=80)] = []
    ttl: Seconds = DEFAULT_TTL
    deprecated: bool = False


class WebhookBody(Body):
    """`PUT /api/v1/webhooks/{id}`."""

    url: Annotated[str, _refused_if(url_objection)]


class CheckBody(Body):
    """`POST /api/v1/checks`."""

    pid: Annotated[Line, StringConstraints(min_length=1, max_length=2_048)]


def parse(model: type[Model], document: Any) -> Model:
    """Return the document as a model. Raises `InvalidInput` with every violation."""
    if not isinstance(document, dict):
        raise InvalidInput.at("", "it must be a JSON object")
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise InvalidInput(violations_of(error)) from error


def validated_content(body: ContentBody, repository: Repository) -> Content:
    """Return the content. Raises `InvalidInput` with a pointer to each target that the repository does not allow."""
    content = body.content()
    try:
        check_depth({"versions": [{"record": {"metadata": content.metadata}}]})  # where it is nested deepest
    except ValueError as error:
        raise InvalidInput.at("/metadata", f"in the list of its versions {error}") from error
    require_targets(content, repository, body.pointer_to)
    return content


def require_valid_content(content: Content, repository: Repository) -> None:
    """Raise the `InvalidInput` of `parse` and `validated_content` for content that was not sent as a document."""
    document = {
        "records": [each.to_document() for each in content.records],
        "metadata": dict(content.metadata),
        "alternates": [dict(each) for each in content.alternates],
        "status": content.status,
        "ttl": content.ttl,
    }
    validated_content(parse(ContentBody, document), repository)


def require_targets(content: Content, repository: Repository, pointer_to: Callable[[int], str]) -> None:
    """Raise `InvalidInput` with a pointer to each target that is not allowed.

    `pointer_to` returns the JSON pointer to the target of a location.
    """
    allowed, denied = repository.domains, repository.denied_domains
    reasons = ((position, objection(each.uri, allowed, denied)) for position, each in enumerate(content.records))
    violations = [Violation(pointer_to(position), reason) for position, reason in reasons if reason]
    if violations:
        raise InvalidInput(
            violations, is_outside_domains=not any(objection(each.uri, (), denied) for each in content.records)
        )


def violations_of(error: ValidationError, base: str = "") -> list[Violation]:
    """Return the violations of a document at the pointer `base`."""
    return [
        Violation(base + pointer_to(detail["loc"]), detail["msg"].removeprefix("Value error, "))
        for detail in error.errors()
    ]


def pointer_to(location: tuple[int | str, ...]) -> str:
    """Return a JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in location)
