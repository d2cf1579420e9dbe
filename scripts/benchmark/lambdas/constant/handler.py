"""A function that answers a constant: what Lambda's own runtime client takes, whatever runs under it."""

from typing import Any


def handler(_event: Any, _context: Any) -> dict[str, Any]:
    """A redirect to nowhere in particular."""
    headers = {"Location": ["https://content.example.org/"]}
    return {"statusCode": 302, "multiValueHeaders": headers, "body": "", "isBase64Encoded": False}
