"""The settings of a function, from environment variables. An error names all missing variables.

>>> Settings.read({"PREFIX_TABLE": "p"}, writes=False)
Traceback (most recent call last):
...
coolid.aws.settings.InvalidSettings: missing settings: LUI_TABLE, PUBLIC_BASE_URL
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase, digits
from typing import Final

from msgspec import Struct

from coolid.errors import UsageError
from coolid.identifiers.percent_encoding import UNRESERVED

STORE: Final = "STORE"
DYNAMODB: Final = "dynamodb"
SQLITE_SCHEME: Final = "sqlite:///"
READING_TABLES: Final = ("PREFIX_TABLE", "LUI_TABLE")
WRITING_TABLES: Final = ("CLIENT_TABLE", "COUNTER_TABLE", "REQUEST_TABLE")
SIGNING_KEYS: Final = ("SIGNING_KEY_ID", "SIGNING_KEY_FILE")
REGIONS: Final = {"region": "AWS_REGION", "home_region": "HOME_REGION"}
PULSE_TABLE: Final = "PULSE_TABLE"
JOB_TABLE: Final = "JOB_TABLE"
JOB_BUCKET: Final = "JOB_BUCKET"
JOB_QUEUE_URL: Final = "JOB_QUEUE_URL"
JOB_RATE: Final = "JOB_RATE"
INDEX_TABLE: Final = "INDEX_TABLE"
LOG_TABLE: Final = "LOG_TABLE"
LOG_BUCKET: Final = "LOG_BUCKET"
LOG_KEY_ID: Final = "LOG_KEY_ID"
LOG_KEY_FILE: Final = "LOG_KEY_FILE"
LOG_SETTINGS: Final = (LOG_TABLE, LOG_BUCKET, LOG_KEY_ID, LOG_KEY_FILE)
READ_ONLY: Final = "READ_ONLY"
ADMIN_EMAIL: Final = "ADMIN_EMAIL"
CHECK_QUEUE: Final = "CHECK_QUEUE"
STORE_QUEUE: Final = "store"
"""The value of `CHECK_QUEUE` for a service on one machine, whose store has the requested checks."""
CORE_LAYER: Final = "CORE_LAYER"
LOG_REQUESTS: Final = "LOG_REQUESTS"
STORE_CLIENT: Final = "STORE_CLIENT"
OPERATOR_SETTINGS: Final = "OPERATOR_SETTINGS"
PEERS: Final = "PEERS"
"""The JSON text with the resolvers that are queried for LinkIDs of others, in order of trust."""
DOI_METADATA: Final = "DOI_METADATA"
DOI_RESOLVER: Final = "https://doi.org"
OWN: Final = "own"
_STORE_CLIENTS: Final = (OWN, "boto3")
_PORTS: Final = range(1, 65536)
EMAIL: Final = r"[!-?A-~]+@([A-Za-z0-9-]+\.)+[A-Za-z0-9-]+"
_HOST: Final = f".-{ascii_lowercase}{digits}"


class InvalidSettings(UsageError):
    """Settings are missing or malformed. The message names them."""


class Settings(Struct, frozen=True):
    """`public_base_url` has no trailing slash. The members after it are empty for a function that only reads.

    The KMS key `signing_key_id`, or else the key in the file `signing_key_file`, signs proofs. The function runs in
    `region`; `home_region` is the region that registers names (`coolid.registry.home_regions`).

    Bulk jobs are in `job_table` and their files in `job_bucket`; without both there are none. `job_queue_url` is the
    queue that starts the manage function for them, empty if a process of its own carries them out. A worker carries out
    at most `job_rate` rows in a second; 0 is the usual rate.

    A `read_only` process refuses all changes of the store. `deployment` is the number of the deployed layer, which
    every deployment of other code increases by one; 0 outside of AWS (`coolid.aws.dynamodb.changes`). `admin_email` is
    the administrator's address in OAI-PMH. `check_queue` is the URL of the queue of requested checks, or `STORE_QUEUE`;
    empty if the service checks no targets.

    The transparency log has its rows in `log_table` and its files in `log_bucket`, and the KMS key `log_key_id` signs
    its checkpoints. With a database, it is in it and beside it, and the key in the file `log_key_file` signs.

    `database` is the path of the SQLite database, which is in no region and has all tables. It is empty for DynamoDB,
    and otherwise the names of tables are.
    """

    prefix_table: str
    lui_table: str
    public_base_url: str
    client_table: str = ""
    counter_table: str = ""
    request_table: str = ""
    pulse_table: str = ""
    job_table: str = ""
    job_bucket: str = ""
    job_queue_url: str = ""
    index_table: str = ""
    signing_key_id: str = ""
    signing_key_file: str = ""
    region: str = ""
    home_region: str = ""
    database: str = ""
    read_only: bool = False
    deployment: int = 0
    admin_email: str = ""
    check_queue: str = ""
    job_rate: int = 0
    log_table: str = ""
    log_bucket: str = ""
    log_key_id: str = ""
    log_key_file: str = ""

    def missing_for_jobs(self) -> tuple[str, ...]:
        """Return the variables that must be set for bulk jobs, and are not.

        >>> Settings("p", "l", "https://id.example.org", job_table="j").missing_for_jobs()
        ('JOB_BUCKET',)
        """
        needed = {JOB_TABLE: self.job_table, JOB_BUCKET: self.job_bucket}
        return () if self.database else tuple(name for name, value in needed.items() if not value)

    def has_log(self) -> bool:
        """Return whether the settings describe a transparency log."""
        if self.database:
            return bool(self.log_key_file)
        return bool(self.log_table and self.log_bucket and self.log_key_id)

    @classmethod
    def read(cls, environment: Mapping[str, str], *, writes: bool, also: Sequence[str] = ()) -> "Settings":
        """Return the settings of a function that `writes` or only reads. `also` lists more required variables."""
        database = database_path(environment)
        tables = () if database else (*READING_TABLES, *(WRITING_TABLES if writes else ()), *also)
        values = require_settings(environment, (*tables, "PUBLIC_BASE_URL"), SIGNING_KEYS if writes else ())
        require_base_url("PUBLIC_BASE_URL", values["PUBLIC_BASE_URL"])
        if database:
            values |= dict.fromkeys(READING_TABLES, "") | {"DATABASE": database}
        has_regions = writes and not database
        regions = {member: environment.get(name, "") for member, name in REGIONS.items()} if has_regions else {}
        if regions.get("home_region"):
            from coolid.registry.home_regions import PATTERN

            if not re.fullmatch(PATTERN, regions["home_region"]):
                raise InvalidSettings("HOME_REGION must be a region such as eu-west-1, or empty")
        if writes and not database:
            values |= {name: environment.get(name, "") for name in (JOB_TABLE, JOB_BUCKET, JOB_QUEUE_URL)}
        values |= {name: environment.get(name, "") for name in LOG_SETTINGS}
        members = {name.lower(): value for name, value in values.items()}
        return cls(
            **members,
            **regions,
            read_only=writes and read_only(environment),
            deployment=_layer_number(environment.get(CORE_LAYER, "")),
            admin_email=_admin_email(environment),
            check_queue=environment.get(CHECK_QUEUE, ""),
            job_rate=_job_rate(environment.get(JOB_RATE, "")),
        )


class TelemetrySettings(Struct, frozen=True):
    """Whether a function writes `logs` and `counts`; `service` names it in logs (`resolve`), `function` in metrics."""

    service: str
    function: str
    logs: bool = True
    counts: bool = True

    @classmethod
    def read(cls, environment: Mapping[str, str], service: str) -> "TelemetrySettings":
        """Return the settings of the function of this name. Raises `InvalidSettings`."""
        off = environment.get("POWERTOOLS_METRICS_DISABLED", "").lower() in ("true", "1")  # Powertools' own switch
        function = environment.get("AWS_LAMBDA_FUNCTION_NAME") or service
        return cls(service, function, logs=_is_on(environment, LOG_REQUESTS, "on"), counts=not off)


def require_base_url(name: str, url: str) -> str:
    """Return the URL. Raise `InvalidSettings` with this name of the setting unless it is a valid public base URL."""
    scheme, _, rest = url.partition("://")
    authority, *segments = rest.split("/")
    host, colon, port = authority.partition(":")
    is_valid = scheme in ("http", "https") and host and not host.strip(_HOST)
    if colon:
        is_valid = is_valid and 0 < len(port) <= 5 and not port.strip(digits) and int(port) in _PORTS
    if not is_valid or not all(segment and not segment.strip(UNRESERVED) for segment in segments):
        raise InvalidSettings(f"{name} must be like https://id.example.org, without a slash at its end")
    return url


def require_settings(
    environment: Mapping[str, str], names: Iterable[str], either: Sequence[str] = ()
) -> dict[str, str]:
    """Return the variables `names`, and those of `either` that are set, which must be at least one.

    Raises `InvalidSettings`.
    """
    names = tuple(names)
    values = {name: environment[name] for name in (*names, *either) if environment.get(name)}
    missing = [name for name in names if name not in values]
    if either and not any(name in values for name in either):
        missing.append(" or ".join(either))
    if missing:
        raise InvalidSettings(f"missing settings: {', '.join(missing)}")
    return values


def database_path(environment: Mapping[str, str]) -> str:
    """Return the path of the SQLite database that `STORE` names, or "" for DynamoDB. Raises `InvalidSettings`.

    >>> database_path({"STORE": "sqlite:///data/coolid.db"}), database_path({"STORE": "sqlite:////srv/coolid.db"})
    ('data/coolid.db', '/srv/coolid.db')
    >>> database_path({"STORE": "dynamodb"}), database_path({})
    ('', '')
    """
    store = environment.get(STORE) or DYNAMODB
    path = store.removeprefix(SQLITE_SCHEME)
    if store != DYNAMODB and (path in ("", store) or "\0" in path):
        raise InvalidSettings(f"{STORE} must be {DYNAMODB} or {SQLITE_SCHEME}PATH")
    return "" if store == DYNAMODB else path


def read_only(environment: Mapping[str, str]) -> bool:
    """Return whether `READ_ONLY` is `on`; it is `off` by default. Raises `InvalidSettings`.

    >>> read_only({}), read_only({"READ_ONLY": "on"})
    (False, True)
    """
    return _is_on(environment, READ_ONLY, "off")


def doi_resolver(environment: Mapping[str, str]) -> str:
    """Return the URL of the DOI resolver that supplies the metadata of foreign DOIs, without a slash at its end.

    It is empty if `DOI_METADATA` is `off`, and doi.org if it is `on` or not set. Raises `InvalidSettings`.

    >>> doi_resolver({}), doi_resolver({"DOI_METADATA": "off"}), doi_resolver({"DOI_METADATA": "http://127.0.0.1:80"})
    ('https://doi.org', '', 'http://127.0.0.1:80')
    """
    resolver = environment.get(DOI_METADATA) or "on"
    if resolver in ("on", "off"):
        return DOI_RESOLVER if resolver == "on" else ""
    return require_base_url(DOI_METADATA, resolver)


def _is_on(environment: Mapping[str, str], name: str, default: str) -> bool:
    value = environment.get(name) or default
    if value not in ("on", "off"):
        raise InvalidSettings(f"{name} must be on or off")
    return value == "on"


def _job_rate(text: str) -> int:
    if text and not re.fullmatch("[1-9][0-9]{0,4}", text):
        raise InvalidSettings(f"{JOB_RATE} must be a number of rows per second, from 1 to 99999")
    return int(text) if text else 0


def _admin_email(environment: Mapping[str, str]) -> str:
    """Return the e-mail address of an administrator for harvesters, or "". Raises `InvalidSettings`.

    >>> _admin_email({"ADMIN_EMAIL": "pids@example.org"})
    'pids@example.org'
    """
    email = environment.get(ADMIN_EMAIL, "")
    if email and not re.fullmatch(EMAIL, email):
        raise InvalidSettings(f"{ADMIN_EMAIL} must be an e-mail address such as pids@example.org, or empty")
    return email


def _layer_number(arn: str) -> int:
    """Return the version number at the end of a layer's ARN, 0 if there is none.

    >>> _layer_number("arn:aws:lambda:eu-west-1:123456789012:layer:CoreLayer:17"), _layer_number("")
    (17, 0)
    """
    number = arn.rpartition(":")[2]
    return int(number) if number.isdecimal() else 0


def store_client(environment: Mapping[str, str]) -> str:
    """Return the DynamoDB client of the public functions: `own` or `boto3`. Raises `InvalidSettings`."""
    client = environment.get(STORE_CLIENT) or OWN
    if client not in _STORE_CLIENTS:
        raise InvalidSettings(f"{STORE_CLIENT} must be {' or '.join(_STORE_CLIENTS)}")
    return client
