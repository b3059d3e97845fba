"""Every class of `core.errors`, its modules included."""

import importlib
import pkgutil
from collections.abc import Iterator

from evenhand.core import errors
from evenhand.core.errors import EvenhandError


def error_classes() -> tuple[type[EvenhandError], ...]:
    """The tree from its root down; not what a test made of it."""
    for module in pkgutil.iter_modules(errors.__path__):
        importlib.import_module(f"{errors.__name__}.{module.name}")
    return tuple(one for one in _tree(EvenhandError) if _is_ours(one))


def _tree(root: type[EvenhandError]) -> Iterator[type[EvenhandError]]:
    yield root
    for child in root.__subclasses__():
        yield from _tree(child)


def _is_ours(kind: type[EvenhandError]) -> bool:
    return f"{kind.__module__}.".startswith(f"{errors.__name__}.")
