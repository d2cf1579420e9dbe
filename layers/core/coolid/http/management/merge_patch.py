"""JSON Merge Patch (RFC 7396).

>>> merged({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": None}, "d": [2]})
{'a': {'c': 2}, 'd': [2]}
"""

from typing import Any


def merged(target: Any, patch: Any) -> Any:
    """Return the target changed by the patch (section 2): null removes, objects merge, all else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result
