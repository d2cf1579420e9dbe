"""The Lambda functions of the stack, loaded from their folders as Lambda loads them, and called by route."""

import gc
import importlib.util
from pathlib import Path
from typing import Any

from coolid.aws.api_gateway import Event, Handler
from coolid.local.stack import Stack


class Functions:
    """All handlers of a stack; `folder` holds one folder a function, `ResolveFunction` in `resolve`."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self._stack = stack
        names = {route.function for route in stack.routes}
        self._handlers = {name: load_handler(folder / name.removesuffix("Function").lower()) for name in names}

    def invoke(self, event: Event) -> dict[str, Any]:
        """Give an event to the function that API Gateway would give it to."""
        name = self._stack.function_for(event["httpMethod"], event["path"])
        return self._handlers[name](event, None)  # no handler looks at the context


def load_handler(folder: Path) -> Handler:
    """The `handler` of `handler.py` in a function's folder."""
    spec = importlib.util.spec_from_file_location(f"coolid_function_{folder.name}", folder / "handler.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    gc.unfreeze()  # unlike Lambda's, this process may load many
    handler: Handler = module.handler
    return handler
