"""Settings: what a function is told by its environment, read once, refused whole with every name that is missing.

>>> Settings.read({"PREFIX_TABLE": "p"}, writes=False)
Traceback (most recent call last):
...
coolid.aws.settings.BadSettings: missing settings: LUI_TABLE, PUBLIC_BASE_URL
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

WRITING_TABLES: Final = ("CLIENT_TABLE", "COUNTER_TABLE", "REQUEST_TABLE")
SIGNING_KEYS: Final = ("SIGNING_KEY_ID", "SIGNING_KEY_FILE")
_BASE_URL: Final = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?(/[A-Za-z0-9._~-]+)*")


class BadSettings(Exception):
    """Settings are missing or malformed; the message names all of them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`public_base_url` has no slash at its end; what follows it is empty for a function that only reads.

    Proofs are signed by the KMS key `signing_key_id`, or else by the key in the file `signing_key_file`.
    """

    prefix_table: str
    lui_table: str
    public_base_url: str
    client_table: str = ""
    counter_table: str = ""
    request_table: str = ""
    signing_key_id: str = ""
    signing_key_file: str = ""

    @classmethod
    def read(cls, environment: Mapping[str, str], *, writes: bool) -> "Settings":
        """The settings of a function that only reads, or one that `writes`."""
        names = ("PREFIX_TABLE", "LUI_TABLE", "PUBLIC_BASE_URL", *(WRITING_TABLES if writes else ()))
        missing = [name for name in names if not environment.get(name)]
        keys = [name for name in SIGNING_KEYS if environment.get(name)] if writes else []
        if writes and not keys:
            missing.append(" or ".join(SIGNING_KEYS))
        if missing:
            raise BadSettings(f"missing settings: {', '.join(missing)}")
        if not _BASE_URL.fullmatch(environment["PUBLIC_BASE_URL"]):
            raise BadSettings("PUBLIC_BASE_URL must be like https://id.example.org, without a slash at its end")
        return cls(**{name.lower(): environment[name] for name in (*names, *keys)})
