"""The names of the standalone service's files.

>>> signing_key_file(FOLDER / DATABASE).as_posix()
'.local/coolid.db.signing-key.pem'
"""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(".local")
"""The folder of the service below the current folder."""
DATABASE: Final = "coolid.db"
WITNESS: Final = "witness.db"
ADMIN_KEY: Final = "admin-key"
SIGNING_KEY: Final = "signing-key.pem"
LOG_KEY: Final = "log-key.pem"
SITE: Final = Path(__file__).parent / "site"
"""The folder of the documentation site, which `make docs` builds. A wheel contains it."""


def signing_key_file(database: Path) -> Path:
    """Return the file beside a database that contains its signing key."""
    return database.with_name(f"{database.name}.{SIGNING_KEY}")


def log_key_file(database: Path) -> Path:
    """Return the file beside a database that contains the key of its transparency log."""
    return database.with_name(f"{database.name}.{LOG_KEY}")
