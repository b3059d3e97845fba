"""What does ``module:attribute`` name? Code of the user's project, imported on request."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import CodeFailed


def load_attribute(reference: str, project_root: Path, *, what: str) -> object:
    """The object that ``module:attribute`` names; the attribute may be dotted.

    The project root is put on the import path, so that a script beside ``pyproject.toml`` is
    found without being installed.

    Args:
        reference: ``module:attribute``.
        project_root: the project's folder.
        what: what the reference stands for, for messages.

    Raises:
        InvalidSetting: there is no such module, or it has no such attribute.
        CodeFailed: the module raised when it was imported; its error is the cause.
    """
    module_name, _, path = reference.partition(":")
    try:
        found: object = import_from(project_root, module_name)
    except Exception as error:
        # Whatever the user's module raises at import; its message may hold anything.
        if is_absent(module_name, error):
            raise InvalidSetting(what, _not_imported(module_name, error)) from error
        raise CodeFailed(what, _not_imported(module_name, error)) from error
    try:
        return attribute_of(found, path)
    except AttributeError:
        raise InvalidSetting(what, _no_attribute(module_name, path)) from None


def import_from(project_root: Path, module: str) -> ModuleType:
    """A module, found from the project root as well; what it raises passes through.

    The root stays on the import path: the module may import more later.
    """
    root = str(project_root.resolve())
    if root not in sys.path:
        sys.path.insert(0, root)
    return import_module(module)


def is_absent(module: str, error: Exception) -> bool:
    """Whether an import ended because there is no module of this name.

    It is not so where the module is there and does not find what itself imports.
    """
    above = {module, *(module[:at] for at, sign in enumerate(module) if sign == ".")}
    return isinstance(error, ModuleNotFoundError) and error.name in above


def attribute_of(found: object, path: str) -> object:
    """The attribute at a dotted path; raises AttributeError with the name that is missing."""
    for name in path.split("."):
        found = getattr(found, name)
    return found


def is_module_reference(reference: str) -> bool:
    """Whether a text reads as ``module:attribute``."""
    module, colon, path = reference.partition(":")
    names = (*module.split("."), *path.split("."))
    return bool(colon) and all(name.isidentifier() for name in names)


def _not_imported(module: str, error: Exception) -> str:
    return f"module {module!r} cannot be imported ({type(error).__name__})"


def _no_attribute(module: str, path: str) -> str:
    return f"module {module!r} has no attribute {path!r}"
