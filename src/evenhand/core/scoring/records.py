"""How are values with names kept where even `dataclasses` takes too long to import?

A small run is scored in fewer milliseconds than ``dataclasses`` takes to be imported (it imports
``inspect``) and to write and compile the methods of a few classes; ``typing`` is half as dear. A
`Record` is what ``@dataclass(frozen=True, slots=True)`` would make of the same annotations, and
type checkers see it as that. Modules that a small run does not import use dataclasses.
"""

from __future__ import annotations

# Not from typing, which takes longer to import than this module may.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_):  # noqa: D103 -- type checkers know what it does
        return lambda one: one


class _Slots(type):
    """Makes the annotated names of a class its slots, and what they are set to their defaults."""

    slots: tuple[str, ...]
    defaults: dict[str, Any]
    setters: dict[str, Callable[[object, Any], None]]

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Slots:
        slots = tuple(body.get("__annotations__", ()))
        defaults = {one: body.pop(one) for one in slots if one in body}
        made = super().__new__(mcs, name, bases, {**body, "__slots__": slots})
        made.slots, made.defaults = slots, defaults
        made.setters = {one: getattr(made, one).__set__ for one in slots}
        return made


@dataclass_transform(frozen_default=True)
class Record(metaclass=_Slots):
    """Values with names that do not change; equal where all of them are.

    A subclass lists its names by annotations, with or without a default, and has no subclass.
    """

    def __init__(self, *values: Any, **named: Any) -> None:
        kind = type(self)
        count = len(values) + len(named)
        if values:
            named = {**dict(zip(kind.slots, values, strict=False)), **named}
        is_twice = len(named) < count  # or more values than there are names
        if len(named) < len(kind.slots):
            named = {**kind.defaults, **named}
        if is_twice or named.keys() != kind.setters.keys():
            message = f"{kind.__name__} takes {', '.join(kind.slots)}; given {', '.join(named)}"
            raise TypeError(message)
        for name, put in kind.setters.items():
            put(self, named[name])

    def replaced(self, **changes: Any) -> Self:
        """The same values but these."""
        return type(self)(**{name: getattr(self, name) for name in type(self).slots} | changes)

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in type(self).slots])

    def __setattr__(self, name: str, value: object) -> None:
        message = f"{type(self).__name__} does not change: {name}"
        raise AttributeError(message)

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        pairs = zip(type(self).slots, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), self._values()
