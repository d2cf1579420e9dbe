"""The receiver of webhooks in `docs/explanation/health.md`, executed from there."""

import re
from typing import Any

from tests.support.builders.samples import ROOT

_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_shown: dict[str, Any] = {}
_blocks = _BLOCK.findall((ROOT / "docs" / "explanation" / "health.md").read_text(encoding="utf-8"))
(_source,) = [each for each in _blocks if "def receive(" in each]
exec(_source, _shown)  # noqa: S102 - it is our own documentation

InvalidNotice: type[Exception] = _shown["InvalidNotice"]
receive = _shown["receive"]
