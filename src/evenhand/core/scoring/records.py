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
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_):  # noqa: D103 -- type checkers know what it does
        return lambda one: one


class _Slots(type):
    """Makes the annotated names of a class its slots, and what they are set to their defaults."""

    slots: tuple[str, ...]
    defaults: dict[str, Any]

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Slots:
        slots = tuple(body.get("__annotations__", ()))
        defaults = {one: body.pop(one) for one in slots if one in body}
        made = super().__new__(mcs, name, bases, {**body, "__slots__": slots})
        made.slots, made.defaults = slots, defaults
        return made


@dataclass_transform(frozen_default=True)
class Record(metaclass=_Slots):
    """Values with names that do not change; equal where all of them are.

    A subclass lists its names by annotations, with or without a default, and has no subclass.
    """

    def __init__(self, *values: Any, **named: Any) -> None:
        slots = type(self).slots
        given = {**type(self).defaults, **dict(zip(slots, values, strict=False)), **named}
        if len(values) > len(slots) or given.keys() != set(slots):
            message = f"{type(self).__name__} takes {', '.join(slots)}; given {', '.join(given)}"
            raise TypeError(message)
        for name, value in given.items():
            object.__setattr__(self, name, value)

    def replaced(self, **changes: Any) -> Self:
        """The same values but these."""
        return type(self)(
            **{**dict(zip(type(self).slots, self._values(), strict=True)), **changes}
        )

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in type(self).slots])

    def __setattr__(self, name: str, value: object) -> None:
        message = f"{type(self).__name__} does not change: {name}"
        raise AttributeError(message)

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
