"""Where in a configuration is the value that an error of a configured retriever is about?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from evenhand.adapters.retrievers.context import Declaration, RetrieverConfig, RetrieverContext
from evenhand.core.errors import EvenhandError, InvalidFile, InvalidSetting
from evenhand.core.errors.identity import InvalidCorpus, InvalidLabel
from evenhand.core.errors.retrieval import CodeFailed, RetrieverNotFound

_USE: Final = "use"
_CORPUS: Final = "corpus"
_LABELS: Final = tuple(one.name for one in fields(Declaration))
#: Field of a declaration → key of the table that states it.
_KEYS: Final = MappingProxyType(
    {
        "corpus_revision": _CORPUS,
        "model_revision": "model",
        "chunking_identity": "chunking",
        "pipeline_identity": "pipeline",
        "execution_revision": "execution",
    }
)
#: What messages call a part of ``use``.
_PARTS_OF_USE: Final = ("cmd", "retriever URL")


@contextmanager
def placed(name: str, config: RetrieverConfig, context: RetrieverContext) -> Iterator[None]:
    """Let an error about the table of a retriever say file, table and key.

    A label that a flag gives in place of the table's is not the table's fault, and a component's
    own table stays the one that is named.

    Args:
        name: of the configured retriever.
        config: what its table says.
        context: where it is written, and which flags were given.
    """
    try:
        yield
    except EvenhandError as error:
        key = _key(error, name, config)
        flags = context.declared or Declaration()
        is_flag = key in _LABELS and getattr(flags, key) is not None
        if error.place is None and key is not None and not is_flag:
            error.place = context.config_file.place(name, key)
        raise


def _key(error: EvenhandError, name: str, config: RetrieverConfig) -> str | None:
    """The key that an error is about, None where it is about none of the table."""
    match error:
        case InvalidSetting():
            key = error.name.removeprefix(f"retrievers.{name}.")
            return _USE if key in _PARTS_OF_USE else key
        case InvalidLabel():
            return _KEYS.get(error.field)
        case RetrieverNotFound() | CodeFailed():
            return _USE
        case InvalidFile() if PurePath(error.file).name == PurePath(config.use).name:
            return _USE
        case InvalidFile() | InvalidCorpus() if config.declaration.corpus is not None:
            return _CORPUS
        case _:
            return None
