"""Values of parameters that need no conversion, such as text.

typer converts every value with pydantic, whose import takes longer than most commands. A value that already has the
type of its parameter, or is obviously valid, is not converted so; typer converts or refuses all others.
"""

from collections.abc import Iterable
from typing import Any, Literal, get_args, get_origin

_MAX_DIGITS = 18


def accept_plain_values(parameters: Iterable[Any]) -> None:
    """Let these parameters of typer (`typer.core.TyperOption`, `TyperArgument`) accept plain values unconverted."""
    for parameter in parameters:
        # An attribute of typer's own, which it sets before the first conversion.
        if getattr(parameter, "_runtime_param", ...) is None:
            parameter._runtime_param = _PlainValue()


class _PlainValue:
    """Has the interface of `typer._coercion.RuntimeParam`."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter. Raises the errors of typer."""
        descriptor = param.type_descriptor
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if _is_plain(value, descriptor.annotation):
            return value
        if (number := _number(value, descriptor)) is not None:
            return number
        param._runtime_param = None  # typer's own again
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _is_plain(value: Any, annotation: Any) -> bool:
    """Return whether a value has the type of its parameter.

    >>> _is_plain("lui", str), _is_plain("lui", Literal["lui", "noid"]), _is_plain("LUI", Literal["lui"])
    (True, True, False)
    """
    if annotation is str:
        return isinstance(value, str)
    return get_origin(annotation) is Literal and value in get_args(annotation)


def _number(value: Any, descriptor: Any) -> int | None:
    """Return a natural number within the bounds of its parameter, or None for another value."""
    if descriptor.annotation is not int:
        return None
    text = str(value)
    if not (text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS):
        return None
    bounds = descriptor.parameter_info
    number = int(text)
    is_high_enough = bounds.min is None or number >= bounds.min
    return number if is_high_enough and (bounds.max is None or number <= bounds.max) else None
