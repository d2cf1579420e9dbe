"""What the three forms of EZID's batch downloads have in common: blocks of elements."""

from collections.abc import Mapping
from typing import Final

from coolid.migration.source_identifiers import UnreadableEntry

MAX_BLOCK_BYTES: Final = 4_000_000
"""The most bytes of an identifier's elements that are in memory. A record has a tenth of them."""
TOO_LARGE: Final = f"its elements have more than {MAX_BLOCK_BYTES:,} bytes"

ElementBlock = tuple[int, str, Mapping[str, str]] | UnreadableEntry
"""A position, an identifier and its elements; or a block that cannot be read."""
