"""What must be known to turn a reference into a retriever? Values, handed down by the caller."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Final

from evenhand.adapters.retrievers.labels import toml_key
from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.protocols import WINDOW
from evenhand.usecases.ports import Progress

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What flags or a configuration state about a retriever; None is unknown.

    Attributes:
        corpus: a label, or a path whose content is digested.
        model: label of the embedding model; ``not-applicable`` where there is none.
        chunking: label of the chunker; ``not-applicable`` where there is none.
        pipeline: label that covers every setting that can alter a ranking.
        execution: label of the code that runs; ``git``, which is the default of a wrapped
            retriever, stands for the commit that is checked out.
    """

    corpus: str | None = None
    model: str | None = None
    chunking: str | None = None
    pipeline: str | None = None
    execution: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is stated."""
        return self == Declaration()

    def over(self, other: Declaration) -> Declaration:
        """This declaration, with what it leaves open taken from another."""
        stated = {one.name: getattr(self, one.name) for one in fields(self)}
        return replace(
            other, **{name: value for name, value in stated.items() if value is not None}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverConfig:
    """One table ``[retrievers.NAME]``.

    Attributes:
        use: what the name stands for: an entry point, a built-in, ``module:attribute``, a URL,
            ``cmd:…`` or the path of a run file.
        declaration: the labels it states; paths are relative to the project root.
        options: everything else, for built-ins, commands and HTTP.
    """

    use: str
    declaration: Declaration = Declaration()
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """Where the tables of retrievers are written.

    Attributes:
        name: of the file.
        table: that holds the tables, in ``pyproject.toml`` it is ``tool.evenhand.retrievers``.
    """

    name: str = "evenhand.toml"
    table: str = "retrievers"

    def place(self, retriever: str, key: str) -> str:
        """How messages call one key of the table of one retriever."""
        return f"{self.name} [{self.table}.{toml_key(retriever)}] {key}"


def read_configs(
    tables: Mapping[str, Mapping[str, object]], file: ConfigFile | None = None
) -> dict[str, RetrieverConfig]:
    """The configured retrievers, by name, from tables as TOML gives them.

    Args:
        tables: by name.
        file: where they are written, for messages.

    Raises:
        InvalidSetting: ``use`` is missing, or a label is not text; names file, table and key.
    """
    read: dict[str, RetrieverConfig] = {}
    for name, table in tables.items():
        try:
            read[name] = _read_config(name, table)
        except InvalidSetting as error:
            error.place = (file or ConfigFile()).place(name, error.name.rpartition(".")[2])
            raise
    return read


def _read_config(name: str, table: Mapping[str, object]) -> RetrieverConfig:
    labels = [one.name for one in fields(Declaration)]
    stated: dict[str, str] = {}
    for key in ("use", *labels):
        value = table.get(key)
        if value is None:
            continue
        if not isinstance(value, str) or not value:
            raise InvalidSetting(option_name(name, key), "must be text that is not empty")
        stated[key] = value
    if "use" not in stated:
        raise InvalidSetting(option_name(name, "use"), "is missing; it says what is called")
    return RetrieverConfig(
        use=stated.pop("use"),
        declaration=Declaration(**stated),
        options={key: value for key, value in table.items() if key not in {"use", *labels}},
    )


def option_name(retriever: str, option: str) -> str:
    """How messages call an option of a configured retriever."""
    return f"retrievers.{retriever}.{option}"


class _NoProgress:
    def advance(self, done: int) -> None:
        """Nobody listens."""


def _untracked(_title: str, _total: int) -> AbstractContextManager[Progress]:
    return nullcontext(_NoProgress())


def _no_secret(_name: str) -> str | None:
    return None


def _log(message: str) -> None:
    _LOG.warning(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverContext:
    """What the resolution of a reference needs to know.

    Attributes:
        project_root: folder of the project; put on ``sys.path`` for ``module:attribute``.
        depth: limit that the retriever will be called with, at least 1; part of every pipeline
            label that Evenhand derives or wraps.
        corpus: the corpus at hand, for the built-in retrievers.
        corpus_scope: field of a document that holds its access scope, None without scopes.
        corpus_label: digest that the corpus at hand is expected to have; None does not check.
        declared: labels given by flags.
        configured: configured retrievers by name; see `read_configs`.
        config_file: where they are written, for messages.
        registered: entry points of the group ``evenhand.retrievers``; None asks the installed
            distributions.
        secret: value of an environment variable that a configuration names, None when unset.
        tell: hears what a user should know, such as which model was picked. No query and no
            document text is ever told.
        track: opens the progress of long work, given a title and a number of units.
    """

    project_root: Path
    depth: int = WINDOW
    corpus: Path | None = None
    corpus_scope: str | None = None
    corpus_label: str | None = None
    declared: Declaration | None = None
    configured: Mapping[str, RetrieverConfig] = field(default_factory=dict)
    config_file: ConfigFile = ConfigFile()
    registered: Sequence[EntryPoint] | None = None
    secret: Callable[[str], str | None] = _no_secret
    tell: Callable[[str], None] = _log
    track: Callable[[str, int], AbstractContextManager[Progress]] = _untracked
