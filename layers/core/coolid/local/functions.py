"""The Lambda functions of the stack, loaded from their folders and called by route."""

import gc
import importlib.util
from pathlib import Path
from typing import Any

from coolid.aws.api_gateway import Event, Handler
from coolid.local.stack import Stack


class Functions:
    """All handlers of a stack; `folder` contains a folder for each function (`ResolveFunction` is in `resolve`)."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self._stack = stack
        names = {route.function for route in stack.routes}
        self._handlers = {name: load_handler(folder / name.removesuffix("Function").lower()) for name in names}

    def invoke(self, event: Event) -> dict[str, Any]:
        """Call the function to which API Gateway would send the event."""
        name = self._stack.function_for(event["httpMethod"], event["path"])
        return self._handlers[name](event, None)  # no handler uses the context


def load_handler(folder: Path) -> Handler:
    """Return the `handler` of `handler.py` in a function's folder."""
    spec = importlib.util.spec_from_file_location(f"coolid_function_{folder.name}", folder / "handler.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    gc.unfreeze()  # unlike a Lambda environment, this process may load many handlers
    handler: Handler = module.handler
    return handler
