"""What comes back over HTTP, whoever asked and however: the suite against any service, or a test of `coolid serve`."""

import json
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What came back; `headers` by lower-case names."""

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
        """The type of the content without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0]

    @property
    def canonical(self) -> str:
        """The target of the one link with the relation `canonical` (RFC 8288)."""
        targets: list[str] = re.findall(r'<([^<>" ]*)>; rel="canonical"', self.headers["link"])
        (target,) = targets
        return target

    @property
    def refusal(self) -> tuple[int, str]:
        """Status and kind of a refusal of ours, once it is seen to be a whole problem document (RFC 9457)."""
        assert self.media_type == "application/problem+json", (self.status, self.headers, self.body[:500])
        problem = self.json()
        assert problem["status"] == self.status
        assert problem["title"]
        assert problem["detail"]
        return self.status, problem["type"].rpartition("/problems/")[2]

    @property
    def pointers(self) -> list[str]:
        """The places in a document that a refusal points to (RFC 6901)."""
        return [error["pointer"] for error in self.json()["errors"]]
