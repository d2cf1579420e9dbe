"""Limits of CloudFront KeyValueStore and CloudFront Functions.

Sources: Amazon CloudFront Developer Guide, "Quotas on key value stores", "Quotas on CloudFront Functions" and "File
format for key-value pairs", which counts characters. All keys and values here are ASCII, so characters are bytes.
"""

from typing import Final

MAX_KEY_BYTES: Final = 512
MAX_VALUE_BYTES: Final = 1_024
MAX_STORE_BYTES: Final = 5_000_000
"""Bytes of all keys and values. The documentation says 5 MB, which is at least this."""
MAX_FUNCTION_BYTES: Final = 10_000
"""Bytes of a function's code. The documentation says 10 KB, which is at least this."""
