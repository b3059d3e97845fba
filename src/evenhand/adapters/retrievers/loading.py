"""Which retriever is ``module:attribute``? Loads it, and says before any question what is wrong.

An attribute may be a plain function ``question, limit -> ids``, an object with ``identifier`` and
``retrieve(question, limit)``, or a class or function without arguments that makes either.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Final

from evenhand.adapters.modules import (
    attribute_of,
    import_from,
    is_absent,
    is_module_reference,
)
from evenhand.adapters.retrievers.wrapped import FunctionRetriever, WrappedRetriever
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.retrieval import CodeFailed, RetrieverNotFound
from evenhand.core.scoring.evaluation import Basis
from evenhand.usecases.ports import Retriever

_ARGUMENTS: Final = ("question", 12)


def load_reference(reference: str, project_root: Path) -> Retriever:
    """The retriever that ``module:attribute`` names.

    Args:
        reference: dotted module, a colon, dotted attribute.
        project_root: put on ``sys.path``, where it stays: the module may import more later.

    Raises:
        RetrieverNotFound: no such module or attribute, or it is not a retriever.
        CodeFailed: importing or making it raised.
    """
    if not is_module_reference(reference):
        raise RetrieverNotFound(reference, why="is not of the form module:attribute")
    module, _, path = reference.partition(":")
    try:
        found: object = import_from(project_root, module)
    except Exception as error:
        raise _not_loaded(reference, module, error) from error
    try:
        found = attribute_of(found, path)
    except AttributeError as error:
        raise RetrieverNotFound(reference, why=_no_attribute(error.name or path)) from error
    return as_retriever(found, reference)


def load_entry_point(entry: EntryPoint) -> Retriever:
    """The retriever that an installed distribution registers.

    Raises:
        RetrieverNotFound: its module is not there, or it is not a retriever.
        CodeFailed: importing or making it raised.
    """
    try:
        found = entry.load()
    except Exception as error:
        raise _not_loaded(entry.name, entry.module, error) from error
    return as_retriever(found, entry.name)


def as_retriever(found: object, reference: str) -> Retriever:
    """An object, a plain function, or what a class or factory without arguments makes.

    Args:
        found: what was loaded or handed over.
        reference: name of a plain function's results, and what messages call it.

    Raises:
        RetrieverNotFound: it is none of these; says why.
        CodeFailed: making it raised.
    """
    if isinstance(found, type) or (_is_factory(found) and not _has_retrieve(found)):
        found = _make(found, reference)
    if _has_retrieve(found):
        return _require_object(found, reference)
    if callable(found):
        _require_arguments(found, reference)
        return FunctionRetriever(reference, found)
    raise RetrieverNotFound(reference, why=_no_retriever(found))


def reference_of(function: object) -> str:
    """The ``module:attribute`` under which a function would be found from the project root.

    A function of the script that runs is named after the script's file.
    """
    module = getattr(function, "__module__", None) or type(function).__module__
    if module == "__main__":
        script = getattr(sys.modules["__main__"], "__file__", None)
        module = Path(script).stem if script else module
    return f"{module}:{getattr(function, '__qualname__', type(function).__qualname__)}"


def _has_retrieve(found: object) -> bool:
    return callable(getattr(found, "retrieve", None))


def _is_factory(found: object) -> bool:
    """Whether it can be called without arguments, and not with a question and a limit."""
    return callable(found) and not _takes(found, *_ARGUMENTS) and _takes(found)


def _make(factory: object, reference: str) -> object:
    assert callable(factory)  # noqa: S101 -- both callers looked
    if not _takes(factory):
        raise RetrieverNotFound(reference, why="cannot be made without arguments")
    try:
        return factory()
    except Exception as error:
        raise CodeFailed(_named(reference), _making_failed(error)) from error


def _require_object(found: Any, reference: str) -> Retriever:
    identifier = getattr(found, "identifier", None)
    if not isinstance(identifier, str) or not identifier:
        raise RetrieverNotFound(reference, why="has retrieve but no text as its identifier")
    _require_arguments(found.retrieve, reference)
    if isinstance(found, Retriever):
        return found
    # Attributes made on demand, which structural checks do not see from Python 3.12 on.
    return WrappedRetriever(found, identifier=identifier, provenance=None, basis=Basis.LOCAL)


def _require_arguments(function: Callable[..., object], reference: str) -> None:
    called = inspect.unwrap(function)
    if inspect.iscoroutinefunction(called) or inspect.isasyncgenfunction(called):
        raise RetrieverNotFound(reference, why="is asynchronous; it must return its results")
    if not _takes(function, *_ARGUMENTS):
        raise RetrieverNotFound(reference, why=_wrong_arguments(function))


def _takes(function: Callable[..., object], *arguments: object) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:
        # Built in another language, without a signature to look at: it may be right.
        return True
    return True


def _wrong_arguments(function: Callable[..., object]) -> str:
    # Names only: a default value may be a secret.
    names = ", ".join(inspect.signature(function).parameters)
    return f"must take question and limit by position, but takes ({names})"


def _no_attribute(name: str) -> str:
    return f"the module has no attribute {name!r}"


def _not_loaded(reference: str, module: str, error: Exception) -> EvenhandError:
    """A name that leads nowhere is misspelt; code that raises went wrong."""
    why = _import_failed(error)
    if is_absent(module, error):
        return RetrieverNotFound(reference, why=why)
    return CodeFailed(_named(reference), why)


def _named(reference: str) -> str:
    return f"retriever {reference!r}"


def _import_failed(error: Exception) -> str:
    # The text of an import error names a module; any other text may hold anything.
    shown = f": {error}" if isinstance(error, ImportError) else ""
    return f"importing it raised {type(error).__name__}{shown}"


def _making_failed(error: Exception) -> str:
    return f"making it raised {type(error).__name__}"


def _no_retriever(found: object) -> str:
    return f"is {type(found).__name__}, neither a function nor an object with retrieve"
