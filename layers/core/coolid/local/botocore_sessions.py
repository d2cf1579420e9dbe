"""Caches that botocore sessions of one process share.

Without them, each session reads a megabyte of models and computes the same event names and handler signatures again.
Nothing that depends on a session's settings is shared.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FunctionType
from typing import Any, Final

from botocore import compat, hooks, loaders, session, useragent
from botocore.hooks import EVENT_ALIASES, EventAliaser

_CREATE_LOADER: Final = loaders.create_loader
_ACCEPTS_KWARGS: Final = compat.accepts_kwargs
_SANITIZE: Final = useragent.sanitize_user_agent_string_component
_MAKE_ALIASER: Final = EventAliaser.__init__


@contextmanager
def shared_caches() -> Iterator[None]:
    """Share the caches while the block runs. The context may be nested."""
    if session.create_loader is not _CREATE_LOADER:
        yield
        return
    aliases: dict[str, str] = {}
    function_accepts_kwargs = cache(_ACCEPTS_KWARGS)

    def make_aliaser(aliaser: Any, *arguments: Any, **named: Any) -> None:
        _MAKE_ALIASER(aliaser, *arguments, **named)
        if aliaser._event_aliases == EVENT_ALIASES:
            aliaser._alias_name_cache = aliases

    def accepts_kwargs(handler: Any) -> Any:
        return function_accepts_kwargs(handler) if isinstance(handler, FunctionType) else _ACCEPTS_KWARGS(handler)

    session.create_loader = cache(_CREATE_LOADER)
    EventAliaser.__init__ = make_aliaser  # type: ignore[assignment,method-assign]
    hooks.accepts_kwargs = accepts_kwargs  # type: ignore[assignment]
    useragent.sanitize_user_agent_string_component = cache(_SANITIZE)
    try:
        yield
    finally:
        session.create_loader = _CREATE_LOADER
        EventAliaser.__init__ = _MAKE_ALIASER  # type: ignore[method-assign]
        hooks.accepts_kwargs = _ACCEPTS_KWARGS
        useragent.sanitize_user_agent_string_component = _SANITIZE
