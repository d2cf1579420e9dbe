"""Errors of the HTTP server itself, which API Gateway would send in the cloud."""

from coolid.http.message import Response
from coolid.strict_json import dump


def refusal(status: int, title: str) -> Response:
    """Return an error in the form of the stack's gateway responses (RFC 9457).

    >>> refusal(413, "Request too long").body
    '{"type":"about:blank","title":"Request too long","status":413}'
    """
    body = dump({"type": "about:blank", "title": title, "status": status})
    return Response(status, {"Content-Type": "application/problem+json", "Cache-Control": "no-store"}, body)
