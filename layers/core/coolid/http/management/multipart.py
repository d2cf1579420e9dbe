"""Bodies of `multipart/form-data` (RFC 7578): parts by their names.

The delimiters are found by exact search, as RFC 2046, section 5.1.1, defines them. So a part contains any bytes, and
the work is proportional to the size of the body.

>>> body = b'--x\\r\\nContent-Disposition: form-data; name="job"\\r\\n\\r\\n{}\\r\\n--x--\\r\\n'
>>> form_parts(body, "multipart/form-data; boundary=x")
{'job': b'{}'}
"""

from email import policy
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from typing import Final

from coolid.http.errors import MalformedBody

MULTIPART: Final = "multipart/form-data"
MAX_PARTS: Final = 10
_MAX_HEAD_BYTES: Final = 8_192
_PARSER: Final = BytesHeaderParser(policy=policy.HTTP)


def form_parts(body: bytes, content_type: str) -> dict[str, bytes]:
    """Return the contents of the parts by their names. Raises `MalformedBody`, also for two parts of one name."""
    delimiter = b"\r\n--" + _boundary(content_type)
    _, *sections = (b"\r\n" + body).split(delimiter, MAX_PARTS + 1)
    if not sections or not sections[-1].startswith(b"--"):
        raise MalformedBody(f"the body has no final boundary, or more than {MAX_PARTS} parts")
    parts: dict[str, bytes] = {}
    for section in sections[:-1]:
        padding, line_end, rest = section.partition(b"\r\n")
        head, separator, content = (b"\r\n" + rest).partition(b"\r\n\r\n")
        if padding.strip(b" \t") or not line_end or not separator or len(head) > _MAX_HEAD_BYTES:
            raise MalformedBody("a part of the body has no headers")
        name = _name_in(head)
        if name in parts:
            raise MalformedBody(f"the body has two parts called {name!a}")
        parts[name] = content
    return parts


def _boundary(content_type: str) -> bytes:
    message = EmailMessage(policy=policy.HTTP)
    try:
        message["Content-Type"] = content_type
    except ValueError as error:
        raise MalformedBody(f"the Content-Type cannot be read: {error}") from error
    boundary = message.get_boundary()
    if not boundary or len(boundary) > 70 or not boundary.isascii():
        raise MalformedBody("the Content-Type has no boundary of 1 to 70 characters")
    return boundary.encode()


def _name_in(head: bytes) -> str:
    headers = _PARSER.parsebytes(head.lstrip(b"\r\n") + b"\r\n\r\n")
    name = headers.get_param("name", header="content-disposition")
    if headers.get_content_disposition() != "form-data" or not isinstance(name, str):
        raise MalformedBody("a part of the body has no name (Content-Disposition: form-data; name=…)")
    return name
