"""Settings: what a function is told by its environment, read once, refused whole with every name that is missing.

>>> Settings.read({"PREFIX_TABLE": "p"}, writes=False)
Traceback (most recent call last):
...
coolid.aws.settings.InvalidSettings: missing settings: LUI_TABLE, PUBLIC_BASE_URL
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

WRITING_TABLES: Final = ("CLIENT_TABLE", "COUNTER_TABLE", "REQUEST_TABLE")
SIGNING_KEYS: Final = ("SIGNING_KEY_ID", "SIGNING_KEY_FILE")
REGIONS: Final = {"region": "AWS_REGION", "home_region": "HOME_REGION"}
PULSE_TABLE: Final = "PULSE_TABLE"
STORE_CLIENT: Final = "STORE_CLIENT"
OWN: Final = "own"
_STORE_CLIENTS: Final = (OWN, "boto3")
_BASE_URL: Final = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?(/[A-Za-z0-9._~-]+)*")


class InvalidSettings(Exception):
    """Settings are missing or malformed; the message names all of them."""


class Settings(Struct, frozen=True):
    """`public_base_url` has no slash at its end; what follows it is empty for a function that only reads.

    Proofs are signed by the KMS key `signing_key_id`, or else by the key in the file `signing_key_file`. `region` is
    where the function runs, as Lambda says it; `home_region` where names are kept (`coolid.registry.home_regions`).
    """

    prefix_table: str
    lui_table: str
    public_base_url: str
    client_table: str = ""
    counter_table: str = ""
    request_table: str = ""
    pulse_table: str = ""
    signing_key_id: str = ""
    signing_key_file: str = ""
    region: str = ""
    home_region: str = ""

    @classmethod
    def read(cls, environment: Mapping[str, str], *, writes: bool, also: Sequence[str] = ()) -> "Settings":
        """The settings of a function that only reads, or one that `writes`; `also` names what it demands beside."""
        names = ("PREFIX_TABLE", "LUI_TABLE", "PUBLIC_BASE_URL", *(WRITING_TABLES if writes else ()), *also)
        told = require_settings(environment, names, SIGNING_KEYS if writes else ())
        if not _BASE_URL.fullmatch(told["PUBLIC_BASE_URL"]):
            raise InvalidSettings("PUBLIC_BASE_URL must be like https://id.example.org, without a slash at its end")
        regions = {member: environment.get(name, "") for member, name in REGIONS.items()} if writes else {}
        if regions.get("home_region"):
            from coolid.registry.home_regions import PATTERN

            if not re.fullmatch(PATTERN, regions["home_region"]):
                raise InvalidSettings("HOME_REGION must be a region such as eu-west-1, or empty")
        return cls(**{name.lower(): value for name, value in told.items()}, **regions)


def require_settings(
    environment: Mapping[str, str], names: Iterable[str], either: Sequence[str] = ()
) -> dict[str, str]:
    """What an environment says under all the names, and under those of `either` that it has, one at least.

    Raises `InvalidSettings`.

    >>> require_settings({"KEY_FILE": "k", "OTHER": "o"}, [], ["KEY_ID", "KEY_FILE"])
    {'KEY_FILE': 'k'}
    """
    names = tuple(names)
    told = {name: environment[name] for name in (*names, *either) if environment.get(name)}
    missing = [name for name in names if name not in told]
    if either and not any(name in told for name in either):
        missing.append(" or ".join(either))
    if missing:
        raise InvalidSettings(f"missing settings: {', '.join(missing)}")
    return told


def store_client(environment: Mapping[str, str]) -> str:
    """What asks the store for the public side: `own`, or `boto3`. Raises `InvalidSettings`.

    >>> store_client({})
    'own'
    """
    told = environment.get(STORE_CLIENT) or OWN
    if told not in _STORE_CLIENTS:
        raise InvalidSettings(f"{STORE_CLIENT} must be {' or '.join(_STORE_CLIENTS)}")
    return told
