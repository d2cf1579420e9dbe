"""HTTP responses as clients receive them: from any service, or from `coolid serve`."""

import json
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reply:
    """A received response; `headers` by lower-case names."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def media_type(self) -> str:
        """Return the media type without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0]

    @property
    def canonical(self) -> str:
        """Return the target of the only link with the relation `canonical` (RFC 8288)."""
        targets: list[str] = re.findall(r'<([^<>" ]*)>; rel="canonical"', self.headers["link"])
        (target,) = targets
        return target

    @property
    def refusal(self) -> tuple[int, str]:
        """Return status and problem type of a refusal, after checking that it is a complete problem document (RFC
        9457).
        """
        assert self.media_type == "application/problem+json", (self.status, self.headers, self.body[:500])
        problem = self.json()
        assert problem["status"] == self.status
        assert problem["title"]
        assert problem["detail"]
        return self.status, problem["type"].rpartition("/problems/")[2]

    @property
    def pointers(self) -> list[str]:
        """Return the positions in a document that a refusal names (RFC 6901)."""
        return [error["pointer"] for error in self.json()["errors"]]
